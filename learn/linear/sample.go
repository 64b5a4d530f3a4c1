package linear

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

const (
	// blockRows is how many rows a worker takes at a time. Sums over rows are
	// merged block by block, so it is part of what fixes their last bits.
	blockRows = 512
	// rowsPerCheck is how many rows pass between two looks at the context.
	rowsPerCheck = 64
)

// sample is a checked binary sample, gathered once so that the inner loops
// index slices in place of calling a Source.
type sample struct {
	rows []data.Vector
	y    []float64
	unit float64
	dim  int
	norm []float64 // |(x, unit)|², x of at most learn.MaxNorm2

	weight []float64 // of each row; nil for 1

	compact *compact // the rows once more, where they are sparse; nil without
}

// gather checks d and reads its rows. The error is the context's own when it
// ended meanwhile.
func gather(ctx context.Context, ctl run.Control, d data.Labeled[data.Vector, float64], unit float64) (*sample, error) {
	if err := learn.CheckBinary(d.X.Len(), d.Y, d.Weight); err != nil {
		return nil, err
	}
	s, err := gatherRows(ctx, ctl, d.X, unit)
	if err != nil {
		return nil, err
	}
	s.y, s.weight = d.Y, d.Weight
	return s, nil
}

// gatherRepeated is gather with each row as often as its weight says.
func gatherRepeated(
	ctx context.Context, ctl run.Control, d data.Labeled[data.Vector, float64], unit float64,
) (*sample, error) {
	s, err := gather(ctx, ctl, d, unit)
	if err != nil {
		return nil, err
	}
	index, err := learn.Repetitions(ctl, d.Weight)
	if err != nil || index == nil {
		return s, err
	}
	return s.permuted(index), nil
}

// gatherLive is gather without the rows of weight 0, for learners to which any
// other weight is the same. It returns the places of the rows in d, nil where
// all are there.
func gatherLive(
	ctx context.Context, ctl run.Control, d data.Labeled[data.Vector, float64], unit float64,
) (*sample, []int, error) {
	s, err := gather(ctx, ctl, d, unit)
	if err != nil || !slices.Contains(d.Weight, 0) {
		return s, nil, err
	}
	live := slices.DeleteFunc(identity(len(s.rows)), func(i int) bool { return d.Weight[i] == 0 })
	return s.permuted(live), live, nil
}

// gatherWeighted is gather of classes, whose labels the caller checks.
func gatherWeighted(
	ctx context.Context, ctl run.Control, d data.Labeled[data.Vector, int], unit float64,
) (*sample, error) {
	s, err := gatherRows(ctx, ctl, d.X, unit)
	if err != nil {
		return nil, err
	}
	s.weight = d.Weight
	return s, nil
}

// gatherRows is gather without labels and weights.
func gatherRows(ctx context.Context, ctl run.Control, source data.Source[data.Vector], unit float64) (*sample, error) {
	rows, norm, err := learn.ReadVectors(ctx, ctl, source)
	if err != nil {
		return nil, err
	}
	s := &sample{rows: rows, unit: unit, norm: norm}
	for i, x := range rows {
		s.norm[i] += unit * unit
		s.dim = max(s.dim, x.Dim())
	}
	return s, nil
}

// untrained is the result of a fit whose ctx ended while its rows were gathered:
// w = 0.
func untrained(
	ctx context.Context, d data.Labeled[data.Vector, float64], unit float64, began time.Time,
) (*Separator, learn.Report, error) {
	report := learn.Report{Status: learn.Stopped(ctx), Elapsed: time.Since(began)}
	return newWeights(data.Dim(d.X)).separator(unit), report, nil
}

// weights are a separator in the making: w and the weight of the constant
// coordinate.
type weights struct {
	w    []float64
	bias float64
}

func newWeights(dim int) *weights { return &weights{w: make([]float64, dim)} }

// score returns w·(x, unit) for row i.
func (s *sample) score(v *weights, i int) float64 {
	if s.compact != nil {
		return s.compact.dot(v.w, i) + v.bias*s.unit
	}
	return s.rows[i].DotWith(v.w) + v.bias*s.unit
}

// products returns y(w·(x, unit)) of all rows.
func (s *sample) products(ctl run.Control, w *weights) []float64 {
	n := len(s.rows)
	out := make([]float64, n)
	err := par.For(context.Background(), ctl.Quiet(), "", par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			out[i] = s.y[i] * s.score(w, i)
		}
		return nil
	})
	if err != nil {
		panic("linear: " + err.Error())
	}
	return out
}

// normalize divides rows by their length for learners that see nothing of a row
// but y·(x, unit): it divides y instead. A row of length 0 stays as it is.
func (s *sample) normalize() {
	s.y, s.norm = slices.Clone(s.y), slices.Clone(s.norm)
	for i, q := range s.norm {
		if q > 0 {
			s.y[i] /= math.Sqrt(q)
			s.norm[i] = 1
		}
	}
}

// add adds a·(x, unit) of row i to the weights.
func (s *sample) add(v *weights, i int, a float64) {
	v.bias += a * s.unit
	if s.compact != nil {
		s.compact.add(v.w, i, a)
		return
	}
	s.rows[i].AddTo(v.w, a)
}

// length2 returns |w|², the constant coordinate included.
func (v *weights) length2() float64 {
	return data.Vector{Value: v.w}.Norm2() + v.bias*v.bias
}

// copyFrom makes v equal to u, which has the same dimension.
func (v *weights) copyFrom(u *weights) {
	copy(v.w, u.w)
	v.bias = u.bias
}

// separator returns the weights as a model of its own.
func (v *weights) separator(unit float64) *Separator {
	return &Separator{W: append([]float64{}, v.w...), Bias: v.bias, Unit: unit}
}

// identity returns 0, 1, …, n-1.
func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}
