package gpu

import (
	"context"
	"fmt"
	"runtime"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/run"
)

// factor is a triangle on the device, with the inverses of its tiles on the diagonal.
type factor struct {
	engine     *engine[float64]
	m, ld      int
	l, inverse *cuda.Buffer[float64]
	x          *cuda.Buffer[float64] // right-hand sides
}

// Release gives the memory back.
func (f *factor) Release() {
	_ = f.engine.device.Do(func() error {
		f.l.Release()
		f.inverse.Release()
		f.x.Release()
		return nil
	})
}

// Factor computes K into the place of its factor.
func (b *bound[F]) Factor(ctx context.Context, _ run.Control, shift float64) (compute.Factor, error) {
	d, ok := any(b).(*bound[float64])
	if !ok {
		return nil, fmt.Errorf("gpu: a factor in single precision")
	}
	defer runtime.KeepAlive(b)
	return newFactor(ctx, d.engine, d.columns.n, 2, func(f *factor, s *slot[float64]) error {
		all := d.columns.view(0, f.m)
		if err := d.store(s, false, all, all, f.l.At(0)); err != nil {
			return err
		}
		return f.frame(s, f.m, shift)
	})
}

// newFactor takes room for a triangle of m rows, lets fill write the matrix there, and
// factors it. There has to be room for so many matrices.
func newFactor(
	ctx context.Context, e *engine[float64], m, matrices int, fill func(f *factor, s *slot[float64]) error,
) (compute.Factor, error) {
	f := &factor{engine: e, m: m, ld: padded(m)}
	err := e.device.Do(func() error {
		return e.with(1, func(slots []*slot[float64]) (err error) {
			free, err := e.device.Free()
			if err != nil {
				return err
			}
			if float64(matrices)*8*float64(f.ld)*float64(f.ld+tile) > float64(free)/2 {
				return compute.ErrNoRoom
			}
			if f.l, err = cuda.NewBuffer[float64](e.device, f.ld*f.ld); err != nil {
				return err
			}
			if f.inverse, err = cuda.NewBuffer[float64](e.device, f.ld*tile+2); err != nil {
				return err
			}
			if err := fill(f, slots[0]); err != nil {
				return err
			}
			return f.cholesky(ctx, slots[0])
		})
	})
	if err != nil {
		f.Release()
		if cuda.IsOutOfMemory(err) {
			return nil, fmt.Errorf("%w (%v)", compute.ErrNoRoom, err)
		}
		return nil, err
	}
	return f, nil
}

// frameArgs and the others are the structs of gen/cuda/dense.cu.
type frameArgs struct {
	a     cuda.Pointer
	m, ld int64
	shift float64
}

type blocksArgs struct {
	a, b, c              cuda.Pointer
	lda, ldb, ldc, depth int64
	apart                int64
	alpha, beta          float64
	lower, fall, rise, _ int32
}

type cornerArgs struct {
	a, inverse, state cuda.Pointer
	ld, first         int64
}

type stepArgs struct {
	l, inverse, from, to  cuda.Pointer
	ld                    int64
	sign                  float64
	block, end, turned, _ int32
}

// Shared memory of blocks: two stages of two sides of a tile, 16 coordinates deep. That of corner:
// a triangle and a column.
const (
	blocksShared = 2 * 2 * 8 * tile * 20
	cornerShared = 8 * (tile*(tile+1)/2 + tile)
)

// frame adds shift to the diagonal of the first m rows and makes the rows from there on those of
// the identity.
func (f *factor) frame(s *slot[float64], m int, shift float64) error {
	return launch(f.engine, "frame", [3]uint32{uint32(f.ld), 1, 1}, [3]uint32{tile, 1, 1}, 0, s.stream,
		frameArgs{a: f.l.At(0), m: int64(m), ld: int64(f.ld), shift: shift})
}

// blocks starts a product of tiles.
func (f *factor) blocks(s *slot[float64], name string, tiles int, a blocksArgs) error {
	return f.product(s, name, [3]uint32{uint32(tiles), 1, 1}, a)
}

// product does so with a grid of more than one axis.
func (f *factor) product(s *slot[float64], name string, grid [3]uint32, a blocksArgs) error {
	a.lda, a.ldc = int64(f.ld), int64(f.ld)
	return launch(f.engine, name, grid, [3]uint32{256, 1, 1}, blocksShared, s.stream, a)
}

// cholesky factors the matrix in l: a tile on the diagonal, the tiles below it by the inverse of
// that one, and all behind them by products.
func (f *factor) cholesky(ctx context.Context, s *slot[float64]) error {
	state := f.inverse.At(f.ld * tile)
	zero := []float64{0, 0}
	if err := f.inverse.Write(f.ld*tile, zero, s.stream); err != nil {
		return err
	}
	since := 0.0
	for p := 0; p < f.ld; p += tile {
		rest := (f.ld - p) / tile
		since += float64(tile) * float64(f.ld-p) * float64(f.ld-p)
		if since > work {
			if since = 0; ctx.Err() != nil {
				return ctx.Err()
			}
			if err := s.device.Wait(s.stream); err != nil {
				return err
			}
		}
		corner := cornerArgs{a: f.l.At(p*f.ld + p), inverse: f.inverse.At(p * tile), state: state, ld: int64(f.ld),
			first: int64(p)}
		if err := launch(f.engine, "corner", [3]uint32{1, 1, 1}, [3]uint32{512, 1, 1}, cornerShared, s.stream,
			corner); err != nil {
			return err
		}
		if rest--; rest == 0 {
			break
		}
		below, behind := f.l.At((p+tile)*f.ld+p), f.l.At((p+tile)*f.ld+p+tile)
		if err := f.blocks(s, "blocks", rest, blocksArgs{a: below, b: corner.inverse, c: below, ldb: tile, depth: tile,
			alpha: 1}); err != nil {
			return err
		}
		if err := f.blocks(s, "blocks", rest*(rest+1)/2, blocksArgs{a: below, b: below, c: behind, ldb: int64(f.ld),
			depth: tile, alpha: -1, beta: 1, lower: 1}); err != nil {
			return err
		}
	}
	if err := f.inverse.Read(zero, f.ld*tile, s.stream); err != nil {
		return err
	}
	if err := s.device.Wait(s.stream); err != nil {
		return err
	}
	if zero[0] != 0 {
		return &linalg.NotPositiveError{Index: int(zero[0]) - 1, Pivot: zero[1]}
	}
	return ctx.Err()
}

// Inner multiplies and factors.
func (f *factor) Inner(ctx context.Context, _ run.Control, scale, shift float64) (compute.Factor, error) {
	defer runtime.KeepAlive(f)
	return newFactor(ctx, f.engine, f.m, 1, func(g *factor, s *slot[float64]) error {
		tiles := f.ld / tile
		err := f.blocks(s, "turned", tiles*(tiles+1)/2, blocksArgs{a: f.l.At(0), b: f.l.At(0), c: g.l.At(0),
			ldb: int64(f.ld), depth: int64(f.ld), alpha: scale, lower: 1, fall: 1})
		if err != nil {
			return err
		}
		return g.frame(s, f.m, shift)
	})
}

// Solve solves block by block.
func (f *factor) Solve(ctx context.Context, x *data.Matrix, transposed bool) error {
	return f.through(ctx, x, 0, func(s *slot[float64], _, to cuda.Pointer) error {
		blocks := f.ld / tile
		for k := range blocks {
			a := stepArgs{l: f.l.At(0), inverse: f.inverse.At(0), from: to, to: to, ld: int64(f.ld), sign: -1,
				block: int32(k)}
			if transposed {
				a.block, a.turned = int32(blocks-1-k), 1
			}
			if err := f.step(s, "settle", x.Rows, 1, a); err != nil {
				return err
			}
			if others := blocks - 1 - k; others > 0 {
				if err := f.step(s, "tell", others, x.Rows, a); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// MulTransposed adds up what each block of rows means.
func (f *factor) MulTransposed(ctx context.Context, x *data.Matrix) error {
	return f.through(ctx, x, x.Rows, func(s *slot[float64], from, to cuda.Pointer) error {
		for k := range f.ld / tile {
			err := f.step(s, "tell", k+1, x.Rows, stepArgs{l: f.l.At(0), from: from, to: to, ld: int64(f.ld), sign: 1,
				block: int32(k), turned: 1})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *factor) step(s *slot[float64], name string, across, down int, a stepArgs) error {
	return launch(f.engine, name, [3]uint32{uint32(across), uint32(down), 1}, [3]uint32{512, 1, 1}, 0, s.stream, a)
}

// through brings the rows of x to the device, followed by so many rows of zeros, runs f on them,
// and brings as many rows back from the end.
func (f *factor) through(
	ctx context.Context, x *data.Matrix, zeros int, call func(s *slot[float64], from, to cuda.Pointer) error,
) error {
	if x.Rows == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	defer runtime.KeepAlive(f)
	return f.engine.device.Do(func() error {
		return f.engine.with(1, func(slots []*slot[float64]) error {
			s, n := slots[0], (x.Rows+zeros)*f.ld
			if err := room(s.device, &f.x, n); err != nil {
				return err
			}
			if err := pin(s.device, &s.given, n); err != nil {
				return err
			}
			flat := s.given.Data[:n]
			clear(flat)
			for k := range x.Rows {
				copy(flat[k*f.ld:], x.Row(k))
			}
			if err := f.x.Write(0, flat, s.stream); err != nil {
				return err
			}
			from := zeros * f.ld
			if err := call(s, f.x.At(0), f.x.At(from)); err != nil {
				return err
			}
			if err := f.x.Read(flat[:x.Rows*f.ld], from, s.stream); err != nil {
				return err
			}
			if err := s.device.Wait(s.stream); err != nil {
				return err
			}
			for k := range x.Rows {
				copy(x.Row(k), flat[k*f.ld:])
			}
			return nil
		})
	})
}
