package kernelized

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/run"
)

// screenFrom is from how many values of K on labels are looked for in float32 first.
const screenFrom = 1 << 16

// PredictAll returns +1 where the score of ScoreAll is at least 0 and -1 elsewhere. For a
// Gaussian in float64 scores are computed in float32 first, which takes half the time, with
// a bound on what they can be off (docs/math/precision.md); those of which it leaves the sign
// open are computed again. So the labels are those of float64.
func (e *Expansion[T]) PredictAll(ctx context.Context, ctl run.Control, x data.Source[T]) ([]float64, error) {
	scores, err := e.signs(ctx, ctl, x)
	if err != nil {
		return nil, err
	}
	for i, s := range scores {
		if scores[i] = -1; s >= 0 {
			scores[i] = 1
		}
	}
	return scores, nil
}

// screens reports whether so many values of K are computed in float32 first. What another
// device computes has other errors.
func screens(ctl run.Control, values int) bool {
	if ctl.Precision != run.Float64 || values < screenFrom {
		return false
	}
	_, err := gram.DeviceName(ctl.Device)
	return ctl.Device == run.CPU || ctl.Device == run.Auto && err != nil
}

// kept is the support of an expansion as PredictAll wants it, from the first call on.
type kept[T any] struct {
	rough, exact sync.Once
	sums         *gram.RoughSums[T]
	columns      *gram.Columns[T]
}

// mostKept is how many numbers a support has at most that is kept twice more, in 12 bytes each.
const mostKept = 4 << 20

// keeps returns where the support is kept, for this call alone where it is too large or nobody fitted it.
func (e *Expansion[T]) keeps() *kept[T] {
	vectors, ok := any(e.Support).(data.Source[data.Vector])
	if e.kept == nil || ok && vectors.Len()*data.Dim(vectors) > mostKept {
		return new(kept[T])
	}
	return e.kept
}

// signs returns numbers of the signs of the scores.
func (e *Expansion[T]) signs(ctx context.Context, ctl run.Control, x data.Source[T]) ([]float64, error) {
	n, m := x.Len(), e.Support.Len()
	if !screens(ctl, n*m) {
		return e.ScoreAll(ctx, ctl, x)
	}
	k := e.keeps()
	k.rough.Do(func() { k.sums = gram.RoughSumsOn(ctl, e.Kernel, e.Support, e.Weight) })
	if k.sums == nil {
		return e.ScoreAll(ctx, ctl, x)
	}
	if err := ctl.Reserve("scores", 16*float64(n), "score fewer rows at a time"); err != nil {
		return nil, err
	}
	scores, off := make([]float64, n), make([]float64, n)
	if err := k.sums.Sums(ctx, ctl, scores, off, x); err != nil {
		return nil, err
	}
	open := e.open(scores, off)
	if len(open) == 0 {
		return scores, nil
	}
	k.exact.Do(func() { k.columns = gram.BindOn(ctl, e.Kernel, e.Support, ctl.Precision) })
	again := make([]float64, len(open))
	err := k.columns.Product(ctx, ctl, again, data.Subset[T]{Of: x, Index: open}, e.Weight)
	for p, s := range again {
		scores[open[p]] = s + e.Bias
	}
	return scores, among(open, err)
}

// among returns an error about some of the instances as one about all.
func among(index []int, err error) error {
	if v := (*gram.ValueError)(nil); errors.As(err, &v) {
		v.Row = index[v.Row]
	}
	return err
}

// open adds the bias to the scores, and returns the instances of which the sign is not sure,
// among them those whose score is no number.
func (e *Expansion[T]) open(scores, off []float64) []int {
	var open []int
	for i := range scores {
		scores[i] += e.Bias
		if !(math.Abs(scores[i]) > off[i]+1e-12*math.Abs(e.Bias)) {
			open = append(open, i)
		}
	}
	return open
}
