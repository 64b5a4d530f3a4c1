package gram

import (
	"container/list"
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Operator is the symmetric n×n matrix K(x_i, x_j) as solvers see it. Row may
// compute or recall; the slice is valid until the next call and must not be
// written to. An operator serves one goroutine at a time.
type Operator interface {
	Len() int
	Row(ctx context.Context, i int) ([]float64, error)
}

// RowCache gives rows K(x_i, ·) of a Gram matrix, one or many at a time, in the
// precision F, and keeps as many as its memory allows, dropping those that were
// used longest ago. The rows of one call that are not in memory are computed
// together in tiles. A row has the same bits whenever it is computed. A cache
// serves one goroutine at a time; with F = float64 it is an Operator.
type RowCache[T any, F float32 | float64] struct {
	columns *Columns[T]
	ctl     run.Control
	limit   int
	kept    []*list.Element // by instance, nil for a row that is not in memory
	order   *list.List      // of *keptRow[F], latest use first
	made    int             // rows that memory was taken for
	slab    []F             // memory for rows that are still to come
	free    [][]F           // rows that were not filled
}

type keptRow[F float32 | float64] struct {
	index  int
	values []F
}

// piecesPerCore is about how many pieces a few rows are computed in, for each core: each packs
// its rows anew.
const piecesPerCore = 2

// slabBytes is about how much memory a cache takes from the system at a time.
const slabBytes = 32 << 20

// NewRowCache returns the rows of a kernel on a sample. It may keep rows in half
// of the run's memory, and needs room for atLeast of them.
func NewRowCache[T any, F float32 | float64](
	ctl run.Control, k kernel.Kernel[T], x data.Source[T], atLeast int,
) (*RowCache[T, F], error) {
	n := x.Len()
	precision, size := run.Float64, 8.0
	if _, single := any(F(0)).(float32); single {
		precision, size = run.Float32, 4.0
	}
	row := size * float64(n)
	if err := ctl.Reserve("rows of the Gram matrix", row*float64(atLeast), "train on fewer rows"); err != nil {
		return nil, err
	}
	limit := n
	if row > 0 {
		limit = int(min(float64(n), max(float64(atLeast), float64(ctl.Budget()/2)/row)))
	}
	return &RowCache[T, F]{
		columns: BindOn(ctl, k, x, precision), ctl: ctl.Quiet(), limit: limit,
		kept: make([]*list.Element, n), order: list.New(),
	}, nil
}

// Len returns n.
func (r *RowCache[T, F]) Len() int { return r.columns.Len() }

// Limit returns how many rows the cache can hold, and so the most that one call
// may ask for.
func (r *RowCache[T, F]) Limit() int { return r.limit }

// Holds reports whether row i is in memory.
func (r *RowCache[T, F]) Holds(i int) bool { return r.kept[i] != nil }

// Row returns K(x_i, ·). It is valid until the next call and must not be written to.
func (r *RowCache[T, F]) Row(ctx context.Context, i int) ([]F, error) {
	if e := r.kept[i]; e != nil {
		r.order.MoveToFront(e)
		return e.Value.(*keptRow[F]).values, nil
	}
	var row [1][]F
	if err := r.Rows(ctx, row[:], []int{i}); err != nil {
		return nil, err
	}
	return row[0], nil
}

// Rows sets rows[k] to the row of instance index[k]. The rows are valid until
// the next call and must not be written to. The indices must differ, and must
// not be more than Limit.
func (r *RowCache[T, F]) Rows(ctx context.Context, rows [][]F, index []int) error {
	if len(rows) != len(index) || len(index) > r.limit {
		panic("gram: more rows than the cache can hold")
	}
	missing := []int{}
	for k, i := range index {
		e := r.kept[i]
		if e == nil {
			missing = append(missing, k)
			continue
		}
		r.order.MoveToFront(e)
		rows[k] = e.Value.(*keptRow[F]).values
	}
	if len(missing) == 0 {
		return nil
	}
	chosen, into := make([]int, len(missing)), make([][]F, len(missing))
	for m, k := range missing {
		chosen[m], into[m] = index[k], r.room()
		rows[k] = into[m]
	}
	if err := r.compute(ctx, into, chosen); err != nil {
		r.free = append(r.free, into...)
		return err
	}
	for m, i := range chosen {
		r.kept[i] = r.order.PushFront(&keptRow[F]{index: i, values: into[m]})
	}
	return nil
}

// Square sets dst[a·q + b] = K(x_index[a], x_index[b]) for the q indices. An
// index may come more than once. A kernel with a form is computed anew, which
// takes less than to look the values up all over the rows, and may differ from
// them in the last place. Otherwise the values are taken from rows, which are
// computed as many at a time as fit.
func (r *RowCache[T, F]) Square(ctx context.Context, dst []F, index []int) error {
	c, q := r.columns, len(index)
	if _, ok := kernel.FormOf(c.kernel); ok {
		x := data.Source[T](data.Subset[T]{Of: c.y, Index: index})
		return block(ctx, r.ctl, BindOn(r.ctl, c.kernel, x, c.precision), dst, x)
	}
	places := map[int][]int{} // of an instance in index
	once := []int{}
	for a, i := range index {
		if places[i] == nil {
			once = append(once, i)
		}
		places[i] = append(places[i], a)
	}
	rows := make([][]F, min(len(once), r.limit))
	for len(once) > 0 {
		n := min(len(once), r.limit)
		if err := r.Rows(ctx, rows[:n], once[:n]); err != nil {
			return err
		}
		for k, i := range once[:n] {
			for _, a := range places[i] {
				for b, j := range index {
					dst[a*q+b] = rows[k][j]
				}
			}
		}
		once = once[n:]
	}
	return nil
}

// room returns memory for a row: new, or that of the row used longest ago. Rows
// of the call under way stand in front and are at most limit with those still to
// be filled, so that none of them is taken.
func (r *RowCache[T, F]) room() []F {
	if last := len(r.free) - 1; last >= 0 {
		row := r.free[last]
		r.free = r.free[:last]
		return row
	}
	if r.made < r.limit {
		n := r.Len()
		if len(r.slab) < n {
			r.slab = alloc.Slice[F](n * min(r.limit-r.made, max(1, slabBytes/(8*n))))
		}
		row := r.slab[:n:n]
		r.slab = r.slab[n:]
		r.made++
		return row
	}
	e := r.order.Back()
	row := e.Value.(*keptRow[F])
	r.order.Remove(e)
	r.kept[row.index] = nil
	return row.values
}

// there returns the rows of x on the device of the run, unless it says that what comes
// back whole takes longer to come than to compute here.
func (r *RowCache[T, F]) there(x data.Source[T]) remote {
	c := r.columns
	if !c.rowsPay(r.ctl, x) {
		r.ctl.Places.Fell("solvers that take the kernel row by row stay on the CPU")
		return remote{}
	}
	return c.remote(r.ctl, x, false)
}

// compute fills the rows of the given instances, strip by strip and as wide as
// keeps the workers busy.
func (r *RowCache[T, F]) compute(ctx context.Context, into [][]F, index []int) error {
	c, n, m := r.columns, len(index), r.Len()
	x := data.Subset[T]{Of: c.y, Index: index}
	if there := r.there(x); there.chosen() {
		values := alloc.Slice[F](n * m)
		if done, err := remoteBlock(ctx, r.ctl, there, values); done {
			for i, row := range into {
				copy(row, values[i*m:])
			}
			return err
		}
	}
	width := c.width(n, piecesPerCore*r.ctl.Cores())
	across := par.Blocks(m, width)
	err := par.For(ctx, r.ctl, "", par.Blocks(n, c.rows)*across, func(i int) error {
		lo, hi := par.Range(i/across, n, c.rows)
		left, right := par.Range(i%across, m, width)
		return fillRows(c, into[lo:hi], data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo, left, right)
	})
	if v, ok := err.(*ValueError); ok {
		v.Row = index[v.Row]
	}
	if err == nil {
		r.ctl.Counter.Add(int64(n) * int64(m))
	}
	return err
}

// fillRows computes the columns left to right-1 of a few rows, tile by tile.
func fillRows[T any, F float32 | float64](
	c *Columns[T], into [][]F, x data.Source[T], first, left, right int,
) error {
	if len(into) == 1 {
		return strip(c, into[0][left:], c.Len(), x, first, left, right)
	}
	s := c.tiler.strip(x)
	defer s.Release()
	buffer := make([]F, len(into)*min(c.cols, right-left))
	for j0 := left; j0 < right; j0 += c.cols {
		j1 := min(j0+c.cols, right)
		w := j1 - j0
		t := buffer[:len(into)*w]
		tile(s, t, w, j0, j1)
		if i := vmath.Finite(t); i >= 0 {
			return c.blame(first+i/w, j0+i%w, float64(t[i]))
		}
		for i, row := range into {
			copy(row[j0:j1], t[i*w:])
		}
	}
	return nil
}
