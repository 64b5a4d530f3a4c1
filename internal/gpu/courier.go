package gpu

import (
	"context"
	"slices"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// courier has pinned memory in which numbers arrive, in two halves, an event for each, and a stream for what it brings
// alone.
type courier struct {
	stream  cuda.Stream
	arrived [2]cuda.Event
	pinned  [2]*cuda.Pinned[float64]
}

func (c *courier) release(d *cuda.Device) {
	for half, e := range c.arrived {
		c.pinned[half].Release()
		if e != 0 {
			d.FreeEvent(e)
		}
	}
	if c.stream != 0 {
		d.FreeStream(c.stream)
	}
}

// room is how much memory it has, in numbers.
func (c *courier) room() (n int) {
	for _, p := range c.pinned {
		if p != nil {
			n += len(p.Data)
		}
	}
	return n
}

// courier takes the one with most memory of those that are idle, or makes one: to pin takes long.
func (e *engine[F]) courier() (c *courier, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.trips) > 0 {
		most := 0
		for i, t := range e.trips {
			if t.room() > e.trips[most].room() {
				most = i
			}
		}
		c = e.trips[most]
		e.trips = slices.Delete(e.trips, most, most+1)
		return c, nil
	}
	c = &courier{}
	if c.stream, err = e.device.Stream(); err != nil {
		return nil, err
	}
	for half := range c.arrived {
		if c.arrived[half], err = e.device.Event(); err != nil {
			c.arrived[half] = 0
			c.release(e.device)
			return nil, err
		}
	}
	return c, nil
}

// arrivals returns a half of the pinned memory, in which so many numbers arrive or wait to leave; it has room for
// some more in the next call.
func arrivals[O cuda.Number](d *cuda.Device, c *courier, half, n int) ([]O, error) {
	words := 1 << 10
	for ; 8*words < n*sizeOf[O](); words *= 2 {
	}
	if err := pin(d, &c.pinned[half], words); err != nil {
		return nil, err
	}
	return unsafe.Slice((*O)(unsafe.Pointer(unsafe.SliceData(c.pinned[half].Data))), n), nil
}

// carry calls f for so many pieces with a courier, several of which are on their way at a time.
func (e *engine[F]) carry(ctx context.Context, ctl run.Control, pieces int, f func(c *courier, piece int) error) error {
	ctl.Workers = min(ctl.Cores(), 2*couriers)
	return par.For(ctx, ctl.Quiet(), "", pieces, func(piece int) error {
		return e.device.Do(func() error { return e.travel(func(c *courier) error { return f(c, piece) }) })
	})
}

// travel calls f with a courier.
func (e *engine[F]) travel(f func(c *courier) error) error {
	c, err := e.courier()
	if err != nil {
		return err
	}
	err = f(c)
	if late := e.device.Wait(c.stream); err == nil { // after an error too: memory of the device is about to be given back
		err = late
	}
	if err != nil {
		c.release(e.device)
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.trips = append(e.trips, c)
	return nil
}

// trips makes trips until there are no more. It has the next piece on the bus while it copies one to its place. It
// waits for rows that are not made yet when it has nothing on the bus, so that it never holds up who makes them.
func trips[F, O, G cuda.Number](ctx context.Context, l *line[F, O], c *courier, dst []G) (err error) {
	type piece struct {
		chunk int
		to    []G
		from  []O
	}
	d := l.matrix.engine.device
	defer func() {
		if err != nil { // what is on its way arrives before its memory is given back
			_ = d.Wait(l.bus)
		}
	}()
	depart := func(half int) (piece, error) {
		chunk, lo, hi, at, out, err := l.next()
		if chunk < 0 || err != nil {
			return piece{chunk: -1}, err
		}
		p := piece{chunk: chunk, to: dst[lo*l.width : hi*l.width]}
		room, err := arrivals[O](d, c, half, l.trip*l.width)
		if err != nil {
			return p, err
		}
		p.from = room[:len(p.to)]
		l.boarding.Lock()
		defer l.boarding.Unlock()
		if err := out.ReadRows(p.from, at*l.ld, l.ld, l.width, l.bus); err != nil {
			return p, err
		}
		return p, d.Record(c.arrived[half], l.bus)
	}
	here, err := depart(0)
	for half := 0; err == nil && here.chunk >= 0; half ^= 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.WaitFor(c.arrived[half]); err != nil {
			return err
		}
		l.back(here.chunk)
		var after piece
		after, err = depart(half ^ 1)
		convert(here.to, here.from)
		here = after
	}
	return err
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
