package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

func monomials(t testing.TB, k kernel.Polynomial, width int) *feature.Monomials {
	t.Helper()
	m, err := feature.NewMonomials(ctx, run.Control{}, k, width)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func image[T any](m feature.Map[T], x T) []float64 {
	row := make([]float64, m.Dim())
	m.MapTo(row, x)
	return row
}

// monomialOracle is a coordinate from its definition: exponents, factorials, Pow.
func monomialOracle(k kernel.Polynomial, a []int, x []float64) float64 {
	factorial := func(n int) float64 { return math.Gamma(float64(n) + 1) }
	g, square, power := 0, factorial(k.Degree), 1.0
	for v, e := range a {
		g += e
		square /= factorial(e)
		power *= math.Pow(x[v], float64(e))
	}
	square *= math.Pow(k.Gamma, float64(g)) * math.Pow(k.Coef, float64(k.Degree-g)) / factorial(k.Degree-g)
	return math.Sqrt(square) * power
}

// polynomials are kernels with and without a constant, and widths, that need
// every path of the recurrence: runs below and above 16, degree 1, width 0 and 1.
var polynomials = []struct {
	k     kernel.Polynomial
	width int
}{
	{kernel.NewPolynomial(1), 0}, {kernel.NewPolynomial(3), 0}, {kernel.NewPolynomial(1), 1},
	{kernel.NewPolynomial(7), 1}, {kernel.NewPolynomial(2), 2}, {kernel.NewPolynomial(3), 5},
	{kernel.NewPolynomial(1), 65}, {kernel.NewPolynomial(2), 33}, {kernel.NewPolynomial(8), 3},
	{kernel.Polynomial{Degree: 1, Gamma: 1}, 1}, {kernel.Polynomial{Degree: 1, Gamma: 2}, 9},
	{kernel.Polynomial{Degree: 2, Gamma: 1}, 1}, {kernel.Polynomial{Degree: 2, Gamma: 0.5}, 40},
	{kernel.Polynomial{Degree: 3, Gamma: 1}, 4}, {kernel.Polynomial{Degree: 5, Gamma: 0.3}, 4},
	{kernel.Polynomial{Degree: 4, Gamma: 0.25, Coef: 2.5}, 6}, {kernel.Polynomial{Degree: 6, Gamma: 3, Coef: 0.01}, 3},
}

// TestMonomialsAgainstDefinition has every coordinate from its formula, every
// monomial once, and the inner products equal to the kernel.
func TestMonomialsAgainstDefinition(t *testing.T) {
	for _, c := range polynomials {
		t.Run(fmt.Sprintf("%v/%d", c.k, c.width), func(t *testing.T) {
			m := monomials(t, c.k, c.width)
			n := int64(c.width + c.k.Degree)
			if c.k.Coef == 0 {
				n--
			}
			if want := new(big.Int).Binomial(n, int64(c.k.Degree)); want.Cmp(big.NewInt(int64(m.Dim()))) != 0 {
				t.Fatalf("%d coordinates, want %v", m.Dim(), want)
			}
			x, seen := points(20, c.width, 3), map[string]bool{}
			for j := range m.Dim() {
				a := m.Exponents(j)
				if name := m.Name(j); seen[name] {
					t.Fatalf("%s comes twice", name)
				} else {
					seen[name] = true
				}
				if back, ok := m.Index(a...); !ok || back != j {
					t.Fatalf("coordinate %d has exponents %v, and these coordinate %d (%v)", j, a, back, ok)
				}
				got, want := image(m, x[0])[j], monomialOracle(c.k, a, x[0].Value)
				if math.Abs(got-want) > 1e-13*math.Abs(want) {
					t.Fatalf("coordinate %s is %v, want %v", m.Name(j), got, want)
				}
				ones := make([]float64, c.width)
				for v := range ones {
					ones[v] = 1
				}
				if got, want := m.Weight(j), monomialOracle(c.k, a, ones); math.Abs(got-want) > 1e-13*want {
					t.Fatalf("the weight of %s is %v, want %v", m.Name(j), got, want)
				}
			}
			for _, p := range x {
				for _, q := range x {
					got, want := vmath.Dot(image(m, p), image(m, q)), c.k.Eval(p, q)
					if size := math.Sqrt(c.k.Eval(p, p) * c.k.Eval(q, q)); math.Abs(got-want) > 1e-12*size {
						t.Fatalf("⟨φ,φ⟩ = %v, K = %v", got, want)
					}
				}
			}
		})
	}
}

// TestMonomialsRelative: where no terms cancel the inner product is the kernel to
// 1e-12 of its own value.
func TestMonomialsRelative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "width")
		k := kernel.Polynomial{
			Degree: rapid.IntRange(1, 6).Draw(t, "degree"),
			Gamma:  rapid.Float64Range(1e-3, 1e3).Draw(t, "gamma"),
			Coef:   rapid.SampledFrom([]float64{0, 1e-3, 1, 7}).Draw(t, "coef"),
		}
		coordinate := rapid.SliceOfN(rapid.Float64Range(1e-6, 1e6), d, d)
		x, y := data.Dense(coordinate.Draw(t, "x")...), data.Dense(coordinate.Draw(t, "y")...)
		m, err := feature.NewMonomials(ctx, run.Control{}, k, d)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := vmath.Dot(image(m, x), image(m, y)), k.Eval(x, y); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("⟨φ,φ⟩ = %v, K = %v", got, want)
		}
	})
}

func TestMonomialsConformance(t *testing.T) {
	for _, c := range polynomials {
		for _, n := range []int{1, 63, 64, 65, 130} {
			kerftest.Map(t, monomials(t, c.k, c.width), points(n, c.width, 5))
		}
	}
}

// sparsified returns the vectors with about two of three coordinates zero, dense
// and sparse.
func sparsified(n, d int) (dense, sparse data.Slice[data.Vector]) {
	rng := rand.New(rand.NewPCG(8, uint64(n*d)))
	for range n {
		v := make([]float64, d)
		var index []int32
		var value []float64
		for j := range v {
			if rng.IntN(3) == 0 {
				v[j] = rng.NormFloat64()
				index, value = append(index, int32(j)), append(value, v[j])
			}
		}
		s, err := data.Sparse(index, value)
		if err != nil {
			panic(err)
		}
		dense, sparse = append(dense, data.Dense(v...)), append(sparse, s)
	}
	return dense, sparse
}

func applied(t *testing.T, m feature.Map[data.Vector], x data.Source[data.Vector]) []float64 {
	t.Helper()
	out, err := feature.Apply(ctx, run.Control{Workers: 2}, m, x)
	check(t, err)
	return out.Data
}

// explicitMaps are maps of vectors of 5 coordinates.
func explicitMaps(t *testing.T) map[string]feature.Map[data.Vector] {
	taylor, err := feature.NewTaylor(ctx, run.Control{}, kernel.Gaussian{Gamma: 0.4}, 5, 4)
	check(t, err)
	lift, err := feature.NewLift[data.Vector](taylor, 0.7)
	check(t, err)
	return map[string]feature.Map[data.Vector]{
		"monomials": monomials(t, kernel.NewPolynomial(3), 5), "powers": feature.NewPowers(6),
		"homogeneous": monomials(t, kernel.Polynomial{Degree: 4, Gamma: 0.5}, 5), "taylor": taylor, "lift": lift,
	}
}

// TestExplicitStorage: sparse input and input that is too wide change nothing,
// and float32 features are the rounded ones.
func TestExplicitStorage(t *testing.T) {
	for name, m := range explicitMaps(t) {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, 7, 64, 65} {
				dense, sparse := sparsified(n, 5)
				want := applied(t, m, dense)
				if !slices.Equal(want, applied(t, m, sparse)) {
					t.Fatal("sparse vectors have other features")
				}
				wide := make(data.Slice[data.Vector], n)
				for i, x := range dense {
					wide[i] = data.Dense(append(slices.Clone(x.Value), 3, 4)...)
				}
				if !slices.Equal(want, applied(t, m, wide)) {
					t.Fatal("coordinates past the width count")
				}
				single, err := feature.Apply32(ctx, run.Control{}, m, sparse)
				check(t, err)
				for i, v := range want {
					// Lift rounds the feature, the factor and their product.
					if math.Abs(float64(single[i])-v) > 3*0x1p-24*math.Abs(v) {
						t.Fatalf("feature %d is %v in float32, %v in float64", i, single[i], v)
					}
				}
			}
		})
	}
}

// TestExplicitHuge: data beyond the range of a monomial are refused with the row
// and the monomial; the features of Taylor are bounded and never are.
func TestExplicitHuge(t *testing.T) {
	x := data.Slice[data.Vector]{data.Dense(1, 2, 3, 4, 5), data.Dense(1, 1e120, 0, 0, 0)}
	for name, want := range map[string]string{"monomials": "row 2: the feature x2³ is ",
		"homogeneous": "row 2: the feature x1·x2³ is "} {
		_, err := feature.Apply(ctx, run.Control{}, explicitMaps(t)[name], x)
		var fault *feature.RowError
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := feature.Apply(ctx, run.Control{}, feature.NewPowers(4),
		data.Slice[data.Vector]{data.Dense(-1e120)}); err == nil ||
		!strings.Contains(err.Error(), "row 1: the feature x³ is -Inf") {
		t.Errorf("powers: %v", err)
	}
	if _, err := feature.Apply32(ctx, run.Control{}, feature.NewPowers(4),
		data.Slice[data.Vector]{data.Dense(1e20)}); err == nil ||
		!strings.Contains(err.Error(), "row 1: the feature x² is 1e+40") {
		t.Errorf("powers in float32: %v", err)
	}
	for _, m := range explicitMaps(t) {
		if _, err := feature.Apply(ctx, run.Control{}, m, data.Slice[data.Vector]{data.Dense(math.NaN())}); err == nil {
			t.Errorf("%T takes NaN", m)
		}
	}
}

// TestMonomialsCount: dimensions are exact up to the largest int and refused
// beyond, before anything is allocated.
func TestMonomialsCount(t *testing.T) {
	for _, c := range []struct {
		width, degree int
		coef          float64
		want          int
	}{
		{0, 9, 1, 1}, {1, 9, 1, 10}, {1, 9, 0, 1}, {100, 1, 1, 101}, {100, 1, 0, 100}, {30, 30, 1, 118264581564861424},
		{1 << 40, 1, 1, 1<<40 + 1}, {3, 2000000, 1, 1333337333337000001}, {math.MaxInt - 1, 1, 1, math.MaxInt},
	} {
		got, err := feature.MonomialDim(kernel.Polynomial{Degree: c.degree, Gamma: 1, Coef: c.coef}, c.width)
		if err != nil || got != c.want {
			t.Errorf("%d coordinates, degree %d, coef %v: %d, %v; want %d", c.width, c.degree, c.coef, got, err, c.want)
		}
	}
	for _, c := range []struct{ width, degree int }{{40, 40}, {math.MaxInt, 1}, {math.MaxInt, math.MaxInt},
		{math.MaxInt, 2}, {5000000000, 2}} {
		if n, err := feature.MonomialDim(kernel.NewPolynomial(c.degree), c.width); err == nil ||
			!strings.Contains(err.Error(), "more than 9.2e+18 monomials") {
			t.Errorf("%d coordinates, degree %d: %d, %v", c.width, c.degree, n, err)
		}
	}
}

func TestMonomialsFaults(t *testing.T) {
	for _, c := range []struct {
		k     kernel.Polynomial
		width int
		want  string
	}{
		{kernel.Polynomial{Degree: 0, Gamma: -1, Coef: 1}, -1, "width is -1"},
		{kernel.Polynomial{Degree: 0, Gamma: 1, Coef: 1}, 2, "degree is 0"},
		{kernel.Polynomial{Degree: 2, Gamma: 1}, 0, "no monomials"},
		{kernel.Polynomial{Degree: 1100, Gamma: 1, Coef: 1}, 2, "beyond float64"},
		{kernel.Polynomial{Degree: 8, Gamma: 1, Coef: 1e200}, 2, "the weight of the monomial 1 is beyond float64"},
		{kernel.NewPolynomial(50), 50, "monomials"},
		{kernel.NewPolynomial(30), 30, "the map to 118264581564861424 monomials"},
	} {
		_, err := feature.NewMonomials(ctx, run.Control{}, c.k, c.width)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of width %d: %v, want %q", c.k, c.width, err, c.want)
		}
	}
	var memory *run.MemoryError
	if _, err := feature.NewMonomials(ctx, run.Control{Memory: 10000}, kernel.NewPolynomial(3), 20); !errors.As(err,
		&memory) {
		t.Errorf("got %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := feature.NewMonomials(cancelled, run.Control{}, kernel.NewPolynomial(3), 20); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
	m := monomials(t, kernel.Polynomial{Degree: 2, Gamma: 1}, 3)
	for _, a := range [][]int{{1}, {3}, {1, 0, 0, 1}, {-1, 3}, {2, 1}, {math.MaxInt, math.MaxInt}} {
		if j, ok := m.Index(a...); ok {
			t.Errorf("%v is coordinate %d", a, j)
		}
	}
	if j, ok := m.Index(1, 0, 1, 0); !ok || m.Name(j) != "x1·x3" {
		t.Errorf("x1·x3 is coordinate %d, %s", j, m.Name(j))
	}
}

func TestMonomialsNames(t *testing.T) {
	var names []string
	m := monomials(t, kernel.NewPolynomial(2), 3)
	for j := range m.Dim() {
		names = append(names, m.Name(j))
	}
	if got, want := strings.Join(names, " "), "1 x1 x2 x3 x1² x1·x2 x2² x1·x3 x2·x3 x3²"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	m = monomials(t, kernel.Polynomial{Degree: 12, Gamma: 1}, 11)
	if j, ok := m.Index(0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 2); !ok || m.Name(j) != "x2¹⁰·x11²" {
		t.Errorf("x2¹⁰·x11² is coordinate %d", j)
	}
}

// TestMonomialsSeparateLecture: the weights of the lecture separate its two data
// sets, in the features of (1 + ⟨x,y⟩)², without an error.
func TestMonomialsSeparateLecture(t *testing.T) {
	m := monomials(t, kernel.NewPolynomial(2), 2)
	for set, monomial := range map[string]map[string]float64{
		"circle": {"1": 1, "x1²": -1, "x2²": -1}, "xor": {"x1·x2": 1},
	} {
		x, labels, err := gen.Make(ctx, set, gen.Options{N: 1000, Seed: 3})
		check(t, err)
		w := make([]float64, m.Dim())
		for j := range w {
			w[j] = monomial[m.Name(j)] / m.Weight(j)
		}
		for i, row := 0, applied(t, m, x); i < x.Rows; i, row = i+1, row[m.Dim():] {
			if (vmath.Dot(w, row[:m.Dim()]) > 0) != (labels[i] == "1") {
				t.Errorf("%s: %v has label %s", set, x.Row(i), labels[i])
			}
		}
	}
}

// The circle of Tao's lecture: no line splits the points inside from those
// outside, but in the features of degree 2 a plane does, with two weights beside
// that of the constant.
func ExampleMonomials_circle() {
	m, err := feature.NewMonomials(context.Background(), run.Control{}, kernel.NewPolynomial(2), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := make([]float64, m.Dim()) // x1² + x2² = 1
	for j := range w {
		switch m.Name(j) {
		case "1":
			w[j] = 1 / m.Weight(j)
		case "x1²", "x2²":
			w[j] = -1 / m.Weight(j)
		}
	}
	row := make([]float64, m.Dim())
	for _, x := range []data.Vector{data.Dense(0.6, 0), data.Dense(-0.5, -0.7), data.Dense(1.2, 0), data.Dense(-1.2, 0),
		data.Dense(0.8, -0.9)} {
		m.MapTo(row, x)
		fmt.Printf("%v inside: %v\n", x.Value, vmath.Dot(w, row) > 0)
	}
	// Output:
	// [0.6 0] inside: true
	// [-0.5 -0.7] inside: true
	// [1.2 0] inside: false
	// [-1.2 0] inside: false
	// [0.8 -0.9] inside: false
}

// XOR of Tao's lecture: no line splits the four corners, but the one feature
// √2·x1·x2 of ⟨x,y⟩² does.
func ExampleMonomials_xor() {
	m, err := feature.NewMonomials(context.Background(), run.Control{}, kernel.Polynomial{Degree: 2, Gamma: 1}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := make([]float64, m.Dim())
	for _, x := range []data.Vector{data.Dense(1, 1), data.Dense(-1, -1), data.Dense(1, -1), data.Dense(-1, 1)} {
		m.MapTo(row, x)
		fmt.Printf("%v: %s is %+.3f\n", x.Value, m.Name(1), row[1])
	}
	// Output:
	// [1 1]: x1·x2 is +1.414
	// [-1 -1]: x1·x2 is +1.414
	// [1 -1]: x1·x2 is -1.414
	// [-1 1]: x1·x2 is -1.414
}

func ExampleMonomials_Name() {
	m, err := feature.NewMonomials(context.Background(), run.Control{}, kernel.NewPolynomial(2), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range m.Dim() {
		fmt.Printf("%.3f %s\n", m.Weight(j), m.Name(j))
	}
	// Output:
	// 1.000 1
	// 1.414 x1
	// 1.414 x2
	// 1.000 x1²
	// 1.414 x1·x2
	// 1.000 x2²
}

func BenchmarkMonomials(b *testing.B) {
	for _, c := range []struct{ degree, width int }{{2, 10}, {2, 200}, {3, 50}} {
		m := monomials(b, kernel.NewPolynomial(c.degree), c.width)
		x := points(64, c.width, 1)
		dst := make([]float64, 64*m.Dim())
		b.Run(fmt.Sprintf("degree=%d/width=%d", c.degree, c.width), func(b *testing.B) {
			b.SetBytes(int64(8 * len(dst)))
			for b.Loop() {
				if err := m.MapBlock(run.Control{}, dst, x, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
