package linear_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

func TestSums(t *testing.T) {
	for _, n := range []int{0, 1, 7, 63, 64, 65, 1023, 1024, 1025, 2500} {
		for _, dim := range []int{1, 7, 9, 65} {
			d := noisy(max(n, 1), dim, 0.1, uint64(n))
			d.X, d.Y = data.Range[data.Vector]{Of: d.X, Hi: n}, d.Y[:n]
			weight := make([]float64, n)
			for i := range weight {
				weight[i] = float64(i%5) / 2
			}
			var first *linear.Sums
			for _, workers := range []int{1, 2, 3} {
				s := linear.NewSums(dim)
				if err := s.Add(t.Context(), run.Control{Workers: workers}, d.X, d.Y, weight); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = s
				}
				if !reflect.DeepEqual(s, first) {
					t.Fatalf("n=%d d=%d: %d workers give another sum", n, dim, workers)
				}
			}
			want := linear.NewSums(dim)
			for i := range n {
				x, c := d.X.At(i).Value, weight[i]
				for j := range x {
					for k := range j + 1 {
						want.Gram.Row(j)[k] += c * x[j] * x[k]
					}
					want.XY[j] += c * d.Y[i] * x[j]
					want.X[j] += c * x[j]
				}
				want.YY += c * d.Y[i] * d.Y[i]
				want.Y += c * d.Y[i]
				want.Weight += c
				want.Rows++
			}
			same(t, first, want)
			// In two parts, one of them sparse.
			cut := n / 3
			a, b := linear.NewSums(dim), linear.NewSums(dim)
			if err := a.Add(t.Context(), run.Control{}, data.Range[data.Vector]{Of: d.X, Hi: cut}, d.Y[:cut],
				weight[:cut]); err != nil {
				t.Fatal(err)
			}
			rest := sparse(sample{X: data.Range[data.Vector]{Of: d.X, Lo: cut, Hi: n}, Y: d.Y[cut:]})
			if err := b.Add(t.Context(), run.Control{}, rest.X, rest.Y, weight[cut:]); err != nil {
				t.Fatal(err)
			}
			if err := a.Merge(b); err != nil {
				t.Fatal(err)
			}
			same(t, a, want)
		}
	}
}

// same fails unless the sums are equal up to rounding: sums of at most 2500
// products of a few units, in another order.
func same(t *testing.T, a, b *linear.Sums) {
	t.Helper()
	close := func(x, y []float64) bool {
		for i := range x {
			if math.Abs(x[i]-y[i]) > 1e-10 {
				return false
			}
		}
		return len(x) == len(y)
	}
	one := []float64{a.YY, a.Y, a.Weight, float64(a.Rows), float64(a.Dim)}
	two := []float64{b.YY, b.Y, b.Weight, float64(b.Rows), float64(b.Dim)}
	if !close(one, two) || !close(a.Gram.Data, b.Gram.Data) || !close(a.XY, b.XY) || !close(a.X, b.X) {
		t.Errorf("sums differ: %v, want %v", one, two)
	}
}

func TestSumsFaults(t *testing.T) {
	s := linear.NewSums(2)
	add := func(y []float64, x ...data.Vector) error {
		return s.Add(t.Context(), run.Control{}, data.Slice[data.Vector](x), y, nil)
	}
	for _, bad := range []data.Vector{data.Dense(1, math.NaN()), data.Dense(1, 2, 3), data.Dense(1e200)} {
		var e *learn.DataError
		if err := add([]float64{1, 2}, data.Dense(1), bad); !errors.As(err, &e) || e.Row != 1 || s.Rows != 0 {
			t.Errorf("row %v: %v", bad, err)
		}
	}
	if err := add([]float64{1}); err == nil {
		t.Error("more labels than rows: no error")
	}
	if err := add([]float64{math.Inf(1)}, data.Dense(1)); err == nil {
		t.Error("infinite label: no error")
	}
	if err := s.Merge(linear.NewSums(3)); err == nil {
		t.Error("other dimension: no error")
	}
	if err := s.Add(t.Context(), run.Control{}, data.Slice[data.Vector]{data.Dense(1)}, []float64{1},
		[]float64{-1}); err == nil {
		t.Error("negative weight: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Add(ctx, run.Control{}, data.Slice[data.Vector]{data.Dense(1)}, []float64{1},
		nil); !errors.Is(err, context.Canceled) || s.Rows != 0 {
		t.Errorf("cancelled: %v", err)
	}
}
