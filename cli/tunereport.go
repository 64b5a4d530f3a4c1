package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// kernelOf is what a candidate's kernel is called on all rows of the search. In
// a trial the width comes from the rows that were trained on.
func (t *tuning[T]) kernelOf(c candidate) string {
	if t.space.maps[c.way] == model.MapNone && !t.flags.machine {
		return "linear"
	}
	k, err := makeKernel(t.kind, t.space, c, t.medians, t.app.seed)
	if err != nil {
		return t.space.kernels[c.kernel].String()
	}
	return kernelName(k)
}

// lossName is the key of what is made small.
func (t *tuning[T]) lossName() string {
	if t.flags.regresses() {
		return "rmse"
	}
	return "error"
}

// describe is a trial for machines.
func (t *tuning[T]) describe(r eval.Trial[candidate]) map[string]any {
	c := r.Candidate
	out := map[string]any{
		"kernel": t.kernelOf(c), "map": t.space.maps[c.way], "dim": nil, t.lossName(): r.Score,
		"round": r.Round, "rows": t.rowsOf(r),
	}
	f := c.flags(&t.flags.learnerFlags, t.space)
	if f.dimGiven {
		out["dim"] = f.dim
	}
	switch {
	case f.c > 0:
		out["C"] = f.c
	case f.lambda > 0:
		out["lambda"] = f.lambda
	}
	if n, ok := t.notes[note{c, r.Budget}]; ok && r.Score != nil {
		out["std"], out["seconds"] = n.std, n.seconds
	}
	if r.Error != "" {
		out["error_message"] = r.Error
	}
	if r.Cut {
		out["cut"] = true
	}
	return out
}

// rowsOf returns how many rows a trial had.
func (t *tuning[T]) rowsOf(r eval.Trial[candidate]) int {
	return int(math.Round(r.Budget * float64(len(t.rows))))
}

// ranked returns the trials from the best on: those of later rounds first, those
// that failed last.
func (t *tuning[T]) ranked() []eval.Trial[candidate] {
	out := slices.Clone(t.result.Trials)
	slices.SortStableFunc(out, func(a, b eval.Trial[candidate]) int {
		if bad := cmp.Compare(unscored(a), unscored(b)); bad != 0 || a.Score == nil {
			return bad
		}
		return cmp.Or(cmp.Compare(b.Round, a.Round), cmp.Compare(*a.Score, *b.Score), cmp.Compare(a.Index, b.Index))
	})
	return out
}

func unscored(t eval.Trial[candidate]) int {
	switch {
	case t.Score == nil:
		return 2
	case t.Cut:
		return 1
	}
	return 0
}

// object is the result for machines.
func (t *tuning[T]) object() any {
	trials := []map[string]any{}
	for _, r := range t.ranked() {
		trials = append(trials, t.describe(r))
	}
	o := map[string]any{
		"best": t.describe(t.result.Best), "trials": trials, "test": nil, "train": t.final.train, "model": nil, "status": t.result.Status,
		"search": t.flags.search, "folds": t.flags.folds, "learner": t.flags.learner, "task": t.flags.task, "scale": t.scale,
		"n": t.final.train.rows(), "dim": t.final.pipeline.Map.Dim(), "seconds": time.Since(t.begun).Seconds(),
		"maps": t.maps, "fits": t.fits,
	}
	if t.oneSplit() {
		o["folds"] = 1
	}
	if w := t.input.weighing(&t.flags.inputFlags); w != nil {
		o["weights"] = w
	}
	if t.final.test != nil {
		o["test"] = t.final.test
	}
	if t.flags.out != "" {
		o["model"] = t.flags.out
	}
	if t.flags.report != "" {
		o["report"] = t.flags.report
	}
	return o
}

// oneSplit reports whether candidates are tested on a quarter of the rows once.
func (t *tuning[T]) oneSplit() bool { return t.large && !t.flags.foldsGiven }

// print is the result for people.
func (t *tuning[T]) print(w io.Writer) error {
	f, loss := t.flags, percent
	if f.regresses() {
		loss = func(v float64) string { return fmt.Sprintf("%.5g", v) }
	}
	out := newFacts(w)
	out.add("data", "%s: %d rows", t.input.name, t.input.Len())
	out.addWeights(t.input.weighing(&f.inputFlags))
	out.add("search", "%s", t.describeSearch())
	if t.scale != scale.None {
		out.add("scale", "%s", t.scale)
	}
	if err := out.flush(); err != nil {
		return err
	}
	if err := t.printTrials(w, loss); err != nil {
		return err
	}
	out = newFacts(w)
	out.add("best", "%s", t.describeBest())
	out.add("train", "%s", t.final.train)
	if t.final.test != nil {
		out.add("test", "%s", t.final.test)
	}
	out.add("work", "%.2f s", time.Since(t.begun).Seconds())
	if f.out != "" {
		out.add("model", "written to %s", f.out)
	} else {
		out.add("model", "not kept; -o FILE writes it")
	}
	if f.report != "" {
		out.add("report", "written to %s", f.report)
	}
	return out.flush()
}

// describeSearch says how was searched, and how the search ended.
func (t *tuning[T]) describeSearch() string {
	how, end := fmt.Sprintf("%d folds", t.flags.folds), "done"
	if t.oneSplit() {
		how = "a quarter of them to test on"
	}
	if t.result.Status != learn.Converged {
		end = string(t.result.Status)
	}
	return fmt.Sprintf("%s: %d evaluations (%d fits, %d maps) on up to %d rows, %s; %s",
		t.flags.search, len(t.result.Trials), t.fits, t.maps, len(t.rows), how, end)
}

// describeBest says what was found.
func (t *tuning[T]) describeBest() string {
	best := t.describe(t.result.Best)
	if best["dim"] == nil {
		return fmt.Sprintf("%v, %s", best["kernel"], t.final.describeLearner())
	}
	return fmt.Sprintf("%v, %s with dim %v, %s", best["kernel"], best["map"], best["dim"], t.final.describeLearner())
}

// shownTrials is how many trials people are shown.
const shownTrials = 10

// printTrials prints the best trials, with the columns that differ.
func (t *tuning[T]) printTrials(w io.Writer, loss func(float64) string) error {
	ranked := t.ranked()
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	price := t.space.price
	if price == "" {
		price = "C or lambda"
	}
	fmt.Fprintf(table, "%s\t±\tkernel\tmap\tdim\t%s\trows\tseconds\n", map[bool]string{true: "RMSE", false: "error"}[t.flags.regresses()], price)
	for _, r := range ranked[:min(shownTrials, len(ranked))] {
		o := t.describe(r)
		if r.Score == nil {
			fmt.Fprintf(table, "failed\t\t%v\t%v\t%s\t%s\t%v\t\n", o["kernel"], o["map"], shown(o["dim"]), shown(either(o["C"], o["lambda"])), o["rows"])
			continue
		}
		n, std := t.notes[note{r.Candidate, r.Budget}], "–"
		if v, ok := n.std.(float64); ok {
			std = loss(v)
		}
		fmt.Fprintf(table, "%s\t%s\t%v\t%v\t%s\t%s\t%v\t%.2f\n", loss(*r.Score), std, o["kernel"], o["map"], shown(o["dim"]), shown(either(o["C"], o["lambda"])), o["rows"], n.seconds)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(ranked) > shownTrials {
		fmt.Fprintf(w, "… and %d more (--json has all)\n", len(ranked)-shownTrials)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// shown writes a value, a dash where there is none.
func shown(v any) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprint(v)
}

func either(a, b any) any {
	if a == nil {
		return b
	}
	return a
}
