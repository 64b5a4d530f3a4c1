package gpu

import (
	"context"
	"errors"
	"sync"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Values that come back whole are limited by the bus, and by how fast the host copies them out of pinned
// memory. While the device makes the next rows, a few couriers bring those that are ready, each one piece on
// the bus and one on its way to its place.

// delivery is rows that are made on the device, a chunk by each of two slots in turn.
type delivery[F, O cuda.Number] struct {
	width, ld int // numbers of a row that are wanted, and from one row to the next
	rows      int // of a chunk, a multiple of tile
	make      func(s *slot[F], turn int, rows sideArgs, n int, out *cuda.Buffer[O]) error
	made      func(turn int) error // looks at a chunk that is made; may be nil
}

// deliveredBytes is about how much is made at a time, with room for deliveredAhead of them, tripBytes how much a
// courier brings at most, and couriers how many there are: as many as keep a bus of 55 GB/s busy.
const (
	deliveredBytes = 128 << 20
	deliveredAhead = 4
	tripBytes      = 8 << 20
	couriers       = 8
)

// rowsAtATime returns how many rows are made at a time, of so many bytes each that come back and that are needed
// on the device in all: sizes decide, unless memory is short.
func (m *matrix[F]) rowsAtATime(back, all int) (rows int, err error) {
	rows = min(padded(max(m.n, 1)), max(tile, deliveredBytes/back/tile*tile))
	for ; rows > tile; rows = padded(rows / 2) {
		if fits, err := m.fits(float64(all) * float64(rows)); err != nil || fits {
			return rows, err
		}
	}
	return rows, nil
}

// line is a delivery under way.
type line[F, O cuda.Number] struct {
	delivery[F, O]
	matrix *matrix[F]
	ctl    run.Control
	trip   int // rows that are brought at a time
	trips  int // of a whole chunk

	making [2]cuda.Stream // less urgent than those of slots, which bring rows meanwhile

	boarding sync.Mutex
	bus      cuda.Stream // of all couriers: from one stream to another the bus is idle for 12 µs

	mu     sync.Mutex
	change *sync.Cond
	outs   [deliveredAhead]*cuda.Buffer[O] // chunk c is in outs[c%deliveredAhead]
	left   []int                           // trips of each chunk that are not back yet
	ready  int                             // chunks
	taken  int                             // trips
	err    error
}

// deliver makes all rows and copies them to dst, which has width numbers for each.
func deliver[F, O, G cuda.Number](
	ctx context.Context, ctl run.Control, m *matrix[F], d delivery[F, O], dst []G,
) error {
	workers, row := min(ctl.Cores(), couriers), d.width*sizeOf[O]()
	bytes := min(tripBytes, max(tripBytes/32, m.n*row/(4*workers)))
	l := &line[F, O]{delivery: d, matrix: m, ctl: ctl, trip: min(d.rows, max(1, bytes/row)),
		left: make([]int, par.Blocks(m.n, d.rows))}
	l.change = sync.NewCond(&l.mu)
	l.trips = par.Blocks(d.rows, l.trip)
	for c := range l.left {
		l.left[c] = par.Blocks(min(d.rows, m.n-c*d.rows), l.trip)
	}
	defer context.AfterFunc(ctx, func() { l.fail(ctx.Err()) })()
	return m.call(func(slots []*slot[F]) (err error) {
		defer func() { err = l.release(err) }()
		for _, s := range []*cuda.Stream{&l.making[0], &l.making[1], &l.bus} {
			if *s, err = m.engine.device.Stream(); err != nil {
				*s = 0
				return err
			}
		}
		all := run.Control{Workers: workers + 1} // one more than bring, which waits for the device
		return par.For(ctx, all, "", workers+1, func(i int) error {
			err := errLost // where there is a panic: the others are not to wait for this one
			defer func() { l.fail(err) }()
			err = m.engine.device.Do(func() error {
				if i == 0 {
					return l.produce(slots)
				}
				return m.engine.travel(func(c *courier) error { return trips(ctx, l, c, dst) })
			})
			return err
		})
	})
}

// release waits for what is under way, gives back what it has, and returns the first error.
func (l *line[F, O]) release(err error) error {
	d := l.matrix.engine.device
	for _, s := range []cuda.Stream{l.making[0], l.making[1], l.bus} {
		if s == 0 {
			continue
		}
		if late := d.Wait(s); err == nil {
			err = late
		}
		d.FreeStream(s)
	}
	for _, out := range l.outs {
		out.Release()
	}
	return err
}

var errLost = errors.New("a part of the result was not brought back")

// fail keeps the first error and wakes who waits.
func (l *line[F, O]) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	l.change.Broadcast()
}

// next takes a trip: rows lo to hi-1, which are there, of which the first is in the buffer's row at. It waits
// until they are. The chunk is -1 when there are no trips left.
func (l *line[F, O]) next() (chunk, lo, hi, at int, out *cuda.Buffer[O], err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	chunk = l.taken / l.trips
	if chunk >= len(l.left) || l.err != nil {
		return -1, 0, 0, 0, nil, l.err
	}
	at = l.taken % l.trips * l.trip
	lo, hi = chunk*l.rows+at, min(chunk*l.rows+min(at+l.trip, l.rows), l.matrix.n)
	if l.taken++; hi == l.matrix.n {
		l.taken = len(l.left) * l.trips
	}
	for l.err == nil && l.ready <= chunk {
		l.change.Wait()
	}
	return chunk, lo, hi, at, l.outs[chunk%deliveredAhead], l.err
}

// produce makes one chunk after the other. The next one is begun before one is finished, so that the device always has
// something to do.
func (l *line[F, O]) produce(slots []*slot[F]) error {
	for c := range len(l.left) + 1 {
		if c < len(l.left) {
			if err := l.free(c); err != nil {
				return err
			}
			if err := l.begin(c, slots[c%2]); err != nil {
				return err
			}
		}
		if c > 0 {
			if err := l.finish(c-1, slots[(c-1)%2]); err != nil {
				return err
			}
		}
	}
	return nil
}

// free waits until the memory of a chunk is free.
func (l *line[F, O]) free(chunk int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && chunk >= deliveredAhead && l.left[chunk-deliveredAhead] > 0 {
		l.change.Wait()
	}
	return l.err
}

// begin starts to make a chunk.
func (l *line[F, O]) begin(chunk int, s *slot[F]) error {
	out := &l.outs[chunk%deliveredAhead]
	lo, hi := par.Range(chunk, l.matrix.n, l.rows)
	if err := room(s.device, out, (hi-lo)*l.ld); err != nil {
		return err
	}
	rows, err := l.matrix.take(l.ctl, s, lo, hi, true)
	if err == nil {
		err = s.device.Wait(s.stream)
	}
	if err != nil {
		return err
	}
	urgent := s.stream
	defer func() { s.stream = urgent }()
	s.stream = l.making[chunk%2]
	return l.make(s, chunk%2, rows, hi-lo, *out)
}

// finish waits for a chunk that is being made.
func (l *line[F, O]) finish(chunk int, s *slot[F]) error {
	if err := s.device.Wait(l.making[chunk%2]); err != nil {
		return err
	}
	if l.made != nil {
		if err := l.made(chunk % 2); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready++
	l.change.Broadcast()
	return nil
}

// back says that a trip is back.
func (l *line[F, O]) back(chunk int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left[chunk]--; l.left[chunk] == 0 {
		l.change.Broadcast()
	}
}
