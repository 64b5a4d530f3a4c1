package main

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// A work is one comparison. Works on the same set stand together.
type work struct {
	name       string // as the peer knows it
	title      string
	set        set
	precision  run.Precision
	target     float64
	warm, reps int            // runs that do not count and that do
	peer       string         // who the peer is, where the set does not say
	job        map[string]any // what the peer is told beside
	value      string         // what both sides come to, less is better
	within     float64        // how much of the peer's value the two may differ by

	// ours returns our side of the work, and what its last run came to.
	ours func(ctl run.Control, s *sample) (fit func() error, value func() (float64, error), err error)
}

var (
	blobs   = set{name: "clusters", rows: 20_000}
	rows    = set{name: "dense", rows: 200_000, cols: 1000, solver: primal, eps: 0.01}
	hinged  = set{name: "dense", rows: 200_000, cols: 1000, solver: dualHinge, eps: 0.1}
	texts   = set{name: "sparse", rows: 100_000, cols: 50_000, solver: dual, eps: 0.3}
	few     = set{name: "waves", rows: 10_000}
	many    = set{name: "waves", rows: 200_000}
	machine = kernel.Gaussian{Gamma: 0.05}
	smooth  = kernel.Gaussian{Gamma: 1.0 / 32}
)

// The objectives differ by what the tolerances of the two sides allow. Stumps
// differ more: ours have the least error, scikit-learn's the least Gini impurity.
var works = []work{
	{"svm", "C-SVC 20,000×20, RBF, train", blobs, run.Float64, 5, 0, 3, "", nil, "dual objective", 1e-3, trainSVM},
	{"svm-predict", "C-SVC 20,000×20, RBF, predict 20,000", blobs, run.Float32, 12, 0, 3, "", nil, "test error", 1e-2,
		predictSVM},
	{"boost", "AdaBoost 20,000×20, 100 stumps", blobs, run.Float64, 20, 0, 3, "", nil, "test error", 0.1, boostStumps},
	{"linear-dense", "linear SVM 200,000×1,000, squared hinge", rows, run.Float64, 3, 0, 3, "", nil, "objective", 1e-3,
		trainLinear},
	{"linear-hinge", "linear SVM 200,000×1,000, hinge", hinged, run.Float64, 3, 0, 3, "", nil, "objective", 1e-3,
		trainHinge},
	{"linear-sparse", "linear SVM 100,000×50,000 sparse, squared hinge", texts, run.Float64, 1.3, 1, 3, "", nil,
		"objective", 1e-3, trainLinear},
	{"ridge", "kernel ridge 10,000×20", few, run.Float64, 1.5, 0, 3, "",
		map[string]any{"penalty": 0.1, "gamma": smooth.Gamma}, "test error", 1e-3, trainRidge},
	{"falkon", "Falkon 200,000×20, 2,000 landmarks, 20 steps", many, run.Float32, 2.5, 0, 3, "numpy",
		map[string]any{"penalty": 1e-6, "gamma": smooth.Gamma, "steps": 20}, "test error", 1e-2, trainFalkon},
}

func trainSVM(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := kernelized.NewSVM[data.Vector](machine)
	recipe.Run = ctl
	var report learn.Report
	fit := func() (err error) {
		_, report, err = recipe.Fit(ctx, s.train)
		return converged(report, err)
	}
	return fit, func() (float64, error) { return report.Objective, nil }, nil
}

func predictSVM(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := kernelized.NewSVM[data.Vector](machine)
	recipe.Run.Workers = ctl.Workers
	model, report, err := recipe.Fit(ctx, s.train)
	if err := converged(report, err); err != nil {
		return nil, nil, err
	}
	var scores []float64
	fit := func() (err error) {
		scores, err = model.ScoreAll(ctx, ctl, s.test.X)
		return err
	}
	return fit, func() (float64, error) { return wrong(scores, s.test.Y), nil }, nil
}

func boostStumps(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := boost.NewAdaBoost(boost.NewStump())
	recipe.Rounds, recipe.Run = 100, ctl
	var model *boost.Ensemble
	fit := func() (err error) {
		model, _, err = recipe.Fit(ctx, s.train)
		return err
	}
	value := func() (float64, error) {
		scores, err := model.ScoreAll(ctx, ctl, s.test.X)
		return wrong(scores, s.test.Y), err
	}
	return fit, value, nil
}

func trainLinear(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := linear.NewSVM()
	recipe.Loss, recipe.Unit, recipe.Run = linear.SquaredHinge, 0, ctl
	return trainMachine(recipe, s)
}

func trainHinge(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := linear.NewSVM()
	recipe.Unit, recipe.Run = 0, ctl
	return trainMachine(recipe, s)
}

func trainMachine(recipe linear.SVM, s *sample) (func() error, func() (float64, error), error) {
	var report learn.Report
	fit := func() (err error) {
		_, report, err = recipe.Fit(ctx, s.train)
		return converged(report, err)
	}
	return fit, func() (float64, error) { return report.Objective, nil }, nil
}

// trainRidge has the penalty λ of the peer, whose objective is λ|w|² + Σ(…)²:
// ours is 1/(2n) of it.
func trainRidge(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := kernelized.NewRidge[data.Vector](smooth)
	recipe.Lambda, recipe.Run = 0.1/(2*float64(s.train.X.Len())), ctl
	var model *kernelized.Regression[data.Vector]
	fit := func() (err error) {
		model, _, err = recipe.Fit(ctx, s.train)
		return err
	}
	return fit, func() (float64, error) { return meanSquare(model, s.test) }, nil
}

// trainFalkon takes the landmarks, the steps and the penalty λ of the peer, whose
// objective λ|w|² + (1/n)Σ(…)² is twice ours.
func trainFalkon(ctl run.Control, s *sample) (func() error, func() (float64, error), error) {
	recipe := kernelized.NewFalkon[data.Vector](smooth)
	recipe.Centers, recipe.Lambda, recipe.Run = s.landmarks, 1e-6/2, ctl
	recipe.MaxIterations, recipe.Tolerance = 20, 0
	var model *kernelized.Regression[data.Vector]
	fit := func() (err error) {
		model, _, err = recipe.Fit(ctx, s.train)
		return err
	}
	return fit, func() (float64, error) { return meanSquare(model, s.test) }, nil
}

// converged is an error unless the fit reached its optimum.
func converged(r learn.Report, err error) error {
	if err == nil && r.Status != learn.Converged {
		return fmt.Errorf("our fit ended with the status %q", r.Status)
	}
	return err
}

// wrong returns the part of the labels that the scores have wrong.
func wrong(scores, labels []float64) float64 {
	n := 0
	for i, f := range scores {
		if (f >= 0) != (labels[i] > 0) {
			n++
		}
	}
	return float64(n) / float64(len(labels))
}

// meanSquare returns the mean squared error of the model, computed in float64.
func meanSquare(m *kernelized.Regression[data.Vector], test labeled) (float64, error) {
	scores, err := m.ScoreAll(ctx, run.Control{Workers: workers}, test.X)
	sum := 0.0
	for i, f := range scores {
		sum += (f - test.Y[i]) * (f - test.Y[i])
	}
	return sum / float64(len(test.Y)), err
}
