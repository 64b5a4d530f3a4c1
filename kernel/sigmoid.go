package kernel

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// Sigmoid is K(x, y) = tanh(Gamma·⟨x, y⟩ + Coef).
//
// It is no kernel in general, for no choice of parameters: a Gram matrix can
// have negative eigenvalues, and with Coef < 0 even K(x, x) can be negative
// (docs/math/kernels.md). It is here because people use it. Mapping F1 works with
// any similarity; F2 and the learners that need a kernel say so when a sample
// shows that it is none, and Check finds a witness.
type Sigmoid struct {
	Gamma float64
	Coef  float64
}

// NewSigmoid returns tanh(⟨x, y⟩).
func NewSigmoid() Sigmoid { return Sigmoid{Gamma: 1} }

// Validate reports every parameter that is no number, and a Gamma of 0, for which
// the similarity is constant.
func (k Sigmoid) Validate() error {
	var faults []error
	if k.Gamma == 0 || k.Gamma-k.Gamma != 0 {
		faults = append(faults, fmt.Errorf("sigmoid: gamma is %v and must be a number other than 0", k.Gamma))
	}
	if k.Coef-k.Coef != 0 {
		faults = append(faults, fmt.Errorf("sigmoid: coef is %v and must be a number", k.Coef))
	}
	return errors.Join(faults...)
}

// Eval returns K(x, y).
func (k Sigmoid) Eval(x, y data.Vector) float64 { return k.scalar().At(x.Dot(y)) }

// Form returns the hyperbolic tangent of the inner product.
func (k Sigmoid) Form() (Form, bool) { return Form{Pair: Dot, Map: k.scalar()}, true }

func (k Sigmoid) scalar() Scalar { return Scalar{Op: Tanh, A: k.Gamma, B: k.Coef} }

func (k Sigmoid) String() string { return fmt.Sprintf("sigmoid(gamma=%v,coef=%v)", k.Gamma, k.Coef) }
