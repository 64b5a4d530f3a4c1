package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Directions are those that a full metric of a part's kernel looks at: the eigenvectors of M,
//
//	d_M(x, y)² = (x - y)ᵀ·M·(x - y) = Σ_k λ_k·⟨v_k, x - y⟩²
//
// so that in the coordinates √λ_k·⟨v_k, x⟩ the distance is the plain one.
type Directions struct {
	Part   int          // of a blend, from 0
	Weight float64      // of the part
	Share  []float64    // λ_k / Σ λ, the largest first
	Along  *data.Matrix // v_k, a row each, of length 1; the coordinate of most weight is positive
	Names  []string     // of the coordinates
	length []float64    // √λ_k
}

// Directions returns the first directions, at most so many, of each part of the model
// whose kernel has a learnt metric that is not diagonal: the directions of one that is are the
// coordinates, of which Diagonals tells. The cost is 9·d³ multiplications for d coordinates.
func (m *Model) Directions(ctx context.Context, ctl run.Control, most int) ([]*Directions, error) {
	return m.rows.directions(ctx, ctl, most)
}

// Places returns the coordinates of rows, one a direction.
func (d *Directions) Places(x *Encoded) *data.Matrix {
	src, ok := x.x.(data.Source[data.Vector])
	if !ok { // the part's kernel is one of vectors
		return data.NewMatrix(0, len(d.Share))
	}
	out := data.NewMatrix(src.Len(), len(d.Share))
	for i := range out.Rows {
		v := src.At(i)
		for k, a := range d.length {
			out.Row(i)[k] = a * v.DotWith(d.Along.Row(k))
		}
	}
	return out
}

func (m encoded[T]) directions(ctx context.Context, ctl run.Control, most int) ([]*Directions, error) {
	var out []*Directions
	for i, part := range m.parts() {
		k, ok := any(part.Kernel).(kernel.Learned)
		if !ok || k.Metric.Diagonal() != nil {
			continue
		}
		d, err := directionsOf(ctx, ctl, k.Metric, most)
		if err != nil {
			return nil, err
		}
		if d != nil {
			d.Part, d.Weight, d.Names = i, part.Weight, vectorColumns{m.e}.names(d.Along.Cols)
			out = append(out, d)
		}
	}
	return out, nil
}

// directionsOf returns the directions of a metric, nil for one that is 0.
func directionsOf(ctx context.Context, ctl run.Control, m *kernel.Metric, most int) (*Directions, error) {
	values, vectors, err := eigenvectors(ctx, ctl, m)
	if err != nil {
		return nil, err
	}
	order, sum := make([]int, len(values)), 0.0
	for j, v := range values {
		values[j] = max(v, 0) // M is positive semidefinite; below 0 is rounding
		order[j], sum = j, sum+values[j]
	}
	if !(sum > 0) {
		return nil, nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	order = order[:min(len(order), most)]
	out := &Directions{Along: data.NewMatrix(len(order), m.Width())}
	for k, j := range order {
		out.Share, out.length = append(out.Share, values[j]/sum), append(out.length, math.Sqrt(values[j]))
		row, top := out.Along.Row(k), 0.0
		for i := range row {
			if row[i] = vectors.Row(i)[j]; math.Abs(row[i]) > math.Abs(top) {
				top = row[i]
			}
		}
		if top < 0 {
			for i := range row {
				row[i] = -row[i]
			}
		}
	}
	return out, nil
}

// eigenvectors returns the eigenvalues of M, and its eigenvectors in columns.
func eigenvectors(ctx context.Context, ctl run.Control, m *kernel.Metric) ([]float64, *data.Matrix, error) {
	t, d := m.Matrix(), m.Width()
	square := data.NewMatrix(d, d)
	for r := range t.Rows {
		row := t.Row(r)
		for i, a := range row {
			for j, b := range row {
				square.Row(i)[j] += a * b
			}
		}
	}
	return linalg.Eigen(ctx, ctl, square)
}
