package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report/text"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) check() *cobra.Command {
	var in inputFlags
	o := job.NewCheckOptions()
	kernel := ""
	c := &cobra.Command{
		Use:   "check DATA --kernel SPEC",
		Short: "Is it a kernel on this data: symmetric, positive semidefinite, rank, spectrum",
		Long: `Is it a kernel on this data: symmetric and positive semidefinite. A sample can
show that it is none, and then the rows that show it are named; that it is one
on this sample proves nothing about others.`,
		Example: "  kerf check heart.libsvm --kernel 'sigmoid(gamma=1,coef=-2)'",
		Args:    cobra.ExactArgs(1),
	}
	in.add(c.Flags())
	c.Flags().StringVar(&kernel, "kernel", "", "kernel or similarity to check (required)")
	c.Flags().IntVar(&o.Sample, "sample", o.Sample, "rows to check it on, drawn at random")
	c.RunE = func(c *cobra.Command, args []string) error {
		if kernel == "" {
			return usage("--kernel is missing; usage: %s", c.UseLine())
		}
		if o.Sample < 1 || o.Sample > 5000 {
			return usage("--sample is %d and must be from 1 to 5000", o.Sample)
		}
		if _, err := spec.Parse(kernel); err != nil {
			return err
		}
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		o.Options = a.options(&in)
		o.Choices.Kernel = kernel
		v, err := job.Check(c.Context(), args[0], o)
		if err != nil {
			return flagged(err)
		}
		return a.result(v, func(w io.Writer) error { return text.Checked(w, v) })
	}
	return c
}
