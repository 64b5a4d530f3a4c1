package gpu

import (
	"context"
	"runtime"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Block64 sets dst[i·m+j] = K(x_i, y_j).
func (m *matrix[F]) Block64(ctx context.Context, ctl run.Control, dst []float64) error {
	return block(ctx, ctl, m, dst)
}

// Block32 sets dst[i·m+j] = K(x_i, y_j).
func (m *matrix[F]) Block32(ctx context.Context, ctl run.Control, dst []float32) error {
	return block(ctx, ctl, m, dst)
}

// block computes strips of rows; while one is computed and comes back the one before
// is copied to its place.
func block[F, G cuda.Number](ctx context.Context, ctl run.Control, m *matrix[F], dst []G) error {
	if m.n == 0 {
		return nil
	}
	defer runtime.KeepAlive(m)
	ld := padded(m.m)
	size := min(m.chunk, max(tile, staged/(m.engine.size()*ld)/tile*tile))
	return m.call(func(slots []*slot[F]) error {
		return m.chunks(ctx, ctl, size, slots, func(s *slot[F], rows sideArgs, lo, hi int) error {
			if err := room(s.device, &s.k, (hi-lo)*ld); err != nil {
				return err
			}
			if err := m.store(s, m.careful(s), rows, m.columns.view(0, m.m), s.k.At(0)); err != nil {
				return err
			}
			if err := pin(s.device, &s.out, (hi-lo)*m.m); err != nil {
				return err
			}
			from := s.out.Data[:(hi-lo)*m.m]
			if err := s.k.ReadRows(from, ld, m.m, s.stream); err != nil {
				return err
			}
			s.done = func() error { return convert(ctl, dst[lo*m.m:hi*m.m], from) }
			return nil
		})
	})
}

// convertCells is how many values one call of a worker converts.
const convertCells = 1 << 16

func convert[F, G cuda.Number](ctl run.Control, dst []G, from []F) error {
	return par.For(never, ctl.Quiet(), "", par.Blocks(len(dst), convertCells), func(g int) error {
		lo, hi := par.Range(g, len(dst), convertCells)
		if same, ok := any(dst).([]F); ok {
			copy(same[lo:hi], from[lo:hi])
			return nil
		}
		for i := lo; i < hi; i++ {
			dst[i] = G(from[i])
		}
		return nil
	})
}
