package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

func taylor(t testing.TB, gamma float64, width, degree int) *feature.Taylor {
	t.Helper()
	m, err := feature.NewTaylor(ctx, run.Control{}, kernel.Gaussian{Gamma: gamma}, width, degree)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTaylorAgainstDefinition has every coordinate from its formula and the inner
// products equal to the sum over degrees.
func TestTaylorAgainstDefinition(t *testing.T) {
	for _, c := range []struct {
		gamma         float64
		width, degree int
	}{{1, 0, 0}, {1, 0, 3}, {0.5, 1, 0}, {0.5, 1, 1}, {0.5, 1, 12}, {0.3, 2, 7}, {2, 3, 5}, {0.1, 20, 2}, {0.1, 65, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			m := taylor(t, c.gamma, c.width, c.degree)
			if want := new(big.Int).Binomial(int64(c.width+c.degree),
				int64(c.degree)); want.Cmp(big.NewInt(int64(m.Dim()))) != 0 {
				t.Fatalf("%d coordinates, want %v", m.Dim(), want)
			}
			x := points(15, c.width, 4)
			row := image(m, x[0])
			for j := range m.Dim() {
				a, want := m.Exponents(j), math.Exp(-c.gamma*x[0].Norm2())
				for v, e := range a {
					want *= math.Pow(math.Sqrt(2*c.gamma)*x[0].Value[v], float64(e)) / math.Sqrt(math.Gamma(float64(e)+1))
				}
				if math.Abs(row[j]-want) > 1e-13*math.Abs(want) {
					t.Fatalf("coordinate %s is %v, want %v", m.Name(j), row[j], want)
				}
				if back, ok := m.Index(a...); !ok || back != j {
					t.Fatalf("coordinate %d is found at %d", j, back)
				}
			}
			for _, p := range x {
				for _, q := range x {
					want, term := 0.0, math.Exp(-c.gamma*(p.Norm2()+q.Norm2()))
					for g := 0; g <= c.degree; g++ {
						want += term
						term *= 2 * c.gamma * p.Dot(q) / float64(g+1)
					}
					if got := vmath.Dot(image(m, p), image(m, q)); math.Abs(got-want) > 1e-14 {
						t.Fatalf("⟨φ,φ⟩ = %v, want %v", got, want)
					}
				}
			}
		})
	}
}

func TestTaylorConformance(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65} {
		kerftest.Map(t, taylor(t, 0.5, 1, 9), points(n, 1, 6))
		kerftest.Map(t, taylor(t, 0.5, 4, 5), points(n, 4, 6))
		kerftest.Map(t, taylor(t, 0.5, 0, 2), points(n, 0, 6))
	}
}

// TestTaylorTail: the error never exceeds the tail, reaches it at x = y on the
// sphere, and the tail is below the remainder of Lagrange.
func TestTaylorTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := kernel.Gaussian{Gamma: rapid.Float64Range(0.01, 4).Draw(t, "gamma")}
		d, degree := rapid.IntRange(1, 3).Draw(t, "width"), rapid.IntRange(0, 10).Draw(t, "degree")
		m, err := feature.NewTaylor(ctx, run.Control{}, k, d, degree)
		if err != nil {
			t.Fatal(err)
		}
		coordinate := rapid.SliceOfN(rapid.Float64Range(-2, 2), d, d)
		x, y := data.Dense(coordinate.Draw(t, "x")...), data.Dense(coordinate.Draw(t, "y")...)
		off := func(x, y data.Vector) float64 {
			return math.Abs(k.Eval(x, y) - vmath.Dot(image(m, x), image(m, y)))
		}
		radius := max(x.Norm(), y.Norm())
		if got, tail := off(x, y), m.Tail(radius); got > tail+1e-14 {
			t.Fatalf("error %v, tail %v", got, tail)
		}
		if got, tail := off(x, x), m.Tail(x.Norm()); math.Abs(got-tail) > 1e-13 {
			t.Fatalf("error %v at x = y, tail %v", got, tail)
		}
		s := 2 * k.Gamma * radius * radius
		// subnormal numbers are rounded coarsely
		if tail, lagrange := m.Tail(radius), math.Pow(s,
			float64(degree+1))/math.Gamma(float64(degree+2)); tail > lagrange*(1+1e-12)+1e-300 {
			t.Fatalf("tail %v, remainder of Lagrange %v", tail, lagrange)
		}
	})
}

// TestTaylorTailExact compares the tail with the sum of its series at 400 bits.
func TestTaylorTailExact(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.5} // s is the squared radius
	for _, s := range []float64{0, 1e-12, 0.01, 0.5, 1, 7, 30, 200} {
		for _, degree := range []int{0, 1, 2, 6, 7, 8, 14, 15, 16, 17, 30, 60, 199, 200, 250, 400} {
			radius := math.Sqrt(s)
			mean := new(big.Float).SetPrec(600).SetFloat64(radius)
			mean.Mul(mean, mean)
			term, low, all := big.NewFloat(1).SetPrec(600), new(big.Float).SetPrec(600), new(big.Float).SetPrec(600)
			for g := range 1500 { // tails in units of e^s
				if g > degree {
					low.Add(low, term)
				}
				all.Add(all, term)
				term.Mul(term, mean)
				term.Quo(term, big.NewFloat(float64(g+1)))
			}
			want, _ := low.Quo(low, all).Float64()
			got := feature.TaylorTail(k, degree, radius)
			if math.Abs(got-want) > 1e-12*want && math.Abs(got-want) > 1e-300 {
				t.Errorf("s = %v, degree %d: tail %v, want %v", s, degree, got, want)
			}
		}
	}
	for _, radius := range []float64{-1, math.NaN()} {
		if v := feature.TaylorTail(k, 3, radius); !math.IsNaN(v) {
			t.Errorf("radius %v: %v", radius, v)
		}
	}
	if v := feature.TaylorTail(k, 3, math.Inf(1)); v != 1 {
		t.Errorf("infinite radius: %v", v)
	}
}

func TestTaylorDegree(t *testing.T) {
	for _, gamma := range []float64{1e-3, 0.5, 3} {
		k := kernel.Gaussian{Gamma: gamma}
		for _, radius := range []float64{0, 1e-9, 0.3, 1, 5, 40, 1000} {
			for _, want := range []float64{0.9, 0.5, 0.1, 1e-6, 1e-15, 1e-200} {
				n, err := feature.TaylorDegree(k, radius, want)
				check(t, err)
				if v := feature.TaylorTail(k, n, radius); v > want {
					t.Errorf("%v, radius %v: degree %d has tail %v, want %v", k, radius, n, v, want)
				}
				if n > 0 && feature.TaylorTail(k, n-1, radius) <= want {
					t.Errorf("%v, radius %v, error %v: degree %d is not the smallest", k, radius, want, n)
				}
			}
		}
	}
	for _, c := range []struct{ gamma, radius, err float64 }{
		{0, 1, 0.1}, {1, -1, 0.1}, {1, math.NaN(), 0.1}, {1, math.Inf(1), 0.1}, {1, 1, 0}, {1, 1, 1}, {1, 1, math.NaN()}, {1,
			1e100, 0.1}, {1e300, 1e300, 0.1},
	} {
		if n, err := feature.TaylorDegree(kernel.Gaussian{Gamma: c.gamma}, c.radius, c.err); err == nil {
			t.Errorf("%v: degree %d", c, n)
		}
	}
}

// TestTaylorExtremes: features of vectors of any size are finite and of length at
// most 1, and those of a high degree survive where e^(-γ|x|²) does not.
func TestTaylorExtremes(t *testing.T) {
	for _, gamma := range []float64{1e-308, 1e-300, 1, 1e300} {
		m := taylor(t, gamma, 2, 4)
		var x data.Slice[data.Vector]
		for _, a := range []float64{0, 5e-324, 1e-160, 1, 1e3, 1e154, math.MaxFloat64} {
			x = append(x, data.Dense(a, -a), data.Dense(a, 1))
		}
		kerftest.Map(t, m, x)
		for _, p := range x {
			if n := vmath.Dot(image(m, p), image(m, p)); !(n <= 1+1e-12) {
				t.Errorf("gamma %v: |φ(%v)|² = %v", gamma, p.Value, n)
			}
		}
	}
	m := taylor(t, 0.5, 1, 2400)
	for _, a := range []float64{37, 38, 40, 45} { // γ|x|² from 684 to 1012
		row := image(m, data.Dense(a))
		if got := vmath.Dot(row, row); math.Abs(got-1) > 1e-11 {
			t.Errorf("|φ(%v)|² = %v, want 1", a, got)
		}
	}
}

func TestTaylorFaults(t *testing.T) {
	for _, c := range []struct {
		gamma         float64
		width, degree int
		want          string
	}{
		{0, -1, 1, "gamma is 0"}, {0, -1, 1, "width is -1"}, {1, 1, -1, "degree is -1"},
		{1, 50, 50, "more than"}, {1, 30, 30, "118264581564861424 monomials"}, {1, 2, 1100, "beyond float64"},
	} {
		_, err := feature.NewTaylor(ctx, run.Control{}, kernel.Gaussian{Gamma: c.gamma}, c.width, c.degree)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	var memory *run.MemoryError
	if _, err := feature.NewTaylor(ctx, run.Control{Memory: 1000}, kernel.Gaussian{Gamma: 1}, 9, 3); !errors.As(err,
		&memory) {
		t.Errorf("got %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := feature.NewTaylor(cancelled, run.Control{}, kernel.Gaussian{Gamma: 1}, 9, 3); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The lecture's expansion of the Gaussian kernel of bandwidth 1 on the line:
// coordinates e^(-x²/2)·x^n/√n!, as many as an error of 10⁻⁶ on [-2, 2] needs.
func ExampleTaylor() {
	k := kernel.GaussianWidth(1)
	degree, err := feature.TaylorDegree(k, 2, 1e-6)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := feature.NewTaylor(context.Background(), run.Control{}, k, 1, degree)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := data.Dense(1.5), data.Dense(-0.5)
	a, b := make([]float64, m.Dim()), make([]float64, m.Dim())
	m.MapTo(a, x)
	m.MapTo(b, y)
	fmt.Printf("degree %d, error at most %.1e\n", degree, m.Tail(2))
	fmt.Printf("kernel %.6f, features %.6f\n", k.Eval(x, y), vmath.Dot(a, b))
	// Output:
	// degree 17, error at most 2.5e-07
	// kernel 0.135335, features 0.135335
}
