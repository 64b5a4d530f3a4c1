package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
)

// row is a row of a mixed table.
type row struct {
	number data.Vector
	basket data.Set
	city   string
}

func rows() []row {
	x := sample(18, 3)
	all := make([]row, len(x))
	for i := range all {
		all[i] = row{x[i], data.NewSet(fmt.Sprint(i%4), fmt.Sprint(i%3)), []string{"Ulm", "Bonn"}[i%2]}
	}
	return all
}

func mixed() (numbers, baskets, cities kernel.Kernel[row]) {
	numbers = kernel.On(func(r row) data.Vector { return r.number },
		kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 0.5}))
	baskets = kernel.Part[row, data.Set]{Name: "basket", Get: func(r row) data.Set { return r.basket },
		Of: set.NewConjunction()}
	cities = kernel.On(func(r row) string { return r.city },
		kernel.Kernel[string](kernel.Func[string](func(x, y string) float64 {
			if x == y {
				return 1
			}
			return 0
		})))
	return numbers, baskets, cities
}

// TestMixedRows combines kernels on the parts of a row.
func TestMixedRows(t *testing.T) {
	numbers, baskets, cities := mixed()
	sum := kernel.Sum(numbers, kernel.Product(baskets, cities))
	for _, k := range []kernel.Kernel[row]{numbers, baskets, cities, sum, kernel.PowerOf(baskets, 2),
		kernel.Normalize(sum)} {
		kerftest.Kernel(t, k, rows())
		if err := kernel.Validate(k); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
	for _, x := range rows() {
		with := kernel.Prepare(sum, x)
		for _, y := range rows() {
			want := math.Exp(-0.5 * x.number.Distance2(y.number))
			if x.city == y.city {
				want += set.NewConjunction().Eval(x.basket, y.basket)
			}
			if got := sum.Eval(x, y); math.Abs(got-want) > 1e-14*want || with(y) != got {
				t.Fatalf("got %v, prepared %v, want %v", got, with(y), want)
			}
		}
	}
}

// TestPartAbilities checks what a part passes on to back ends.
func TestPartAbilities(t *testing.T) {
	numbers, baskets, cities := mixed()
	get, of, ok := kernel.VectorsOf(numbers)
	if !ok || fmt.Sprint(of) != "rbf(gamma=0.5)" || get(rows()[0]).Norm2() != rows()[0].number.Norm2() {
		t.Errorf("the numbers are %v of %v", ok, of)
	}
	if _, form, ok := kernel.ExplicitOf(baskets); !ok || form.Map.Op != kernel.Subsets {
		t.Errorf("the baskets list features: %v, with %v", ok, form)
	}
	if _, form, ok := kernel.ExplicitOf(kernel.Kernel[row](kernel.Normalize(baskets))); !ok || !form.Normalized {
		t.Errorf("the normalised baskets list features: %v, with %v", ok, form)
	}
	for _, k := range []kernel.Kernel[row]{baskets, cities} {
		if _, _, ok := kernel.VectorsOf(k); ok {
			t.Errorf("%v has vectors", k)
		}
	}
	if _, _, ok := kernel.ExplicitOf(cities); ok {
		t.Error("the cities list features")
	}
	for _, k := range []kernel.Kernel[row]{numbers, baskets, cities} {
		if _, ok := kernel.FormOf(k); ok {
			t.Errorf("%v has a form of its own", k)
		}
	}
	if got := fmt.Sprint(baskets, numbers); got != "on(basket,conjunction(degree=2)) on(rbf(gamma=0.5))" {
		t.Error(got)
	}
	if kernel.Validate(kernel.Kernel[row](kernel.Part[row, string]{})) == nil {
		t.Error("an empty part passes")
	}
}

func TestPrecomputed(t *testing.T) {
	g := &data.Matrix{Rows: 3, Cols: 3, Data: []float64{2, 1, 0, 1, 2, 0, 0, 0, 1}}
	k := kernel.Precomputed{Matrix: g}
	kerftest.Kernel[int](t, k, k.Instances())
	if k.Eval(0, 1) != 1 || k.Eval(2, 2) != 1 || fmt.Sprint(k) != "precomputed" {
		t.Error("wrong values or text")
	}
	for _, m := range []*data.Matrix{nil, data.NewMatrix(2, 3), {Rows: 2, Cols: 2, Data: make([]float64, 3)}} {
		if (kernel.Precomputed{Matrix: m}).Validate() == nil {
			t.Errorf("%v passes", m)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an instance that is not there")
		}
	}()
	k.Eval(0, 3)
}
