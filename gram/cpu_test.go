package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// cpu is the tiles of this package as a back end: the same code that Columns runs
// for kernels of every kind, for those on vectors that have a form.
type cpu struct{}

func (cpu) Name() string { return compute.For(run.Float64).Name() }

func (cpu) Supports(f kernel.Form, y data.Source[data.Vector], p run.Precision) bool {
	return compute.For(p).Supports(f, y)
}

func (cpu) Bind(f kernel.Form, y data.Source[data.Vector], p run.Precision) (compute.Bound, error) {
	c := &Columns[data.Vector]{y: y, precision: p, tiler: formed{compute.For(p).Columns(y, f)}}
	c.rows, c.cols = c.tiler.tileSize()
	return cpuBound{c}, nil
}

type cpuBound struct{ columns *Columns[data.Vector] }

func (b cpuBound) Against(x data.Source[data.Vector], _ bool) (compute.Matrix, error) {
	return cpuMatrix{b.columns, x}, nil
}

type cpuMatrix struct {
	columns *Columns[data.Vector]
	x       data.Source[data.Vector]
}

func (m cpuMatrix) Block64(ctx context.Context, ctl run.Control, dst []float64) error {
	return block(ctx, ctl, m.columns, dst, m.x)
}

func (m cpuMatrix) Block32(ctx context.Context, ctl run.Control, dst []float32) error {
	return block(ctx, ctl, m.columns, dst, m.x)
}

func (m cpuMatrix) Product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	return m.columns.productMany(ctx, ctl, dst, m.x, v)
}

func (m cpuMatrix) ProductNormal(
	ctx context.Context, ctl run.Control, dst, v, u *data.Matrix, weight []float64,
) error {
	return m.columns.normalMany(ctx, ctl, dst, m.x, v, u, weight)
}
