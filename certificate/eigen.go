package certificate

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

const (
	lanczosSteps = 80   // at most
	lanczosEvery = 8    // steps between two looks at the Ritz value
	ritzError    = 1e-3 // relative, at which a Ritz value is good enough to be proved
	roughError   = 3e-2 // relative, at which it is good enough to choose by
)

// topRitz returns an estimate from below of the largest eigenvalue of the first
// n rows and columns of a symmetric positive semidefinite matrix, by Lanczos's
// method with full orthogonalisation: 2n² operations a step, 80 steps at most.
// It stops where some eigenvalue is within the relative tolerance of it.
//
// Reference: Golub and Van Loan, Matrix Computations, section 10.1.
func topRitz(ctx context.Context, ctl run.Control, a *data.Matrix, n int, tolerance float64) (float64, error) {
	if n == 0 {
		return 0, nil
	}
	var (
		basis       [][]float64
		alpha, beta []float64
	)
	rng := seed.Stream(0, seed.Noise, uint64(n))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	vmath.Scale(v, 1/math.Sqrt(vmath.Dot(v, v)))
	top, size := 0.0, 0.0
	for step := 1; step <= min(n, lanczosSteps); step++ {
		basis = append(basis, v)
		next := make([]float64, n)
		if err := product(ctx, ctl, next, a, v); err != nil {
			return 0, err
		}
		alpha = append(alpha, vmath.Dot(v, next))
		for range 2 { // twice is enough to be orthogonal to rounding
			for _, u := range basis {
				vmath.Axpy(next, -vmath.Dot(u, next), u)
			}
		}
		rest := math.Sqrt(vmath.Dot(next, next))
		size = max(size, math.Abs(alpha[step-1]), rest)
		last := step == min(n, lanczosSteps) || rest <= 1e-13*size
		if last || step%lanczosEvery == 0 {
			theta, foot := tridiagonalTop(alpha, beta)
			top = max(top, theta)
			if last || rest*foot <= tolerance*theta {
				break
			}
		}
		beta = append(beta, rest)
		vmath.Scale(next, 1/rest)
		v = next
	}
	return top, nil
}

// product sets dst = A·v for the first len(v) rows and columns of A, block of
// rows by block.
func product(ctx context.Context, ctl run.Control, dst []float64, a *data.Matrix, v []float64) error {
	n := len(v)
	return par.For(ctx, ctl, "", par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			dst[i] = vmath.Dot(a.Row(i)[:n], v)
		}
		return nil
	})
}

// tridiagonalTop returns the largest eigenvalue of the symmetric tridiagonal
// matrix and the size of the last coordinate of its eigenvector.
func tridiagonalTop(alpha, beta []float64) (value, foot float64) {
	n := len(alpha)
	t := data.NewMatrix(n, n)
	for i := range n {
		t.Row(i)[i] = alpha[i]
		if i > 0 {
			t.Row(i)[i-1], t.Row(i - 1)[i] = beta[i-1], beta[i-1]
		}
	}
	values, vectors, err := linalg.Eigen(context.Background(), run.Control{Workers: 1}, t)
	if err != nil {
		return 0, math.Inf(1)
	}
	return values[n-1], math.Abs(vectors.Row(n - 1)[n-1])
}

// topUpper returns an upper bound on the largest eigenvalue of the first n rows
// and columns of a positive semidefinite matrix, and overwrites the matrix.
//
// An estimate θ from below proves nothing, so the bound is c = θ·(1 + 1e-3)
// where c·I - A has a Cholesky factorisation, which shows that no eigenvalue is
// above c; where it has none, c is raised. The largest sum of absolute values of
// a row is the last resort (Gershgorin). The cost is n³/3 operations a trial, of
// which there is mostly one.
func topUpper(ctx context.Context, ctl run.Control, a *data.Matrix, n int) (float64, error) {
	if n == 0 {
		return 0, nil
	}
	a = leading(a, n)
	theta, err := topRitz(ctx, ctl, a, n, ritzError)
	if err != nil {
		return 0, err
	}
	diagonal, trace, rows := make([]float64, n), 0.0, 0.0
	for i := range n {
		diagonal[i] = a.Row(i)[i]
		trace += diagonal[i]
		sum := 0.0
		for _, v := range a.Row(i) {
			sum += math.Abs(v)
		}
		rows = max(rows, sum)
	}
	theta = max(theta, trace/float64(n))
	for _, slack := range []float64{1e-3, 1e-2, 1e-1, 1} {
		c := theta * (1 + slack)
		if c >= rows {
			break
		}
		ok, err := below(ctx, ctl, a, diagonal, c)
		if err != nil {
			return 0, err
		}
		if ok {
			// The factorisation is that of a matrix within n²·2⁻⁵² of c·I - A.
			return c * (1 + float64(n)*float64(n)*0x1p-52), nil
		}
	}
	return rows, nil
}

// leading moves the first n rows and columns of a together, in its own memory.
func leading(a *data.Matrix, n int) *data.Matrix {
	for i := range n {
		copy(a.Data[i*n:(i+1)*n], a.Row(i)[:n])
	}
	return &data.Matrix{Rows: n, Cols: n, Data: a.Data[:n*n]}
}

// below reports whether c·I - A is positive definite. A is read above its
// diagonal and given by that; the triangle below is overwritten.
func below(ctx context.Context, ctl run.Control, a *data.Matrix, diagonal []float64, c float64) (bool, error) {
	n := a.Rows
	err := par.For(ctx, ctl, "", par.Blocks(n, mirrorRows), func(b int) error {
		lo, hi := par.Range(b, n, mirrorRows)
		for left := 0; left < hi; left += mirrorRows {
			for i := lo; i < hi; i++ {
				row := a.Row(i)
				for j := left; j < min(left+mirrorRows, i); j++ {
					row[j] = -a.Data[j*n+i]
				}
			}
		}
		for i := lo; i < hi; i++ {
			a.Row(i)[i] = c - diagonal[i]
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	err = linalg.Cholesky(ctx, ctl, a)
	var not *linalg.NotPositiveError
	if errors.As(err, &not) {
		return false, nil
	}
	return err == nil, err
}

// mirrorRows is the size of the squares in which a matrix is mirrored.
const mirrorRows = 64
