package linalg_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

// gramOf returns B·Bᵀ for a random n×r matrix B: positive semidefinite of rank
// min(n, r).
func gramOf(n, r int) *data.Matrix {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(r)))
	b := make([]float64, n*r)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	a := data.NewMatrix(n, n)
	for i := range n {
		for j := range n {
			for k := range r {
				a.Data[i*n+j] += b[i*r+k] * b[j*r+k]
			}
		}
	}
	return a
}

// TestPivotedCholesky checks A = L·Lᵀ on the pivots, and that the rows left out
// depend on them: their entries are reproduced as well.
func TestPivotedCholesky(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 33, 300} {
		for _, r := range []int{0, 1, 5, n} {
			a := gramOf(n, r)
			f, err := linalg.PivotedCholesky(ctx, run.Control{}, a, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			if f.Rank() != min(n, r) {
				t.Fatalf("n=%d r=%d: rank %d", n, r, f.Rank())
			}
			for i, p := range f.Pivot {
				for j, q := range f.Pivot {
					got := 0.0
					for k := range f.Rank() {
						got += f.L.Row(i)[k] * f.L.Row(j)[k]
					}
					// n terms, each rounded to 2⁻⁵² of the largest entry.
					if want := a.Data[p*n+q]; math.Abs(got-want) > 1e-13*float64(n*max(r, 1)) {
						t.Fatalf("n=%d r=%d (%d,%d): %v, want %v", n, r, i, j, got, want)
					}
				}
			}
		}
	}
}

// TestAgainstGonum compares the factor with LAPACK's pivoted Cholesky.
func TestAgainstGonum(t *testing.T) {
	n := 60
	a := gramOf(n, 80)
	f, err := linalg.PivotedCholesky(ctx, run.Control{}, a, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	var g mat.PivotedCholesky
	if !g.Factorize(mat.NewSymDense(n, slices.Clone(a.Data)), 1e-12) {
		t.Fatal("gonum finds the matrix deficient")
	}
	var u mat.TriDense
	g.UTo(&u)
	if !slices.Equal(g.ColumnPivots(nil), f.Pivot) {
		t.Fatalf("pivots %v, gonum has %v", f.Pivot, g.ColumnPivots(nil))
	}
	for i := range n {
		for j := range i + 1 {
			if got, want := f.L.Row(i)[j], u.At(j, i); math.Abs(got-want) > 1e-10 {
				t.Fatalf("L(%d,%d) = %v, gonum has %v", i, j, got, want)
			}
		}
	}
}

func TestWorkersGiveSameBits(t *testing.T) {
	a := gramOf(700, 400)
	one, _ := linalg.PivotedCholesky(ctx, run.Control{Workers: 1}, a, 1e-12)
	for _, workers := range []int{2, 5} {
		f, _ := linalg.PivotedCholesky(ctx, run.Control{Workers: workers}, a, 1e-12)
		if !slices.Equal(f.L.Data, one.L.Data) || !slices.Equal(f.Pivot, one.Pivot) {
			t.Fatalf("%d workers give other bits", workers)
		}
	}
}

func TestNegative(t *testing.T) {
	a := &data.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 2, 1}} // eigenvalues 3, -1
	f, err := linalg.PivotedCholesky(ctx, run.Control{}, a, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rank() != 1 || f.Negative != -3 {
		t.Fatalf("rank %d, negative %v", f.Rank(), f.Negative)
	}
}

func TestInvertLower(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 33, 100} {
		f, _ := linalg.PivotedCholesky(ctx, run.Control{}, gramOf(n, 2*n), 1e-12)
		inv, err := linalg.InvertLower(ctx, f.L)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					sum += inv.Row(i)[k] * f.L.Row(k)[j]
				}
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(sum-want) > 1e-11 {
					t.Fatalf("n=%d: (L⁻¹L)(%d,%d) = %v", n, i, j, sum)
				}
				if j > i && inv.Row(i)[j] != 0 {
					t.Fatalf("not lower triangular at (%d,%d)", i, j)
				}
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := linalg.PivotedCholesky(cancelled, run.Control{}, gramOf(10, 10), 0); err != context.Canceled {
		t.Errorf("Cholesky: %v", err)
	}
	if _, err := linalg.InvertLower(cancelled, gramOf(3, 3)); err != context.Canceled {
		t.Errorf("inverse: %v", err)
	}
}
