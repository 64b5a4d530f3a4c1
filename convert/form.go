package convert

import (
	"math"

	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// svmKernel is a kernel that LIBSVM has.
type svmKernel struct {
	name   string
	degree int
	gamma  float64
	coef0  float64
}

// svmForm is such a kernel times a factor, which goes into the coefficients.
type svmForm struct {
	kernel svmKernel
	factor float64
}

var linearKernel = svmKernel{name: foreign.Linear}

// mostDegree bounds the degree of polynomials that are written: LIBSVM multiplies.
const mostDegree = 1000

// formOf returns the kernel of LIBSVM that a kernel is, and false where it is none.
func formOf(k kernel.Kernel[data.Vector]) (svmForm, bool) {
	f, ok := kernel.FormOf(k)
	if !ok {
		return svmForm{}, false
	}
	m := f.Map
	if f.Normalized {
		if f.Pair != kernel.Distance2 || m.Op != kernel.Exp {
			return svmForm{}, false
		}
		m.B = 0 // K(x, x) is exp(B) everywhere
	}
	switch {
	case f.Pair == kernel.Dot && m.Op == kernel.Identity && m.A == 1 && m.B == 0:
		return svmForm{linearKernel, 1}, true
	case f.Pair == kernel.Dot && m.Op == kernel.Identity:
		return svmForm{svmKernel{foreign.Polynomial, 1, m.A, m.B}, 1}, true
	case f.Pair == kernel.Dot && m.Op == kernel.Power && m.P >= 1 && m.P <= mostDegree && m.P == math.Trunc(m.P):
		return svmForm{svmKernel{foreign.Polynomial, int(m.P), m.A, m.B}, 1}, true
	case f.Pair == kernel.Dot && m.Op == kernel.Tanh:
		return svmForm{svmKernel{foreign.Sigmoid, 0, m.A, m.B}, 1}, true
	case f.Pair == kernel.Distance2 && m.Op == kernel.Exp && m.A < 0:
		return svmForm{svmKernel{foreign.RBF, 0, -m.A, 0}, math.Exp(m.B)}, true
	}
	return svmForm{}, false
}

// kernelOf returns the kernel that a file of LIBSVM names.
func kernelOf(m *foreign.SVM) kernel.Kernel[data.Vector] {
	switch m.Kernel {
	case foreign.Polynomial:
		return kernel.Polynomial{Degree: m.Degree, Coef: m.Coef0, Gamma: m.Gamma}
	case foreign.RBF:
		return kernel.Gaussian{Gamma: m.Gamma}
	case foreign.Sigmoid:
		return kernel.Sigmoid{Gamma: m.Gamma, Coef: m.Coef0}
	}
	return kernel.Linear{}
}
