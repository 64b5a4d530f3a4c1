package kernel_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
)

var (
	linear vectors = kernel.Linear{}
	rbf    vectors = kernel.Gaussian{Gamma: 0.5}
	one    vectors = kernel.Constant[data.Vector]{Value: 1}
	least  vectors = kernel.Minimum{}
	poly   vectors = kernel.NewPolynomial(2)
	black  vectors = kernel.Func[data.Vector](func(x, y data.Vector) float64 { return math.Exp(-x.Distance2(y)) })
)

// combinations returns kernels with what they are worth at x and y and whether
// they have a form.
func combinations() []struct {
	k    vectors
	text string
	at   func(x, y data.Vector) float64
	form bool
} {
	l := func(x, y data.Vector) float64 { return linear.Eval(x, y) }
	g := func(x, y data.Vector) float64 { return rbf.Eval(x, y) }
	sq := func(a float64) float64 { return a * a }
	unit := func(x, y data.Vector) float64 { return kernel.Cosine(l(x, y), l(x, x), l(y, y)) }
	normal := vectors(kernel.Normalize(linear))
	return []struct {
		k    vectors
		text string
		at   func(x, y data.Vector) float64
		form bool
	}{
		{kernel.Sum(linear, rbf), "linear+rbf(gamma=0.5)", func(x, y data.Vector) float64 { return l(x, y) + g(x, y) },
			false},
		{kernel.Sum(linear, one), "linear+1", func(x, y data.Vector) float64 { return l(x, y) + 1 }, true},
		{kernel.Sum(linear, kernel.Scale(3, linear)), "linear+3*linear",
			func(x, y data.Vector) float64 { return 4 * l(x, y) }, true},
		{kernel.Sum(linear, least), "linear+min", func(x, y data.Vector) float64 { return l(x, y) + least.Eval(x, y) },
			false},
		{kernel.Sum(kernel.Sum(rbf, one), kernel.Sum(linear, least)), "rbf(gamma=0.5)+1+linear+min",
			func(x, y data.Vector) float64 { return g(x, y) + 1 + l(x, y) + least.Eval(x, y) }, false},
		{kernel.Scale(2.5, rbf), "2.5*rbf(gamma=0.5)", func(x, y data.Vector) float64 { return 2.5 * g(x, y) }, false},
		{kernel.Scale(2, linear), "2*linear", func(x, y data.Vector) float64 { return 2 * l(x, y) }, true},
		{kernel.Scale(2, kernel.Sum(linear, rbf)), "2*(linear+rbf(gamma=0.5))",
			func(x, y data.Vector) float64 { return 2 * (l(x, y) + g(x, y)) }, false},
		{kernel.Product(linear, rbf), "linear*rbf(gamma=0.5)", func(x, y data.Vector) float64 { return l(x, y) * g(x, y) },
			false},
		{kernel.Product(rbf, rbf), "rbf(gamma=0.5)*rbf(gamma=0.5)", func(x, y data.Vector) float64 { return sq(g(x, y)) },
			true},
		{kernel.Product(kernel.Scale(2, linear), kernel.Product(rbf, kernel.Scale(3, least))), "6*linear*rbf(gamma=0.5)*min",
			func(x, y data.Vector) float64 { return 6 * l(x, y) * g(x, y) * least.Eval(x, y) }, false},
		{kernel.Product(kernel.Sum(linear, one), rbf), "(linear+1)*rbf(gamma=0.5)",
			func(x, y data.Vector) float64 { return (l(x, y) + 1) * g(x, y) }, false},
		{kernel.PowerOf(linear, 3), "linear^3", func(x, y data.Vector) float64 { return l(x, y) * l(x, y) * l(x, y) }, true},
		{kernel.PowerOf(kernel.Sum(linear, one), 2), "(linear+1)^2",
			func(x, y data.Vector) float64 { return sq(l(x, y) + 1) }, true},
		{kernel.PowerOf(kernel.PowerOf(poly, 2), 2), "poly(degree=2,coef=1,gamma=1)^4",
			func(x, y data.Vector) float64 { return math.Pow(l(x, y)+1, 8) }, true},
		{kernel.PowerOf(kernel.Scale(2, rbf), 2), "(2*rbf(gamma=0.5))^2",
			func(x, y data.Vector) float64 { return sq(2 * g(x, y)) }, false},
		{kernel.PowerOf(rbf, 2), "rbf(gamma=0.5)^2", func(x, y data.Vector) float64 { return sq(g(x, y)) }, true},
		{kernel.PowerOf(normal, 2), "normalize(linear)^2", func(x, y data.Vector) float64 { return sq(unit(x, y)) }, true},
		{kernel.PowerOf(kernel.Sum(normal, one), 2), "(normalize(linear)+1)^2",
			func(x, y data.Vector) float64 { return sq(unit(x, y) + 1) }, false},
		{kernel.Sum(kernel.PowerOf(linear, 2), kernel.Product(kernel.PowerOf(rbf, 2), linear)),
			"linear^2+rbf(gamma=0.5)^2*linear",
			func(x, y data.Vector) float64 { return sq(l(x, y)) + sq(g(x, y))*l(x, y) }, false},
		{kernel.ExpOf(kernel.Scale(0.1, linear)), "exp(0.1*linear)",
			func(x, y data.Vector) float64 { return math.Exp(0.1 * l(x, y)) }, true},
		{kernel.ExpOf(rbf), "exp(rbf(gamma=0.5))", func(x, y data.Vector) float64 { return math.Exp(g(x, y)) }, false},
		{kernel.PowerOf[data.Vector](kernel.ExpOf(normal), 2), "exp(normalize(linear))^2",
			func(x, y data.Vector) float64 { return sq(math.Exp(unit(x, y))) }, false},
		{kernel.Normalize(kernel.Sum(linear, one)), "normalize(linear+1)",
			func(x, y data.Vector) float64 { return kernel.Cosine(l(x, y)+1, l(x, x)+1, l(y, y)+1) }, true},
		{kernel.Normalize(kernel.Scale(3, rbf)), "normalize(3*rbf(gamma=0.5))", g, false},
		{kernel.Sum(black, black), fmt.Sprint(black) + "+" + fmt.Sprint(black),
			func(x, y data.Vector) float64 { return 2 * black.Eval(x, y) }, false},
	}
}

// TestCombinations checks values, text, forms, prepared arguments and the
// combination of parts, and that every one is a kernel.
func TestCombinations(t *testing.T) {
	x := sample(21, 4)
	for _, c := range combinations() {
		if got := fmt.Sprint(c.k); got != c.text {
			t.Errorf("prints as %s, want %s", got, c.text)
		}
		form, formed := kernel.FormOf(c.k)
		if formed != c.form {
			t.Errorf("%v: has a form: %v, want %v", c.k, formed, c.form)
		}
		combination, combined := kernel.CombinationOf(c.k)
		near := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-13*(1e-3+math.Abs(want)) {
				t.Fatalf("%v: %s %v, want %v", c.k, what, got, want)
			}
		}
		for _, a := range x {
			near("diagonal", kernel.Diag(c.k, a), c.at(a, a))
			with := kernel.Prepare(c.k, a)
			for _, b := range x {
				want := c.at(a, b)
				near("value", c.k.Eval(a, b), want)
				near("prepared", with(b), want)
				if combined {
					near("combination", combination.Eval(a, b), want)
				}
				if formed {
					v := form.Map.At(form.Pair.At(a, b))
					if form.Normalized {
						v = kernel.Cosine(v, form.Map.At(form.Pair.Self(a)), form.Map.At(form.Pair.Self(b)))
					}
					near("form", v, want)
				}
			}
		}
		kerftest.Kernel(t, c.k, x)
		if err := kernel.Validate(c.k); err != nil {
			t.Errorf("%v: %v", c.k, err)
		}
	}
}

// TestOneValue checks that the constructors give one value for one expression,
// however it is put together.
func TestOneValue(t *testing.T) {
	for _, c := range [][2]vectors{
		{kernel.Sum(linear, kernel.Sum(rbf, least)), kernel.Sum(kernel.Sum(linear, rbf), least)},
		{kernel.Product(linear, kernel.Product(rbf, least)), kernel.Product(kernel.Product(linear, rbf), least)},
		{kernel.Product(kernel.Scale(2, linear), rbf), kernel.Scale(2, kernel.Product(linear, rbf))},
		{kernel.Product(kernel.Constant[data.Vector]{Value: 2}, linear), kernel.Scale(2, linear)},
		{kernel.Scale(2, kernel.Scale(3, linear)), kernel.Scale(6, linear)},
		{kernel.Scale(1, linear), linear}, {kernel.PowerOf(linear, 1), linear}, {kernel.Sum(linear),
			linear}, {kernel.Product(linear), linear},
		{kernel.Sum[data.Vector](), kernel.Constant[data.Vector]{}}, {kernel.Product[data.Vector](), one},
		{kernel.PowerOf[data.Vector](kernel.Constant[data.Vector]{Value: 3}, 2), kernel.Constant[data.Vector]{Value: 9}},
		{kernel.PowerOf(kernel.PowerOf(rbf, 2), 3), kernel.PowerOf(rbf, 6)},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("%#v and %#v differ", c[0], c[1])
		}
	}
}

// TestNested prints values that were put together by hand.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		k    vectors
		want string
	}{
		{kernel.Summed[data.Vector]{Parts: []vectors{linear, kernel.Summed[data.Vector]{Parts: []vectors{linear, rbf}}}},
			"linear+(linear+rbf(gamma=0.5))"},
		{kernel.Multiplied[data.Vector]{Parts: []vectors{linear, kernel.Scaled[data.Vector]{Factor: 2, Of: rbf}}},
			"linear*(2*rbf(gamma=0.5))"},
		{kernel.Powered[data.Vector]{Of: kernel.Powered[data.Vector]{Of: linear, N: 2}, N: 3}, "(linear^2)^3"},
	} {
		if got := fmt.Sprint(c.k); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestCombineValidate(t *testing.T) {
	wrong := vectors(kernel.Gaussian{})
	for _, k := range []vectors{
		kernel.Sum(linear, wrong), kernel.Product(linear, wrong), kernel.Scale(2, wrong), kernel.PowerOf(wrong,
			2), kernel.ExpOf(wrong),
		kernel.Scale(-1, linear), kernel.Scale(math.NaN(), linear), kernel.PowerOf(linear, 0), kernel.PowerOf(linear, -1),
		kernel.Sum(linear, nil), kernel.ExpOf[data.Vector](nil), kernel.Constant[data.Vector]{Value: -1},
	} {
		if kernel.Validate(k) == nil {
			t.Errorf("%v passes", k)
		}
	}
}

// TestNormalisedPower keeps a form away where K(x, x) can be negative: the
// normalised power of tanh is not the power of the normalised tanh.
func TestNormalisedPower(t *testing.T) {
	k := kernel.PowerOf[data.Vector](kernel.Normalize(vectors(kernel.Sigmoid{Gamma: 1, Coef: -1})), 2)
	if f, ok := kernel.FormOf(k); ok {
		t.Errorf("form %v", f)
	}
}

func ExampleSum() {
	var linear kernel.Kernel[data.Vector] = kernel.Linear{}
	k := kernel.Sum(kernel.Scale(2, kernel.PowerOf(linear, 2)), kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 1}))
	x := data.Dense(1, 2)
	fmt.Println(k, k.Eval(x, x))
	// Output: 2*linear^2+rbf(gamma=1) 51
}
