package gpu

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Map64 sets dst[i·dim+j] = Σ_k b[j][k]·K(x_i, y_k).
func (m *matrix[F]) Map64(
	ctx context.Context, ctl run.Control, dst []float64, b *data.Matrix, lower bool,
) (finite bool, err error) {
	return features[F, float64](ctx, ctl, m, dst, b, lower)
}

// Map32 sets dst[i·dim+j] = Σ_k b[j][k]·K(x_i, y_k).
func (m *matrix[F]) Map32(
	ctx context.Context, ctl run.Control, dst []float32, b *data.Matrix, lower bool,
) (finite bool, err error) {
	if m.engine.single() {
		return features[F, float32](ctx, ctl, m, dst, b, lower)
	}
	return features[F, float64](ctx, ctl, m, dst, b, lower)
}

// errNotFinite ends a call that has made a feature that is not finite.
var errNotFinite = errors.New("a feature is not finite")

// rotation is a product with B in the precision O: B coordinate by coordinate, as vectors are, and what chunks of
// rows need for it, in turn.
type rotation[O cuda.Number] struct {
	device *cuda.Device
	m, dim int
	lower  bool
	b      *cuda.Buffer[O]
	mine   split // of B
	turns  [2]struct {
		split
		found *cuda.Pinned[O]
		wide  *cuda.Buffer[float64] // K, where it is single and the product double
	}
}

func (r *rotation[O]) release() {
	r.b.Release()
	r.mine.release()
	for i := range r.turns {
		r.turns[i].release()
		r.turns[i].found.Release()
		r.turns[i].wide.Release()
	}
}

// ld is how many numbers a row of features takes on the device.
func (r *rotation[O]) ld() int {
	if sizeOf[O]() == 4 {
		return r.dim
	}
	return padded(r.dim)
}

func features[F, O, G cuda.Number](
	ctx context.Context, ctl run.Control, m *matrix[F], dst []G, b *data.Matrix, lower bool,
) (finite bool, err error) {
	if m.n == 0 || b.Rows == 0 {
		return true, ctx.Err()
	}
	defer runtime.KeepAlive(m)
	r := &rotation[O]{device: m.engine.device, m: m.m, dim: b.Rows, lower: lower}
	defer func() {
		if late := r.device.Do(func() error { r.release(); return nil }); err == nil {
			err = late
		}
	}()
	d := delivery[F, O]{width: r.dim, ld: r.ld()}
	err = r.device.Do(func() error {
		if err := begin(ctx, ctl, m.engine, r, b); err != nil {
			return err
		}
		size := sizeOf[O]() // of a row there are features several times and, twice, K and K widened or in pieces
		var err error
		d.rows, err = m.rowsAtATime(size*max(d.ld, m.m), size*(deliveredAhead*d.ld+4*padded(m.m)))
		return err
	})
	if err != nil {
		return false, err
	}
	d.make = func(s *slot[F], turn int, rows sideArgs, n int, out *cuda.Buffer[O]) error {
		if err := room(s.device, &s.k, m.m*padded(n)); err != nil {
			return err
		}
		// K of the columns with the rows is the rows of K, coordinate by coordinate.
		if err := m.store(s, m.careful(s), m.cols(s), rows, s.k.At(0)); err != nil {
			return err
		}
		if err := rotate(r, s, turn, n, out); err != nil {
			return err
		}
		return r.look(s.stream, turn, out, n*d.ld)
	}
	d.made = r.seen
	if err := deliver(ctx, ctl, m, d, dst); err != nil {
		if errors.Is(err, errNotFinite) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// begin brings B to the device.
func begin[F, O cuda.Number](
	ctx context.Context, ctl run.Control, e *engine[F], r *rotation[O], b *data.Matrix,
) error {
	var raw *cuda.Buffer[O]
	defer func() { raw.Release() }()
	ld := padded(r.dim)
	if err := errors.Join(room(r.device, &raw, len(b.Data)), room(r.device, &r.b, ld*r.m),
		pin(r.device, &r.turns[0].found, lookBlocks), pin(r.device, &r.turns[1].found, lookBlocks)); err != nil {
		return err
	}
	stream, err := r.device.Stream()
	if err != nil {
		return err
	}
	defer r.device.FreeStream(stream)
	trip := max(1, tripBytes/4/(b.Cols*sizeOf[O]()))
	err = e.carry(ctx, ctl, par.Blocks(b.Rows, trip), func(c *courier, piece int) error {
		lo, hi := par.Range(piece, b.Rows, trip)
		flat, err := arrivals[O](r.device, c, 0, trip*b.Cols)
		if err != nil {
			return err
		}
		flat = flat[:(hi-lo)*b.Cols]
		for i := lo; i < hi; i++ {
			row, end := flat[(i-lo)*b.Cols:][:b.Cols], b.Cols
			if r.lower {
				end = i + 1
			}
			convert(row[:end], b.Row(i)[:end])
			clear(row[end:])
		}
		return raw.Write(lo*b.Cols, flat, c.stream)
	})
	if err != nil {
		return err
	}
	err = launchOf[O](r.device, "turn", [3]uint32{uint32(ld / 32), uint32(par.Blocks(r.m, 32)), 1}, [3]uint32{32, 8, 1}, 0,
		stream, turnArgs{from: raw.At(0), to: r.b.At(0), rows: int64(r.dim), ld: int64(ld), factor: 1, d: int64(r.m)})
	if err == nil && sizeOf[O]() == 4 {
		err = r.split(stream, r.b.At(0), r.dim, &r.mine)
	}
	if late := r.device.Wait(stream); err == nil {
		err = late
	}
	return err
}

// rotate starts to multiply n rows of K, which the slot has, by B.
func rotate[F, O cuda.Number](r *rotation[O], s *slot[F], turn, n int, out *cuda.Buffer[O]) error {
	k := s.k.At(0)
	if sizeOf[O]() == 4 {
		return r.single(s.stream, &r.turns[turn].split, k, n, out.At(0))
	}
	if sizeOf[F]() == 4 {
		count, wide := r.m*padded(n), &r.turns[turn].wide
		if err := room(r.device, wide, count); err != nil {
			return err
		}
		err := launchOf[float64](r.device, "widen", [3]uint32{uint32(min(4096, par.Blocks(count, 256))), 1, 1},
			[3]uint32{256, 1, 1}, 0, s.stream, widenArgs{from: k, to: (*wide).At(0), n: int64(count)})
		if err != nil {
			return err
		}
		k = (*wide).At(0)
	}
	return r.double(s.stream, k, n, out.At(0))
}

// doubleStrips is into how many parts the columns of a triangle are cut, each as deep as its last one.
const doubleStrips = 8

// double makes tiles of inner products.
func (r *rotation[O]) double(stream cuda.Stream, k cuda.Pointer, n int, out cuda.Pointer) error {
	width := padded(par.Blocks(r.dim, doubleStrips))
	if !r.lower {
		width = padded(r.dim)
	}
	for lo := 0; lo < r.dim; lo += width {
		hi := min(lo+width, r.dim)
		x := sideArgs{t: k, n: int64(n), ld: int64(padded(n))}
		y := sideArgs{t: r.b.At(lo), n: int64(hi - lo), ld: int64(padded(r.dim))}
		a := tileArgs{x: x, y: y, a: 1, d: int32(r.m), pair: int32(kernel.Dot), op: int32(kernel.Identity),
			out: out + cuda.Pointer(8*lo), ldout: int64(r.ld())}
		if r.lower {
			a.d = int32(min(r.m, hi))
		}
		perStrip, count := strips(n, hi-lo, stripTiles)
		a.tiles = int32(perStrip)
		err := launchOf[float64](r.device, "dot_store", [3]uint32{uint32(par.Blocks(n, tile)), uint32(count), 1}, tileBlock,
			sharedBytes(8, 1), stream, a)
		if err != nil {
			return err
		}
	}
	return nil
}

type widenArgs struct {
	from, to cuda.Pointer
	n        int64
}

// lookBlocks is how many blocks look for numbers that are not finite.
const lookBlocks = 512

type lookArgs struct {
	of, found cuda.Pointer
	n         int64
}

// look starts to look at numbers; when that is done, seen returns errNotFinite where one of them was not finite.
func (r *rotation[O]) look(stream cuda.Stream, turn int, of *cuda.Buffer[O], n int) error {
	return launchOf[O](r.device, "look", [3]uint32{lookBlocks, 1, 1}, [3]uint32{256, 1, 1}, 0, stream,
		lookArgs{of: of.At(0), found: r.turns[turn].found.At(0), n: int64(n)})
}

func (r *rotation[O]) seen(turn int) error {
	if slices.ContainsFunc(r.turns[turn].found.Data[:lookBlocks], func(f O) bool { return f != 0 }) {
		return errNotFinite
	}
	return nil
}
