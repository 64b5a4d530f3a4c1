package kernel

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// RationalQuadratic is K(x, y) = (1 + |x - y|²/(2·Alpha·Length²))^(-Alpha). It is a
// kernel for all positive Alpha and Length: a mixture of Gaussian kernels, of
// widths around Length that spread the more the smaller Alpha is (Rasmussen and
// Williams 2006, section 4.2). The defaults are 1 and 1.
type RationalQuadratic struct {
	Alpha  float64
	Length float64
}

// NewRationalQuadratic returns 1/(1 + |x - y|²/2).
func NewRationalQuadratic() RationalQuadratic { return RationalQuadratic{Alpha: 1, Length: 1} }

// Validate reports every parameter that is not a positive number.
func (k RationalQuadratic) Validate() error {
	return errors.Join(positive("rq", "alpha", k.Alpha), positive("rq", "length", k.Length))
}

// Eval returns K(x, y).
func (k RationalQuadratic) Eval(x, y data.Vector) float64 { return k.scalar().At(x.Distance2(y)) }

// Diag returns 1.
func (RationalQuadratic) Diag(data.Vector) float64 { return 1 }

// Form returns the negative power of the squared distance.
func (k RationalQuadratic) Form() (Form, bool) {
	return Form{Pair: Distance2, Map: k.scalar()}, true
}

func (k RationalQuadratic) scalar() Scalar {
	return Scalar{Op: Power, A: 1 / (2 * k.Alpha * k.Length * k.Length), B: 1, P: -k.Alpha}
}

func (k RationalQuadratic) String() string {
	return fmt.Sprintf("rq(alpha=%v,length=%v)", k.Alpha, k.Length)
}
