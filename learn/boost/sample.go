package boost

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

const (
	// blockRows is how many rows a worker takes at a time. All sums over rows
	// are of whole numbers, so that it bears on speed alone.
	blockRows = 2048
	// maxCount is the largest sum of whole weights that are kept as such.
	maxCount = 1 << 40
)

// given are the weights of the rows as they were given: whole numbers where all of
// them are, and otherwise at most 1.
type given struct {
	count []int64
	real  []float64 // where count is nil
}

// gather checks d and reads the rows of weight above 0. The error is
// the context's own when it ended meanwhile.
func gather(ctx context.Context, ctl run.Control, d data.Labeled[data.Vector, float64]) (*Sample, given, error) {
	n, weight := d.X.Len(), d.Weight
	if err := learn.CheckBinary(n, d.Y, weight); err != nil {
		return nil, given{}, err
	}
	all, _, err := learn.ReadVectors(ctx, ctl, d.X)
	if err != nil {
		return nil, given{}, err
	}
	s := &Sample{X: all, Y: append([]float64(nil), d.Y...)}
	keep := 0
	for i := range all {
		if weight != nil && weight[i] == 0 {
			continue
		}
		s.X[keep], s.Y[keep] = all[i], s.Y[i]
		s.Dim = max(s.Dim, all[i].Dim())
		keep++
	}
	s.X, s.Y = s.X[:keep], s.Y[:keep]
	return s, newGiven(weight, keep), nil
}

// newGiven keeps the weights above 0, n of them.
func newGiven(weight []float64, n int) given {
	whole, sum, most := true, 0.0, 0.0
	for _, c := range weight {
		whole = whole && c == math.Trunc(c)
		sum += c
		most = max(most, c)
	}
	if whole && sum <= maxCount {
		p := given{count: make([]int64, 0, n)}
		for _, c := range weight {
			if c > 0 {
				p.count = append(p.count, int64(c))
			}
		}
		for len(p.count) < n {
			p.count = append(p.count, 1) // no weights are ones
		}
		return p
	}
	p := given{real: make([]float64, 0, n)}
	for _, c := range weight {
		if c > 0 {
			p.real = append(p.real, c/most)
		}
	}
	return p
}
