package feature_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// distances returns the squared distance of every instance to the span of the
// chosen ones: K(x,x) - k(x)ᵀ·M⁺·k(x), by the eigenvalues of M.
func distances[T any](k kernel.Kernel[T], x data.Source[T], chosen []int) []float64 {
	m := len(chosen)
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = k.Eval(x.At(i), x.At(i))
	}
	if m == 0 {
		return out
	}
	g := mat.NewSymDense(m, nil)
	for a := range m {
		for b := range a + 1 {
			g.SetSym(a, b, k.Eval(x.At(chosen[a]), x.At(chosen[b])))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(g, true) {
		panic("eigenvalues did not converge")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	values := eig.Values(nil)
	for i := range out {
		for e, lambda := range values {
			if lambda < 1e-12*values[m-1] {
				continue
			}
			s := 0.0
			for a, c := range chosen {
				s += v.At(a, e) * k.Eval(x.At(i), x.At(c))
			}
			out[i] -= s * s / lambda
		}
	}
	return out
}

// nearest returns the squared distance of every instance to the nearest chosen
// one.
func nearest[T any](k kernel.Kernel[T], x data.Source[T], chosen []int) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = math.Inf(1)
		for _, c := range chosen {
			a, b := x.At(i), x.At(c)
			out[i] = min(out[i], k.Eval(a, a)-2*k.Eval(a, b)+k.Eval(b, b))
		}
	}
	return out
}

func diag[T any](k kernel.Kernel[T], x data.Source[T]) []float64 { return distances(k, x, nil) }

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// law returns the probability of every sequence of k choices, where each is made
// with probability proportional to weights of those before.
func law(n, k int, weights func(chosen []int) []float64) map[string]float64 {
	out := map[string]float64{}
	var extend func(chosen []int, p float64)
	extend = func(chosen []int, p float64) {
		if len(chosen) == k {
			out[fmt.Sprint(chosen)] += p
			return
		}
		w := weights(chosen)
		total := 0.0
		for i := range w {
			if slices.Contains(chosen, i) {
				w[i] = 0
			}
			total += w[i]
		}
		for i := range n {
			if w[i] > 0 {
				extend(append(slices.Clone(chosen), i), p*w[i]/total)
			}
		}
	}
	extend(nil, 1)
	return out
}

// TestLaw compares the frequencies of sequences of landmarks over many seeds
// with their probabilities, listed from the definition. The statistic Σ (seen -
// expected)²/expected of c cells has the mean c-1 and the variance 2(c-1); six
// standard deviations are allowed.
func TestLaw(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.3}
	for _, c := range []struct {
		n, size, block int
		s              feature.Selection
	}{
		{4, 2, 1, feature.RPCholesky}, {4, 2, 2, feature.RPCholesky}, {5, 3, 2, feature.RPCholesky},
		{5, 3, 1, feature.RPCholesky}, {5, 3, 3, feature.RPCholesky}, {4, 2, 0, feature.KMeans}, {5, 3, 0, feature.KMeans},
		{5, 2, 0, feature.Uniform},
	} {
		x := points(c.n, 2, 21)
		want := law(c.n, c.size, func(chosen []int) []float64 {
			switch {
			case c.s == feature.RPCholesky:
				return distances(k, x, chosen)
			case c.s == feature.KMeans && len(chosen) > 0:
				return nearest(k, x, chosen)
			}
			return diag(k, x) // all alike
		})
		const runs = 8000
		seen := map[string]float64{}
		for s := range uint64(runs) {
			r := feature.NewChooser[data.Vector](k, c.size, c.s)
			r.Seed, r.Block, r.Run.Workers, r.Run.Memory = s, c.block, 1, 1<<30
			got, err := r.Choose(ctx, x)
			check(t, err)
			seen[fmt.Sprint(got.Index)]++
		}
		chi2, cells := 0.0, 0.0
		for name, p := range want {
			e := p * runs
			chi2 += (seen[name] - e) * (seen[name] - e) / e
			cells++
			delete(seen, name)
		}
		if len(seen) > 0 {
			t.Errorf("%+v: impossible sequences %v", c, seen)
		}
		t.Logf("%+v: χ² = %.1f with %v cells", c, chi2, cells)
		if chi2 > cells-1+6*math.Sqrt(2*(cells-1)) {
			t.Errorf("%+v: χ² = %v with %v cells", c, chi2, cells)
		}
	}
}

// TestGreedyAgainstDefinition takes in every step the instance with the largest
// distance that dense projection finds.
func TestGreedyAgainstDefinition(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 40, 65} {
		x := points(n, 3, uint64(n))
		for _, k := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 0.4}, kernel.NewPolynomial(3)} {
			c, err := feature.NewChooser(k, 6, feature.Greedy).Choose(ctx, x)
			check(t, err)
			var want []int
			for range min(6, n) {
				left := distances(k, x, want)
				best := 0
				for i := range left {
					if left[i] > left[best] {
						best = i
					}
				}
				want = append(want, best)
			}
			if !slices.Equal(c.Index, want) {
				t.Errorf("n=%d, %v: %v, want %v", n, k, c.Index, want)
			}
		}
	}
}

// TestFactor checks residual and factor of Greedy and RPCholesky, plain and in
// blocks, against dense projection, for numbers of rows and landmarks on both
// sides of the edges of blocks.
func TestFactor(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.4}
	for _, n := range []int{7, 63, 65, 520} {
		x := points(n, 3, uint64(n))
		for _, size := range []int{1, 2, 8, 9, 33} {
			for _, block := range []int{1, 2, 5, 64} {
				for _, s := range []feature.Selection{feature.Greedy, feature.RPCholesky} {
					r := feature.NewChooser[data.Vector](k, size, s)
					r.Block = block
					c, err := r.Choose(ctx, x)
					check(t, err)
					checkFactor(t, k, x, c)
					if len(c.Index) != min(size, n) {
						t.Fatalf("%s: %d landmarks of %d", s, len(c.Index), min(size, n))
					}
				}
			}
		}
	}
}

func transpose(m *data.Matrix) *data.Matrix {
	out := data.NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			out.Row(j)[i] = v
		}
	}
	return out
}

// checkFactor compares the factor with dense projection, to 1e-8: rounding of
// K, 2⁻⁵², is amplified by at most the root of the smallest pivot, 1e-6.
func checkFactor[T any](t *testing.T, k kernel.Kernel[T], x data.Source[T], c feature.Chosen) {
	t.Helper()
	if c.Factor.Cols != x.Len() || c.Factor.Rows != len(c.Index) {
		t.Fatalf("the factor is %d×%d", c.Factor.Rows, c.Factor.Cols)
	}
	f := transpose(c.Factor)
	own := diag(k, x)
	top := slices.Max(own)
	left := distances(k, x, c.Index)
	for i, d := range left {
		if got := own[i] - vmath.Dot(f.Row(i), f.Row(i)); math.Abs(got-d) > 1e-8*top {
			t.Fatalf("instance %d is %v from the span, and by the factor %v", i, d, got)
		}
	}
	for a, q := range c.Index {
		for i := range x.Len() {
			got, want := vmath.Dot(f.Row(i), f.Row(q)), k.Eval(x.At(i), x.At(q))
			if math.Abs(got-want) > 1e-8*top {
				t.Fatalf("K(%d,%d) = %v, and by the factor %v", i, q, want, got)
			}
		}
		for _, v := range f.Row(q)[a+1:] {
			if v != 0 {
				t.Fatalf("row %d of the triangle ends in %v", a, f.Row(q)[a+1:])
			}
		}
	}
	if want := sum(left) / sum(own); math.Abs(c.Residual-want) > 1e-8 {
		t.Fatalf("residual %v, want %v", c.Residual, want)
	}
}

// TestDSquaredResidual compares the residual of KMeans with its definition.
func TestDSquaredResidual(t *testing.T) {
	k := kernel.NewPolynomial(2)
	for _, n := range []int{1, 9, 64, 257, 1030} {
		x := points(n, 3, uint64(n))
		c, err := feature.NewChooser[data.Vector](k, 9, feature.KMeans).Choose(ctx, x)
		check(t, err)
		want := sum(nearest(k, x, c.Index)) / sum(diag(k, x))
		if math.Abs(c.Residual-want) > 1e-12*float64(n) || len(c.Index) != min(n, 9) {
			t.Errorf("n=%d: %d landmarks, residual %v, want %v", n, len(c.Index), c.Residual, want)
		}
		if c.Factor != nil {
			t.Error("KMeans has a factor")
		}
	}
}
