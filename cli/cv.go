package cli

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
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
		return a.result(v, func(w io.Writer) error { return printCV(w, v, o.Folds) })
	}
	return c
}

// printCV is the result for people.
func printCV(w io.Writer, c *job.CrossValidated, folds int) error {
	out := newFacts(w)
	out.add("data", "%s: %d rows, %d folds%s", c.File, c.N, folds, picked(c.Repeats > 1,
		fmt.Sprintf("%d times", c.Repeats)))
	out.addWeights(c.Weights)
	how := "width chosen in each fold"
	if c.Searched {
		how = "searched in each fold"
	}
	out.add("kernel", "%s%s", c.Kernel, picked(c.Open, how))
	out.add("map", "%s%s", c.Map, picked(!c.Machine && c.Map != model.MapNone, fmt.Sprintf("%d dimensions", c.Dim)))
	out.add("learner", "%s", c.Learner)
	if err := out.flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := measureColumns(c.Task == model.Regress)
	fmt.Fprint(t, "fold\ttrained on\ttested on\t")
	for _, m := range columns {
		fmt.Fprintf(t, "%s\t", m.title)
	}
	fmt.Fprintln(t, "seconds\t")
	for i, v := range c.Folds {
		fmt.Fprintf(t, "%d\t%d\t%d\t", i+1, v.NTrain, v.Score.Rows())
		all := v.Score.Measures()
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", m.write(all))
		}
		fmt.Fprintf(t, "%.2f\t\n", v.Seconds)
	}
	for _, row := range []struct {
		name string
		of   map[string]float64
	}{{"mean", c.Mean}, {"±", c.Std}, {"baseline", c.Baseline}} {
		if row.of == nil {
			continue
		}
		fmt.Fprintf(t, "%s\t\t\t", row.name)
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", m.write(row.of))
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}

// measureColumn is a measure in a table for people.
type measureColumn struct {
	key, title string
	format     func(float64) string
}

// write writes the measure, a dash where there is none.
func (m measureColumn) write(of map[string]float64) string {
	v, ok := of[m.key]
	if !ok {
		return "–"
	}
	return m.format(v)
}

// measureColumns are the measures that people are shown.
func measureColumns(regress bool) []measureColumn {
	if regress {
		short := func(v float64) string { return fmt.Sprintf("%.5g", v) }
		return []measureColumn{{"rmse", "RMSE", short}, {"mae", "MAE", short}, {"r2", "R²", decimals}}
	}
	return []measureColumn{{"error", "error", percent}, {"balanced_accuracy", "balanced accuracy", percent}}
}
