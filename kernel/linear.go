package kernel

import "github.com/kerf-ml/kerf/data"

// Linear is K(x, y) = ⟨x, y⟩. It is a kernel, with φ the identity.
type Linear struct{}

// Eval returns ⟨x, y⟩ in time proportional to the stored coordinates.
func (Linear) Eval(x, y data.Vector) float64 { return x.Dot(y) }

// Form returns the identity of the inner product.
func (Linear) Form() (Form, bool) {
	return Form{Pair: Dot, Map: Scalar{Op: Identity, A: 1}}, true
}

func (Linear) String() string { return "linear" }
