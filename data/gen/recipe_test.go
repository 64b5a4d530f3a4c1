package gen_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
)

// show writes an instance down, to compare instances of any type.
func show[T any](x []T) []string {
	all := make([]string, len(x))
	for i := range x {
		all[i] = fmt.Sprint(x[i])
	}
	return all
}

// recipe makes one of the recipes with n rows, noise and seed set.
type recipe func(ctx context.Context, n int, noise float64, seed uint64) (x, labels []string, err error)

var recipes = map[string]recipe{
	"signatures": func(ctx context.Context, n int, noise float64, seed uint64) ([]string, []string, error) {
		s := gen.NewSignatures()
		s.N, s.Noise, s.Seed = n, noise, seed
		x, labels, err := s.Make(ctx)
		return x, labels, err
	},
	"baskets": func(ctx context.Context, n int, noise float64, seed uint64) ([]string, []string, error) {
		b := gen.NewBaskets()
		b.N, b.Noise, b.Seed = n, noise, seed
		x, labels, err := b.Make(ctx)
		return show(x), labels, err
	},
	"hidden": func(ctx context.Context, n int, noise float64, seed uint64) ([]string, []string, error) {
		h := gen.NewHidden()
		h.N, h.Noise, h.Seed = n, noise, seed
		x, labels, err := h.Make(ctx)
		if err != nil {
			return nil, nil, err
		}
		var all []string
		for i := range x.Rows {
			all = append(all, fmt.Sprint(x.Row(i)))
		}
		return all, labels, nil
	},
}

// TestRecipes checks for each recipe what holds for all generators: seeds, first
// rows, noise, balance, cancellation. The bounds on shares are five standard
// deviations, √(0.5·0.5/3000) = 0.0092 and √(0.2·0.8/3000) = 0.0073; the labels
// of hidden belong to 1024 points, which adds √(0.5·0.5/1024) = 0.0157.
func TestRecipes(t *testing.T) {
	for name, draw := range recipes {
		t.Run(name, func(t *testing.T) {
			x, labels, err := draw(t.Context(), 3000, 0, 1)
			if err != nil || len(x) != 3000 || len(labels) != 3000 {
				t.Fatalf("%d rows, %d labels, %v", len(x), len(labels), err)
			}
			if share := share1(labels); math.Abs(share-0.5) > 0.046 && (name != "hidden" || math.Abs(share-0.5) > 0.1) {
				t.Errorf("share of label 1 is %v", share)
			}
			few, fewLabels, _ := draw(t.Context(), 1025, 0, 1)
			if !slices.Equal(few, x[:1025]) || !slices.Equal(fewLabels, labels[:1025]) {
				t.Error("the first rows depend on N")
			}
			if other, _, _ := draw(t.Context(), 3000, 0, 2); slices.Equal(other, x) {
				t.Error("the seed has no effect")
			}
			noisy, flipped, _ := draw(t.Context(), 3000, 0.2, 1)
			changed := 0.0
			for i := range labels {
				if labels[i] != flipped[i] {
					changed++
				}
			}
			if !slices.Equal(noisy, x) || math.Abs(changed/3000-0.2) > 0.037 {
				t.Errorf("share of flipped labels is %v", changed/3000)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := draw(ctx, 3000, 0, 1); err != context.Canceled {
				t.Errorf("error %v, want that of the context", err)
			}
			if _, _, err := draw(t.Context(), 0, math.NaN(), 1); err == nil || !strings.Contains(err.Error(), "n is 0") ||
				!strings.Contains(err.Error(), "noise is NaN") {
				t.Errorf("error %v", err)
			}
			if _, _, err := draw(t.Context(), math.MaxInt, 0, 1); err == nil {
				t.Error("no error for a size that fits no memory")
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	want := map[string]gen.Kind{"signatures": gen.Strings, "baskets": gen.Sets, "hidden": gen.Vectors}
	for _, name := range gen.Names() {
		want[name] = gen.Vectors
	}
	all := gen.All()
	if !slices.IsSorted(all) || len(all) != len(want) {
		t.Errorf("all generators: %q", all)
	}
	for _, name := range all {
		if kind, ok := gen.KindOf(name); kind != want[name] || !ok {
			t.Errorf("%s: %v, %v", name, kind, ok)
		}
	}
	if _, ok := gen.KindOf("spiral"); ok {
		t.Error("a generator that there is not has a kind")
	}
}

func TestSignatures(t *testing.T) {
	for _, s := range []gen.Signatures{
		gen.NewSignatures(),
		{N: 300, Length: 5, Word: 5, Alphabet: "ab"},
		{N: 300, Length: 30, Word: 1, Alphabet: "ab"},
		{N: 300, Length: 30, Word: 3, Alphabet: "xy", Seed: 5},
		{N: 300, Length: 1, Word: 1, Alphabet: "xyz", Seed: 6},
	} {
		x, labels, err := s.Make(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		word := s.Hidden()
		if len(word) != s.Word || strings.Trim(word, s.Alphabet) != "" {
			t.Errorf("word %q", word)
		}
		for i := range x {
			if len(x[i]) != s.Length || strings.Trim(x[i], s.Alphabet) != "" || labels[i] != sign(strings.Contains(x[i], word)) {
				t.Fatalf("%+v: row %d is %q with label %s; the word is %q", s, i, x[i], labels[i], word)
			}
		}
	}
	bad := gen.Signatures{N: 1, Length: 2, Word: 3, Alphabet: "aa"}
	for _, want := range []string{"length is 2", `alphabet is "aa"`} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %s", err, want)
		}
	}
	for _, alphabet := range []string{"", "a", "a1", "a ", "é"} {
		s := gen.NewSignatures()
		s.Alphabet = alphabet
		if s.Validate() == nil {
			t.Errorf("alphabet %q", alphabet)
		}
	}
}

func TestBaskets(t *testing.T) {
	for _, b := range []gen.Baskets{
		gen.NewBaskets(),
		{N: 500, Items: 2, Most: 1, Relevant: 1},
		{N: 500, Items: 12, Most: 20, Relevant: 4, Exponent: 2, Seed: 9},
	} {
		x, labels, err := b.Make(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hidden := b.Hidden()
		if len(hidden) != b.Relevant {
			t.Errorf("hidden %q", hidden)
		}
		for i, s := range x {
			if len(s) == 0 || len(s) > b.Most || !s.Valid() || labels[i] != sign(s.Shared(hidden) > 0) {
				t.Fatalf("%+v: row %d is %q with label %s; hidden are %q", b, i, s, labels[i], hidden)
			}
		}
	}
	bad := gen.Baskets{N: 1, Items: 3, Most: 0, Relevant: 3, Exponent: -1}
	for _, want := range []string{"items is 3", "most is 0", "exponent is -1"} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %s", err, want)
		}
	}
}

// TestZipf checks that the most popular item is bought twice as often as the
// second, within five standard deviations of the ratio of two counts above 500.
func TestZipf(t *testing.T) {
	b := gen.Baskets{N: 20_000, Items: 100, Most: 1, Relevant: 1, Exponent: 1, Seed: 3}
	x, labels, err := b.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]float64{}
	for i, s := range x {
		if labels[i] == "-1" {
			count[s[0]]++
		}
	}
	if b.Hidden().Has("item001") || b.Hidden().Has("item002") {
		t.Fatal("the seed hides an item that the test counts")
	}
	first, second := count["item001"], count["item002"]
	if second < 500 || math.Abs(first/second-2) > 5*2*math.Sqrt(1/first+1/second) {
		t.Errorf("%v and %v", first, second)
	}
}

// TestHidden checks the construction and its kernel against the feature map φ
// written from the paper.
func TestHidden(t *testing.T) {
	for _, h := range []gen.Hidden{gen.NewHidden(), {N: 500, Bits: 2}, {N: 500, Bits: 8, Seed: 3}} {
		x, labels, err := h.Make(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		k := h.Kernel()
		phi := func(v data.Vector) [2]float64 {
			in, positive := k.Find(v)
			switch {
			case !in:
				return [2]float64{1, 0}
			case positive:
				return [2]float64{-0.5, math.Sqrt(3) / 2}
			}
			return [2]float64{-0.5, -math.Sqrt(3) / 2}
		}
		different := map[string]bool{}
		for i := range x.Rows {
			different[fmt.Sprint(x.Row(i))] = true
			in, positive := k.Find(x.At(i))
			if !in || labels[i] != sign(positive) {
				t.Fatalf("row %d: %v with label %s: in X' %v, positive %v", i, x.Row(i), labels[i], in, positive)
			}
		}
		if n := 1 << (h.Bits / 2); len(different) > n {
			t.Errorf("%d different points, want %d at most", len(different), n)
		}
		// Points of X' and uniform ones of X, dense and sparse.
		rng := rand.New(rand.NewPCG(1, 2))
		var sample []data.Vector
		for i := range 20 {
			sample = append(sample, x.At(i))
			v := data.Vector{Index: []int32{}}
			for j := range h.Bits {
				if rng.IntN(2) == 0 {
					v.Index, v.Value = append(v.Index, int32(j)), append(v.Value, 1)
				}
			}
			sample = append(sample, v)
		}
		for _, v := range sample {
			for _, w := range sample {
				a, b := phi(v), phi(w)
				if got, want := k.Eval(v, w), a[0]*b[0]+a[1]*b[1]; math.Abs(got-want) > 1e-15 {
					t.Fatalf("K = %v, want %v", got, want)
				}
			}
		}
	}
	for _, bits := range []int{0, 3, 42} {
		if (gen.Hidden{N: 1, Bits: bits}).Validate() == nil {
			t.Errorf("%d bits", bits)
		}
	}
}

func ExampleSignatures() {
	s := gen.NewSignatures()
	s.N, s.Length, s.Word = 2, 12, 4
	x, labels, err := s.Make(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range x {
		fmt.Println(strings.Contains(x[i], s.Hidden()) == (labels[i] == "1"), len(x[i]))
	}
	// Output:
	// true 12
	// true 12
}

func ExampleBaskets() {
	b := gen.NewBaskets()
	x, labels, err := b.Make(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(x), len(b.Hidden()), (x[0].Shared(b.Hidden()) > 0) == (labels[0] == "1"))
	// Output: 1000 5 true
}

// TestHiddenDefinite: K_τ is the inner product of √(1-τ)·φ and √τ of each point's own.
func TestHiddenDefinite(t *testing.T) {
	h := gen.Hidden{N: 60, Bits: 6, Seed: 3}
	x, _, err := h.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plain := h.Kernel()
	k := plain.Definite(0.3)
	for i := range x.Rows {
		for j := range x.Rows {
			want := (1 - 0.3) * plain.Eval(x.At(i), x.At(j))
			if slices.Equal(x.Row(i), x.Row(j)) {
				want = 1
			}
			if got := k.Eval(x.At(i), x.At(j)); math.Abs(got-want) > 1e-15 {
				t.Fatalf("K of rows %d and %d is %v, want %v", i, j, got, want)
			}
		}
	}
	for _, own := range []float64{-0.1, 1, math.NaN()} {
		if plain.Definite(own).Validate() == nil {
			t.Errorf("own = %v was taken", own)
		}
	}
}

// TestBook: the points are those of the papers, and of no other data set.
func TestBook(t *testing.T) {
	for name, rows := range map[string]int{"interval": 21, "xor": 4} {
		o := gen.Defaults()
		o.Book, o.N = true, rows
		x, labels, err := gen.Make(t.Context(), name, o)
		if err != nil || x.Rows != gen.BookRows(name) || x.Rows != rows {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range x.Rows {
			row := x.Row(i)
			want := sign(name == "xor" && row[0]*row[1] > 0 || name == "interval" && math.Abs(row[0]) > 2)
			if labels[i] != want || name == "interval" && row[0] != float64(i-10) {
				t.Errorf("%s: row %d is %v with label %s", name, i, row, labels[i])
			}
			for j := range i {
				if slices.Equal(row, x.Row(j)) {
					t.Errorf("%s: rows %d and %d are the same", name, i, j)
				}
			}
		}
		o.N++
		if _, _, err := gen.Make(t.Context(), name, o); err == nil {
			t.Errorf("%s: %d rows of the book", name, o.N)
		}
	}
	o := gen.Defaults()
	o.Book = true
	if _, _, err := gen.Make(t.Context(), "circle", o); err == nil || gen.BookRows("circle") != 0 {
		t.Error("circle has points of a book")
	}
}

func ExampleHidden() {
	h := gen.NewHidden()
	x, _, err := h.Make(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	outside := data.Dense(make([]float64, h.Bits)...)
	fmt.Println(x.Rows, x.Cols, h.Kernel().Eval(x.At(0), x.At(0)), h.Kernel().Eval(x.At(0), outside))
	// Output: 1000 20 1 -0.5
}
