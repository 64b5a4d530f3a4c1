package gen

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// HiddenKernel is the kernel K_c of the lower bound,
//
//	K(x, y) = 1    if x, y ∉ X', or x, y ∈ X' with c(x) = c(y)
//	K(x, y) = -1/2 otherwise
//
// which is the inner product of φ(x) = (1, 0) for x ∉ X', and (-1/2, ±√3/2) for
// x ∈ X' with c(x) = ±1. Noise does not touch it. It is immutable and safe for
// concurrent use.
//
// With a share τ for a coordinate of each point's own it is
//
//	K_τ(x, y) = (1-τ)·K(x, y) for y ≠ x, and 1 for y = x
//
// the inner product of √(1-τ)·φ(x) and √τ in the coordinate of x alone: positive definite
// for τ > 0, with margin √(1-τ)·√3/2 of the same separator (Balcan, Blum and Vempala 2004,
// section 5).
type HiddenKernel struct {
	hidden Hidden
	own    float64 // τ
	label  map[uint64]bool
}

// Kernel returns the kernel that goes with the recipe, which must be valid.
func (h Hidden) Kernel() HiddenKernel {
	_, label := h.points()
	return HiddenKernel{hidden: h, label: label}
}

// Definite returns the kernel with the share own, from 0 to below 1, for a coordinate of
// each point's own.
func (k HiddenKernel) Definite(own float64) HiddenKernel {
	k.own = own
	return k
}

// Validate reports a share that is out of range.
func (k HiddenKernel) Validate() error {
	if !(k.own >= 0 && k.own < 1) {
		return fmt.Errorf("hidden: own is %v and must be at least 0 and below 1", k.own)
	}
	return nil
}

// Eval returns K(x, y). A coordinate counts as 1 if it is more than one half, and
// those past the number of bits do not count.
func (k HiddenKernel) Eval(x, y data.Vector) float64 {
	p, q := k.point(x), k.point(y)
	if p == q {
		return 1
	}
	labelX, inX := k.label[p]
	labelY, inY := k.label[q]
	if inX == inY && (!inX || labelX == labelY) {
		return 1 - k.own
	}
	return -0.5 * (1 - k.own)
}

// Find reports whether x is in X', and whether its label is 1.
func (k HiddenKernel) Find(x data.Vector) (in, positive bool) {
	positive, in = k.label[k.point(x)]
	return in, positive
}

// point is the number whose bit j is coordinate j.
func (k HiddenKernel) point(x data.Vector) uint64 {
	var p uint64
	for i, v := range x.Value {
		j := i
		if x.IsSparse() {
			j = int(x.Index[i])
		}
		if v > 0.5 && j < k.hidden.Bits {
			p |= 1 << j
		}
	}
	return p
}

func (k HiddenKernel) String() string {
	return fmt.Sprintf("hidden(bits=%d,seed=%d,own=%v)", k.hidden.Bits, k.hidden.Seed, k.own)
}
