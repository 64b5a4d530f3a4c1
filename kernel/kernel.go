// Package kernel holds similarity functions K(x, y) on instances of any type.
//
// A kernel is any value with a method Eval; Func makes one of a closure. The
// kernels of this package are small immutable value types that print as the
// text which package spec reads back: Gaussian{Gamma: 0.5} is "rbf(gamma=0.5)".
//
// What more a kernel can do is an optional interface, asked for by a function
// of this package and never by the caller: Diag for K(x, x), FormOf for the
// description that lets back ends compute whole tiles of K at once.
// Combinators pass abilities on.
//
// Kernels are immutable and safe for concurrent use.
package kernel

// Kernel is a similarity function on instances of type T. Eval must be
// symmetric and safe for concurrent use. A legal kernel is an inner product
// K(x, y) = ⟨φ(x), φ(y)⟩ for some map φ; mapping F1 works without that.
type Kernel[T any] interface {
	Eval(x, y T) float64
}

// Func makes a kernel of any function.
type Func[T any] func(x, y T) float64

// Eval returns f(x, y).
func (f Func[T]) Eval(x, y T) float64 { return f(x, y) }

// Diagonal is the ability to give K(x, x) at less than the cost of Eval.
type Diagonal[T any] interface {
	Diag(x T) float64
}

// Diag returns K(x, x).
func Diag[T any](k Kernel[T], x T) float64 {
	if d, ok := k.(Diagonal[T]); ok {
		return d.Diag(x)
	}
	return k.Eval(x, x)
}
