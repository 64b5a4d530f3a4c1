package linear_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

var (
	_ learn.Learner[data.Vector, float64, *linear.Separator]                        = linear.Logistic{}
	_ learn.Learner[data.Vector, float64, *linear.Separator]                        = linear.HardMargin{}
	_ learn.Learner[data.Vector, int, *learn.Multi[data.Vector, *linear.Separator]] = linear.Softmax{}
)

// losses by name, of the margin.
var losses = map[string]func(m float64) float64{
	"hinge":    func(m float64) float64 { return max(0, 1-m) },
	"squared":  func(m float64) float64 { return max(0, 1-m) * max(0, 1-m) },
	"logistic": func(m float64) float64 { return max(0, -m) + math.Log1p(math.Exp(-math.Abs(m))) },
}

// objective is ½|w|² + C·Σ c·ℓ from its formula.
func objective(d sample, s *linear.Separator, c float64, weight []float64, loss string) float64 {
	sum := s.Bias * s.Bias / 2
	for _, a := range s.W {
		sum += a * a / 2
	}
	for i, y := range d.Y {
		penalty := c
		if weight != nil {
			penalty *= weight[i]
		}
		sum += penalty * losses[loss](y*s.Score(d.X.At(i)))
	}
	return sum
}

// squaredDual is D(α) of the squared hinge loss from its formula.
func squaredDual(d sample, alpha []float64, unit, c float64, weight []float64) float64 {
	value := dual(d, alpha, unit)
	for i, a := range alpha {
		penalty := c
		if weight != nil {
			penalty *= weight[i]
		}
		if penalty > 0 {
			value -= a * a / (4 * penalty)
		}
	}
	return value
}

// slowest lowers the objective by gradient descent with halved steps, the
// gradient from differences of the formula's own derivative.
func slowest(d sample, c, unit float64, loss string, steps int) float64 {
	slope := map[string]func(m float64) float64{
		"squared":  func(m float64) float64 { return -2 * max(0, 1-m) },
		"logistic": func(m float64) float64 { return -1 / (1 + math.Exp(m)) },
	}[loss]
	s := &linear.Separator{W: make([]float64, data.Dim(d.X)), Unit: unit}
	value, length := objective(d, s, c, nil, loss), 1.0
	for range steps {
		g := &linear.Separator{W: append([]float64{}, s.W...), Bias: s.Bias}
		for i, y := range d.Y {
			a := c * y * slope(y*s.Score(d.X.At(i)))
			d.X.At(i).AddTo(g.W, a)
			g.Bias += a * unit
		}
		for length *= 2; length > 1e-12; length /= 2 {
			try := &linear.Separator{W: append([]float64{}, s.W...), Bias: s.Bias - length*g.Bias, Unit: unit}
			for j := range try.W {
				try.W[j] -= length * g.W[j]
			}
			if v := objective(d, try, c, nil, loss); v < value {
				s, value = try, v
				break
			}
		}
	}
	return value
}

// squaredSVM returns a machine with the squared hinge loss.
func squaredSVM(c, tolerance float64, solver linear.Solver) linear.SVM {
	s := exact(c, tolerance)
	s.Loss, s.Solver = linear.SquaredHinge, solver
	return s
}

func TestSquaredHingeOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		c := math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log C"))
		d := noisy(n, dim, 0.2, rapid.Uint64().Draw(t, "seed"))
		solver := rapid.SampledFrom([]linear.Solver{linear.Newton, linear.Descent}).Draw(t, "solver")
		recipe := squaredSVM(c, 1e-8, solver)
		recipe.Unit = rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "unit")
		s, alpha, r, err := recipe.FitDual(context.Background(), d, nil)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("%v, %+v", err, r)
		}
		best := slowest(d, c, recipe.Unit, "squared", 300)
		// The oracle is above the optimum, the solver at most 1e-8 above it.
		if r.Objective > best*(1+1e-7) {
			t.Errorf("P=%v, the oracle has %v", r.Objective, best)
		}
		p, q := objective(d, s, c, nil, "squared"), squaredDual(d, alpha, recipe.Unit, c, nil)
		if math.Abs(p-r.Objective) > 1e-11*p {
			t.Errorf("P(w) = %v and the report says %v", p, r.Objective)
		}
		if got := p - q; math.Abs(got-r.Gap) > 1e-10*p || q > p*(1+1e-12) {
			t.Errorf("P - D = %v and the report says %v", got, r.Gap)
		}
	})
}

func TestLogisticOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		l := linear.NewLogistic()
		l.C = math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log C"))
		l.Tolerance = 1e-10
		l.Unit = rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "unit")
		d := noisy(n, dim, 0.2, rapid.Uint64().Draw(t, "seed"))
		s, r, err := l.Fit(context.Background(), d)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("%v, %+v", err, r)
		}
		if best := slowest(d, l.C, l.Unit, "logistic", 200); r.Objective > best*(1+1e-9) {
			t.Errorf("P=%v, the oracle has %v", r.Objective, best)
		}
		if p := objective(d, s, l.C, nil, "logistic"); math.Abs(p-r.Objective) > 1e-11*p {
			t.Errorf("P(w) = %v and the report says %v", p, r.Objective)
		}
		if math.Abs(r.Gap-r.Gradient*r.Gradient/2) > 1e-12*r.Gap {
			t.Errorf("gap %v with a gradient of %v", r.Gap, r.Gradient)
		}
	})
}

// Both solvers, dense and sparse, agree across sizes and penalties, also where
// the start is a part of the rows (the larger sizes).
func TestSolversAgree(t *testing.T) {
	for _, n := range append(sizes, 3000) {
		for _, c := range []float64{1e-2, 1, 100} {
			d := noisy(n, 6, 0.1, uint64(n))
			want := math.NaN()
			for _, x := range []sample{d, sparse(d)} {
				for _, solver := range []linear.Solver{linear.Newton, linear.Descent, linear.Auto} {
					if c > 1 && solver == linear.Descent {
						continue // takes very many passes to so small a gap
					}
					_, r, err := squaredSVM(c, 1e-9, solver).Fit(t.Context(), x)
					if err != nil || r.Status != learn.Converged {
						t.Fatalf("n=%d C=%v %v: %v, %+v", n, c, solver, err, r)
					}
					if want != want {
						want = r.Objective
					}
					near(t, fmt.Sprintf("n=%d C=%v %v", n, c, solver), r.Objective, want, 2e-9)
				}
			}
		}
	}
}

func TestHingeByNewton(t *testing.T) {
	for _, n := range []int{9, 65, 513, 3000} {
		for _, c := range []float64{0.01, 1} {
			d := noisy(n, 5, 0.1, uint64(n))
			_, want, err := exact(c, 1e-5).Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			recipe := exact(c, 1e-4)
			recipe.Solver = linear.Newton
			s, alpha, r, err := recipe.FitDual(t.Context(), d, nil)
			if err != nil || r.Status != learn.Converged {
				t.Fatalf("n=%d C=%v: %v, %+v", n, c, err, r)
			}
			near(t, fmt.Sprintf("n=%d C=%v", n, c), r.Objective, want.Objective, 2e-4)
			p, q := primal(d, s, c), dual(d, alpha, recipe.Unit)
			near(t, "P", p, r.Objective, 1e-12)
			if math.Abs(p-q-r.Gap) > 1e-10*p {
				t.Errorf("P - D = %v and the report says %v", p-q, r.Gap)
			}
		}
	}
}

// Rows of weight k are rows that stand there k times.
func TestWeights(t *testing.T) {
	d := noisy(65, 4, 0.1, 3)
	rng := seed.Stream(5, seed.Generator, 0)
	weight := make([]float64, 65)
	var index []int
	for i := range weight {
		weight[i] = float64(rng.IntN(4))
		for range int(weight[i]) {
			index = append(index, i)
		}
	}
	repeated := d.Select(index)
	const tight = 1e-11
	for _, c := range []float64{0.01, 0.5} {
		hinge := exact(c, tight)
		for name, fit := range map[string]func(x sample) (*linear.Separator, learn.Report, error){
			"hinge": func(x sample) (*linear.Separator, learn.Report, error) {
				s := hinge
				return s.Fit(t.Context(), x)
			},
			"squared": func(x sample) (*linear.Separator, learn.Report, error) {
				s := squaredSVM(c, tight, linear.Newton)
				return s.Fit(t.Context(), x)
			},
			"squared by descent": func(x sample) (*linear.Separator, learn.Report, error) {
				s := squaredSVM(c, tight, linear.Descent)
				return s.Fit(t.Context(), x)
			},
			"logistic": func(x sample) (*linear.Separator, learn.Report, error) {
				l := linear.NewLogistic()
				l.C, l.Tolerance = c, tight
				return l.Fit(t.Context(), x)
			},
		} {
			s, a, err := fit(sample{X: d.X, Y: d.Y, Weight: weight})
			if err != nil || a.Status != learn.Converged {
				t.Fatalf("%s: %v, %+v", name, err, a)
			}
			_, b, err := fit(repeated)
			if err != nil || b.Status != learn.Converged {
				t.Fatalf("%s repeated: %v, %+v", name, err, b)
			}
			near(t, name, a.Objective, b.Objective, 1e-9)
			kind, _, _ := strings.Cut(name, " ")
			near(t, name+" by the formula", objective(d, s, c, weight, kind), a.Objective, 1e-11)
		}
	}
	bad := linear.NewSVM()
	if _, _, err := bad.Fit(t.Context(), sample{X: d.X, Y: d.Y, Weight: make([]float64, 64)}); err == nil ||
		!strings.Contains(err.Error(), "64 weights for 65 rows") {
		t.Errorf("too few weights: %v", err)
	}
}

func TestSquaredHingeDegenerate(t *testing.T) {
	zero := data.Slice[data.Vector]{{}, data.Dense(0), {Index: []int32{}}, data.Dense(2)}
	for _, solver := range []linear.Solver{linear.Newton, linear.Descent} {
		recipe := squaredSVM(0.7, 1e-10, solver)
		recipe.Unit = 0
		// Three rows without length cost 3C; ½w² + C·max(0, 1-2w)² is least at w = 4C/(1+8C).
		s, r, err := recipe.Fit(t.Context(), sample{X: zero, Y: []float64{1, -1, 1, 1}})
		w := 2.8 / 6.6
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("%v: %v, %+v", solver, err, r)
		}
		near(t, solver.String()+": w", s.W[0], w, 1e-5)
		near(t, solver.String()+": P", r.Objective, w*w/2+0.7*(1-2*w)*(1-2*w)+2.1, 1e-9)
	}
	// Very large and very small penalties end all the same.
	d := noisy(65, 4, 0.1, 5)
	for _, c := range []float64{1e-12, 1e6, 1e12} {
		_, r, err := squaredSVM(c, 1e-6, linear.Newton).Fit(t.Context(), d)
		if err != nil || r.Objective-r.Objective != 0 || r.Gap-r.Gap != 0 {
			t.Errorf("C=%v: %v, %+v", c, err, r)
		}
		l := linear.NewLogistic()
		l.C = c
		if _, r, err = l.Fit(t.Context(), d); err != nil || r.Objective-r.Objective != 0 || r.Gap-r.Gap != 0 {
			t.Errorf("logistic C=%v: %v, %+v", c, err, r)
		}
	}
}

// Coordinates of 1e6 and 1e-6 side by side, and scores that overflow exp.
func TestLogisticScales(t *testing.T) {
	d := noisy(200, 3, 0, 2)
	for i := range 200 {
		d.X.(*data.Matrix).Row(i)[0] *= 1e6
		d.X.(*data.Matrix).Row(i)[1] *= 1e-6
	}
	l := linear.NewLogistic()
	s, r, err := l.Fit(t.Context(), d)
	if err != nil || r.Objective-r.Objective != 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	near(t, "P", objective(d, s, 1, nil, "logistic"), r.Objective, 1e-9)
	for score, want := range map[float64]float64{0: 0.5, 1e4: 1, -1e4: 0, math.Inf(1): 1, math.Inf(-1): 0} {
		if got := linear.Probability(score); got != want {
			t.Errorf("probability of %v is %v", score, got)
		}
	}
}

func TestNewtonWorkers(t *testing.T) {
	d := noisy(3000, 20, 0.1, 4)
	classes := make([]int, 3000)
	for i := range classes {
		classes[i] = i % 3
		if d.Y[i] > 0 {
			classes[i] = 2
		}
	}
	type result struct {
		S, L *linear.Separator
		M, F *learn.Multi[data.Vector, *linear.Separator]
		H    *linear.Separator
		R    [5]learn.Report
	}
	var first result
	for _, workers := range []int{1, 2, 3} {
		ctl := run.Control{Workers: workers}
		var got result
		var err [5]error
		svm := squaredSVM(0.1, 1e-6, linear.Newton)
		svm.Run = ctl
		got.S, got.R[0], err[0] = svm.Fit(t.Context(), d)
		got.M, got.R[1], err[1] = svm.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: classes}, 3)
		l := linear.NewLogistic()
		l.Run = ctl
		got.L, got.R[2], err[2] = l.Fit(t.Context(), sparse(d))
		f := linear.NewSoftmax(3)
		f.Run = ctl
		got.F, got.R[3], err[3] = f.Fit(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: classes})
		h := linear.NewHardMargin()
		h.Run = ctl
		got.H, got.R[4], err[4] = h.Fit(t.Context(), noisy(600, 5, 0, 3))
		for i, e := range err {
			if e != nil {
				t.Fatal(i, e)
			}
			got.R[i].Elapsed = 0
		}
		if workers == 1 {
			first = got
			continue
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%d workers give another result: %+v, one: %+v", workers, got.R, first.R)
		}
	}
}

func TestNewtonStops(t *testing.T) {
	d := noisy(4000, 50, 0.2, 6)
	for _, when := range []int64{0, 1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		recipe := squaredSVM(100, 0, linear.Newton) // never converges
		recipe.Run.Progress = run.Progress{Step: func(done int64) {
			if done >= when {
				cancel()
			}
		}}
		if when == 0 {
			cancel()
		}
		s, r, err := recipe.Fit(ctx, d)
		if err != nil || r.Status != learn.Cancelled {
			t.Fatalf("%v, %+v", err, r)
		}
		near(t, "P", objective(d, s, 100, nil, "squared"), r.Objective, 1e-9)
		m, r, err := linear.NewSoftmax(2).Fit(ctx, data.Labeled[data.Vector, int]{X: d.X, Y: ofSign(d.Y)})
		if err != nil || r.Status != learn.Cancelled || m == nil {
			t.Errorf("softmax: %v, %+v", err, r)
		}
		cancel()
	}
	recipe := squaredSVM(100, 1e-12, linear.Newton)
	recipe.MaxPasses = 3
	if _, r, err := recipe.Fit(t.Context(), d); err != nil || r.Status != learn.IterationLimit || r.Iterations > 6 ||
		!(r.Gap > 0) {
		t.Errorf("three passes: %v, %+v", err, r)
	}
	recipe = squaredSVM(100, 0, linear.Newton)
	if _, r, err := recipe.Fit(t.Context(), d); err != nil || r.Status != learn.IterationLimit ||
		r.Gap > 1e-9*r.Objective {
		t.Errorf("tolerance 0: %v, %+v", err, r)
	}
	recipe.Run.Memory = 1
	if _, _, err := recipe.Fit(t.Context(), d); err == nil {
		t.Error("no memory: no error")
	}
}

// ofSign returns class 1 for +1 and 0 for -1.
func ofSign(y []float64) []int {
	c := make([]int, len(y))
	for i, a := range y {
		if a > 0 {
			c[i] = 1
		}
	}
	return c
}

func TestNewtonPath(t *testing.T) {
	d := noisy(700, 8, 0.1, 8)
	cs := []float64{0.01, 0.1, 1, 100, 0.05}
	recipe := squaredSVM(1, 1e-8, linear.Newton)
	path, err := recipe.Path(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	_, reports := kerftest.Path(t, path, cs...)
	for i, c := range cs {
		recipe.C = c
		_, alpha, r, err := recipe.FitDual(t.Context(), d, nil)
		if err != nil || reports[i].Status != learn.Converged {
			t.Fatalf("C=%v: %v, %+v", c, err, reports[i])
		}
		near(t, fmt.Sprintf("path at C=%v", c), reports[i].Objective, r.Objective, 2e-8)
		if _, _, warm, err := recipe.FitDual(t.Context(), d, alpha); err != nil || warm.Iterations > r.Iterations {
			t.Errorf("from the optimum: %v, %+v after %+v", err, warm, r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, r, err := path.Next(ctx, 10); err != nil || r.Status != learn.Cancelled {
		t.Errorf("cancelled on the path: %v, %+v", err, r)
	}
}

func TestSquaredHingeWarmDescent(t *testing.T) {
	d := noisy(513, 6, 0.1, 8)
	recipe := squaredSVM(1, 1e-6, linear.Descent)
	_, alpha, cold, err := recipe.FitDual(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	alpha[0], alpha[1], alpha[2] = -5, math.NaN(), math.Inf(1)
	_, _, warm, err := recipe.FitDual(t.Context(), d, alpha)
	if err != nil || warm.Status != learn.Converged {
		t.Errorf("%v, %+v after %+v", err, warm, cold)
	}
	recipe.Solver = linear.Newton
	if _, _, r, err := recipe.FitDual(t.Context(), d, alpha); err != nil || r.Status != learn.Converged {
		t.Errorf("newton: %v, %+v", err, r)
	}
}

// The compact rows of large sparse samples change nothing but the order.
func TestPackedRows(t *testing.T) {
	d := sparse(noisy(2100, 70, 0.1, 9))
	weight := make([]float64, 2100)
	for i := range weight {
		weight[i] = float64(i%3) / 2
	}
	for _, round := range []bool{false, true} { // values that are float32, and that are not
		if round {
			for i, v := range d.X.(*data.CSR).Value {
				d.X.(*data.CSR).Value[i] = float64(float32(v))
			}
		}
		d.Weight = weight
		plain := sample{X: data.Slice[data.Vector]{}, Y: d.Y, Weight: weight}
		for i := range d.Y {
			x := make([]float64, 70)
			d.X.At(i).CopyTo(x)
			plain.X = append(plain.X.(data.Slice[data.Vector]), data.Dense(x...))
		}
		for _, loss := range []linear.Loss{linear.Hinge, linear.SquaredHinge} {
			recipe := exact(0.1, 1e-7)
			recipe.Loss, recipe.Solver = loss, linear.Descent
			s, alpha, r, err := recipe.FitDual(t.Context(), d, nil)
			if err != nil || r.Status != learn.Converged {
				t.Fatalf("%v, %+v", err, r)
			}
			_, want, err := recipe.Fit(t.Context(), plain)
			if err != nil {
				t.Fatal(err)
			}
			near(t, loss.String(), r.Objective, want.Objective, 2e-7)
			w := combined(d, alpha, 1)
			for j, a := range w.W {
				if math.Abs(a-s.W[j]) > 1e-9 {
					t.Fatalf("%v: w[%d] = %v and Σ α·y·x = %v", loss, j, s.W[j], a)
				}
			}
			if _, _, again, err := recipe.FitDual(t.Context(), d, alpha); err != nil || again.Iterations > 5 {
				t.Errorf("from the optimum: %v, %+v", err, again)
			}
			path, err := recipe.Path(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			_, reports := kerftest.Path(t, path, 0.01, 0.1)
			near(t, "path", reports[1].Objective, want.Objective, 2e-7)
		}
	}
}

// More coordinates than rows: the Hessian's diagonal stands in for it.
func TestLogisticWide(t *testing.T) {
	rng := seed.Stream(9, seed.Generator, 2)
	m, y := &data.CSR{Ptr: []int{0}}, make([]float64, 400)
	for i := range y {
		var index []int32
		var value []float64
		for j := int32(rng.IntN(50)); j < 6000; j += 1 + int32(rng.IntN(600)) {
			index, value = append(index, j), append(value, rng.NormFloat64())
		}
		m.Append(index, value)
		y[i] = float64(2*rng.IntN(2) - 1)
	}
	d := sample{X: m, Y: y}
	l := linear.NewLogistic()
	l.Tolerance = 1e-8
	s, r, err := l.Fit(t.Context(), d)
	if err != nil || r.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, r)
	}
	near(t, "P", objective(d, s, 1, nil, "logistic"), r.Objective, 1e-10)
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		loss      linear.Loss
		rows, dim int
		stored    int64
		want      linear.Solver
	}{
		{linear.SquaredHinge, 60000, 2000, 120e6, linear.Newton},
		{linear.SquaredHinge, 32561, 123, 451592, linear.Newton},
		{linear.SquaredHinge, 100000, 50000, 5e6, linear.Descent},
		{linear.SquaredHinge, 100, 2000, 200000, linear.Descent},
		{linear.SquaredHinge, 100000, 2000, 1e6, linear.Descent},
		{linear.Hinge, 60000, 2000, 120e6, linear.Newton},
		{linear.Hinge, 10000, 2000, 20e6, linear.Descent},
		{linear.Hinge, 100000, 50000, 5e6, linear.Descent},
		{linear.Hinge, 100000, 2000, 1e6, linear.Descent},
		{linear.SquaredHinge, 2, 0, 0, linear.Newton},
	} {
		if got := linear.Pick(c.loss, c.rows, c.dim, c.stored); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	bad := linear.NewSVM()
	bad.Loss, bad.Solver = 7, 9
	if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "loss is 7") ||
		!strings.Contains(err.Error(), "solver is 9") {
		t.Errorf("faults: %v", err)
	}
}
