package feature_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
	"github.com/kerf-ml/kerf/run"
)

// someTexts has an empty text, repeats and texts that have nothing in common, more
// than one block of them.
func someTexts() []string {
	x := []string{"", "a", "the cat and the dog", "the dog", "acgtacgt", "acgaacgt", "日本 語", "the the the cat"}
	for i := range 90 {
		x = append(x, x[i%7]+" "+x[(3*i+1)%8])
	}
	return x
}

// TestExplicit compares inner products of features with the kernel. Each feature is
// rounded to float32, by 2⁻²⁴ of itself, and the products are of one sign.
func TestExplicit(t *testing.T) {
	words, degree := kernel.Kernel[string](text.NewWords()), kernel.Kernel[string](text.Degree{D: 3, Shift: 1})
	x := someTexts()
	for _, k := range []kernel.Kernel[string]{
		words, degree, kernel.Normalize(words), text.Spectrum{K: 2},
		kernel.Sum(kernel.Kernel[string](kernel.Normalize(words)), kernel.Scale(0.25, degree),
			kernel.Kernel[string](kernel.Constant[string]{Value: 3})),
		kernel.Normalize(kernel.Sum(words, degree)),
	} {
		r := feature.Explicit[string]{Kernel: k, Buckets: feature.MostBuckets}
		m, err := r.Fit(context.Background(), data.Slice[string](x))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range x[:12] {
			for _, b := range x[:12] {
				want := k.Eval(a, b)
				if got := m.MapSparse(a).Dot(m.MapSparse(b)); math.Abs(got-want) > 1.3e-7*want {
					t.Errorf("%v at %q and %q: %v, want %v", k, a, b, got, want)
				}
			}
		}
		kerftest.Map(t, feature.Map[string](m), x)
	}
}

// TestExplicitIDF compares with the weights from their definition.
func TestExplicitIDF(t *testing.T) {
	x := []string{"a b", "a c", "a a"}
	r := feature.Explicit[string]{Kernel: kernel.Normalize[string](text.Words{N: 1}), Buckets: 1 << 16, IDF: true}
	m, err := r.Fit(context.Background(), data.Slice[string](x))
	if err != nil {
		t.Fatal(err)
	}
	a, b := 1.0, math.Log(4.0/2)+1
	for _, c := range []struct {
		x, y string
		want float64
	}{
		{"a b", "a c", a * a / (a*a + b*b)}, {"a a", "a b", a / math.Hypot(a, b)},
		{"b", "a b", b / math.Hypot(a, b)}, {"b unseen", "a b", b / math.Hypot(a, b)}, {"unseen", "a b", 0}, {"", "a", 0},
	} {
		if got := m.MapSparse(c.x).Dot(m.MapSparse(c.y)); math.Abs(got-c.want) > 1.3e-7 { // as above, of at most 1
			t.Errorf("%q and %q: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestExplicitBuckets holds that few buckets, where almost all features meet others,
// give a map as good as any, that it is the same for any number of workers, and that
// it is recalled bit for bit.
func TestExplicitBuckets(t *testing.T) {
	x := data.Slice[string](someTexts())
	k := kernel.Kernel[string](kernel.Normalize[string](text.NewNgrams()))
	for _, buckets := range []int{1, 2, 7, 64, 1 << 20} {
		r := feature.Explicit[string]{Kernel: k, Buckets: buckets, IDF: true, Run: run.Control{Workers: 1}}
		m, err := r.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if m.Dim() > buckets {
			t.Errorf("%d features in %d buckets", m.Dim(), buckets)
		}
		r.Run.Workers = 3
		same, err := r.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		again, err := feature.RecallExplicit(k, m.Tally())
		if err != nil {
			t.Fatal(err)
		}
		want, _ := feature.ApplySparse(context.Background(), run.Control{Workers: 1}, m, x)
		for _, other := range []*feature.Listed[string]{same, again} {
			got, err := feature.ApplySparse(context.Background(), run.Control{Workers: 2}, other, x)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d buckets: the map differs (%v)", buckets, err)
			}
		}
	}
}

// TestExplicitFitApply compares with Fit and ApplySparse, bit for bit: of one listing and of a
// sum, counted and not, for fewer rows than a block, for several blocks and for none.
func TestExplicitFitApply(t *testing.T) {
	ctx := context.Background()
	words := kernel.Kernel[string](kernel.Normalize[string](text.NewWords()))
	all := someTexts()
	for _, k := range []kernel.Kernel[string]{
		words, text.Degree{D: 5}, kernel.Scale[string](3, text.Spectrum{K: 2}), kernel.Sum[string](words, text.Degree{D: 2}),
	} {
		for _, buckets := range []int{1, 63, 1000, 1 << 20} {
			for _, n := range []int{0, 1, len(all)} {
				for _, idf := range []bool{false, true} {
					x := data.Slice[string](all[:n])
					r := feature.Explicit[string]{Kernel: k, Buckets: buckets, IDF: idf}
					m, err := r.Fit(ctx, x)
					if err != nil {
						t.Fatal(err)
					}
					want, err := feature.ApplySparse(ctx, run.Control{}, m, x)
					if err != nil {
						t.Fatal(err)
					}
					for _, workers := range []int{1, 3} {
						r.Run.Workers = workers
						same, apply, err := r.FitApply(ctx, x)
						if err != nil {
							t.Fatal(err)
						}
						got, err := apply(ctx, r.Run)
						if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(same.Tally(), m.Tally()) {
							t.Errorf("%v, %d buckets, %d rows, idf %v: they differ (%v)", k, buckets, n, idf, err)
						}
					}
				}
			}
		}
	}
}

// TestExplicitFitApplyEnds asks for what cannot be had: a row that is not finite, and a run that is over.
func TestExplicitFitApplyEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := feature.Explicit[string]{Kernel: kernel.Scale[string](1e300, text.Spectrum{K: 1}), Buckets: 1 << 10}
	m, apply, err := r.FitApply(ctx, data.Slice[string]{"", "a"})
	if err != nil || m.Dim() != 1 {
		t.Fatal(m.Dim(), err)
	}
	var row *feature.RowError
	if _, err := apply(ctx, run.Control{}); !errors.As(err, &row) || row.Row != 1 {
		t.Errorf("a feature of 1e150 in float32: %v", err)
	}
	cancel()
	if _, _, err := r.FitApply(ctx, data.Slice[string]{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestExplicitFaults(t *testing.T) {
	r := feature.Explicit[string]{Kernel: text.NewSubsequence(2), Buckets: 1}
	if err := r.Validate(); !errors.Is(err, feature.ErrNoListing) {
		t.Errorf("got %v", err)
	}
	r = feature.Explicit[string]{Kernel: text.Spectrum{K: 3}}
	if r.Validate() == nil {
		t.Error("no buckets pass")
	}
	for _, wrong := range []feature.Tally{
		{}, {Buckets: 4, Bucket: []int32{4}}, {Buckets: 4, Bucket: []int32{2, 2}}, {Buckets: 4, Bucket: []int32{-1}},
		{Buckets: 4, Rows: 3, Bucket: []int32{1}, In: []int32{4}}, {Buckets: 4, Rows: 3, Bucket: []int32{1}, In: []int32{0}},
		{Buckets: 4, Rows: 3, Bucket: []int32{1}, In: []int32{1, 1}}, {Buckets: 4, Rows: -1},
	} {
		if _, err := feature.RecallExplicit[string](text.Spectrum{K: 3}, wrong); err == nil {
			t.Errorf("%+v passes", wrong)
		}
	}
}
