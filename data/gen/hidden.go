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
