package model

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn/stream"
)

// falkon fits kernel ridge regression on the landmarks of the sample in one pass. On their
// span it is least squares on the features F2 of the same landmarks,
//
//	λ·|w|² + (1/2W) Σ c·(w·φ(x) - y)²  =  (1/2W)·(2λW·|v|² + Σ c·(v·F2(x) - y)²)
//
// with W the sum of the weights and v the coordinates of w in an orthonormal basis of the
// span, so that the sums of products of features have all of it, and conjugate gradients
// are not needed. The pipeline keeps F2 as its map.
func (f *streamed[T]) falkon(ctx context.Context, l Falkon[T], t *Training) error {
	landmarks, ok := f.p.Map.(*feature.Landmarks[T])
	if !ok {
		return errMissing
	}
	whole, err := feature.F2[T]{Kernel: f.r.Kernel, Size: landmarks.Dim(), Tolerance: feature.DefaultTolerance,
		Run: f.r.Run.Quiet()}.FitTo(ctx, landmarks.Instances())
	if err != nil {
		return err
	}
	f.p.Map = whole
	s := stream.Ridge{Lambdas: []float64{2 * t.Lambda}, Relative: true, Centred: f.sample.Task == Regress,
		Folds: streamFolds, Seed: f.r.Seed, Run: f.r.Run, Checkpoint: f.s.Checkpoint}
	if len(t.Trials) > 1 {
		s.Lambdas = nil
		for _, trial := range t.Trials {
			s.Lambdas = append(s.Lambdas, 2*trial.Penalty)
		}
	}
	if err := f.about(ctx, &s); err != nil {
		return err
	}
	fit, err := s.Fit(ctx, f.features(), f.sample.Classes.Len())
	if err != nil {
		return err
	}
	for _, lambda := range s.Lambdas {
		if lambda*fit.Weight == fit.Lambda {
			t.Lambda = lambda / 2
		}
	}
	t.Rank = whole.Dim()
	for i := range t.Trials {
		t.Trials[i].Error = math.Sqrt(fit.Steps[i].Error) // of classes, too: of their targets
	}
	f.report(t, fit, fit.Objective/(2*fit.Weight))
	unit := 0.0
	for _, m := range fit.Models {
		if m.Bias != 0 {
			unit = 1
		}
	}
	return f.take(fit.Models, unit)
}
