package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/report/text"
)

// planFlags are the flags of kerf plan.
type planFlags struct {
	margin, err, confidence, noise float64
	dim                            int
}

func (a *app) plan() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:   "plan --margin G --error E --confidence C",
		Short: "How many landmarks, dimensions and examples the theorems ask for",
		Long: `How many landmarks, dimensions and examples the theorems ask for.

The margin is the cosine of the angle by which a separator in the kernel's
feature space gets instances right; all but the given part of noise must have
it. The counts are what suffices in the worst case: on real data far fewer
usually do.

With --dim the question is turned round: leave out one of --margin, --error and
--confidence, and kerf says what of it so many features buy.`,
		Example: `  kerf plan --margin 0.1 --error 0.05 --confidence 0.99
  kerf plan --dim 5000 --margin 0.1 --confidence 0.99`,
	}
	c.Flags().Float64Var(&f.margin, "margin", 0,
		"margin in the kernel's feature space, above 0 and at most 1 (required without --dim)")
	c.Flags().Float64Var(&f.err, "error", 0, "error that is acceptable, between 0 and 1 (required without --dim)")
	c.Flags().Float64Var(&f.confidence, "confidence", 0,
		"probability with which it must hold, between 0 and 1 (required without --dim)")
	c.Flags().Float64Var(&f.noise, "noise", 0, "part of the data that no separator gets right by the margin")
	c.Flags().IntVar(&f.dim, "dim", 0,
		"features one can afford: what they buy, of the one that is left out of the three above")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var missing []string
		for _, name := range []string{"margin", "error", "confidence"} {
			if !c.Flags().Changed(name) {
				missing = append(missing, name)
			}
		}
		if c.Flags().Changed("dim") {
			return a.budget(f, missing)
		}
		if len(missing) > 0 {
			return usage("--%s is missing; usage: %s", missing[0], c.UseLine())
		}
		p, fault := bound.NewPlan(f.margin, f.err, f.confidence, f.noise)
		if fault != nil {
			return usage("%w", fault)
		}
		return a.result(p, func(w io.Writer) error { return text.Plan(w, p) })
	}
	return c
}

// budget says what a number of features buys, of the one parameter that is
// missing.
func (a *app) budget(f planFlags, missing []string) error {
	if len(missing) != 1 {
		return usage("with --dim give two of --margin, --error and --confidence: the third is what so many features buy")
	}
	b, fault := bound.NewBudget(bound.Unknown(missing[0]), f.margin, f.err, f.confidence, f.noise, f.dim)
	if fault != nil {
		return usage("%w", fault)
	}
	return a.result(b, func(w io.Writer) error { return text.Budget(w, b) })
}
