package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) cv() *cobra.Command {
	var in inputFlags
	var l learnerFlags
	o := job.NewCVOptions()
	c := &cobra.Command{
		Use:   "cv DATA",
		Short: "Cross-validate: train and test on parts of the data in turn",
		Long: `Cross-validate: divide the rows into parts, and train on all but one and test
on that one, for each. Rows are divided class by class, at random for numbers,
and group by group with --groups. What is fitted to the data, such as scaling and
the kernel's width, is fitted to the rows to train on alone.

All choices are those of kerf train. What is not chosen each fold picks as
kerf train --effort least does; --effort normal measures what kerf train DATA makes,
in as many times its time as there are folds.`,
		Example: `  kerf cv data.csv
  kerf cv data.csv --kernel 'rbf(gamma=1)' --dim 200 --folds 10 --repeats 3 --json
  kerf cv houses.csv`,
		Args: cobra.ExactArgs(1),
	}
	flags := c.Flags()
	in.add(flags)
	in.addWeights(flags)
	in.addCategories(flags)
	l.add(flags)
	flags.IntVar(&o.Folds, "folds", o.Folds, "parts to divide the rows into")
	flags.IntVar(&o.Repeats, "repeats", o.Repeats, "how often to divide them anew")
	flags.StringVar((*string)(&o.Effort), "effort", "", "work for what is not chosen, in each fold: least, quick, "+
		"normal, which kerf train does, or thorough (default least)")
	flags.StringVar(&o.Groups, "groups", "",
		"column of a table, by name or number, whose equal values keep rows in one part; "+
			"it is not learnt from")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case o.Folds < 2:
			return usage("--folds is %d and must be at least 2", o.Folds)
		case o.Repeats < 1 || o.Repeats > 10_000:
			return usage("--repeats is %d and must be from 1 to 10000", o.Repeats)
		case c.Flags().Changed("effort") && !slices.Contains(job.Efforts, o.Effort):
			return usage("--effort is %q and must be least, quick, normal or thorough", string(o.Effort))
		case c.Flags().Changed("groups") && o.Groups == "":
			return usage("--groups needs a column")
		}
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		o.Options = a.options(&in)
		if err := l.choose(c, &o.Choices); err != nil {
			return err
		}
		v, err := job.CrossValidate(c.Context(), args[0], o)
		if err != nil {
			return flagged(err)
		}
		return a.result(v, func(w io.Writer) error { return text.CrossValidated(w, v, o.Folds) })
	}
	return c
}
