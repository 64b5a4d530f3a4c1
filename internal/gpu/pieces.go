package gpu

import (
	"math"
	"strconv"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
)

// The Gaussian kernel in single precision is computed by tensor cores, from pieces of vectors
// (gen/cuda/gausstensor.cuh), but where close points need care.

// normSlots is how many coordinates the norms take.
const normSlots = 4

// steps is how many times 16 coordinates there are, norms included.
func steps(d int) int { return par.Blocks(d+normSlots, 16) }

// pieceBytes is what the pieces of a vector take.
func pieceBytes(d int) int { return 64 * steps(d) }

// rowBytes is what a row takes of the device while it is computed with.
func rowBytes(size, d int) int {
	if size == 4 {
		return max(size*d, pieceBytes(d))
	}
	return size * d
}

// smallestUnit is a number of which lo is in the range of 16 bits.
const smallestUnit = 0x1p-12

// unitOf returns the unit of pieces whose |x|²/2 are largest: no sum of products hi·hi and norms
// is above 2·largest, which is to be at most 2^23 units squared; norms have an error. It is 0
// where there are no pieces, as squared distances may be lost in rounding.
func (b *bound[F]) unitOf(largest float64) float64 {
	if !b.gauss || !(largest <= b.gaussWeight()) {
		return 0
	}
	return max(smallestUnit, math.Exp2(math.Ceil(math.Log2(2*largest*(1+0x1p-10))/2-11.5)))
}

// split returns the rows lo to hi-1 of a side for the slot, with pieces of them and of the columns
// where values are computed from those.
func (m *matrix[F]) split(s *slot[F], of *side[F], lo, hi int, values bool) (sideArgs, error) {
	rows := of.view(lo, hi)
	if s.unit = 0; !values {
		return rows, nil
	}
	largest := F(0)
	for _, t := range of.largest[min(lo/tile, len(of.largest)):min(par.Blocks(hi, tile), len(of.largest))] {
		largest = max(largest, t)
	}
	columns := F(0)
	for _, t := range m.columns.largest {
		columns = max(columns, t)
	}
	if s.unit = m.unitOf(float64(largest) + float64(columns)); s.unit == 0 {
		return rows, nil
	}
	err := m.pieces(s, &s.left, &rows, 0)
	if err == nil {
		columns := m.columns.view(0, m.m)
		err = m.pieces(s, &s.right, &columns, 1)
	}
	return rows, err
}

// cols returns the columns, with pieces where the slot has some.
func (m *matrix[F]) cols(s *slot[F]) sideArgs {
	y := m.columns.view(0, m.m)
	if s.unit != 0 {
		y.pieces = s.right.At(0)
	}
	return y
}

// splitArgs is Split of gen/cuda/gausstensor.cuh.
type splitArgs struct {
	t, past, to cuda.Pointer
	n, ld       int64
	unit        float32
	d, right, _ int32
}

// pieces starts to make the pieces of a side.
func (b *bound[F]) pieces(s *slot[F], to **cuda.Buffer[F], of *sideArgs, right int32) error {
	d, n := b.packing.D(), int(of.n)
	if err := room(s.device, to, padded(n)*pieceBytes(d)/b.engine.size()); err != nil {
		return err
	}
	of.pieces = (*to).At(0)
	return launch(b.engine, "gausssplit", [3]uint32{uint32(par.Blocks(n, tile)), 1, 1}, [3]uint32{tile, 1, 1}, 0, s.stream,
		splitArgs{t: of.t, past: of.past, to: of.pieces, n: of.n, ld: of.ld, unit: float32(s.unit), d: int32(d),
			right: right})
}

// held lists how many coordinates, norms included, kernels keep in registers.
var held = []int{16, 24, 32, 48}

// piecesKernel returns the kernel for d coordinates, without its mode, and the shared memory of a
// block: two stages of the columns and of v and, where the rows are not kept in registers, of these.
func piecesKernel(d, vectors int) (name string, shared int) {
	const stepBytes, streamed = 8 << 10, 4 // of 128 vectors; steps
	for _, h := range held {
		if vectors > 0 && d+normSlots <= h {
			return "gauss" + strconv.Itoa(h), 2 * (par.Blocks(h, 16)*stepBytes + 4*vectors*tile)
		}
	}
	return "gauss", 2 * (streamed*(stepBytes+stepBytes/2) + 4*vectors*tile/2)
}
