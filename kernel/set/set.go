// Package set holds kernels on sets of items: shopping baskets, the words of a
// text, the features that a thing has.
//
// All of them depend on the sizes of x, y and x ∩ y, that is on inner products of
// indicator vectors φ(x), with a coordinate for every item there is. They list
// these coordinates (kernel.Explicit), so that whole tiles are sparse products; no
// list of all items is ever needed. The number of an item's coordinate is a hash
// of its text. Among n different items some two share a number with probability
// about n²/2⁶⁵ (one in 37 million for a million items), and would then count as
// the same item in tiles, though not in Eval. The hash has no secret: who chooses
// the items can make them collide.
package set

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// Intersection is K(x, y) = |x ∩ y|, the inner product of indicator vectors.
type Intersection struct{}

// Eval returns |x ∩ y| in one pass over both.
func (Intersection) Eval(x, y data.Set) float64 { return float64(x.Shared(y)) }

// Diag returns |x|.
func (Intersection) Diag(x data.Set) float64 { return float64(len(x)) }

// Form returns the inner product of indicator vectors.
func (Intersection) Form() (kernel.Form, bool) {
	return kernel.Form{Pair: kernel.Dot, Map: kernel.Scalar{Op: kernel.Identity, A: 1}}, true
}

// Terms lists the items.
func (Intersection) Terms(x data.Set, emit func(term uint64, weight float64)) { terms(x, emit) }

func (Intersection) String() string { return "intersection" }

// Jaccard is K(x, y) = |x ∩ y|/|x ∪ y|, and 1 where both are empty. It is a kernel:
// the probability that a random order of all items has the same first item of x
// and of y (Broder 1997).
type Jaccard struct{}

// Eval returns K(x, y) in one pass over both.
func (Jaccard) Eval(x, y data.Set) float64 {
	return kernel.Ratio(float64(x.Shared(y)), float64(len(x)), float64(len(y)))
}

// Diag returns 1.
func (Jaccard) Diag(data.Set) float64 { return 1 }

// Form returns the Tanimoto ratio of indicator vectors.
func (Jaccard) Form() (kernel.Form, bool) {
	return kernel.Form{Pair: kernel.Tanimoto, Map: kernel.Scalar{Op: kernel.Identity, A: 1}}, true
}

// Terms lists the items.
func (Jaccard) Terms(x data.Set, emit func(term uint64, weight float64)) { terms(x, emit) }

func (Jaccard) String() string { return "jaccard" }

// Conjunction is K(x, y) = Σ_{i=0..Degree} (m choose i) with m = |x ∩ y|: the number of
// conjunctions of at most Degree items ("bread and milk") that hold in both x and
// y, the empty one included. It is a kernel, φ having a coordinate for every
// conjunction, 1 where it holds; a linear separator over φ is a threshold of
// weighted conjunctions. The default Degree is 2.
type Conjunction struct {
	Degree int
}

// NewConjunction returns the kernel of conjunctions of at most two items.
func NewConjunction() Conjunction { return Conjunction{Degree: 2} }

// maxDegree bounds the degree: beyond it a value takes longer than it is worth.
const maxDegree = 64

// Validate reports a Degree that is out of range.
func (k Conjunction) Validate() error {
	if k.Degree < 1 || k.Degree > maxDegree {
		return fmt.Errorf("conjunction: degree is %d and must be from 1 to %d", k.Degree, maxDegree)
	}
	return nil
}

// Eval returns K(x, y) in one pass over both.
func (k Conjunction) Eval(x, y data.Set) float64 { return k.scalar().At(float64(x.Shared(y))) }

// Diag returns the number of conjunctions that hold in x.
func (k Conjunction) Diag(x data.Set) float64 { return k.scalar().At(float64(len(x))) }

// Form returns the number of subsets of the inner product of indicator vectors.
func (k Conjunction) Form() (kernel.Form, bool) {
	return kernel.Form{Pair: kernel.Dot, Map: k.scalar()}, true
}

// Terms lists the items.
func (Conjunction) Terms(x data.Set, emit func(term uint64, weight float64)) { terms(x, emit) }

func (k Conjunction) scalar() kernel.Scalar {
	return kernel.Scalar{Op: kernel.Subsets, A: 1, P: float64(k.Degree)}
}

func (k Conjunction) String() string { return fmt.Sprintf("conjunction(degree=%d)", k.Degree) }

// terms emits the number of every item, with weight 1.
func terms(x data.Set, emit func(term uint64, weight float64)) {
	for _, item := range x {
		emit(Term(item), 1)
	}
}

// Term returns the number of an item's coordinate: FNV-1a of its bytes (Fowler,
// Noll and Vo), then the bijection at the end of MurmurHash3, which spreads the
// differences of short texts over all bits. It is the same in every process.
func Term(item string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(item) {
		h = (h ^ uint64(item[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
