package feature

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Sparse is a map whose features are zero for the most part. MapSparseBlock sets dst
// to the vectors of a few instances, as many as dst has places, with the same numbers
// that MapTo gives.
type Sparse[T any] interface {
	Map[T]
	MapSparseBlock(dst []data.Vector, x data.Source[T])
}

// ApplySparse maps all instances of x. Features that are not finite are a *RowError.
func ApplySparse[T any](
	ctx context.Context, ctl run.Control, m Sparse[T], x data.Source[T],
) (data.Source[data.Vector], error) {
	out := make(data.Slice[data.Vector], x.Len())
	err := mapRows(ctx, ctl, mapTask, out, func(lo, hi int) error {
		m.MapSparseBlock(out[lo:hi], data.Range[T]{Of: x, Lo: lo, Hi: hi})
		return finiteRows(out, lo, hi)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

const mapTask = "map"

// mapRows makes the vectors of out, block by block. How much memory they take is known
// after the first.
func mapRows(
	ctx context.Context, ctl run.Control, task string, out data.Slice[data.Vector], block func(lo, hi int) error,
) error {
	n, done := len(out), 0
	if n > blockRows {
		if err := block(0, blockRows); err != nil {
			return err
		}
		stored := 0
		for _, v := range out[:blockRows] {
			stored += len(v.Value)
		}
		bytes := 12 * float64(stored) * float64(n) / blockRows
		if err := ctl.Reserve("the mapped data", bytes, "use fewer rows or a kernel of fewer features"); err != nil {
			return err
		}
		done = 1
	}
	return par.For(ctx, ctl, task, par.Blocks(n, blockRows)-done, func(b int) error {
		lo, hi := par.Range(b+done, n, blockRows)
		return block(lo, hi)
	})
}

// finiteRows reports the first of some rows that is not finite.
func finiteRows(out data.Slice[data.Vector], lo, hi int) error {
	for i := lo; i < hi; i++ {
		if !out[i].Finite() {
			return &RowError{i, "a feature is not finite; the row is too large for the map"}
		}
	}
	return nil
}
