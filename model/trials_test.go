package model_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
)

var (
	risingC       = []float64{0.1, 1, 10, 100}
	fallingLambda = []float64{1e-1, 1e-3, 1e-5}
)

// TestTrials: at every penalty the trials have the model that a fit of its own has,
// within the tolerance, with two classes and with more.
func TestTrials(t *testing.T) {
	for _, c := range []struct {
		learner string
		loss    linear.Loss
		exact   bool // the same bits
	}{
		{learner: model.LearnerSVM, loss: linear.SquaredHinge}, {learner: model.LearnerSVM, loss: linear.Hinge},
		{learner: model.LearnerLogistic}, {learner: model.LearnerFalkon}, {learner: model.LearnerKernelSVM},
		{learner: model.LearnerKernelRidge}, {learner: model.LearnerKernelRidge, exact: true},
		{learner: model.LearnerRidge, exact: true},
		{learner: model.LearnerPegasos, exact: true}, {learner: model.LearnerAveragedPerceptron, exact: true},
	} {
		for _, classes := range []int{2, 3} {
			a := args{"dim": 30, "tolerance": 1e-4, "max_passes": 10000, "loss": c.loss}
			if c.exact {
				delete(a, "tolerance")
			}
			r, penalties := tried(c.learner, a)
			d, test := clouds(240, classes, 3), clouds(60, classes, 4)
			n := 0
			for s, err := range r.Trials(t.Context(), model.Labels(d), test.X, penalties) {
				if err != nil {
					t.Fatalf("%s: %v", c.learner, err)
				}
				p, want, err := at(r, s.Penalty).Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				scores, err := p.ScoreAll(t.Context(), r.Run, test.X)
				if err != nil {
					t.Fatal(err)
				}
				if s.Penalty != penalties[n] || s.Report.Status != want.Status {
					t.Errorf("%s, %d classes: %v, %+v; %+v", c.learner, classes, s.Penalty, s.Report, want.Report)
				}
				// Objectives are within the tolerance, 1e-4 of either; scores by
				// strong convexity within its root.
				if math.Abs(s.Report.Objective-want.Objective) > 2e-4*math.Abs(want.Objective) {
					t.Errorf("%s, %d classes, penalty %v: objective %v, want %v",
						c.learner, classes, s.Penalty, s.Report.Objective, want.Objective)
				}
				if far := farthest(s.Scores, scores); c.exact && far > 1e-9 {
					t.Errorf("%s, %d classes, penalty %v: scores differ by %v", c.learner, classes, s.Penalty, far)
				}
				n++
			}
			if r.Learner.Traits().Penalty == "" {
				penalties = penalties[:1]
			}
			if n != len(penalties) {
				t.Errorf("%s: %d trials of %d", c.learner, n, len(penalties))
			}
		}
	}
}

// tried returns a recipe of the learner, with a map of 30 features where it takes
// one, and the penalties to try it at.
func tried(learner string, a args) (recipe, []float64) {
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.5}, 30)
	r.Learner, r.Calibrate = learnerOf[data.Vector](learner, a), ""
	if r.Learner.Traits().Kernel {
		r.Map = model.None[data.Vector]{}
	}
	if r.Learner.Traits().Penalty == model.PenaltyLambda {
		return r, fallingLambda
	}
	return r, risingC
}

// at returns the recipe with the penalty given, where its learner has one.
func at(r recipe, penalty float64) recipe {
	r.Choose = false
	if l, ok := r.Learner.(model.Penalized); ok {
		r.Learner = l.WithPenalty(penalty)
	}
	return r
}

// farthest returns the largest difference, relative to the largest number.
func farthest(a, b *data.Matrix) float64 {
	out, largest := 0.0, 1.0
	for i, v := range a.Data {
		out, largest = max(out, math.Abs(v-b.Data[i])), max(largest, math.Abs(v))
	}
	return out / largest
}

// TestValueTrials is TestTrials for numbers.
func TestValueTrials(t *testing.T) {
	labels := clouds(200, 2, 3)
	d := numbered{X: labels.X, Y: make([]float64, labels.X.Len())}
	for i := range d.Y {
		x := d.X.At(i)
		d.Y[i] = 3 + math.Sin(x.Value[0]) + x.Value[1]
	}
	for _, learner := range []string{
		model.LearnerRidge, model.LearnerKernelRidge, model.LearnerFalkon, model.LearnerSVR, model.LearnerNuSVR,
	} {
		a := args{"dim": 30}
		if learner == model.LearnerSVR || learner == model.LearnerNuSVR { // its bias is known to the tolerance
			a["tolerance"] = 1e-6
		}
		r, penalties := tried(learner, a)
		for s, err := range r.Trials(t.Context(), model.Numbers(d), d.X, penalties) {
			if err != nil {
				t.Fatalf("%s: %v", learner, err)
			}
			p, want, err := at(r, s.Penalty).FitValues(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := p.ScoreAll(t.Context(), r.Run, d.X)
			// Falkon's tolerance is 1e-4 of the gradient at 0.
			if far := farthest(s.Scores, scores); err != nil || far > 1e-3 || s.Report.Status != want.Status {
				t.Errorf("%s at %v: scores differ by %v, %v", learner, s.Penalty, far, err)
			}
		}
	}
}

// TestTrialsEnd: trials stop when they are told to, and end with the context's
// error when it ends.
func TestTrialsEnd(t *testing.T) {
	d := clouds(200, 3, 3)
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.5}, 30)
	n := 0
	for range r.Trials(t.Context(), model.Labels(d), d.X, risingC) {
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	n = 0
	for _, err := range r.Trials(ctx, model.Labels(d), d.X, risingC) {
		if last = err; err == nil {
			n++
			cancel()
		}
	}
	if n != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d trials, then %v", n, last)
	}
	one := labeled{X: d.X, Y: make([]string, d.X.Len())}
	for _, c := range []struct {
		d         labeled
		penalties []float64
		want      error
	}{
		{d, nil, nil}, {one, risingC, learn.ErrOneClass}, {d, []float64{-1}, nil}, {d.Select(nil), risingC, learn.ErrNoRows},
	} {
		failed := false
		for _, err := range r.Trials(t.Context(), model.Labels(c.d), d.X, c.penalties) {
			failed = err != nil && (c.want == nil || errors.Is(err, c.want))
		}
		if !failed {
			t.Errorf("penalties %v of %d rows are tried", c.penalties, c.d.X.Len())
		}
	}
}
