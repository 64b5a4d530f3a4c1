package dataset_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
)

// made makes rows of one kind: row k of some of them is the content of number index[k].
type made func(index []int) (*dataset.Rows, error)

// contents are rows of all kinds. Content c has as its label c modulo 3.
var contents = map[string]made{
	"matrix": func(index []int) (*dataset.Rows, error) {
		x := data.NewMatrix(len(index), 3)
		for i, c := range index {
			x.Row(i)[0], x.Row(i)[1], x.Row(i)[2] = float64(c%4), float64(c)/8, -1
		}
		return dataset.OfMatrix("X", x)
	},
	"sparse": func(index []int) (*dataset.Rows, error) {
		x := &data.CSR{Cols: 9, Ptr: []int{0}}
		for _, c := range index {
			if c == 0 {
				x.Append(nil, nil)
			} else {
				x.Append([]int32{int32(c % 4), 8}, []float64{float64(c), 1})
			}
		}
		return dataset.OfSparse("X", x)
	},
	"texts": func(index []int) (*dataset.Rows, error) {
		x := make([]string, len(index))
		for i, c := range index {
			x[i] = strings.Repeat("ab", c%5) + fmt.Sprint(c)
		}
		return dataset.OfTexts("X", x)
	},
	"sets": func(index []int) (*dataset.Rows, error) {
		x := make([][]string, len(index))
		for i, c := range index {
			x[i] = []string{"all", fmt.Sprint("item ", c), fmt.Sprint(c % 2)}[:min(3, c)]
		}
		return dataset.OfSets("X", x)
	},
	"table": func(index []int) (*dataset.Rows, error) {
		columns := []dataset.GivenColumn{{Name: "n"}, {Name: "town"}, {Name: "late"}}
		for _, c := range index {
			columns[0].Numbers = append(columns[0].Numbers, float64(c/2))
			columns[1].Texts = append(columns[1].Texts, []string{"", "Rome", "Oslo", "Bern"}[c%4])
			columns[2].Texts = append(columns[2].Texts, []string{"1", "2.5", "no"}[c%3])
		}
		return dataset.OfTable("X", columns, run.Control{})
	},
}

func (m made) rows(t *testing.T, index []int, weights []float64) *dataset.Rows {
	t.Helper()
	r, err := m(index)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]string, len(index))
	for i, c := range index {
		labels[i] = fmt.Sprint("class ", c%3)
	}
	if err := r.Beside(labels, weights); err != nil {
		t.Fatal(err)
	}
	return r
}

// listed returns rows as texts, one each.
func listed(t *testing.T, r *dataset.Rows) []string {
	t.Helper()
	if err := r.Settle(dataset.Options{}); err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(r, nil, "none", dataset.Options{Target: "none"})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, r.Len())
	for i := range out {
		out[i] = e.RowText(r, i) + " is " + r.Labels[i]
	}
	return out
}

func writtenOut(t *testing.T, r *dataset.Rows, workers int) *dataset.Rows {
	t.Helper()
	out, err := r.WrittenOut(context.Background(), run.Control{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWrittenOut compares weights with rows that are repeated by hand: the same rows in the
// same order, whatever the order of either, and the same multiset as the naive one.
func TestWrittenOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for kind, m := range contents {
		for _, n := range []int{2, 7, 33} {
			index, weights := rng.Perm(n), make([]float64, n)
			var repeated []int
			for i, c := range index {
				weights[i] = float64(c % 4)
				for range c % 4 {
					repeated = append(repeated, c)
				}
			}
			naive := listed(t, m.rows(t, repeated, nil))
			slices.Sort(naive)
			want := listed(t, writtenOut(t, m.rows(t, index, weights), 1))
			for range 5 {
				rng.Shuffle(len(repeated), func(i, j int) { repeated[i], repeated[j] = repeated[j], repeated[i] })
				if got := listed(t, writtenOut(t, m.rows(t, repeated, nil), 3)); n > 2 && !slices.Equal(got, want) {
					t.Fatalf("%s: repeated\n%q, weighted\n%q", kind, got, want)
				}
			}
			// A weight may as well be spread over copies.
			twice, halves := slices.Concat(index, index), slices.Concat(weights, make([]float64, n))
			for i, w := range weights {
				halves[i], halves[n+i] = float64(int(w)/2), float64(int(w)-int(w)/2)
			}
			if got := listed(t, writtenOut(t, m.rows(t, twice, halves), 2)); n > 2 && !slices.Equal(got, want) {
				t.Fatalf("%s: spread\n%q, weighted\n%q", kind, got, want)
			}
			if slices.Sort(want); !slices.Equal(want, naive) {
				t.Fatalf("%s: %q, want %q", kind, want, naive)
			}
		}
	}
}

// TestWrittenOutCollisions has one digest for all rows: they are told apart by their content.
func TestWrittenOutCollisions(t *testing.T) {
	one := func(int) uint64 { return 5 }
	for kind, m := range contents {
		a, err := m.rows(t, []int{4, 9, 9, 2, 7}, nil).WrittenOutBy(one)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.rows(t, []int{7, 2, 9, 4}, []float64{1, 1, 2, 1}).WrittenOutBy(one)
		if err != nil {
			t.Fatal(err)
		}
		if x, y := listed(t, a), listed(t, b); !slices.Equal(x, y) {
			t.Errorf("%s: %q and %q", kind, x, y)
		}
		given := m.rows(t, []int{4, 9, 2}, nil)
		if c, err := given.WrittenOutBy(one); err != nil || !slices.Equal(listed(t, c), listed(t, given)) {
			t.Errorf("%s: rows without copies have another order: %q, %v", kind, listed(t, c), err)
		}
	}
}

// TestWrittenOutLeaves holds what stays as it is: rows without copies, and weights that are
// fractions or too many.
func TestWrittenOutLeaves(t *testing.T) {
	for kind, m := range contents {
		index := []int{8, 3, 5, 1, 9}
		want := listed(t, m.rows(t, index, nil))
		for _, c := range []struct {
			weights []float64
			keeps   bool
		}{
			{nil, false}, {[]float64{1, 1, 1, 1, 1}, false}, {[]float64{1, 2, 1, 0.5, 1}, true},
			{[]float64{1, 5000, 1, 1, 1}, true}, {[]float64{1e150, 1e150, 1, 0, 1}, true}, {[]float64{4092, 2, 1, 1, 1}, true},
		} {
			got := writtenOut(t, m.rows(t, index, c.weights), 1)
			if (got.Weights != nil) != c.keeps || !slices.Equal(listed(t, got), want) {
				t.Errorf("%s: weights %v: %q with %v", kind, c.weights, listed(t, got), got.Weights)
			}
		}
		some := writtenOut(t, m.rows(t, index, []float64{1, 0, 1, 1, 0}), 1)
		if got := listed(t, some); some.Weights != nil || !slices.Equal(got, listed(t, m.rows(t, []int{8, 5, 1}, nil))) {
			t.Errorf("%s: rows of weight 0: %q", kind, got)
		}
		if n := writtenOut(t, m.rows(t, index, []float64{4092, 1, 1, 1, 1}), 1).Len(); n != 4096 {
			t.Errorf("%s: %d rows, want 4096", kind, n)
		}
	}
}

// BenchmarkWrittenOut is of rows that have no copies: what a fit pays for looking.
func BenchmarkWrittenOut(b *testing.B) {
	x := data.NewMatrix(100_000, 50)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	r, err := dataset.OfMatrix("X", x)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.WrittenOut(context.Background(), run.Control{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
