package kernel

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// Gaussian is K(x, y) = exp(-Gamma·|x - y|²), the RBF kernel. It is a kernel
// for every Gamma > 0 and separates any finite set of distinct points.
//
// The sources write the width in two other ways; each has a constructor:
//
//	GaussianWidth(σ)     exp(-|x - y|²/(2σ²))   Tao's lecture, "bandwidth"
//	GaussianVariance(σ)  exp(-|x - y|²/(2σ))    Shalev-Shwartz and Ben-David 2014, chapter 16
type Gaussian struct {
	Gamma float64
}

// GaussianWidth returns exp(-|x - y|²/(2σ²)).
func GaussianWidth(sigma float64) Gaussian { return Gaussian{Gamma: 1 / (2 * sigma * sigma)} }

// GaussianVariance returns exp(-|x - y|²/(2σ)).
func GaussianVariance(sigma float64) Gaussian { return Gaussian{Gamma: 1 / (2 * sigma)} }

// Validate reports a Gamma that is not a positive number.
func (k Gaussian) Validate() error {
	if !(k.Gamma > 0) || math.IsInf(k.Gamma, 0) {
		return fmt.Errorf("rbf: gamma is %v and must be a positive number", k.Gamma)
	}
	return nil
}

// Eval returns K(x, y).
func (k Gaussian) Eval(x, y data.Vector) float64 { return k.scalar().At(x.Distance2(y)) }

// Diag returns 1.
func (Gaussian) Diag(data.Vector) float64 { return 1 }

// Form returns the exponential of the squared distance.
func (k Gaussian) Form() (Form, bool) { return Form{Pair: Distance2, Map: k.scalar()}, true }

func (k Gaussian) scalar() Scalar { return Scalar{Op: Exp, A: -k.Gamma} }

func (k Gaussian) String() string { return fmt.Sprintf("rbf(gamma=%v)", k.Gamma) }
