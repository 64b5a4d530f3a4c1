package text

import (
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// seenPart is the part of the test rows that copies of rows trained on may be without a word.
const seenPart = 0.01

// Trained says what a training came to.
func Trained(w io.Writer, t *job.Trained) error {
	out := newFacts(w)
	out.add("data", "%s: %s", t.Words.File, t.Words.Data)
	out.addWeights(t.Weights)
	if t.Task != model.Regress {
		out.add("classes", "%d: %s", len(t.Classes), job.Quoted(t.Classes))
	}
	if t.Scale != scale.None {
		out.add("scale", "%s", t.Scale)
	}
	out.add("kernel", "%s", t.Words.Kernel)
	out.add("map", "%s", t.Words.Map)
	if t.Words.Maps != "" {
		out.add("maps tried", "%s", t.Words.Maps)
	}
	out.add("learner", "%s", t.Words.Learner)
	if t.Streamed != nil {
		out.add("streamed", "%s", t.Streamed)
		if t.Streamed.Skipped > 0 {
			out.add("left out", "%d files that were bad", t.Streamed.Skipped)
		}
	}
	if t.Words.Search != "" {
		out.add("search", "%s", t.Words.Search)
	}
	out.add("train", "%s", t.Train)
	if t.Test != nil {
		out.add("test", "%s", t.Test)
	}
	if s := t.Seen; s != nil && float64(s.Rows) >= seenPart*float64(s.Of) {
		out.add("copies", "%s", s)
	}
	if t.Baseline != nil {
		out.add("baseline", "%s", t.Baseline)
	}
	if t.Expected != nil {
		out.add("expected", "%s", t.Expected)
	}
	if m := t.Training.Margins; len(m) > 0 {
		out.add("margin", "%.3g; %.3g for 95%% of the rows", m.Min(), m.Quantile(0.05))
	}
	if s := t.Separator; s != nil {
		out.add("tested", "with %s confidence at most %s of all rows like these have a margin below %.3g%s",
			percent(s.Confidence), percent(s.Bound), s.Margin, copies(s))
	}
	if t.Certificate != nil {
		earned(out, t.Certificate)
	}
	out.add("work", "%.2f s, %s kernel evaluations, %s after %d passes", t.Seconds, grouped(t.Evaluations), t.Status,
		t.Iterations)
	out.addModel(t.Output)
	if t.Report != "" {
		out.add("report", "written to %s", t.Report)
	}
	return out.flush()
}

// copies tells of test rows that are copies of others.
func copies(c *certificate.Certificate) string {
	if c.Copies == 0 {
		return ""
	}
	return fmt.Sprintf(", with and without %d that are copies of others", c.Copies)
}

// earned says what theory promised, what was certified, and what is used.
func earned(out facts, e *model.Earned) {
	if e.Promised > 0 {
		out.add("promised", "%s landmarks suffice by theory for margin %.3g, error %.3g, confidence %s",
			grouped(int64(e.Promised)), e.Margin, e.Certificate.Error, percent(e.Confidence))
	}
	if e.Choice != nil {
		out.add("", "the margin was chosen on rows set apart, of which %s have less", percent(e.Choice.Noise))
	}
	certified := e.Certificate.String()
	if !e.Holds {
		certified = fmt.Sprintf("nothing (%s): %s", e.Outcome, e.Words)
	} else if why := e.Useless(); why != "" {
		certified = fmt.Sprintf("%s. %s", why, certified)
	}
	out.add("certified", "%s", certified)
	out.add("used", "%d landmarks", e.Used)
}
