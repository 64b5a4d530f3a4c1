package kernel

import "math"

// Lister is the ability to list the coordinates of φ(x) for a kernel that is faster
// to compute in another way, so that back ends had better not take it for
// Explicit. List keeps what Explicit.Terms does, and ⟨φ(x), φ(y)⟩ is the kernel
// itself.
type Lister[T any] interface {
	List(x T, emit func(term uint64, weight float64))
}

// Listing is a kernel as an inner product of features that can be listed:
//
//	K(x, y) = Factor·⟨φ(x), φ(y)⟩                 of one that lists its features
//	K(x, y) = Factor·Σ_i Parts[i](x, y)           of a sum
//
// where, if Normalized is set, what stands behind Factor is divided by the root of
// its values at x, x and at y, y.
type Listing[T any] struct {
	List       func(x T, emit func(term uint64, weight float64)) // nil for a sum
	Parts      []Listing[T]
	Factor     float64
	Normalized bool
}

// ListingOf returns the listing of a kernel, and false where it has none: products,
// powers and exponentials of kernels, ratios, and kernels that list nothing.
func ListingOf[T any](k Kernel[T]) (Listing[T], bool) {
	switch k := k.(type) {
	case Normalized[T]:
		l, ok := ListingOf(k.Of)
		if l.Normalized || ok && l.Factor == 0 {
			return l, ok // twice is once
		}
		return Listing[T]{List: l.List, Parts: l.Parts, Factor: 1, Normalized: true}, ok
	case Scaled[T]:
		l, ok := ListingOf(k.Of)
		l.Factor *= k.Factor
		return l, ok && k.Factor >= 0
	case Constant[T]:
		return Listing[T]{List: one[T], Factor: k.Value}, k.Value >= 0
	case Summed[T]:
		out := Listing[T]{Factor: 1}
		for _, p := range k.Parts {
			l, ok := ListingOf(p)
			if !ok {
				return Listing[T]{}, false
			}
			out.Parts = append(out.Parts, l)
		}
		return out, true
	case Named[T]:
		return ListingOf(k.Of)
	}
	if l, ok := k.(Lister[T]); ok {
		return Listing[T]{List: l.List, Factor: 1}, true
	}
	e, form, ok := ExplicitOf(k)
	m := form.Map
	if !ok || form.Pair != Dot || m.Op != Identity || !(m.A >= 0) || math.IsInf(m.A, 0) || m.B != 0 {
		return Listing[T]{}, false
	}
	return Listing[T]{List: e.Terms, Factor: m.A, Normalized: form.Normalized}, true
}

// one lists the only feature of the constant kernel.
func one[T any](_ T, emit func(term uint64, weight float64)) { emit(0, 1) }
