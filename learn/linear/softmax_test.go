package linear_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

type multiSample = data.Labeled[data.Vector, int]

// rings returns n points of so many classes that overlap.
func rings(n, dim, classes int, s uint64) multiSample {
	rng := seed.Stream(s, seed.Generator, 7)
	m, y := data.NewMatrix(n, dim), make([]int, n)
	for i := range n {
		y[i] = i % classes
		for j := range m.Row(i) {
			m.Row(i)[j] = rng.NormFloat64()
		}
		m.Row(i)[y[i]%dim] += 1 + float64(y[i]/dim)
	}
	return multiSample{X: m, Y: y}
}

// multinomial is P(W) from its formula, for separators of three or more classes.
func multinomial(d multiSample, w []*linear.Separator, c float64, weight []float64) float64 {
	sum := 0.0
	for _, s := range w {
		sum += s.Bias * s.Bias / 2
		for _, a := range s.W {
			sum += a * a / 2
		}
	}
	for i, y := range d.Y {
		total := 0.0
		for _, s := range w {
			total += math.Exp(s.Score(d.X.At(i)) - w[y].Score(d.X.At(i)))
		}
		penalty := c
		if weight != nil {
			penalty *= weight[i]
		}
		sum += penalty * math.Log(total)
	}
	return sum
}

// gradient is the length of P's gradient from its formula.
func gradient(d multiSample, w []*linear.Separator, c float64) float64 {
	length := 0.0
	for k, s := range w {
		g := append(append([]float64{}, s.W...), s.Bias)
		for i, y := range d.Y {
			x, total := d.X.At(i), 0.0
			for _, o := range w {
				total += math.Exp(o.Score(x) - s.Score(x))
			}
			a := c / total
			if y == k {
				a -= c
			}
			x.AddTo(g[:len(s.W)], a)
			g[len(s.W)] += a * s.Unit
		}
		for _, a := range g {
			length += a * a
		}
	}
	return math.Sqrt(length)
}

func TestSoftmax(t *testing.T) {
	for _, n := range []int{9, 65, 513, 2000} {
		for _, classes := range []int{3, 5} {
			for _, c := range []float64{0.01, 1, 30} {
				d := rings(n, 4, classes, uint64(n))
				f := linear.NewSoftmax(classes)
				f.C, f.Tolerance = c, 1e-9
				m, r, err := f.Fit(t.Context(), d)
				if err != nil || r.Status != learn.Converged {
					t.Fatalf("n=%d C=%v: %v, %+v", n, c, err, r)
				}
				what := fmt.Sprintf("n=%d classes=%d C=%v", n, classes, c)
				near(t, what, multinomial(d, m.Binary(), c, nil), r.Objective, 1e-11)
				if g := gradient(d, m.Binary(), c); math.Abs(g-r.Gradient) > 1e-6*(g+r.Gradient)+1e-9*r.Objective {
					t.Errorf("%s: gradient %v, the report says %v", what, g, r.Gradient)
				}
				// The objective is strongly convex: P - P* ≤ ½|g|², the gap.
				if r.Gap > 1e-9*r.Objective || math.Abs(r.Gap-r.Gradient*r.Gradient/2) > 1e-12*r.Gap {
					t.Errorf("%s: %+v", what, r)
				}
				for j := range m.Binary()[0].W {
					sum := 0.0
					for _, s := range m.Binary() {
						sum += s.W[j]
					}
					if math.Abs(sum) > 1e-8 {
						t.Errorf("%s: the weights of coordinate %d sum to %v", what, j, sum)
					}
				}
			}
		}
	}
}

// With two classes and v = w_1 - w_0 the objective is ¼|v|² + C·Σ log(1+exp(-y·v·x)):
// twice it is logistic regression with 2C.
func TestSoftmaxTwoClasses(t *testing.T) {
	d := noisy(300, 4, 0.1, 3)
	l := linear.NewLogistic()
	l.C, l.Tolerance = 2, 1e-12
	s, want, err := l.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	f := linear.NewSoftmax(2)
	f.Tolerance = 1e-12
	m, r, err := f.Fit(t.Context(), multiSample{X: d.X, Y: ofSign(d.Y)})
	if err != nil || r.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, r)
	}
	near(t, "P", 2*r.Objective, want.Objective, 1e-10)
	scores := make([]float64, 2)
	for i := range d.Y {
		x := d.X.At(i)
		near(t, "score", m.Binary()[0].Score(x), s.Score(x), 1e-4)
		m.Scores(scores, x)
		linear.Probabilities(scores)
		near(t, "chance", scores[1], linear.Probability(s.Score(x)), 1e-4)
		near(t, "sum", scores[0]+scores[1], 1, 1e-12)
	}
}

func TestSoftmaxWeights(t *testing.T) {
	d := rings(66, 3, 3, 1)
	weight := make([]float64, 66)
	var index []int
	for i := range weight {
		weight[i] = float64(1 + i%4)
		for range 1 + i%4 {
			index = append(index, i)
		}
	}
	f := linear.NewSoftmax(3)
	f.Tolerance = 1e-12
	_, want, err := f.Fit(t.Context(), d.Select(index))
	if err != nil {
		t.Fatal(err)
	}
	d.Weight = weight
	m, r, err := f.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "P", r.Objective, want.Objective, 1e-9)
	near(t, "formula", multinomial(d, m.Binary(), 1, weight), r.Objective, 1e-11)
}

func TestSoftmaxFaults(t *testing.T) {
	err := linear.Softmax{Classes: 1, C: -1, Tolerance: -1, Unit: -1}.Validate()
	for _, want := range []string{"classes is 1", "C is -1", "tolerance is -1", "max passes is 0", "unit is -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("fault %q is not in: %v", want, err)
		}
	}
	if _, _, err := linear.NewSoftmax(4).Fit(t.Context(), rings(30, 3, 3, 1)); err == nil {
		t.Error("a class without rows: no error")
	}
	bad := rings(30, 3, 3, 1)
	bad.X.(*data.Matrix).Row(7)[1] = math.NaN()
	if _, _, err := linear.NewSoftmax(3).Fit(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "row 8") {
		t.Errorf("not a number: %v", err)
	}
	far := []float64{1e4, -1e4, 0}
	linear.Probabilities(far)
	if far[0] != 1 || far[1] != 0 || far[2] != 0 {
		t.Errorf("chances %v", far)
	}
}

func TestFitClasses(t *testing.T) {
	for _, classes := range []int{2, 3, 7} {
		for _, n := range []int{65, 2100} {
			d := rings(n, 5, classes, 3)
			for _, solver := range []linear.Solver{linear.Newton, linear.Descent} {
				recipe := squaredSVM(0.3, 1e-8, solver)
				m, r, err := recipe.FitClasses(t.Context(), d, classes)
				if err != nil || r.Status != learn.Converged || m.Classes() != classes {
					t.Fatalf("%d classes: %v, %+v", classes, err, r)
				}
				rest := learn.OneVsRest[data.Vector, *linear.Separator]{Learner: recipe, Classes: classes}
				_, want, err := rest.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				near(t, fmt.Sprintf("%d classes by %v", classes, solver), r.Objective, want.Objective, 2e-8)
			}
		}
	}
	recipe := squaredSVM(1, 1e-3, linear.Auto)
	if _, _, err := recipe.FitClasses(t.Context(), rings(30, 3, 3, 1), 1); err == nil {
		t.Error("one class: no error")
	}
	if _, _, err := recipe.FitClasses(t.Context(), rings(30, 3, 3, 1), 4); err == nil {
		t.Error("a class without rows: no error")
	}
}
