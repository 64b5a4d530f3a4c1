package gpu

import (
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// side is vectors on the device, coordinate by coordinate.
type side[F cuda.Number] struct {
	n, ld int
	t     *cuda.Buffer[F]
	norm  *cuda.Buffer[F] // see gen/cuda/tiles.cuh
	past  *cuda.Buffer[F]
	scale *cuda.Buffer[F]
	top   *cuda.Buffer[F]

	hasPast, hasScale bool
	largest           []F // top, where it is needed here
}

func (s *side[F]) release() {
	for _, b := range []*cuda.Buffer[F]{s.t, s.norm, s.past, s.scale, s.top} {
		b.Release()
	}
}

// sideArgs is Side of gen/cuda/tiles.cuh.
type sideArgs struct {
	t, norm, past, scale, top, pieces cuda.Pointer
	n, ld                             int64
}

// view is the vectors lo to hi-1; lo is a multiple of tile.
func (s *side[F]) view(lo, hi int) sideArgs {
	a := sideArgs{t: s.t.At(lo), norm: s.norm.At(lo), top: s.top.At(lo / tile), n: int64(hi - lo), ld: int64(s.ld)}
	if s.hasPast {
		a.past = s.past.At(lo)
	}
	if s.hasScale {
		a.scale = s.scale.At(lo)
	}
	return a
}

// reserve takes memory for n vectors.
func (b *bound[F]) reserve(s *side[F], n int) error {
	d, e := b.packing.D(), b.engine.device
	s.n, s.ld = n, padded(n)
	if err := room(e, &s.t, s.ld*d); err != nil {
		return err
	}
	if err := room(e, &s.norm, s.ld); err != nil {
		return err
	}
	return room(e, &s.top, s.ld/tile)
}

// staged is about how many bytes of vectors go to the device at a time.
const staged = 64 << 20

// resident brings all vectors to the device, by one slot or by turns of two.
func (b *bound[F]) resident(
	ctl run.Control, one, other *slot[F], x data.Source[data.Vector],
) (*side[F], error) {
	out, d, n := &side[F]{}, b.packing.D(), x.Len()
	if err := b.reserve(out, n); err != nil {
		return nil, err
	}
	size := max(tile, staged/(b.engine.size()*d)/tile*tile)
	slots := []*slot[F]{one, other}
	if other == nil {
		slots[1] = one
	}
	for c, lo := 0, 0; lo < n; c, lo = c+1, lo+size {
		s := slots[c%2]
		if err := s.device.Wait(s.stream); err != nil {
			return nil, err
		}
		if err := b.send(ctl, s, out, x, lo, min(lo+size, n), lo); err != nil {
			return nil, err
		}
	}
	for _, s := range slots {
		if err := s.device.Wait(s.stream); err != nil {
			return nil, err
		}
	}
	if err := b.measure(one, out, x, 0, n); err != nil {
		return nil, err
	}
	return out, nil
}

// fillRows is how many vectors are packed by one call of a worker.
const fillRows = 1024

// send packs the vectors lo to hi-1 of x, and starts to bring them to place at, a
// multiple of tile, of to.
func (b *bound[F]) send(
	ctl run.Control, s *slot[F], to *side[F], x data.Source[data.Vector], lo, hi, at int,
) error {
	n, d := hi-lo, b.packing.D()
	if err := pin(s.device, &s.in, n*d); err != nil {
		return err
	}
	if err := room(s.device, &s.raw, n*d); err != nil {
		return err
	}
	flat := s.in.Data
	err := par.For(never, ctl.Quiet(), "", par.Blocks(n, fillRows), func(g int) error {
		first, last := par.Range(g, n, fillRows)
		for i := first; i < last; i++ {
			b.packing.Fill(flat[i*d:(i+1)*d], x, lo+i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.raw.Write(0, flat[:n*d], s.stream); err != nil {
		return err
	}
	return launch(b.engine, "turn", [3]uint32{uint32(padded(n) / 32), uint32(par.Blocks(d, 32)), 1},
		[3]uint32{32, 8, 1}, 0, s.stream, turnArgs{from: s.raw.At(0), to: to.t.At(at), rows: int64(n),
			ld: int64(to.ld), factor: b.factor, d: int64(d)})
}

// turnArgs, measureArgs and the others like them are the structs of gen/cuda/rows.cu.
type turnArgs struct {
	from, to cuda.Pointer
	rows, ld int64
	factor   float64
	d        int64
}

type measureArgs struct {
	t, past, norm, top cuda.Pointer
	n, ld              int64
	factor             float64
	d, long            int32
}

// measure computes norms and what else belongs to vectors that are there: those from
// lo to hi-1 of x.
func (b *bound[F]) measure(s *slot[F], to *side[F], x data.Source[data.Vector], lo, hi int) error {
	past, scale := b.beyond(x, lo, hi), []F(nil)
	if b.form.Normalized {
		scale = compute.Scales[F](b.form, data.Range[data.Vector]{Of: x, Lo: lo, Hi: hi})
	}
	to.hasPast, to.hasScale = past != nil, scale != nil
	for _, list := range []struct {
		values []F
		to     **cuda.Buffer[F]
	}{{past, &to.past}, {scale, &to.scale}} {
		if list.values == nil {
			continue
		}
		if err := room(s.device, list.to, to.ld); err != nil {
			return err
		}
		if err := (*list.to).Write(0, list.values, s.stream); err != nil {
			return err
		}
		if err := s.device.Wait(s.stream); err != nil { // the list is not pinned
			return err
		}
	}
	a := measureArgs{t: to.t.At(0), norm: to.norm.At(0), top: to.top.At(0), n: int64(to.n), ld: int64(to.ld), factor: 1,
		d: int32(b.packing.D())}
	if b.long() {
		a.long = 1
	}
	if to.hasPast && b.squares() {
		a.past = to.past.At(0)
	}
	if b.gauss {
		a.factor = -0.5
	}
	err := launch(b.engine, "measure", [3]uint32{uint32(to.ld / tile), 1, 1}, [3]uint32{tile, 1, 1}, 0, s.stream, a)
	if err != nil || !b.gauss {
		return err
	}
	tiles := to.ld / tile
	if err := pin(s.device, &s.tops, padded(tiles)); err != nil {
		return err
	}
	err = launch(b.engine, "turn", [3]uint32{uint32(padded(tiles) / 32), 1, 1}, [3]uint32{32, 8, 1}, 0, s.stream,
		turnArgs{from: to.top.At(0), to: s.tops.At(0), rows: int64(tiles), ld: int64(padded(tiles)), factor: 1, d: 1})
	if err != nil {
		return err
	}
	if err := s.device.Wait(s.stream); err != nil {
		return err
	}
	to.largest = slices.Clone(s.tops.Data[:tiles])
	return nil
}

// squares reports whether the pair operation is made from squared norms.
func (b *bound[F]) squares() bool {
	return b.form.Pair == kernel.Distance2 || b.form.Pair == kernel.Tanimoto
}

// beyond returns what the coordinates past the columns' dimension add to distances, nil
// where no vector has any.
func (b *bound[F]) beyond(x data.Source[data.Vector], lo, hi int) (past []F) {
	squares := b.squares()
	if !squares && b.form.Pair != kernel.L1 && b.form.Pair != kernel.ChiSquared {
		return nil
	}
	for i := lo; i < hi; i++ {
		square, absolute := b.packing.Beyond(x, i)
		if square == 0 {
			continue
		}
		if past == nil {
			past = make([]F, hi-lo)
		}
		past[i-lo] = F(absolute)
		if squares {
			past[i-lo] = F(square * b.factor * b.factor)
		}
	}
	return past
}

// longFrom is the dimension from which on sums of single precision are made of parts.
const longFrom = 384

func (b *bound[F]) long() bool {
	return b.engine.single() && b.packing.D() > longFrom &&
		(b.form.Pair == kernel.Dot || b.form.Pair == kernel.Distance2 || b.form.Pair == kernel.Tanimoto)
}
