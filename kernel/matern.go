package kernel

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// MaternKernel is the Matérn kernel of smoothness Nu at r = √(2·Nu)·|x - y|/Length:
//
//	Nu = 0.5   exp(-r)
//	Nu = 1.5   (1 + r)·exp(-r)
//	Nu = 2.5   (1 + r + r²/3)·exp(-r)
//
// It is a kernel in every dimension, between exp(-|x - y|/Length) and the
// Gaussian of width Length, to which it tends as Nu grows (Rasmussen and Williams
// 2006, section 4.2). Other values of Nu have no closed form of this kind and are
// refused. The defaults are Nu 1.5 and Length 1.
type MaternKernel struct {
	Nu     float64
	Length float64
}

// NewMatern returns the kernel with Nu 1.5 and Length 1.
func NewMatern() MaternKernel { return MaternKernel{Nu: 1.5, Length: 1} }

// Validate reports every parameter that is out of range.
func (k MaternKernel) Validate() error {
	var faults []error
	if k.Nu != 0.5 && k.Nu != 1.5 && k.Nu != 2.5 {
		faults = append(faults, fmt.Errorf("matern: nu is %v and must be 0.5, 1.5 or 2.5", k.Nu))
	}
	return errors.Join(append(faults, positive("matern", "length", k.Length))...)
}

// Eval returns K(x, y).
func (k MaternKernel) Eval(x, y data.Vector) float64 { return k.scalar().At(x.Distance2(y)) }

// Diag returns 1.
func (MaternKernel) Diag(data.Vector) float64 { return 1 }

// Form returns the Matérn function of the squared distance.
func (k MaternKernel) Form() (Form, bool) { return Form{Pair: Distance2, Map: k.scalar()}, true }

func (k MaternKernel) scalar() Scalar {
	return Scalar{Op: Matern, A: 2 * k.Nu / k.Length / k.Length, P: k.Nu}
}

func (k MaternKernel) String() string { return fmt.Sprintf("matern(nu=%v,length=%v)", k.Nu, k.Length) }
