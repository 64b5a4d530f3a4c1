package model_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

type recipe = model.Recipe[data.Vector]

// job is a learner with a map on a sample.
type job struct {
	learner string
	kind    string // map
	task    model.Task
	classes int // 0 for numbers
	dense   bool
}

func (j job) String() string {
	return fmt.Sprintf("%s on %s, %s %d, dense %v", j.learner, j.kind, j.task, j.classes, j.dense)
}

// jobs are all learners with every task that they do, on dense and sparse rows,
// with two classes and with three, those of features without a map and with F2.
func jobs() []job {
	var all []job
	for _, name := range model.Learners {
		t, _ := model.TraitsOf(name)
		kinds := []string{model.MapNone, model.MapF2}
		if t.Kernel {
			kinds = kinds[:1]
		}
		for _, kind := range kinds {
			for _, dense := range []bool{true, false} {
				for _, task := range t.Tasks {
					if task == model.Regress {
						all = append(all, job{name, kind, task, 0, dense})
						continue
					}
					all = append(all, job{name, kind, task, 2, dense})
					if name != model.LearnerNuSVM && name != model.LearnerOneClass {
						all = append(all, job{name, kind, task, 3, dense})
					}
				}
			}
		}
	}
	return all
}

// recipe returns the recipe of the job, with little work to do.
func (j job) recipe() recipe {
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 20)
	r.Map, r.Learner, r.MaxPasses, r.Rounds, r.Calibrate = j.kind, j.learner, 50, 12, ""
	r.C, r.Lambda, r.Nu, r.Choose = 1, 1e-3, 0.3, false
	return r
}

// fit trains the job's recipe on its sample of n rows.
func (j job) fit(ctx context.Context, r recipe, n int) (*pipeline, model.Training, error) {
	if j.task == model.Regress {
		return r.FitValues(ctx, wave(n, j.dense))
	}
	return r.Fit(ctx, blobsOf(n, j.classes, j.dense))
}

// mustFit is fit, which must not fail.
func (j job) mustFit(t *testing.T, r recipe, n int) (*pipeline, model.Training) {
	t.Helper()
	p, training, err := j.fit(t.Context(), r, n)
	if err != nil {
		t.Fatalf("%s: %v", j, err)
	}
	return p, training
}

// wave returns n points and the values of a smooth function there, with noise.
func wave(n int, dense bool) data.Labeled[data.Vector, float64] {
	r := seed.Stream(12, seed.Generator, uint64(n))
	var x data.Slice[data.Vector]
	var y []float64
	for range n {
		v := []float64{2 * r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		if dense {
			x = append(x, data.Dense(v...))
		} else {
			x = append(x, data.Vector{Index: []int32{0, 4, 7}, Value: v})
		}
		y = append(y, 40+10*math.Sin(v[0])+3*v[1]+0.3*r.NormFloat64())
	}
	return data.Labeled[data.Vector, float64]{X: x, Y: y}
}

// fresh returns rows that the job's training has not seen.
func (j job) fresh() data.Source[data.Vector] {
	if j.task == model.Regress {
		return wave(100, j.dense).X
	}
	return blobsOf(100, j.classes, j.dense).X
}

// scoresOf returns the scores of all rows.
func scoresOf(t *testing.T, p *pipeline, workers int, x data.Source[data.Vector]) *data.Matrix {
	t.Helper()
	out, err := p.ScoreAll(t.Context(), run.Control{Workers: workers}, x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEveryLearner trains every learner on every kind of sample: it learns,
// says what it did, gives the same bits when it is fitted again and by any
// number of workers, and comes back from a file as it was.
func TestEveryLearner(t *testing.T) {
	const n = 90
	for _, j := range jobs() {
		t.Run(j.String(), func(t *testing.T) {
			r := j.recipe()
			r.Run.Workers = 1
			p, training := j.mustFit(t, r, n)
			j.wantLearnt(t, p, training, n)
			first := scoresOf(t, p, 1, j.fresh())
			whole := encode(t, p)
			for _, workers := range []int{1, 2, 3} {
				r.Run.Workers = workers
				again, _ := j.mustFit(t, r, n)
				if !bytes.Equal(encode(t, again), whole) {
					t.Errorf("fitted again by %d workers, the model is another", workers)
				}
				if !slices.Equal(scoresOf(t, again, workers, j.fresh()).Data, first.Data) {
					t.Errorf("fitted again by %d workers, the scores are others", workers)
				}
			}
			q, err := decode(whole)
			if err != nil {
				t.Fatal(err)
			}
			if q.Task != p.Task || q.Learner != j.learner || !slices.Equal(q.Classes.Names, p.Classes.Names) {
				t.Errorf("%s %s %v came back as %s %s %v", p.Task, p.Learner, p.Classes.Names, q.Task, q.Learner, q.Classes.Names)
			}
			if !slices.Equal(scoresOf(t, q, 2, j.fresh()).Data, first.Data) {
				t.Error("the scores differ after loading")
			}
			wantOrderless(t, p, q, first, j.fresh())
		})
	}
}

// wantLearnt checks that a model knows the rows it was trained on, much better
// than chance, and that the training says sensible things.
func (j job) wantLearnt(t *testing.T, p *pipeline, training model.Training, n int) {
	t.Helper()
	if s := training.Status; s != learn.Converged && s != learn.IterationLimit && s != learn.NotSeparable {
		t.Errorf("the status is %q", s)
	}
	if training.Elapsed <= 0 || training.Objective-training.Objective != 0 || training.Gap-training.Gap != 0 {
		t.Errorf("the report is %+v", training.Report)
	}
	traits, _ := model.TraitsOf(j.learner)
	if uses := traits.Kernel || j.kind != model.MapNone; uses != (training.Evaluations > 0) {
		t.Errorf("%d kernel evaluations", training.Evaluations)
	}
	if j.task == model.Regress {
		d := wave(n, j.dense)
		square, most := 0.0, 15.0 // of a variance of about 60
		if j.kind == model.MapNone {
			most = 55 // a linear function explains the nine of the second coordinate
		}
		for i, y := range d.Y {
			e := p.Value(d.X.At(i)) - y
			square += e * e / float64(n)
		}
		if !(square < most) {
			t.Errorf("the mean squared error is %v", square)
		}
		return
	}
	if j.learner == model.LearnerOneClass {
		return // TestOneClass
	}
	d, right := blobsOf(n, j.classes, j.dense), 0
	for i, y := range d.Y {
		if p.Predict(d.X.At(i)) == y {
			right++
		}
	}
	least := 0.75
	if training.Status == learn.NotSeparable {
		least = 0.5 // hard-margin and lp promise nothing then
	}
	if got := float64(right) / float64(n); !(got >= least) {
		t.Errorf("%v of the rows are right (%s)", got, training.Status)
	}
	if len(training.Margins) != n {
		t.Errorf("%d margins for %d rows", len(training.Margins), n)
	}
}

// wantOrderless checks that what a row is scored does not depend on the rows
// around it, and that one by one they have the same labels.
func wantOrderless(t *testing.T, p, q *pipeline, all *data.Matrix, x data.Source[data.Vector]) {
	t.Helper()
	n := x.Len()
	for name, index := range map[string][]int{
		"reversed": seed.Stream(1, seed.Generator, 0).Perm(n), "one": {n - 1}, "some": {3, 3, 50, 7}, "a block and one": seed.Stream(2, seed.Generator, 0).Perm(n)[:85],
	} {
		part := scoresOf(t, p, 2, data.Subset[data.Vector]{Of: x, Index: index})
		for i, row := range index {
			if !slices.Equal(part.Row(i), all.Row(row)) {
				t.Fatalf("%s: row %d scores %v and among all %v", name, row, part.Row(i), all.Row(row))
			}
		}
	}
	one, two := make([]float64, p.Outputs()), make([]float64, p.Outputs())
	for i := range n {
		p.Scores(one, x.At(i))
		q.Scores(two, x.At(i))
		if !slices.Equal(one, two) || p.Predict(x.At(i)) != q.Predict(x.At(i)) {
			t.Fatalf("row %d scores %v before and %v after loading", i, one, two)
		}
		for c, v := range one { // a sum of at most some hundred terms in another order
			if !(math.Abs(v-all.Row(i)[c]) <= 1e-11*(1+math.Abs(v))) {
				t.Fatalf("row %d scores %v alone and %v among all", i, one, all.Row(i))
			}
		}
	}
}

// TestSinglePrecision: kernel values of six digits give nearly the same model.
func TestSinglePrecision(t *testing.T) {
	for _, j := range jobs() {
		traits, _ := model.TraitsOf(j.learner)
		if !traits.Kernel && j.kind == model.MapNone {
			continue
		}
		r := j.recipe()
		p, _ := j.mustFit(t, r, 90)
		r.Run.Precision = run.Float32
		q, _ := j.mustFit(t, r, 90)
		x, same := j.fresh(), 0
		for i := range x.Len() {
			switch {
			case j.task == model.Classify && p.Predict(x.At(i)) == q.Predict(x.At(i)):
				same++
			case j.task == model.Regress && math.Abs(p.Value(x.At(i))-q.Value(x.At(i))) < 0.05: // of values that spread by 8
				same++
			}
		}
		if same < 97 {
			t.Errorf("%s: of 100 predictions in single precision %d are those in double precision", j, same)
		}
		loaded, err := decode(encode(t, q))
		if err != nil {
			t.Fatalf("%s: %v", j, err)
		}
		if !slices.Equal(scoresOf(t, q, 1, x).Data, scoresOf(t, loaded, 2, x).Data) {
			t.Errorf("%s: in single precision the scores differ after loading", j)
		}
	}
}

// TestEveryKind: learners that need no vectors take instances of any type.
func TestEveryKind(t *testing.T) {
	d := cities()
	values := data.Labeled[city, float64]{X: d.X}
	for i := range d.X.Len() {
		values.Y = append(values.Y, d.X.At(i).Lat-2*d.X.At(i).Lon)
	}
	for _, name := range model.Learners {
		traits, _ := model.TraitsOf(name)
		r := model.NewRecipe[city](nearby, 20)
		r.Learner, r.Choose, r.C, r.MaxPasses = name, false, 10, 50
		if traits.Kernel {
			r.Map = model.MapNone
		}
		var p *model.Pipeline[city]
		var err error
		if traits.Can(model.Classify) {
			p, _, err = r.Fit(t.Context(), d)
		} else {
			p, _, err = r.FitValues(t.Context(), values)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kind := model.Own[city]{Type: "city", Kernels: []kernel.Named[city]{nearby}}
		var file bytes.Buffer
		if err := model.Write(&file, p, model.Kind[city](kind)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r.Map, r.Learner = model.MapNone, model.LearnerSVM
		if _, _, err := r.Fit(t.Context(), d); err == nil {
			t.Error("without a map a city was taken for a vector")
		}
	}
}

// TestOneClass: the part ν of the rows, or a little less, lies outside.
func TestOneClass(t *testing.T) {
	const n = 300
	d := blobsOf(n, 2, true)
	for _, nu := range []float64{0.05, 0.2, 0.5} {
		r := job{learner: model.LearnerOneClass, kind: model.MapNone}.recipe()
		r.Nu, r.Tolerance = nu, 1e-5
		p, _, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		outside := 0
		for i := range n {
			if p.Predict(d.X.At(i)) == model.Outlier {
				outside++
			}
		}
		// Outliers are at most ν·n, and support vectors at least that: those
		// on the boundary may fall to either side.
		if got := float64(outside) / n; got > nu+0.03 || got < nu-0.05 {
			t.Errorf("with nu = %v the part of outliers is %v", nu, got)
		}
		if got := p.Predict(data.Dense(50, 50, 50)); got != model.Outlier {
			t.Errorf("a point far off is an %s", got)
		}
	}
	r := job{learner: model.LearnerOneClass, kind: model.MapNone}.recipe()
	one := data.Labeled[data.Vector, string]{X: d.X, Y: make([]string, n)}
	if _, _, err := r.Fit(t.Context(), one); err != nil {
		t.Errorf("labels that are all the same: %v", err)
	}
	for _, nu := range []float64{0, -1, 1.5, math.NaN(), math.Inf(1)} {
		for _, name := range []string{model.LearnerOneClass, model.LearnerNuSVM, model.LearnerNuSVR} {
			r := job{learner: name, kind: model.MapNone}.recipe()
			r.Nu = nu
			var err error
			if name == model.LearnerNuSVR {
				_, _, err = r.FitValues(t.Context(), wave(30, true))
			} else {
				_, _, err = r.Fit(t.Context(), d)
			}
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "nu") {
				t.Errorf("%s with nu = %v: error is %v", name, nu, err)
			}
		}
	}
}

// TestFixedAndChosenPrices: a price that is given is used as it is; otherwise
// the one with the smallest error of those tried is, and the trials are told.
func TestFixedAndChosenPrices(t *testing.T) {
	for _, j := range jobs() {
		traits, _ := model.TraitsOf(j.learner)
		if !j.dense || j.classes == 3 || j.kind == model.MapF2 {
			continue
		}
		r := j.recipe()
		r.C, r.Lambda = 0.37, 0.0037
		_, fixed := j.mustFit(t, r, 120)
		if traits.Price == "C" && fixed.C != 0.37 || traits.Price == "lambda" && fixed.Lambda != 0.0037 || len(fixed.Trials) > 0 {
			t.Errorf("%s: C is %v and lambda %v after %d trials", j, fixed.C, fixed.Lambda, len(fixed.Trials))
		}
		r.Choose = true
		_, chosen := j.mustFit(t, r, 120)
		if traits.Price == "" {
			if len(chosen.Trials) > 0 {
				t.Errorf("%s has no price and tried %v", j, chosen.Trials)
			}
			continue
		}
		price := chosen.C
		if traits.Price == "lambda" {
			price = chosen.Lambda
		}
		if len(chosen.Trials) < 2 {
			t.Errorf("%s: %d trials", j, len(chosen.Trials))
			continue
		}
		best := slices.MinFunc(chosen.Trials, func(a, b model.Trial) int { // the first in a tie
			switch {
			case a.Error < b.Error:
				return -1
			case a.Error > b.Error:
				return 1
			}
			return 0
		})
		if price != best.Price {
			t.Errorf("%s: the price is %v, and %v was the best of %v", j, price, best.Price, chosen.Trials)
		}
	}
}

// repeated returns the sample with the rows of a class twice.
func repeated(d data.Labeled[data.Vector, string], class string) data.Labeled[data.Vector, string] {
	var index []int
	for i, y := range d.Y {
		index = append(index, i)
		if y == class {
			index = append(index, i)
		}
	}
	return d.Select(index)
}

// TestClassWeights: a class of weight 2 is one whose rows are there twice.
func TestClassWeights(t *testing.T) {
	for _, name := range []string{
		model.LearnerSVM, model.LearnerLogistic, model.LearnerRidge, model.LearnerKernelSVM, model.LearnerKernelRidge,
		model.LearnerCentroid, model.LearnerBoost,
	} {
		for _, classes := range []int{2, 3} {
			j := job{learner: name, kind: model.MapNone, classes: classes, dense: true}
			d := blobsOf(60, classes, true)
			r := j.recipe()
			r.Tolerance, r.MaxPasses = 1e-8, 20000
			r.ClassWeight = map[string]float64{"red": 2}
			p, a, err := r.Fit(t.Context(), d)
			if err != nil {
				t.Errorf("%s: %v", j, err)
				continue
			}
			twice := repeated(d, "red")
			r.ClassWeight = nil
			q, b, err := r.Fit(t.Context(), twice)
			if err != nil {
				t.Fatalf("%s: %v", j, err)
			}
			if !close(a.Objective, b.Objective, 1e-4) {
				t.Errorf("%s: the objective is %v with weights and %v with rows twice", j, a.Objective, b.Objective)
			}
			one, two := scoresOf(t, p, 1, d.X), scoresOf(t, q, 1, d.X)
			for i, v := range one.Data {
				if math.Abs(v-two.Data[i]) > 2e-3*(1+math.Abs(v)) {
					t.Errorf("%s: row %d scores %v with weights and %v with rows twice", j, i/classes, one.Row(i/classes), two.Row(i/classes))
					break
				}
			}
		}
	}
}

func close(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*(math.Abs(a)+math.Abs(b))
}

// TestBalanced: with 9 rows of one class for each of the other, and the classes
// over each other, the rare one is found only if it counts as much.
func TestBalanced(t *testing.T) {
	r := seed.Stream(5, seed.Generator, 0)
	var d data.Labeled[data.Vector, string]
	var x data.Slice[data.Vector]
	for i := range 300 {
		label, centre := "many", 0.0
		if i%10 == 0 {
			label, centre = "few", 1.2
		}
		x = append(x, data.Dense(centre+r.NormFloat64(), centre+r.NormFloat64()))
		d.Y = append(d.Y, label)
	}
	d.X = x
	found := func(p *pipeline) float64 {
		n := 0
		for i, y := range d.Y {
			if y == "few" && p.Predict(d.X.At(i)) == "few" {
				n++
			}
		}
		return float64(n) / 30
	}
	for _, name := range []string{model.LearnerSVM, model.LearnerLogistic, model.LearnerRidge, model.LearnerKernelSVM, model.LearnerKernelRidge, model.LearnerFalkon, model.LearnerBoost} {
		recipe := job{learner: name, kind: model.MapNone}.recipe()
		recipe.Rounds, recipe.Loss, recipe.Lambda = 10, linear.Hinge, 0.1
		plain, _, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		recipe.Balanced = true
		even, _, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a, b := found(plain), found(even); b < 0.6 || b <= a {
			t.Errorf("%s finds %v of the rare class, balanced %v", name, a, b)
		}
	}
}

// TestWeightsRefused: labels that no row has, and learners that take no weights.
func TestWeightsRefused(t *testing.T) {
	d := blobsOf(60, 2, true)
	for _, name := range model.Learners {
		traits, _ := model.TraitsOf(name)
		if !traits.Can(model.Classify) || name == model.LearnerOneClass {
			continue
		}
		r := job{learner: name, kind: model.MapNone}.recipe()
		r.ClassWeight = map[string]float64{"nosuch": 2}
		if _, _, err := r.Fit(t.Context(), d); err == nil {
			t.Errorf("%s: the weight of a class that is not there was taken", name)
		}
		r.ClassWeight = map[string]float64{"red": 2}
		_, _, err := r.Fit(t.Context(), d)
		none := slices.Contains([]string{
			model.LearnerPerceptron, model.LearnerHardMargin, model.LearnerProgram, model.LearnerKernelPerceptron,
		}, name)
		if none && (err == nil || !strings.Contains(err.Error(), "weight")) {
			t.Errorf("%s takes no weights: %v", name, err)
		}
		for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
			r.ClassWeight = map[string]float64{"red": w}
			if _, _, err := r.Fit(t.Context(), d); err == nil {
				t.Errorf("%s: a weight of %v was taken", name, w)
			}
		}
		r.ClassWeight = map[string]float64{"red": 0, "green": 0}
		if p, _, err := r.Fit(t.Context(), d); err == nil {
			wantFinite(t, name+" with weights of 0", p, d.X)
		}
	}
	for _, name := range []string{model.LearnerRidge, model.LearnerSVR} { // numbers have no classes
		r := job{learner: name, kind: model.MapNone}.recipe()
		r.ClassWeight = map[string]float64{"red": 2}
		if _, _, err := r.FitValues(t.Context(), wave(30, true)); err == nil {
			t.Errorf("%s: a weight of a class was taken for numbers", name)
		}
		r.ClassWeight, r.Balanced = nil, true
		if _, _, err := r.FitValues(t.Context(), wave(30, true)); err == nil {
			t.Errorf("%s: numbers were balanced", name)
		}
	}
}

// wantFinite fails unless all scores are numbers.
func wantFinite(t *testing.T, name string, p *pipeline, x data.Source[data.Vector]) {
	t.Helper()
	for i, v := range scoresOf(t, p, 1, x).Data {
		if v-v != 0 {
			t.Errorf("%s: score %d is %v", name, i, v)
			return
		}
	}
}

// TestOddSamples: whatever the sample, each learner ends soon, with a finite
// model that can be stored, or with an error in one line.
func TestOddSamples(t *testing.T) {
	rows := func(v ...data.Vector) data.Slice[data.Vector] { return v }
	same := func(n int, v data.Vector) data.Slice[data.Vector] {
		var x data.Slice[data.Vector]
		for range n {
			x = append(x, v)
		}
		return x
	}
	mixed := func(n int) []string {
		var y []string
		for i := range n {
			y = append(y, []string{"a", "b"}[i%2])
		}
		return y
	}
	huge, tiny := blobsOf(30, 2, true), blobsOf(30, 2, true)
	scaledBy := func(d *data.Labeled[data.Vector, string], by float64) {
		var x data.Slice[data.Vector]
		for i := range d.X.Len() {
			v := slices.Clone(d.X.At(i).Value)
			for c := range v {
				v[c] *= by
			}
			x = append(x, data.Dense(v...))
		}
		d.X = x
	}
	scaledBy(&huge, 1e100)
	scaledBy(&tiny, 1e-200)
	samples := map[string]data.Labeled[data.Vector, string]{
		"no rows":              {X: rows()},
		"one row":              {X: rows(data.Dense(1, 2)), Y: []string{"a"}},
		"two rows":             {X: rows(data.Dense(1, 2), data.Dense(0, 1)), Y: mixed(2)},
		"one class":            {X: same(5, data.Dense(1, 2)), Y: []string{"a", "a", "a", "a", "a"}},
		"a row with no width":  {X: rows(data.Dense(), data.Dense()), Y: mixed(2)},
		"constant":             {X: same(20, data.Dense(3, 3)), Y: mixed(20)},
		"zeros":                {X: same(20, data.Dense(0, 0)), Y: mixed(20)},
		"empty sparse rows":    {X: same(20, data.Vector{Index: []int32{}, Value: []float64{}}), Y: mixed(20)},
		"duplicates":           {X: append(same(15, data.Dense(1, 0)), same(15, data.Dense(0, 1))...), Y: append(slices.Repeat([]string{"a"}, 15), slices.Repeat([]string{"b"}, 15)...)},
		"one row of two kinds": {X: same(2, data.Dense(1, 2)), Y: mixed(2)},
		"one rare label":       {X: append(blobsOf(30, 2, true).X.(data.Slice[data.Vector]), data.Dense(9, 9, 9)), Y: append(slices.Clone(blobsOf(30, 2, true).Y), "rare")},
		"huge":                 huge,
		"tiny":                 tiny,
	}
	for name, d := range samples {
		for _, learner := range model.Learners {
			traits, _ := model.TraitsOf(learner)
			for _, kind := range []string{model.MapNone, model.MapF2} {
				if traits.Kernel && kind != model.MapNone {
					continue
				}
				for _, choose := range []bool{false, true} {
					if choose && traits.Price == "" && learner != model.LearnerRidge {
						continue
					}
					r := job{learner: learner, kind: kind}.recipe()
					r.Choose, r.Calibrate = choose, "temperature"
					oddSample(t, fmt.Sprintf("%s: %s on %s, choose %v", name, learner, kind, choose), r, d)
				}
			}
		}
	}
}

// oddSample fits labels, and numbers where the learner can.
func oddSample(t *testing.T, name string, r recipe, d data.Labeled[data.Vector, string]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check := func(p *pipeline, training model.Training, err error) {
		t.Helper()
		if ctx.Err() != nil || training.Status == learn.TimeLimit {
			t.Errorf("%s: it did not end (%v)", name, err)
			return
		}
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Errorf("%s: the error is empty", name)
			}
			return
		}
		if training.Status == "" || training.Status == learn.Cancelled {
			t.Errorf("%s: the status is %q", name, training.Status)
		}
		wantFinite(t, name, p, d.X)
		wantFinite(t, name, p, data.Slice[data.Vector]{data.Dense(0.5, 1, 2), data.Dense()})
		q, err := decode(encode(t, p))
		if err != nil {
			t.Errorf("%s: it does not come back from a file: %v", name, err)
			return
		}
		if !slices.Equal(scoresOf(t, p, 1, d.X).Data, scoresOf(t, q, 1, d.X).Data) {
			t.Errorf("%s: it comes back from a file as another", name)
		}
	}
	traits, _ := model.TraitsOf(r.Learner)
	if traits.Can(model.Classify) {
		check(r.Fit(ctx, d))
	}
	if traits.Can(model.Regress) {
		y := make([]float64, len(d.Y))
		for i := range y {
			y[i] = float64(len(d.Y[i]) + i%2)
		}
		r.Calibrate = ""
		check(r.FitValues(ctx, data.Labeled[data.Vector, float64]{X: d.X, Y: y}))
		check(r.FitValues(ctx, data.Labeled[data.Vector, float64]{X: d.X, Y: make([]float64, len(d.Y))}))
	}
}

// TestRefused: what no training can begin with.
func TestRefused(t *testing.T) {
	d := blobsOf(40, 2, true)
	for _, c := range []struct {
		name   string
		says   string
		change func(*recipe)
	}{
		{"unknown learner", "Learner", func(r *recipe) { r.Learner = "nosuch" }},
		{"no learner", "Learner", func(r *recipe) { r.Learner = "" }},
		{"a map of a kernel machine", "kernel-svm", func(r *recipe) { r.Learner = model.LearnerKernelSVM }},
		{"no kernel", "Kernel", func(r *recipe) { r.Kernel = nil }},
		{"no kernel of a machine", "Kernel", func(r *recipe) { r.Kernel, r.Map, r.Learner = nil, model.MapNone, model.LearnerKernelSVM }},
		{"unknown map", "Map", func(r *recipe) { r.Map = "f9" }},
		{"calibration", "Calibrate", func(r *recipe) { r.Calibrate = "nosuch" }},
		{"conformal", "Conformal", func(r *recipe) { r.Conformal = 1 }},
		{"conformal", "Conformal", func(r *recipe) { r.Conformal = math.NaN() }},
		{"numbers only", "svr", func(r *recipe) { r.Learner, r.Map = model.LearnerSVR, model.MapNone }},
		{"C", "C", func(r *recipe) { r.C, r.Choose = -1, false }},
		{"C", "C", func(r *recipe) { r.C, r.Choose = math.NaN(), false }},
		{"C", "pegasos", func(r *recipe) { r.C, r.Choose, r.Learner = 0, false, model.LearnerPegasos }},
		{"C", "C", func(r *recipe) { r.C, r.Choose, r.Learner, r.Map = 0, false, model.LearnerKernelSVM, model.MapNone }},
		{"lambda", "ambda", func(r *recipe) {
			r.Lambda, r.Choose, r.Learner, r.Map = -1, false, model.LearnerKernelRidge, model.MapNone
		}},
		{"lambda", "ambda", func(r *recipe) { r.Lambda, r.Choose, r.Learner = math.Inf(1), false, model.LearnerRidge }},
		{"rounds", "ound", func(r *recipe) { r.Rounds, r.Learner = 0, model.LearnerBoost }},
		{"tolerance", "olerance", func(r *recipe) { r.Tolerance = -1 }},
	} {
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 5)
		c.change(&r)
		if _, _, err := r.Fit(t.Context(), d); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error is %v, want one that says %q", c.name, err, c.says)
		}
	}
	r := job{learner: model.LearnerNuSVM, kind: model.MapNone}.recipe()
	if _, _, err := r.Fit(t.Context(), blobsOf(40, 3, true)); err == nil {
		t.Error("nu-svm took three classes")
	}
	r = job{learner: model.LearnerSVM, kind: model.MapNone}.recipe()
	if _, _, err := r.FitValues(t.Context(), wave(40, true)); err == nil || !strings.Contains(err.Error(), "svm cannot regress") {
		t.Errorf("svm on numbers: %v", err)
	}
	if _, _, err := r.Fit(t.Context(), data.Labeled[data.Vector, string]{X: d.X, Y: slices.Repeat([]string{"a"}, 40)}); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	r = job{learner: model.LearnerRidge, kind: model.MapNone}.recipe()
	for _, y := range []float64{math.NaN(), math.Inf(1)} {
		bad := wave(10, true)
		bad.Y[7] = y
		var fault *learn.DataError
		if _, _, err := r.FitValues(t.Context(), bad); !errors.As(err, &fault) || fault.Row != 7 {
			t.Errorf("a target of %v: %v", y, err)
		}
	}
	if _, _, err := r.FitValues(t.Context(), data.Labeled[data.Vector, float64]{X: d.X, Y: []float64{1}}); err == nil {
		t.Error("40 rows with one target were taken")
	}
	if _, _, err := r.Fit(t.Context(), data.Labeled[data.Vector, string]{X: d.X, Y: []string{"a", "b"}}); err == nil {
		t.Error("40 rows with two labels were taken")
	}
}

// TestCancelled: every learner stops, before it began and in the middle, with
// the best so far or the context's error.
func TestCancelled(t *testing.T) {
	for _, j := range jobs() {
		if !j.dense {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p, training, err := j.fit(ctx, j.recipe(), 60)
		if err == nil && (training.Status != learn.Cancelled || p == nil) {
			t.Errorf("%s: the status is %q", j, training.Status)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", j, err)
		}
	}
}

// TestManyClasses: the two ways of learning more than two classes by a kernel
// machine agree on what is easy.
func TestManyClasses(t *testing.T) {
	d := blobsOf(120, 4, true)
	for _, pairs := range []bool{true, false} {
		r := job{learner: model.LearnerKernelSVM, kind: model.MapNone}.recipe()
		r.Pairs, r.C = pairs, 10
		p, _, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i, y := range d.Y {
			if p.Predict(d.X.At(i)) == y {
				right++
			}
		}
		if right < 108 {
			t.Errorf("pairs %v: %d of 120 rows are right", pairs, right)
		}
		q, err := decode(encode(t, p))
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, fmt.Sprintf("pairs %v", pairs), p, q, d.X)
	}
}
