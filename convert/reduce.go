package convert

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/model"
)

// reduced is a map as an affine function of a simpler one:
//
//	features = matrix·base(x) + offset
//
// Mappings F2 and F3 are linear in the similarities F1, a projection is in the
// coordinates, and a bias coordinate is a constant.
type reduced struct {
	base   feature.Map[data.Vector]
	matrix *data.Matrix // nil for the identity
	offset []float64    // nil for zero
}

// reduce takes a map apart.
func reduce(m feature.Map[data.Vector]) reduced {
	switch m := m.(type) {
	case *feature.Orthogonal[data.Vector]:
		return reduced{base: m.Landmarks(), matrix: m.Inverse()}
	case *feature.Spectral[data.Vector]:
		return reduced{base: m.Landmarks(), matrix: m.Matrix()}
	case *feature.Compressed[data.Vector]:
		f2, a := m.Orthogonal(), m.Projection().Matrix() // a is that of rows: f2·a
		return reduced{base: f2.Landmarks(), matrix: product(transposed(a), f2.Inverse())}
	case feature.Projected:
		a := m.Projection()
		return reduced{base: feature.Identity{Width: a.In()}, matrix: transposed(a.Matrix())}
	case *feature.Lift[data.Vector]:
		inner := reduce(m.Inner())
		d, length := m.Inner().Dim(), math.Hypot(1, m.Unit())
		lifted := reduced{base: inner.base, matrix: data.NewMatrix(d+1, inner.base.Dim()), offset: make([]float64, d+1)}
		for i := range d {
			if inner.matrix == nil {
				lifted.matrix.Row(i)[i] = 1 / length
			} else {
				vmath.Axpy(lifted.matrix.Row(i), 1/length, inner.matrix.Row(i))
			}
			if inner.offset != nil {
				lifted.offset[i] = inner.offset[i] / length
			}
		}
		lifted.offset[d] = m.Unit() / length
		return lifted
	}
	return reduced{base: m}
}

// separators returns the separators of a pipeline that is no blend as those of the
// base: weights, one separator a row, and what is added to the products with them.
func (r reduced) separators(h *model.Head) (*data.Matrix, []float64) {
	w, bias := h.Separators, make([]float64, len(h.Bias))
	for c, b := range h.Bias {
		bias[c] = b * h.Unit
		if r.offset != nil {
			bias[c] += vmath.Dot(w.Row(c), r.offset)
		}
	}
	if r.matrix != nil {
		w = product(w, r.matrix)
	}
	return w, bias
}

// product returns a·b.
func product(a, b *data.Matrix) *data.Matrix {
	out := data.NewMatrix(a.Rows, b.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if v != 0 {
				vmath.Axpy(out.Row(i), v, b.Row(j))
			}
		}
	}
	return out
}

func transposed(a *data.Matrix) *data.Matrix {
	out := data.NewMatrix(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			out.Data[j*a.Rows+i] = v
		}
	}
	return out
}

// partsOf returns the pipelines of a blend, or the one, with their weights.
func partsOf(p *model.Pipeline[data.Vector]) []model.Part[data.Vector] {
	if p.Parts != nil {
		return p.Parts
	}
	return []model.Part[data.Vector]{{Weight: 1, Pipeline: p}}
}

// linear returns the separators of a model as weights of the coordinates, and false
// where it is not linear in them.
func linear(p *model.Pipeline[data.Vector]) (w *data.Matrix, bias []float64, ok bool) {
	bias = make([]float64, len(p.Bias))
	var all []*data.Matrix
	width := 0
	for _, part := range partsOf(p) {
		r := reduce(part.Map)
		one, add := r.separators(&part.Head)
		switch base := r.base.(type) {
		case feature.Identity:
		case *feature.Landmarks[data.Vector]:
			form, known := formOf(base.Kernel())
			if !known || form.kernel != linearKernel {
				return nil, nil, false
			}
			one = collapsed(one, base.Instances())
		default:
			return nil, nil, false
		}
		for c, b := range add {
			bias[c] += part.Weight * b
		}
		all, width = append(all, scaled(one, part.Weight)), max(width, one.Cols)
	}
	w = data.NewMatrix(len(p.Bias), width)
	for _, one := range all {
		for c := range one.Rows {
			vmath.Axpy(w.Row(c)[:one.Cols], 1, one.Row(c))
		}
	}
	return w, bias, true
}

// collapsed returns Σ w_s·z_s for each separator w.
func collapsed(w *data.Matrix, z data.Source[data.Vector]) *data.Matrix {
	out := data.NewMatrix(w.Rows, data.Dim(z))
	for c := range w.Rows {
		for s, v := range w.Row(c) {
			z.At(s).AddTo(out.Row(c), v)
		}
	}
	return out
}
