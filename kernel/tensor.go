package kernel

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// Part is a kernel on one part of an instance: K(x, y) = Of(Get(x), Get(y)). It is a
// kernel if Of is. A row of a table with numbers, a text and a set has a part
// each, and their Sum or Product (the tensor product of their feature spaces) is
// a kernel on rows.
//
// Get must be a pure function. It is called for every pair, but once for an
// instance where tiles are computed.
type Part[T, P any] struct {
	Name string // of the part, for people; may be empty
	Get  func(x T) P
	Of   Kernel[P]
}

// On returns the kernel k on the part that get takes from an instance.
func On[T, P any](get func(x T) P, k Kernel[P]) Part[T, P] { return Part[T, P]{Get: get, Of: k} }

// Validate reports what is wrong with the inner kernel.
func (k Part[T, P]) Validate() error {
	if k.Get == nil || k.Of == nil {
		return fmt.Errorf("the kernel on part %q has no part or no kernel", k.Name)
	}
	return Validate(k.Of)
}

// Eval returns Of(Get(x), Get(y)).
func (k Part[T, P]) Eval(x, y T) float64 { return k.Of.Eval(k.Get(x), k.Get(y)) }

// Diag returns Of(Get(x), Get(x)).
func (k Part[T, P]) Diag(x T) float64 { return Diag(k.Of, k.Get(x)) }

// Prepare takes the part of y once.
func (k Part[T, P]) Prepare(y T) func(x T) float64 {
	with := Prepare(k.Of, k.Get(y))
	return func(x T) float64 { return with(k.Get(x)) }
}

// Vectors returns Get and Of where the part is a vector.
func (k Part[T, P]) Vectors() (get func(x T) data.Vector, of Kernel[data.Vector], ok bool) {
	get, ok = any(k.Get).(func(x T) data.Vector)
	if !ok {
		return nil, nil, false
	}
	of, ok = any(k.Of).(Kernel[data.Vector])
	return get, of, ok
}

func (k Part[T, P]) explicit() (Explicit[T], Form, bool) {
	e, form, ok := ExplicitOf(k.Of)
	if !ok {
		return nil, Form{}, false
	}
	return explicitPart[T, P]{get: k.Get, of: e}, form, true
}

func (k Part[T, P]) String() string {
	if k.Name == "" {
		return fmt.Sprintf("on(%v)", k.Of)
	}
	return fmt.Sprintf("on(%s,%v)", k.Name, k.Of)
}

// explicitPart lists the features of a part.
type explicitPart[T, P any] struct {
	get func(x T) P
	of  Explicit[P]
}

func (e explicitPart[T, P]) Terms(x T, emit func(term uint64, weight float64)) {
	e.of.Terms(e.get(x), emit)
}

// VectorPart is the ability of a kernel to be one of vectors that are taken from
// its instances, so that back ends compute its tiles.
type VectorPart[T any] interface {
	Vectors() (get func(x T) data.Vector, of Kernel[data.Vector], ok bool)
}

// VectorsOf returns the vectors that a kernel takes from its instances and the
// kernel on them, and false where it does no such thing.
func VectorsOf[T any](k Kernel[T]) (get func(x T) data.Vector, of Kernel[data.Vector], ok bool) {
	if p, is := k.(VectorPart[T]); is {
		return p.Vectors()
	}
	return nil, nil, false
}
