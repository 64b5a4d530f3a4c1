package certificate

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

const (
	krylovSteps = 8     // blocks, at most
	krylovSpare = 8     // directions in a block beyond those asked for
	dependent   = 1e-10 // relative length of what is left of a vector from which on it is rounding
)

// A ritzSpace holds approximate eigenvectors of the largest eigenvalues of a
// symmetric matrix: no value is above the eigenvalue of its rank.
type ritzSpace struct {
	values  []float64    // descending
	vectors *data.Matrix // a row each, orthonormal
}

// sum adds up the first m values.
func (r ritzSpace) sum(m int) (total float64) {
	for _, v := range r.values[:min(m, len(r.values))] {
		total += max(0, v)
	}
	return total
}

// topSpace finds the m+1 largest eigenvalues of the first n rows and columns of
// a symmetric positive semidefinite matrix from below, by Lanczos's method in
// blocks of a few more vectors than that, so that eigenvalues may coincide. It
// stops where a block adds less than the tolerance to the sum of m. A block of p
// vectors takes 2n²p operations, in matrix products.
//
// Reference: Golub and Van Loan, Matrix Computations, section 10.3.6.
func topSpace(ctx context.Context, ctl run.Control, a *data.Matrix, n, m int, tolerance float64) (ritzSpace, error) {
	wide := a.Cols
	rng := seed.Stream(0, seed.Noise, uint64(n))
	next := data.NewMatrix(min(n, m+krylovSpare), wide)
	for i := range next.Rows {
		for j := range n {
			next.Row(i)[j] = rng.NormFloat64()
		}
	}
	next = orthonormal(next, longest(next))
	basis, image := &data.Matrix{Cols: wide}, &data.Matrix{Cols: wide} // V, and V·A
	var best ritzSpace
	for step := 1; next.Rows > 0; step++ {
		product := data.NewMatrix(next.Rows, wide)
		if err := linalg.Mul(ctx, ctl, 1, next, a, 0, product); err != nil {
			return best, err
		}
		for i := range product.Rows {
			clear(product.Row(i)[n:])
		}
		push(basis, next)
		push(image, product)
		last := best.sum(m)
		var err error
		if best, err = rayleighRitz(ctx, ctl, basis, image, m+1); err != nil {
			return best, err
		}
		if step == krylovSteps || step > 1 && best.sum(m)-last <= tolerance*best.sum(m) {
			break
		}
		size := longest(product)
		for range 2 { // twice is enough to be orthogonal to rounding
			c := data.NewMatrix(product.Rows, basis.Rows)
			if err := linalg.MulT(ctx, ctl, 1, product, basis, 0, c); err != nil {
				return best, err
			}
			if err := linalg.Mul(ctx, ctl, -1, c, basis, 1, product); err != nil {
				return best, err
			}
		}
		next = orthonormal(product, size)
	}
	return best, nil
}

func push(to, rows *data.Matrix) {
	to.Data = append(to.Data, rows.Data...)
	to.Rows += rows.Rows
}

// longest returns the largest squared length of a row.
func longest(a *data.Matrix) (size float64) {
	for i := range a.Rows {
		size = max(size, vmath.Dot(a.Row(i), a.Row(i)))
	}
	return size
}

// orthonormal returns an orthonormal basis of the rows, in their place, without
// those of which nothing but rounding is left beside a squared length.
func orthonormal(a *data.Matrix, size float64) *data.Matrix {
	kept := 0
	for i := range a.Rows {
		v := a.Row(kept)
		copy(v, a.Row(i))
		for range 2 {
			for k := range kept {
				vmath.Axpy(v, -vmath.Dot(a.Row(k), v), a.Row(k))
			}
		}
		if rest := vmath.Dot(v, v); rest > dependent*dependent*size {
			vmath.Scale(v, 1/math.Sqrt(rest))
			kept++
		}
	}
	return &data.Matrix{Rows: kept, Cols: a.Cols, Data: a.Data[:kept*a.Cols]}
}

// rayleighRitz returns the top Ritz values and vectors of A in the span of an
// orthonormal basis V, given V·A.
func rayleighRitz(ctx context.Context, ctl run.Control, basis, image *data.Matrix, top int) (ritzSpace, error) {
	size := basis.Rows
	small := data.NewMatrix(size, size)
	if err := linalg.MulT(ctx, ctl, 1, image, basis, 0, small); err != nil {
		return ritzSpace{}, err
	}
	values, vectors, err := linalg.Eigen(ctx, ctl.Quiet(), small)
	if err != nil {
		return ritzSpace{}, err
	}
	top = min(top, size)
	out := ritzSpace{values: make([]float64, top), vectors: data.NewMatrix(top, basis.Cols)}
	turn := data.NewMatrix(top, size)
	for i := range top {
		out.values[i] = values[size-1-i]
		for k := range size {
			turn.Row(i)[k] = vectors.Row(k)[size-1-i]
		}
	}
	return out, linalg.Mul(ctx, ctl, 1, turn, basis, 0, out.vectors)
}

// sumUpper returns an upper bound on the sum of the m largest eigenvalues of
// the first n rows and columns of a positive semidefinite matrix, and overwrites
// the matrix.
//
// With approximate eigenvectors y_i and numbers d_i ≥ 0, A = Σ d_i·y_i·y_iᵀ + R,
// and the sum is at most Σ d_i + m·λ(R) by the inequality of Ky Fan, whatever
// these are: that λ(R) ≤ c is proved, see topUpper. It is sharp where d_i is the
// eigenvalue less that of rank m+1. The trace bounds the sum as well.
func sumUpper(ctx context.Context, ctl run.Control, a *data.Matrix, n, m int) (float64, error) {
	if m == 1 || n == 0 {
		return topUpper(ctx, ctl, a, n)
	}
	a = leading(a, n)
	trace := 0.0
	for i := range n {
		trace += a.Row(i)[i]
	}
	trace *= 1 + float64(n)*0x1p-52
	if m >= n {
		return trace, nil
	}
	space, err := topSpace(ctx, ctl, a, n, m, ritzError/10)
	if err != nil || len(space.values) <= m {
		return trace, err
	}
	total, floor := 0.0, max(0, space.values[m])
	scaled := data.NewMatrix(m, n)
	for i := range m {
		d := max(0, space.values[i]-floor)
		total += d
		copy(scaled.Row(i), space.vectors.Row(i))
		vmath.Scale(scaled.Row(i), -d)
	}
	vectors := &data.Matrix{Rows: m, Cols: n, Data: space.vectors.Data[:m*n]}
	if err := linalg.TMul(ctx, ctl, 1, scaled, vectors, 1, a); err != nil {
		return 0, err
	}
	c, err := topUpper(ctx, ctl, a, n)
	// The lengths of the y_i are 1 but for rounding, as are the sums.
	return min(trace, (total+float64(m)*c)*(1+float64(n)*0x1p-48)), err
}

// sumRitz returns an estimate from below of the same sum.
func sumRitz(ctx context.Context, ctl run.Control, a *data.Matrix, n, m int) (float64, error) {
	if m == 1 || n == 0 {
		return topRitz(ctx, ctl, a, n, roughError)
	}
	space, err := topSpace(ctx, ctl, a, n, min(m, n), roughError)
	return space.sum(m), err
}
