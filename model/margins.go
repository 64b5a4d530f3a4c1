package model

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// separators returns one separator a class. Two classes share one, whose
// negative is that of class 0.
func (p *Pipeline[T]) separators() []margin.Separator {
	k := p.Classes.Len()
	out := make([]margin.Separator, k)
	for c := range out {
		i := min(c, p.Separators.Rows-1)
		out[c] = margin.Separator{W: p.Separators.Row(i), Bias: p.Bias[i], Unit: p.Unit}
	}
	if k == 2 {
		w := append([]float64(nil), out[0].W...)
		vmath.Scale(w, -1)
		out[0] = margin.Separator{W: w, Bias: -out[0].Bias, Unit: out[0].Unit}
	}
	return out
}

// linearMargins returns the margins of features under the separators, by
// definition 1 of Blum's survey, in the space of the features and the constant
// coordinate.
func linearMargins[T any](p *Pipeline[T], features data.Source[data.Vector], y []int) (margin.Margins, error) {
	pairs, err := margin.NewPairwise(p.separators())
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(y))
	for i, c := range y {
		values[i] = pairs.Of(features.At(i), c)
	}
	return margin.NewMargins(values), nil
}

// Margins returns the margins of labelled instances under the model, in the
// space of its features; rows of unknown class (-1) are left out.
func (p *Pipeline[T]) Margins(ctx context.Context, ctl run.Control, x data.Source[T], y []int) (margin.Margins, error) {
	var known []int
	for i, c := range y {
		if c >= 0 {
			known = append(known, i)
		}
	}
	d := data.Labeled[T, int]{X: x, Y: y}.Select(known)
	features, err := p.features(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	return linearMargins(p, features, d.Y)
}

// kernelMargins returns the margins of instances in the kernel's own feature
// space. With w_c = Σ_p a_pc φ(p) the inner product of two separators is
// Σ_p a_pc f_d(p), so their lengths come from the scores of the support.
func kernelMargins[T any](ctx context.Context, ctl run.Control, p *Pipeline[T], d data.Labeled[T, int]) (margin.Margins, error) {
	support := p.Map.(*feature.Landmarks[T]).Instances()
	scores, err := p.ScoreAll(ctx, ctl, support)
	if err != nil {
		return nil, err
	}
	k, separators := p.Classes.Len(), p.separators()
	product := data.NewMatrix(k, k)
	for s := range support.Len() {
		for c := range k {
			vmath.Axpy(product.Row(c), separators[c].W[s], scores.Row(s))
		}
	}
	apart := data.NewMatrix(k, k)
	for c := range k {
		for other := range k {
			square := product.Row(c)[c] + product.Row(other)[other] - product.Row(c)[other] - product.Row(other)[c]
			apart.Row(c)[other] = math.Sqrt(max(0, square))
		}
	}
	all, err := p.ScoreAll(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(d.Y))
	for i, c := range d.Y {
		length := math.Sqrt(max(0, kernel.Diag(p.Kernel, d.X.At(i))))
		values[i] = smallestMargin(all.Row(i), c, length, apart)
	}
	return margin.NewMargins(values), nil
}
