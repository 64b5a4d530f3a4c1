package bound_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

func TestSGD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lambda := math.Exp(rapid.Float64Range(-10, 5).Draw(t, "ln lambda"))
		excess := rapid.Float64Range(0.001, 0.99).Draw(t, "excess")
		formula := func(n int) float64 { return (1 + math.Log(float64(n))) / (2 * lambda * float64(n)) }
		n := must2(bound.SGDSteps(lambda, excess))
		if formula(n) > excess*(1+hair) || n > 1 && formula(n-1) < excess*(1-hair) {
			t.Fatalf("%d steps leave %v, one less %v; allowed is %v", n, formula(n), formula(n-1), excess)
		}
		if e := value(bound.SGDExcess(lambda, n)); !(e <= excess*(1+hair)) {
			t.Fatalf("%d steps buy %v, not %v", n, e, excess)
		}
		if l, err := bound.SGDLambda(excess, n); err != nil || l > lambda*(1+hair) {
			t.Fatalf("%d steps serve lambda %v, %v, not %v", n, l, err, lambda)
		} else {
			atMost(t, "lambda", n)(bound.SGDSteps(l, excess))
		}
		steps := rapid.IntRange(1, 1_000_000).Draw(t, "steps")
		e := value(bound.SGDExcess(lambda, steps))
		if e < 1 {
			atMost(t, "excess", steps)(bound.SGDSteps(lambda, e))
			atLeast(t, "excess", steps)(bound.SGDSteps(lambda, e*(1-hair)))
		}
		l, err := bound.SGDLambda(excess, steps)
		if err != nil || !(l > 0) {
			t.Fatalf("lambda %v, %v", l, err)
		}
		atMost(t, "lambda", steps)(bound.SGDSteps(l, excess))
	})
	if _, err := bound.SGDSteps(1e-300, 0.5); !errors.Is(err, bound.ErrTooLarge) {
		t.Errorf("steps past counting: %v", err)
	}
}

// TestSGDMeasured runs the procedure on noisy instances of unit length, and
// compares the objective of the average with the least that very many steps
// find.
func TestSGDMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("many steps")
	}
	const n, dim, lambda = 100, 5, 0.1
	r := rand.New(rand.NewPCG(9, 1))
	x := make([][]float64, n) // with the label in it
	for i := range x {
		v, norm := make([]float64, dim), 0.0
		for j := range v {
			v[j] = r.NormFloat64()
			norm += v[j] * v[j]
		}
		sign := 1.0
		if v[0] < 0 != (r.Float64() < 0.1) {
			sign = -1
		}
		for j := range v {
			v[j] *= sign / math.Sqrt(norm)
		}
		x[i] = v
	}
	dot := func(a, b []float64) float64 {
		s := 0.0
		for j := range a {
			s += a[j] * b[j]
		}
		return s
	}
	objective := func(w []float64) float64 {
		s := lambda / 2 * dot(w, w)
		for _, v := range x {
			s += max(0, 1-dot(w, v)) / n
		}
		return s
	}
	descend := func(steps int) float64 {
		theta, w, mean := make([]float64, dim), make([]float64, dim), make([]float64, dim)
		for k := 1; k <= steps; k++ {
			for j := range w {
				w[j] = theta[j] / (lambda * float64(k))
				mean[j] += w[j] / float64(steps)
			}
			if v := x[r.IntN(n)]; dot(w, v) < 1 {
				for j := range theta {
					theta[j] += v[j]
				}
			}
		}
		return objective(mean)
	}
	least := descend(300_000)
	for _, excess := range []float64{0.5, 0.2} {
		steps := must2(bound.SGDSteps(lambda, excess))
		sum := 0.0
		const runs = 20
		for range runs {
			sum += descend(steps)
		}
		got := sum/runs - least
		t.Logf("%d steps end %.4f above the least objective, promised %v", steps, got, excess)
		if got > excess {
			t.Errorf("%d steps end %v above the least objective, promised %v", steps, got, excess)
		}
	}
}
