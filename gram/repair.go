package gram

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// A similarity that is no kernel on a sample can be made one there by changing the
// spectrum of its Gram matrix G = V·Λ·Vᵀ. Each of the following returns a new
// matrix that is positive semidefinite to rounding; G must be symmetric, and only
// its symmetric part is used. What they do holds for the sample alone: a new
// instance is met by the changed similarity V·f(Λ)·Λ⁻¹·Vᵀ·K(sample, x) and not by
// K(·, x) itself, except under Shift. The cost is about 12·n³ operations.

// Clip sets negative eigenvalues to 0: the positive semidefinite matrix that is
// nearest to G in the Frobenius norm (Higham 1988). It takes the negative part
// for noise.
func Clip(g *data.Matrix) (*data.Matrix, error) {
	return reshape(g, func(lambda float64) float64 { return max(0, lambda) })
}

// Flip replaces eigenvalues by their absolute values: it takes the negative part
// for signal of the wrong sign (Graepel, Herbrich, Bollmann-Sdorra and Obermayer
// 1998).
func Flip(g *data.Matrix) (*data.Matrix, error) { return reshape(g, math.Abs) }

// Shift adds -λ to the diagonal, where λ is the smallest eigenvalue, if that is
// negative (Roth, Laub, Kawanabe and Buhmann 2003). Similarities of different
// instances stay as they are; every instance gets more like itself.
func Shift(g *data.Matrix) (*data.Matrix, error) {
	if err := finite(g); err != nil {
		return nil, err
	}
	var v Verdict
	out := symmetric(g, &v)
	values, _, err := linalg.Eigen(context.Background(), run.Control{}, out)
	if err != nil {
		return nil, errors.New("the eigenvalues of the Gram matrix did not converge")
	}
	if len(values) > 0 && values[0] < 0 {
		for i := range out.Rows {
			out.Data[i*out.Cols+i] -= values[0]
		}
	}
	return out, nil
}

// reshape returns V·f(Λ)·Vᵀ for an f that is at least 0, as B·Bᵀ with B = V·√f(Λ).
func reshape(g *data.Matrix, f func(lambda float64) float64) (*data.Matrix, error) {
	if err := finite(g); err != nil {
		return nil, err
	}
	var v Verdict
	values, b, err := linalg.Eigen(context.Background(), run.Control{}, symmetric(g, &v))
	if err != nil {
		return nil, errors.New("the eigenvalues of the Gram matrix did not converge")
	}
	n := g.Rows
	out := data.NewMatrix(n, n)
	if n == 0 {
		return out, nil
	}
	for j, lambda := range values {
		root := math.Sqrt(f(lambda))
		for i := range n {
			b.Data[i*n+j] *= root
		}
	}
	if err := linalg.MulT(context.Background(), run.Control{}, 1, b, b, 0, out); err != nil {
		return nil, err
	}
	return symmetric(out, &v), nil
}

// finite reports a matrix that is not square or has an entry that is no finite number.
func finite(g *data.Matrix) error {
	if err := (kernel.Precomputed{Matrix: g}).Validate(); err != nil {
		return err
	}
	_, err := largest(g)
	return err
}
