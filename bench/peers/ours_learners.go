package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/metric"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// converged is an error unless the fit reached its optimum.
func converged(r learn.Report, err error) error {
	if err == nil && r.Status != learn.Converged {
		return fmt.Errorf("our fit ended with the status %q", r.Status)
	}
	return err
}

func trainMachine(h *house, j *job) (side, error) {
	train, err := h.sample(j, "")
	if err != nil {
		return side{}, err
	}
	recipe := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: j.Gamma})
	recipe.C, recipe.Run = j.C, j.control()
	var report learn.Report
	if j.Two {
		once := func() error {
			m, r, err := recipe.Fit(ctx, train)
			report = r
			if err := converged(r, err); err != nil {
				return err
			}
			h.machine = func(ctl run.Control, x data.Source[data.Vector]) ([]float64, error) {
				return m.PredictAll(ctx, ctl, x)
			}
			h.one, err = oneByOne(m)
			return err
		}
		return side{once, func() (float64, error) { return report.Objective, nil }}, nil
	}
	names := slices.Compact(slices.Sorted(slices.Values(train.Y)))
	y := make([]int, len(train.Y))
	for i, label := range train.Y {
		y[i], _ = slices.BinarySearch(names, label)
	}
	once := func() error {
		m, r, err := recipe.FitClasses(ctx, data.Labeled[data.Vector, int]{X: train.X, Y: y}, len(names))
		if err := converged(r, err); err != nil {
			return err
		}
		h.machine = func(ctl run.Control, x data.Source[data.Vector]) ([]float64, error) {
			of, err := m.PredictAll(ctx, ctl, x)
			labels := make([]float64, len(of))
			for i, c := range of {
				labels[i] = names[c]
			}
			return labels, err
		}
		return nil
	}
	return side{once, func() (float64, error) {
		predicted, err := predictMachine(h, j)
		if err != nil {
			return 0, err
		}
		if err := predicted.run(); err != nil {
			return 0, err
		}
		return predicted.value()
	}}, nil
}

// oneByOne returns the sign of the score of a row by the pipeline that a training
// makes of a machine.
func oneByOne(m *kernelized.Expansion[data.Vector]) (func(data.Vector) float64, error) {
	head := model.Head{Task: model.Regress, Bias: []float64{m.Bias}, Unit: 1,
		Separators: &data.Matrix{Rows: 1, Cols: len(m.Weight), Data: m.Weight}}
	p, err := model.NewPipeline(m.Kernel, feature.NewLandmarks(m.Kernel, m.Support, run.Float64), head)
	if err != nil {
		return nil, err
	}
	return func(x data.Vector) float64 { return sign(p.Value(x)) }, nil
}

func sign(score float64) float64 {
	if score >= 0 {
		return 1
	}
	return -1
}

// wrong returns the part of the labels that differ.
func wrong(labels, truth []float64) float64 {
	n := 0
	for i, a := range labels {
		if a != truth[i] {
			n++
		}
	}
	return float64(n) / float64(len(labels))
}

func predictMachine(h *house, j *job) (side, error) {
	test, err := h.sample(j, "t")
	if err != nil {
		return side{}, err
	}
	var labels []float64
	once := func() (err error) {
		labels, err = h.machine(j.control(), test.X)
		return err
	}
	return side{once, func() (float64, error) { return wrong(labels, test.Y), nil }}, nil
}

func predictOne(h *house, j *job) (side, error) {
	test, err := h.sample(j, "t")
	if err != nil {
		return side{}, err
	}
	labels := make([]float64, j.Calls)
	once := func() error {
		for i := range labels {
			labels[i] = h.one(test.X.At(i))
		}
		return nil
	}
	return side{once, func() (float64, error) { return wrong(labels, test.Y), nil }}, nil
}

func trainLinear(h *house, j *job) (side, error) {
	recipe := linear.NewSVM()
	recipe.Loss, recipe.Unit, recipe.Run = linear.SquaredHinge, 0, j.control()
	return separate(h, j, recipe.Fit)
}

func trainLogistic(h *house, j *job) (side, error) {
	recipe := linear.NewLogistic()
	recipe.Unit, recipe.Run = 0, j.control()
	recipe.Tolerance = 1e-3
	return separate(h, j, recipe.Fit)
}

type fitLinear func(
	context.Context, data.Labeled[data.Vector, float64]) (*linear.Separator, learn.Report, error)

func separate(h *house, j *job, fit fitLinear) (side, error) {
	train, err := h.sample(j, "")
	if err != nil {
		return side{}, err
	}
	var report learn.Report
	once := func() (err error) {
		_, report, err = fit(ctx, train)
		return converged(report, err)
	}
	return side{once, func() (float64, error) { return report.Objective, nil }}, nil
}

// trainRidge has the penalty λ of the peers, whose objective is λ|w|² + Σ(…)²: ours
// is 1/(2n) of it.
func trainRidge(h *house, j *job) (side, error) {
	return regress(h, j, func(d data.Labeled[data.Vector, float64]) (*kernelized.Regression[data.Vector], error) {
		recipe := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: j.Gamma})
		recipe.Lambda, recipe.Run = j.Penalty/(2*float64(d.X.Len())), j.control()
		m, _, err := recipe.Fit(ctx, d)
		return m, err
	})
}

// trainFalkon has half the penalty λ of the peers, whose objective λ|w|² +
// (1/n)Σ(…)² is twice ours.
func trainFalkon(h *house, j *job) (side, error) {
	z, err := h.array(j, "z")
	if err != nil {
		return side{}, err
	}
	return regress(h, j, func(d data.Labeled[data.Vector, float64]) (*kernelized.Regression[data.Vector], error) {
		recipe := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: j.Gamma})
		recipe.Centers, recipe.Lambda, recipe.Run = z, j.Penalty/2, j.control()
		recipe.MaxIterations, recipe.Tolerance = j.Steps, 0
		m, _, err := recipe.Fit(ctx, d)
		return m, err
	})
}

// learnMetric learns the metric, and kernel ridge by it on all rows.
func learnMetric(h *house, j *job) (side, error) {
	return regress(h, j, func(d data.Labeled[data.Vector, float64]) (*kernelized.Regression[data.Vector], error) {
		recipe := metric.New()
		recipe.Q, recipe.Rounds, recipe.Run = 1, j.Rounds, j.control()
		learnt, err := recipe.Learn(ctx, d.X, &data.Matrix{Rows: len(d.Y), Cols: 1, Data: d.Y})
		if err != nil {
			return nil, err
		}
		ridge := kernelized.NewRidge(learnt.Kernel)
		ridge.Lambda, ridge.Run = learnt.Penalty/(2*float64(d.X.Len())), j.control()
		m, _, err := ridge.Fit(ctx, d)
		return m, err
	})
}

func regress(h *house, j *job,
	fit func(d data.Labeled[data.Vector, float64]) (*kernelized.Regression[data.Vector], error),
) (side, error) {
	train, err := h.sample(j, "")
	if err != nil {
		return side{}, err
	}
	test, err := h.sample(j, "t")
	if err != nil {
		return side{}, err
	}
	var m *kernelized.Regression[data.Vector]
	once := func() (err error) {
		m, err = fit(train)
		return err
	}
	value := func() (float64, error) {
		scores, err := m.ScoreAll(ctx, run.Control{Workers: j.Threads}, test.X)
		sum := 0.0
		for i, f := range scores {
			sum += (f - test.Y[i]) * (f - test.Y[i])
		}
		return sum / float64(len(test.Y)), err
	}
	return side{once, value}, nil
}

// trainChain maps by F2 and learns a linear SVM of the features.
func trainChain(h *house, j *job) (side, error) {
	train, err := h.sample(j, "")
	if err != nil {
		return side{}, err
	}
	test, err := h.sample(j, "t")
	if err != nil {
		return side{}, err
	}
	ctl := j.control()
	var m feature.Map[data.Vector]
	var s *linear.Separator
	features := func(x data.Source[data.Vector]) (*data.Matrix32, error) {
		y, err := feature.Apply32(ctx, ctl, m, x)
		return &data.Matrix32{Rows: x.Len(), Cols: m.Dim(), Data: y}, err
	}
	once := func() error {
		r := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: j.Gamma}, j.Out)
		r.Run = ctl
		var err error
		if m, err = r.Fit(ctx, train.X); err != nil {
			return err
		}
		y, err := features(train.X)
		if err != nil {
			return err
		}
		l := linear.NewSVM()
		l.Loss, l.Run = linear.SquaredHinge, ctl
		var report learn.Report
		s, report, err = l.Fit(ctx, data.Labeled[data.Vector, float64]{X: y, Y: train.Y})
		return converged(report, err)
	}
	value := func() (float64, error) {
		y, err := features(test.X)
		if err != nil {
			return 0, err
		}
		labels := make([]float64, y.Rows)
		for i := range labels {
			labels[i] = sign(s.Score(y.At(i)))
		}
		return wrong(labels, test.Y), nil
	}
	return side{once, value}, nil
}
