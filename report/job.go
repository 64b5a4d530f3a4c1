package report

import (
	"fmt"
	"path/filepath"

	scaling "github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// Training returns the page on a training, which must have been asked for its
// Details.
func Training(t *job.Trained) TrainPage {
	m := t.Measured
	if m == nil {
		m = &job.Measured{On: t.Words.File}
	}
	p := TrainPage{
		Data: filepath.Base(t.Words.File), Learner: t.Learner, Trained: t.N, On: filepath.Base(m.On), Test: m.Test,
		Advice: "Set some aside with --holdout.", Facts: trainFacts(t), Training: t.Training, Picked: t.Picked,
		By:     t.Criterion(),
		Kernel: t.Kernel, Dim: t.Dim, Separator: t.Separator, Rows: m.Rows, Texts: m.Texts,
		Importance: m.Importance, Plane: m.Plane,
	}
	if h, err := t.Model.Header(); err == nil && h.Map.Kind == model.MapF2 {
		p.Dim = h.Map.Drawn // what a map of low rank has is less
	}
	switch {
	case m.Scores == nil:
	case t.Task == model.Regress:
		p.Predicted, p.Truth, p.Regression = m.Scores.Data, m.Values, t.Train.Regression
		if m.Test {
			p.Regression = t.Test.Regression
		}
	case t.Train.Outliers:
		p.Classification, p.Scores = m.Measures, make([]float64, m.Scores.Rows)
		for i := range p.Scores {
			p.Scores[i] = m.Scores.Row(i)[1]
		}
	default:
		p.Classes, p.Classification, p.Margins = t.Classes, m.Measures, m.Margins
		p.Said = eval.Said{Classes: len(t.Classes), Truth: m.Truth, Predicted: t.Model.DecideAll(m.Scores), Scores: m.Scores}
		if c := t.Model.Calibration; c != nil {
			p.Said.Probabilities = c.All(m.Scores)
		}
	}
	return p
}

// trainFacts says what was trained on what.
func trainFacts(t *job.Trained) []Fact {
	var out []Fact
	add := func(name, format string, args ...any) {
		out = append(out, Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	add("data", "%s", t.Words.Data)
	if t.Weights != nil {
		add("weights", "%s; measures are by weight, counts, charts and margins are of rows", clean(t.Weights.String(), 200))
	}
	if t.Task != model.Regress {
		add("classes", "%d: %s", len(t.Classes), clean(job.Quoted(t.Classes), 200))
	}
	if t.Scale != scaling.None {
		add("scale", "%s", t.Scale)
	}
	add("kernel", "%s", t.Words.Kernel)
	add("map", "%s", t.Words.Map)
	if t.Words.Maps != "" {
		add("maps tried", "%s", t.Words.Maps)
	}
	add("dimensions", "%s", grouped(t.Model.Dim()))
	add("learner", "%s", t.Words.Learner)
	if t.Words.Search != "" {
		add("search", "%s", t.Words.Search)
	}
	add("train", "%s", t.Train)
	if t.Test != nil {
		add("test", "%s", t.Test)
	}
	if t.Baseline != nil {
		add("baseline", "%s", t.Baseline)
	}
	if m := t.Training.Margins; len(m) > 0 {
		add("margin", "%.3g; %.3g for 95%% of the rows", m.Min(), m.Quantile(0.05))
	}
	add("kernel evaluations", "%s", grouped(int(t.Evaluations)))
	add("passes", "%d", t.Iterations)
	return out
}

// Search returns the page on a search.
func Search(t *job.Tuned) TunePage {
	final := Training(t.Final)
	p := TunePage{
		Data: filepath.Base(t.File), Learner: t.Learner, By: t.Criterion(), Penalty: t.Penalized,
		Final: &final,
		Facts: []Fact{
			{Name: "data", Value: fmt.Sprintf("%s: %s rows", clean(filepath.Base(t.File), 80), grouped(t.FileRows))},
			{Name: "search", Value: t.Words()},
		},
	}
	if t.Scale != scaling.None {
		p.Facts = append(p.Facts, Fact{Name: "scale", Value: fmt.Sprint(t.Scale)})
	}
	for _, r := range t.Trials {
		trial := Trial{
			Loss: r.Loss, Spread: r.Std, Order: r.Order, Round: r.Round, Rows: r.Rows, Kernel: r.Kernel, Map: r.Map,
			Seconds: r.Seconds, Failure: r.Failure, Cut: r.Cut,
		}
		if r.Dim != nil {
			trial.Dim = *r.Dim
		}
		for _, v := range []*float64{r.C, r.Lambda} {
			if v != nil {
				trial.Penalty = *v
			}
		}
		p.Trials = append(p.Trials, trial)
	}
	return p
}

// Demonstration returns the page on a demonstration.
func Demonstration(d *job.Demonstration) DemoPage {
	p := DemoPage{
		Title: "Kernel features on two rings", Train: d.Train.X.Len(), Test: d.Test.X.Len(), Kernel: d.Kernel, Plan: d.Plan,
		Classes: d.Classes, Reach: demoReach,
	}
	for _, r := range d.Results {
		p.Results = append(p.Results, Method{Name: r.Method, Dim: r.Dim, Error: r.Error, Margin: r.Margin,
			Seconds: r.Seconds})
	}
	p.Points = make([][]Point, len(p.Classes))
	for c, name := range p.Classes {
		for i, label := range d.Test.Y {
			if label == name {
				v := d.Test.X.At(i).Value
				p.Points[c] = append(p.Points[c], Point{X: v[0], Y: v[1]})
			}
		}
	}
	place := func(i int) float64 { return demoReach * (2*float64(i)/(demoGrid-1) - 1) }
	for _, name := range []string{job.DemoLinear, job.DemoF1, job.DemoF2, job.DemoF3} {
		scores := make([][]float64, demoGrid)
		for r := range scores {
			for c := range demoGrid {
				scores[r] = append(scores[r], d.Score(name, place(c), place(r)))
			}
		}
		p.Boundaries = append(p.Boundaries, Boundary{Name: name, Scores: scores})
	}
	for _, kind := range []struct{ kind, name string }{{model.MapF1, "F1"}, {model.MapF2, "F2"}, {model.MapF3, "F3"}} {
		s := Series{Name: kind.name, Kind: Joined}
		for _, c := range d.Curve {
			if c.Map == kind.kind {
				s.Points = append(s.Points, Point{X: float64(c.Dim), Y: c.Error})
			}
		}
		p.Curves = append(p.Curves, s)
	}
	return p
}

const (
	demoReach = 2.5 // of the pictures
	demoGrid  = 81  // points of a picture's side at which a separator is asked
)
