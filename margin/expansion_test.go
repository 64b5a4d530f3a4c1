package margin_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// labelled returns n instances of 5 coordinates and labels at random.
func labelled(r *rand.Rand, n int) (*data.Matrix, []float64) {
	x, y := data.NewMatrix(n, 5), make([]float64, n)
	for i := range y {
		copy(x.Row(i), normals(r, 5))
		y[i] = float64(2*r.IntN(2) - 1)
	}
	return x, y
}

// TestExpansionAgainstOracle compares with the double sum of the definition, for
// a kernel with a form and a black box, with and without a bias.
func TestExpansionAgainstOracle(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 1))
	box := kernel.Func[data.Vector](func(a, b data.Vector) float64 { p := a.Dot(b) + 1; return p * p })
	for _, k := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 0.3}, box} {
		for _, size := range []struct{ support, n int }{{0, 3}, {1, 1}, {7, 8}, {9, 0}, {63, 65}, {70, 300}} {
			for _, unit := range []float64{0, 2} {
				support, _ := labelled(r, size.support)
				x, y := labelled(r, size.n)
				e := margin.Expansion[data.Vector]{Kernel: k, Support: support, Weight: normals(r, size.support), Bias: 0.7, Unit: unit}
				bias := e.Bias
				if unit == 0 {
					bias = 0
				}
				square := bias * bias
				for p, a := range e.Weight {
					for q, b := range e.Weight {
						square += a * b * k.Eval(support.At(p), support.At(q))
					}
				}
				want := make([]float64, size.n)
				for i := range want {
					score := bias * unit
					for p, a := range e.Weight {
						score += a * k.Eval(support.At(p), x.At(i))
					}
					if square > 0 {
						want[i] = y[i] * score / math.Sqrt(square) / math.Sqrt(k.Eval(x.At(i), x.At(i))+unit*unit)
					}
				}
				slices.Sort(want)
				var first margin.Margins
				for workers := 1; workers <= 3; workers++ {
					got, err := e.Sample(ctx, run.Control{Workers: workers}, x, y)
					if err != nil {
						t.Fatal(err)
					}
					if workers == 1 {
						first = got
					}
					if !slices.Equal(first, got) || len(got) != size.n {
						t.Errorf("%d workers: other bits", workers)
					}
					for i := range want {
						// Sums of 70 terms in two orders, which may cancel to a tenth.
						if !(math.Abs(got[i]-want[i]) <= 1e-12) {
							t.Fatalf("%+v: margin %d is %v, want %v", size, i, got[i], want[i])
						}
					}
				}
				if norm, err := e.Norm(ctx, run.Control{}); err != nil || math.Abs(norm-math.Sqrt(square)) > 1e-12*norm {
					t.Errorf("norm %v, %v, want %v", norm, err, math.Sqrt(square))
				}
			}
		}
	}
}

// TestExpansionIsSeparator: with the linear kernel it is a separator of vectors.
func TestExpansionIsSeparator(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(4, 1))
	support, weight := labelled(r, 20)
	x, y := labelled(r, 100)
	w := make([]float64, 5)
	for p, a := range weight {
		for j, v := range support.Row(p) {
			w[j] += a * v
		}
	}
	want, err := margin.Separator{W: w, Bias: -1, Unit: 1}.Sample(ctx, run.Control{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	e := margin.Expansion[data.Vector]{Kernel: kernel.Linear{}, Support: support, Weight: weight, Bias: -1, Unit: 1}
	got, err := e.Sample(ctx, run.Control{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-13 {
			t.Fatalf("margin %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestExpansionRefuses(t *testing.T) {
	ctx := context.Background()
	x := data.Slice[data.Vector]{data.Dense(1), data.Dense(2)}
	y := []float64{1, -1}
	linear := kernel.Linear{}
	negative := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return -a.Dot(b) })
	nan := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return math.NaN() })
	type expansion = margin.Expansion[data.Vector]
	for _, c := range []struct {
		name string
		e    expansion
		y    []float64
		want string
	}{
		{"lengths", expansion{Kernel: linear, Support: x, Weight: y}, y[:1], "2 instances and 1 labels"},
		{"weights", expansion{Kernel: linear, Support: x, Weight: y[:1]}, y, "2 instances and 1 weights"},
		{"no support", expansion{Kernel: linear, Weight: y}, y, "0 instances and 2 weights"},
		{"weight", expansion{Kernel: linear, Support: x, Weight: []float64{0, math.NaN()}}, y, "weight 1"},
		{"bias", expansion{Kernel: linear, Support: x, Weight: y, Bias: math.Inf(1), Unit: 1}, y, "bias +Inf"},
		{"label", expansion{Kernel: linear, Support: x, Weight: y}, []float64{1, 2}, "label 1 is 2"},
		{"no kernel", expansion{Kernel: negative, Support: x, Weight: y}, y, "no kernel"},
		{"NaN", expansion{Kernel: nan, Support: x, Weight: y}, y, "not a number"},
	} {
		if _, err := c.e.Sample(ctx, run.Control{}, x, c.y); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	e := expansion{Kernel: linear, Support: x, Weight: y}
	if _, err := e.Sample(cancelled, run.Control{}, x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := e.Norm(cancelled, run.Control{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// twice is a map of two features for each of five.
type twice struct{}

func (twice) Dim() int { return 10 }

func (twice) MapTo(dst []float64, x data.Vector) {
	for j, v := range x.Value {
		dst[2*j], dst[2*j+1] = v, v*v
	}
}

func TestMapped(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 1))
	s := margin.Separator{W: normals(r, 10), Bias: 0.3, Unit: 1}
	for _, n := range []int{0, 1, 9, 8191, 8192, 8193} {
		x, y := labelled(r, n)
		features, err := feature.Apply(ctx, run.Control{}, feature.Map[data.Vector](twice{}), x)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Sample(ctx, run.Control{}, features, y)
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 3; workers++ {
			got, err := margin.Mapped(ctx, run.Control{Workers: workers}, s, feature.Map[data.Vector](twice{}), x, y)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d instances: %d margins, %v", n, len(got), err)
			}
		}
	}
	x, y := labelled(r, 3)
	for _, c := range []struct {
		s    margin.Separator
		y    []float64
		want string
	}{
		{s, y[:2], "3 instances and 2 labels"},
		{margin.Separator{W: s.W[:9]}, y, "9 weights and the map 10 features"},
		{margin.Separator{W: slices.Repeat([]float64{math.NaN()}, 10)}, y, "weight 0"},
		{s, []float64{1, 1, 0}, "label 2 is 0"},
	} {
		if _, err := margin.Mapped(ctx, run.Control{}, c.s, feature.Map[data.Vector](twice{}), x, c.y); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := margin.Mapped(cancelled, run.Control{}, s, feature.Map[data.Vector](twice{}), x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
