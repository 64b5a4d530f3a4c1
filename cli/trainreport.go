package cli

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

const (
	reportMargins = 4000 // rows that the margins of test rows are taken of, at most
	reportPoints  = 2000 // points of a scatter plot, at most
	reportCorners = 400  // points of a ROC curve, about
	reportColumns = 40   // of a histogram
	reportClasses = 30   // of the confusion matrix; with more the commonest confusions are listed
	reportListed  = 100  // classes of the table of classes, the worst
	reportWorst   = 10   // rows that are shown as the worst
)

// trainPage is what the report of kerf train shows. It has no date, and nothing
// but Seconds differs from run to run.
type trainPage struct {
	Data       string // file
	Learner    string
	Title      string
	Head       string // what the headline is
	Value      string
	Interval   string
	Confidence string // of all intervals
	Rows       string
	On         string // file of the rows that are measured
	Test       bool   // whether the model has not seen them
	Trained    string
	Seconds    string
	Status     string

	Facts       []reportFact
	Measures    []reportFact
	Chosen      []figure
	Figures     []figure
	Matrix      *heatTable
	Confused    []confused
	Classes     []classRow
	ClassesNote string
	Certificate []reportFact
	Worst       *worstTable
}

// reportFact is a line of a table.
type reportFact struct{ Name, Value, Interval string }

// figure is a chart with its title, its colours and a remark.
type figure struct {
	Title string
	SVG   template.HTML
	Keys  []colourKey
	Note  string
}

// colourKey says what a colour of a chart stands for.
type colourKey struct{ Class, Name string }

// measuredRows are the rows that a report measures, and what the model says of
// them.
type measuredRows[T any] struct {
	data.Labeled[T, string]
	rows   []int // numbers in the file, from 0; nil for all in order
	scores *data.Matrix
}

// number returns the number of a row in its file, from 1.
func (m *measuredRows[T]) number(i int) int {
	if m.rows != nil {
		i = m.rows[i]
	}
	return i + 1
}

// writeReport writes the report of a training run as one HTML page. The rows
// trained on are part, those numbered rest of the file; held are the numbers of
// those held out.
func (t *trained[T]) writeReport(ctx context.Context, a *app, ctl run.Control, part data.Labeled[T, string], rest, held []int) error {
	page, err := template.New("report").Parse(trainReportPage)
	if err != nil {
		return err
	}
	p, err := t.page(ctx, ctl.Quiet(), part, rest, held)
	if err != nil {
		return err
	}
	return a.output(ctx, t.flags.report, func(w io.Writer) error { return page.Execute(w, p) })
}

// page gathers the report.
func (t *trained[T]) page(ctx context.Context, ctl run.Control, part data.Labeled[T, string], rest, held []int) (*trainPage, error) {
	ctl.Counter = nil
	m, on := &measuredRows[T]{Labeled: part, rows: rest}, t.input
	if t.test != nil {
		m, on = &measuredRows[T]{Labeled: t.tested, rows: held}, t.testedIn
		if on != t.input {
			m.rows = nil
		}
	}
	p := t.facts(filepath.Base(on.Name))
	p.Rows = grouped(int64(m.X.Len()))
	p.chosen(t.flags.regresses(), t.training, t.chosenPrice(), t.chosenDim(), kernelName(t.pipeline.Kernel))
	p.Certificate = t.certificateFacts()
	var err error
	if m.scores, err = t.pipeline.ScoreAll(ctx, ctl, m.X); err != nil {
		return nil, err
	}
	switch {
	case t.flags.regresses():
		return p, t.regressionPage(p, m, on)
	case t.flags.learner == model.LearnerOneClass:
		return p, t.outlierPage(ctx, p, m)
	}
	return p, t.classPage(ctx, ctl, p, m)
}

// facts begins a page with what was trained on what.
func (t *trained[T]) facts(on string) *trainPage {
	tr := t.training
	name := filepath.Base(t.input.Name)
	p := &trainPage{
		Data: plain(name, 80), Learner: t.flags.learner, On: plain(on, 80), Test: t.test != nil,
		Trained: grouped(int64(t.train.rows())), Seconds: fmt.Sprintf("%.2f s", tr.Elapsed.Seconds()), Status: string(tr.Status),
	}
	p.Confidence = percentage(eval.NewMeasure().Confidence)
	p.Title = p.Learner + " on " + p.Data
	add := func(name, format string, args ...any) {
		p.Facts = append(p.Facts, reportFact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	add("data", "%s", t.encoding.Describe(t.x.Len(), t.x))
	if w := weighingOf(t.input, &t.flags.inputFlags); w != nil {
		add("weights", "%s; measures are by weight, counts, charts and margins are of rows", plain(w.String(), 200))
	}
	if !t.flags.regresses() {
		add("classes", "%d: %s", t.pipeline.Classes.Len(), plain(quoted(t.pipeline.Classes.Names), 200))
	}
	if t.scale() != scale.None {
		add("scale", "%s", t.scale())
	}
	add("kernel", "%s%s", kernelName(t.pipeline.Kernel), picked(t.flags.spec.Open() && t.pipeline.Kernel != nil, t.describeWidth()))
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
	return p
}

// chosenPrice is the C or lambda that was used.
func (t *trained[T]) chosenPrice() float64 { return max(t.training.C, t.training.Lambda) }

// chosenDim is the number of features that was asked for: what a map of low rank
// has is less.
func (t *trained[T]) chosenDim() int {
	if h := t.header.Map; h.Kind == model.MapF2 {
		return h.Drawn
	}
	return t.header.Map.Dim
}

// certificateFacts says what theory promised, what was certified and what is
// used.
func (t *trained[T]) certificateFacts() []reportFact {
	e := t.training.Earned
	if e == nil {
		return nil
	}
	var out []reportFact
	add := func(name, format string, args ...any) {
		out = append(out, reportFact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if e.Promised > 0 {
		add("Promised by theory", "%s landmarks suffice, whatever the data, for margin %.3g, error %.3g and confidence %s", grouped(int64(e.Promised)), e.Margin, e.Certificate.Error, percent(e.Confidence))
	}
	if e.Choice != nil {
		add("Margin", "%.3g, chosen on rows set apart, of which %s have less", e.Choice.Margin, percent(e.Choice.Noise))
	}
	if e.Holds {
		add("Certified", "%s", e.Certificate)
	} else {
		add("Certified", "nothing (%s): %s", e.Outcome, e.Words)
	}
	add("Used", "%s landmarks", grouped(int64(e.Used)))
	if s := t.separator; s != nil {
		add("Tested", "with %s confidence at most %s of all rows like these have a margin below %.3g", percent(s.Confidence), percent(s.Bound), s.Margin)
	}
	return out
}

// classPage adds what there is to say of predicted classes.
func (t *trained[T]) classPage(ctx context.Context, ctl run.Control, p *trainPage, m *measuredRows[T]) error {
	k := t.pipeline.Classes.Len()
	truth, _ := classIndex(t.pipeline.Classes, m.Y)
	said := eval.Said{Classes: k, Truth: truth, Predicted: predicted(t.pipeline, m.scores), Scores: m.scores}
	if t.pipeline.Calibration != nil {
		said.Probabilities = t.pipeline.Calibration.All(m.scores)
	}
	c, err := measureBy(m.Weight).Classification(ctx, said)
	if err != nil {
		return err
	}
	p.classMeasures(c)
	confusion := eval.Confusion(said.Predicted, truth, k)
	names := make([]string, k)
	for i, name := range t.pipeline.Classes.Names {
		names[i] = plain(name, 40)
	}
	if k <= reportClasses {
		p.Matrix = newHeatTable(names, confusion)
	} else {
		p.Confused = commonest(names, confusion)
	}
	p.classRows(names, c.PerClass)
	var fresh margin.Margins
	if len(t.training.Margins) > 0 && p.Test {
		index := evenly(m.X.Len(), reportMargins)
		y := make([]int, len(index))
		for i, j := range index {
			y[i] = truth[j]
		}
		if fresh, err = t.pipeline.Margins(ctx, ctl, m.Select(index).X, y); err != nil {
			return err
		}
	}
	p.marginFigure(t.training.Margins, fresh, t.training.Earned)
	if k == 2 {
		p.rocFigure(names[1], m.scores, truth, confusion, c.AUC)
	}
	if c.Calibration != nil {
		p.reliabilityFigure(c.Calibration)
	}
	p.Worst = t.worstClasses(m, said)
	return nil
}

// worstClasses lists the rows whose true class lost by most: those with the
// smallest difference between its score and the largest of another one.
func (t *trained[T]) worstClasses(m *measuredRows[T], said eval.Said) *worstTable {
	type lost struct {
		row int
		by  float64
	}
	var all []lost
	for i, c := range said.Truth {
		if c < 0 || said.Predicted[i] == c {
			continue
		}
		s := m.scores.Row(i)
		all = append(all, lost{i, s[c] - s[said.Predicted[i]]})
	}
	slices.SortStableFunc(all, func(a, b lost) int { return cmp.Compare(a.by, b.by) })
	w := &worstTable{
		Title: "Rows predicted most wrongly", Note: "Those whose label's score falls short of the predicted one's by most.",
		Columns: []string{"row", "label", "predicted", "label's score", "predicted's score"},
	}
	if said.Probabilities != nil {
		w.Columns = append(w.Columns, "label's probability")
	}
	names := t.pipeline.Classes.Names
	for _, l := range all[:min(len(all), reportWorst)] {
		i, c, q := l.row, said.Truth[l.row], said.Predicted[l.row]
		cells := []string{grouped(int64(m.number(i))), plain(names[c], 40), plain(names[q], 40), brief(m.scores.Row(i)[c]), brief(m.scores.Row(i)[q])}
		if said.Probabilities != nil {
			cells = append(cells, percent(said.Probabilities.Row(i)[c]))
		}
		w.add(i, cells...)
	}
	return withTexts(w, m.X)
}

// regressionPage adds what there is to say of predicted numbers.
func (t *trained[T]) regressionPage(p *trainPage, m *measuredRows[T], on *dataset.Rows) error {
	truth, err := dataset.Values(on.Name, m.Y)
	if err != nil {
		return err
	}
	said := m.scores.Data
	r, err := measureBy(m.Weight).Regression(said, truth)
	if err != nil {
		return err
	}
	p.regressionMeasures(r)
	p.scatterFigure(said, truth)
	rest := make([]float64, len(truth))
	for i := range rest {
		rest[i] = truth[i] - said[i]
	}
	p.residualFigure(rest)
	order := make([]int, len(rest))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(max(rest[b], -rest[b]), max(rest[a], -rest[a])) })
	w := &worstTable{
		Title: "Rows predicted most wrongly", Note: "Those with the largest residuals, truth less prediction.",
		Columns: []string{"row", "truth", "predicted", "residual"},
	}
	for _, i := range order[:min(len(order), reportWorst)] {
		w.add(i, grouped(int64(m.number(i))), brief(truth[i]), brief(said[i]), brief(rest[i]))
	}
	p.Worst = withTexts(w, m.X)
	return nil
}

// outlierPage adds what there is to say of a one-class machine.
func (t *trained[T]) outlierPage(ctx context.Context, p *trainPage, m *measuredRows[T]) error {
	n := m.X.Len()
	s, order := make([]float64, n), make([]int, n)
	for i := range s {
		s[i], order[i] = m.scores.Row(i)[1], i
	}
	c, err := measureBy(m.Weight).Classification(ctx, eval.Said{Classes: 2, Truth: repeated(1, n), Predicted: predicted(t.pipeline, m.scores)})
	if err != nil {
		return err
	}
	p.Head, p.Value = "Outliers among the test rows", percent(c.Error)
	if !p.Test {
		p.Head = "Outliers among the training rows"
	}
	p.Interval = strings.Trim(within(c.Intervals.Error, percent), " ()")
	p.scoreFigure(s)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s[a], s[b]) })
	w := &worstTable{Title: "The strangest rows", Note: "Those with the lowest scores; an outlier has one below 0.", Columns: []string{"row", "score"}}
	for _, i := range order[:min(n, reportWorst)] {
		w.add(i, grouped(int64(m.number(i))), brief(s[i]))
	}
	p.Worst = withTexts(w, m.X)
	return nil
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
