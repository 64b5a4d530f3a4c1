package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) eval() *cobra.Command {
	var in inputFlags
	var trust modelFlags
	c := &cobra.Command{
		Use:   "eval MODEL DATA...",
		Short: "Measure a model on labelled data",
		Long: `Measure a model on labelled data. Where rows have weights, from --weights, from the
column of --weight or from the one that the model was trained with, all measures
are by weight.`,
		Example: "  kerf eval model.kerf test.csv",
		Args:    cobra.MinimumNArgs(2),
	}
	in.addKnown(c.Flags())
	trust.add(c.Flags())
	in.addWeights(c.Flags())
	c.Flags().Lookup("weight").Usage = "column of a table with a weight for each row, by name or number, or none " +
		"(default: the one that training had, where the table has it)"
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		m, err := trust.load(args[0])
		if err != nil {
			return err
		}
		in.read.More = args[2:]
		o := a.options(&in)
		o.AllowExec = trust.allowExec
		e, err := job.Evaluate(c.Context(), m, args[1], o)
		if err != nil {
			return flagged(err)
		}
		return a.result(e, func(w io.Writer) error { return text.Evaluated(w, e) })
	}
	return c
}
