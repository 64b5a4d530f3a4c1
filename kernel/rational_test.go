package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
)

type vectors = kernel.Kernel[data.Vector]

// more are the kernels on vectors beside linear, polynomial and Gaussian ones.
func more() []vectors {
	return []vectors{
		kernel.Laplacian{Gamma: 0.5}, kernel.CosineSimilarity{}, kernel.Minimum{},
		kernel.NewChi2(), kernel.Chi2{Gamma: 0.1},
		kernel.MaternKernel{Nu: 0.5, Length: 2}, kernel.NewMatern(), kernel.MaternKernel{Nu: 2.5, Length: 0.5},
		kernel.NewRationalQuadratic(), kernel.RationalQuadratic{Alpha: 0.3, Length: 2}, kernel.RationalQuadratic{Alpha: 3,
			Length: 2},
		kernel.Normalize(vectors(kernel.Minimum{})), kernel.Normalize(vectors(kernel.Laplacian{Gamma: 1})),
	}
}

func TestMoreConformance(t *testing.T) {
	for _, k := range more() {
		for _, n := range []int{0, 1, 7, 33, 70} {
			t.Run(fmt.Sprintf("%v/%d", k, n), func(t *testing.T) { kerftest.Kernel(t, k, sample(n, 1+n%9)) })
		}
	}
	kerftest.Similarity[data.Vector](t, kernel.NewSigmoid(), sample(40, 5))
	kerftest.Similarity[data.Vector](t, kernel.Sigmoid{Gamma: 0.3, Coef: -1}, sample(40, 5))
}

// TestMoreFormulas compares with the definitions, written out, and the forms with
// the kernels.
func TestMoreFormulas(t *testing.T) {
	x, y := data.Dense(1, 0, 3, 0, 2), data.Dense(4, 0.5, 2)
	d1, d2 := 3+0.5+1+0+2.0, 9+0.25+1+0+4.0
	dot := 4 + 0 + 6.0
	chi := 9/5.0 + 0.25/0.5 + 1/5.0 + 0 + 4/2.0
	r := func(nu, length float64) float64 { return math.Sqrt(2*nu*d2) / length }
	for _, c := range []struct {
		k    vectors
		want float64
	}{
		{kernel.Laplacian{Gamma: 0.3}, math.Exp(-0.3 * d1)},
		{kernel.Sigmoid{Gamma: 0.1, Coef: -2}, math.Tanh(0.1*dot - 2)},
		{kernel.NewSigmoid(), math.Tanh(dot)},
		{kernel.CosineSimilarity{}, dot / math.Sqrt((1+9+4)*(16+0.25+4))},
		{kernel.NewChi2(), math.Exp(-chi)},
		{kernel.Chi2{Gamma: 0.2}, math.Exp(-0.2 * chi)},
		{kernel.Minimum{}, 1 + 0 + 2},
		{kernel.MaternKernel{Nu: 0.5, Length: 3}, math.Exp(-r(0.5, 3))},
		{kernel.NewMatern(), (1 + r(1.5, 1)) * math.Exp(-r(1.5, 1))},
		{kernel.MaternKernel{Nu: 2.5, Length: 2}, (1 + r(2.5, 2) + r(2.5, 2)*r(2.5, 2)/3) * math.Exp(-r(2.5, 2))},
		{kernel.NewRationalQuadratic(), 1 / (1 + d2/2)},
		{kernel.RationalQuadratic{Alpha: 0.7, Length: 2}, math.Pow(1+d2/(2*0.7*4), -0.7)},
	} {
		if got := c.k.Eval(x, y); math.Abs(got-c.want) > 1e-14*math.Abs(c.want) {
			t.Errorf("%v: got %v, want %v", c.k, got, c.want)
		}
		form, ok := kernel.FormOf(c.k)
		if !ok {
			t.Errorf("%v has no form", c.k)
			continue
		}
		got := form.Map.At(form.Pair.At(x, y))
		if form.Normalized {
			got = kernel.Cosine(got, form.Map.At(form.Pair.Self(x)), form.Map.At(form.Pair.Self(y)))
		}
		if math.Abs(got-c.want) > 1e-14*math.Abs(c.want) {
			t.Errorf("the form of %v gives %v, want %v", c.k, got, c.want)
		}
		for _, z := range sample(9, 4) {
			if self, at := form.Pair.Self(z), form.Pair.At(z, z); math.Abs(self-at) > 1e-14*(1+at) {
				t.Errorf("%v: Self is %v, At is %v", c.k, self, at)
			}
		}
	}
}

// TestSigns checks that a coordinate of either sign is its positive and its
// negative part: the kernels of histograms then have the same values.
func TestSigns(t *testing.T) {
	split := func(x data.Vector) data.Vector {
		v := make([]float64, 12)
		for k, a := range x.Value {
			j := k
			if x.IsSparse() {
				j = int(x.Index[k])
			}
			v[2*j], v[2*j+1] = max(0, a), max(0, -a)
		}
		return data.Dense(v...)
	}
	for _, x := range sample(20, 6) {
		for _, y := range sample(20, 6) {
			u, v := split(x), split(y)
			least, chi := 0.0, 0.0
			for j, a := range u.Value {
				b := v.Value[j]
				least += min(a, b)
				if a+b > 0 {
					chi += (a - b) * (a - b) / (a + b)
				}
			}
			if got := (kernel.Minimum{}).Eval(x, y); math.Abs(got-least) > 1e-14*(1+least) {
				t.Fatalf("min of %v and %v is %v, want %v", x, y, got, least)
			}
			if got, want := kernel.NewChi2().Eval(x, y), math.Exp(-chi); math.Abs(got-want) > 1e-13*want {
				t.Fatalf("chi2 of %v and %v is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestMaternOfNeighbours checks tiles of points that are close beside their
// distance from the origin, where the distance from inner products is lost: the
// kernel exp(-d) feels its root.
func TestMaternOfNeighbours(t *testing.T) {
	var x []data.Vector
	for i := range 12 {
		index, value := []int32{0, 1, 2}, []float64{100, float64(i) * 1e-7, -70}
		v, err := data.Sparse(index, value) // sparse vectors are not moved to their mean
		if err != nil {
			t.Fatal(err)
		}
		x = append(x, v)
	}
	for _, nu := range []float64{0.5, 1.5, 2.5} {
		kerftest.Similarity[data.Vector](t, kernel.MaternKernel{Nu: nu, Length: 1}, x)
	}
}

func TestMoreValidate(t *testing.T) {
	bad := math.NaN()
	for _, k := range []vectors{
		kernel.Laplacian{}, kernel.Laplacian{Gamma: bad}, kernel.Chi2{}, kernel.Chi2{Gamma: math.Inf(1)},
		kernel.Sigmoid{}, kernel.Sigmoid{Gamma: 1, Coef: bad},
		kernel.MaternKernel{Nu: 1, Length: 1}, kernel.MaternKernel{Nu: 1.5}, kernel.MaternKernel{},
		kernel.RationalQuadratic{Alpha: 1}, kernel.RationalQuadratic{Length: 1},
	} {
		if kernel.Validate(k) == nil {
			t.Errorf("%v passes", k)
		}
	}
	for _, k := range append(more(), kernel.NewSigmoid()) {
		if err := kernel.Validate(k); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

func TestMoreStrings(t *testing.T) {
	for _, c := range []struct {
		k    vectors
		want string
	}{
		{kernel.Laplacian{Gamma: 0.5}, "laplace(gamma=0.5)"},
		{kernel.Sigmoid{Gamma: 1, Coef: -2}, "sigmoid(gamma=1,coef=-2)"},
		{kernel.CosineSimilarity{}, "cosine"},
		{kernel.NewChi2(), "chi2(gamma=1)"},
		{kernel.Minimum{}, "min"},
		{kernel.NewMatern(), "matern(nu=1.5,length=1)"},
		{kernel.NewRationalQuadratic(), "rq(alpha=1,length=1)"},
	} {
		if got := fmt.Sprint(c.k); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func ExampleMinimum() {
	k := kernel.Minimum{}
	fmt.Println(k, k.Eval(data.Dense(3), data.Dense(7)), k.Eval(data.Dense(1, 5, 0), data.Dense(2, 2, 9)))
	// Output: min 3 3
}
