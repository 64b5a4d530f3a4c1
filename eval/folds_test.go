package eval_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/eval"
)

type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// partition fails unless the folds are k parts of n rows in each repeat, with
// Train the complement of Test, all increasing.
func partition(t fatal, folds []eval.Fold, n, k, repeats int) {
	t.Helper()
	if len(folds) != k*repeats {
		t.Fatalf("%d folds of %d", len(folds), k*repeats)
	}
	for at, f := range folds {
		if f.Repeat != at/k || f.Index != at%k {
			t.Fatalf("fold %d is %d of repeat %d", at, f.Index, f.Repeat)
		}
		train := f.Train()
		if !slices.IsSorted(f.Test) || !slices.IsSorted(train) || len(f.Test) == 0 || len(train) == 0 {
			t.Fatalf("fold %d: test %v, train %v", at, f.Test, train)
		}
		if all := slices.Sorted(slices.Values(append(train, f.Test...))); !slices.Equal(all, upTo(n)) {
			t.Fatalf("fold %d: train and test are %v", at, all)
		}
	}
	for r := range repeats {
		var all []int
		for _, f := range folds[r*k : (r+1)*k] {
			all = append(all, f.Test...)
		}
		slices.Sort(all)
		if !slices.Equal(all, upTo(n)) {
			t.Fatalf("repeat %d tests %v", r, all)
		}
	}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// spread is the largest of the counts less the least.
func spread(counts []int) int { return slices.Max(counts) - slices.Min(counts) }

func TestStratified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eval.Folds{K: rapid.IntRange(2, 8).Draw(t, "k"), Repeats: rapid.IntRange(1, 3).Draw(t, "repeats"),
			Seed: rapid.Uint64().Draw(t, "seed")}
		y := rapid.SliceOfN(rapid.IntRange(-1, 3), f.K, 60).Draw(t, "y")
		folds, err := f.Stratified(y)
		if err != nil {
			t.Fatal(err)
		}
		partition(t, folds, len(y), f.K, f.Repeats)
		for r := range f.Repeats {
			part := folds[r*f.K : (r+1)*f.K]
			sizes := make([]int, f.K)
			for k, one := range part {
				sizes[k] = len(one.Test)
			}
			if spread(sizes) > 1 {
				t.Fatalf("sizes %v", sizes)
			}
			for class := -1; class <= 3; class++ {
				counts, total := make([]int, f.K), 0
				for i := range y {
					if y[i] == class {
						total++
					}
				}
				for k, one := range part {
					for _, i := range one.Test {
						if y[i] == class {
							counts[k]++
						}
					}
					if slices.Contains(one.Untested, class) != (total > 0 && counts[k] == 0) {
						t.Fatalf("class %d has %d rows in fold %d, untested %v", class, counts[k], k, one.Untested)
					}
					if slices.Contains(one.Unseen, class) != (total > 0 && counts[k] == total) {
						t.Fatalf("class %d has %d of %d rows in fold %d, unseen %v", class, counts[k], total, k, one.Unseen)
					}
				}
				if spread(counts) > 1 {
					t.Fatalf("class %d: %v", class, counts)
				}
			}
		}
	})
}

func TestGrouped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eval.Folds{K: rapid.IntRange(2, 5).Draw(t, "k"), Repeats: 2, Seed: rapid.Uint64().Draw(t, "seed")}
		var groups []string
		largest := 0
		for g := range rapid.IntRange(f.K, 20).Draw(t, "groups") {
			size := rapid.IntRange(1, 9).Draw(t, "size")
			largest = max(largest, size)
			for range size {
				groups = append(groups, strconv.Itoa(g))
			}
		}
		groups = rapid.Permutation(groups).Draw(t, "order")
		folds, err := f.Grouped(groups)
		if err != nil {
			t.Fatal(err)
		}
		partition(t, folds, len(groups), f.K, 2)
		for r := range 2 {
			at, sizes := map[string]int{}, []int(nil)
			for _, one := range folds[r*f.K : (r+1)*f.K] {
				sizes = append(sizes, len(one.Test))
				for _, i := range one.Test {
					if k, known := at[groups[i]]; known && k != one.Index {
						t.Fatalf("group %s is in folds %d and %d", groups[i], k, one.Index)
					}
					at[groups[i]] = one.Index
				}
			}
			if spread(sizes) > largest {
				t.Fatalf("sizes %v with groups of at most %d", sizes, largest)
			}
		}
	})
}

func TestPlain(t *testing.T) {
	f := eval.Folds{K: 3, Repeats: 2, Seed: 4}
	for _, n := range []int{3, 4, 5, 64, 65} {
		folds, err := f.Plain(n)
		if err != nil {
			t.Fatal(err)
		}
		partition(t, folds, n, 3, 2)
		again, _ := f.Plain(n)
		if !reflect.DeepEqual(folds, again) {
			t.Error("the same seed gives other folds")
		}
		if n >= 64 && (reflect.DeepEqual(folds[0].Test, folds[3].Test)) {
			t.Error("the second repeat is the first")
		}
	}
	f.Seed = 5
	a, _ := f.Plain(64)
	f.Seed = 6
	b, _ := f.Plain(64)
	if reflect.DeepEqual(a[0].Test, b[0].Test) {
		t.Error("two seeds give the same folds")
	}
	// Pinned: the same seed is to mean the same folds in every later version.
	first, _ := eval.Folds{K: 2, Repeats: 1, Seed: 1}.Plain(10)
	if want := []int{2, 5, 6, 7, 8}; !slices.Equal(first[0].Test, want) {
		t.Errorf("seed 1 gives %v, and gave %v", first[0].Test, want)
	}
}

func TestFoldsBadInput(t *testing.T) {
	if err := (eval.Folds{K: 1}).Validate(); err == nil || !strings.Contains(err.Error(), "k is 1") ||
		!strings.Contains(err.Error(), "repeats is 0") {
		t.Errorf("%v", err)
	}
	f := eval.NewFolds()
	for _, n := range []int{-1, 0, 1, 4} {
		if _, err := f.Plain(n); err == nil {
			t.Errorf("%d rows", n)
		}
	}
	if _, err := f.Stratified([]int{1, 1}); err == nil {
		t.Error("two rows")
	}
	if _, err := f.Grouped([]string{"a", "a", "b", "b", "c", "d"}); err == nil {
		t.Error("four groups")
	}
}
