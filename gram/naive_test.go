package gram_test

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// naive is a back end that computes by the formula, pair by pair, forms of inner
// products and squared distances alone. It counts its calls.
type naive struct{ binds, calls int }

func (b *naive) Name() string { return "naive" }

func (b *naive) Supports(f kernel.Form, _ data.Source[data.Vector], _ run.Precision) bool {
	return f.Pair == kernel.Dot || f.Pair == kernel.Distance2
}

func (b *naive) Bind(
	f kernel.Form, y data.Source[data.Vector], _ run.Precision,
) (compute.Bound, error) {
	b.binds++
	if data.Dim(y) == 13 {
		return nil, errors.New("thirteen dimensions")
	}
	return naiveBound{b, f, y}, nil
}

type naiveBound struct {
	*naive
	form kernel.Form
	y    data.Source[data.Vector]
}

func (b naiveBound) Against(x data.Source[data.Vector], _ bool) (compute.Matrix, error) {
	return naiveMatrix{b, x}, nil
}

type naiveMatrix struct {
	naiveBound
	x data.Source[data.Vector]
}

func (m naiveMatrix) at(i, j int) float64 {
	x, y := m.x.At(i), m.y.At(j)
	k := m.form.Map.At(m.form.Pair.At(x, y))
	if m.form.Normalized {
		k = kernel.Cosine(k, m.form.Map.At(m.form.Pair.At(x, x)), m.form.Map.At(m.form.Pair.At(y, y)))
	}
	return k
}

func (m naiveMatrix) Block64(ctx context.Context, _ run.Control, dst []float64) error {
	m.calls++
	for at := range dst {
		dst[at] = m.at(at/m.y.Len(), at%m.y.Len())
	}
	return ctx.Err()
}

func (m naiveMatrix) Block32(ctx context.Context, _ run.Control, dst []float32) error {
	m.calls++
	for at := range dst {
		dst[at] = float32(m.at(at/m.y.Len(), at%m.y.Len()))
	}
	return ctx.Err()
}

func (m naiveMatrix) Product(ctx context.Context, _ run.Control, dst, v *data.Matrix) error {
	m.calls++
	for k := range v.Rows {
		for i := range m.x.Len() {
			dst.Row(k)[i] = m.row(i, v.Row(k))
		}
	}
	return ctx.Err()
}

func (m naiveMatrix) row(i int, v []float64) float64 {
	sum := 0.0
	for j := range v {
		sum += m.at(i, j) * v[j]
	}
	return sum
}

func (m naiveMatrix) ProductNormal(
	ctx context.Context, _ run.Control, dst, v, u *data.Matrix, weight []float64,
) error {
	m.calls++
	clear(dst.Data)
	for k := range dst.Rows {
		for i := range m.x.Len() {
			a := 0.0
			if v != nil {
				a = m.row(i, v.Row(k))
			}
			if u != nil {
				a += u.Row(k)[i]
			}
			if weight != nil {
				a *= weight[i]
			}
			for j := range m.y.Len() {
				dst.Row(k)[j] += m.at(i, j) * a
			}
		}
	}
	return ctx.Err()
}
