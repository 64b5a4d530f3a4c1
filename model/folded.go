package model

import (
	"context"
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// foldMost is the most separators that are folded: making them ready takes as long as mapping that
// many instances.
const foldMost = 64

// foldLoss is by how much the weights of similarities may cancel.
const foldLoss = 1 << 16

// folded are separators of features B·F1(x) as weights of the similarities F1(x) themselves,
//
//	⟨w, B·F1(x)⟩ = ⟨Bᵀw, F1(x)⟩
//
// which saves the product with B: of F2 with m landmarks m²/2 of about m·(m/2 + d) operations an
// instance of d coordinates. It is immutable and safe for concurrent use.
//
// Landmarks that are near each other have weights that are large and cancel. With φ(x) of length
// 1 rounding is about 2⁻⁵²·Σ|Bᵀw|_i·√K(z_i,z_i); separators are folded where that sum is below
// foldLoss·|w|, and so the error about 2e-11 of the largest score that φ(x) could have, at most.
type folded[T any] struct {
	rotation feature.Rotation[T]
	weights  *data.Matrix            // Bᵀw, a separator a row
	fixed    *compute.Fixed[float64] // the same; nil for few separators
	room     *sync.Pool              // of *[]float64: similarities of a block
}

// foldFew is up to how many separators a product each takes less time than one with all of
// them, which is made for eight at a time.
const foldFew = 8

// fold returns the separators folded; nil where the map has no such matrix, there are too many of
// them for it to be of use, or too much would cancel.
func (p *Pipeline[T]) fold() *folded[T] {
	m, ok := p.Map.(feature.Rotation[T])
	if !ok || p.Separators.Rows > foldMost || p.Pairs != nil {
		return nil
	}
	d, k, out := m.Landmarks().Dim(), p.Separators.Rows, m.Dim()
	if k*d > (k+d)*out { // F3 of few dimensions and many separators
		return nil
	}
	lengths := landmarkLengths(m.Landmarks())
	weights := data.NewMatrix(k, d)
	for c := range k {
		w := p.Separators.Row(c)
		_, alpha, _ := span(p.Map, w, true)
		terms := 0.0
		for i, a := range alpha {
			terms += math.Abs(a) * lengths[i]
		}
		if !(terms <= foldLoss*math.Sqrt(vmath.Dot(w, w))) { // or not finite
			return nil
		}
		copy(weights.Row(c), alpha)
	}
	f := &folded[T]{rotation: m, weights: weights, room: &sync.Pool{New: func() any { return new([]float64) }}}
	if k > foldFew {
		f.fixed = compute.NewFixed[float64](weights.Data, k, d)
	}
	return f
}

// products sets the rows of dst to the products of the weights with similarities, rows of them.
func (f *folded[T]) products(dst, similar []float64, rows int) {
	k, d := f.weights.Rows, f.weights.Cols
	if f.fixed != nil {
		f.fixed.Mul(dst, k, similar, d, rows)
		return
	}
	for i := range rows {
		for c := range k {
			dst[i*k+c] = vmath.Dot(f.weights.Row(c), similar[i*d:(i+1)*d])
		}
	}
}

// one sets dst to the products of one instance.
func (f *folded[T]) one(dst []float64, x T) {
	similar := make([]float64, f.weights.Cols)
	f.rotation.Landmarks().MapTo(similar, x)
	f.products(dst, similar, 1)
}

// block sets the rows of raw to the products of a few instances, and returns their features where
// they are wanted.
func (f *folded[T]) block(
	ctx context.Context, ctl run.Control, raw *data.Matrix, x data.Source[T], wanted bool,
) ([]data.Source[data.Vector], error) {
	n, room := x.Len(), f.room.Get().(*[]float64)
	defer f.room.Put(room)
	if need := n * f.weights.Cols; cap(*room) < need {
		*room = make([]float64, need)
	}
	similar := (*room)[:n*f.weights.Cols]
	if err := feature.ApplyTo(ctx, ctl, f.rotation.Landmarks(), similar, x); err != nil {
		return nil, err
	}
	f.products(raw.Data, similar, n)
	if !wanted {
		return nil, nil
	}
	features := data.NewMatrix(n, f.rotation.Dim())
	f.rotation.Rotate(features.Data, similar, n)
	return []data.Source[data.Vector]{features}, nil
}
