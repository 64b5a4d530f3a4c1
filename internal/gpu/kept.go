package gpu

import (
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
)

// keepFrom is the dimension from which on, in single precision, a value takes longer to
// compute than to read; in double it always does. Tensor cores compute it sooner. storeFrom is the
// one from which on it pays to write it for that.
const (
	keepFrom        = 32
	keepFromPieces  = 45
	storeFromPieces = 200
)

// cheap reports whether a value is better computed again than read, and dear whether it is better written
// and read than computed twice.
func (m *matrix[F]) cheap() bool {
	if m.gauss {
		return m.packing.D() < keepFromPieces
	}
	return m.engine.single() && m.packing.D() < keepFrom
}

func (m *matrix[F]) dear() bool { return !m.cheap() && !(m.gauss && m.packing.D() < storeFromPieces) }

// keptStrip is how many rows of K are added up in one sum.
const keptStrip = 1024

// keep makes room for K, if it fits. It is decided once: sums of a kept K have other
// bits than those of tiles.
func (m *matrix[F]) keep() error {
	if m.cheap() {
		return nil
	}
	numbers := m.n * padded(m.m)
	fits, err := m.fits(float64(m.engine.size()) * float64(m.n) * float64(padded(m.m)))
	if err != nil || !fits {
		return err
	}
	kept, err := cuda.NewBuffer[F](m.engine.device, numbers)
	if cuda.IsOutOfMemory(err) {
		return nil
	}
	m.kept = kept
	return err
}

// values returns the rows of K of a chunk, which it starts to compute where they are
// not there yet; 0 where K is not kept.
func (m *matrix[F]) values(s *slot[F], rows sideArgs, lo int) (cuda.Pointer, error) {
	if m.kept == nil {
		return 0, nil
	}
	if m.full == nil {
		m.full = make([]bool, par.Blocks(m.n, m.chunk))
	}
	at, c := m.kept.At(lo*padded(m.m)), lo/m.chunk
	if m.full[c] {
		return at, nil
	}
	m.full[c] = true
	return at, m.store(s, m.careful(s), rows, m.cols(s), at)
}

// stored returns the rows of K of a chunk: kept ones or, where they are used twice,
// stored in the slot until it is needed again.
func (m *matrix[F]) stored(s *slot[F], rows sideArgs, lo, hi int, twice bool) (cuda.Pointer, error) {
	if m.kept != nil || !twice || !m.dear() || !m.pass {
		return m.values(s, rows, lo)
	}
	if err := room(s.device, &s.k, (hi-lo)*padded(m.m)); err != nil {
		return 0, err
	}
	return s.k.At(0), m.store(s, m.careful(s), rows, m.cols(s), s.k.At(0))
}

// keptArgs is Kept of gen/cuda/rows.cu.
type keptArgs struct {
	k, v, part        cuda.Pointer
	rows, ldk, ldpart int64
	vectors, strip    int32
}

// along is multiply with n rows of K that are there.
func (m *matrix[F]) along(s *slot[F], k cuda.Pointer, n int, v cuda.Pointer, count int, to joined) error {
	if err := room(s.device, &s.part, count*padded(n)); err != nil {
		return err
	}
	a := keptArgs{k: k, v: v, part: s.part.At(0), rows: int64(n), ldk: int64(padded(m.m)), ldpart: int64(padded(n)),
		vectors: int32(count)}
	grid := [3]uint32{uint32(par.Blocks(n, 8)), uint32(par.Blocks(count, 4)), 1}
	if err := launch(m.engine, "along", grid, [3]uint32{256, 1, 1}, 0, s.stream, a); err != nil {
		return err
	}
	return m.join(s, n, 1, count, count, to)
}

// across is multiply with Kᵀ of n rows that are there.
func (m *matrix[F]) across(s *slot[F], k cuda.Pointer, n int, v cuda.Pointer, count int, to joined) error {
	strips, ldk := par.Blocks(n, keptStrip), padded(m.m)
	if err := room(s.device, &s.part, strips*count*ldk); err != nil {
		return err
	}
	a := keptArgs{k: k, v: v, part: s.part.At(0), rows: int64(n), ldk: int64(ldk), ldpart: int64(ldk),
		vectors: int32(count), strip: keptStrip}
	width := 16 / m.engine.size() // numbers a thread
	grid := [3]uint32{uint32(par.Blocks(ldk, 128*width)), uint32(strips), uint32(par.Blocks(count, 4))}
	if err := launch(m.engine, "across", grid, [3]uint32{128, 1, 1}, 0, s.stream, a); err != nil {
		return err
	}
	return m.join(s, m.m, strips, count, count, to)
}
