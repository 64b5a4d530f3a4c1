package model

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// curveGrid are the values of C for which separators are tried: small ones
// give large margins, large ones few errors.
var curveGrid = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}

// curveRows bounds the rows that a curve is measured on.
const curveRows = 12000

// Curve returns the error at every margin of the best separator found, in the
// kernel's own feature space: half of the rows train separators of the features
// of the recipe's map, F2 or another whose inner products are the kernel, for a
// range of C, a quarter chooses among them, and a quarter is what errors are
// counted on, by rows and not by weights. The separators pass through the origin, as those of the
// theorems do; add a constant to the kernel for others.
//
// Larger samples are cut down to 12,000 rows. The curve knows nothing of
// separators outside of the span of the map's landmarks; more of them can only raise
// margins.
func (r Recipe[T]) Curve(ctx context.Context, d data.Labeled[T, string]) (margin.Curve, error) {
	s := Labels(d)
	s.Weight = nil // margins are counted by rows
	if err := s.check(); err != nil {
		return margin.Curve{}, err
	}
	if err := s.checkClasses(); err != nil {
		return margin.Curve{}, err
	}
	return r.curve(ctx, s)
}

// curve measures with the landmarks of the recipe's map.
func (r Recipe[T]) curve(ctx context.Context, s Sample[T]) (margin.Curve, error) {
	var none margin.Curve
	s.Weight = nil
	svm := NewSVM()
	svm.Unit = 0
	if l, ok := r.Learner.(SVM); ok {
		svm.Loss, svm.Tolerance, svm.MaxPasses = l.Loss, l.Tolerance, l.MaxPasses
	}
	r.Learner, r.Claim, r.Checkpoint = svm, nil, learn.Checkpoint{}
	if err := r.Validate(); err != nil {
		return none, err
	}
	switch r.Map.(type) {
	case F1[T], None[T]: // |w| is no length in the kernel's space
		return none, outOfRange("Map", r.Map.Name(), "f2, or another whose inner products are the kernel")
	}
	n := s.Len()
	s = s.atMost(curveRows, seed.Derive(r.Seed, seed.Choice))
	rest, held := s.Split(0.5, seed.Derive(r.Seed, seed.ChoiceHeldOut))
	fit, test := s.Select(rest), s.Select(held)
	first, second := test.Split(0.5, seed.Derive(r.Seed, seed.CurveHeldOut))
	if len(first) == 0 || len(second) == 0 || !fit.enough() {
		return none, &SampleError{fmt.Sprintf("%d rows are too few to train on half and to measure on the rest", n)}
	}
	chosen, reported, err := r.curveMargins(ctx, svm, fit, test.Select(first), test.Select(second))
	if err != nil {
		return none, err
	}
	return margin.HeldOut(chosen, reported)
}

// curveMargins trains separators on fit and returns their margins on two other
// parts.
func (r Recipe[T]) curveMargins(
	ctx context.Context, svm SVM, fit, choose, report Sample[T],
) (chosen, reported []margin.Margins, err error) {
	m, err := r.Map.Fit(ctx, r.mapProblem(fit.X))
	if err != nil {
		return nil, nil, err
	}
	p := &Pipeline[T]{Kernel: r.Kernel, Map: m, Head: Head{Classes: fit.Classes, Learner: LearnerSVM}}
	features, err := p.features(ctx, r.Run, fit.X)
	if err != nil {
		return nil, nil, err
	}
	svm.Tolerance = max(svm.Tolerance, quickTolerance)
	r.Run.Progress.Begin("separators", int64(len(curveGrid)))
	defer r.Run.Progress.End()
	quiet := r.Run.Quiet()
	path, err := svm.Path(ctx, Problem[data.Vector]{Sample: withX(fit, features), Seed: r.Seed, Run: quiet}, nil)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range curveGrid {
		f, result, err := path(ctx, c)
		if err == nil && result.Status == learn.Cancelled {
			err = ctx.Err()
		}
		if err != nil {
			return nil, nil, err
		}
		if err := p.take(f.Separators, f.Bias, f.Unit, nil, m.Dim()); err != nil {
			return nil, nil, err
		}
		a, err := p.kernelSpaceMargins(ctx, quiet, choose)
		if err != nil {
			return nil, nil, err
		}
		b, err := p.kernelSpaceMargins(ctx, quiet, report)
		if err != nil {
			return nil, nil, err
		}
		chosen, reported = append(chosen, a), append(reported, b)
		r.Run.Progress.Advance(int64(i + 1))
	}
	return chosen, reported, nil
}

// kernelSpaceMargins returns the margins of instances in the kernel's feature
// space under separators of the features F2, which have no bias: the length of
// an instance is √K(x,x), and not that of its projection F2(x).
func (p *Pipeline[T]) kernelSpaceMargins(ctx context.Context, ctl run.Control, s Sample[T]) (margin.Margins, error) {
	k := p.Separators.Rows
	product := data.NewMatrix(k, k)
	for c := range k {
		for e := range k {
			product.Row(c)[e] = vmath.Dot(p.Separators.Row(c), p.Separators.Row(e))
		}
	}
	_, m, err := p.scoreMargins(ctx, ctl, s.X, s.Y, p.distances(product), p.kernelLengths)
	return m, err
}
