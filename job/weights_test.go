package job_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// weighed are two tables: one with a column of weights, of which every third is 0,
// and one without those rows.
func weighed(t *testing.T, weight func(i int) float64) (all, live string) {
	t.Helper()
	x, y := gen.Circle(gen.Options{N: 90, Noise: 0.1, Seed: 3})
	var a, b strings.Builder
	a.WriteString("x,z,w,label\n")
	b.WriteString("x,z,w,label\n")
	for i := range y {
		w, line := weight(i), ""
		if i%3 == 0 {
			w = 0
		}
		line = fmt.Sprintf("%v,%v,%v,%s\n", x.Row(i)[0], x.Row(i)[1], w, y[i])
		a.WriteString(line)
		if w > 0 {
			b.WriteString(line)
		}
	}
	return put(t, "all.csv", a.String()), put(t, "live.csv", b.String())
}

// TestTrainZeroWeights: rows of weight 0 are as if they were not there, in the
// scale, the landmarks, the learner and all measures.
func TestTrainZeroWeights(t *testing.T) {
	all, live := weighed(t, func(i int) float64 { return 0.5 + float64(i%4) })
	for _, open := range []bool{true, false} {
		for _, holdout := range []float64{0, 0.3} {
			o := quickly()
			if !open {
				o.Options = chosen(t, "rbf(gamma=0.5)", "f2(dim=20)", "svm(C=10)")
				o.Scale = "standard"
			}
			o.Read.Weight, o.Holdout = "w", holdout
			got, want := train(t, all, o), train(t, live, o)
			if got.N != want.N || got.Kernel != want.Kernel || got.Dim != want.Dim || *got.C != *want.C ||
				fmt.Sprint(got.Train, got.Test) != fmt.Sprint(want.Train, want.Test) {
				t.Errorf("open %v, holdout %v: with rows of weight 0\n%+v, without\n%+v", open, holdout, got, want)
			}
			for i := range want.Training.Scores.Data {
				if got.Training.Scores.Data[i] != want.Training.Scores.Data[i] {
					t.Fatalf("open %v, holdout %v: other scores", open, holdout)
				}
			}
			if got.Weights.Zero != 30 || want.Weights.Zero != 0 || got.Weights.From != "w" {
				t.Errorf("weights %v and %v", got.Weights, want.Weights)
			}
		}
	}
}

// TestTrainWeighedError: the error is by weight.
func TestTrainWeighedError(t *testing.T) {
	_, live := weighed(t, func(i int) float64 { return 1 + float64(i%4) })
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=6)", "svm(C=1)")}
	o.Read.Weight = "w"
	got := train(t, live, o)
	rows, err := dataset.Read(t.Context(), live, o.Read)
	if err != nil {
		t.Fatal(err)
	}
	wrong, total := 0.0, 0.0
	for i, line := range linesOf(t, got.Model, live, job.PredictOptions{Options: o.Options}) {
		if total += rows.Weights[i]; line != rows.Labels[i] {
			wrong += rows.Weights[i]
		}
	}
	if !near(got.Train.Loss(), wrong/total) || wrong == 0 {
		t.Errorf("the error is %v, want %v of %v", got.Train.Loss(), wrong, total)
	}
	e, err := job.Evaluate(t.Context(), got.Model, live, o.Options)
	if err != nil || !near(e.Classes.Error, wrong/total) {
		t.Errorf("evaluated: %+v, %v", e, err)
	}
}

// TestTrainOneClass: the rows need no labels, and the outliers are those that the
// model scores below 0.
func TestTrainOneClass(t *testing.T) {
	path := put(t, "b.baskets", strings.Repeat("milk,bread\nmilk,tea\nmilk,bread,tea\nbread\n", 20)+"oil,nails\n")
	o := job.TrainOptions{Options: chosen(t, "jaccard", "", "one-class(nu=0.05)")}
	o.Read.Kind, o.Read.Target = dataset.Sets, "none"
	got := train(t, path, o)
	outliers := 0.0
	for i, line := range linesOf(t, got.Model, path, job.PredictOptions{Options: o.Options, Scores: true}) {
		name, inside := line, false
		if fields := strings.Split(line, "\t"); len(fields) == 3 {
			name, inside = fields[0], !strings.HasPrefix(fields[2], "-")
		}
		if !inside {
			outliers++
		}
		if inside != (name == got.Classes[1]) || i == 80 && inside {
			t.Errorf("row %d: %s", i+1, line)
		}
	}
	if !got.Train.Outliers || got.Train.Loss() != outliers/81 || got.N != 81 || got.Status != learn.Converged {
		t.Errorf("%v after %s, want %v", got.Train, got.Status, outliers)
	}
	if !strings.Contains(got.Train.String(), "outliers") || got.Picked != nil || got.Map != model.MapNone {
		t.Errorf("%s, map %s, picked %v", got.Train, got.Map, got.Picked)
	}
}

// TestTrainClassWeight: a class of weight k counts as k rows of each.
func TestTrainClassWeight(t *testing.T) {
	x, y := gen.Circle(gen.Options{N: 60, Noise: 0.2, Seed: 3})
	var plain, weighed strings.Builder
	for i := range y {
		line := fmt.Sprintf("%v,%v", x.Row(i)[0], x.Row(i)[1])
		w := map[string]int{"1": 3, "-1": 1}[y[i]]
		fmt.Fprintf(&plain, "%s,%s\n", line, y[i])
		fmt.Fprintf(&weighed, "%s,%d,%s\n", line, w, y[i])
	}
	o := job.TrainOptions{Options: chosen(t, "poly(degree=2)", "monomials", "svm(C=1,tolerance=1e-9)")}
	o.Scale = "none"
	o.Choices.ClassWeight = map[string]float64{"1": 3}
	byClass := train(t, put(t, "plain.csv", plain.String()), o)
	o.Choices.ClassWeight, o.Read.Weight = nil, "3"
	byRow := train(t, put(t, "weighed.csv", weighed.String()), o)
	for i, v := range byRow.Training.Scores.Data {
		if math.Abs(v-byClass.Training.Scores.Data[i]) > 1e-6 { // sums in another order, to a gap of 1e-9
			t.Fatalf("score %d is %v by rows, %v by classes", i, v, byClass.Training.Scores.Data[i])
		}
	}
}
