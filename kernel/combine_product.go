package kernel

import (
	"errors"
	"fmt"
)

// Multiplied is K(x, y) = Π Parts[i](x, y). It is a kernel if all parts are
// (Schur 1911): φ has a coordinate for every choice of one coordinate a part.
type Multiplied[T any] struct {
	Parts []Kernel[T]
}

// Product returns the product of kernels. Products among them are taken apart and
// factors gathered in front, so that 2*a*b is one value however it is put
// together; the product of one is that kernel itself, of none the constant 1.
func Product[T any](parts ...Kernel[T]) Kernel[T] {
	factor := 1.0
	var flat []Kernel[T]
	for _, k := range parts {
		if s, ok := k.(Scaled[T]); ok {
			factor *= s.Factor
			k = s.Of
		}
		switch k := k.(type) {
		case Constant[T]:
			factor *= k.Value
		case Multiplied[T]:
			flat = append(flat, k.Parts...)
		default:
			flat = append(flat, k)
		}
	}
	switch len(flat) {
	case 0:
		return Constant[T]{Value: factor}
	case 1:
		return Scale(factor, flat[0])
	}
	return Scale[T](factor, Multiplied[T]{Parts: flat})
}

// Validate reports what is wrong with any of the parts.
func (k Multiplied[T]) Validate() error { return validateAll(k.Parts) }

// Eval returns the product.
func (k Multiplied[T]) Eval(x, y T) float64 {
	product := 1.0
	for _, p := range k.Parts {
		product *= p.Eval(x, y)
	}
	return product
}

// Diag returns the product of the parts' diagonals.
func (k Multiplied[T]) Diag(x T) float64 { return k.Combination().diag(x) }

// Prepare prepares every part.
func (k Multiplied[T]) Prepare(y T) func(x T) float64 { return k.Combination().prepare(y) }

// Combination returns the parts.
func (k Multiplied[T]) Combination() Combination[T] {
	return Combination[T]{Op: Multiply, Parts: k.Parts, Map: identity}
}

// Form returns the exponential of the sum where all parts are exponentials of the
// same pair operation: two Gaussian kernels are one, and their normalised ones too.
func (k Multiplied[T]) Form() (Form, bool) {
	if len(k.Parts) == 0 || len(k.Parts) > 1 && !onVectors[T]() {
		return Form{}, false
	}
	product, ok := formWithin(k.Parts[0])
	ok = ok && product.Map.Op == Exp
	for _, p := range k.Parts[1:] {
		f, formed := formWithin(p)
		ok = ok && formed && f.Map.Op == Exp && f.Pair == product.Pair && f.Normalized == product.Normalized
		product.Map.A += f.Map.A
		product.Map.B += f.Map.B
	}
	if !ok {
		return Form{}, false
	}
	return product, true
}

func (k Multiplied[T]) level() int     { return levelProduct }
func (k Multiplied[T]) String() string { return join(k.Parts, "*", levelProduct) }

// Powered is K(x, y) = Of(x, y)^N for a whole number N ≥ 1. It is a kernel if Of is,
// being a product of N times the same.
type Powered[T any] struct {
	Of Kernel[T]
	N  int
}

// PowerOf returns k to the power n. A power of a power is one power, and k to the
// power 1 is k.
func PowerOf[T any](k Kernel[T], n int) Kernel[T] {
	if n < 1 {
		return Powered[T]{Of: k, N: n}
	}
	switch inner := k.(type) {
	case Constant[T]:
		return Constant[T]{Value: power(inner.Value, float64(n))}
	case Powered[T]:
		return Powered[T]{Of: inner.Of, N: inner.N * n}
	}
	if n == 1 {
		return k
	}
	return Powered[T]{Of: k, N: n}
}

// Validate reports a power below 1, and what is wrong with the inner kernel.
func (k Powered[T]) Validate() error {
	var fault error
	if k.N < 1 {
		fault = fmt.Errorf("the power %d of a kernel must be a whole number of at least 1", k.N)
	}
	return errors.Join(fault, validateAll([]Kernel[T]{k.Of}))
}

// Eval returns Of(x, y)^N.
func (k Powered[T]) Eval(x, y T) float64 { return power(k.Of.Eval(x, y), float64(k.N)) }

// Diag returns Of(x, x)^N.
func (k Powered[T]) Diag(x T) float64 { return power(Diag(k.Of, x), float64(k.N)) }

// Prepare prepares the inner kernel.
func (k Powered[T]) Prepare(y T) func(x T) float64 { return k.Combination().prepare(y) }

// Combination returns the inner kernel, raised to the power.
func (k Powered[T]) Combination() Combination[T] {
	return Combination[T]{Parts: []Kernel[T]{k.Of}, Map: Scalar{Op: Power, A: 1, P: float64(k.N)}}
}

// Form returns the power of a form A·Pair + B, of a whole power of one, or of an
// exponential. The power of a normalised kernel is the normalised power, where no
// K(x, x) can be negative.
func (k Powered[T]) Form() (Form, bool) {
	f, ok := formWithin(k.Of)
	if !ok || k.N < 1 || f.Normalized && !f.positiveDiag() {
		return Form{}, false
	}
	n := float64(k.N)
	switch f.Map.Op {
	case Identity:
		f.Map.Op, f.Map.P = Power, n
	case Power:
		if f.Map.P < 1 {
			return Form{}, false
		}
		f.Map.P *= n
	case Exp:
		f.Map.A *= n
		f.Map.B *= n
	default:
		return Form{}, false
	}
	return f, true
}

func (k Powered[T]) explicit() (Explicit[T], Form, bool) {
	form, ok := k.Form()
	return explicitWithin(k.Of, form, ok)
}

func (k Powered[T]) level() int     { return levelPower }
func (k Powered[T]) String() string { return fmt.Sprintf("%s^%d", inside(k.Of, levelPower), k.N) }

// Exponential is K(x, y) = exp(Of(x, y)). It is a kernel if Of is: the series
// Σ Of^n/n! is a limit of sums of products of it.
type Exponential[T any] struct {
	Of Kernel[T]
}

// ExpOf returns exp(k).
func ExpOf[T any](k Kernel[T]) Exponential[T] { return Exponential[T]{Of: k} }

// Validate reports what is wrong with the inner kernel.
func (k Exponential[T]) Validate() error { return validateAll([]Kernel[T]{k.Of}) }

// Eval returns exp(Of(x, y)).
func (k Exponential[T]) Eval(x, y T) float64 { return k.scalar().At(k.Of.Eval(x, y)) }

// Diag returns exp(Of(x, x)).
func (k Exponential[T]) Diag(x T) float64 { return k.scalar().At(Diag(k.Of, x)) }

// Prepare prepares the inner kernel.
func (k Exponential[T]) Prepare(y T) func(x T) float64 { return k.Combination().prepare(y) }

// Combination returns the inner kernel, under the exponential.
func (k Exponential[T]) Combination() Combination[T] {
	return Combination[T]{Parts: []Kernel[T]{k.Of}, Map: k.scalar()}
}

// Form returns the exponential of a form A·Pair + B.
func (k Exponential[T]) Form() (Form, bool) {
	f, ok := formWithin(k.Of)
	if !ok || !f.plain() {
		return Form{}, false
	}
	f.Map.Op = Exp
	return f, true
}

func (k Exponential[T]) explicit() (Explicit[T], Form, bool) {
	form, ok := k.Form()
	return explicitWithin(k.Of, form, ok)
}

func (k Exponential[T]) scalar() Scalar { return Scalar{Op: Exp, A: 1} }

func (k Exponential[T]) String() string { return fmt.Sprintf("exp(%v)", k.Of) }
