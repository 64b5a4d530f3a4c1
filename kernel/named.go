package kernel

import "github.com/kerf-ml/kerf/data"

// Named is a kernel under a name of the user's, by which a model file can refer
// to it: a closure has no text that could be read back.
type Named[T any] struct {
	Name string
	Of   Kernel[T]
}

// Name gives a kernel a name. It computes what the kernel does, as fast.
func Name[T any](name string, k Kernel[T]) Named[T] { return Named[T]{Name: name, Of: k} }

// Eval returns K(x, y).
func (k Named[T]) Eval(x, y T) float64 { return k.Of.Eval(x, y) }

// Diag returns K(x, x).
func (k Named[T]) Diag(x T) float64 { return Diag(k.Of, x) }

// Prepare returns the function x ↦ K(x, y).
func (k Named[T]) Prepare(y T) func(x T) float64 { return Prepare(k.Of, y) }

// Form returns the form of the kernel.
func (k Named[T]) Form() (Form, bool) { return FormOf(k.Of) }

// Vectors returns the vectors that the kernel takes from its instances.
func (k Named[T]) Vectors() (get func(x T) data.Vector, of Kernel[data.Vector], ok bool) {
	return VectorsOf(k.Of)
}

func (k Named[T]) explicit() (Explicit[T], Form, bool) { return ExplicitOf(k.Of) }

// Validate reports what is wrong with the kernel.
func (k Named[T]) Validate() error { return Validate(k.Of) }

// String returns the name.
func (k Named[T]) String() string { return k.Name }
