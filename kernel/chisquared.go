package kernel

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// Chi2 is K(x, y) = exp(-Gamma·Σ (x_j - y_j)²/(|x_j| + |y_j|)) with 0/0 = 0, the
// exponential χ² kernel of histograms (Zhang, Marszalek, Lazebnik and Schmid
// 2007). The default Gamma is 1.
//
// On histograms, whose coordinates are not negative, the denominator is the usual
// x_j + y_j. With the absolute values it is a kernel on all vectors: a number of
// either sign stands for its positive and its negative part, of which one is 0,
// and the formula is the usual one for these (docs/math/kernels.md).
type Chi2 struct {
	Gamma float64
}

// NewChi2 returns the kernel with Gamma 1.
func NewChi2() Chi2 { return Chi2{Gamma: 1} }

// Validate reports a Gamma that is not a positive number.
func (k Chi2) Validate() error { return positive("chi2", "gamma", k.Gamma) }

// Eval returns K(x, y).
func (k Chi2) Eval(x, y data.Vector) float64 { return k.scalar().At(ChiSquared.At(x, y)) }

// Diag returns 1.
func (Chi2) Diag(data.Vector) float64 { return 1 }

// Form returns the exponential of the χ² distance.
func (k Chi2) Form() (Form, bool) { return Form{Pair: ChiSquared, Map: k.scalar()}, true }

func (k Chi2) scalar() Scalar { return Scalar{Op: Exp, A: -k.Gamma} }

func (k Chi2) String() string { return fmt.Sprintf("chi2(gamma=%v)", k.Gamma) }
