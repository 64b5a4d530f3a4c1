package gram_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestSquare compares with the sum as it is written. The same bits come for any
// number of workers, kept or computed anew, and of a vector among others or alone.
func TestSquare(t *testing.T) {
	gaussian := kernel.Gaussian{Gamma: 0.2}
	for _, n := range []int{1, 2, 15, 16, 17, 71, 72, 73, 80, 81, 239, 240, 241, 1300} {
		for _, k := range []kernel.Kernel[data.Vector]{gaussian, kernel.Func[data.Vector](gaussian.Eval)} {
			x, v := points(n, 4), waving(3, n, 1)
			for _, p := range []run.Precision{run.Float64, run.Float32} {
				// Terms are at most 1. In float32 a value is off by some 2⁻²⁴, and a sum of 1024 in
				// some sixteen parts, each of 64 terms, by less than 64·2⁻²⁴ of its terms' sum.
				tolerance := 1e-13 * float64(n)
				if p == run.Float32 {
					tolerance = 64 * 0x1p-24 * float64(n)
				}
				var first []float64
				for _, ctl := range []run.Control{{Workers: 1}, {Workers: 2}, {Workers: 7}, {Memory: 1}} {
					ctl.Precision, ctl.Counter = p, new(run.Counter)
					s := gram.NewSquare(ctl, k, x)
					for turn := range int64(2) {
						dst := data.NewMatrix(3, n)
						for i := range dst.Data {
							dst.Data[i] = math.NaN()
						}
						if err := s.Product(ctx, ctl, dst, v); err != nil {
							t.Fatal(err)
						}
						if first == nil {
							first = slices.Clone(dst.Data)
						}
						if !slices.Equal(first, dst.Data) {
							t.Fatalf("n = %d, %v, %d workers, %d bytes: other bits", n, p, ctl.Workers, ctl.Memory)
						}
						evaluations := int64(n) * int64(n+1) / 2
						if ctl.Memory > 0 {
							evaluations *= turn + 1
						}
						if ctl.Counter.Count() != evaluations {
							t.Fatalf("%d evaluations, want %d", ctl.Counter.Count(), evaluations)
						}
					}
					wide := data.NewMatrix(3, n)
					if err := s.ProductWide(ctx, ctl, wide, v); err != nil {
						t.Fatal(err)
					}
					if p == run.Float64 && !slices.Equal(wide.Data, first) {
						t.Fatalf("n = %d: wide sums of double have other bits", n)
					}
					for o := range 3 {
						want := 0.0
						for j := range n {
							want += k.Eval(x.At(0), x.At(j)) * v.Row(o)[j]
						}
						// What is left is the error of the values.
						if got := wide.Row(o)[0]; !(math.Abs(got-want) <= min(tolerance, 8*0x1p-24*float64(n))) {
							t.Fatalf("n = %d, %v: a wide sum is %v, want %v", n, p, got, want)
						}
					}
					many := data.NewMatrix(6, n) // by products of matrices
					if err := s.Product(ctx, ctl, many, waving(6, n, 1)); err != nil {
						t.Fatal(err)
					}
					for i, v := range first {
						if !(math.Abs(many.Data[i]-v) <= 2*tolerance) {
							t.Fatalf("n = %d, %v: among six a product is %v, want %v", n, p, many.Data[i], v)
						}
					}
					alone := data.NewMatrix(1, n)
					if err := s.Product(ctx, ctl, alone, &data.Matrix{Rows: 1, Cols: n, Data: v.Row(1)}); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(alone.Data, first[n:2*n]) {
						t.Fatalf("n = %d, %v: a vector alone has other bits", n, p)
					}
				}
				for o := range 3 {
					for i := 0; i < n; i += 1 + n/100 {
						want := 0.0
						for j := range n {
							want += k.Eval(x.At(i), x.At(j)) * v.Row(o)[j]
						}
						if got := first[o*n+i]; !(math.Abs(got-want) <= tolerance) {
							t.Fatalf("n = %d, %v: entry %d is %v, want %v", n, p, i, got, want)
						}
					}
				}
			}
		}
	}
}

// TestSquareFaults: values that are no numbers are named, an ended context ends
// it, and a further product after either is right.
func TestSquareFaults(t *testing.T) {
	x := points(100, 3)
	bad := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return math.NaN() })
	var fault *gram.ValueError
	dst := data.NewMatrix(1, 100)
	for _, memory := range []int64{0, 1} {
		ctl := run.Control{Memory: memory}
		none := gram.NewSquare[data.Vector](ctl, bad, x)
		if err := none.Product(ctx, ctl, dst, waving(1, 100, 1)); !errors.As(err, &fault) {
			t.Errorf("no numbers: %v", err)
		}
		s := gram.NewSquare[data.Vector](ctl, kernel.Linear{}, x)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.Product(ended, ctl, dst, waving(1, 100, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if err := s.Product(ctx, ctl, dst, waving(1, 100, 1)); err != nil || s.Len() != 100 {
			t.Errorf("after that: %v", err)
		}
	}
}

// TestSquareFill: values that are computed beforehand are those of the first product, and
// are computed once; where none are kept there is nothing to do.
func TestSquareFill(t *testing.T) {
	const n = 73
	x, v := points(n, 2), waving(1, n, 1)
	for _, p := range []run.Precision{run.Float32, run.Float64} {
		for _, memory := range []int64{0, 100} {
			product := func(fill bool) (*data.Matrix, int64) {
				var counter run.Counter
				ctl := run.Control{Precision: p, Memory: memory, Counter: &counter}
				s := gram.NewSquare(ctl, kernel.Gaussian{Gamma: 0.3}, x)
				if s.Kept() != (memory == 0) {
					t.Fatalf("%v: kept in %d bytes: %v", p, memory, s.Kept())
				}
				if fill {
					if err := s.Fill(t.Context(), ctl); err != nil {
						t.Fatal(err)
					}
					if done := counter.Count() > 0; done != s.Kept() {
						t.Errorf("%v: %d values are computed beforehand", p, counter.Count())
					}
				}
				dst := data.NewMatrix(1, n)
				if err := s.Product(t.Context(), ctl, dst, v); err != nil {
					t.Fatal(err)
				}
				return dst, counter.Count()
			}
			filled, of := product(true)
			plain, want := product(false)
			if !slices.Equal(filled.Data, plain.Data) || of != want {
				t.Errorf("%v: %v of %d values, want %v of %d", p, filled.Data, of, plain.Data, want)
			}
		}
	}
}
