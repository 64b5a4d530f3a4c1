package gpu

import (
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
)

// mostArgs and the others are the structs of gen/cuda/split.cu.
type mostArgs struct {
	t, most cuda.Pointer
	ld      int64
	d, _    int32
}

type vectorsArgs struct {
	t, most, to, back cuda.Pointer
	ld                int64
	d, _              int32
}

type productArgs struct {
	x, y, backX, backY, out cuda.Pointer
	nx, ny, ldout           int64
	steps, lower            int32
}

// split is vectors in pieces.
type split struct{ pieces, most, back *cuda.Buffer[float32] }

func (s *split) release() {
	s.pieces.Release()
	s.most.Release()
	s.back.Release()
}

// split starts to make pieces of n vectors of m coordinates.
func (r *rotation[O]) split(stream cuda.Stream, t cuda.Pointer, n int, to *split) error {
	ld, steps := padded(n), par.Blocks(r.m, 16)
	for _, want := range []struct {
		of **cuda.Buffer[float32]
		n  int
	}{{&to.pieces, 16 * steps * ld}, {&to.back, ld}, {&to.most, ld}} {
		if err := room(r.device, want.of, want.n); err != nil {
			return err
		}
	}
	err := launchOf[float32](r.device, "splitmost", [3]uint32{uint32(ld / 32), 1, 1}, [3]uint32{32, 32, 1}, 0, stream,
		mostArgs{t: t, most: to.most.At(0), ld: int64(ld), d: int32(r.m)})
	if err != nil {
		return err
	}
	return launchOf[float32](r.device, "splitvectors", [3]uint32{uint32(ld / tile), uint32(par.Blocks(steps, 8)), 1},
		[3]uint32{tile, 1, 1}, 0, stream, vectorsArgs{t: t, most: to.most.At(0), to: to.pieces.At(0), back: to.back.At(0),
			ld: int64(ld), d: int32(r.m)})
}

// single starts to multiply n rows of K on tensor cores.
func (r *rotation[O]) single(stream cuda.Stream, to *split, k cuda.Pointer, n int, out cuda.Pointer) error {
	if err := r.split(stream, k, n, to); err != nil {
		return err
	}
	const shared = 96 << 10 // three stages of two steps of both sides
	a := productArgs{x: to.pieces.At(0), y: r.mine.pieces.At(0), backX: to.back.At(0), backY: r.mine.back.At(0), out: out,
		nx: int64(n), ny: int64(r.dim), ldout: int64(r.ld()), steps: int32(par.Blocks(r.m, 16))}
	if r.lower {
		a.lower = 1
	}
	grid := [3]uint32{uint32(par.Blocks(n, tile)), uint32(par.Blocks(r.dim, tile)), 1}
	return launchOf[float32](r.device, "splitproduct", grid, tileBlock, shared, stream, a)
}
