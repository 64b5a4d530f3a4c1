package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/report"
)

// writeReport writes the report of a search as one HTML page. The arguments are
// those of the report of the final training.
func (t *tuning[T]) writeReport(ctx context.Context, part data.Labeled[T, string], rest, held []int) error {
	ctl := t.app.control()
	final, err := t.final.page(ctx, ctl.Quiet(), part, rest, held)
	if err != nil {
		return err
	}
	p := report.TunePage{
		Data: filepath.Base(t.input.name), Learner: t.flags.learner, Numbers: t.flags.regresses(),
		Price: t.space.price, Final: final,
	}
	add := func(name, format string, args ...any) {
		p.Facts = append(p.Facts, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	add("data", "%s: %s rows", plain(p.Data, 80), grouped(int64(t.input.Len())))
	add("search", "%s", t.describeSearch())
	if t.scale != scale.None {
		add("scale", "%s", t.scale)
	}
	add("best", "%s", t.describeBest())
	order := map[note]int{}
	for i, r := range t.result.Trials {
		order[note{r.Candidate, r.Budget}] = i + 1
	}
	for _, r := range t.ranked() {
		trial := t.reportTrial(r)
		trial.Order = order[note{r.Candidate, r.Budget}]
		p.Trials = append(p.Trials, trial)
	}
	return t.app.output(ctx, t.flags.report, func(w io.Writer) error { return report.Tune(w, p) })
}

// reportTrial is a trial for a page.
func (t *tuning[T]) reportTrial(r eval.Trial[candidate]) report.Trial {
	f := r.Candidate.flags(&t.flags.learnerFlags, t.space)
	out := report.Trial{
		Loss: r.Score, Round: r.Round, Rows: t.rowsOf(r), Kernel: t.kernelOf(r.Candidate),
		Map:   t.space.maps[r.Candidate.way],
		Price: max(f.c, f.lambda), Failure: r.Error, Cut: r.Cut,
	}
	if f.dimGiven {
		out.Dim = f.dim
	}
	n := t.notes[note{r.Candidate, r.Budget}]
	if std, ok := n.std.(float64); ok {
		out.Spread = &std
	}
	out.Seconds = n.seconds
	return out
}
