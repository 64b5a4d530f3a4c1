package model

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// curveGrid are the prices of errors for which separators are tried: small ones
// give large margins, large ones few errors.
var curveGrid = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}

// curveRows bounds the rows that a curve is measured on.
const curveRows = 12000

// Curve returns the error at every margin of the best separator found, in the
// kernel's own feature space: half of the rows train separators of the features
// F2 for a range of C, a quarter chooses among them, and a quarter is what
// errors are counted on. The separators pass through the origin, as those of the
// theorems do; add a constant to the kernel for others.
//
// Larger samples are cut down to 12,000 rows. The curve knows nothing of
// separators outside of the span of Dim landmarks; more of them can only raise
// margins.
func (r Recipe[T]) Curve(ctx context.Context, d data.Labeled[T, string]) (margin.Curve, error) {
	classes, y := data.Encode(d.Y)
	if classes.Len() < 2 {
		return margin.Curve{}, learn.ErrOneClass
	}
	return r.curve(ctx, classes, data.Labeled[T, int]{X: d.X, Y: y})
}

func (r Recipe[T]) curve(ctx context.Context, classes data.Classes, labeled data.Labeled[T, int]) (margin.Curve, error) {
	var none margin.Curve
	r.Map, r.Learner, r.Unit, r.Repair, r.Claim = MapF2, LearnerSVM, 0, "", nil
	if err := r.Validate(); err != nil {
		return none, err
	}
	n := labeled.X.Len()
	if n > curveRows {
		_, sample := data.SplitBy(labeled.Y, curveRows/float64(n), r.Seed)
		labeled = labeled.Select(sample)
	}
	rest, held := data.SplitBy(labeled.Y, 0.5, r.Seed+1)
	fit, test := labeled.Select(rest), labeled.Select(held)
	first, second := data.SplitBy(test.Y, 0.5, r.Seed+2)
	if len(first) == 0 || len(second) == 0 || learn.CheckClasses(fit.X.Len(), fit.Y, fit.Weight, classes.Len()) != nil {
		return none, fmt.Errorf("%d rows are too few to train on half and to measure on the rest", n)
	}
	parts := []data.Labeled[T, int]{test.Select(first), test.Select(second)}
	chosen, reported, err := r.curveMargins(ctx, classes, fit, parts[0], parts[1])
	if err != nil {
		return none, err
	}
	return margin.HeldOut(chosen, reported)
}

// curveMargins trains separators on fit and returns their margins on two other
// parts.
func (r Recipe[T]) curveMargins(ctx context.Context, classes data.Classes, fit, choose, report data.Labeled[T, int]) (chosen, reported []margin.Margins, err error) {
	m, err := r.fitMap(ctx, fit.X)
	if err != nil {
		return nil, nil, err
	}
	p := &Pipeline[T]{Kernel: r.Kernel, Classes: classes, Map: m, Learner: LearnerSVM}
	features, err := p.features(ctx, r.Run, fit.X)
	if err != nil {
		return nil, nil, err
	}
	r.Tolerance = max(r.Tolerance, chooseTolerance)
	r.Run.Progress.Begin("separators", int64(len(curveGrid)))
	defer r.Run.Progress.End()
	quiet := r
	quiet.Run = r.Run.Quiet()
	path, err := quiet.classPath(ctx, data.Labeled[data.Vector, int]{X: features, Y: fit.Y}, classes.Len())
	if err != nil {
		return nil, nil, err
	}
	for i, c := range curveGrid {
		found, result, err := separators(path.Next(ctx, c))
		if err == nil && result.Status == learn.Cancelled {
			err = ctx.Err()
		}
		if err != nil {
			return nil, nil, err
		}
		p.adopt(found)
		a, err := p.kernelSpaceMargins(ctx, quiet.Run, choose)
		if err != nil {
			return nil, nil, err
		}
		b, err := p.kernelSpaceMargins(ctx, quiet.Run, report)
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
func (p *Pipeline[T]) kernelSpaceMargins(ctx context.Context, ctl run.Control, d data.Labeled[T, int]) (margin.Margins, error) {
	all, err := p.rawAll(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	k := p.Separators.Rows
	product := data.NewMatrix(k, k)
	for c := range k {
		for e := range k {
			product.Row(c)[e] = vmath.Dot(p.Separators.Row(c), p.Separators.Row(e))
		}
	}
	lengths := p.distances(product)
	values := make([]float64, len(d.Y))
	for i, c := range d.Y {
		values[i] = p.marginOf(all.Row(i), c, max(0, kernel.Diag(p.Kernel, d.X.At(i))), lengths)
	}
	return margin.NewMargins(values), nil
}
