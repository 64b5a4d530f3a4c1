package kernel

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// Laplacian is K(x, y) = exp(-Gamma·Σ|x_j - y_j|). It is a kernel for every
// Gamma > 0: a product over the coordinates of exp(-Gamma·|a - b|), the
// characteristic function of the Cauchy distribution (docs/math/kernels.md). It
// falls off with a kink at x = y, where the Gaussian is flat, and forgives a
// large difference in one coordinate more than the Gaussian does.
type Laplacian struct {
	Gamma float64
}

// Validate reports a Gamma that is not a positive number.
func (k Laplacian) Validate() error { return positive("laplace", "gamma", k.Gamma) }

// Eval returns K(x, y).
func (k Laplacian) Eval(x, y data.Vector) float64 { return k.scalar().At(L1.At(x, y)) }

// Diag returns 1.
func (Laplacian) Diag(data.Vector) float64 { return 1 }

// Form returns the exponential of the L1 distance.
func (k Laplacian) Form() (Form, bool) { return Form{Pair: L1, Map: k.scalar()}, true }

func (k Laplacian) scalar() Scalar { return Scalar{Op: Exp, A: -k.Gamma} }

func (k Laplacian) String() string { return fmt.Sprintf("laplace(gamma=%v)", k.Gamma) }

// positive reports a parameter that is not a positive number.
func positive(kernel, name string, value float64) error {
	if !(value > 0) || math.IsInf(value, 0) {
		return fmt.Errorf("%s: %s is %v and must be a positive number", kernel, name, value)
	}
	return nil
}
