package kernelized_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// targetsOf returns several targets of a sample, a column each.
func targetsOf(d sample, targets int) *data.Matrix {
	y := data.NewMatrix(d.X.Len(), targets)
	for i := range y.Rows {
		for k := range y.Row(i) {
			y.Row(i)[k] = d.Y[i]*float64(k%2) + math.Sin(float64(i*(k+1)))
		}
	}
	return y
}

// apart returns for each target |√c(f - f*)| over |√c·y|.
func apart(t *testing.T, f, exact *kernelized.MultiExpansion[data.Vector], x data.Source[data.Vector], y *data.Matrix,
	weight []float64,
) []float64 {
	t.Helper()
	scores, err := f.ScoresAll(t.Context(), run.Control{}, x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := exact.ScoresAll(t.Context(), run.Control{}, x)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, y.Cols)
	for k := range out {
		off, size := 0.0, 0.0
		for i := range y.Rows {
			c := 1.0
			if weight != nil {
				c = weight[i]
			}
			delta := scores.Row(i)[k] - want.Row(i)[k]
			off += c * delta * delta
			size += c * y.Row(i)[k] * y.Row(i)[k]
		}
		out[k] = math.Sqrt(off / size)
	}
	return out
}

// TestRidgeTolerance: a residual within the tolerance keeps the scores within it of
// the exact ones, and the objective within its square of that at 0. Float32 values
// of K add their own error: off by 2⁻²³ or so each, n of them move scores by less
// than n·2⁻²³·|α| ≤ n·2⁻²³·|y|/μ. Where that is all of |y| nothing is promised.
func TestRidgeTolerance(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.3}
	for _, n := range []int{1, 2, 9, 73, 200, 400} {
		d := waves(n, 3, 5)
		y := targetsOf(d, 3)
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = float64((i + 1) % 3)
		}
		for _, w := range [][]float64{nil, weight} {
			for _, lambda := range []float64{1e-7, 1e-3, 10} {
				for _, p := range []run.Precision{run.Float64, run.Float32} {
					const tolerance = 1e-4
					r := kernelized.NewRidge[data.Vector](k)
					r.Lambda = lambda
					exact, best, err := r.FitOutputs(t.Context(), d.X, y, w)
					if err != nil {
						t.Fatal(err)
					}
					r.Tolerance, r.MaxIterations, r.Run.Precision = tolerance, 300, p
					got, report, err := r.FitOutputs(t.Context(), d.X, y, w)
					if err != nil {
						t.Fatal(err)
					}
					if p == run.Float32 && lambda < 1e-6 {
						continue
					}
					if report.Status != learn.Converged || report.Support != best.Support {
						t.Errorf("n = %d, lambda %v, %v: %+v", n, lambda, p, report)
					}
					rounding := 1e-9
					if p == run.Float32 {
						rounding = float64(n) * 0x1p-23 / (2 * lambda * float64(n) / 2)
					}
					for target, off := range apart(t, got, exact, d.X, y, w) {
						if off > tolerance+rounding {
							t.Errorf("n = %d, lambda %v, %v: scores of target %d are off by %v", n, lambda, p, target, off)
						}
					}
					if p == run.Float64 && !(report.Objective-best.Objective <= report.Gap+1e-12 &&
						report.Objective >= best.Objective-1e-9) {
						t.Errorf("n = %d, lambda %v: objective %v, gap %v, least %v", n, lambda, report.Objective, report.Gap,
							best.Objective)
					}
				}
			}
		}
	}
}

// naiveDescent is conjugate gradients preconditioned by P = C·W⁻¹·Cᵀ + μI, as the
// formula has it, with the residual after each step.
func naiveDescent(g [][]float64, landmarks []int, mu float64, b []float64, steps int) (x, residual []float64) {
	n, r := len(b), len(landmarks)
	inner := make([][]float64, r)
	for a, i := range landmarks {
		inner[a] = make([]float64, r)
		for c, j := range landmarks {
			inner[a][c] = g[i][j]
		}
	}
	p := make([][]float64, n)
	for i := range p {
		row := make([]float64, r)
		for a, j := range landmarks {
			row[a] = g[i][j]
		}
		half := solveDense(inner, row)
		p[i] = make([]float64, n)
		for j := range n {
			for a, l := range landmarks {
				p[i][j] += half[a] * g[j][l]
			}
		}
		p[i][i] += mu
	}
	dot := func(a, b []float64) (s float64) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	x, left := make([]float64, n), append([]float64(nil), b...)
	z := solveDense(p, left)
	direction := append([]float64(nil), z...)
	for range steps {
		w := make([]float64, n)
		for i := range w {
			w[i] = dot(g[i], direction) + mu*direction[i]
		}
		rz := dot(left, z)
		length := rz / dot(direction, w)
		for i := range x {
			x[i] += length * direction[i]
			left[i] -= length * w[i]
		}
		residual = append(residual, math.Sqrt(dot(left, left)))
		z = solveDense(p, left)
		beta := dot(left, z) / rz
		for i := range direction {
			direction[i] = z[i] + beta*direction[i]
		}
	}
	return x, residual
}

// TestRidgeStepsAgainstFormula takes the steps of the naive conjugate gradients.
func TestRidgeStepsAgainstFormula(t *testing.T) {
	const n, rank, steps = 60, 8, 5
	d, k := waves(n, 3, 5), kernel.Gaussian{Gamma: 0.3}
	r := kernelized.NewRidge[data.Vector](k)
	r.Lambda, r.Tolerance, r.Rank, r.MaxIterations, r.Seed = 1e-4, 1e-14, rank, steps, 3
	e, report, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	g := gramOf[data.Vector](k, d.X, d.X)
	landmarks := seed.Choose(n, rank, 3, seed.Landmarks)
	want, left := naiveDescent(g, landmarks, 2*r.Lambda*n, d.Y, steps)
	for i := range want {
		isNear(t, "weight", e.Weight[i], want[i], 1e-7*norm(want))
	}
	isNear(t, "gap", report.Gap, left[steps-1]*left[steps-1]/(2*n), 1e-9*report.Gap+1e-12)
	if report.Status != learn.IterationLimit || report.Iterations != steps {
		t.Errorf("%+v", report)
	}
}

func norm(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a * a
	}
	return math.Sqrt(s)
}

// TestRidgeToleranceBits: the same for any number of workers, kept or recomputed.
func TestRidgeToleranceBits(t *testing.T) {
	d := corners(700, 3, 5)
	for _, p := range []run.Precision{run.Float64, run.Float32} {
		var want *kernelized.MultiExpansion[data.Vector]
		once := int64(0)
		// 1.5 MB hold vectors and preconditioner, and not half of K, twice.
		for _, ctl := range []run.Control{{Workers: 1}, {Workers: 2}, {Workers: 7}, {Memory: 3 << 19}} {
			r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.3})
			r.Tolerance, r.Rank, r.Run = 1e-6, 20, ctl
			r.Run.Precision = p
			got, report, err := r.FitClasses(t.Context(), d, 3)
			if err != nil || report.Status != learn.Converged {
				t.Fatal(err, report)
			}
			if want == nil {
				want, once = got, report.Evaluations
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %+v gives other bits", p, ctl)
			}
			// 700 rows, and landmarks among themselves and against all rows.
			if most := int64(700*701/2 + 20*21/2 + 20*700); once > most {
				t.Errorf("%v: %d evaluations, more than %d", p, once, most)
			}
			if again := report.Evaluations > once; again != (ctl.Memory > 0) {
				t.Errorf("%v, %d bytes: %d evaluations, and %d before", p, ctl.Memory, report.Evaluations, once)
			}
		}
	}
}

// TestRidgeToleranceClasses: two and many classes, labels, and rows that occur often.
func TestRidgeToleranceClasses(t *testing.T) {
	for _, classes := range []int{2, 5} {
		once := corners(90, classes, 3)
		index := []int{}
		for i := range 360 {
			index = append(index, i%90)
		}
		d := data.Labeled[data.Vector, int]{X: data.Subset[data.Vector]{Of: once.X, Index: index}}
		for _, i := range index {
			d.Y = append(d.Y, once.Y[i])
		}
		r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.3})
		r.Lambda = 1e-6
		exact, _, err := r.FitClasses(t.Context(), d, classes)
		if err != nil {
			t.Fatal(err)
		}
		r.Tolerance = 1e-5
		got, report, err := r.FitClasses(t.Context(), d, classes)
		if err != nil || report.Status != learn.Converged {
			t.Fatal(err, report)
		}
		y := data.NewMatrix(len(index), classes)
		for i := range y.Data {
			y.Data[i] = 1
		}
		for class, off := range apart(t, got, exact, d.X, y, nil) {
			if off > 1e-5 {
				t.Errorf("%d classes: scores of class %d are off by %v", classes, class, off)
			}
		}
	}
	d := ring(200)
	r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.3})
	r.Tolerance = 1e-6
	e, report, err := r.Fit(t.Context(), d)
	if err != nil || report.Status != learn.Converged {
		t.Fatal(err, report)
	}
	r.Tolerance = 0
	exact, _, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), exact.Score(d.X.At(i)), 1e-6*math.Sqrt(200))
	}
}

// TestRidgeTolerancePath: each penalty meets the tolerance, from the one before in no
// more steps, and K is computed once.
func TestRidgeTolerancePath(t *testing.T) {
	d := corners(400, 3, 5)
	r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.3})
	r.Tolerance = 1e-4
	path, err := r.ClassPath(d, 3)
	if err != nil {
		t.Fatal(err)
	}
	warm, cold := 0, 0
	for i, lambda := range lambdas {
		_, got, err := path.Next(t.Context(), lambda)
		if err != nil || got.Status != learn.Converged {
			t.Fatal(err, got)
		}
		r.Lambda = lambda
		_, want, err := r.FitClasses(t.Context(), d, 3)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Objective-want.Objective) > got.Gap+want.Gap {
			t.Errorf("lambda %v: objective %v, want %v within %v", lambda, got.Objective, want.Objective, got.Gap+want.Gap)
		}
		if i > 0 && got.Evaluations > 0 {
			t.Errorf("lambda %v: %d further evaluations", lambda, got.Evaluations)
		}
		warm, cold = warm+got.Iterations, cold+want.Iterations
	}
	if warm > cold {
		t.Errorf("the path took %d steps, fits from nothing %d", warm, cold)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m, report, err := path.Next(ended, 1)
	if err != nil || m == nil || report.Status != learn.Cancelled {
		t.Errorf("cancelled: %v, %+v", err, report)
	}
	if _, report, err = path.Next(t.Context(), 1e-3); err != nil || report.Status != learn.Converged {
		t.Errorf("after a cancelled penalty: %v, %+v", err, report)
	}
}

// TestRidgeToleranceStops: when ctx ends after some steps the model is what they
// found, and better than none.
func TestRidgeToleranceStops(t *testing.T) {
	d, k := waves(300, 3, 5), kernel.Gaussian{Gamma: 2}
	for _, after := range []int64{0, 1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		r := kernelized.NewRidge[data.Vector](k)
		r.Lambda, r.Tolerance, r.Rank = 1e-7, 1e-12, 2
		if after == 0 {
			cancel()
		}
		level, steps := 0, false
		r.Run.Progress = run.Progress{
			Start: func(task string, _ int64) {
				level++
				steps = steps || task == "steps"
			},
			Finish: func() { level-- },
			Step: func(done int64) {
				if steps && level == 3 && done == after {
					cancel()
				}
			},
		}
		e, report, err := r.Fit(ctx, d)
		cancel()
		if err != nil || report.Status != learn.Cancelled || int64(report.Iterations) != after || level != 0 {
			t.Fatalf("after %d: %v, %+v", after, err, report)
		}
		if none := len(e.Weight) == 0; none != (after == 0) || none != (report.Support == 0) {
			t.Errorf("after %d steps there are %d weights and %d support", after, len(e.Weight), report.Support)
		}
		if start := norm(d.Y) * norm(d.Y) / 600; after > 0 && !(report.Objective < start) {
			t.Errorf("after %d steps the objective is %v, at 0 %v", after, report.Objective, start)
		}
	}
}

// TestRidgeToleranceOutOfReach: what the precision or a matrix that is not positive
// cannot give ends with the best so far and says so.
func TestRidgeToleranceOutOfReach(t *testing.T) {
	d := waves(200, 3, 5)
	for name, k := range map[string]kernel.Kernel[data.Vector]{
		"no kernel": kernel.Func[data.Vector](func(x, y data.Vector) float64 {
			return math.Tanh(3*kernel.Linear{}.Eval(x, y) - 1)
		}),
		"zero":     kernel.Func[data.Vector](func(x, y data.Vector) float64 { return 0 }),
		"negative": kernel.Func[data.Vector](func(x, y data.Vector) float64 { return -kernel.Linear{}.Eval(x, y) }),
		"one":      kernel.Func[data.Vector](func(x, y data.Vector) float64 { return 1 }),
		"single":   kernel.Gaussian{Gamma: 0.3},
	} {
		r := kernelized.NewRidge[data.Vector](k)
		r.Lambda, r.Tolerance = 1e-9, 1e-15
		if name == "single" {
			r.Run.Precision = run.Float32
		}
		e, report, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wanted := learn.IterationLimit
		if name == "zero" {
			wanted = learn.Converged // the matrix is μI
		}
		if name != "one" && report.Status != wanted {
			t.Errorf("%s: %+v", name, report)
		}
		// The gap is that of the residual, which is no larger than at 0.
		if start := norm(d.Y) * norm(d.Y) / 400; !(report.Gap <= start*(1+1e-12)) || math.IsNaN(report.Objective) {
			t.Errorf("%s: gap %v, at 0 %v", name, report.Gap, start)
		}
		for i, w := range e.Weight {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				t.Fatalf("%s: weight %d is %v", name, i, w)
			}
		}
	}
}

func TestRidgeToleranceFields(t *testing.T) {
	r := kernelized.NewRidge[data.Vector](kernel.Linear{})
	r.Tolerance, r.MaxIterations, r.Rank = 1, 0, -1
	err := r.Validate()
	for _, want := range []string{"tolerance is 1 and must be at least 0 and below 1",
		"max iterations is 0 and must be at least 1", "rank is -1 and must be at least 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	r.Tolerance, r.MaxIterations, r.Rank = 0.1, 1, 0
	_, _, _, err = r.FitLeaveOneOut(t.Context(), waves(9, 2, 1))
	if err == nil || !strings.Contains(err.Error(), "leave") {
		t.Errorf("leave one out with a tolerance: %v", err)
	}
	r.Run.Memory = 1000
	if _, _, err := r.Fit(t.Context(), waves(90, 2, 1)); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("no memory: %v", err)
	}
	zero := waves(20, 2, 1)
	clear(zero.Y)
	r.Run.Memory = 0
	e, report, err := r.Fit(t.Context(), zero)
	if err != nil || report.Status != learn.Converged || len(e.Weight) != 0 || report.Objective != 0 {
		t.Errorf("targets of 0: %v, %+v", err, report)
	}
}
