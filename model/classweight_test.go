package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
)

// repeated returns the sample with the rows of a class twice.
func repeated(d labeled, class string) labeled {
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
			r := j.recipe(args{"tolerance": 1e-8, "max_passes": 20000})
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
					row := i / classes
					t.Errorf("%s: row %d scores %v with weights and %v with rows twice", j, row, one.Row(row), two.Row(row))
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
	var d labeled
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
	for _, name := range []string{
		model.LearnerSVM, model.LearnerLogistic, model.LearnerRidge, model.LearnerKernelSVM, model.LearnerKernelRidge,
		model.LearnerFalkon, model.LearnerBoost,
	} {
		recipe := job{learner: name, kind: model.MapNone}.recipe(args{"rounds": 10, "loss": linear.Hinge, "lambda": 0.1})
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
	for _, name := range model.LearnerNames(nil) {
		traits, _ := model.TraitsOf(name)
		if !traits.Can(model.Classify) || traits.Unsupervised {
			continue
		}
		r := job{learner: name, kind: model.MapNone}.recipe(nil)
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
		r := job{learner: name, kind: model.MapNone}.recipe(nil)
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
