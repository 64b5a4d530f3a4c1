package model

import (
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/stream"
)

// meanRows is how many rows of the sample the mean of the features is taken from.
const meanRows = 4096

// ridge fits least squares in one pass.
func (f *streamed[T]) ridge(ctx context.Context, l Ridge, t *Training) error {
	rows := f.features()
	s := stream.Ridge{Lambdas: []float64{l.Lambda}, Intercept: true, Folds: streamFolds, Seed: f.r.Seed, Run: f.r.Run,
		Checkpoint: f.s.Checkpoint}
	if l.Choose {
		s.Lambdas = ridgeLambdas(rows.Weight)
	}
	if l.Choose && f.s.Head != nil {
		s.Lambdas, s.Relative = ridgeLambdas(1), true
	}
	if err := f.about(ctx, &s); err != nil {
		return err
	}
	whole, cut := f.p.Map.(*feature.Orthogonal[T])
	if cut && len(f.s.Dims) > 0 {
		s.Dims = append(slices.Clone(f.s.Dims), rows.Dim)
	}
	fit, err := s.Fit(ctx, rows, f.sample.Classes.Len())
	if err != nil {
		return err
	}
	if fit.Dim < rows.Dim {
		f.p.Map = whole.Leading(fit.Dim)
		t.Rank = fit.Dim
	}
	t.Lambda, t.Dims = fit.Lambda, dimTrials(fit.Steps, s.Dims)
	f.report(t, fit, fit.Objective)
	return f.take(fit.Models, 1)
}

// about sets what the sums are about: the means of the sample, nearly.
func (f *streamed[T]) about(ctx context.Context, s *stream.Ridge) error {
	head := data.Range[T]{Of: f.sample.X, Hi: min(meanRows, f.sample.Len())}
	x, err := f.p.features(ctx, f.r.Run.Quiet(), head)
	if err != nil {
		return err
	}
	s.Shift = make([]float64, f.p.Map.Dim())
	for i := range x.Len() {
		x.At(i).AddTo(s.Shift, 1/float64(x.Len()))
	}
	if f.sample.Task == Regress {
		s.Level = []float64{weightedMean(f.sample.Values, f.sample.Weight)}
	}
	return nil
}

// report notes what a pass came to.
func (f *streamed[T]) report(t *Training, fit *stream.RidgeFit, objective float64) {
	t.Report = learn.Report{Status: learn.Converged, Iterations: 1, Objective: objective, Elapsed: t.Elapsed}
	if f.s.Head != nil {
		f.s.Read(fit.Rows, fit.Weight)
	}
}

// dimTrials returns the least error of each dimension that was tried; nil for no choice.
func dimTrials(steps []stream.Step, dims []int) (out []DimTrial) {
	for _, d := range dims {
		one := DimTrial{Dim: d, Error: math.Inf(1)}
		for _, s := range steps {
			if s.Dim == d {
				one.Error = min(one.Error, s.Error)
			}
		}
		out = append(out, one)
	}
	return out
}
