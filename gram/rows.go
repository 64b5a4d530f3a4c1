package gram

import (
	"container/list"
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Operator is the symmetric n×n matrix K(x_i, x_j) as solvers see it. Row may
// compute, fetch or recall; the slice is valid until the next call and must not
// be written to. An operator serves one goroutine at a time.
type Operator interface {
	Len() int
	Row(ctx context.Context, i int) ([]float64, error)
}

// Rows is an Operator that computes rows when they are asked for and keeps as
// many as its memory allows, dropping the one that was used longest ago.
type Rows[T any] struct {
	columns *Columns[T]
	ctl     run.Control
	limit   int
	kept    map[int]*list.Element
	order   *list.List // of *cachedRow, latest use first
}

type cachedRow struct {
	index  int
	values []float64
}

// NewRows returns the operator of a kernel on a sample. It may keep rows in
// half of the run's memory, and needs room for one.
func NewRows[T any](ctl run.Control, k kernel.Kernel[T], x data.Source[T]) (*Rows[T], error) {
	row := 8 * float64(x.Len())
	if err := ctl.Reserve("a row of the Gram matrix", row, "train on fewer rows"); err != nil {
		return nil, err
	}
	limit := x.Len()
	if row > 0 {
		limit = int(min(float64(limit), max(1, float64(ctl.Budget()/2)/row)))
	}
	return &Rows[T]{columns: Bind(k, x), ctl: ctl.Quiet(), limit: limit, kept: map[int]*list.Element{}, order: list.New()}, nil
}

// Len returns n.
func (r *Rows[T]) Len() int { return r.columns.Len() }

// Row returns K(x_i, ·).
func (r *Rows[T]) Row(ctx context.Context, i int) ([]float64, error) {
	if e, ok := r.kept[i]; ok {
		r.order.MoveToFront(e)
		return e.Value.(*cachedRow).values, nil
	}
	row := r.room(i)
	if err := block(ctx, r.ctl, r.columns, row.values, data.Source[T](data.Slice[T]{r.columns.y.At(i)})); err != nil {
		if v, ok := err.(*ValueError); ok {
			v.Row = i
		}
		return nil, err
	}
	r.kept[i] = r.order.PushFront(row)
	return row.values, nil
}

// room returns a row to write to: a new one, or the one used longest ago.
func (r *Rows[T]) room(i int) *cachedRow {
	if len(r.kept) < r.limit {
		return &cachedRow{index: i, values: make([]float64, r.Len())}
	}
	e := r.order.Back()
	row := e.Value.(*cachedRow)
	r.order.Remove(e)
	delete(r.kept, row.index)
	row.index = i
	return row
}
