package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) eval() *cobra.Command {
	var in inputFlags
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
	in.addWeights(c.Flags())
	c.Flags().Lookup("weight").Usage = "column of a table with a weight for each row, by name or number, or none (default: the one that training had, where the table has it)"
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := in.checkWeights(c.Flags()); err != nil {
			return err
		}
		f, err := loadModel(args[0])
		if err != nil {
			return err
		}
		switch f.Header.Instances {
		case spec.KindStrings:
			return evaluate(c.Context(), a, args, f, spec.Strings{}, &in)
		case spec.KindSets:
			return evaluate(c.Context(), a, args, f, spec.Sets{}, &in)
		}
		return evaluate(c.Context(), a, args, f, spec.Vectors{}, &in)
	}
	return c
}

// measured is what eval found of classes.
type measured struct {
	*eval.Classification
	Classes   []string  `json:"classes"`
	Confusion [][]int   `json:"confusion"` // [true][predicted]
	Margins   quantiles `json:"margins"`
}

// quantiles are margins: the smallest, those below which 5% and 50% of the rows
// lie, and the largest.
type quantiles struct {
	Min    float64 `json:"min"`
	Five   float64 `json:"p05"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// evaluate measures a model of instances of type T. The arguments are the paths
// of the model and of the data.
func evaluate[T any](ctx context.Context, a *app, paths []string, f *model.File, kind instanceKind[T], in *inputFlags) error {
	p, e, err := openModel(paths[0], f, kind)
	if err != nil {
		return err
	}
	ctl, path := a.control(), paths[1]
	var all evaluated
	err = stream(ctx, a, path, e, in, func(c *dataset.Rows, x data.Source[T], labels []string) error {
		if labels == nil {
			return badInput(path, "the rows have no labels to compare with", "use kerf predict for such data")
		}
		if err := all.weigh(e, c, in, path); err != nil {
			return err
		}
		return gatherRows(ctx, ctl, &all, p, path, x, labels)
	})
	if err == nil {
		err = dataset.SomeWeight(path, all.weights)
	}
	if err != nil {
		return err
	}
	if p.Regresses() {
		m, err := measureBy(all.weights).Regression(all.scores, all.values)
		if err != nil {
			return named(path, err)
		}
		return a.result(m, func(w io.Writer) error { return printRegression(w, m) })
	}
	if err := a.checkLabels(path, p.Classes, all.truth, all.unknown); err != nil {
		return err
	}
	m, err := measure(ctx, p, &all)
	if err != nil {
		return named(path, err)
	}
	return a.result(m, m.print)
}

// evaluated gathers what is known of the rows of a stream.
type evaluated struct {
	predicted, truth []int
	unknown          []string
	scores           []float64 // an output each
	values           []float64 // true numbers
	margins          []float64
	weights          []float64 // nil where the rows have none
	rows             int
}

// weigh adds the weights of a chunk, which comes before its rows.
func (v *evaluated) weigh(e *dataset.Encoding, c *dataset.Rows, flags *inputFlags, path string) error {
	if flags.weighted() && !c.IsTable() {
		return usage("--weight is for tables; %s is %s data: give a file of --weights, one a line", path, e.Format)
	}
	w, err := e.WeightsOf(c, dataset.Options{Weight: flags.weight})
	if err != nil {
		return err
	}
	if (w == nil) != (v.weights == nil) && v.rows > 0 {
		return badInput(path, "some rows have a weight and others have none", "fill it in, or leave it aside with --weight none")
	}
	v.weights, v.rows = append(v.weights, w...), v.rows+c.Len()
	return nil
}

// gatherRows adds rows to what is known.
func gatherRows[T any](ctx context.Context, ctl run.Control, v *evaluated, p *model.Pipeline[T], path string, x data.Source[T], labels []string) error {
	s, err := p.ScoreAll(ctx, ctl, x)
	if err != nil {
		return err
	}
	v.scores = append(v.scores, s.Data...)
	if p.Regresses() {
		values, err := dataset.Values(path, labels)
		v.values = append(v.values, values...)
		return err
	}
	y, unknown := classIndex(p.Classes, labels)
	if len(v.unknown) == 0 {
		v.unknown = unknown
	}
	m, err := p.Margins(ctx, ctl.Quiet(), x, y)
	if err != nil {
		return err
	}
	v.margins = append(v.margins, m...)
	v.predicted = append(v.predicted, predicted(p, s)...)
	v.truth = append(v.truth, y...)
	return nil
}

// measure computes all measures of classes.
func measure[T any](ctx context.Context, p *model.Pipeline[T], v *evaluated) (measured, error) {
	k := p.Classes.Len()
	said := eval.Said{Classes: k, Truth: v.truth, Predicted: v.predicted, Scores: &data.Matrix{Rows: len(v.truth), Cols: k, Data: v.scores}}
	if p.Calibration != nil {
		said.Probabilities = p.Calibration.All(said.Scores)
	}
	c, err := measureBy(v.weights).Classification(ctx, said)
	if err != nil {
		return measured{}, err
	}
	m := measured{Classification: c, Classes: p.Classes.Names, Confusion: eval.Confusion(v.predicted, v.truth, k)}
	sorted := margin.NewMargins(v.margins)
	m.Margins = quantiles{Min: sorted.Min(), Five: sorted.Quantile(0.05), Median: sorted.Quantile(0.5), Max: sorted.Quantile(1)}
	return m, nil
}

// within writes an interval for people.
func within(i *eval.Interval, write func(float64) string) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", write(i.Low), write(i.High))
}

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func (m measured) print(w io.Writer) error {
	out := newFacts(w)
	out.add("rows", "%d; in brackets intervals of %s confidence", m.N, percent(m.Confidence))
	if m.Weights != nil {
		out.add("weights", "%s; measures are by weight, counts and margins are of rows", weightText(m.Weights))
	}
	out.add("error", "%s%s", percent(m.Error), within(m.Intervals.Error, percent))
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
	return m.printConfusion(w)
}

func printRegression(w io.Writer, m *eval.Regression) error {
	short := func(v float64) string { return fmt.Sprintf("%.5g", v) }
	out := newFacts(w)
	out.add("rows", "%d; in brackets intervals of %s confidence", m.N, percent(m.Confidence))
	if m.Weights != nil {
		out.add("weights", "%s", weightText(m.Weights))
	}
	out.add("RMSE", "%s%s", short(m.RMSE), within(m.Intervals.RMSE, short))
	out.add("MAE", "%s%s", short(m.MAE), within(m.Intervals.MAE, short))
	if m.R2 != nil {
		out.add("R²", "%s%s", decimals(*m.R2), within(m.Intervals.R2, decimals))
	}
	return out.flush()
}

// confusionClasses is the number of classes up to which the whole table is
// printed for people.
const confusionClasses = 26

func (m measured) printConfusion(w io.Writer) error {
	if len(m.Classes) > confusionClasses {
		return nil
	}
	fmt.Fprintln(w, "\ntrue label, then how often each label was predicted:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range m.Classes {
		fmt.Fprintf(t, "\t%s", name)
	}
	fmt.Fprintln(t, "\t")
	for c, row := range m.Confusion {
		fmt.Fprint(t, m.Classes[c])
		for _, n := range row {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}
