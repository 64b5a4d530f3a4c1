package linalg

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// Conjugate solves A·x = b for a symmetric positive definite A that is known by
// its products alone, by preconditioned conjugate gradients (Hestenes and
// Stiefel 1952).
type Conjugate struct {
	Mul          func(ctx context.Context, dst, v []float64) error // dst = A·v
	Precondition func(dst, r []float64)                            // dst = M⁻¹·r, M near A; nil for M = I
	Tolerance    float64                                           // on |b - A·x| relative to |b|
	MaxSteps     int
	Step         func(steps int, residual float64) // told after each step; may be nil
}

// Solve improves x, the first guess, until the residual is within Tolerance or
// MaxSteps are done. It returns the steps taken and the relative residual as the
// recurrence has it. When Mul fails, x is the best so far.
func (c Conjugate) Solve(ctx context.Context, x, b []float64) (steps int, residual float64, err error) {
	n := len(b)
	r, z, p, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	size := math.Sqrt(vmath.Dot(b, b))
	if size == 0 {
		clear(x)
		return 0, 0, nil
	}
	if err := c.Mul(ctx, q, x); err != nil {
		return 0, 1, err
	}
	for i := range r {
		r[i] = b[i] - q[i]
	}
	c.precondition(z, r)
	copy(p, z)
	rz := vmath.Dot(r, z)
	for residual = math.Sqrt(vmath.Dot(r, r)) / size; residual > c.Tolerance && steps < c.MaxSteps; {
		if err := c.Mul(ctx, q, p); err != nil {
			return steps, residual, err
		}
		curvature := vmath.Dot(p, q)
		if !(curvature > 0) {
			return steps, residual, nil // A is singular to rounding along p: no better x is to be had
		}
		alpha := rz / curvature
		vmath.Axpy(x, alpha, p)
		vmath.Axpy(r, -alpha, q)
		c.precondition(z, r)
		next := vmath.Dot(r, z)
		beta := next / rz
		rz = next
		for i := range p {
			p[i] = z[i] + beta*p[i]
		}
		steps++
		residual = math.Sqrt(vmath.Dot(r, r)) / size
		if c.Step != nil {
			c.Step(steps, residual)
		}
	}
	return steps, residual, nil
}

func (c Conjugate) precondition(dst, r []float64) {
	if c.Precondition == nil {
		copy(dst, r)
		return
	}
	c.Precondition(dst, r)
}
