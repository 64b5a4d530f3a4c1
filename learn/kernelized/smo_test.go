package kernelized_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// Recipes are learners.
var (
	_ learn.Learner[string, float64, *kernelized.Expansion[string]]  = kernelized.SVM[string]{}
	_ learn.Learner[string, float64, *kernelized.Expansion[string]]  = kernelized.NuSVM[string]{}
	_ learn.Learner[string, float64, *kernelized.Expansion[string]]  = kernelized.SoftSVM[string]{}
	_ learn.Learner[string, float64, *kernelized.Regression[string]] = kernelized.SVR[string]{}
	_ learn.Learner[string, float64, *kernelized.Regression[string]] = kernelized.NuSVR[string]{}
)

// clouds returns n points of two overlapping clouds in d dimensions. Both labels
// occur where n > 1.
func clouds(n, d int, s uint64) labeled {
	rng := seed.Stream(s, seed.Generator, 0)
	m, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range n {
		y[i] = float64(2*rng.IntN(2) - 1)
		if i < 2 {
			y[i] = float64(2*i - 1)
		}
		for j := range m.Row(i) {
			m.Row(i)[j] = rng.NormFloat64() + 0.5*y[i]
		}
	}
	return labeled{X: m, Y: y}
}

// near fails unless got is within the relative error of want.
func near(t interface {
	Helper()
	Errorf(string, ...any)
}, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*(1+math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// TestAgainstEnumeration compares with the minimum over all ways to put
// variables at their bounds. At a tolerance of 1e-9 the objective is within
// 1e-9 times the sum of the ranges of it.
func TestAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "n")
		d := clouds(n, 2, rapid.Uint64().Draw(t, "seed"))
		k := kernel.Gaussian{Gamma: rapid.Float64Range(0.1, 2).Draw(t, "gamma")}
		c := rapid.Float64Range(0.1, 10).Draw(t, "C")
		single := matrixOf[data.Vector](k, d.X, 1)

		svm := kernelized.NewSVM[data.Vector](k)
		svm.C, svm.Tolerance = c, 1e-9
		_, r, err := svm.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "svm", r.Objective, hinge(single, d.Y, func(int) float64 { return c }, true).minimum(), 1e-7)

		soft := kernelized.NewSoftSVM[data.Vector](k)
		soft.Lambda, soft.Tolerance = 1/(2*c*float64(n)), 1e-9
		_, r, err = soft.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "soft svm", r.Objective, -2*soft.Lambda*hinge(single, d.Y, func(int) float64 { return c },
			false).minimum(), 1e-7)

		one := kernelized.NewOneClass[data.Vector](k)
		one.Nu, one.Tolerance = rapid.Float64Range(0.05, 1).Draw(t, "nu"), 1e-9
		_, r, err = one.Fit(context.Background(), d.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := program{k: single, e: make([]float64, n), lo: make([]float64, n), hi: slices.Repeat([]float64{1}, n),
			group: make([]int, n), sum: []float64{one.Nu * float64(n)}}
		near(t, "one class", r.Objective, p.minimum(), 1e-7)

		if n > 4 {
			return
		}
		double := matrixOf[data.Vector](k, d.X, 2)
		z := make([]float64, n)
		for i := range z {
			z[i] = d.X.At(i).Value[0]*3 + d.Y[i]
		}
		svr := kernelized.NewSVR[data.Vector](k)
		svr.C, svr.Epsilon, svr.Tolerance = c, 0.2, 1e-9
		_, r, err = svr.Fit(context.Background(), labeled{X: d.X, Y: z})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "svr", r.Objective, tube(double, z, c, 0.2, 0).minimum(), 1e-7)

		nu := kernelized.NewNuSVR[data.Vector](k)
		nu.C, nu.Nu, nu.Tolerance = c, 0.3, 1e-9
		_, r, err = nu.Fit(context.Background(), labeled{X: d.X, Y: z})
		if err != nil {
			t.Fatal(err)
		}
		half := c * 0.3 * float64(n) / 2
		near(t, "nu-svr", r.Objective, tube(double, z, c, 0, half, -half).minimum(), 1e-7)
	})
}

// TestOptimality checks the conditions of the optimum on the fitted model, at
// sizes on both sides of the working sets and of the switch between precisions.
func TestOptimality(t *testing.T) {
	for _, n := range []int{2, 7, 64, 127, 128, 129, 1023, 1025, 2047, 2049} {
		d := clouds(n, 3, uint64(n))
		s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.5})
		s.C, s.Tolerance = 2, 1e-4
		e, r, err := s.Fit(t.Context(), d)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("n = %d: %v, %+v", n, err, r)
		}
		alpha := map[string]float64{}
		total, square := 0.0, 0.0
		for p, w := range e.Weight {
			alpha[fmt.Sprint(e.Support.At(p).Value)] = math.Abs(w)
			total += w
			square += w * (e.Score(e.Support.At(p)) - e.Bias)
		}
		if math.Abs(total) > 1e-9*float64(n) {
			t.Errorf("n = %d: yᵀα = %v", n, total)
		}
		primal, sum := square/2, 0.0
		for i, y := range d.Y {
			margin := y * e.Score(d.X.At(i))
			a := alpha[fmt.Sprint(d.X.At(i).Value)]
			sum += a
			primal += s.C * max(0, 1-margin)
			if a < s.C && margin < 1-s.Tolerance || a > 0 && margin > 1+s.Tolerance {
				t.Fatalf("n = %d: row %d has α = %v and margin %v", n, i, a, margin)
			}
		}
		near(t, "objective", r.Objective, square/2-sum, 1e-9)
		near(t, "gap", r.Gap, primal+r.Objective, 1e-9*float64(n))
		if r.Support != len(e.Weight) || r.Evaluations == 0 {
			t.Errorf("n = %d: report %+v", n, r)
		}
	}
}

// TestNuIsC: scaled to a margin of 1, the solution for nu is that of the penalty
// that its largest weight is.
func TestNuIsC(t *testing.T) {
	d := clouds(150, 2, 5)
	nu := kernelized.NewNuSVM[data.Vector](kernel.Gaussian{Gamma: 0.5})
	nu.Nu, nu.Tolerance = 0.6, 1e-8
	e, r, err := nu.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if share := float64(r.Support) / 150; share < 0.6 {
		t.Errorf("a share of %v are support vectors", share)
	}
	svm := kernelized.NewSVM(nu.Kernel)
	svm.C, svm.Tolerance = 0, 1e-6
	for _, w := range e.Weight {
		svm.C = max(svm.C, math.Abs(w))
	}
	f, _, err := svm.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Y {
		near(t, "score", e.Score(d.X.At(i)), f.Score(d.X.At(i)), 1e-5)
	}
	nu.Nu = 1
	if _, _, err := nu.Fit(t.Context(), labeled{X: d.X,
		Y: append([]float64{-1}, slices.Repeat([]float64{1}, 149)...)}); err == nil {
		t.Error("no error for a nu that no solution has")
	}
}

// TestWeightIsRepetition: a row of weight w counts as w rows.
func TestWeightIsRepetition(t *testing.T) {
	d := clouds(60, 2, 3)
	weight, repeated := make([]float64, 60), []int{}
	for i := range weight {
		weight[i] = float64(i % 4)
		for range i % 4 {
			repeated = append(repeated, i)
		}
	}
	many := d.Select(repeated)
	k := kernel.Gaussian{Gamma: 0.5}
	for name, fit := range map[string]func(d labeled) (learn.Report, error){
		"svm": func(d labeled) (learn.Report, error) {
			s := kernelized.NewSVM[data.Vector](k)
			s.Tolerance = 1e-10
			_, r, err := s.Fit(t.Context(), d)
			return r, err
		},
		"soft": func(d labeled) (learn.Report, error) {
			s := kernelized.NewSoftSVM[data.Vector](k)
			s.Tolerance = 1e-10
			_, r, err := s.Fit(t.Context(), d)
			return r, err
		},
		"nu": func(d labeled) (learn.Report, error) {
			s := kernelized.NewNuSVM[data.Vector](k)
			s.Tolerance = 1e-11
			_, r, err := s.Fit(t.Context(), d)
			return r, err
		},
		"one": func(d labeled) (learn.Report, error) {
			s := kernelized.NewOneClass[data.Vector](k)
			s.Tolerance = 1e-10
			_, r, err := s.Fit(t.Context(), d.X, d.Weight)
			return r, err
		},
		"svr": func(d labeled) (learn.Report, error) {
			s := kernelized.NewSVR[data.Vector](k)
			s.Tolerance = 1e-10
			_, r, err := s.Fit(t.Context(), d)
			return r, err
		},
		"nu-svr": func(d labeled) (learn.Report, error) {
			s := kernelized.NewNuSVR[data.Vector](k)
			s.Tolerance = 1e-10
			_, r, err := s.Fit(t.Context(), d)
			return r, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := fit(labeled{X: d.X, Y: d.Y, Weight: weight})
			if err != nil {
				t.Fatal(err)
			}
			b, err := fit(many)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "objective", a.Objective, b.Objective, 1e-9)
		})
	}
}

// TestSVMWorkers: neither workers nor memory change a bit, below and above the
// switch to float32.
func TestSVMWorkers(t *testing.T) {
	for _, n := range []int{300, 900, 2500} {
		d := clouds(n, 4, 9)
		var first *kernelized.Expansion[data.Vector]
		var reported learn.Report
		for _, ctl := range []run.Control{{Workers: 1}, {Workers: 2}, {Workers: 3}, {Workers: 2, Memory: 128 << 20}} {
			s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.3})
			s.Run = ctl
			e, r, err := s.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first, reported = e, r
				continue
			}
			if !slices.Equal(e.Weight, first.Weight) || e.Bias != first.Bias || r.Objective != reported.Objective ||
				r.Gap != reported.Gap {
				t.Errorf("n = %d, %d workers: another result", n, ctl.Workers)
			}
		}
	}
}

// TestLeapWorkers is TestSVMWorkers for a problem with leaps: one of noise and a
// high penalty.
func TestLeapWorkers(t *testing.T) {
	for _, n := range []int{400, 2100} {
		d := clouds(n, 2, 9)
		var first *kernelized.Expansion[data.Vector]
		for workers := 1; workers <= 3; workers++ {
			s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 1})
			s.C, s.Run.Workers = 300, workers
			e, r, err := s.Fit(t.Context(), d)
			if err != nil || r.Status != learn.Converged {
				t.Fatalf("%v, %+v", err, r)
			}
			if first == nil {
				first = e
			} else if !slices.Equal(e.Weight, first.Weight) || e.Bias != first.Bias {
				t.Errorf("n = %d, %d workers: another result", n, workers)
			}
		}
	}
}

// TestSmallMemory: a black box with hardly more memory than it needs, and rows of
// which less than all fit.
func TestSmallMemory(t *testing.T) {
	gaussian := kernel.Gaussian{Gamma: 0.3}
	for _, c := range []struct {
		rows   int
		kernel kernel.Kernel[data.Vector]
		memory int64
	}{
		{600, kernel.Func[data.Vector](gaussian.Eval), 7 << 20},
		{4400, gaussian, 280 << 20}, // K takes 155 MB, and rows may take half
	} {
		if c.rows > 1000 && testing.Short() {
			continue
		}
		d := clouds(c.rows, 4, 9)
		var first []float64
		for _, memory := range []int64{0, c.memory} {
			s := kernelized.NewSVM(c.kernel)
			s.C, s.Run.Memory = 50, memory
			e, r, err := s.Fit(t.Context(), d)
			if err != nil || r.Status != learn.Converged {
				t.Fatalf("%d rows: %v, %+v", c.rows, err, r)
			}
			if first == nil {
				first = e.Weight
			} else if !slices.Equal(first, e.Weight) {
				t.Errorf("%d rows: memory changes the result", c.rows)
			}
		}
	}
}

// TestGapBounds: stopped early, the objective is within Gap of the minimum.
func TestGapBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		d := clouds(n, 2, rapid.Uint64().Draw(t, "seed"))
		k := kernel.Gaussian{Gamma: 0.5}
		c := rapid.Float64Range(0.1, 10).Draw(t, "C")
		tolerance := rapid.Float64Range(0.01, 3).Draw(t, "tolerance")
		matrix := matrixOf[data.Vector](k, d.X, 1)

		svm := kernelized.NewSVM[data.Vector](k)
		svm.C, svm.Tolerance = c, tolerance
		_, r, err := svm.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		best := hinge(matrix, d.Y, func(int) float64 { return c }, true).minimum()
		if r.Objective < best-1e-9 || r.Objective > best+r.Gap+1e-9 {
			t.Errorf("svm: objective %v, gap %v, minimum %v", r.Objective, r.Gap, best)
		}
		soft := kernelized.NewSoftSVM[data.Vector](k)
		soft.Lambda, soft.Tolerance = 1/(2*c*float64(n)), tolerance
		e, r, err := soft.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		best = -2 * soft.Lambda * hinge(matrix, d.Y, func(int) float64 { return c }, false).minimum()
		if r.Objective < best-1e-9 || r.Objective > best+r.Gap+1e-9 {
			t.Errorf("soft svm: objective %v, gap %v, minimum %v", r.Objective, r.Gap, best)
		}
		// The objective is equation 16.4 at the model.
		loss, norm := 0.0, 0.0
		for i, y := range d.Y {
			loss += max(0, 1-y*e.Score(d.X.At(i))) / float64(n)
		}
		for p, w := range e.Weight {
			norm += w * e.Score(e.Support.At(p))
		}
		near(t, "objective", r.Objective, soft.Lambda*norm+loss, 1e-9)
	})
}

// TestPrecisions: float32 alone finds the same objective within its rounding.
func TestPrecisions(t *testing.T) {
	d := clouds(2500, 4, 9)
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.3})
	s.Tolerance = 1e-4
	e, r, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s.Run.Precision = run.Float32
	f, q, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "objective", q.Objective, r.Objective, 1e-6)
	exact, err := e.ScoreAll(t.Context(), run.Control{}, d.X)
	if err != nil {
		t.Fatal(err)
	}
	rough, err := f.ScoreAll(t.Context(), run.Control{Precision: run.Float32}, d.X)
	if err != nil {
		t.Fatal(err)
	}
	for i := range exact {
		near(t, "score", rough[i], exact[i], 2e-3)
		if i%97 == 0 {
			near(t, "score", exact[i], e.Score(d.X.At(i)), 1e-9)
		}
	}
}

// TestSVMDuplicates: equal rows with both labels, and with one.
func TestSVMDuplicates(t *testing.T) {
	x := make(data.Slice[data.Vector], 40)
	y := make([]float64, 40)
	for i := range x {
		x[i] = data.Dense(float64(i%4), 1)
		y[i] = float64(2*(i%2) - 1)
		if i%4 == 0 && i > 20 {
			y[i] = 1
		}
	}
	d := labeled{X: x, Y: y}
	s := kernelized.NewSVM[data.Vector](kernel.Linear{})
	e, r, err := s.Fit(t.Context(), d)
	if err != nil || r.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, r)
	}
	for i := range x {
		if f := e.Score(x[i]); math.IsNaN(f) {
			t.Fatal("a score is not a number")
		}
	}
	alike := make(data.Slice[data.Vector], 40)
	for i := range alike {
		alike[i] = data.Dense(1, 2)
	}
	nu := kernelized.NewNuSVM[data.Vector](kernel.Linear{})
	if e, r, err := nu.Fit(t.Context(), labeled{X: alike, Y: y}); err != nil || math.IsNaN(e.Score(alike[0])) ||
		math.IsNaN(r.Objective) {
		t.Errorf("all rows alike: %v, %+v", err, r)
	}
}

// TestNoKernel: a similarity with negative curvature, and one that is not even
// symmetric, come to an end.
func TestNoKernel(t *testing.T) {
	d := clouds(200, 3, 1)
	for name, k := range map[string]kernel.Kernel[data.Vector]{
		"distance": kernel.Func[data.Vector](func(x, y data.Vector) float64 { return math.Sqrt(x.Distance2(y)) }),
		"sigmoid":  kernel.Sigmoid{Gamma: 2, Coef: -1},
		"skewed":   kernel.Func[data.Vector](func(x, y data.Vector) float64 { return x.Value[0] * y.Value[1] }),
	} {
		s := kernelized.NewSVM(k)
		s.MaxIterations = 20000
		e, r, err := s.Fit(t.Context(), d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Status != learn.Converged && r.Status != learn.IterationLimit || r.Iterations > 20000 ||
			math.IsNaN(e.Score(d.X.At(0))) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestSVMCancel: the best so far comes back, and limits are kept.
func TestSVMCancel(t *testing.T) {
	d := clouds(500, 3, 1)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	bell := func(x, y data.Vector) float64 { return math.Exp(-x.Distance2(y)) }
	s := kernelized.NewSVM[data.Vector](kernel.Func[data.Vector](bell))
	s.C = 100
	s.Run.Progress.Step = func(int64) {
		if calls++; calls == 2 {
			cancel()
		}
	}
	e, r, err := s.Fit(ctx, d)
	if err != nil || r.Status != learn.Cancelled || len(e.Weight) == 0 || r.Gap <= 0 {
		t.Errorf("%v, %+v, %d weights", err, r, len(e.Weight))
	}
	one := kernelized.NewOneClass(s.Kernel)
	if _, r, err := one.Fit(ctx, d.X, nil); err != nil || r.Status != learn.Cancelled {
		t.Errorf("one class: %v, %+v", err, r)
	}
	s = kernelized.NewSVM(s.Kernel)
	s.MaxIterations = 5
	if _, r, err := s.Fit(t.Context(), d); err != nil || r.Status != learn.IterationLimit || r.Iterations != 5 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestResume ends a fit after each of its rounds and goes on from there: the
// result is the same bit for bit.
func TestResume(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		n, d     int
		c, gamma float64
	}{{600, 3, 1000, 0.5}, {1100, 3, 1000, 0.5}, {1100, 130, 10, 0.002}, {2300, 3, 10, 0.5}} {
		n := c.n
		d := clouds(n, c.d, 4)
		s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: c.gamma})
		s.C, s.Tolerance = c.c, 1e-5
		want, reported, err := s.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		var states [][]byte
		s.Checkpoint = kernelized.Checkpoint{Every: 1, Save: func(state []byte) error {
			states = append(states, state)
			return nil
		}}
		if _, _, err := s.Fit(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if len(states) < 4 {
			t.Fatalf("only %d rounds", len(states))
		}
		step := max(1, len(states)/4)
		for k := 0; k < len(states); k += step {
			// The run is killed by its own Save in the round after the state.
			s.Checkpoint = kernelized.Checkpoint{Every: 1, From: states[k], Save: func([]byte) error { return stop }}
			if _, _, err := s.Fit(t.Context(), d); k+1 < len(states) && !errors.Is(err, stop) {
				t.Fatalf("n = %d: the error of Save is lost: %v", n, err)
			}
			s.Checkpoint = kernelized.Checkpoint{From: states[k]}
			s.Run.Workers = 1 + k%3
			e, r, err := s.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(e.Weight, want.Weight) || e.Bias != want.Bias || r.Iterations != reported.Iterations ||
				r.Objective != reported.Objective {
				t.Fatalf("n = %d, resumed after round %d: another result", n, k+1)
			}
		}
		for _, bad := range [][]byte{{}, {1, 2, 3}, states[0][:len(states[0])-8],
			append(slices.Clone(states[0]), make([]byte, 8)...)} {
			s.Checkpoint = kernelized.Checkpoint{From: bad}
			if _, _, err := s.Fit(t.Context(), d); err == nil {
				t.Error("no error for a damaged checkpoint")
			}
		}
		s.Checkpoint, s.C = kernelized.Checkpoint{From: states[0]}, 11*c.c
		if _, _, err := s.Fit(t.Context(), d); err == nil {
			t.Error("no error for a checkpoint of another problem")
		}
	}
}

// TestStrings learns which words hold more a than b.
func TestStrings(t *testing.T) {
	d := words()
	s := kernelized.NewSVM(counts)
	s.C = 100
	e, _, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.ScoreAll(t.Context(), run.Control{}, d.X)
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range d.Y {
		if e.Predict(d.X.At(i)) != y || scores[i]*y <= 0 {
			t.Errorf("%q is on the wrong side", d.X.At(i))
		}
	}
}

var counts = kernel.Func[string](func(x, y string) float64 {
	return float64(strings.Count(x, "a")*strings.Count(y, "a") + strings.Count(x, "b")*strings.Count(y, "b"))
})

func words() data.Labeled[string, float64] {
	var d data.Labeled[string, float64]
	var list data.Slice[string]
	for a := range 8 {
		for b := range 8 {
			if a != b {
				list = append(list, strings.Repeat("a", a)+strings.Repeat("b", b))
				d.Y = append(d.Y, map[bool]float64{true: 1, false: -1}[a > b])
			}
		}
	}
	d.X = list
	return d
}

func TestSVMRefusals(t *testing.T) {
	d := clouds(10, 2, 1)
	k := kernel.Gaussian{Gamma: 1}
	for name, s := range map[string]interface{ Validate() error }{
		"kernel":     kernelized.NewSVM[data.Vector](nil),
		"C":          kernelized.SVM[data.Vector]{Kernel: k, C: math.NaN(), Tolerance: 1, MaxIterations: 1},
		"tolerance":  kernelized.SVM[data.Vector]{Kernel: k, C: 1, MaxIterations: 1},
		"iterations": kernelized.SVM[data.Vector]{Kernel: k, C: 1, Tolerance: 1},
		"nu":         kernelized.NuSVM[data.Vector]{Kernel: k, Nu: 1.5, Tolerance: 1, MaxIterations: 1},
		"lambda":     kernelized.SoftSVM[data.Vector]{Kernel: k, Lambda: -1, Tolerance: 1, MaxIterations: 1},
		"epsilon":    kernelized.SVR[data.Vector]{Kernel: k, C: 1, Epsilon: math.Inf(1), Tolerance: 1, MaxIterations: 1},
		"checkpoint": kernelized.SVM[data.Vector]{Kernel: k, C: 1, Tolerance: 1, MaxIterations: 1,
			Checkpoint: kernelized.Checkpoint{Save: func([]byte) error { return nil }}},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	svm := kernelized.NewSVM[data.Vector](k)
	same := labeled{X: d.X, Y: slices.Repeat([]float64{1}, 10)}
	if _, _, err := svm.Fit(t.Context(), same); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	for _, w := range [][]float64{{1}, make([]float64, 10), slices.Repeat([]float64{math.NaN()}, 10),
		slices.Repeat([]float64{-1}, 10)} {
		if _, _, err := svm.Fit(t.Context(), labeled{X: d.X, Y: d.Y, Weight: w}); err == nil {
			t.Errorf("weights %v: no error", w)
		}
	}
	svr := kernelized.NewSVR[data.Vector](k)
	if _, _, err := svr.Fit(t.Context(), labeled{X: d.X, Y: slices.Repeat([]float64{math.Inf(1)}, 10)}); err == nil {
		t.Error("an infinite target: no error")
	}
	one := kernelized.NewOneClass[data.Vector](k)
	if _, _, err := one.Fit(t.Context(), data.Slice[data.Vector]{}, nil); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	bad := kernelized.NewSVM[data.Vector](kernel.Func[data.Vector](func(x, y data.Vector) float64 { return math.NaN() }))
	if _, _, err := bad.Fit(t.Context(), d); err == nil {
		t.Error("a kernel that gives NaN: no error")
	}
	soft := kernelized.NewSoftSVM[data.Vector](bad.Kernel) // which begins with working sets
	soft.MaxIterations = 1000
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, _, err := soft.Fit(ctx, d); err == nil || ctx.Err() != nil {
		t.Errorf("a kernel that gives NaN, without a bias: %v", err)
	}
	small := kernelized.NewSVM[data.Vector](k)
	small.Run.Memory = 100
	var memory *run.MemoryError
	if _, _, err := small.Fit(t.Context(), d); !errors.As(err, &memory) {
		t.Errorf("no memory: %v", err)
	}
}
