package model

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/learn"
)

// packed are separators ready for products with features. It is immutable and
// safe for concurrent use.
//
// Of separators for pairs of classes each has weights on the support of its two
// classes alone. They are packed class by class, the k-1 pairs that a class is
// in together, which makes a product k/2 times cheaper.
type packed struct {
	outputs, features, classes int
	whole                      *compute.Fixed[float64]
	parts                      []packedPart // in place of whole
}

// packedPart are the weights that the features of one class have in the pairs
// with each other class, in the order of those.
type packedPart struct {
	class, lo, hi int
	weights       *compute.Fixed[float64]
}

// pack returns the separators packed.
func (p *Head) pack() *packed {
	if p.packed != nil {
		return p.packed
	}
	w := p.Separators
	out := &packed{outputs: w.Rows, features: w.Cols, classes: p.Classes.Len()}
	if p.Pairs == nil {
		out.whole = compute.NewFixed[float64](w.Data, w.Rows, w.Cols)
		return out
	}
	for c := range out.classes {
		lo, hi := p.Pairs[c], p.Pairs[c+1]
		if lo == hi {
			continue
		}
		part := data.NewMatrix(out.classes-1, hi-lo)
		for other := range part.Rows {
			copy(part.Row(other), w.Row(pairOf(c, other, out.classes))[lo:hi])
		}
		out.parts = append(out.parts, packedPart{class: c, lo: lo, hi: hi,
			weights: compute.NewFixed[float64](part.Data, part.Rows, part.Cols)})
	}
	return out
}

// mul sets dst, rows of outputs, to the products of rows of features.
func (p *packed) mul(dst, features []float64, rows int) {
	if p.whole != nil {
		p.whole.Mul(dst, p.outputs, features, p.features, rows)
		return
	}
	clear(dst[:rows*p.outputs])
	k := p.classes - 1
	scratch := make([]float64, rows*k)
	for _, part := range p.parts {
		part.weights.Mul(scratch, k, features[part.lo:], p.features, rows)
		for i := range rows {
			for other := range k {
				dst[i*p.outputs+pairOf(part.class, other, p.classes)] += scratch[i*k+other]
			}
		}
	}
}

// pairOf returns the pair of class c with the other class that is number other
// among those other than c.
func pairOf(c, other, classes int) int {
	if other < c {
		return pairIndex(other, c, classes)
	}
	return pairIndex(c, other+1, classes)
}

// pairIndex is the inverse of learn.PairAt: the number of the pair i < j.
func pairIndex(i, j, classes int) int { return i*classes - i*(i+1)/2 + j - i - 1 }

// rising reports whether starts divides n features among k classes.
func rising(starts []int, k, n int) bool {
	if len(starts) != k+1 || starts[0] != 0 || starts[k] != n {
		return false
	}
	for c := range k {
		if starts[c] > starts[c+1] {
			return false
		}
	}
	return true
}

// expandPairs returns the separators of pairs from the weights of each feature in
// the pairs of its class, a row a feature.
func expandPairs(starts []int, classes int, compact *data.Matrix) *data.Matrix {
	out := data.NewMatrix(learn.Pairs(classes), compact.Rows)
	for c := range classes {
		for s := starts[c]; s < starts[c+1]; s++ {
			for other := range classes - 1 {
				out.Row(pairOf(c, other, classes))[s] = compact.Row(s)[other]
			}
		}
	}
	return out
}

// compactPairs is the inverse of expandPairs.
func compactPairs(starts []int, classes int, w *data.Matrix) *data.Matrix {
	out := data.NewMatrix(w.Cols, classes-1)
	for c := range classes {
		for s := starts[c]; s < starts[c+1]; s++ {
			for other := range classes - 1 {
				out.Row(s)[other] = w.Row(pairOf(c, other, classes))[s]
			}
		}
	}
	return out
}
