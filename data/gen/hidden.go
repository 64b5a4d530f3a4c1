package gen

import (
	"context"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Hidden makes the data of the lower bound that shows why a feature map must see
// the distribution (Balcan, Blum and Vempala 2004, section 5; Blum 2006, theorem
// 6): X = {0, 1}^n for n = Bits; X' is a random subset of 2^(n/2) of its points;
// each point of X' has a label c(x), drawn fairly. Instances are drawn uniformly
// from X', with replacement, as vectors of n bits.
//
// With the kernel that Kernel returns, the sample has margin √3/2 in feature
// space; but landmarks drawn from X without regard to X' miss it, and give
// features that are the same for all of X'.
type Hidden struct {
	N     int     // instances, at least 1
	Bits  int     // even, from 2 to 40
	Noise float64 // probability that a label is flipped, from 0 to 1
	Seed  uint64
}

// NewHidden returns the recipe for 1000 instances of 20 bits, from 1024 different
// ones, without noise, seed 1.
func NewHidden() Hidden { return Hidden{N: 1000, Bits: 20, Seed: 1} }

// maxBits keeps X' in memory: 2^20 points.
const maxBits = 40

// Validate reports every fault of the recipe.
func (h Hidden) Validate() error {
	var f faults
	f.unless(Options{N: 1, Noise: h.Noise}.Validate("") == nil,
		"noise is %v and must be a probability, from 0 to 1", h.Noise)
	f.unless(h.N >= 1, "n is %d and must be at least 1", h.N)
	f.unless(h.Bits >= 2 && h.Bits <= maxBits && h.Bits%2 == 0,
		"number of bits is %d and must be even, from 2 to %d", h.Bits, maxBits)
	f.unless(h.N < 1 || h.Bits <= maxValues/h.N, "n is %d and that many rows do not fit any memory", h.N)
	return f.err()
}

// Make returns the instances and their labels, every fault of the recipe at once,
// or the context's error when that ends before all is made.
func (h Hidden) Make(ctx context.Context) (*data.Matrix, []string, error) {
	if err := h.Validate(); err != nil {
		return nil, nil, err
	}
	points, label := h.points()
	drawn, labels, err := blocks(ctx, Options{N: h.N, Noise: h.Noise, Seed: h.Seed}, func(rng *rand.Rand) (uint64, bool) {
		p := points[rng.IntN(len(points))]
		return p, label[p]
	})
	if err != nil {
		return nil, nil, err
	}
	x := data.NewMatrix(h.N, h.Bits)
	for i, p := range drawn {
		unpack(x.Row(i), p)
	}
	return x, labels, nil
}

// Points returns all of X', a row each, and the labels: +1 or -1. The recipe must
// be valid.
func (h Hidden) Points() data.Labeled[data.Vector, float64] {
	points, label := h.points()
	x := data.NewMatrix(len(points), h.Bits)
	d := data.Labeled[data.Vector, float64]{X: x, Y: make([]float64, len(points))}
	for i, p := range points {
		unpack(x.Row(i), p)
		d.Y[i] = -1
		if label[p] {
			d.Y[i] = 1
		}
	}
	return d
}

// unpack writes the bits of a point.
func unpack(row []float64, p uint64) {
	for j := range row {
		row[j] = float64(p >> j & 1)
	}
}

// points returns X', a point a number whose bit j is coordinate j, with the
// labels: true for 1.
func (h Hidden) points() ([]uint64, map[uint64]bool) {
	rng := seed.Stream(h.Seed, seed.Generator, normalBlock)
	points := make([]uint64, 0, 1<<(h.Bits/2))
	label := make(map[uint64]bool, cap(points))
	for len(points) < cap(points) {
		p := rng.Uint64N(1 << h.Bits)
		if _, known := label[p]; !known {
			points = append(points, p)
			label[p] = rng.IntN(2) == 0
		}
	}
	return points, label
}

// HiddenKernel is the kernel K_c of the lower bound,
//
//	K(x, y) = 1    if x, y ∉ X', or x, y ∈ X' with c(x) = c(y)
//	K(x, y) = -1/2 otherwise
//
// which is the inner product of φ(x) = (1, 0) for x ∉ X', and (-1/2, ±√3/2) for
// x ∈ X' with c(x) = ±1. Noise does not touch it. It is immutable and safe for
// concurrent use.
type HiddenKernel struct {
	bits  int
	label map[uint64]bool
	own   float64 // of Definite
}

// Kernel returns the kernel that goes with the recipe, which must be valid.
func (h Hidden) Kernel() HiddenKernel {
	_, label := h.points()
	return HiddenKernel{bits: h.Bits, label: label}
}

// Definite returns the kernel with a part own of |φ(x)|², from 0 to 1, in a
// direction of its own for each point x,
//
//	K(x, y)·(1 - own) + own·[x = y]
//
// whose Gram matrices are positive definite for own > 0. The margin is then
// √(3(1 - own))/2 at least, and landmarks that miss X' still say the same of all
// of it.
//
// Reference: Balcan, Blum and Vempala 2004, section 5.
func (k HiddenKernel) Definite(own float64) HiddenKernel {
	k.own = own
	return k
}

// Eval returns K(x, y). A coordinate counts as 1 if it is more than one half, and
// those past the number of bits do not count.
func (k HiddenKernel) Eval(x, y data.Vector) float64 {
	p, q := k.pack(x), k.pack(y)
	labelX, inX := k.label[p]
	labelY, inY := k.label[q]
	v := -0.5
	if inX == inY && (!inX || labelX == labelY) {
		v = 1
	}
	v *= 1 - k.own
	if p == q {
		v += k.own
	}
	return v
}

// Find reports whether x is in X', and whether its label is 1.
func (k HiddenKernel) Find(x data.Vector) (in, positive bool) {
	positive, in = k.label[k.pack(x)]
	return in, positive
}

// pack returns the point of a vector.
func (k HiddenKernel) pack(x data.Vector) uint64 {
	var p uint64
	for i, v := range x.Value {
		j := i
		if x.IsSparse() {
			j = int(x.Index[i])
		}
		if v > 0.5 && j < k.bits {
			p |= 1 << j
		}
	}
	return p
}
