package gpu

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// pivoting is a pivoted factorisation under way, of n rows.
type pivoting struct {
	factor
	n     int
	a     *cuda.Buffer[float64] // what is left of K, then Lᵀ; l is L, then its inverse
	known *cuda.Buffer[float64] // of each row and of the whole, then the slots of candidates
	each  int                   // rows that a block of threads has
	teams int                   // blocks
}

// panelShared is what a block of pivotpanel may take of shared memory on every device: four numbers
// of each of its rows, and their part of the panel where that fits.
const panelShared = 96 << 10

// Places in known behind the four lists of rows, and what state has: columns that are done, whether
// there are no more to come, whether the matrix is at fault, an unused number, and the least part of each block.
const (
	mostTeams  = 256
	stateWords = 8 + mostTeams
	slotWords  = 4
)

// rowsArgs and the others are the structs of gen/cuda/pivot.cu.
type rowsArgs struct{ rest, whole, place, order, state cuda.Pointer }

type startArgs struct {
	a            cuda.Pointer
	rows         rowsArgs
	slots        cuda.Pointer
	ld, n, words int64
}

type proofArgs struct {
	a     cuda.Pointer
	rows  rowsArgs
	ld, n int64
	slack float64
}

type panelArgs struct {
	a, l         cuda.Pointer
	rows         rowsArgs
	slots, next  cuda.Pointer
	ld, n, first int64
	stop         float64
	steps, each  int32
	inside, _    int32
}

type turnedArgs struct {
	l, order, to cuda.Pointer
	ld, rank     int64
}

type invertArgs struct {
	turned, to cuda.Pointer
	ld         int64
}

// Orthogonalise factors K of the columns and inverts the factor.
func (b *bound[F]) Orthogonalise(
	ctx context.Context, ctl run.Control, tolerance, slack float64,
) (pivot []int, inverse *data.Matrix, err error) {
	d, ok := any(b).(*bound[float64])
	if !ok {
		return nil, nil, fmt.Errorf("gpu: a factor in single precision")
	}
	defer runtime.KeepAlive(b)
	e, n := d.engine, d.columns.n
	p := &pivoting{factor: factor{engine: e, m: n, ld: padded(n)}, n: n}
	p.each = (par.Blocks(n, min(e.device.Units(), mostTeams)) + 63) / 64 * 64
	p.teams = par.Blocks(n, p.each)
	defer p.release()
	inverse = &data.Matrix{Data: alloc.Slice[float64](n * n)}
	err = p.meanwhile(ctx, ctl, inverse.Data, func() error {
		return e.with(1, func(slots []*slot[float64]) error {
			s := slots[0]
			if err := p.take(); err != nil {
				return err
			}
			all := d.columns.view(0, n)
			if err := d.store(s, false, all, all, p.a.At(0)); err != nil {
				return err
			}
			var err error
			pivot, err = p.panels(ctx, s, max(tolerance, float64(n)*0x1p-52), slack)
			if err != nil || len(pivot) == 0 {
				return err
			}
			if err := p.invert(s, len(pivot)); err != nil {
				return err
			}
			return s.device.Wait(s.stream)
		})
	})
	if err == nil {
		err = p.bring(ctx, ctl, inverse, len(pivot))
	}
	if cuda.IsOutOfMemory(err) {
		err = fmt.Errorf("%w (%v)", compute.ErrNoRoom, err)
	}
	if err != nil {
		return nil, nil, err
	}
	return pivot, inverse, nil
}

func (p *pivoting) release() {
	_ = p.engine.device.Do(func() error {
		p.a.Release()
		p.known.Release()
		return nil
	})
	p.Release()
}

// take takes memory of the device.
func (p *pivoting) take() (err error) {
	d := p.engine.device
	free, err := d.Free()
	if err != nil {
		return err
	}
	if 2*8*float64(p.ld)*float64(p.ld+tile) > float64(free)/2 || 8*4*p.each > panelShared {
		return compute.ErrNoRoom
	}
	if p.a, err = cuda.NewBuffer[float64](d, p.ld*p.ld); err != nil {
		return err
	}
	if p.l, err = cuda.NewBuffer[float64](d, p.ld*p.ld); err != nil {
		return err
	}
	p.known, err = cuda.NewBuffer[float64](d, 4*p.ld+stateWords+2*p.slots())
	return err
}

// slots is how many numbers the slots of a panel take.
func (p *pivoting) slots() int { return tile * p.teams * slotWords }

func (p *pivoting) rows() rowsArgs {
	k, ld := p.known, p.ld
	return rowsArgs{rest: k.At(0), whole: k.At(ld), place: k.At(2 * ld), order: k.At(3 * ld), state: k.At(4 * ld)}
}

// panels factors the matrix in a, and returns the pivots.
func (p *pivoting) panels(ctx context.Context, s *slot[float64], stop, slack float64) (pivot []int, err error) {
	slots := [2]cuda.Pointer{p.known.At(4*p.ld + stateWords), p.known.At(4*p.ld + stateWords + p.slots())}
	err = launch(p.engine, "pivotstart", [3]uint32{1, 1, 1}, [3]uint32{1024, 1, 1}, 0, s.stream, startArgs{a: p.a.At(0),
		rows: p.rows(), slots: slots[0], ld: int64(p.ld), n: int64(p.n), words: int64(p.slots())})
	if err != nil {
		return nil, err
	}
	err = launch(p.engine, "pivotproof", [3]uint32{uint32(min(p.n, 4096)), 1, 1}, [3]uint32{256, 1, 1}, 0, s.stream,
		proofArgs{a: p.a.At(0), rows: p.rows(), ld: int64(p.ld), n: int64(p.n), slack: slack})
	if err != nil {
		return nil, err
	}
	if err := pin(s.device, &s.sums, p.ld+stateWords); err != nil {
		return nil, err
	}
	state := s.sums.Data[:stateWords]
	rank, tiles, inside := 0, p.ld/tile, int32(0)
	if 8*p.each*(4+tile+8) <= panelShared {
		inside = 1
	}
	for done := false; rank < p.n && !done; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first, steps := rank, min(tile, p.n-rank)
		err := together(p.engine, "pivotpanel", p.teams, 512, panelShared, s.stream, panelArgs{a: p.a.At(0), l: p.l.At(0),
			rows: p.rows(), slots: slots[0], next: slots[1], ld: int64(p.ld), n: int64(p.n), first: int64(first), stop: stop,
			steps: int32(steps), each: int32(p.each), inside: inside})
		if err != nil {
			return nil, err
		}
		slots[0], slots[1] = slots[1], slots[0]
		if err := p.known.Read(state, 4*p.ld, s.stream); err != nil {
			return nil, err
		}
		if err := s.device.Wait(s.stream); err != nil {
			return nil, err
		}
		if state[2] != 0 || slices.Min(state[4:4+p.teams]) < -slack {
			return nil, compute.ErrNotPSD
		}
		rank, done = int(state[0]), state[1] != 0
		if done || rank == p.n {
			break
		}
		l := p.l.At(first)
		if err := p.blocks(s, "blocks", tiles*(tiles+1)/2, blocksArgs{a: l, b: l, c: p.a.At(0), ldb: int64(p.ld),
			depth: tile, alpha: -1, beta: 1, lower: 1}); err != nil {
			return nil, err
		}
	}
	order := s.sums.Data[stateWords:][:rank]
	if err := p.known.Read(order, 3*p.ld, s.stream); err != nil {
		return nil, err
	}
	if err := s.device.Wait(s.stream); err != nil {
		return nil, err
	}
	for _, i := range order {
		pivot = append(pivot, int(i))
	}
	return pivot, nil
}

// invert writes the inverse of L to l: that of tiles on the diagonal, of two of them, of four, and so on, by
//
//	⎡L₁₁    ⎤⁻¹   ⎡      L₁₁⁻¹           ⎤
//	⎣L₂₁ L₂₂⎦   = ⎣-L₂₂⁻¹·L₂₁·L₁₁⁻¹ L₂₂⁻¹⎦
//
// where the upper right takes (L₂₁·L₁₁⁻¹)ᵀ. There is no zero above the diagonal.
func (p *pivoting) invert(s *slot[float64], rank int) error {
	tiles := par.Blocks(rank, tile)
	err := launch(p.engine, "pivotturn", [3]uint32{uint32(4 * tiles), uint32(4 * tiles), 1}, [3]uint32{32, 8, 1}, 0,
		s.stream, turnedArgs{l: p.l.At(0), order: p.known.At(3 * p.ld), to: p.a.At(0), ld: int64(p.ld), rank: int64(rank)})
	if err != nil {
		return err
	}
	err = launch(p.engine, "invert", [3]uint32{uint32(tiles), 1, 1}, [3]uint32{512, 1, 1}, cornerShared, s.stream,
		invertArgs{turned: p.a.At(0), to: p.l.At(0), ld: int64(p.ld)})
	for size := 1; size < tiles && err == nil; size *= 2 {
		pairs, rest := tiles/(2*size), tiles%(2*size)-size
		if pairs > 0 {
			err = p.pairs(s, 0, size, size, pairs)
		}
		if rest > 0 && err == nil {
			err = p.pairs(s, pairs*2*size, size, rest, 1)
		}
	}
	return err
}

// pairs inverts pairs of triangles of so many tiles from a tile on.
func (p *pivoting) pairs(s *slot[float64], from, one, two, pairs int) error {
	ld, above, below := p.ld, from*tile, (from+one)*tile
	grid := func(down, across int) [3]uint32 { return [3]uint32{uint32(down), uint32(across), uint32(pairs)} }
	corner := p.l.At(above*ld + below)
	a := blocksArgs{a: p.l.At(above*ld + above), b: p.a.At(above*ld + below), c: corner, ldb: int64(ld),
		depth: int64(one * tile), apart: int64(2 * one * tile * (ld + 1)), alpha: 1, fall: 1}
	if err := p.product(s, "turned", grid(one, two), a); err != nil {
		return err
	}
	a.a, a.b, a.c = p.l.At(below*ld+below), corner, p.l.At(below*ld+above)
	a.depth, a.alpha, a.fall, a.rise = int64(two*tile), -1, 0, 1
	return p.product(s, "blocks", grid(two, one), a)
}

// pages is what a system gives at a time, in numbers, or a part of that.
const pages = 4096 / 8

// meanwhile calls f for the device, while the other cores write to memory of the host for the first time: for that to
// be there takes about as long as to fill it.
func (p *pivoting) meanwhile(ctx context.Context, ctl run.Control, memory []float64, f func() error) error {
	workers := ctl.Cores() - 1
	return par.For(ctx, ctl.Quiet(), "", workers+1, func(i int) error {
		if i == 0 {
			return p.engine.device.Do(f)
		}
		for at := (i - 1) * len(memory) / workers; at < i*len(memory)/workers; at += pages {
			memory[at] = 0
		}
		return nil
	})
}

// bring fills in the inverse, of which the device has what is not zero.
func (p *pivoting) bring(ctx context.Context, ctl run.Control, inverse *data.Matrix, rank int) error {
	if inverse.Rows, inverse.Cols = rank, rank; rank < p.n/2 {
		inverse.Data = alloc.Slice[float64](rank * rank)
	}
	inverse.Data = inverse.Data[: rank*rank : rank*rank]
	rows := max(1, min(tile, tripBytes/(8*max(rank, 1))))
	return p.engine.carry(ctx, ctl, par.Blocks(rank, rows), func(c *courier, piece int) error {
		lo, hi := par.Range(piece, rank, rows)
		from, err := arrivals[float64](p.engine.device, c, 0, rows*rank)
		if err != nil {
			return err
		}
		from = from[:(hi-lo)*hi]
		if err := p.l.ReadRows(from, lo*p.ld, p.ld, hi, c.stream); err != nil {
			return err
		}
		if err := p.engine.device.Wait(c.stream); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			row := inverse.Row(i)
			copy(row[:i+1], from[(i-lo)*hi:])
			clear(row[i+1:])
		}
		return nil
	})
}
