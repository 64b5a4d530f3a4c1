package kernelized_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

var (
	_ learn.Learner[data.Vector, float64, *kernelized.Regression[data.Vector]] = kernelized.Ridge[data.Vector]{}
	_ learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]]  = kernelized.RidgeClassifier[data.Vector]{}
)

// solveDense solves A·x = b by elimination with pivots.
func solveDense(a [][]float64, b []float64) []float64 {
	n := len(b)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = append(slices.Clone(a[i]), b[i])
	}
	for k := range n {
		best := k
		for i := k; i < n; i++ {
			if math.Abs(rows[i][k]) > math.Abs(rows[best][k]) {
				best = i
			}
		}
		rows[k], rows[best] = rows[best], rows[k]
		for i := k + 1; i < n; i++ {
			f := rows[i][k] / rows[k][k]
			for j := k; j <= n; j++ {
				rows[i][j] -= f * rows[k][j]
			}
		}
	}
	x := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		x[k] = rows[k][n]
		for j := k + 1; j < n; j++ {
			x[k] -= rows[k][j] * x[j]
		}
		x[k] /= rows[k][k]
	}
	return x
}

// gramOf evaluates the kernel on all pairs.
func gramOf[T any](k kernel.Kernel[T], x, y data.Source[T]) [][]float64 {
	g := make([][]float64, x.Len())
	for i := range g {
		g[i] = make([]float64, y.Len())
		for j := range g[i] {
			g[i][j] = k.Eval(x.At(i), y.At(j))
		}
	}
	return g
}

func isNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Fatalf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

// repeated returns weights 0, 1, 2, 3, 0, … of n instances, and the index that
// repeats each so often.
func repeated(n int) (weight []float64, index []int) {
	for i := range n {
		weight = append(weight, float64(i%4))
		for range i % 4 {
			index = append(index, i)
		}
	}
	return weight, index
}

// ridgeObjective is the problem as it is written.
func ridgeObjective(lambda float64, g [][]float64, alpha, y, weight []float64) float64 {
	norm, loss, total := 0.0, 0.0, 0.0
	for i := range y {
		f := 0.0
		for j, a := range alpha {
			f += a * g[i][j]
		}
		norm += alpha[i] * f
		loss += weight[i] * (f - y[i]) * (f - y[i])
		total += weight[i]
	}
	return lambda*norm + loss/(2*total)
}

func TestRidgeAgainstNormalEquations(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 63, 64, 65, 130} {
		for _, weighted := range []bool{false, true} {
			d := waves(n, 3, 5)
			k := kernel.Gaussian{Gamma: 0.3}
			r := kernelized.NewRidge[data.Vector](k)
			r.Lambda = 0.01
			weight, total := make([]float64, n), 0.0
			for i := range weight {
				weight[i] = 1
				if weighted {
					weight[i] = 0.5 + float64(i%3)
				}
				total += weight[i]
			}
			if weighted {
				d.Weight = weight
			}
			e, report, err := r.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			g := gramOf[data.Vector](k, d.X, d.X)
			a := gramOf[data.Vector](k, d.X, d.X)
			for i := range a {
				a[i][i] += 2 * r.Lambda * total / weight[i]
			}
			want := solveDense(a, d.Y)
			for i := range want {
				// The condition is at most 1 + n/(2λm/2.5) = 126.
				isNear(t, "weight", e.Weight[i], want[i], 1e-11)
			}
			isNear(t, "objective", report.Objective, ridgeObjective(r.Lambda, g, want, d.Y, weight), 1e-12)
			if report.Status != learn.Converged || report.Support != n || report.Evaluations != int64(n*(n+1)/2) {
				t.Errorf("%+v", report)
			}
			// The gradient of the convex objective vanishes: no neighbour is better.
			rng := seed.Stream(3, seed.Noise, 0)
			for range 5 {
				other := slices.Clone(want)
				for i := range other {
					other[i] += 1e-3 * rng.NormFloat64()
				}
				if v := ridgeObjective(r.Lambda, g, other, d.Y, weight); v < report.Objective-1e-13 {
					t.Fatalf("a neighbour has objective %v, below %v", v, report.Objective)
				}
			}
		}
	}
}

// With the linear kernel it is ridge regression on the coordinates.
func TestRidgeIsLinearRidge(t *testing.T) {
	d := waves(200, 5, 6)
	r := kernelized.NewRidge[data.Vector](kernel.Linear{})
	r.Lambda = 0.05
	e, _, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	a, b := make([][]float64, 5), make([]float64, 5)
	for i := range a {
		a[i] = make([]float64, 5)
		a[i][i] = 2 * r.Lambda * 200
	}
	for k, y := range d.Y {
		x := d.X.At(k).Value
		for i := range a {
			b[i] += y * x[i]
			for j := range a {
				a[i][j] += x[i] * x[j]
			}
		}
	}
	w := solveDense(a, b)
	for i := range d.Y {
		isNear(t, "prediction", e.Predict(d.X.At(i)), d.X.At(i).DotWith(w), 1e-12)
	}
}

func TestRidgeWeightsAreRepetitions(t *testing.T) {
	d := waves(60, 2, 7)
	weight, index := repeated(60)
	r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 0.5})
	repeatedFit, plainReport, err := r.Fit(t.Context(), d.Select(index))
	if err != nil {
		t.Fatal(err)
	}
	d.Weight = weight
	e, report, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if e.Support.Len() != 45 || report.Support != 45 {
		t.Errorf("%d instances have weight, want 45", e.Support.Len())
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), repeatedFit.Score(d.X.At(i)), 1e-9)
	}
	isNear(t, "objective", report.Objective, plainReport.Objective, 1e-12)
}

// The residuals are those of models that are learnt without the instance.
func TestRidgeLeaveOneOut(t *testing.T) {
	d := waves(30, 2, 8)
	for _, weight := range [][]float64{nil, func() []float64 { w, _ := repeated(30); return w }()} {
		r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 0.5})
		d.Weight = weight
		_, residual, _, err := r.FitLeaveOneOut(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Y {
			var rest []int
			total, left := 0.0, 0.0
			without := r
			for j := range d.Y {
				c := 1.0
				if weight != nil {
					c = weight[j]
				}
				total += c
				if j != i {
					rest = append(rest, j)
					left += c
				}
			}
			without.Lambda = r.Lambda * total / left
			e, _, err := without.Fit(t.Context(), d.Select(rest))
			if err != nil {
				t.Fatal(err)
			}
			isNear(t, "residual", residual[i], d.Y[i]-e.Predict(d.X.At(i)), 1e-9)
		}
	}
}

func TestRidgeOutputsAndClasses(t *testing.T) {
	d := waves(90, 3, 9)
	x := d.X
	y := data.NewMatrix(90, 11) // more than one task of right-hand sides
	for i := range y.Rows {
		for k := range y.Cols {
			y.Row(i)[k] = math.Sin(float64((k + 1) * i))
		}
	}
	r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.4})
	all, report, err := r.FitOutputs(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for k := range y.Cols {
		one := sample{X: x}
		for i := range y.Rows {
			one.Y = append(one.Y, y.Row(i)[k])
		}
		e, single, err := r.Ridge.Fit(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		sum += single.Objective
		for i := range y.Rows {
			if e.Weight[i] != all.Weight.Row(i)[k] {
				t.Fatalf("output %d has weight %v of row %d, alone %v", k, all.Weight.Row(i)[k], i, e.Weight[i])
			}
		}
	}
	isNear(t, "objective", report.Objective, sum, 1e-12)

	for _, classes := range []int{2, 3} {
		labels := data.Labeled[data.Vector, int]{X: x}
		for i := range 90 {
			labels.Y = append(labels.Y, (i/7)%classes)
		}
		m, _, err := r.FitClasses(t.Context(), labels, classes)
		if err != nil {
			t.Fatal(err)
		}
		checkOneVsRest(t, m, labels, classes, func(d sample) (*kernelized.Expansion[data.Vector], error) {
			e, _, err := r.Fit(t.Context(), d)
			return e, err
		})
	}
}

// checkOneVsRest checks that a model of many classes has the separators that Fit
// finds, and that its scores of many instances agree with those of one.
func checkOneVsRest(
	t *testing.T, m *kernelized.MultiExpansion[data.Vector], d data.Labeled[data.Vector, int], classes int,
	fit func(sample) (*kernelized.Expansion[data.Vector], error),
) {
	t.Helper()
	scores, err := m.ScoresAll(t.Context(), run.Control{}, d.X)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := m.PredictAll(t.Context(), run.Control{}, d.X)
	if err != nil {
		t.Fatal(err)
	}
	single := make([]float64, classes)
	for i := range d.Y {
		m.Scores(single, d.X.At(i))
		for k := range single {
			isNear(t, "score", scores.Row(i)[k], single[k], 1e-9*(1+math.Abs(single[k])))
		}
		if classes == 2 && single[0] != -single[1] {
			t.Fatalf("scores %v of two classes", single)
		}
		if best := m.Predict(d.X.At(i)); best != predicted[i] && math.Abs(single[best]-single[predicted[i]]) > 1e-9 {
			t.Fatalf("row %d is class %d alone and %d among many", i, best, predicted[i])
		}
	}
	for k := range learn.Separators(classes) {
		class := learn.PositiveClass(k, classes)
		e, err := fit(sample{X: d.X, Y: learn.Against(nil, d.Y, class)})
		if err != nil {
			t.Fatal(err)
		}
		c := m.Class(class)
		for i := range d.Y {
			if c.Score(d.X.At(i)) != e.Score(d.X.At(i)) {
				t.Fatalf("class %d of %d scores row %d %v, alone %v", class, classes, i, c.Score(d.X.At(i)), e.Score(d.X.At(i)))
			}
		}
	}
}

func TestRidgeWorkers(t *testing.T) {
	d := waves(300, 4, 10)
	var first *kernelized.Regression[data.Vector]
	for _, workers := range []int{1, 2, 3} {
		r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 0.4})
		r.Run.Workers = workers
		e, _, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
		}
		if !slices.Equal(first.Weight, e.Weight) {
			t.Fatalf("%d workers give other bits", workers)
		}
	}
}

func TestRidgeConformance(t *testing.T) {
	kerftest.Learner(t, kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 1}), ring(150))
}

func TestRidgeRefusals(t *testing.T) {
	good := waves(10, 2, 0)
	ctx := t.Context()
	fit := func(r kernelized.Ridge[data.Vector], d sample) error { _, _, err := r.Fit(ctx, d); return err }
	gauss := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 1})
	err := fit(kernelized.Ridge[data.Vector]{Lambda: math.NaN()}, good)
	if err == nil || !strings.Contains(err.Error(), "kernel is missing") ||
		!strings.Contains(err.Error(), "lambda is NaN") {
		t.Errorf("faults: %v", err)
	}
	if err := fit(gauss, sample{X: data.Slice[data.Vector]{}}); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	bad := slices.Clone(good.Y)
	bad[3] = math.Inf(1)
	var fault *learn.DataError
	if err := fit(gauss, sample{X: good.X, Y: bad}); !errors.As(err, &fault) || fault.Row != 3 {
		t.Errorf("an infinite target: %v", err)
	}
	if err := fit(gauss, sample{X: good.X, Y: good.Y[1:]}); err == nil {
		t.Error("a target is missing and there is no error")
	}
	for _, w := range [][]float64{{1}, make([]float64, 10), {1, -1, 1, 1, 1, 1, 1, 1, 1, 1}} {
		if fit(gauss, sample{X: good.X, Y: good.Y, Weight: w}) == nil {
			t.Errorf("weights %v are taken", w)
		}
	}
	minus := func(x, y data.Vector) float64 { return -x.Dot(y) }
	negative := kernelized.NewRidge[data.Vector](kernel.Func[data.Vector](minus))
	if err := fit(negative, good); err == nil || !strings.Contains(err.Error(), "positive definite") {
		t.Errorf("no kernel: %v", err)
	}
	small := gauss
	small.Run.Memory = 100
	var memory *run.MemoryError
	if err := fit(small, good); !errors.As(err, &memory) {
		t.Errorf("100 bytes: %v", err)
	}
	if _, _, err := gauss.FitOutputs(ctx, good.X, data.NewMatrix(9, 1), nil); err == nil {
		t.Error("a row of targets is missing and there is no error")
	}
	huge := sample{X: good.X, Y: slices.Repeat([]float64{math.MaxFloat64}, 10)}
	if err := fit(gauss, huge); err == nil || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("targets of the largest number: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	e, residual, report, err := gauss.FitLeaveOneOut(stopped, good)
	if err != nil || report.Status != learn.Cancelled || residual != nil || e.Predict(good.X.At(0)) != 0 {
		t.Errorf("cancelled: %v %+v %v", err, report, residual)
	}
}

// The figures of scikit-learn, whose alpha is 2·Lambda times the sum of the
// weights; testdata/ridge.py made them.
func TestRidgeAgainstScikitLearn(t *testing.T) {
	text, err := os.ReadFile("testdata/ridge.json")
	if err != nil {
		t.Fatal(err)
	}
	var figures struct {
		Rows  [][]float64
		Cases []struct {
			Kernel          string
			Gamma, Alpha    float64
			Weighted        bool
			Dual, Predicted []float64
		}
	}
	if err := json.Unmarshal(text, &figures); err != nil {
		t.Fatal(err)
	}
	n, d := len(figures.Rows), len(figures.Rows[0])-1
	x, y := data.NewMatrix(n, d), make([]float64, n)
	for i, row := range figures.Rows {
		for j, v := range row[:d] {
			x.Row(i)[j] = v / 100
		}
		y[i] = row[d]
	}
	const train = 200
	weight, total := make([]float64, train), 0.0
	for i := range weight {
		weight[i] = 0.5 + float64(i%4)
		total += weight[i]
	}
	for _, c := range figures.Cases {
		var k kernel.Kernel[data.Vector] = kernel.Linear{}
		if c.Kernel == "rbf" {
			k = kernel.Gaussian{Gamma: c.Gamma}
		}
		d := sample{X: data.Range[data.Vector]{Of: x, Lo: 0, Hi: train}, Y: y[:train]}
		r := kernelized.NewRidge(k)
		r.Lambda = c.Alpha / (2 * train)
		if c.Weighted {
			d.Weight, r.Lambda = weight, c.Alpha/(2*total)
		}
		e, _, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		// The condition of the systems is at most 1e7, numbers are up to 1e4.
		for i, want := range c.Dual {
			isNear(t, "weight", e.Weight[i], want, 1e-7)
		}
		scores, err := e.ScoreAll(t.Context(), run.Control{}, data.Range[data.Vector]{Of: x, Lo: train, Hi: n})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Predicted {
			isNear(t, "prediction", scores[i], want, 1e-8)
		}
	}
	if len(figures.Cases) == 0 || len(figures.Cases[0].Predicted) != n-train {
		t.Error("there are no figures")
	}
}

// sectors returns n points of a plane with the sector they are in for a class.
func sectors(n, classes int) data.Labeled[data.Vector, int] {
	rng := seed.Stream(12, seed.Generator, 0)
	m, y := data.NewMatrix(n, 2), make([]int, n)
	for i := range n {
		y[i] = i % classes
		turn, r := 2*math.Pi*(float64(y[i])+rng.Float64())/float64(classes), 0.5+rng.Float64()
		m.Row(i)[0], m.Row(i)[1] = r*math.Cos(turn), r*math.Sin(turn)
	}
	return data.Labeled[data.Vector, int]{X: m, Y: y}
}

// TestRidgeFitted compares the scores that a fit knows of its own instances with K·α.
func TestRidgeFitted(t *testing.T) {
	for _, tolerance := range []float64{0.1, 1e-2, 1e-6} {
		for _, weighted := range []bool{false, true} {
			d := corners(131, 3, 5)
			if weighted {
				d.Weight = make([]float64, len(d.Y))
				for i := range d.Weight {
					d.Weight[i] = float64(1+i%3) / 2
				}
			}
			r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.7})
			r.Lambda, r.Tolerance = 1e-4, tolerance
			m, _, err := r.FitClasses(context.Background(), d, 3)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.X.Len() {
				got, want := m.Fitted.Row(i), make([]float64, 3)
				m.Scores(want, d.X.At(i))
				for c := range want {
					if math.Abs(got[c]-want[c]) > 1e-8 {
						t.Fatalf("tolerance %v, weighted %v: score %d of row %d is %v, want %v", tolerance, weighted, c, i, got[c],
							want[c])
					}
				}
			}
			d.Weight = make([]float64, len(d.Y))
			for i := range d.Weight {
				d.Weight[i] = float64(i % 2)
			}
			if m, _, err = r.FitClasses(context.Background(), d, 3); err != nil || m.Fitted != nil {
				t.Errorf("with rows of no weight: %v, scores %v", err, m.Fitted)
			}
		}
	}
}
