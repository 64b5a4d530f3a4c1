package linear_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// hingeSVM returns a machine with the hinge loss, trained by Newton's method.
func hingeSVM(c, tolerance float64) linear.SVM {
	s := exact(c, tolerance)
	s.Solver = linear.Newton
	return s
}

// checkHinge fails unless the report is true of the separator and of the dual
// point, by the formulas.
func checkHinge(
	t interface{ Errorf(string, ...any) }, d sample, recipe linear.SVM, s *linear.Separator,
	alpha []float64, r learn.Report,
) {
	p, q := objective(d, s, recipe.C, d.Weight, "hinge"), dual(d, alpha, recipe.Unit)
	if math.Abs(p-r.Objective) > 1e-11*p {
		t.Errorf("P(w) = %v and the report says %v", p, r.Objective)
	}
	if got := p - q; math.Abs(got-r.Gap) > 1e-10*p || q > p*(1+1e-12) {
		t.Errorf("P - D = %v and the report says %v", got, r.Gap)
	}
	support := 0
	for i, a := range alpha {
		top := recipe.C
		if d.Weight != nil {
			top *= d.Weight[i]
		}
		if !(a >= 0 && a <= top) {
			t.Errorf("α of row %d is %v, outside [0, %v]", i, a, top)
		}
		if a > 0 {
			support++
		}
	}
	if support != r.Support {
		t.Errorf("%d rows of support and the report says %d", support, r.Support)
	}
}

func TestHingeNewtonOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		d := noisy(n, dim, 0.2, rapid.Uint64().Draw(t, "seed"))
		recipe := hingeSVM(math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log C")),
			rapid.SampledFrom([]float64{1e-2, 1e-4, 1e-8}).Draw(t, "tolerance"))
		recipe.Unit = rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "unit")
		s, alpha, r, err := recipe.FitDual(context.Background(), d, nil)
		if err != nil || r.Status != learn.Converged || r.Gap > recipe.Tolerance*r.Objective {
			t.Fatalf("%v, %+v", err, r)
		}
		checkHinge(t, d, recipe, s, alpha, r)
		// The oracle's P is above the optimum and its D below. Our P less the gap,
		// which is at most tolerance·P, is a dual value and so not above either.
		p, q := oracle(d, recipe.C, recipe.Unit, 300)
		if r.Objective*(1-recipe.Tolerance) > p || r.Objective < q*(1-1e-12) {
			t.Errorf("P=%v, the oracle has %v to %v", r.Objective, q, p)
		}
	})
}

// Newton's method and descent agree, with and without parts of the rows before
// all of them, dense and sparse, with weights, and through finish where the
// tolerance is small.
func TestHingeSolversAgree(t *testing.T) {
	for _, n := range []int{2, 9, 64, 65, 513, 2559, 2560, 13000} {
		for _, c := range []float64{1e-2, 1} {
			d := noisy(n, 5, 0.1, uint64(n))
			weight := make([]float64, n)
			rng := seed.Stream(uint64(n), seed.Generator, 1)
			for i := range weight {
				weight[i] = float64(rng.IntN(3))
			}
			weight[0], weight[slices.Index(d.Y, -d.Y[0])] = 1, 1 // both labels have weight
			for _, w := range [][]float64{nil, weight} {
				want := exact(c, 1e-6)
				d.Weight, want.Solver = w, linear.Descent
				_, wanted, err := want.Fit(t.Context(), d)
				if err != nil || wanted.Status != learn.Converged {
					t.Fatalf("n=%d C=%v by descent: %v, %+v", n, c, err, wanted)
				}
				for _, tolerance := range []float64{1e-3, 1e-6} {
					for _, x := range []sample{d, sparse(d)} {
						recipe := hingeSVM(c, tolerance)
						s, alpha, r, err := recipe.FitDual(t.Context(), x, nil)
						if err != nil || r.Status != learn.Converged {
							t.Fatalf("n=%d C=%v: %v, %+v", n, c, err, r)
						}
						near(t, fmt.Sprintf("n=%d C=%v", n, c), r.Objective, wanted.Objective, tolerance+1e-6)
						checkHinge(t, x, recipe, s, alpha, r)
					}
				}
			}
		}
	}
}

// A start that is a dual point, also one outside the box, ends at the optimum.
func TestHingeNewtonWarm(t *testing.T) {
	d := noisy(4000, 10, 0.1, 3)
	recipe := hingeSVM(1, 1e-4)
	_, alpha, cold, err := recipe.FitDual(t.Context(), d, nil)
	if err != nil || cold.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, cold)
	}
	s, again, warm, err := recipe.FitDual(t.Context(), d, alpha)
	if err != nil || warm.Status != learn.Converged {
		t.Errorf("%v, %+v after %+v", err, warm, cold)
	}
	checkHinge(t, d, recipe, s, again, warm)
	alpha[0], alpha[1], alpha[2] = -5, math.NaN(), math.Inf(1)
	if s, alpha, r, err := recipe.FitDual(t.Context(), d, alpha); err != nil || r.Status != learn.Converged {
		t.Errorf("from a bad start: %v, %+v", err, r)
	} else {
		checkHinge(t, d, recipe, s, alpha, r)
	}
}

func TestHingeNewtonPath(t *testing.T) {
	d := noisy(3000, 8, 0.1, 8)
	cs := []float64{0.01, 0.1, 1, 100, 0.05}
	for _, tolerance := range []float64{1e-3, 1e-6} {
		path, err := hingeSVM(1, tolerance).Path(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		models, reports := kerftest.Path(t, path, cs...)
		for i, c := range cs {
			_, want, err := hingeSVM(c, tolerance).Fit(t.Context(), d)
			if err != nil || reports[i].Status != learn.Converged {
				t.Fatalf("C=%v: %v, %+v", c, err, reports[i])
			}
			near(t, fmt.Sprintf("C=%v", c), reports[i].Objective, want.Objective, tolerance)
			near(t, "P", primal(d, models[i], c), reports[i].Objective, 1e-11)
		}
	}
}

// Classes trained in step come to the objectives of machines trained one by one.
func TestHingeNewtonClasses(t *testing.T) {
	d := noisy(3000, 6, 0.1, 4)
	classes := make([]int, 3000)
	for i := range classes {
		if classes[i] = i % 3; d.Y[i] > 0 {
			classes[i] = 2
		}
	}
	for _, tolerance := range []float64{1e-3, 1e-6} {
		recipe := hingeSVM(0.1, tolerance)
		m, r, err := recipe.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: classes}, 3)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("%v, %+v", err, r)
		}
		for k, s := range m.Binary() {
			one := sample{X: d.X, Y: learn.Against(nil, classes, k)}
			_, want, err := recipe.Fit(t.Context(), one)
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("class %d", k), primal(one, s, 0.1), want.Objective, tolerance)
		}
	}
}

func TestHingeNewtonWorkers(t *testing.T) {
	d := noisy(6000, 20, 0.1, 4)
	classes := ofSign(d.Y)
	for i := range classes {
		if i%3 == 0 {
			classes[i] = 2
		}
	}
	for _, tolerance := range []float64{1e-3, 1e-7} {
		type result struct {
			S     *linear.Separator
			Alpha []float64
			M     *learn.Multi[data.Vector, *linear.Separator]
			R     [2]learn.Report
		}
		var first result
		for _, workers := range []int{1, 2, 3} {
			recipe := hingeSVM(0.1, tolerance)
			recipe.MaxPasses, recipe.Run.Workers = 300, workers
			var got result
			var err error
			if got.S, got.Alpha, got.R[0], err = recipe.FitDual(t.Context(), d, nil); err != nil {
				t.Fatal(err)
			}
			if got.M, got.R[1], err = recipe.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: classes},
				3); err != nil {
				t.Fatal(err)
			}
			got.R[0].Elapsed, got.R[1].Elapsed = 0, 0
			if workers == 1 {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Errorf("%d workers give another result: %+v, one: %+v", workers, got.R, first.R)
			}
		}
	}
}

// ending is a context that ends when it has been asked so many times.
type ending struct {
	context.Context
	left atomic.Int64
	stop context.CancelFunc
}

func endingAfter(t *testing.T, asked int64) *ending {
	e := new(ending)
	e.Context, e.stop = context.WithCancel(t.Context())
	e.left.Store(asked)
	return e
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		e.stop()
	}
	return e.Context.Err()
}

func TestHingeNewtonStops(t *testing.T) {
	d := noisy(4000, 50, 0.2, 6)
	zero := objective(d, &linear.Separator{W: make([]float64, 50)}, 100, nil, "hinge")
	for _, asked := range []int64{0, 1, 9, 60, 300, 1000, 3000, 10000, 30000} {
		recipe := hingeSVM(100, 0) // never converges
		s, alpha, r, err := recipe.FitDual(endingAfter(t, asked), d, nil)
		if err != nil || r.Status != learn.Cancelled {
			t.Fatalf("after %d: %v, %+v", asked, err, r)
		}
		if r.Objective > zero*(1+1e-12) {
			t.Errorf("after %d: %v is worse than w = 0 with %v", asked, r.Objective, zero)
		}
		checkHinge(t, d, recipe, s, alpha, r)
	}
	few := noisy(700, 5, 0.2, 6)
	for asked := int64(5); asked < 3000; asked += 23 {
		recipe := hingeSVM(100, 1e-5)
		s, alpha, r, err := recipe.FitDual(endingAfter(t, asked), few, nil)
		if err != nil {
			t.Fatalf("after %d: %v", asked, err)
		}
		checkHinge(t, few, recipe, s, alpha, r)
	}
	for _, passes := range []int{1, 2, 3, 10} {
		recipe := hingeSVM(100, 1e-12)
		recipe.MaxPasses = passes
		s, alpha, r, err := recipe.FitDual(t.Context(), d, nil)
		if err != nil || r.Status != learn.IterationLimit || r.Iterations > passes+3 || !(r.Gap > 0) {
			t.Errorf("%d passes: %v, %+v", passes, err, r)
		}
		checkHinge(t, d, recipe, s, alpha, r)
	}
	recipe := hingeSVM(1, 1e-3)
	recipe.Run.Memory = 1
	if _, _, err := recipe.Fit(t.Context(), d); err == nil {
		t.Error("no memory: no error")
	}
	recipe.Solver = linear.Auto
	if _, r, err := recipe.Fit(t.Context(), d); err != nil || r.Status != learn.Converged {
		t.Errorf("descent needs no such memory: %v, %+v", err, r)
	}
	recipe.Run = run.Control{}
	if _, r, err := recipe.Fit(t.Context(), d); err != nil || r.Status != learn.Converged {
		t.Errorf("auto: %v, %+v", err, r)
	}
}

func TestHingeNewtonDegenerate(t *testing.T) {
	// Three rows without length cost 3C; ½w² + C·max(0, 1-2w) is least at w = ½.
	zero := data.Slice[data.Vector]{{}, data.Dense(0), {Index: []int32{}}, data.Dense(2)}
	recipe := hingeSVM(0.7, 1e-10)
	recipe.Unit = 0
	s, r, err := recipe.Fit(t.Context(), sample{X: zero, Y: []float64{1, -1, 1, 1}})
	if err != nil || r.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, r)
	}
	near(t, "w", s.W[0], 0.5, 1e-5)
	near(t, "P", r.Objective, 0.125+2.1, 1e-9)

	d := noisy(3000, 4, 0.1, 5)
	same := noisy(3000, 4, 0.1, 5)
	for i := range 3000 { // one row, over and over, with both labels
		copy(same.X.(*data.Matrix).Row(i), same.X.(*data.Matrix).Row(0))
	}
	scaled := noisy(3000, 4, 0.1, 5)
	for i := range 3000 {
		scaled.X.(*data.Matrix).Row(i)[0] *= 1e6
		scaled.X.(*data.Matrix).Row(i)[1] *= 1e-6
	}
	apart := noisy(3000, 4, 0, 5)
	huge := noisy(3000, 4, 0.1, 5)
	for i := range huge.X.(*data.Matrix).Data {
		huge.X.(*data.Matrix).Data[i] *= 1e100
	}
	for name, x := range map[string]sample{"noisy": d, "same": same, "scaled": scaled, "apart": apart, "huge": huge} {
		for _, c := range []float64{1e-12, 1, 1e6, 1e12} {
			recipe := hingeSVM(c, 1e-3)
			recipe.MaxPasses = 200
			_, r, err := recipe.Fit(t.Context(), x)
			if err != nil || r.Objective-r.Objective != 0 || r.Gap-r.Gap != 0 || r.Objective > c*3000*(1+1e-9) {
				t.Errorf("%s, C=%v: %v, %+v", name, c, err, r)
			}
		}
	}
}
