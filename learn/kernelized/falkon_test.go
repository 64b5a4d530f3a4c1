package kernelized_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

var (
	_ learn.Learner[data.Vector, float64, *kernelized.Regression[data.Vector]] = kernelized.Falkon[data.Vector]{}
	_ learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]]  = kernelized.FalkonClassifier[data.Vector]{}
)

// tight returns the recipe for a solution to rounding.
func tight(landmarks int) kernelized.Falkon[data.Vector] {
	f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: 0.3})
	f.Lambda, f.Landmarks, f.Tolerance, f.MaxIterations = 1e-3, landmarks, 1e-12, 300
	return f
}

func fitFalkon(
	t *testing.T, f kernelized.Falkon[data.Vector], d sample,
) (*kernelized.Regression[data.Vector], learn.Report) {
	t.Helper()
	e, report, err := f.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return e, report
}

// The normal equations of w in the span of the landmarks, by elimination.
func TestFalkonAgainstNormalEquations(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {9, 3}, {65, 8}, {300, 33}, {1100, 9}} {
		n, m := size[0], size[1]
		d := waves(n, 4, 20)
		f := tight(m)
		e, report := fitFalkon(t, f, d)
		if e.Support.Len() != m || report.Status != learn.Converged {
			t.Fatalf("%d landmarks, %+v", e.Support.Len(), report)
		}
		knm, kmm := gramOf(f.Kernel, d.X, e.Support), gramOf(f.Kernel, e.Support, e.Support)
		a, b := make([][]float64, m), make([]float64, m)
		for j := range a {
			a[j] = make([]float64, m)
			for l := range a {
				a[j][l] = 2 * f.Lambda * kmm[j][l]
				for i := range n {
					a[j][l] += knm[i][j] * knm[i][l] / float64(n)
				}
			}
			for i := range n {
				b[j] += knm[i][j] * d.Y[i] / float64(n)
			}
		}
		want := solveDense(a, b)
		norm, loss := 0.0, 0.0
		for i := range n {
			score := 0.0
			for j := range m {
				score += knm[i][j] * want[j]
			}
			isNear(t, "score", e.Score(d.X.At(i)), score, 1e-7)
			loss += (score - d.Y[i]) * (score - d.Y[i]) / float64(2*n)
		}
		for j := range m {
			for l := range m {
				norm += want[j] * kmm[j][l] * want[l]
			}
		}
		isNear(t, "objective", report.Objective, f.Lambda*norm+loss, 1e-8)
	}
}

// With all instances for landmarks it is Ridge.
func TestFalkonIsRidge(t *testing.T) {
	d := waves(150, 3, 21)
	f := tight(150)
	e, report := fitFalkon(t, f, d)
	r := kernelized.NewRidge(f.Kernel)
	r.Lambda = f.Lambda
	exact, exactReport, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), exact.Score(d.X.At(i)), 1e-7)
	}
	isNear(t, "objective", report.Objective, exactReport.Objective, 1e-8)
}

func TestFalkonWeightsAreRepetitions(t *testing.T) {
	d := waves(80, 2, 22)
	weight, index := repeated(80)
	f := tight(0)
	f.Centers = data.Range[data.Vector]{Of: d.X, Lo: 0, Hi: 12}
	again, againReport := fitFalkon(t, f, d.Select(index))
	d.Weight = weight
	e, report := fitFalkon(t, f, d)
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), again.Score(d.X.At(i)), 1e-8)
	}
	isNear(t, "objective", report.Objective, againReport.Objective, 1e-10)
}

// Landmarks that come twice, and vectors that are all the same, are no trouble.
func TestFalkonDependentLandmarks(t *testing.T) {
	d := waves(200, 3, 23)
	f := tight(0)
	f.Tolerance = 1e-8
	f.Centers = data.Range[data.Vector]{Of: d.X, Lo: 0, Hi: 20}
	once, _ := fitFalkon(t, f, d)
	twice := make([]int, 40)
	for i := range twice {
		twice[i] = i % 20
	}
	f.Centers = data.Subset[data.Vector]{Of: d.X, Index: twice}
	for _, p := range []run.Precision{run.Float64, run.Float32} {
		f.Run.Precision = p
		e, _ := fitFalkon(t, f, d)
		tolerance := 1e-5
		if p == run.Float32 {
			tolerance = 1e-3
		}
		for i := range d.Y {
			isNear(t, "score", e.Score(d.X.At(i)), once.Score(d.X.At(i)), tolerance)
		}
	}
	f.Centers = data.Subset[data.Vector]{Of: d.X, Index: make([]int, 40)}
	fitFalkon(t, f, d)
	zero := f
	zero.Kernel = kernel.Func[data.Vector](func(x, y data.Vector) float64 { return 0 })
	if e, report := fitFalkon(t, zero, d); e.Predict(d.X.At(0)) != 0 || report.Status != learn.Converged {
		t.Errorf("a kernel of zeros: %+v", report)
	}
}

func TestFalkonPrecision(t *testing.T) {
	d := waves(3000, 5, 24)
	f := tight(100)
	f.Lambda, f.MaxIterations = 1e-5, 40
	double, doubleReport := fitFalkon(t, f, d)
	f.Run.Precision = run.Float32
	single, singleReport := fitFalkon(t, f, d)
	isNear(t, "objective", singleReport.Objective, doubleReport.Objective, 1e-5)
	// An objective within 1e-5 of the least has scores whose mean square
	// difference to the best ones is within 2e-5.
	sum := 0.0
	for i := range d.Y {
		diff := single.Score(d.X.At(i)) - double.Score(d.X.At(i))
		sum += diff * diff
	}
	isNear(t, "mean square difference", sum/float64(len(d.Y)), 0, 2e-5)
}

func TestFalkonStart(t *testing.T) {
	d := waves(400, 3, 25)
	f := tight(30)
	f.Tolerance = 1e-6
	e, cold := fitFalkon(t, f, d)
	f.Start = e.Weight
	again, warm := fitFalkon(t, f, d)
	if warm.Iterations > 1 || cold.Iterations < 4 {
		t.Errorf("%d steps from the solution, %d from 0", warm.Iterations, cold.Iterations)
	}
	isNear(t, "score", again.Score(d.X.At(0)), e.Score(d.X.At(0)), 1e-4)
	isNear(t, "objective", warm.Objective, cold.Objective, 1e-9)
}

func TestFalkonPath(t *testing.T) {
	d := waves(400, 3, 26)
	f := tight(30)
	f.Tolerance = 1e-9
	lambdas := []float64{1e-2, 8e-3, 6e-3, 1e-4}
	path, err := f.Path(d, slices.Min(lambdas))
	if err != nil {
		t.Fatal(err)
	}
	models, reports := kerftest.Path(t, path, lambdas...)
	for k, lambda := range lambdas {
		f.Lambda = lambda
		e, report := fitFalkon(t, f, d)
		isNear(t, "objective", reports[k].Objective, report.Objective, 1e-10)
		for i := range d.Y {
			isNear(t, "score", models[k].Score(d.X.At(i)), e.Score(d.X.At(i)), 1e-6)
		}
		if near := k == 1 || k == 2; near && reports[k].Iterations > report.Iterations {
			t.Errorf("lambda %d took %d steps, and %d from 0", k, reports[k].Iterations, report.Iterations)
		}
	}
}

func TestFalkonOutputsAndClasses(t *testing.T) {
	d := waves(500, 3, 27)
	f := kernelized.NewFalkonClassifier[data.Vector](kernel.Gaussian{Gamma: 0.4})
	f.Landmarks, f.MaxIterations = 20, 7
	y := data.NewMatrix(500, 3)
	for i := range y.Rows {
		copy(y.Row(i), []float64{d.Y[i], float64(i % 5), 0})
	}
	all, _, err := f.FitOutputs(t.Context(), d.X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range y.Cols {
		one := sample{X: d.X}
		for i := range y.Rows {
			one.Y = append(one.Y, y.Row(i)[k])
		}
		e, _ := fitFalkon(t, f.Falkon, one)
		for j, a := range e.Weight {
			if all.Weight.Row(j)[k] != a {
				t.Fatalf("output %d has weight %v of landmark %d, alone %v", k, all.Weight.Row(j)[k], j, a)
			}
		}
	}
	for _, classes := range []int{2, 4} {
		labels := data.Labeled[data.Vector, int]{X: d.X}
		for i := range 500 {
			labels.Y = append(labels.Y, (i/7)%classes)
		}
		m, _, err := f.FitClasses(t.Context(), labels, classes)
		if err != nil {
			t.Fatal(err)
		}
		checkOneVsRest(t, m, labels, classes, func(d sample) (*kernelized.Expansion[data.Vector], error) {
			e, _, err := f.Fit(t.Context(), d)
			return e, err
		})
	}
}

func TestFalkonWorkers(t *testing.T) {
	d := waves(3000, 4, 28)
	for _, p := range []run.Precision{run.Float64, run.Float32} {
		var first *kernelized.Regression[data.Vector]
		for _, workers := range []int{1, 2, 3} {
			f := tight(70)
			f.MaxIterations, f.Run = 5, run.Control{Workers: workers, Precision: p}
			e, _ := fitFalkon(t, f, d)
			if first == nil {
				first = e
			}
			if !slices.Equal(first.Weight, e.Weight) {
				t.Fatalf("%v: %d workers give other bits", p, workers)
			}
		}
	}
}

// A fit that is ended gives what it had: the same as with a limit of so many
// steps.
func TestFalkonCancelled(t *testing.T) {
	d := waves(400, 3, 29)
	f := tight(30)
	ctx, cancel := context.WithCancel(t.Context())
	f.Run.Progress.Step = func(done int64) {
		if done == 3 {
			cancel()
		}
	}
	e, report, err := f.Fit(ctx, d)
	if err != nil || report.Status != learn.Cancelled || report.Iterations != 3 {
		t.Fatalf("%v %+v", err, report)
	}
	f.Run.Progress.Step, f.MaxIterations = nil, 3
	limited, limitedReport := fitFalkon(t, f, d)
	if !slices.Equal(e.Weight, limited.Weight) || limitedReport.Status != learn.IterationLimit ||
		limitedReport.Objective != report.Objective {
		t.Errorf("%+v, with a limit %+v", report, limitedReport)
	}
	path, err := f.Path(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, report, err := path.Next(ctx, 1); err != nil || report.Status != learn.Cancelled {
			t.Errorf("%v %+v", err, report)
		}
	}
}

func TestFalkonConformance(t *testing.T) {
	kerftest.Learner(t, kernelized.NewFalkonClassifier[data.Vector](kernel.Gaussian{Gamma: 1}), ring(150))
}

func TestFalkonRefusals(t *testing.T) {
	good := waves(10, 2, 0)
	f := kernelized.Falkon[data.Vector]{Lambda: -1, Tolerance: 2}
	err := f.Validate()
	for _, part := range []string{"kernel is missing", "lambda is -1", "landmarks is 0", "tolerance is 2",
		"max iterations is 0"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	ok := tight(5)
	fails := func(what string, f kernelized.Falkon[data.Vector], d sample) error {
		_, _, err := f.Fit(t.Context(), d)
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		return err
	}
	if err := fails("no rows", ok, sample{X: data.Slice[data.Vector]{}}); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	short := ok
	short.Start = []float64{1}
	fails("short start", short, good)
	short.Start = []float64{1, 2, math.NaN(), 3, 4}
	fails("start without a number", short, good)
	empty := ok
	empty.Centers = data.Slice[data.Vector]{}
	fails("no centers", empty, good)
	fails("weights", ok, sample{X: good.X, Y: good.Y, Weight: []float64{1}})
	negative := ok
	negative.Kernel = kernel.Func[data.Vector](func(x, y data.Vector) float64 { return -x.Dot(y) })
	fails("no kernel", negative, good)
	memory := ok
	memory.Run.Memory = 10
	fails("memory", memory, good)
	if _, err := ok.Path(good, math.Inf(1)); err == nil {
		t.Error("an infinite least lambda: no error")
	}
	for y, p := range map[float64]run.Precision{1e200: run.Float64, 1e100: run.Float32} {
		ok.Run.Precision = p
		err := fails("large targets", ok, sample{X: good.X, Y: slices.Repeat([]float64{y}, 10)})
		if err != nil && !strings.Contains(err.Error(), "overflow") {
			t.Errorf("targets of %v: %v", y, err)
		}
	}
}
