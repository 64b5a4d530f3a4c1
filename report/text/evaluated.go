package text

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
)

// Evaluated says how good a model is.
func Evaluated(w io.Writer, e *job.Evaluated) error {
	if e.Numbers != nil {
		return regression(w, e.Numbers, e.Baseline)
	}
	return classes(w, e.Classes, e.Baseline)
}

// within writes an interval for people.
func within(i *eval.Interval, write func(float64) string) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", write(i.Low), write(i.High))
}

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func classes(w io.Writer, m *job.ClassEvaluation, b *job.Baseline) error {
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
	return confusion(w, m)
}

func regression(w io.Writer, m *eval.Regression, b *job.Baseline) error {
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

func confusion(w io.Writer, m *job.ClassEvaluation) error {
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
