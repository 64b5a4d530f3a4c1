package kernel

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// StretchedKernel is K(x, y) = exp(-(|x - y|/Length)^Q), the stretched exponential
// of the distance. It is a kernel in every dimension for 0 < Q ≤ 2, and for no
// other Q (Schoenberg 1938; docs/math/kernels.md): the Gaussian at Q = 2, the
// Matérn kernel of smoothness 1/2 at Q = 1. The defaults are Q = 1 and Length 1.
type StretchedKernel struct {
	Q      float64
	Length float64
}

// NewStretched returns the kernel with Q 1 and Length 1.
func NewStretched() StretchedKernel { return StretchedKernel{Q: 1, Length: 1} }

// Validate reports every parameter that is out of range.
func (k StretchedKernel) Validate() error {
	var faults []error
	if !(k.Q > 0 && k.Q <= 2) {
		faults = append(faults, fmt.Errorf("stretched: q is %v and must be above 0 and at most 2", k.Q))
	}
	return errors.Join(append(faults, positive("stretched", "length", k.Length))...)
}

// Eval returns K(x, y).
func (k StretchedKernel) Eval(x, y data.Vector) float64 { return k.scalar().At(x.Distance2(y)) }

// Diag returns 1.
func (StretchedKernel) Diag(data.Vector) float64 { return 1 }

// Form returns the stretched exponential of the squared distance.
func (k StretchedKernel) Form() (Form, bool) { return Form{Pair: Distance2, Map: k.scalar()}, true }

func (k StretchedKernel) scalar() Scalar {
	return Scalar{Op: Stretched, A: 1 / k.Length / k.Length, P: k.Q / 2}
}

func (k StretchedKernel) String() string {
	return fmt.Sprintf("stretched(q=%v,length=%v)", k.Q, k.Length)
}
