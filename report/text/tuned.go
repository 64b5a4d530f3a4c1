package text

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/job"
)

// Tuned says what a search found.
func Tuned(w io.Writer, t *job.Tuned) error {
	out := newFacts(w)
	out.add("data", "%s: %d rows", t.File, t.FileRows)
	out.addWeights(t.Weights)
	out.add("search", "%s", t.Words())
	if t.Scale != scale.None {
		out.add("scale", "%s", t.Scale)
	}
	if err := out.flush(); err != nil {
		return err
	}
	if err := trials(w, t); err != nil {
		return err
	}
	out = newFacts(w)
	text := fmt.Sprintf("%s, %s", t.Best.Kernel, t.Final.Words.Learner)
	if t.Best.Dim != nil {
		text = fmt.Sprintf("%s, %s with dim %d, %s", t.Best.Kernel, t.Best.Map, *t.Best.Dim, t.Final.Words.Learner)
	}
	out.add("best", "%s", text)
	out.add("train", "%s", t.Train)
	if t.Test != nil {
		out.add("test", "%s", t.Test)
	}
	if t.Baseline != nil {
		out.add("baseline", "%s", t.Baseline)
	}
	out.add("work", "%.2f s", t.Seconds)
	out.addModel(t.Output)
	if t.Report != "" {
		out.add("report", "written to %s", t.Report)
	}
	return out.flush()
}

// shownTrials is how many trials people are shown.
const shownTrials = 10

// trials prints the best trials, with the columns that differ.
func trials(w io.Writer, t *job.Tuned) error {
	by, loss := t.Criterion(), percent
	if !by.Percent() {
		loss = func(v float64) string { return fmt.Sprintf("%.5g", v) }
	}
	penalty := t.Penalized
	if penalty == "" {
		penalty = "C or lambda"
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\t±\tkernel\tmap\tdim\t%s\trows\tseconds\n", by.LossName(), penalty)
	for _, r := range t.Trials[:min(shownTrials, len(t.Trials))] {
		score, std, seconds := "failed", "", ""
		if r.Loss != nil {
			score, std, seconds = loss(*r.Loss), "–", fmt.Sprintf("%.2f", r.Seconds)
		}
		if r.Std != nil {
			std = loss(*r.Std)
		}
		paid := shown(r.C)
		if r.C == nil {
			paid = shown(r.Lambda)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", score, std, r.Kernel, r.Map, shown(r.Dim), paid, r.Rows,
			seconds)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(t.Trials) > shownTrials {
		fmt.Fprintf(w, "… and %d more (--json has all)\n", len(t.Trials)-shownTrials)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// shown writes a value, a dash where there is none.
func shown[V any](v *V) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprint(*v)
}
