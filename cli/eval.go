package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) eval() *cobra.Command {
	var in inputFlags
	c := &cobra.Command{
		Use:     "eval MODEL DATA",
		Short:   "Measure a model on labelled data",
		Example: "  kerf eval model.kerf test.csv",
		Args:    cobra.ExactArgs(2),
	}
	in.addKnown(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
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

// measured is what eval found.
type measured struct {
	eval.Metrics
	AUC       *float64  `json:"auc,omitempty"`
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
	err = stream(ctx, a, path, e, in, func(x data.Source[T], labels []string) error {
		if labels == nil {
			return badInput(path, "the rows have no labels to compare with", "use kerf predict for such data")
		}
		return gatherRows(ctx, ctl, &all, p, x, labels)
	})
	if err != nil {
		return err
	}
	if err := a.checkLabels(path, p.Classes, all.truth, all.unknown); err != nil {
		return err
	}
	m := all.measure(p.Classes)
	return a.result(m, m.print)
}

// evaluated gathers what is known of the rows of a stream.
type evaluated struct {
	predicted, truth []int
	unknown          []string
	scores           []float64 // of class 1, for two classes
	margins          []float64
}

// gatherRows adds rows to what is known.
func gatherRows[T any](ctx context.Context, ctl run.Control, v *evaluated, p *model.Pipeline[T], x data.Source[T], labels []string) error {
	s, err := p.ScoreAll(ctx, ctl, x)
	if err != nil {
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
	v.predicted = append(v.predicted, predicted(s)...)
	v.truth = append(v.truth, y...)
	if p.Classes.Len() == 2 {
		for i := range s.Rows {
			v.scores = append(v.scores, s.Row(i)[1])
		}
	}
	return nil
}

func (v *evaluated) measure(classes data.Classes) measured {
	k := classes.Len()
	m := measured{
		Metrics: eval.Classify(v.predicted, v.truth, k), Classes: classes.Names,
		Confusion: eval.Confusion(v.predicted, v.truth, k),
	}
	sorted := margin.NewMargins(v.margins)
	m.Margins = quantiles{Min: sorted.Min(), Five: sorted.Quantile(0.05), Median: sorted.Quantile(0.5), Max: sorted.Quantile(1)}
	if k == 2 {
		var scores []float64
		var positive []bool
		for i, c := range v.truth {
			if c >= 0 {
				scores, positive = append(scores, v.scores[i]), append(positive, c == 1)
			}
		}
		if auc := eval.AUC(scores, positive); !math.IsNaN(auc) {
			m.AUC = &auc
		}
	}
	return m
}

func (m measured) print(w io.Writer) error {
	out := newFacts(w)
	out.add("rows", "%d", m.N)
	out.add("error", "%s", percent(m.Error))
	out.add("accuracy", "%s; %s as the mean over the classes", percent(m.Accuracy), percent(m.BalancedAccuracy))
	if m.AUC != nil {
		out.add("AUC", "%.4f", *m.AUC)
	}
	out.add("margins", "smallest %.3g, 5%% below %.3g, half below %.3g", m.Margins.Min, m.Margins.Five, m.Margins.Median)
	if err := out.flush(); err != nil {
		return err
	}
	return m.printConfusion(w)
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
