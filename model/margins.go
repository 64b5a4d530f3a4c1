package model

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// Margins returns the margins of labelled instances under the model, by
// definition 1 of Blum's survey, in the space of its features and the constant
// coordinate: for a kernel machine that is the feature space of the kernel.
// Rows of unknown class (-1) are left out.
func (p *Pipeline[T]) Margins(ctx context.Context, ctl run.Control, x data.Source[T], y []int) (margin.Margins, error) {
	var known []int
	for i, c := range y {
		if c >= 0 {
			known = append(known, i)
		}
	}
	d := data.Labeled[T, int]{X: x, Y: y}.Select(known)
	if p.machine() {
		return p.kernelMargins(ctx, ctl, d)
	}
	return p.linearMargins(ctx, ctl, d)
}

// machine reports a kernel machine, whose features are similarities to its
// support.
func (p *Pipeline[T]) machine() bool {
	t, ok := TraitsOf(p.Learner)
	_, landmarks := any(p.Map).(*feature.Landmarks[T])
	return ok && t.Kernel && landmarks
}

// linearMargins returns margins in the space of the features.
func (p *Pipeline[T]) linearMargins(ctx context.Context, ctl run.Control, d data.Labeled[T, int]) (margin.Margins, error) {
	features, err := p.features(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	product := data.NewMatrix(p.Separators.Rows, p.Separators.Rows)
	if err := linalg.MulT(ctx, ctl.Quiet(), 1, p.Separators, p.Separators, 0, product); err != nil {
		return nil, err
	}
	head := &Pipeline[data.Vector]{Map: feature.Identity{Width: p.Map.Dim()}, Separators: p.Separators}
	raw, err := head.rawAll(ctx, ctl, features)
	if err != nil {
		return nil, err
	}
	lengths := p.distances(product)
	values := make([]float64, len(d.Y))
	for i, c := range d.Y {
		values[i] = p.marginOf(raw.Row(i), c, features.At(i).Norm2(), lengths)
	}
	return margin.NewMargins(values), nil
}

// kernelMargins returns margins in the kernel's own feature space. With
// w_s = Σ_p a_ps φ(p) the inner product of two separators is Σ_p a_ps f_t(p), so
// their lengths come from the scores of the support.
func (p *Pipeline[T]) kernelMargins(ctx context.Context, ctl run.Control, d data.Labeled[T, int]) (margin.Margins, error) {
	support := any(p.Map).(*feature.Landmarks[T]).Instances()
	scores, err := p.rawAll(ctx, ctl, support)
	if err != nil {
		return nil, err
	}
	k := p.Separators.Rows
	product := data.NewMatrix(k, k)
	for s := range support.Len() {
		for c := range k {
			if p.Pairs != nil { // no two of them are ever compared
				product.Row(c)[c] += p.Separators.Row(c)[s] * scores.Row(s)[c]
				continue
			}
			vmath.Axpy(product.Row(c), p.Separators.Row(c)[s], scores.Row(s))
		}
	}
	all, err := p.rawAll(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	lengths := p.distances(product)
	values := make([]float64, len(d.Y))
	for i, c := range d.Y {
		values[i] = p.marginOf(all.Row(i), c, max(0, kernel.Diag(p.Kernel, d.X.At(i))), lengths)
	}
	return margin.NewMargins(values), nil
}

// distances returns what margins are divided by, from the inner products of the
// separators: the length of each where they stand for pairs of classes or for
// two, and else the length of the difference of each two. Biases count.
func (p *Pipeline[T]) distances(product *data.Matrix) *data.Matrix {
	k := product.Rows
	out := data.NewMatrix(k, k)
	for c := range k {
		for e := range k {
			if p.Pairs != nil && c != e {
				continue
			}
			bias := p.Bias[c] - p.Bias[e]
			square := product.Row(c)[c] + product.Row(e)[e] - product.Row(c)[e] - product.Row(e)[c]
			if c == e {
				bias, square = p.Bias[c], product.Row(c)[c]
			}
			if p.Unit == 0 {
				bias = 0
			}
			out.Row(c)[e] = math.Sqrt(max(0, square) + bias*bias)
		}
	}
	return out
}

// marginOf returns the margin of an instance of class c from its products with
// the separators and its squared length: the smallest over the separators that
// tell c from another class.
func (p *Pipeline[T]) marginOf(raw []float64, c int, square float64, lengths *data.Matrix) float64 {
	length := math.Sqrt(square + p.Unit*p.Unit)
	m := 1.0
	take := func(score, norm float64) {
		if norm *= length; norm > 0 {
			m = min(m, max(score/norm, -1))
		} else {
			m = min(m, 0)
		}
	}
	score := func(s int) float64 { return raw[s] + p.Bias[s]*p.Unit }
	switch k := p.Classes.Len(); {
	case p.Pairs != nil:
		for s := range raw {
			switch i, j := learn.PairAt(s, k); c {
			case i:
				take(score(s), lengths.Row(s)[s])
			case j:
				take(-score(s), lengths.Row(s)[s])
			}
		}
	case k == 2:
		take(float64(2*c-1)*score(0), lengths.Row(0)[0])
	default:
		for e := range raw {
			if e != c {
				take(score(c)-score(e), lengths.Row(c)[e])
			}
		}
	}
	return m
}
