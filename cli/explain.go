package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) explain() *cobra.Command {
	var in inputFlags
	var trust modelFlags
	o, page := job.NewExplainOptions(), ""
	c := &cobra.Command{
		Use:   "explain MODEL DATA",
		Short: "Say which columns matter, and why a row gets its label",
		Long: `Say which columns of labelled data matter to a model: how much its error grows when
each row has the cell of another row there, with intervals for new rows.

With --row, say of single rows, which need no label, which landmarks are near and how
much each adds to the score of the label, what each cell did, and with --against which
rows of the training data are alike.`,
		Example: "  kerf explain model.kerf test.csv\n  kerf explain model.kerf new.csv --row 3 --against train.csv",
		Args:    cobra.ExactArgs(2),
	}
	f := c.Flags()
	in.addKnown(f)
	trust.add(f)
	in.addWeights(f)
	f.Lookup("weight").Usage = "column of a table with a weight for each row, by name or number, or none " +
		"(default: the one that training had, where the table has it)"
	f.IntSliceVar(&o.Rows, "row", nil, "rows to explain, counted from 1, such as 3 or 3,17")
	f.StringVar(&o.Against, "against", "", "file of rows to compare them with, such as that of training: for similar "+
		"rows and the labels of landmarks, and for the cells that are put in the place of others")
	f.IntVar(&o.Repeats, "repeats", o.Repeats, "how often the cells of a column are exchanged; 0 for no importance")
	f.StringVar(&o.Metric, "metric", "", "what importance is the loss of: error, balanced, auc, f1 or logloss; of "+
		"numbers rmse, mae or r2 (default: error, or rmse)")
	f.IntVar(&o.Sample, "rows", o.Sample, "rows that importance is measured on, at most; 0 for all")
	f.IntVar(&o.Columns, "columns", o.Columns, "columns that are looked at, at most: those that most rows have something "+
		"in; 0 for all")
	f.Float64Var(&o.Confidence, "confidence", o.Confidence, "confidence of the intervals")
	f.IntVar(&o.Nearest, "nearest", o.Nearest, "landmarks and similar rows that are listed")
	f.StringVar(&page, "html", "", "file to write a page with charts to")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("row") && len(o.Rows) == 0 {
			return usage("--row needs the number of a row, from 1")
		}
		if c.Flags().Changed("against") && o.Against == "" {
			return usage("--against needs a file")
		}
		if c.Flags().Changed("html") && page == "" {
			return usage("--html needs a file")
		}
		if err := flagged(cmp.Or(job.Writable(page), job.Apart(page, args[0], args[1], in.read.Labels, in.read.Weights,
			o.Against))); err != nil {
			return err
		}
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		m, err := trust.load(args[0])
		if err != nil {
			return err
		}
		o.Options = a.options(&in)
		e, err := job.Explain(c.Context(), m, args[1], o)
		if err != nil {
			return flagged(err)
		}
		if page != "" {
			title := fmt.Sprintf("%s on %s", args[0], args[1])
			err := a.output(c.Context(), page, func(w io.Writer) error { return report.Explanation(w, title, e) })
			if err != nil {
				return err
			}
		}
		return a.result(e, func(w io.Writer) error { return text.Explained(w, e) })
	}
	return c
}
