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
	n := x.Len()
	out := make(data.Slice[data.Vector], n)
	if n > blockRows {
		m.MapSparseBlock(out[:blockRows], data.Range[T]{Of: x, Lo: 0, Hi: blockRows})
		stored := 0
		for _, v := range out[:blockRows] {
			stored += len(v.Value)
		}
		bytes := 12 * float64(stored) * float64(n) / blockRows
		if err := ctl.Reserve("the mapped data", bytes, "use fewer rows or a kernel of fewer features"); err != nil {
			return nil, err
		}
	}
	err := par.For(ctx, ctl, "map", par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		m.MapSparseBlock(out[lo:hi], data.Range[T]{Of: x, Lo: lo, Hi: hi})
		for i := lo; i < hi; i++ {
			if !out[i].Finite() {
				return &RowError{i, "a feature is not finite; the row is too large for the map"}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
