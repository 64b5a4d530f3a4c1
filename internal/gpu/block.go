package gpu

import (
	"context"
	"runtime"

	"github.com/kerf-ml/kerf/internal/cuda"
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

func block[F, G cuda.Number](ctx context.Context, ctl run.Control, m *matrix[F], dst []G) error {
	if m.n == 0 || m.m == 0 {
		return ctx.Err()
	}
	defer runtime.KeepAlive(m)
	d := delivery[F, F]{width: m.m, ld: padded(m.m)}
	d.make = func(s *slot[F], _ int, rows sideArgs, _ int, out *cuda.Buffer[F]) error {
		return m.store(s, m.careful(s), rows, m.cols(s), out.At(0))
	}
	size := m.engine.size() * d.ld
	err := m.engine.device.Do(func() (err error) {
		d.rows, err = m.rowsAtATime(size, deliveredAhead*size)
		return err
	})
	if err != nil {
		return err
	}
	return deliver(ctx, ctl, m, d, dst)
}
