package data_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
)

// TestSplitBy checks what SplitBy promises: two increasing parts that cover all
// rows once, and of each class the right number.
func TestSplitBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 60).Draw(t, "class")
		fraction := rapid.Float64Range(0, 1).Draw(t, "fraction")
		s := rapid.Uint64().Draw(t, "seed")
		rest, part := data.SplitBy(class, fraction, s)
		all := slices.Concat(rest, part)
		slices.Sort(all)
		for i, j := range all {
			if i != j {
				t.Fatalf("rows %v are not each one once", all)
			}
		}
		if len(all) != len(class) || !slices.IsSorted(rest) || !slices.IsSorted(part) {
			t.Fatalf("%v and %v of %d rows", rest, part, len(class))
		}
		for c := range 4 {
			members, taken := 0, 0
			for _, k := range class {
				if k == c {
					members++
				}
			}
			for _, i := range part {
				if class[i] == c {
					taken++
				}
			}
			want := int(math.Round(fraction * float64(members)))
			if want == members && members > 1 && fraction < 1 {
				want--
			}
			if taken != want {
				t.Fatalf("class %d of %d gives %d, want %d", c, members, taken, want)
			}
		}
		rest2, part2 := data.SplitBy(class, fraction, s)
		if !slices.Equal(rest, rest2) || !slices.Equal(part, part2) {
			t.Fatal("the same seed gives another split")
		}
	})
}

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		n        int
		fraction float64
		want     int
	}{{0, 0.5, 0}, {1, 0.2, 0}, {10, 0.2, 2}, {10, 0.25, 3}, {10, 0, 0}, {10, 1, 10}, {2, 0.9, 1}} {
		rest, part := data.Split(test.n, test.fraction, 1)
		if len(part) != test.want || len(rest) != test.n-test.want {
			t.Errorf("%d rows, fraction %v: parts of %d and %d", test.n, test.fraction, len(rest), len(part))
		}
	}
	_, a := data.Split(1000, 0.5, 1)
	_, b := data.Split(1000, 0.5, 2)
	if slices.Equal(a, b) {
		t.Error("the seed has no effect")
	}
}

// TestSplitIsUniform counts how often each of 10 rows is held out. In 4000 splits
// by half the count has standard deviation √(4000/4) = 32; the bound is five.
func TestSplitIsUniform(t *testing.T) {
	count := make([]int, 10)
	for s := range uint64(4000) {
		_, part := data.Split(10, 0.5, s)
		for _, i := range part {
			count[i]++
		}
	}
	for i, n := range count {
		if n < 2000-160 || n > 2000+160 {
			t.Errorf("row %d is held out %d times of 4000", i, n)
		}
	}
}
