package kernel

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// Combined is the ability of a kernel to be computed from the values of other
// kernels at the same pair.
type Combined[T any] interface {
	Combination() Combination[T]
}

// Combination says how: with all p_i = Parts[i](x, y),
//
//	K(x, y) = Map(p_1 + … + p_n)    for Add, of no parts Map(0)
//	K(x, y) = Map(p_1 · … · p_n)    for Multiply, of no parts Map(1)
//
// so that a tile of K is made of the tiles of its parts. Parts may be
// combinations themselves.
type Combination[T any] struct {
	Op    Operation
	Parts []Kernel[T]
	Map   Scalar
}

// Operation joins the parts of a combination.
type Operation uint8

// The operations.
const (
	Add Operation = iota
	Multiply
)

// CombinationOf returns how a kernel is made of others, and false where it is not.
// Whoever computes tiles asks for a Form and for Explicit first: they need one
// tile instead of several.
func CombinationOf[T any](k Kernel[T]) (Combination[T], bool) {
	if c, ok := k.(Combined[T]); ok {
		return c.Combination(), true
	}
	return Combination[T]{}, false
}

// Eval returns the value of the combination, from its definition.
func (c Combination[T]) Eval(x, y T) float64 {
	return c.fold(func(k Kernel[T]) float64 { return k.Eval(x, y) })
}

// fold joins the values of the parts.
func (c Combination[T]) fold(value func(k Kernel[T]) float64) float64 {
	sum, product := 0.0, 1.0
	for _, k := range c.Parts {
		v := value(k)
		sum += v
		product *= v
	}
	if c.Op == Multiply {
		return c.Map.At(product)
	}
	return c.Map.At(sum)
}

// prepare is Prepare of the combination.
func (c Combination[T]) prepare(y T) func(x T) float64 {
	with := make([]func(x T) float64, len(c.Parts))
	for i, k := range c.Parts {
		with[i] = Prepare(k, y)
	}
	return func(x T) float64 {
		sum, product := 0.0, 1.0
		for _, f := range with {
			v := f(x)
			sum += v
			product *= v
		}
		if c.Op == Multiply {
			return c.Map.At(product)
		}
		return c.Map.At(sum)
	}
}

// diag returns the value of the combination at x and x.
func (c Combination[T]) diag(x T) float64 {
	return c.fold(func(k Kernel[T]) float64 { return Diag(k, x) })
}

// identity is s ↦ s.
var identity = Scalar{Op: Identity, A: 1}

// plain reports whether the form is of the shape A·Pair + B.
func (f Form) plain() bool { return f.Map.Op == Identity && !f.Normalized }

// positiveDiag reports whether k(x, x) of the form, before it is normalised, is at
// least 0 for every x.
func (f Form) positiveDiag() bool {
	distance := f.Pair != Dot && f.Pair != Tanimoto && f.Pair != Min
	switch f.Map.Op {
	case Exp:
		return true
	case Identity, Power:
		return f.Map.B >= 0 && (distance || f.Map.A >= 0)
	}
	return false
}

// formWithin returns the form of a part. A kernel that lists its features and has
// no form is their inner product. Vectors alone are told apart from their
// features: a form there is one of the vectors themselves.
func formWithin[T any](k Kernel[T]) (Form, bool) {
	if f, ok := FormOf(k); ok || onVectors[T]() {
		return f, ok
	}
	_, f, ok := ExplicitOf(k)
	return f, ok
}

func onVectors[T any]() bool {
	var x T
	_, ok := any(x).(data.Vector)
	return ok
}

// explicitWithin is what a kernel f(k) lists where it applies another form to the
// features of k.
func explicitWithin[T any](k Kernel[T], form Form, formed bool) (Explicit[T], Form, bool) {
	e, _, ok := ExplicitOf(k)
	return e, form, ok && formed
}

// The levels of the grammar, weakest first: what stands at a level needs
// parentheses inside one that is not weaker.
const (
	levelSum = 1 + iota
	levelProduct
	levelPower
	levelAtom
)

// leveled is a kernel that prints as an expression and not as a name.
type leveled interface{ level() int }

// inside prints a part of an expression of the given level.
func inside(k any, level int) string {
	if l, ok := k.(leveled); ok && l.level() <= level {
		return fmt.Sprintf("(%v)", k)
	}
	return fmt.Sprint(k)
}

// join prints parts with an operator between them.
func join[T any](parts []Kernel[T], operator string, level int) string {
	texts := make([]string, len(parts))
	for i, k := range parts {
		texts[i] = inside(k, level)
	}
	return strings.Join(texts, operator)
}

// validateAll reports what is wrong with any of the parts.
func validateAll[T any](parts []Kernel[T]) error {
	faults := make([]error, len(parts))
	for i, k := range parts {
		if k == nil {
			faults[i] = errors.New("a part of a combined kernel is missing")
			continue
		}
		faults[i] = Validate(k)
	}
	return errors.Join(faults...)
}

// Constant is K(x, y) = Value, a kernel for Value ≥ 0. Added to another kernel it
// is a constant coordinate √Value of φ: a separator gains a bias.
type Constant[T any] struct {
	Value float64
}

// Validate reports a negative Value.
func (k Constant[T]) Validate() error {
	if !(k.Value >= 0) || math.IsInf(k.Value, 0) {
		return fmt.Errorf("the constant kernel %v must be a number of at least 0", k.Value)
	}
	return nil
}

// Eval returns Value.
func (k Constant[T]) Eval(_, _ T) float64 { return k.Value }

// Combination returns Value and no parts.
func (k Constant[T]) Combination() Combination[T] {
	return Combination[T]{Map: Scalar{Op: Identity, A: 1, B: k.Value}}
}

func (k Constant[T]) String() string { return fmt.Sprint(k.Value) }
