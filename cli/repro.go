package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/report/text"
	"github.com/kerf-ml/kerf/repro"
)

// reproFlags are the flags of kerf repro.
type reproFlags struct {
	set         repro.Params
	quick, list bool
	out         string
}

func (a *app) repro() *cobra.Command {
	var f reproFlags
	c := &cobra.Command{
		Use:   "repro [NAME...]",
		Short: "The claims of the papers, measured",
		Long: `The claims of the papers, measured: for each experiment data are drawn that meet
the assumption of a theorem, what it says is done, and what comes out is set
beside what is promised, with a confidence interval and a verdict.

Without names all experiments run, in minutes; --quick takes a minute at most.
--margin, --error, --dim and --n, each a number or several with commas between
them, change the experiments that are named; --list says which take them.

The exit status is 1 where a claim does not hold.`,
		Example: `  kerf repro --quick
  kerf repro perceptron --margin 0.2,0.1 --dim 1000
  kerf repro --out pages`,
		Args: cobra.ArbitraryArgs,
	}
	c.Flags().BoolVar(&f.quick, "quick", false, "fewer trials and smaller sizes")
	c.Flags().BoolVar(&f.list, "list", false, "list the experiments and the flags that each takes")
	c.Flags().StringVar(&f.out, "out", "", "directory to write a page with charts to, and the rows as CSV")
	c.Flags().Float64SliceVar(&f.set.Margin, "margin", nil, "margins γ, above 0 and below 1")
	c.Flags().Float64SliceVar(&f.set.Error, "error", nil, "errors ε, between 0 and 1")
	c.Flags().IntSliceVar(&f.set.Dim, "dim", nil, "dimensions")
	c.Flags().IntSliceVar(&f.set.N, "n", nil, "sizes, of what the experiment says")
	c.RunE = func(c *cobra.Command, names []string) error {
		f.set.Seed = a.seed
		chosen, err := f.chosen(names)
		if err != nil {
			return usage("%w", err)
		}
		if f.list {
			return a.result(chosen, func(w io.Writer) error { return text.Experiments(w, chosen) })
		}
		return a.reproduce(c, f, chosen)
	}
	return c
}

// chosen returns the experiments of the names, all where there are none, and
// every fault of names and flags.
func (f reproFlags) chosen(names []string) ([]repro.Experiment, error) {
	if len(names) == 0 {
		names = repro.Names()
	}
	var (
		out    []repro.Experiment
		faults []error
	)
	for _, name := range names {
		e, err := repro.Find(name)
		if err == nil {
			err = e.Check(f.set, f.quick)
		}
		out, faults = append(out, e), append(faults, err)
	}
	return out, errors.Join(faults...)
}

// reproduce runs experiments and writes each result as soon as it is there.
func (a *app) reproduce(c *cobra.Command, f reproFlags, chosen []repro.Experiment) error {
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return usage("--out: %w", err)
		}
	}
	ctl := a.control()
	stages := ctl.Progress.Divide("experiments", float64(len(chosen)))
	var results []*repro.Result
	var ended error // before all were measured: what there is is written all the same
	for _, e := range chosen {
		stages.Next(e.Name, 1)
		r, err := e.Measure(c.Context(), ctl, f.set, f.quick)
		if err != nil {
			ended = err
			break
		}
		results = append(results, r)
		if !a.json {
			if err := text.Result(a.stdout, r); err != nil {
				return err
			}
		}
	}
	stages.End()
	if len(results) == 0 {
		return ended
	}
	if f.out != "" {
		if err := a.pages(context.WithoutCancel(c.Context()), f.out, results); err != nil {
			return err
		}
	}
	all := repro.Summarise(results)
	if err := a.result(all, func(w io.Writer) error { return text.Summary(w, all, f.out) }); err != nil {
		return err
	}
	if ended != nil {
		return ended
	}
	if all.Fail > 0 {
		return fmt.Errorf("%d of %d claims do not hold", all.Fail, len(results))
	}
	return nil
}

// pages writes the page, and the rows of each experiment.
func (a *app) pages(ctx context.Context, dir string, results []*repro.Result) error {
	for _, r := range results {
		if err := a.output(ctx, filepath.Join(dir, r.Name+".csv"), r.CSV); err != nil {
			return err
		}
	}
	return a.output(ctx, filepath.Join(dir, "index.html"), func(w io.Writer) error {
		return report.Write(w, repro.Page(results))
	})
}
