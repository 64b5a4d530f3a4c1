package gpu

import (
	"context"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Values that come back whole are limited by the bus, and by how fast the host copies them out of pinned
// memory. While the device makes the next rows, each of the cores brings a few of those that are ready at a
// time, some on the bus and some on their way to their place.

// delivery is rows that are made on the device.
type delivery[F, O cuda.Number] struct {
	width, ld int // numbers of a row that are wanted, and from one row to the next
	rows      int // at a time, a multiple of tile
	make      func(s *slot[F], rows sideArgs, lo, hi int, out *cuda.Buffer[O]) error
}

// deliveredBytes is about how much is made at a time, and tripBytes how much a courier brings.
const (
	deliveredBytes = 512 << 20
	tripBytes      = 4 << 20
)

// rowsAtATime returns how many rows of so many bytes on the device are made at a time: sizes decide, unless
// memory is short.
func (m *matrix[F]) rowsAtATime(perRow, delivered int) (int, error) {
	rows := min(padded(max(m.n, 1)), max(tile, deliveredBytes/delivered/tile*tile))
	for ; rows > tile; rows = padded(rows / 2) {
		if fits, err := m.fits(float64(perRow) * float64(rows)); err != nil || fits {
			return rows, err
		}
	}
	return tile, nil
}

// deliver makes all rows and copies them to dst, which has width numbers for each.
func deliver[F, O, G cuda.Number](
	ctx context.Context, ctl run.Control, m *matrix[F], d delivery[F, O], dst []G,
) (err error) {
	type ready struct {
		lo, hi int
		out    *cuda.Buffer[O]
	}
	var outs [2]*cuda.Buffer[O]
	defer func() {
		late := m.engine.device.Do(func() error {
			outs[0].Release()
			outs[1].Release()
			return nil
		})
		if err == nil {
			err = late
		}
	}()
	produce := func(ctx context.Context, hand func(ready) error) error {
		return m.call(func(slots []*slot[F]) error {
			s := slots[0]
			for c, lo := 0, 0; lo < m.n; c, lo = c+1, lo+d.rows {
				if err := ctx.Err(); err != nil {
					return err
				}
				// The rows before the last ones are at their place, or these would not have been taken.
				out, hi := &outs[c%2], min(lo+d.rows, m.n)
				if err := room(s.device, out, (hi-lo)*d.ld); err != nil {
					return err
				}
				rows, err := m.take(ctl, s, lo, hi, true)
				if err == nil {
					err = d.make(s, rows, lo, hi, *out)
				}
				if err == nil {
					err = s.device.Wait(s.stream)
				}
				if err == nil {
					err = hand(ready{lo, hi, *out})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return par.Ahead(ctx, ctl, produce, func(r ready) error {
		trip := max(1, tripBytes/(d.width*sizeOf[O]()))
		return par.For(ctx, ctl.Quiet(), "", par.Blocks(r.hi-r.lo, trip), func(i int) error {
			lo, hi := par.Range(i, r.hi-r.lo, trip)
			return bring(m.engine, r.out, lo*d.ld, d.ld, d.width, dst[(r.lo+lo)*d.width:(r.lo+hi)*d.width])
		})
	})
}

// courier is what a trip needs: a stream, and pinned memory in which numbers arrive.
type courier struct {
	stream cuda.Stream
	pinned *cuda.Pinned[float64]
}

func (c *courier) release(d *cuda.Device) {
	c.pinned.Release()
	d.FreeStream(c.stream)
}

// bring copies rows of width numbers, ld apart from number at on, to dst.
func bring[F, O, G cuda.Number](e *engine[F], from *cuda.Buffer[O], at, ld, width int, dst []G) error {
	return e.device.Do(func() error {
		c, err := e.courier()
		if err != nil {
			return err
		}
		if err = pin(e.device, &c.pinned, (len(dst)*sizeOf[O]()+7)/8); err == nil {
			arrived := unsafe.Slice((*O)(unsafe.Pointer(unsafe.SliceData(c.pinned.Data))), len(dst))
			err = from.ReadRows(arrived, at, ld, width, c.stream)
			if late := e.device.Wait(c.stream); err == nil {
				err = late
			}
			if err == nil {
				convert(dst, arrived)
			}
		}
		if err != nil {
			c.release(e.device)
			return err
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.trips = append(e.trips, c)
		return nil
	})
}

func (e *engine[F]) courier() (*courier, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if last := len(e.trips) - 1; last >= 0 {
		c := e.trips[last]
		e.trips = e.trips[:last]
		return c, nil
	}
	stream, err := e.device.Stream()
	return &courier{stream: stream}, err
}

func convert[F, G cuda.Number](dst []G, from []F) {
	if same, ok := any(dst).([]F); ok {
		vmath.Stream(same, from)
		return
	}
	for i, a := range from {
		dst[i] = G(a)
	}
}
