package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
)

// sample returns dense and sparse vectors, with duplicates and a zero vector.
func sample(n, d int) []data.Vector {
	rng := rand.New(rand.NewPCG(1, uint64(n*1000+d)))
	x := make([]data.Vector, n)
	for i := range x {
		v := make([]float64, d)
		var index []int32
		var value []float64
		for j := range v {
			v[j] = rng.NormFloat64()
			if rng.IntN(2) == 0 {
				index, value = append(index, int32(j)), append(value, v[j])
			}
		}
		x[i] = data.Dense(v...)
		if i%3 == 1 {
			x[i], _ = data.Sparse(index, value)
		}
	}
	if n > 3 {
		x[2] = x[0]
		x[3] = data.Dense(make([]float64, d)...)
	}
	return x
}

func zoo() []kernel.Kernel[data.Vector] {
	return []kernel.Kernel[data.Vector]{
		kernel.Linear{},
		kernel.NewPolynomial(1), kernel.NewPolynomial(2), kernel.Polynomial{Degree: 5, Coef: 0.5, Gamma: 0.25},
		kernel.Gaussian{Gamma: 0.01}, kernel.Gaussian{Gamma: 1}, kernel.GaussianWidth(2), kernel.GaussianVariance(2),
		kernel.Normalize(kernel.Kernel[data.Vector](kernel.NewPolynomial(3))),
		kernel.Normalize(kernel.Kernel[data.Vector](kernel.Linear{})),
		kernel.Normalize(kernel.Kernel[data.Vector](kernel.Func[data.Vector](func(x, y data.Vector) float64 {
			return 2 *
				x.Dot(y)
		}))),
	}
}

func TestConformance(t *testing.T) {
	for _, k := range zoo() {
		for _, n := range []int{0, 1, 7, 33, 70} {
			t.Run(fmt.Sprintf("%v/%d", k, n), func(t *testing.T) { kerftest.Kernel(t, k, sample(n, 1+n%9)) })
		}
	}
}

// TestFormulas compares with the definitions, written out.
func TestFormulas(t *testing.T) {
	x, y := data.Dense(1, 2, 3), data.Dense(-1, 0.5, 2)
	dot, d2 := -1+1.0+6, 4+2.25+1.0
	for _, c := range []struct {
		k    kernel.Kernel[data.Vector]
		want float64
	}{
		{kernel.Linear{}, dot},
		{kernel.NewPolynomial(3), math.Pow(1+dot, 3)},
		{kernel.Polynomial{Degree: 2, Coef: 3, Gamma: 0.5}, math.Pow(0.5*dot+3, 2)},
		{kernel.Gaussian{Gamma: 0.3}, math.Exp(-0.3 * d2)},
		{kernel.GaussianWidth(1.5), math.Exp(-d2 / (2 * 1.5 * 1.5))},
		{kernel.GaussianVariance(1.5), math.Exp(-d2 / (2 * 1.5))},
		{kernel.Normalize(kernel.Kernel[data.Vector](kernel.Linear{})), dot / math.Sqrt(14*(1+0.25+4))},
	} {
		if got := c.k.Eval(x, y); math.Abs(got-c.want) > 1e-14*math.Abs(c.want) {
			t.Errorf("%v: got %v, want %v", c.k, got, c.want)
		}
	}
}

// TestPolynomialIsItsMonomials checks example 16.1 in two dimensions at degree
// 2, with the lecture's explicit map.
func TestPolynomialIsItsMonomials(t *testing.T) {
	phi := func(p data.Vector) data.Vector {
		a, b, r := p.Value[0], p.Value[1], math.Sqrt2
		return data.Dense(1, a*a, b*b, r*a*b, r*a, r*b)
	}
	for _, x := range sample(20, 2) {
		for _, y := range sample(20, 2) {
			if x.IsSparse() || y.IsSparse() {
				continue
			}
			want := phi(x).Dot(phi(y))
			if got := kernel.NewPolynomial(2).Eval(x, y); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
}

func TestPowerOfNegative(t *testing.T) {
	s := kernel.Scalar{Op: kernel.Power, A: 1, P: 3}
	if got := s.At(-2); got != -8 {
		t.Errorf("(-2)^3 = %v", got)
	}
	s.P = 0.5
	if got := s.At(9); got != 3 {
		t.Errorf("9^0.5 = %v", got)
	}
}

func TestNormalizeOfZero(t *testing.T) {
	k := kernel.Normalize(kernel.Kernel[data.Vector](kernel.Linear{}))
	zero := data.Dense(0, 0)
	if v := k.Eval(zero, data.Dense(1, 1)); v != 0 {
		t.Errorf("K(0,x) = %v, want 0", v)
	}
	if v := kernel.Diag(kernel.Kernel[data.Vector](k), zero); v != 0 {
		t.Errorf("K(0,0) = %v, want 0", v)
	}
}

func TestValidate(t *testing.T) {
	for _, k := range []kernel.Kernel[data.Vector]{
		kernel.Gaussian{}, kernel.Gaussian{Gamma: -1}, kernel.Gaussian{Gamma: math.NaN()},
		kernel.Gaussian{Gamma: math.Inf(1)},
		kernel.Polynomial{}, kernel.Polynomial{Degree: 2, Gamma: 1, Coef: -1},
		kernel.Normalize(kernel.Kernel[data.Vector](kernel.Gaussian{})),
	} {
		if kernel.Validate(k) == nil {
			t.Errorf("%v passes", k)
		}
	}
	for _, k := range zoo() {
		if err := kernel.Validate(k); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

func TestMedianDistance(t *testing.T) {
	x := data.Slice[data.Vector]{data.Dense(0), data.Dense(1), data.Dense(3), data.Dense(3)}
	// Distances that are not zero: 1, 3, 3, 2, 2; the median is 2.
	if got := kernel.MedianDistance(x, 1); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
	same := data.Slice[data.Vector]{data.Dense(5), data.Dense(5)}
	if got := kernel.MedianDistance(same, 1); got != 1 {
		t.Errorf("all equal: got %v, want 1", got)
	}
	if got := kernel.MedianDistance(data.Slice[data.Vector]{}, 1); got != 1 {
		t.Errorf("empty: got %v, want 1", got)
	}
}

func ExampleGaussian() {
	k := kernel.Gaussian{Gamma: 0.5}
	fmt.Printf("%v %.4f\n", k, k.Eval(data.Dense(0, 0), data.Dense(1, 1)))
	// Output: rbf(gamma=0.5) 0.3679
}
