package kernel

import (
	"errors"
	"fmt"
	"math"
)

// Summed is K(x, y) = Σ Parts[i](x, y). It is a kernel if all parts are: φ is the
// parts' φ side by side.
type Summed[T any] struct {
	Parts []Kernel[T]
}

// Sum returns the sum of kernels. Sums among them are taken apart, so that
// a+(b+c), (a+b)+c and a+b+c are the same value; the sum of one is that kernel
// itself, of none the constant 0.
func Sum[T any](parts ...Kernel[T]) Kernel[T] {
	var flat []Kernel[T]
	for _, k := range parts {
		if s, ok := k.(Summed[T]); ok {
			flat = append(flat, s.Parts...)
		} else {
			flat = append(flat, k)
		}
	}
	switch len(flat) {
	case 0:
		return Constant[T]{}
	case 1:
		return flat[0]
	}
	return Summed[T]{Parts: flat}
}

// Validate reports what is wrong with any of the parts.
func (k Summed[T]) Validate() error { return validateAll(k.Parts) }

// Eval returns the sum.
func (k Summed[T]) Eval(x, y T) float64 {
	sum := 0.0
	for _, p := range k.Parts {
		sum += p.Eval(x, y)
	}
	return sum
}

// Diag returns the sum of the parts' diagonals.
func (k Summed[T]) Diag(x T) float64 { return k.Combination().diag(x) }

// Prepare prepares every part.
func (k Summed[T]) Prepare(y T) func(x T) float64 { return k.Combination().prepare(y) }

// Combination returns the parts; constants among them are added at the end.
func (k Summed[T]) Combination() Combination[T] {
	c := Combination[T]{Map: identity}
	for _, p := range k.Parts {
		if constant, ok := p.(Constant[T]); ok {
			c.Map.B += constant.Value
		} else {
			c.Parts = append(c.Parts, p)
		}
	}
	return c
}

// Form returns A·Pair + B where all parts are of that shape with the same pair
// operation. Kernels that list features have each their own, so that of these
// there may be but one, beside constants.
func (k Summed[T]) Form() (Form, bool) {
	c := k.Combination()
	if len(c.Parts) == 0 || len(c.Parts) > 1 && !onVectors[T]() {
		return Form{}, false
	}
	sum, ok := formWithin(c.Parts[0])
	ok = ok && sum.plain()
	for _, p := range c.Parts[1:] {
		f, formed := formWithin(p)
		ok = ok && formed && f.plain() && f.Pair == sum.Pair
		sum.Map.A += f.Map.A
		sum.Map.B += f.Map.B
	}
	sum.Map.B += c.Map.B
	if !ok {
		return Form{}, false
	}
	return sum, true
}

func (k Summed[T]) explicit() (Explicit[T], Form, bool) {
	c := k.Combination()
	if len(c.Parts) != 1 {
		return nil, Form{}, false
	}
	form, ok := k.Form()
	return explicitWithin(c.Parts[0], form, ok)
}

func (k Summed[T]) level() int     { return levelSum }
func (k Summed[T]) String() string { return join(k.Parts, "+", levelSum) }

// Scaled is K(x, y) = Factor·Of(x, y). It is a kernel if Of is and Factor ≥ 0: φ is
// √Factor times that of Of.
type Scaled[T any] struct {
	Factor float64
	Of     Kernel[T]
}

// Scale returns factor·k. A factor of a factor is one factor, and 1·k is k.
func Scale[T any](factor float64, k Kernel[T]) Kernel[T] {
	switch inner := k.(type) {
	case Constant[T]:
		return Constant[T]{Value: factor * inner.Value}
	case Scaled[T]:
		return Scale(factor*inner.Factor, inner.Of)
	}
	if factor == 1 {
		return k
	}
	return Scaled[T]{Factor: factor, Of: k}
}

// Validate reports a negative factor, and what is wrong with the inner kernel.
func (k Scaled[T]) Validate() error {
	var fault error
	if !(k.Factor >= 0) || math.IsInf(k.Factor, 0) {
		fault = fmt.Errorf("the factor %v of a kernel must be a number of at least 0", k.Factor)
	}
	return errors.Join(fault, validateAll([]Kernel[T]{k.Of}))
}

// Eval returns Factor·Of(x, y).
func (k Scaled[T]) Eval(x, y T) float64 { return k.Factor * k.Of.Eval(x, y) }

// Diag returns Factor·Of(x, x).
func (k Scaled[T]) Diag(x T) float64 { return k.Factor * Diag(k.Of, x) }

// Prepare prepares the inner kernel.
func (k Scaled[T]) Prepare(y T) func(x T) float64 { return k.Combination().prepare(y) }

// Combination returns the inner kernel, multiplied.
func (k Scaled[T]) Combination() Combination[T] {
	return Combination[T]{Parts: []Kernel[T]{k.Of}, Map: Scalar{Op: Identity, A: k.Factor}}
}

// Form returns the inner form with its numbers multiplied where it is of the shape
// A·Pair + B. Through other functions a factor cannot be pulled without rounding.
func (k Scaled[T]) Form() (Form, bool) {
	f, ok := formWithin(k.Of)
	if !ok || !f.plain() {
		return Form{}, false
	}
	f.Map.A *= k.Factor
	f.Map.B *= k.Factor
	return f, true
}

func (k Scaled[T]) explicit() (Explicit[T], Form, bool) {
	form, ok := k.Form()
	return explicitWithin(k.Of, form, ok)
}

func (k Scaled[T]) level() int { return levelProduct }

func (k Scaled[T]) String() string {
	if m, ok := k.Of.(Multiplied[T]); ok { // 2*a*b, which Product reads the same way
		return fmt.Sprintf("%v*%v", k.Factor, m)
	}
	return fmt.Sprintf("%v*%s", k.Factor, inside(k.Of, levelProduct))
}
