package kernel

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// Polynomial is K(x, y) = (Gamma·⟨x, y⟩ + Coef)^Degree.
//
// For an integer Degree ≥ 1, Gamma > 0 and Coef ≥ 0 it is a kernel, whose
// feature space has a coordinate for every monomial up to the degree
// (Shalev-Shwartz and Ben-David 2014, example 16.1; Tao's lecture).
type Polynomial struct {
	Degree int
	Coef   float64
	Gamma  float64
}

// NewPolynomial returns (1 + ⟨x, y⟩)^degree, the kernel of both sources.
func NewPolynomial(degree int) Polynomial { return Polynomial{Degree: degree, Coef: 1, Gamma: 1} }

// Validate reports every parameter that makes it no kernel.
func (k Polynomial) Validate() error {
	var faults []error
	if k.Degree < 1 {
		faults = append(faults, fmt.Errorf("poly: degree is %d and must be at least 1", k.Degree))
	}
	if !(k.Gamma > 0) || math.IsInf(k.Gamma, 0) {
		faults = append(faults, fmt.Errorf("poly: gamma is %v and must be a positive number", k.Gamma))
	}
	if !(k.Coef >= 0) || math.IsInf(k.Coef, 0) {
		faults = append(faults, fmt.Errorf("poly: coef is %v and must be at least 0", k.Coef))
	}
	return errors.Join(faults...)
}

// Eval returns K(x, y).
func (k Polynomial) Eval(x, y data.Vector) float64 { return k.scalar().At(x.Dot(y)) }

// Form returns the power of the inner product.
func (k Polynomial) Form() (Form, bool) { return Form{Pair: Dot, Map: k.scalar()}, true }

func (k Polynomial) scalar() Scalar {
	return Scalar{Op: Power, A: k.Gamma, B: k.Coef, P: float64(k.Degree)}
}

func (k Polynomial) String() string {
	return fmt.Sprintf("poly(degree=%d,coef=%v,gamma=%v)", k.Degree, k.Coef, k.Gamma)
}
