package kernel

import "github.com/kerf-ml/kerf/data"

// CosineSimilarity is K(x, y) = ⟨x, y⟩/(|x||y|), the cosine of the angle, and 0
// where x or y is zero. It is the linear kernel, normalised.
type CosineSimilarity struct{}

// Eval returns K(x, y).
func (CosineSimilarity) Eval(x, y data.Vector) float64 {
	return Cosine(x.Dot(y), x.Norm2(), y.Norm2())
}

// Diag returns 1, or 0 for the zero vector.
func (CosineSimilarity) Diag(x data.Vector) float64 {
	if x.Norm2() > 0 {
		return 1
	}
	return 0
}

// Form returns the normalised inner product.
func (CosineSimilarity) Form() (Form, bool) {
	return Form{Pair: Dot, Map: Scalar{Op: Identity, A: 1}, Normalized: true}, true
}

func (CosineSimilarity) String() string { return "cosine" }
