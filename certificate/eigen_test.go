package certificate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// semidefinite returns B·Bᵀ for an n×rank matrix B, whose columns get shorter.
func semidefinite(n, rank int, decay float64) *data.Matrix {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(rank)))
	b := data.NewMatrix(n, max(rank, 1))
	for i := range n {
		scale := 1.0
		for k := range rank {
			b.Row(i)[k] = scale * rng.NormFloat64()
			scale *= decay
		}
	}
	a := data.NewMatrix(n, n)
	for i := range n {
		for j := range n {
			for k := range rank {
				a.Row(i)[j] += b.Row(i)[k] * b.Row(j)[k]
			}
		}
	}
	return a
}

func TestTopEigenvalue(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 63, 64, 65, 257} {
		for _, rank := range []int{0, 1, 3, n} {
			for _, decay := range []float64{1, 0.7} {
				a := semidefinite(n, rank, decay)
				for _, lead := range []int{n, n / 2} {
					b := data.NewMatrix(lead, lead)
					for i := range lead {
						copy(b.Row(i), a.Row(i)[:lead])
					}
					values, _, _ := linalg.Eigen(context.Background(), run.Control{}, b)
					want := 0.0
					if lead > 0 {
						want = max(0, values[lead-1])
					}
					theta, err := topRitz(t.Context(), run.Control{}, a, lead, ritzError)
					if err != nil {
						t.Fatal(err)
					}
					// A Ritz value is never above the eigenvalue, rounding aside.
					if theta > want*(1+1e-12) || theta < want*(1-2e-3) {
						t.Errorf("n=%d rank=%d lead=%d: Ritz value %v of %v", n, rank, lead, theta, want)
					}
					work := &data.Matrix{Rows: n, Cols: n, Data: slices.Clone(a.Data)}
					upper, err := topUpper(t.Context(), run.Control{}, work, lead)
					if err != nil {
						t.Fatal(err)
					}
					if upper < want || upper > want*1.02 {
						t.Errorf("n=%d rank=%d lead=%d: upper bound %v of %v", n, rank, lead, upper, want)
					}
				}
			}
		}
	}
}

// A start that misses the largest eigenvalue is found out by the proof.
func TestProofCatchesAnUnderestimate(t *testing.T) {
	n := 70
	a := data.NewMatrix(n, n)
	for i := range n {
		a.Row(i)[i] = 1 + 0.01*float64(i)
	}
	diagonal := make([]float64, n)
	for i := range n {
		diagonal[i] = a.Row(i)[i]
	}
	for _, c := range []struct {
		at   float64
		want bool
	}{{1.6899, false}, {1.6901, true}, {0.5, false}, {3, true}} {
		if ok, err := below(t.Context(), run.Control{}, a, diagonal, c.at); err != nil || ok != c.want {
			t.Errorf("largest 1.69 is below %v: %v, %v", c.at, ok, err)
		}
	}
}

// The spectrum against its formula, with a linear kernel: everything explicit.
func TestSpectrumAgainstFormula(t *testing.T) {
	const dim, keep, floor = 9, 0.5, 0.2
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) data.Slice[data.Vector] {
		x := make(data.Slice[data.Vector], n)
		for i := range x {
			v := make([]float64, dim)
			for k := range v {
				v[k] = rng.NormFloat64() * math.Pow(0.6, float64(k))
			}
			x[i] = data.Vector{Value: v}
		}
		return x
	}
	marks := draw(3)
	m, err := feature.NewF2[data.Vector](kernel.Linear{}, 3).FitTo(t.Context(), marks)
	if err != nil {
		t.Fatal(err)
	}
	var basis [][]float64
	reject := func(v []float64) []float64 {
		v = slices.Clone(v)
		for range 2 {
			for _, b := range basis {
				c := 0.0
				for k := range v {
					c += v[k] * b[k]
				}
				for k := range v {
					v[k] -= c * b[k]
				}
			}
		}
		return v
	}
	for _, z := range marks {
		v := reject(z.Value)
		norm := data.Vector{Value: v}.Norm()
		for k := range v {
			v[k] /= norm
		}
		basis = append(basis, v)
	}
	for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 257} {
		x := draw(n)
		if n > 5 {
			x[3] = data.Dense(make([]float64, dim)...) // φ(z) = 0
			x[4] = marks[1]                            // nothing is lost
		}
		for _, part := range []int{1000, 5} { // similarities and features kept, or computed for the spectrum
			s := &sample[data.Vector]{kernel: kernel.Linear{}, x: x, part: part}
			l, err := s.look(t.Context(), run.Control{}, m, keep)
			if err != nil {
				t.Fatal(err)
			}
			residuals, err := Residuals(t.Context(), run.Control{}, m, x)
			if err != nil {
				t.Fatal(err)
			}
			var exposed []data.Vector
			for i, z := range x {
				out := reject(z.Value)
				whole, r := z.Norm2(), 0.0
				if whole > 0 {
					r = data.Vector{Value: out}.Norm2() / whole
				}
				rho := r / (1 - keep*keep*(1-r))
				if math.Abs(residuals[i]-r) > 1e-12 || residuals[i] != l.residual[i] {
					t.Fatalf("residual %d is %v, want %v", i, residuals[i], r)
				}
				if l.exposure[i] < rho-1e-12 || l.exposure[i] > rho+2*rounding {
					t.Fatalf("exposure %d is %v, want %v", i, l.exposure[i], rho)
				}
				if rho >= floor {
					for k := range out {
						out[k] /= math.Sqrt(whole * (1 - keep*keep*(1-r)))
					}
					exposed = append(exposed, data.Vector{Value: out})
				}
			}
			slices.SortFunc(exposed, func(a, b data.Vector) int {
				if a.Norm2() < b.Norm2() {
					return -1
				}
				return 1
			})
			got, err := l.spectrum(t.Context(), run.Control{}, l.exposed(floor, 1), 2)
			if err != nil {
				t.Fatal(err)
			}
			if got.matrix.Rows != len(exposed) {
				t.Fatalf("%d exposed, want %d", got.matrix.Rows, len(exposed))
			}
			for i, v := range exposed {
				for j, w := range exposed {
					if math.Abs(got.matrix.Row(i)[j]-v.Dot(w)) > 1e-12 {
						t.Fatalf("n=%d: entry %d, %d is %v, want %v", n, i, j, got.matrix.Row(i)[j], v.Dot(w))
					}
				}
			}
			for _, level := range []float64{0, 0.3, 0.5, 1} {
				count := 0
				for _, v := range exposed {
					if v.Norm2() <= level-2*rounding {
						count++
					}
				}
				if got.upTo(level) < count || level == 1 && got.upTo(level) != len(exposed) {
					t.Errorf("%d up to %v, want %d", got.upTo(level), level, count)
				}
			}
		}
	}
}

func TestEigenvalueCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := topUpper(ctx, run.Control{}, semidefinite(65, 9, 1), 65); err != context.Canceled {
		t.Error(err)
	}
}

func TestMostHits(t *testing.T) {
	for _, n := range []int{0, 1, 5, 20, 28, 29, 59, 300} {
		for _, err := range []float64{0.05, 0.1, 0.5} {
			want := -1
			for k := range n {
				if binomialUpper(k, n, 0.05) <= err {
					want = k
				}
			}
			if got := mostHits(n, err, 0.05); got != want {
				t.Errorf("mostHits(%d, %v) = %d, want %d", n, err, got, want)
			}
			if enough := n >= leastTrials(err, 0.05); enough != (want >= 0) {
				t.Errorf("%d trials are enough for %v: %v, most hits %d", n, err, enough, want)
			}
		}
	}
}

// The sum of the largest eigenvalues is bounded from both sides, also where
// eigenvalues coincide.
func TestSumOfEigenvalues(t *testing.T) {
	blocks := func(n, copies int) *data.Matrix { // eigenvalues n/copies, copies times
		a := data.NewMatrix(n, n)
		for i := range n {
			for j := range n {
				if i%copies == j%copies {
					a.Row(i)[j] = 1
				}
			}
		}
		return a
	}
	for _, n := range []int{0, 1, 2, 9, 63, 64, 65, 200} {
		for name, a := range map[string]*data.Matrix{
			"flat": semidefinite(n, n, 1), "falling": semidefinite(n, n, 0.9), "low rank": semidefinite(n, 3, 0.7),
			"blocks": blocks(n, 30),
		} {
			for _, m := range []int{1, 2, 5, 25, 49} {
				for _, lead := range []int{n, n / 2} {
					b := data.NewMatrix(lead, lead)
					for i := range lead {
						copy(b.Row(i), a.Row(i)[:lead])
					}
					values, _, _ := linalg.Eigen(t.Context(), run.Control{}, b)
					want := 0.0
					for _, v := range values[max(0, lead-m):] {
						want += max(0, v)
					}
					low, err := sumRitz(t.Context(), run.Control{}, a, lead, m)
					if err != nil {
						t.Fatal(err)
					}
					if low > want*(1+1e-12) || low < want*(1-0.1) {
						t.Errorf("%s, n=%d lead=%d m=%d: estimate %v of %v", name, n, lead, m, low, want)
					}
					work := &data.Matrix{Rows: n, Cols: n, Data: slices.Clone(a.Data)}
					upper, err := sumUpper(t.Context(), run.Control{}, work, lead, m)
					if err != nil {
						t.Fatal(err)
					}
					if upper < want*(1-1e-14) || upper > want*1.03 {
						t.Errorf("%s, n=%d lead=%d m=%d: upper bound %v of %v", name, n, lead, m, upper, want)
					}
				}
			}
		}
	}
}

// TestSlackBoundsTheResiduals: what an instance of the landmarks' span seems to
// have outside of it, at the smallest tolerance there is, is less than the slack.
func TestSlackBoundsTheResiduals(t *testing.T) {
	for _, k := range []kernel.Kernel[data.Vector]{kernel.NewPolynomial(3), kernel.NewPolynomial(5), kernel.Linear{}} {
		rng := rand.New(rand.NewPCG(5, 6))
		x := data.NewMatrix(400, 3)
		for i := range x.Rows {
			length := math.Exp(4 * rng.NormFloat64())
			for j := range x.Row(i) {
				x.Row(i)[j] = length * rng.NormFloat64()
			}
		}
		r := feature.NewF2(k, 200)
		r.Tolerance = 0
		m, err := r.FitTo(t.Context(), &data.Matrix{Rows: 200, Cols: 3, Data: x.Data[:600]})
		if err != nil {
			t.Fatal(err)
		}
		p, err := outside(t.Context(), run.Control{}, m, x, false)
		if err != nil {
			t.Fatal(err)
		}
		if worst := slices.Max(p.residual); worst > p.slack || p.slack > 1e-3 {
			t.Errorf("%v, rank %d: residual %v, slack %v", k, m.Dim(), worst, p.slack)
		}
	}
}
