package kernelized

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// steps runs conjugate gradients (Hestenes and Stiefel 1952) on A·x = b for
// several b at once, a row each, so that one product with A serves all that are
// still open. Each develops as it would alone.
type steps struct {
	b, x, r   *data.Matrix // r = b - A·x
	p         *data.Matrix // the directions
	rr        []float64    // |r|² of each
	tolerance float64      // on |r| relative to |b|
	open      []int        // those that have not converged
}

// begin sets out from x and r.
func (s *steps) begin() {
	s.p = clone(s.r)
	s.rr = make([]float64, s.r.Rows)
	for k := range s.rr {
		s.rr[k] = vmath.Dot(s.r.Row(k), s.r.Row(k))
		s.open = append(s.open, k)
	}
	s.close()
}

// close leaves out what has converged.
func (s *steps) close() {
	s.open = slices.DeleteFunc(s.open, func(k int) bool {
		b := s.b.Row(k)
		return math.Sqrt(s.rr[k]) <= s.tolerance*math.Sqrt(vmath.Dot(b, b)) || s.rr[k] == 0
	})
}

// worst returns the largest |r| relative to |b|.
func (s *steps) worst() float64 {
	most := 0.0
	for k, rr := range s.rr {
		if b := s.b.Row(k); rr > 0 {
			most = max(most, math.Sqrt(rr/vmath.Dot(b, b)))
		}
	}
	return most
}

// directions returns the directions of those that are open.
func (s *steps) directions() *data.Matrix {
	d := data.NewMatrix(len(s.open), s.p.Cols)
	for i, k := range s.open {
		copy(d.Row(i), s.p.Row(k))
	}
	return d
}

// step goes along the directions; w is the product of A with them.
func (s *steps) step(w *data.Matrix) {
	flat := map[int]bool{}
	for i, k := range s.open {
		x, r, p := s.x.Row(k), s.r.Row(k), s.p.Row(k)
		curvature := vmath.Dot(p, w.Row(i))
		length := s.rr[k] / curvature
		if !(curvature > 0) || math.IsInf(length, 0) || math.IsNaN(length) {
			flat[k] = true // A is singular to rounding along p: no better x is to be had
			continue
		}
		vmath.Axpy(x, length, p)
		vmath.Axpy(r, -length, w.Row(i))
		next := vmath.Dot(r, r)
		turn := next / s.rr[k]
		s.rr[k] = next
		for j := range p {
			p[j] = r[j] + turn*p[j]
		}
	}
	s.open = slices.DeleteFunc(s.open, func(k int) bool { return flat[k] })
	s.close()
}
