package kernel

import (
	"fmt"
	"math"
)

// Normalized is K̂(x, y) = K(x, y)/√(K(x, x)·K(y, y)), so that every |φ(x)| is
// 1 (Blum's survey, section 4.5). Where K(x, x) or K(y, y) is not positive the
// value is 0. If K is a kernel, so is K̂.
type Normalized[T any] struct {
	Of Kernel[T]
}

// Normalize returns the normalised kernel.
func Normalize[T any](k Kernel[T]) Normalized[T] { return Normalized[T]{Of: k} }

// Eval returns K̂(x, y).
func (k Normalized[T]) Eval(x, y T) float64 {
	return Cosine(k.Of.Eval(x, y), Diag(k.Of, x), Diag(k.Of, y))
}

// Diag returns 1, or 0 where K(x, x) is not positive.
func (k Normalized[T]) Diag(x T) float64 {
	if Diag(k.Of, x) > 0 {
		return 1
	}
	return 0
}

// Form returns the form of K with its Normalized set.
func (k Normalized[T]) Form() (Form, bool) {
	f, ok := FormOf(k.Of)
	f.Normalized = true
	return f, ok
}

func (k Normalized[T]) String() string { return fmt.Sprintf("normalize(%v)", k.Of) }

// Validate reports what is wrong with the inner kernel.
func (k Normalized[T]) Validate() error { return Validate(k.Of) }

// Cosine returns xy/√(xx·yy), and 0 where xx or yy is not positive.
func Cosine(xy, xx, yy float64) float64 {
	if !(xx > 0 && yy > 0) {
		return 0
	}
	return xy / (math.Sqrt(xx) * math.Sqrt(yy))
}

// Validate reports what is wrong with a kernel's parameters, if the kernel can
// tell; nil otherwise.
func Validate[T any](k Kernel[T]) error {
	if v, ok := k.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// Unnormalized returns the kernel inside a normalised one and true, or the
// kernel itself and false.
func Unnormalized[T any](k Kernel[T]) (inner Kernel[T], normalized bool) {
	if n, ok := k.(Normalized[T]); ok {
		return n.Of, true
	}
	return k, false
}
