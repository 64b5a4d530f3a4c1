package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/run"
)

// marginRows is how many test rows a report takes margins of, at most.
const marginRows = 4000

// writeReport writes the report of a training run as one HTML page. The rows
// trained on are part, those numbered rest of the file; held are the numbers of
// those held out.
func (t *trained[T]) writeReport(ctx context.Context, a *app, ctl run.Control, part data.Labeled[T, string],
	rest, held []int) error {
	p, err := t.page(ctx, ctl.Quiet(), part, rest, held)
	if err != nil {
		return err
	}
	return a.output(ctx, t.flags.report, func(w io.Writer) error { return report.Train(w, *p) })
}

// page gathers the report.
func (t *trained[T]) page(ctx context.Context, ctl run.Control, part data.Labeled[T, string], rest,
	held []int) (*report.TrainPage, error) {
	ctl.Counter = nil
	d, on, rows := part, t.input, rest
	if t.test != nil {
		d, on, rows = t.tested, t.testedIn, held
		if on != t.input {
			rows = nil
		}
	}
	p := &report.TrainPage{
		Data: filepath.Base(t.input.name), Learner: t.flags.learner, Trained: t.train.rows(),
		On: filepath.Base(on.name), Test: t.test != nil,
		Advice: "Set some aside with --holdout.", Facts: t.reportFacts(), Training: t.training,
		Kernel: kernelName(t.pipeline.Kernel), Dim: t.chosenDim(), Separator: t.separator,
	}
	for _, i := range rows {
		p.Rows = append(p.Rows, i+1)
	}
	if texts, ok := any(d.X).(data.Source[string]); ok {
		for i := range texts.Len() {
			p.Texts = append(p.Texts, texts.At(i))
		}
	}
	scores, err := t.pipeline.ScoreAll(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	switch {
	case t.flags.regresses():
		p.Predicted = scores.Data
		if p.Truth, err = on.values(d.Y); err != nil {
			return nil, err
		}
		p.Regression, err = measureBy(d.Weight).Regression(p.Predicted, p.Truth)
	case t.flags.learner == model.LearnerOneClass:
		err = t.outlierPage(ctx, p, d, scores)
	default:
		err = t.classPage(ctx, ctl, p, d, scores)
	}
	return p, err
}

// classPage adds what there is to say of predicted classes.
func (t *trained[T]) classPage(ctx context.Context, ctl run.Control, p *report.TrainPage, d data.Labeled[T,
	string], scores *data.Matrix) error {
	p.Classes = t.pipeline.Classes.Names
	truth, _ := classIndex(t.pipeline.Classes, d.Y)
	p.Said = eval.Said{Classes: len(p.Classes), Truth: truth, Predicted: predicted(t.pipeline, scores), Scores: scores}
	if t.pipeline.Calibration != nil {
		p.Said.Probabilities = t.pipeline.Calibration.All(scores)
	}
	var err error
	if p.Classification, err = measureBy(d.Weight).Classification(ctx, p.Said); err != nil {
		return err
	}
	if len(t.training.Margins) > 0 && p.Test {
		index := evenly(d.X.Len(), marginRows)
		p.Margins, err = t.pipeline.Margins(ctx, ctl, d.Select(index).X, selected(truth, index))
	}
	return err
}

// outlierPage adds what there is to say of a one-class machine.
func (t *trained[T]) outlierPage(ctx context.Context, p *report.TrainPage, d data.Labeled[T, string],
	scores *data.Matrix) error {
	n := d.X.Len()
	p.Scores = make([]float64, n)
	for i := range p.Scores {
		p.Scores[i] = scores.Row(i)[1]
	}
	var err error
	p.Classification, err = measureBy(d.Weight).Classification(ctx, eval.Said{Classes: 2, Truth: repeated(1, n),
		Predicted: predicted(t.pipeline, scores)})
	return err
}

// reportFacts says what was trained on what.
func (t *trained[T]) reportFacts() []report.Fact {
	tr := t.training
	var out []report.Fact
	add := func(name, format string, args ...any) {
		out = append(out, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	add("data", "%s", t.encoding.describe(t.x.Len(), t.x))
	if w := t.input.weighing(&t.flags.inputFlags); w != nil {
		add("weights", "%s; measures are by weight, counts, charts and margins are of rows", plain(w.String(), 200))
	}
	if !t.flags.regresses() {
		add("classes", "%d: %s", t.pipeline.Classes.Len(), plain(quoted(t.pipeline.Classes.Names), 200))
	}
	if t.scale() != scale.None {
		add("scale", "%s", t.scale())
	}
	add("kernel", "%s%s", kernelName(t.pipeline.Kernel), picked(t.flags.spec.Open() && t.pipeline.Kernel != nil,
		t.describeWidth()))
	add("map", "%s", t.describeMap())
	if maps := t.describeMaps(); maps != "" {
		add("maps tried", "%s", maps)
	}
	add("dimensions", "%s", grouped(int64(t.pipeline.Map.Dim())))
	add("learner", "%s", t.describeLearner())
	add("train", "%s", t.train)
	if t.test != nil {
		add("test", "%s", t.test)
	}
	if len(tr.Margins) > 0 && !t.flags.regresses() {
		add("margin", "%.3g; %.3g for 95%% of the rows", tr.Margins.Min(), tr.Margins.Quantile(0.05))
	}
	add("kernel evaluations", "%s", grouped(tr.Evaluations))
	add("passes", "%d", tr.Iterations)
	return out
}

// chosenDim is the number of features that was asked for: what a map of low rank
// has is less.
func (t *trained[T]) chosenDim() int {
	if h := t.header.Map; h.Kind == model.MapF2 {
		return h.Drawn
	}
	return t.header.Map.Dim
}

// evenly returns at most most of the numbers below n, evenly spread.
func evenly(n, most int) []int {
	k := min(n, most)
	out := make([]int, k)
	for i := range out {
		out[i] = int(int64(i) * int64(n) / int64(k))
	}
	return out
}

// plain returns a text of at most n characters without any that break lines.
func plain(s string, n int) string {
	var b strings.Builder
	count := 0
	for _, r := range s {
		if count++; count > n {
			b.WriteRune('…')
			break
		}
		if unicode.IsControl(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// checkReport reports a file that the report cannot be written to.
func (f *trainFlags) checkReport(c *cobra.Command) error {
	switch {
	case !c.Flags().Changed("report"):
		return nil
	case f.report == "" || f.report == "-":
		return usage("--report needs the name of a file")
	case f.report == f.out:
		return usage("--report and -o name the same file %s", f.out)
	}
	return writable(f.report)
}
