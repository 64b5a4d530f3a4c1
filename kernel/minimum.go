package kernel

import "github.com/kerf-ml/kerf/data"

// Minimum is K(x, y) = Σ min(x_j, y_j) of vectors without negative coordinates:
// the histogram intersection, and on the numbers 1 … N the kernel min(x, y) of
// Shalev-Shwartz and Ben-David 2014, chapter 16, exercise 4.
//
// The plain formula is no kernel where coordinates are negative (K(x, x) would
// be). Here a coordinate of either sign stands for its positive and its negative
// part, so that
//
//	K(x, y) = Σ min(|x_j|, |y_j|) over the j at which x_j and y_j have the same sign,
//
// which is a kernel on all vectors and the same without negative coordinates.
type Minimum struct{}

// Eval returns K(x, y).
func (Minimum) Eval(x, y data.Vector) float64 { return Min.At(x, y) }

// Diag returns Σ|x_j|.
func (Minimum) Diag(x data.Vector) float64 { return Min.Self(x) }

// Form returns the sum of minima.
func (Minimum) Form() (Form, bool) {
	return Form{Pair: Min, Map: Scalar{Op: Identity, A: 1}}, true
}

func (Minimum) String() string { return "min" }
