package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// RoughSums is a Gaussian bound to instances y_0 … y_{m-1} and their weights a_j, for sums Σ_j a_j·K(x, y_j) in
// float32 beside bounds on what they are off, as those of Rough. It is immutable and safe for concurrent use.
type RoughSums[T any] struct {
	sums *compute.RoughSums
	off  Rough[T]
	lost float64
}

// RoughSumsOn binds the kernel and the weights on the cores of the run, nil where RoughOn is.
func RoughSumsOn[T any](ctl run.Control, k kernel.Kernel[T], y data.Source[T], a []float64) *RoughSums[T] {
	form, ok := kernel.FormOf(k)
	vectors, are := any(y).(data.Source[data.Vector])
	if !ok || !are {
		return nil
	}
	s := compute.NewRoughSums(vectors, form, ctl.Cores(), a)
	if s == nil {
		return nil
	}
	off := Rough[T]{s.Rough}
	return &RoughSums[T]{sums: s, off: off, lost: off.Lost(a)}
}

// Sums sets sum[i] = Σ_j K(x_i, y_j)·a[j], and off[i] to what that is off by at most, +Inf for
// no bound.
func (r *RoughSums[T]) Sums(ctx context.Context, ctl run.Control, sum, off []float64, x data.Source[T]) error {
	n := x.Len()
	high, _ := r.sums.TileSize()
	defer ctl.Counter.Add(int64(n) * int64(len(r.sums.Part)))
	return par.For(ctx, ctl, "kernel", par.Blocks(n, high), func(b int) error {
		lo, hi := par.Range(b, n, high)
		own := make([]float64, hi-lo)
		rows := any(data.Source[T](data.Range[T]{Of: x, Lo: lo, Hi: hi})).(data.Source[data.Vector])
		r.sums.Sum(sum[lo:hi], off[lo:hi], own, rows)
		for i, e := range own {
			// The last term is for what float64 rounds, here and where the sum is computed anew.
			bound := r.off.Off(e, off[lo+i]) + r.lost
			off[lo+i] = bound + 1e-12*r.off.Size(e, bound)
		}
		return nil
	})
}
