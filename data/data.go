// Package data holds instances of any type, their labels, and deterministic
// ways to split them.
//
// An instance is a value of any Go type T: a Vector, a string, a set, or the
// user's own. Source is how the rest of kerf sees a sample of them. Vector is
// the one type for numeric instances, dense or sparse; Matrix and CSR store
// many of them.
//
// Sources are read from many goroutines at once; nothing in kerf writes to one.
package data

// Source is a finite sample of instances. At must be safe for concurrent use
// and always return the same value for the same index.
type Source[T any] interface {
	Len() int
	At(i int) T
}

// Slice is a Source over a Go slice.
type Slice[T any] []T

// Len returns the number of instances.
func (s Slice[T]) Len() int { return len(s) }

// At returns instance i.
func (s Slice[T]) At(i int) T { return s[i] }

// Subset is the Source of the instances of another one at chosen indices, in
// the order of Index. An index may stand in it more than once.
type Subset[T any] struct {
	Of    Source[T]
	Index []int
}

// Len returns the number of chosen instances.
func (s Subset[T]) Len() int { return len(s.Index) }

// At returns the instance at Index[i].
func (s Subset[T]) At(i int) T { return s.Of.At(s.Index[i]) }

// Range is the Source of the instances lo to hi-1 of another one.
type Range[T any] struct {
	Of     Source[T]
	Lo, Hi int
}

// Len returns hi - lo.
func (s Range[T]) Len() int { return s.Hi - s.Lo }

// At returns instance lo + i.
func (s Range[T]) At(i int) T { return s.Of.At(s.Lo + i) }

// Labeled is a sample of instances with a label each. Y is +1 or -1 (float64)
// for a binary problem, a class index (int) for many classes.
//
// Weight, where there is one, has a weight for each instance: one of weight k
// counts as k of them, and one of weight 0 is as if it were not there. Learners
// take it as such; learn.CheckWeights says what weights can be.
type Labeled[T, Y any] struct {
	X      Source[T]
	Y      []Y
	Weight []float64 // nil for 1 each
}

// Select returns the labelled instances at the given indices, with their
// weights, without copying the instances.
func (d Labeled[T, Y]) Select(index []int) Labeled[T, Y] {
	y := make([]Y, len(index))
	for i, j := range index {
		y[i] = d.Y[j]
	}
	out := Labeled[T, Y]{X: Subset[T]{Of: d.X, Index: index}, Y: y}
	if d.Weight != nil {
		out.Weight = make([]float64, len(index))
		for i, j := range index {
			out.Weight[i] = d.Weight[j]
		}
	}
	return out
}
