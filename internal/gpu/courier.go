package gpu

import (
	"context"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// courier has two streams, with pinned memory in which numbers arrive.
type courier struct {
	stream [2]cuda.Stream
	pinned [2]*cuda.Pinned[float64]
}

func (c *courier) release(d *cuda.Device) {
	for b, s := range c.stream {
		c.pinned[b].Release()
		if s != 0 {
			d.FreeStream(s)
		}
	}
}

// courier takes one that is idle, or makes it.
func (e *engine[F]) courier() (c *courier, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if last := len(e.trips) - 1; last >= 0 {
		c = e.trips[last]
		e.trips = e.trips[:last]
		return c, nil
	}
	c = &courier{}
	for b := range c.stream {
		if c.stream[b], err = e.device.Stream(); err != nil {
			c.stream[b] = 0
			c.release(e.device)
			return nil, err
		}
	}
	return c, nil
}

// arrivals returns pinned memory of a stream in which so many numbers arrive, or wait to leave. To pin takes long: there is
// some more for the next call.
func arrivals[O cuda.Number](d *cuda.Device, c *courier, stream, n int) ([]O, error) {
	words := 1 << 10
	for ; 8*words < n*sizeOf[O](); words *= 2 {
	}
	if err := pin(d, &c.pinned[stream], words); err != nil {
		return nil, err
	}
	return unsafe.Slice((*O)(unsafe.Pointer(unsafe.SliceData(c.pinned[stream].Data))), n), nil
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
	for _, s := range c.stream { // after an error too: memory of the device is about to be given back
		if late := e.device.Wait(s); err == nil {
			err = late
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
}

// trips makes trips until there are no more. It has the next piece on the bus while it copies one to its place. It
// waits for rows that are not made yet when it has nothing on the bus, so that it never holds up who makes them.
func trips[F, O, G cuda.Number](ctx context.Context, l *line[F, O], c *courier, dst []G) error {
	type piece struct {
		chunk int
		to    []G
		from  []O
	}
	depart := func(b int) (piece, error) {
		chunk, lo, hi, at, out, err := l.next()
		if chunk < 0 || err != nil {
			return piece{chunk: -1}, err
		}
		p := piece{chunk: chunk, to: dst[lo*l.width : hi*l.width]}
		room, err := arrivals[O](l.matrix.engine.device, c, b, l.trip*l.width)
		if err != nil {
			return p, err
		}
		p.from = room[:len(p.to)]
		return p, out.ReadRows(p.from, at*l.ld, l.ld, l.width, c.stream[b])
	}
	here, err := depart(0)
	for b := 0; err == nil && here.chunk >= 0; b ^= 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.matrix.engine.device.Wait(c.stream[b]); err != nil {
			return err
		}
		l.back(here.chunk)
		var after piece
		after, err = depart(b ^ 1)
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
