package kernelized

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// pairsOf returns separators of pairs with weights of both signs over random points, and
// instances, of which every second one is a mirror image of the support in the first coordinate
// and so has pairs whose scores are 0 but for rounding.
func pairsOf(classes, each, n, d int, gamma float64) (*PairExpansion[data.Vector], *data.Matrix) {
	rng := seed.Stream(11, seed.Generator, 0)
	m := classes * each
	support, x := data.NewMatrix(m, d), data.NewMatrix(n, d)
	e := &PairExpansion[data.Vector]{Kernel: kernel.Gaussian{Gamma: gamma}, Support: support,
		First: make([]int, classes+1), Weight: data.NewMatrix(m, classes-1), Bias: make([]float64, learn.Pairs(classes))}
	for c := range classes {
		e.First[c+1] = (c + 1) * each
	}
	for p := 0; p+1 < m; p += 2 {
		a, b := support.Row(p), support.Row(p+1)
		for j := range d {
			a[j] = rng.NormFloat64()
			b[j] = a[j]
		}
		b[0] = -a[0]
		for j := range classes - 1 {
			w := rng.NormFloat64()
			e.Weight.Row(p)[j], e.Weight.Row(p + 1)[j] = w, -w
		}
	}
	for i := range n {
		for j := range d {
			x.Row(i)[j] = rng.NormFloat64()
		}
		if i%2 == 0 {
			x.Row(i)[0] = math.Ldexp(rng.NormFloat64(), -i%40)
		}
	}
	return e, x
}

// TestPairsPredictAll holds that classes are those of float64, also of instances that float32
// leaves open, of which there are, and that these are not all.
func TestPairsPredictAll(t *testing.T) {
	for _, c := range []struct {
		classes, each, n, d int
		gamma               float64
		some                bool // instances are settled
	}{{3, 200, 400, 4, 0.3, true}, {4, 10, 33, 3, 0.5, true}, {3, 400, 129, 20, 0.02, true}, {5, 64, 300, 2, 40, true},
		{3, 200, 200, 3, 1e-9, false}, {2, 300, 300, 3, 1, true}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			e, x := pairsOf(c.classes, c.each, c.n, c.d, c.gamma)
			want := make([]int, c.n)
			if err := e.predict(t.Context(), run.Control{}, want, x); err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				got, err := e.PredictAll(t.Context(), run.Control{Workers: workers}, x)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("classes are %v, want %v", got, want)
				}
			}
			rough := gram.RoughOn(run.Control{}, e.Kernel, e.Support, compute.Roundings(c.classes*c.each))
			open, err := e.rough(t.Context(), run.Control{}, make([]int, c.n), rough, x)
			if err != nil {
				t.Fatal(err)
			}
			if len(open) == 0 || c.some && len(open) > c.n*3/4 {
				t.Errorf("%d of %d classes are open", len(open), c.n)
			}
		})
	}
}

// TestPairsOfNoNumber: values of K that are no numbers are an error that names the instance.
func TestPairsOfNoNumber(t *testing.T) {
	e, x := pairsOf(3, 200, 300, 4, 0.3)
	x.Row(77)[2] = math.NaN()
	_, err := e.PredictAll(t.Context(), run.Control{}, x)
	if v := (*gram.ValueError)(nil); !errors.As(err, &v) || v.Row != 77 {
		t.Errorf("the error is %v", err)
	}
	two, y := screened(300, 3, 0.5, 0)
	y.Row(78)[2] = math.NaN()
	_, err = two.PredictAll(t.Context(), run.Control{}, y)
	if v := (*gram.ValueError)(nil); !errors.As(err, &v) || v.Row != 78 {
		t.Errorf("the error is %v", err)
	}
}

// TestVotes compares classes with those that any scores within the bounds can have.
func TestVotes(t *testing.T) {
	const classes = 3
	bias := []float64{0, 0, 0}
	v := newVotes(classes)
	for at := range 5 * 5 * 5 * 2 {
		score := [3]float64{float64(at%5 - 2), float64(at/5%5 - 2), float64(at/25%5 - 2)}
		within := []float64{0.5, 1.5}[at/125]
		sums := make([]float32, classes*classes) // all that a pair has stands with its first class
		sums[0], sums[1], sums[classes+1] = float32(score[0]), float32(score[1]), float32(score[2])
		got := v.class(bias, sums, func(float64) float64 { return within })
		seen := map[int]bool{}
		for way := range 8 {
			moved := make([]float64, 3)
			for p := range moved {
				moved[p] = score[p] + within*float64(2*(way>>p&1)-1)
			}
			seen[learn.Vote(moved, classes)] = true
		}
		if len(seen) > 1 && got >= 0 || got >= 0 && !seen[got] {
			t.Errorf("scores %v within %v: class %d, and there are %v", score, within, got, seen)
		}
	}
}
