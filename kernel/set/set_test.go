package set_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
	"github.com/kerf-ml/kerf/run"
)

type sets = kernel.Kernel[data.Set]

// sample returns sets over few items, so that they meet, with empty ones and
// equal ones.
func sample(n int) []data.Set {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x := make([]data.Set, n)
	for i := range x {
		items := make([]string, rng.IntN(9))
		for j := range items {
			items[j] = fmt.Sprintf("item %d", rng.IntN(12))
		}
		x[i] = data.NewSet(items...)
	}
	if n > 4 {
		x[1], x[3], x[4] = x[0], data.NewSet(), nil
	}
	return x
}

func all() []sets {
	return []sets{
		set.Intersection{}, set.Jaccard{}, set.Conjunction{Degree: 1}, set.NewConjunction(), set.Conjunction{Degree: 5},
		kernel.Normalize(sets(set.Intersection{})), kernel.Normalize(sets(set.NewConjunction())),
		kernel.Sum[data.Set](set.Intersection{}, kernel.Constant[data.Set]{Value: 1}),
		kernel.PowerOf[data.Set](set.Jaccard{}, 2),
	}
}

func TestConformance(t *testing.T) {
	for _, k := range all() {
		for _, n := range []int{0, 1, 7, 40} {
			t.Run(fmt.Sprintf("%v/%d", k, n), func(t *testing.T) { kerftest.Kernel(t, k, sample(n)) })
		}
	}
}

// TestExplicit checks that every kernel runs on sparse products: combinators pass
// the features on.
func TestExplicit(t *testing.T) {
	for _, k := range all() {
		e, form, ok := kernel.ExplicitOf(k)
		if !ok {
			t.Errorf("%v lists no features", k)
			continue
		}
		for _, x := range sample(12) {
			for _, y := range sample(12) {
				want, xx, yy := form.Map.At(form.Pair.At(vector(e, x), vector(e, y))), form.Pair.Self(vector(e,
					x)), form.Pair.Self(vector(e, y))
				if form.Normalized {
					want = kernel.Cosine(want, form.Map.At(xx), form.Map.At(yy))
				}
				if got := k.Eval(x, y); math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
					t.Fatalf("%v of %q and %q is %v, by its features %v", k, x, y, got, want)
				}
			}
		}
	}
}

// vector returns the features as a sparse vector over the items of sample.
func vector(e kernel.Explicit[data.Set], x data.Set) data.Vector {
	v := make([]float64, 12)
	e.Terms(x, func(term uint64, weight float64) {
		for i := range v {
			if set.Term(fmt.Sprintf("item %d", i)) == term {
				v[i] += weight
			}
		}
	})
	return data.Dense(v...)
}

// TestDefinitions counts by enumeration: members of intersection and union, and
// conjunctions as subsets of the twelve items.
func TestDefinitions(t *testing.T) {
	mask := func(x data.Set) (m uint) {
		for i := range 12 {
			if x.Has(fmt.Sprintf("item %d", i)) {
				m |= 1 << i
			}
		}
		return m
	}
	x := sample(25)
	for _, a := range x {
		for _, b := range x {
			both, either := mask(a)&mask(b), mask(a)|mask(b)
			check := func(k sets, want float64) {
				t.Helper()
				if got := k.Eval(a, b); math.Abs(got-want) > 1e-15*want {
					t.Fatalf("%v of %q and %q is %v, want %v", k, a, b, got, want)
				}
			}
			check(set.Intersection{}, float64(bits.OnesCount(both)))
			if either == 0 {
				check(set.Jaccard{}, 1)
			} else {
				check(set.Jaccard{}, float64(bits.OnesCount(both))/float64(bits.OnesCount(either)))
			}
			for degree := 1; degree <= 4; degree++ {
				count := 0
				for c := range uint(1 << 12) {
					if c&both == c && bits.OnesCount(c) <= degree {
						count++
					}
				}
				check(set.Conjunction{Degree: degree}, float64(count))
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for _, degree := range []int{-1, 0, 65} {
		if (set.Conjunction{Degree: degree}).Validate() == nil {
			t.Errorf("degree %d passes", degree)
		}
	}
	if err := set.NewConjunction().Validate(); err != nil {
		t.Error(err)
	}
}

// TestTerm holds the numbers of items: they are FNV-1a under a bijection, and
// differ on many texts that differ little.
func TestTerm(t *testing.T) {
	seen := map[uint64]string{}
	for i := range 200000 {
		item := fmt.Sprint(i)
		term := set.Term(item)
		if other, ok := seen[term]; ok {
			t.Fatalf("%q and %q have the same number", item, other)
		}
		seen[term] = item
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte("bread"))
	v := h.Sum64()
	for _, factor := range []uint64{0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53} {
		v = (v ^ v>>33) * factor
	}
	if v ^= v >> 33; v != set.Term("bread") {
		t.Errorf("got %x, want %x", set.Term("bread"), v)
	}
}

// TestUnknownItems meets columns with rows whose items no column has.
func TestUnknownItems(t *testing.T) {
	y := data.Slice[data.Set]{data.NewSet("a", "b"), data.NewSet()}
	x := data.Slice[data.Set]{data.NewSet("a", "c", "d"), data.NewSet("e"), data.NewSet()}
	for _, k := range all() {
		g, err := gram.Bind(k, y).Block(context.Background(), run.Control{}, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			for j := range y {
				if want := k.Eval(x[i], y[j]); math.Abs(g.Row(i)[j]-want) > 1e-14 {
					t.Errorf("%v of %q and %q is %v in a block, want %v", k, x[i], y[j], g.Row(i)[j], want)
				}
			}
		}
	}
}

func ExampleConjunction() {
	k := set.NewConjunction()
	x, y := data.NewSet("bread", "milk", "beer"), data.NewSet("milk", "bread")
	fmt.Println(k, k.Eval(x, y)) // none, bread, milk, bread and milk
	// Output: conjunction(degree=2) 4
}
