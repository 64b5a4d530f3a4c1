package linear_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

func TestSVMTwoPoints(t *testing.T) {
	for _, c := range []float64{1e-3, 0.1, 0.5, 1, 3, 1e4} {
		recipe := exact(c, 1e-12)
		recipe.Unit = 0

		// ±a: w = a/|a|² if that needs Σα = 1/|a|² ≤ 2C, else w = 2C·a.
		d := sample{X: data.Slice[data.Vector]{data.Dense(1, 2), data.Dense(-1, -2)}, Y: []float64{1, -1}}
		s, r, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		k := min(0.2, 2*c)
		near(t, fmt.Sprintf("C=%v: w", c), s.W[0], k, 1e-5)
		near(t, fmt.Sprintf("C=%v: P", c), r.Objective, 2.5*k*k+2*c*max(0, 1-5*k), 1e-10)

		// Orthogonal unit vectors: the dual falls apart, α = min(1, C).
		d.X = data.Slice[data.Vector]{data.Dense(1, 0), data.Dense(0, 1)}
		s, r, err = recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		a := min(1, c)
		if s.W[0] != a || s.W[1] != -a || s.Bias != 0 {
			t.Errorf("C=%v: %+v, want ±%v", c, s, a)
		}
		near(t, fmt.Sprintf("C=%v: P", c), r.Objective, a*a+2*c*(1-a), 1e-12)
	}
}

// The optimum lies between the D and the P of both, for the solver and an
// oracle written from the formulas.
func TestSVMOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		c := math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log C"))
		x := noisy(n, d, 0.2, rapid.Uint64().Draw(t, "seed"))
		recipe := exact(c, 1e-6)
		recipe.MaxPasses = 3000
		recipe.Unit = rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "unit")
		s, alpha, r, err := recipe.FitDual(context.Background(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, q := oracle(x, c, recipe.Unit, 2000)
		// Sums of at most 12 terms of size P: rounding is far below 1e-12·P.
		slack := 1e-12 * max(p, r.Objective)
		if r.Gap < 0 || r.Objective < q-slack || r.Objective-r.Gap > p+slack {
			t.Errorf("P=%v gap=%v, oracle P=%v D=%v", r.Objective, r.Gap, p, q)
		}
		if got := primal(x, s, c); math.Abs(got-r.Objective) > slack {
			t.Errorf("P(w) = %v and the report says %v", got, r.Objective)
		}
		if got := r.Objective - dual(x, alpha, recipe.Unit); math.Abs(got-r.Gap) > 10*slack {
			t.Errorf("P - D = %v and the report says %v", got, r.Gap)
		}
		if r.Status == learn.Converged && r.Gap > 1e-6*r.Objective {
			t.Errorf("converged with gap %v of %v", r.Gap, r.Objective)
		}
	})
}

// At the optimum: α = 0 where y·f > 1, α = C where y·f < 1, and w = Σ α·y·x.
func TestSVMOptimality(t *testing.T) {
	for _, n := range sizes {
		d := noisy(n, 5, 0.1, uint64(n))
		recipe := exact(0.1, 1e-10)
		s, alpha, r, err := recipe.FitDual(t.Context(), d, nil)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("n=%d: %v, %+v", n, err, r)
		}
		w := combined(d, alpha, recipe.Unit)
		support := 0
		// |w - w*|² ≤ 2·gap, so that margins are off by |x|·√(2·gap); each gap
		// term α·g or (C-α)·(-g) is at most the gap itself.
		for i, a := range alpha {
			g := d.Y[i]*s.Score(d.X.At(i)) - 1
			if a < 0 || a > recipe.C || max(a*g, (a-recipe.C)*g) > r.Gap*(1+1e-9)+1e-15 {
				t.Errorf("n=%d row %d: α=%v with margin %v", n, i, a, g+1)
			}
			if a > 0 {
				support++
			}
		}
		for j := range w.W {
			if math.Abs(w.W[j]-s.W[j]) > 1e-12 {
				t.Errorf("n=%d: w[%d] = %v and Σ α·y·x = %v", n, j, s.W[j], w.W[j])
			}
		}
		if support != r.Support {
			t.Errorf("n=%d: support %d, report says %d", n, support, r.Support)
		}
	}
}

func TestSVMPenalties(t *testing.T) {
	d := noisy(60, 4, 0.1, 5)
	for _, c := range []float64{1e-3, 1e-2, 1, 1e2, 1e4} {
		recipe := exact(c, 1e-4)
		s, r, err := recipe.Fit(t.Context(), d)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("C=%v: %v, %+v", c, err, r)
		}
		near(t, fmt.Sprintf("C=%v: P", c), primal(d, s, c), r.Objective, 1e-12)
		t.Logf("C=%v: %d passes", c, r.Iterations)
	}
}

func TestSVMSameProblem(t *testing.T) {
	rng := seed.Stream(9, seed.Generator, 1)
	for _, n := range sizes {
		d := noisy(n, 6, 0.1, uint64(n))
		for i := range n { // zeros for the sparse form to leave out
			d.X.(*data.Matrix).Row(i)[i%6] = 0
		}
		recipe := exact(0.5, 1e-6)
		s, r, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		s2, r2, err := recipe.Fit(t.Context(), sparse(d))
		if err != nil {
			t.Fatal(err)
		}
		// Tolerance of 1e-9: sums in another order, the same steps.
		near(t, "dense and sparse: P", r.Objective, r2.Objective, 1e-9)
		for j := range s.W {
			if math.Abs(s.W[j]-s2.W[j]) > 1e-9 {
				t.Errorf("n=%d: w[%d] dense %v, sparse %v", n, j, s.W[j], s2.W[j])
			}
		}
		_, r3, err := recipe.Fit(t.Context(), permuted(d, rng))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "permuted: P", r.Objective, r3.Objective, 1e-6)
		recipe.Seed++
		_, r4, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "another seed: P", r.Objective, r4.Objective, 1e-6)
	}
}

func TestSVMDegenerateRows(t *testing.T) {
	d := noisy(33, 3, 0.1, 2)
	recipe := exact(0.7, 1e-8)
	fit := func(d sample) learn.Report {
		t.Helper()
		_, r, err := recipe.Fit(t.Context(), d)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("%v, %+v", err, r)
		}
		return r
	}
	rows := make(data.Slice[data.Vector], 33)
	for i := range rows {
		rows[i] = d.X.At(i)
	}
	with := func(y float64, more ...data.Vector) sample {
		s := sample{X: append(rows[:33:33], more...), Y: append([]float64{}, d.Y...)}
		for range more {
			s.Y = append(s.Y, y)
		}
		return s
	}

	recipe.Unit = 0
	plain := fit(d)
	zeros := fit(with(-1, data.Dense(0, 0, 0), data.Vector{Index: []int32{}}, data.Dense()))
	near(t, "three zero rows cost 3C", zeros.Objective, plain.Objective+3*0.7, 1e-7)
	if _, r, err := recipe.Fit(t.Context(),
		sample{X: data.Slice[data.Vector]{{}, {}}, Y: []float64{1, -1}}); err != nil || r.Objective != 1.4 || r.Gap != 0 ||
		r.Status != learn.Converged {
		t.Errorf("nothing but zero rows: %+v, %v", r, err)
	}

	recipe.Unit = 1
	plain = fit(d)
	double := fit(sample{X: append(rows[:33:33], rows...), Y: append(append([]float64{}, d.Y...), d.Y...)})
	recipe.C = 1.4
	heavy := fit(d)
	near(t, "each row twice is twice the C", double.Objective, heavy.Objective, 1e-7)
	recipe.C = 0.7

	// A constant feature is a second constant coordinate: as one of √2.
	constant := data.NewMatrix(33, 4)
	for i := range 33 {
		rows[i].CopyTo(constant.Row(i))
		constant.Row(i)[3] = 1
	}
	two := fit(sample{X: constant, Y: d.Y})
	recipe.Unit = math.Sqrt2
	near(t, "a constant feature", two.Objective, fit(d).Objective, 1e-7)
	if two.Objective >= plain.Objective {
		t.Errorf("a cheaper bias costs more: %v and %v", two.Objective, plain.Objective)
	}
}

func TestSVMWorkers(t *testing.T) {
	d := noisy(3000, 20, 0.1, 4)
	var first *linear.Separator
	var want learn.Report
	for _, workers := range []int{1, 2, 3, 7} {
		recipe := linear.NewSVM()
		recipe.C, recipe.Run.Workers = 0.01, workers
		s, r, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		if first == nil {
			first, want = s, r
		}
		if !reflect.DeepEqual(s, first) || r != want {
			t.Errorf("%d workers: %+v, one worker: %+v", workers, r, want)
		}
	}
}

func TestSVMStops(t *testing.T) {
	d := noisy(4000, 100, 0.2, 6)
	recipe := exact(100, 1e-12) // would take very long
	recipe.Solver = linear.Descent
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	recipe.Run.Progress = run.Progress{Step: func(done int64) {
		if done == 3 {
			at = time.Now()
			cancel()
		}
	}}
	s, r, err := recipe.Fit(ctx, d)
	if err != nil || r.Status != learn.Cancelled || r.Iterations != 3 {
		t.Fatalf("%v, %+v", err, r)
	}
	if late := time.Since(at); late > 500*time.Millisecond { // 100 ms, and room for a busy machine
		t.Errorf("stopped after %v", late)
	}
	near(t, "P", primal(d, s, recipe.C), r.Objective, 1e-9)
	if !(r.Gap > 0 && r.Objective < recipe.C*4000) {
		t.Errorf("best so far: %+v", r)
	}

	s, r, err = recipe.Fit(ctx, d)
	if err != nil || r.Status != learn.Cancelled || r.Iterations != 0 || len(s.W) != 100 ||
		r.Objective != primal(d, s, recipe.C) {
		t.Errorf("cancelled before: %v, %+v", err, r)
	}
	timeout, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, r, err = recipe.Fit(timeout, d); err != nil || r.Status != learn.TimeLimit {
		t.Errorf("deadline: %v, %+v", err, r)
	}
	recipe.MaxPasses = 2
	if _, r, err = recipe.Fit(t.Context(), d); err != nil || r.Status != learn.IterationLimit || r.Iterations != 2 ||
		!(r.Gap > 0) {
		t.Errorf("two passes: %v, %+v", err, r)
	}
}

func TestSVMFaults(t *testing.T) {
	err := linear.SVM{C: math.NaN(), Tolerance: -1, MaxPasses: 0, Unit: math.Inf(1)}.Validate()
	for _, want := range []string{"C is NaN", "tolerance is -1", "max passes is 0", "unit is +Inf"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("fault %q is not in: %v", want, err)
		}
	}
	if err := linear.NewSVM().Validate(); err != nil {
		t.Error(err)
	}
	fit := func(y []float64, x ...data.Vector) error {
		_, _, err := linear.NewSVM().Fit(t.Context(), sample{X: data.Slice[data.Vector](x), Y: y})
		return err
	}
	if err := fit(nil); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	if err := fit([]float64{1}, data.Dense(1)); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one row: %v", err)
	}
	for _, bad := range []data.Vector{data.Dense(0, math.NaN()), data.Dense(math.Inf(-1)), data.Dense(1e200),
		{Index: []int32{7}, Value: []float64{math.Inf(1)}}} {
		var e *learn.DataError
		if err := fit([]float64{1, -1, 1, 1}, data.Dense(1), data.Dense(2), bad, bad); !errors.As(err, &e) || e.Row != 2 {
			t.Errorf("row %v: %v", bad, err)
		}
	}
	if _, _, _, err := linear.NewSVM().FitDual(t.Context(), noisy(8, 2, 0, 1), make([]float64, 7)); err == nil {
		t.Error("dual start of another length: no error")
	}
}

func TestSVMWarmStart(t *testing.T) {
	d := noisy(513, 6, 0.1, 8)
	recipe := exact(1, 1e-6)
	_, alpha, cold, err := recipe.FitDual(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _, warm, err := recipe.FitDual(t.Context(), d, alpha)
	if err != nil || warm.Status != learn.Converged || warm.Iterations > 3 || warm.Iterations >= cold.Iterations {
		t.Errorf("from the optimum: %v, %+v after %+v", err, warm, cold)
	}
	near(t, "P", primal(d, s, 1), cold.Objective, 1e-6)

	// Whatever stands in the start is brought into the box.
	alpha[0], alpha[1], alpha[2] = -5, math.NaN(), math.Inf(1)
	if _, _, r, err := recipe.FitDual(t.Context(), d, alpha); err != nil || r.Status != learn.Converged {
		t.Errorf("from a bad start: %v, %+v", err, r)
	}

	cs := []float64{0.01, 0.1, 1, 0.05}
	path, err := recipe.Path(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	_, reports := kerftest.Path(t, path, cs...)
	for i, c := range cs {
		recipe.C = c
		_, r, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("path at C=%v", c), reports[i].Objective, r.Objective, 1e-6)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, r, err := path.Next(ctx, 10); err != nil || r.Status != learn.Cancelled {
		t.Errorf("cancelled on the path: %v, %+v", err, r)
	}
	if _, err := recipe.Path(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled path: %v", err)
	}
}
