package gpu

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/run"
)

// never is a context that does not end: what it is for is over soon.
var never = context.Background()

// matrix is K between rows and the columns of a bound.
type matrix[F cuda.Number] struct {
	*bound[F]
	x     data.Source[data.Vector]
	n, m  int
	q     int // vectors that a tile is multiplied by at once
	chunk int // rows that are computed with at a time, a multiple of tile

	rows *side[F]        // nil where rows are streamed
	kept *cuda.Buffer[F] // K, a row of padded(m) numbers; nil where it is not kept
	full []bool          // which chunks of it have been computed
	pass bool            // K of a chunk is stored while it is used twice
}

// work is about how many multiplications and additions a chunk may take: a device that
// does 10¹³ a second is done with them in a fifth of a second, and then an interrupt is
// noticed.
const work = 2e12

// chunkRows depends on sizes alone, because sums do on it.
func chunkRows(n, m, d, size int) int {
	rows := float64(staged / rowBytes(size, d))
	rows = min(rows, work/(float64(m)*float64(d+16)))
	return min(padded(max(n, 1)), max(64*tile, int(rows)/tile*tile))
}

// bring brings the rows to the device, where they are needed often and fit into half of what is free.
func (m *matrix[F]) bring(often bool) error {
	if m.n == 0 {
		return nil
	}
	fits, err := m.fits(float64(m.engine.size()) * float64(padded(m.n)) * float64(m.packing.D()+2))
	if err != nil {
		return err
	}
	m.pass, err = m.fits(2 * float64(m.engine.size()) * float64(m.chunk) * float64(padded(m.m)))
	if err != nil || !fits || !often {
		return err
	}
	err = m.engine.with(2, func(s []*slot[F]) (err error) {
		m.rows, err = m.resident(run.Control{}, s[0], s[1], m.x)
		return err
	})
	if cuda.IsOutOfMemory(err) {
		m.rows = nil
		m.engine.drain()
		return nil
	}
	return err
}

// fits reports whether so many bytes are at most half of what is free on the device.
func (m *matrix[F]) fits(bytes float64) (bool, error) {
	free, err := m.engine.device.Free()
	return bytes <= float64(free)/2, err
}

// chunks calls f for each chunk of rows with a slot and the rows, which are on the
// device when the slot's stream is there. f starts work and sets the slot's done, which
// is called for one chunk after the other.
func (m *matrix[F]) chunks(
	ctx context.Context, ctl run.Control, size int, slots []*slot[F], f func(s *slot[F], rows sideArgs, lo, hi int) error,
) error {
	for c, lo := 0, 0; lo < m.n; c, lo = c+1, lo+size {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, hi := slots[c%len(slots)], min(lo+size, m.n)
		if err := s.finish(); err != nil {
			return err
		}
		rows, err := m.take(ctl, s, lo, hi, !m.there(lo))
		if err != nil {
			return err
		}
		if err := f(s, rows, lo, hi); err != nil {
			return err
		}
	}
	// The slot after the last one has the oldest chunk.
	last := (m.n + size - 1) / size
	for c := range slots {
		if err := slots[(last+c)%len(slots)].finish(); err != nil {
			return err
		}
	}
	return nil
}

// there reports whether K of the chunk that begins with row lo is on the device.
func (m *matrix[F]) there(lo int) bool { return m.kept != nil && m.full != nil && m.full[lo/m.chunk] }

// take returns rows that are resident, or brings them. values says that values of K will be computed.
func (m *matrix[F]) take(ctl run.Control, s *slot[F], lo, hi int, values bool) (sideArgs, error) {
	if m.rows != nil {
		return m.split(s, m.rows, lo, hi, values)
	}
	if err := m.reserve(&s.rows, hi-lo); err != nil {
		return sideArgs{}, err
	}
	if err := m.send(ctl, s, &s.rows, m.x, lo, hi, 0); err != nil {
		return sideArgs{}, err
	}
	if err := m.measure(s, &s.rows, m.x, lo, hi); err != nil {
		return sideArgs{}, err
	}
	return m.split(s, &s.rows, 0, hi-lo, values)
}

// careful reports whether squared distances of the slot's chunk may be lost in rounding, so
// that some have to be computed again.
func (m *matrix[F]) careful(s *slot[F]) bool { return m.gauss && s.unit == 0 }
