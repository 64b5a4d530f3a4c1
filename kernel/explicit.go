package kernel

// Explicit is the ability to list the coordinates of φ(x) one by one, for
// kernels whose feature space is large and sparse: substrings of a string, items
// of a set. With
//
//	φ(x)_t = Σ of the weights that Terms gives to the term t
//
// the kernel is its Form of φ(x) and φ(y), or ⟨φ(x), φ(y)⟩ where it has none.
// Back ends then compute whole tiles as sparse products instead of going from
// pair to pair.
type Explicit[T any] interface {
	// Terms calls emit for every term of x, in an order that depends on x
	// alone. A term may come more than once; its weights add up. Two terms are
	// the same if and only if their numbers are.
	Terms(x T, emit func(term uint64, weight float64))
}

// ExplicitOf returns the kernel's ability to list its features and the form that
// it applies to them, and false where it has no such ability.
func ExplicitOf[T any](k Kernel[T]) (Explicit[T], Form, bool) {
	inner, normalized := Unnormalized(k)
	if f, ok := inner.(forwarder[T]); ok {
		e, form, ok := f.explicit()
		form.Normalized = form.Normalized || normalized // twice is once: K̂(x, x) is 1 or 0
		return e, form, ok
	}
	e, ok := inner.(Explicit[T])
	if !ok {
		return nil, Form{}, false
	}
	form, formed := FormOf(inner)
	if !formed {
		form = Form{Pair: Dot, Map: Scalar{Op: Identity, A: 1}}
	}
	form.Normalized = form.Normalized || normalized
	return e, form, true
}

// forwarder is a combinator that lists features where its inner kernel does.
type forwarder[T any] interface {
	explicit() (Explicit[T], Form, bool)
}

// Preparer is the ability to do part of the work for one argument once: Prepare
// returns the function x ↦ K(x, y), which must be safe for concurrent use.
type Preparer[T any] interface {
	Prepare(y T) func(x T) float64
}

// Prepare returns the function x ↦ K(x, y).
func Prepare[T any](k Kernel[T], y T) func(x T) float64 {
	if p, ok := k.(Preparer[T]); ok {
		return p.Prepare(y)
	}
	return func(x T) float64 { return k.Eval(x, y) }
}
