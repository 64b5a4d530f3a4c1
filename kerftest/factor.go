package kerftest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Factors checks a back end whose Bound is a compute.Factorer: what it solves is put into
// the equations, with the matrices by the formula. It does nothing for other back ends.
func Factors(t *testing.T, b compute.Backend) {
	form := kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -0.2}}
	const shift, inner = 1e-3, 1e-2
	for _, m := range []int{1, 127, 128, 130, 300} {
		rng := rand.New(rand.NewPCG(9, uint64(m)))
		y := vectors(rng, m, 4, "dense")
		f := factorOf(t, b, form, y, shift)
		if f == nil {
			return
		}
		l := naiveCholesky(m, func(i, j int) float64 {
			k, _ := value(form, y.At(i), y.At(j), 0)
			if i == j {
				k += shift
			}
			return k
		})
		checkFactor(t, f, l, m, rng)
		g, err := f.Inner(context.Background(), run.Control{}, 1/float64(m), inner)
		if err != nil {
			t.Fatal(err)
		}
		r := naiveCholesky(m, func(i, j int) (sum float64) {
			for k := max(i, j); k < m; k++ {
				sum += l[k*m+i] * l[k*m+j] / float64(m)
			}
			if i == j {
				sum += inner
			}
			return sum
		})
		checkFactor(t, g, r, m, rng)
		g.Release()
		f.Release()
	}
	// Two of these are the same, so that K - I/2 is not positive definite.
	y := vectors(rand.New(rand.NewPCG(9, 0)), 200, 4, "dense").(data.Slice[data.Vector])
	y[150] = y[20]
	bound, err := b.Bind(form, y, run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	var fault *linalg.NotPositiveError
	_, err = bound.(compute.Factorer).Factor(context.Background(), run.Control{}, -0.5)
	if !errors.As(err, &fault) || fault.Index < 0 || fault.Index > 150 || !(fault.Pivot <= 0) {
		t.Errorf("a matrix that is not positive definite: %v", err)
	}
}

func factorOf(
	t *testing.T, b compute.Backend, form kernel.Form, y data.Source[data.Vector], shift float64,
) compute.Factor {
	t.Helper()
	bound, err := b.Bind(form, y, run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	factorer, ok := bound.(compute.Factorer)
	if !ok {
		return nil
	}
	f, err := factorer.Factor(context.Background(), run.Control{}, shift)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// naiveCholesky returns the lower triangle.
func naiveCholesky(m int, at func(i, j int) float64) []float64 {
	l := make([]float64, m*m)
	for i := range m {
		for j := range i + 1 {
			sum := at(i, j)
			for k := range j {
				sum -= l[i*m+k] * l[j*m+k]
			}
			if l[i*m+j] = sum / l[j*m+j]; i == j {
				l[i*m+j] = math.Sqrt(sum)
			}
		}
	}
	return l
}

// checkFactor multiplies what was solved with the triangle again: m terms of rounded numbers each,
// where the condition of the matrices here, at most m·1e3, may come in.
func checkFactor(t *testing.T, f compute.Factor, l []float64, m int, rng *rand.Rand) {
	t.Helper()
	const vectors = 3
	tolerance := float64(m) * float64(m) * 1e3 * 0x1p-50
	for _, transposed := range []bool{false, true} {
		want := &data.Matrix{Rows: vectors, Cols: m, Data: random(rng, vectors*m)}
		x := data.NewMatrix(vectors, m)
		copy(x.Data, want.Data)
		if err := f.Solve(context.Background(), x, transposed); err != nil {
			t.Fatal(err)
		}
		for v := range vectors {
			for i := range m {
				sum := 0.0
				for j := range m {
					if transposed {
						sum += l[j*m+i] * x.Row(v)[j]
					} else {
						sum += l[i*m+j] * x.Row(v)[j]
					}
				}
				if !(math.Abs(sum-want.Row(v)[i]) <= tolerance*(1+math.Abs(sum))) {
					t.Fatalf("m=%d, transposed %v: equation %d is %v, want %v", m, transposed, i, sum, want.Row(v)[i])
				}
			}
		}
		if !transposed {
			continue
		}
		if err := f.MulTransposed(context.Background(), x); err != nil {
			t.Fatal(err)
		}
		for i, w := range want.Data {
			if !(math.Abs(x.Data[i]-w) <= tolerance*(1+math.Abs(w))) {
				t.Fatalf("m=%d: the product brings back %v, want %v", m, x.Data[i], w)
			}
		}
	}
}
