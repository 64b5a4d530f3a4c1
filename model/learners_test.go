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

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// TestEveryLearner trains every learner on every kind of sample: it learns,
// says what it did, gives the same bits when it is fitted again and by any
// number of workers, and comes back from a file as it was.
func TestEveryLearner(t *testing.T) {
	const n = 90
	for _, j := range jobs() {
		t.Run(j.String(), func(t *testing.T) {
			r := j.recipe(nil)
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
	if s := training.Status; s != learn.Converged && s != learn.IterationLimit && s != learn.BelowTolerance {
		t.Errorf("the status is %q", s)
	}
	if training.Elapsed <= 0 || training.Objective-training.Objective != 0 || training.Gap-training.Gap != 0 {
		t.Errorf("the report is %+v", training.Report)
	}
	if uses := j.traits().Kernel || j.kind != model.MapNone; uses != (training.Evaluations > 0) {
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
	if training.Status == learn.BelowTolerance {
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
		"shuffled": seed.Stream(1, seed.Generator, 0).Perm(n), "one": {n - 1}, "some": {3, 3, 50, 7},
		"a block and one": seed.Stream(2, seed.Generator, 0).Perm(n)[:85],
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
		if !j.traits().Kernel && j.kind == model.MapNone {
			continue
		}
		r := j.recipe(nil)
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
	for _, name := range model.LearnerNames(nil) {
		traits, _ := model.TraitsOf(name)
		r := model.NewRecipe[city](nearby, 20)
		r.Learner = learnerOf[city](name, args{"C": 10, "max_passes": 50, "dim": 20, "choose": false})
		if r.Choose = false; traits.Kernel {
			r.Map = model.None[city]{}
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
		r.Map, r.Learner = model.None[city]{}, model.NewSVM()
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
		r := job{learner: model.LearnerOneClass, kind: model.MapNone}.recipe(args{"nu": nu, "tolerance": 1e-5})
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
	r := job{learner: model.LearnerOneClass, kind: model.MapNone}.recipe(nil)
	one := labeled{X: d.X, Y: make([]string, n)}
	if _, _, err := r.Fit(t.Context(), one); err != nil {
		t.Errorf("labels that are all the same: %v", err)
	}
	for _, nu := range []float64{0, -1, 1.5, math.NaN(), math.Inf(1)} {
		one, two, three := model.NewOneClass[data.Vector](), model.NewNuSVM[data.Vector](), model.NewNuSVR[data.Vector]()
		one.Nu, two.Nu, three.Nu = nu, nu, nu
		for _, l := range []model.Learner{one, two, three} {
			j := job{learner: l.Name(), kind: model.MapNone, classes: 2, dense: true}
			if l.Traits().Can(model.Regress) {
				j.task = model.Regress
			}
			r := j.recipe(nil)
			r.Learner = l
			if _, _, err := j.fit(t.Context(), r, 30); err == nil || !strings.Contains(err.Error(), "Nu is") {
				t.Errorf("%s with nu = %v: error is %v", l.Name(), nu, err)
			}
		}
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
		p, training, err := j.fit(ctx, j.recipe(nil), 60)
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
		r := job{learner: model.LearnerKernelSVM, kind: model.MapNone}.recipe(args{"pairs": pairs, "C": 10})
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

// TestMaxSteps: machines stop after the steps that they are given, in trials too.
func TestMaxSteps(t *testing.T) {
	for _, j := range jobs() {
		a := args{"tolerance": 1e-9, "max_steps": 3}
		if !j.dense || !model.Accepts(learnerOf[data.Vector](j.learner, nil), "max_steps") {
			continue
		}
		_, training := j.mustFit(t, j.recipe(a), 90)
		if most := 3 * max(j.classes, 1); training.Status != learn.IterationLimit || training.Iterations > most {
			t.Errorf("%s: %d steps, %s", j, training.Iterations, training.Status)
		}
		quick := learnerOf[data.Vector](j.learner, a).(model.Quicker).Quick(90)
		if !slices.Contains(fieldsThatDiffer(quick, learnerOf[data.Vector](j.learner, args{"max_steps": 4})), "MaxSteps") ||
			slices.Contains(fieldsThatDiffer(quick, learnerOf[data.Vector](j.learner, a)), "MaxSteps") {
			t.Errorf("%s: trials take %+v", j, quick)
		}
	}
}
