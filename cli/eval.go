package cli

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
)

func (a *app) eval() *cobra.Command {
	var in inputFlags
	var trust modelFlags
	c := &cobra.Command{
		Use:   "eval MODEL DATA",
		Short: "Measure a model on labelled data",
		Long: `Measure a model on labelled data. Where rows have weights, from --weights, from the
column of --weight or from the one that the model was trained with, all measures
are by weight.`,
		Example: "  kerf eval model.kerf test.csv",
		Args:    cobra.ExactArgs(2),
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
		o := a.options(&in)
		o.AllowExec = trust.allowExec
		e, err := job.Evaluate(c.Context(), m, args[1], o)
		if err != nil {
			return flagged(err)
		}
		return a.result(e, func(w io.Writer) error {
			if e.Numbers != nil {
				return printRegression(w, e.Numbers, e.Baseline)
			}
			return printClasses(w, e.Classes, e.Baseline)
		})
	}
	return c
}

// within writes an interval for people.
func within(i *eval.Interval, write func(float64) string) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", write(i.Low), write(i.High))
}

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func printClasses(w io.Writer, m *job.ClassEvaluation, b *job.Baseline) error {
	out := newFacts(w)
	out.add("rows", "%d; in brackets intervals of %s confidence", m.N, percent(m.Confidence))
	if m.Weights != nil {
		out.add("weights", "%s; measures are by weight, counts and margins are of rows", job.WeightText(m.Weights))
	}
	out.add("error", "%s%s", percent(m.Error), within(m.Intervals.Error, percent))
	if b != nil {
		out.add("baseline", "%s", b)
	}
	out.add("accuracy", "%s; %s as the mean over the classes", percent(m.Accuracy), percent(m.BalancedAccuracy))
	if m.MacroF1 != nil {
		out.add("F1", "%s%s, mean over the classes", decimals(*m.MacroF1), within(m.Intervals.MacroF1, decimals))
	}
	if m.AUC != nil {
		out.add("AUC", "%s%s", decimals(*m.AUC), within(m.Intervals.AUC, decimals))
	}
	if m.LogLoss != nil {
		out.add("log loss", "%s%s", decimals(*m.LogLoss), within(m.Intervals.LogLoss, decimals))
	}
	if m.Brier != nil {
		out.add("Brier", "%s%s", decimals(*m.Brier), within(m.Intervals.Brier, decimals))
	}
	if m.Calibration != nil {
		out.add("calibration", "off by %s on average, %s at most", percent(m.Calibration.ECE), percent(m.Calibration.MCE))
	}
	out.add("margins", "smallest %.3g, 5%% below %.3g, half below %.3g", m.Margins.Min, m.Margins.Five, m.Margins.Median)
	if err := out.flush(); err != nil {
		return err
	}
	return printConfusion(w, m)
}

func printRegression(w io.Writer, m *eval.Regression, b *job.Baseline) error {
	short := func(v float64) string { return fmt.Sprintf("%.5g", v) }
	out := newFacts(w)
	out.add("rows", "%d; in brackets intervals of %s confidence", m.N, percent(m.Confidence))
	if m.Weights != nil {
		out.add("weights", "%s", job.WeightText(m.Weights))
	}
	out.add("RMSE", "%s%s", short(m.RMSE), within(m.Intervals.RMSE, short))
	if b != nil {
		out.add("baseline", "%s", b)
	}
	out.add("MAE", "%s%s", short(m.MAE), within(m.Intervals.MAE, short))
	if m.R2 != nil {
		out.add("R²", "%s%s", decimals(*m.R2), within(m.Intervals.R2, decimals))
	}
	return out.flush()
}

// confusionClasses is the number of classes up to which the whole table is
// printed for people.
const confusionClasses = 26

func printConfusion(w io.Writer, m *job.ClassEvaluation) error {
	if len(m.Names) > confusionClasses {
		return nil
	}
	fmt.Fprintln(w, "\ntrue label, then how often each label was predicted:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range m.Names {
		fmt.Fprintf(t, "\t%s", name)
	}
	fmt.Fprintln(t, "\t")
	for c, row := range m.Confusion {
		fmt.Fprint(t, m.Names[c])
		for _, n := range row {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}
