package arrow

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// fewCells is how many cells are no work for several.
const fewCells = 1 << 16

// giveColumns gives columns of numbers in the next rows of the batch to the sink, where it takes
// them, and notes which columns are left to go cell by cell.
func (r *Reader) giveColumns(ctx context.Context, rows int) error {
	r.cellwise = r.cellwise[:0]
	bulk, _ := r.to.(table.Bulk)
	var columns []int
	var rooms [][]float64
	for j := range r.fields {
		f, c := &r.fields[j], r.batch[j]
		var room []float64
		if bulk != nil && !f.indexed && !c.text() && c.kind != kindNull {
			room = bulk.Room(f.to, rows, 0, c.kind == kindBool)
		}
		if room == nil {
			r.cellwise = append(r.cellwise, j)
			continue
		}
		columns, rooms = append(columns, j), append(rooms, room)
	}
	ctl := run.Control{Workers: r.Run.Workers}
	if rows*len(columns) < fewCells {
		ctl.Workers = 1
	}
	odd := make([][]table.Odd, len(columns))
	if err := par.For(ctx, ctl, "", len(columns), func(k int) error {
		odd[k] = r.batch[columns[k]].fillRoom(rooms[k], r.used)
		return nil
	}); err != nil {
		return err
	}
	for k, j := range columns {
		bulk.Put(r.fields[j].to, rows, r.row+1, odd[k])
	}
	return nil
}

// fillRoom fills room by the values from the given one on, and returns those that are not finite.
func (c *cells) fillRoom(room []float64, from int) []table.Odd {
	switch {
	case c.kind == kindBool:
		for i := range room {
			k := from + i
			room[i] = float64(c.data[k>>3] >> (k & 7) & 1)
		}
	case c.kind == kindFloat && c.width == 8:
		values := c.data[8*from:]
		for i := range room {
			room[i] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
		}
	default:
		for i := range room {
			room[i] = c.number(from + i)
		}
	}
	if c.valid == nil {
		return table.Settle(room, nil)
	}
	missing := make([]bool, len(room))
	for i := range room {
		if missing[i] = c.missing(from + i); missing[i] {
			room[i] = math.NaN()
		}
	}
	return table.Settle(room, missing)
}
