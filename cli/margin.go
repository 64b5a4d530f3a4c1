package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) margin() *cobra.Command {
	var in inputFlags
	o := job.NewMarginOptions()
	kernel := ""
	c := &cobra.Command{
		Use:   "margin DATA --kernel SPEC",
		Short: "The error at every margin of the best separator found: which margin to plan with",
		Long: `The error at every margin of the best separator found in the kernel's feature
space. Half of the rows train separators, a quarter chooses among them, and the
errors are counted on the last quarter.

Of all margins the one is named with which the theorems ask for the fewest
landmarks, if these may add --error to what the best separator leaves.`,
		Example: "  kerf margin data.csv --kernel 'rbf(gamma=1)'",
		Args:    cobra.ExactArgs(1),
	}
	flags := c.Flags()
	in.add(flags)
	flags.StringVar(&kernel, "kernel", "",
		"kernel (default: rbf for vectors, normalize(spectrum(k=3)) for strings, jaccard for sets)")
	flags.IntVar(&o.Dim, "dim", o.Dim, "landmarks in whose span separators are sought")
	flags.Float64Var(&o.Error, "error", o.Error, "error that the mapping may add")
	flags.Float64Var(&o.Confidence, "confidence", o.Confidence, "probability with which the plan must hold")
	flags.IntVar(&o.Points, "points", o.Points, "points of the curve to list in JSON, at most")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case o.Dim < 1:
			return usage("--dim is %d and must be at least 1", o.Dim)
		case !(o.Error > 0 && o.Error < 1):
			return usage("--error is %v and must be between 0 and 1", o.Error)
		case !(o.Confidence > 0 && o.Confidence < 1):
			return usage("--confidence is %v and must be between 0 and 1", o.Confidence)
		case o.Points < 2:
			return usage("--points is %d and must be at least 2", o.Points)
		}
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		o.Options = a.options(&in)
		o.Choices.Kernel = kernel
		m, err := job.FindMargin(c.Context(), args[0], o)
		if err != nil {
			return flagged(err)
		}
		return a.result(m, func(w io.Writer) error { return text.Margin(w, m) })
	}
	return c
}
