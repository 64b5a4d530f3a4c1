package linear

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

const (
	// stepsPerCheck is how many steps pass between two checks of the inverse.
	stepsPerCheck = 64
	// priceTol is how far below 0 a reduced cost must be, for coordinates of at
	// most 1.
	priceTol = 1e-11
	// pivotTol is the least element that is divided by.
	pivotTol = 1e-9
	// driftTol is how far the inverse may be off before it is corrected.
	driftTol = 1e-11
)

// simplex is a basis of the dual program of Program in standard form, with the
// rows divided by scale,
//
//	min Σ (p + q)   with  Σ_i α_i·y_i·x_i - p + q = 0,  Σ α = 1,  all ≥ 0.
//
// Variable i < n is α_i, n+j is p_j and n+size+j is q_j. The basis B has a
// column for each of its variables, and inverse·B = I. Since the right side is
// the last unit vector, the values of the basic variables are the last column of
// the inverse. The multipliers π = costs·inverse are -w and, last, t: a column
// improves on the basis exactly if it breaks y(w·x) ≥ t or |w_j| ≤ 1.
type simplex struct {
	s       *sample
	n, size int     // rows; coordinates with the constant one
	largest float64 // coordinate, in absolute value
	scale   float64 // the power of two above it
	basis   []int
	member  map[int]bool
	inverse *data.Matrix // (size+1)×(size+1)

	w         *weights // of the basis
	t         float64
	best      *weights // with |w_j| ≤ 1, the largest margin seen
	margin    float64  // of best, in the units of the data
	bland     bool
	stalled   int
	refreshed bool // the last refresh corrected the inverse
}

// newSimplex starts at α = 1 on the first row.
func newSimplex(s *sample) *simplex {
	v := &simplex{s: s, n: len(s.rows), size: s.dim, member: map[int]bool{}, w: newWeights(s.dim),
		best: newWeights(s.dim), margin: math.Inf(-1)}
	if s.unit > 0 {
		v.size++
	}
	largest := s.unit
	for _, x := range s.rows {
		for _, a := range x.Value {
			largest = max(largest, math.Abs(a))
		}
	}
	v.largest, v.scale = largest, powerOfTwo(largest)
	m := v.size + 1
	v.inverse = data.NewMatrix(m, m)
	first := make([]float64, m)
	v.column(first, 0)
	v.basis = make([]int, m)
	for j := range v.size {
		sign, name := 1.0, v.n+j
		if first[j] < 0 {
			sign, name = -1, v.n+v.size+j
		}
		v.basis[j] = name
		v.inverse.Row(j)[j] = -sign
		v.inverse.Row(j)[v.size] = sign * first[j]
	}
	v.inverse.Row(v.size)[v.size] = 1
	for _, name := range v.basis {
		v.member[name] = true
	}
	return v
}

// column writes the column of a variable.
func (v *simplex) column(dst []float64, name int) {
	switch {
	case name < v.n:
		v.s.rows[name].CopyTo(dst)
		if v.size > v.s.dim {
			dst[v.s.dim] = v.s.unit
		}
		vmath.Scale(dst[:v.size], v.s.y[name]/v.scale)
		dst[v.size] = 1
	case name < v.n+v.size:
		clear(dst)
		dst[name-v.n] = -1
	default:
		clear(dst)
		dst[name-v.n-v.size] = 1
	}
}

// price sets w and t from the basis, keeps w where it is the best so far, and
// returns the variable that enters the basis, -1 where none improves on it.
func (v *simplex) price(ctx context.Context, ctl run.Control) (int, error) {
	pi := make([]float64, v.size+1)
	for r, name := range v.basis {
		if name >= v.n {
			vmath.Axpy(pi, 1, v.inverse.Row(r))
		}
	}
	for j := range v.s.dim {
		v.w.w[j] = -pi[j]
	}
	if v.size > v.s.dim {
		v.w.bias = -pi[v.s.dim]
	}
	v.t = pi[v.size]
	enter, worst, least, err := v.priceRows(ctx, ctl)
	if err != nil {
		return -1, err
	}
	v.keep(least)
	for j := range v.size {
		// p_j improves where w_j > 1, q_j where w_j < -1.
		name, cost := v.n+j, 1+pi[j]
		if pi[j] > 0 {
			name, cost = v.n+v.size+j, 1-pi[j]
		}
		if cost >= -priceTol || v.member[name] {
			continue
		}
		if v.bland && enter < 0 || !v.bland && cost < worst {
			enter, worst = name, cost
		}
	}
	return enter, nil
}

// priceRows returns the α that enters: that of the least y(w·x) - t or, by
// Bland's rule, the first that is negative. It also returns that reduced cost
// and the least y(w·x).
func (v *simplex) priceRows(ctx context.Context, ctl run.Control) (enter int, worst, least float64, err error) {
	type found struct {
		row         int
		cost, least float64
	}
	blocks := make([]found, par.Blocks(v.n, blockRows))
	err = par.For(ctx, ctl.Quiet(), "", len(blocks), func(b int) error {
		lo, hi := par.Range(b, v.n, blockRows)
		f := found{row: -1, cost: -priceTol, least: math.Inf(1)}
		for i := lo; i < hi; i++ {
			score := v.s.y[i] * v.s.score(v.w, i) / v.scale
			f.least = min(f.least, score)
			if score-v.t < f.cost && !v.member[i] && !(v.bland && f.row >= 0) {
				f.row, f.cost = i, score-v.t
			}
		}
		blocks[b] = f
		return nil
	})
	enter, worst, least = -1, -priceTol, math.Inf(1)
	for _, f := range blocks {
		least = min(least, f.least)
		if f.row >= 0 && (v.bland && enter < 0 || !v.bland && f.cost < worst) {
			enter, worst = f.row, f.cost
		}
	}
	return enter, worst, least * v.scale, err
}

// keep takes w, with the given least y(w·x), as the best if its margin is the
// largest so far.
func (v *simplex) keep(least float64) {
	largest := math.Abs(v.w.bias)
	for _, a := range v.w.w {
		largest = max(largest, math.Abs(a))
	}
	if !(largest > 0) || math.IsInf(largest, 0) || !(least/largest > v.margin) {
		return
	}
	v.best.copyFrom(v.w)
	v.best.scale(1 / largest)
	v.margin = least / largest
}

// separates reports whether the best w so far has a margin beyond what rounding
// could feign.
func (v *simplex) separates() bool {
	return v.margin > float64(v.size+2)*0x1p-52*v.largest
}

// step takes a variable into the basis and another out. It reports false where
// no element is safe to divide by.
func (v *simplex) step(enter int) bool {
	m := v.size + 1
	a, u := make([]float64, m), make([]float64, m)
	v.column(a, enter)
	for r := range m {
		u[r] = vmath.Dot(v.inverse.Row(r), a)
	}
	leave, ratio := v.leave(u)
	if leave < 0 {
		return false
	}
	if ratio > 0 {
		v.stalled, v.bland = 0, false
	} else if v.stalled++; v.stalled > m {
		v.bland = true
	}
	row := v.inverse.Row(leave)
	vmath.Scale(row, 1/u[leave])
	for r := range m {
		if r != leave && u[r] != 0 {
			vmath.Axpy(v.inverse.Row(r), -u[r], row)
		}
	}
	delete(v.member, v.basis[leave])
	v.member[enter] = true
	v.basis[leave] = enter
	return true
}

// leave returns the place in the basis that is first to reach 0 when the
// entering variable grows, and how far that grows. Of several it is the one with
// the largest element to divide by, or by Bland's rule the first variable.
func (v *simplex) leave(u []float64) (place int, ratio float64) {
	ratio = math.Inf(1)
	for r, a := range u {
		if a > pivotTol {
			ratio = min(ratio, max(0, v.inverse.Row(r)[v.size])/a)
		}
	}
	place = -1
	for r, a := range u {
		if !(a > pivotTol) || max(0, v.inverse.Row(r)[v.size])/a > ratio*(1+1e-12)+1e-15 {
			continue
		}
		if place < 0 || v.bland && v.basis[r] < v.basis[place] || !v.bland && a > u[place] {
			place = r
		}
	}
	return place, ratio
}

// refresh measures how far the inverse has drifted and corrects it by Newton's
// iteration, X ← X + X(I - BX). It reports false where the inverse is lost.
func (v *simplex) refresh(ctx context.Context, ctl run.Control) (bool, error) {
	m := v.size + 1
	b, e := data.NewMatrix(m, m), data.NewMatrix(m, m)
	for r, name := range v.basis {
		v.column(b.Row(r), name) // row r is column r of B
	}
	v.refreshed = false
	if v.drift(b) <= driftTol {
		return true, nil
	}
	for range 4 {
		if err := linalg.TMul(ctx, ctl.Quiet(), -1, b, v.inverse, 0, e); err != nil {
			return false, err
		}
		off := 0.0
		for i := range m {
			e.Row(i)[i]++
			for _, a := range e.Row(i) {
				if !(math.Abs(a) <= off) { // also where a is not a number
					off = math.Abs(a)
				}
			}
		}
		if off <= driftTol {
			return true, nil
		}
		if !(off*float64(m) < 0.5) {
			return false, nil
		}
		next := data.NewMatrix(m, m)
		copy(next.Data, v.inverse.Data)
		if err := linalg.Mul(ctx, ctl.Quiet(), 1, v.inverse, e, 1, next); err != nil {
			return false, err
		}
		v.inverse = next
		v.refreshed = true
	}
	return true, nil
}

// drift probes the inverse with the values of the basic variables, B·values less
// the last unit vector, and with the multipliers, π·B less the costs. Row r of b
// is column r of B.
func (v *simplex) drift(b *data.Matrix) float64 {
	m := v.size + 1
	left, pi := make([]float64, m), make([]float64, m)
	left[v.size] = -1
	for r, name := range v.basis {
		vmath.Axpy(left, v.inverse.Row(r)[v.size], b.Row(r))
		if name >= v.n {
			vmath.Axpy(pi, 1, v.inverse.Row(r))
		}
	}
	off := 0.0
	for r, name := range v.basis {
		cost := 0.0
		if name >= v.n {
			cost = 1
		}
		for _, a := range []float64{left[r], vmath.Dot(pi, b.Row(r)) - cost} {
			if !(math.Abs(a) <= off) {
				off = math.Abs(a)
			}
		}
	}
	return off
}

// certificate returns the α of the basis, with the bound computed from the rows.
func (v *simplex) certificate() Certificate {
	c := Certificate{Margin: v.margin}
	if math.IsInf(c.Margin, 0) {
		c.Margin = 0 // no w has been tried
	}
	alpha, sum := map[int]float64{}, 0.0
	for r, name := range v.basis {
		if a := v.inverse.Row(r)[v.size]; name < v.n && a > 0 {
			alpha[name] = a
			sum += a
		}
	}
	if !(sum > 0) {
		c.Bound = math.Inf(1)
		return c
	}
	p := newWeights(v.s.dim)
	for i := range v.n {
		if a := alpha[i] / sum; a > 0 {
			c.Row, c.Alpha = append(c.Row, i), append(c.Alpha, a)
			v.s.add(p, i, a*v.s.y[i])
		}
	}
	c.Bound = math.Abs(p.bias)
	for _, a := range p.w {
		c.Bound += math.Abs(a)
	}
	return c
}
