package linalg_test

import (
	"context"
	"errors"
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

// ones returns A scaled to a diagonal of ones, on which kerf's pivots are LAPACK's.
func ones(a *data.Matrix) *data.Matrix {
	n := a.Rows
	root := make([]float64, n)
	for i := range n {
		root[i] = math.Sqrt(a.Data[i*n+i])
	}
	for i := range n {
		for j := range n {
			a.Data[i*n+j] /= root[i] * root[j]
		}
		a.Data[i*n+i] = 1
	}
	return a
}

// TestPivotsDoNotDependOnLength: rows and columns scaled by powers of two up to
// 2^±200 have the same pivots, and the factor scaled alike, to the bit.
func TestPivotsDoNotDependOnLength(t *testing.T) {
	n, r := 150, 40
	a := gramOf(n, r)
	want, err := linalg.PivotedCholesky(ctx, run.Control{}, a, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	scaled := data.NewMatrix(n, n)
	power := func(i int) int { return i*7919%401 - 200 }
	for i := range n {
		for j := range n {
			scaled.Data[i*n+j] = math.Ldexp(a.Data[i*n+j], power(i)+power(j))
		}
	}
	got, err := linalg.PivotedCholesky(ctx, run.Control{}, scaled, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rank() != r || !slices.Equal(got.Pivot, want.Pivot) {
		t.Fatalf("rank %d, want %d; pivots %v, want %v", got.Rank(), r, got.Pivot, want.Pivot)
	}
	for i, p := range got.Pivot {
		for j := range i + 1 {
			if v, w := got.L.Row(i)[j], math.Ldexp(want.L.Row(i)[j], power(p)); v != w {
				t.Fatalf("L(%d,%d) = %v, want %v", i, j, v, w)
			}
		}
	}
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
	a := ones(gramOf(n, 80))
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
		inv, err := linalg.InvertLower(ctx, run.Control{}, f.L)
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
	if _, err := linalg.InvertLower(cancelled, run.Control{}, gramOf(3, 3)); err != context.Canceled {
		t.Errorf("inverse: %v", err)
	}
}

// TestCholesky checks A = L·Lᵀ at sizes on both sides of the leaves' edges, and
// that the upper triangle is left alone.
func TestCholesky(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 300} {
		a := gramOf(n, n+10)
		l := &data.Matrix{Rows: n, Cols: n, Data: slices.Clone(a.Data)}
		for i := range n {
			for j := i + 1; j < n; j++ {
				l.Data[i*n+j] = math.NaN()
			}
		}
		if err := linalg.Cholesky(ctx, run.Control{}, l); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if j > i {
					if !math.IsNaN(l.Data[i*n+j]) {
						t.Fatalf("n=%d: wrote above the diagonal", n)
					}
					continue
				}
				got := 0.0
				for k := range j + 1 {
					got += l.Row(i)[k] * l.Row(j)[k]
				}
				if want := a.Data[i*n+j]; math.Abs(got-want) > 1e-13*float64(n+10)*float64(n) {
					t.Fatalf("n=%d (%d,%d): %v, want %v", n, i, j, got, want)
				}
			}
		}
	}
}

func TestCholeskyRefuses(t *testing.T) {
	n := 150
	a := gramOf(n, 2*n)
	a.Data[100*n+100] = -1
	var fault *linalg.NotPositiveError
	if err := linalg.Cholesky(ctx, run.Control{}, a); !errors.As(err, &fault) || fault.Index != 100 {
		t.Fatalf("got %v", err)
	}
}

// TestSolveLower checks x·L⁻ᵀ·Lᵀ = x.
func TestSolveLower(t *testing.T) {
	for _, n := range []int{1, 64, 65, 150} {
		for _, rows := range []int{0, 1, 33} {
			l := gramOf(n, 2*n)
			if err := linalg.Cholesky(ctx, run.Control{}, l); err != nil {
				t.Fatal(err)
			}
			x := data.NewMatrix(rows, n)
			for i := range x.Data {
				x.Data[i] = math.Sin(float64(i))
			}
			z := &data.Matrix{Rows: rows, Cols: n, Data: slices.Clone(x.Data)}
			if err := linalg.SolveLower(ctx, run.Control{}, z, l); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				for j := range n {
					got := 0.0
					for k := range j + 1 {
						got += z.Row(i)[k] * l.Row(j)[k]
					}
					if math.Abs(got-x.Row(i)[j]) > 1e-10 {
						t.Fatalf("n=%d (%d,%d): %v, want %v", n, i, j, got, x.Row(i)[j])
					}
				}
			}
		}
	}
}

func TestEigen(t *testing.T) {
	for _, n := range []int{1, 2, 3, 20, 63, 64, 65, 130, 300} {
		a := gramOf(n, max(1, n/2))
		values, vectors, err := linalg.Eigen(t.Context(), run.Control{Workers: 2}, a)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := linalg.Eigen(t.Context(), run.Control{Workers: 1}, a)
		if err != nil || !slices.Equal(values, again) || !slices.IsSorted(values) {
			t.Errorf("n=%d: other values with one worker, or out of order: %v", n, err)
		}
		top := max(math.Abs(values[0]), math.Abs(values[n-1]))
		var peer mat.EigenSym
		if !peer.Factorize(mat.NewSymDense(n, slices.Clone(a.Data)), false) {
			t.Fatal("gonum finds no eigenvalues")
		}
		for e, want := range peer.Values(nil) {
			if math.Abs(values[e]-want) > 3*float64(n)*0x1p-52*top {
				t.Fatalf("n=%d, eigenvalue %d: %v, gonum has %v", n, e, values[e], want)
			}
		}
		for e, lambda := range values {
			length := 0.0
			for i := range n {
				got := 0.0
				for k := range n {
					got += a.Row(i)[k] * vectors.Row(k)[e]
				}
				length += vectors.Row(i)[e] * vectors.Row(i)[e]
				// n roundings of each reflection and sweep, of which there are about 3n.
				if want := lambda * vectors.Row(i)[e]; math.Abs(got-want) > 3*float64(n)*0x1p-52*top {
					t.Fatalf("n=%d, eigenvalue %d: %v, want %v", n, e, got, want)
				}
			}
			if math.Abs(length-1) > 3*float64(n)*0x1p-52 {
				t.Fatalf("n=%d: eigenvector %d has the length %v", n, e, math.Sqrt(length))
			}
		}
	}
}

// TestEigenEdges: no rows, zeros, equal values, other units, no numbers, no time.
func TestEigenEdges(t *testing.T) {
	if values, _, err := linalg.Eigen(t.Context(), run.Control{}, data.NewMatrix(0, 0)); err != nil || len(values) > 0 {
		t.Errorf("no rows: %v, %v", values, err)
	}
	for _, c := range []struct {
		a, want []float64
	}{
		{[]float64{0, 0, 0, 0}, []float64{0, 0}},
		{[]float64{3, 0, 0, 3}, []float64{3, 3}},
		{[]float64{0, 1e300, 1e300, 0}, []float64{-1e300, 1e300}},
		{[]float64{2e-200, 1e-200, 1e-200, 2e-200}, []float64{1e-200, 3e-200}},
	} {
		values, _, err := linalg.Eigen(t.Context(), run.Control{}, &data.Matrix{Rows: 2, Cols: 2, Data: c.a})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if math.Abs(values[i]-want) > 0x1p-50*math.Abs(c.want[1]) {
				t.Errorf("%v has the eigenvalues %v", c.a, values)
			}
		}
	}
	bad := &data.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}
	if _, _, err := linalg.Eigen(t.Context(), run.Control{}, bad); err != linalg.ErrEigen {
		t.Errorf("no number: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := linalg.Eigen(ended, run.Control{}, gramOf(20, 8)); err != context.Canceled {
		t.Errorf("no time: %v", err)
	}
}

func BenchmarkCholesky(b *testing.B) {
	n := 2000
	a := gramOf(n, 1)
	for i := range n {
		for j := range n {
			a.Data[i*n+j] = math.Exp(-math.Abs(float64(i-j)) / 50)
		}
	}
	l := data.NewMatrix(n, n)
	for b.Loop() {
		copy(l.Data, a.Data)
		if err := linalg.Cholesky(ctx, run.Control{}, l); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(n)*float64(n)/3/(b.Elapsed().Seconds()/float64(b.N))/1e9, "GFLOP/s")
}

// TestCholeskyOf compares the factor in float32 with that in float64: of a matrix of low condition it is off by a few
// times n·2⁻²⁴. What is above the diagonal stays.
func TestCholeskyOf(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 129, 300} {
		a := ones(gramOf(n, 8*n+8))
		single := make([]float32, len(a.Data))
		for i, v := range a.Data {
			if single[i] = float32(v); i%max(n, 1) > i/max(n, 1) {
				single[i] = float32(math.NaN())
			}
		}
		if err := linalg.CholeskyOf(ctx, run.Control{Workers: 3}, single, n); err != nil {
			t.Fatal(err)
		}
		if err := linalg.Cholesky(ctx, run.Control{}, a); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j, v := range single[i*n : (i+1)*n] {
				if j > i != math.IsNaN(float64(v)) || j <= i && math.Abs(float64(v)-a.Row(i)[j]) > 4*0x1p-24*float64(n+10) {
					t.Fatalf("n=%d (%d,%d): %v, want %v", n, i, j, v, a.Row(i)[j])
				}
			}
		}
	}
	if err := linalg.CholeskyOf(ctx, run.Control{}, []float32{1, 0, 2, 1}, 2); err == nil {
		t.Error("a matrix that is not positive definite has a factor")
	}
}
