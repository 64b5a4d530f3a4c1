package parquet

import (
	"context"
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/par"
)

// Numbers of a group are decoded whole columns at a time where they take at most leastBulk
// bytes, and bulkRatio more for each byte of the file: what a group says of its rows is
// not yet known to be true.
const (
	leastBulk = 1 << 26
	bulkRatio = 16
)

// tools are what a worker needs to decode a column.
type tools struct {
	by           unpacker
	packed, room []byte
	missing      []bool
	numbers      []float64 // of dictionaries
}

// wholeColumns decodes the columns of numbers of a group that nothing was read of, several at
// a time, into the sink's memory, where the sink takes columns and all rows of the group are
// asked for. The sink gets all of them or none: where one is damaged, rows are decoded batch
// by batch, as everywhere else, which finds the first fault of the file.
func (r *Reader) wholeColumns(ctx context.Context, max int) error {
	g, bulk := r.fresh, r.bulk()
	r.fresh = nil
	if g == nil || bulk == nil || max > 0 && int64(max) < g.rows {
		return nil
	}
	if cells := g.rows * int64(len(r.columns)); g.rows > math.MaxInt32 || 8*cells > leastBulk+bulkRatio*r.size {
		return nil
	}
	var cols []int
	for _, c := range r.chunks {
		if !c.column.text() {
			cols = append(cols, c.column.to)
		}
	}
	next := int(g.rows)
	bulk.Prepare(cols, next, min(r.total, 2*(r.row+next)))
	odd := make([][]table.Odd, len(r.columns))
	err := r.decodeColumns(ctx, bulk, next, odd)
	if ctx.Err() != nil {
		r.begin(g)
		return ctx.Err()
	}
	if err != nil {
		r.begin(g)
		r.fresh = nil
		return nil
	}
	for j, c := range r.chunks {
		if c.given {
			bulk.Put(c.column.to, int(g.rows), r.row+1, odd[j])
		}
	}
	return nil
}

func (r *Reader) bulk() table.Bulk {
	bulk, _ := r.to.(table.Bulk)
	return bulk
}

// decodeColumns decodes the columns of numbers of a group, and marks them as given.
func (r *Reader) decodeColumns(ctx context.Context, bulk table.Bulk, n int, odd [][]table.Odd) error {
	var free struct {
		sync.Mutex
		tools []*tools
	}
	take := func() *tools {
		free.Lock()
		defer free.Unlock()
		if len(free.tools) == 0 {
			return &tools{missing: make([]bool, batchRows)}
		}
		last := len(free.tools) - 1
		t := free.tools[last]
		free.tools = free.tools[:last]
		return t
	}
	put := func(t *tools) {
		free.Lock()
		defer free.Unlock()
		free.tools = append(free.tools, t)
	}
	return par.For(ctx, r.Run, "", len(r.chunks), func(j int) error {
		c := r.chunks[j]
		if c.column.text() {
			return nil
		}
		room := bulk.Room(c.column.to, n, r.total, c.column.kind == kindBool)
		if room == nil {
			return nil
		}
		t := take()
		c.pages.by, c.pages.packed, c.pages.room, c.numbers = &t.by, t.packed, t.room, t.numbers
		var err error
		odd[j], err = c.fillRoom(room, t.missing)
		t.packed, t.room, t.numbers = c.pages.packed, c.pages.room, c.numbers
		c.pages.packed, c.pages.room, c.dict, c.values, c.numbers = nil, nil, nil, nil, nil
		c.given = err == nil
		put(t)
		return err
	})
}

// fillRoom decodes as many rows as there is room for, and returns the numbers that are not finite.
func (c *chunk) fillRoom(room []float64, missing []bool) (odd []table.Odd, err error) {
	for lo := 0; lo < len(room); lo += batchRows {
		part := room[lo:min(lo+batchRows, len(room))]
		gone := missing[:len(part)]
		there, err := c.read(gone, part, nil)
		if err != nil {
			return nil, err
		}
		for _, o := range settle(part, gone, there) {
			odd = append(odd, table.Odd{At: lo + o.At, Value: o.Value})
		}
	}
	return odd, nil
}

// settle moves so many numbers that stand one after the other at the beginning to the rows that
// are not missing, and settles them.
func settle(values []float64, missing []bool, there int) []table.Odd {
	if there == len(values) {
		return table.Settle(values, nil)
	}
	for i := len(values) - 1; i >= 0; i-- { // there is how many rows up to i are not missing
		if missing[i] {
			values[i] = math.NaN()
			continue
		}
		there--
		values[i] = values[there]
	}
	return table.Settle(values, missing)
}

// giveColumns gives columns of numbers in the next rows of the batch to the sink, where it takes
// them, and notes which columns are left to go cell by cell.
func (r *Reader) giveColumns(rows int) {
	b, bulk := &r.batch, r.bulk()
	b.cellwise = b.cellwise[:0]
	for j, c := range r.chunks {
		if c.given {
			continue
		}
		var room []float64
		if bulk != nil && !c.column.text() {
			room = bulk.Room(c.column.to, rows, r.total, c.column.kind == kindBool)
		}
		if room == nil {
			b.cellwise = append(b.cellwise, j)
			continue
		}
		cell, missing := &b.columns[j], b.columns[j].missing[b.used:b.used+rows]
		there := 0
		for _, gone := range missing {
			if !gone {
				there++
			}
		}
		copy(room, cell.numbers[cell.used:cell.used+there])
		cell.used += there
		bulk.Put(c.column.to, rows, r.row+1, settle(room, missing, there))
	}
}
