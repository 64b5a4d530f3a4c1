package model_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

// weighed returns weights 1, 0, 2, 3, 1, 1, 0 … of n rows, and the rows that have
// each as often as its weight says.
func weighed(n int) (weight []float64, index []int) {
	for i := range n {
		w := []int{1, 0, 2, 3, 1, 1, 0, 5}[i%8]
		weight = append(weight, float64(w))
		for range w {
			index = append(index, i)
		}
	}
	return weight, index
}

// fitBoth trains the job's recipe with weights and on rows that are repeated.
func (j job) fitBoth(t *testing.T, r recipe, n int) (weighted, repeated *pipeline) {
	t.Helper()
	weight, index := weighed(n)
	weighted, _, first := r.FitSample(t.Context(), j.sample(n, weight))
	repeated, _, second := r.FitSample(t.Context(), j.sample(n, nil).Select(index))
	if err := errors.Join(first, second); err != nil {
		t.Fatal(err)
	}
	return weighted, repeated
}

// stochastic are learners that take rows in random order, for which weights are
// repetition in what they approach.
var stochastic = []string{model.LearnerPegasos, model.LearnerKernelSGD, model.LearnerAveragedPerceptron}

// repetition is how far scores with weights may be from those with rows repeated,
// relative to the largest: rounding of sums where a learner has a closed form or
// takes the same steps; where a machine stops within 1e-9 of its optimality
// conditions, that times how much worse than they a score may be; where a solver
// stops within 1e-9 of its objective, the root of that; Falkon has a tolerance of
// its own, 1e-4 of the gradient.
var repetition = map[string]float64{
	model.LearnerRidge: 1e-11, model.LearnerKernelRidge: 1e-11, model.LearnerCentroid: 1e-11,
	model.LearnerBoost: 1e-11, model.LearnerBoostHalfspace: 1e-11,
	model.LearnerKernelSVM: 1e-7, model.LearnerNuSVM: 1e-7, model.LearnerOneClass: 1e-7,
	model.LearnerSVR: 1e-7, model.LearnerNuSVR: 1e-7,
	model.LearnerSVM: 2e-4, model.LearnerLogistic: 2e-4, model.LearnerFalkon: 1e-3,
}

// TestWeightIsRepetition: with a map that does not depend on the rows, a row of
// weight k is k rows to every learner that has weights.
func TestWeightIsRepetition(t *testing.T) {
	const n = 96
	for _, j := range jobs() {
		if !j.traits().Weights || j.kind == model.MapF2 && !j.dense {
			continue
		}
		if j.kind == model.MapF2 {
			j.kind = model.MapFourier
		}
		for _, balanced := range []bool{false, true} {
			if balanced && (j.task == model.Regress || j.traits().Unsupervised) {
				continue
			}
			t.Run(j.String(), func(t *testing.T) {
				// All rows are landmarks of Falkon, and solvers go to the end.
				a := args{"dim": 1000, "tolerance": 1e-9, "max_passes": 100_000}
				if j.kind == model.MapFourier {
					a["dim"] = 20
				}
				if j.learner == model.LearnerKernelRidge {
					delete(a, "tolerance") // it is exact without
				}
				r := j.recipe(a)
				r.Balanced = balanced
				p, q := j.fitBoth(t, r, n)
				one, two := scoresOf(t, p, 1, j.fresh()), scoresOf(t, q, 1, j.fresh())
				if slices.Contains(stochastic, j.learner) {
					wantAgreement(t, one, two)
					return
				}
				size := 0.0
				for _, v := range two.Data {
					size = max(size, math.Abs(v))
				}
				within, known := repetition[j.learner]
				for i, v := range one.Data {
					if !known || !(math.Abs(v-two.Data[i]) <= within*size) {
						t.Fatalf("score %d is %v with weights and %v with rows repeated", i, v, two.Data[i])
					}
				}
			})
		}
	}
}

// wantAgreement asks that two models say the same of nine rows in ten.
func wantAgreement(t *testing.T, one, two *data.Matrix) {
	t.Helper()
	same := 0
	for i := range one.Rows {
		if model.Best(one.Row(i)) == model.Best(two.Row(i)) {
			same++
		}
	}
	if 10*same < 9*one.Rows {
		t.Errorf("they agree on %d of %d rows", same, one.Rows)
	}
}

// TestWeightZeroIsAbsence: rows of weight 0 have no part in anything, so that all
// choices, the map and the probabilities are those without them, bit by bit.
func TestWeightZeroIsAbsence(t *testing.T) {
	d := blobsOf(400, 3, true)
	x := slices.Clone(d.X.(data.Slice[data.Vector]))
	var rest []int
	weight := make([]float64, len(x))
	for i := range x {
		if weight[i] = 1 + float64(i%3); i%4 == 1 {
			weight[i], x[i] = 0, data.Dense(1e6, -1e6, 1e6)
		} else {
			rest = append(rest, i)
		}
	}
	d.X, d.Weight = x, weight
	for _, learner := range []string{model.LearnerSVM, model.LearnerKernelSVM, model.LearnerFalkon} {
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 30)
		r.Learner, r.Conformal = learnerOf[data.Vector](learner, args{"dim": 30}), 0.2
		if r.Learner.Traits().Kernel {
			r.Map = model.None[data.Vector]{}
		}
		a, at, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		b, bt, err := r.Fit(t.Context(), d.Select(rest))
		if err != nil {
			t.Fatal(err)
		}
		if string(encode(t, a)) != string(encode(t, b)) || at.C != bt.C || at.Kept != bt.Kept {
			t.Errorf("%s: rows of weight 0 have a part", learner)
		}
	}
}

// TestWeightUnit: what is chosen does not depend on the unit of the weights.
func TestWeightUnit(t *testing.T) {
	for _, j := range jobs() {
		traits := j.traits()
		if !traits.Weights || !j.dense || j.classes == 3 || slices.Contains(stochastic, j.learner) || traits.Unsupervised {
			continue // the scores of one-class are in the unit
		}
		fit := func(unit float64) *data.Matrix {
			r := j.choosing(nil)
			if j.task == model.Classify {
				r.Calibrate = calibrate.Sigmoid
			}
			weight := make([]float64, 120)
			for i := range weight {
				weight[i] = unit * float64(1+i%4)
			}
			p, _, err := r.FitSample(t.Context(), j.sample(120, weight))
			if err != nil {
				t.Fatalf("%s: %v", j, err)
			}
			s := scoresOf(t, p, 1, j.fresh())
			if p.Calibration != nil {
				return p.Calibration.All(s)
			}
			return s
		}
		one, other := fit(1), fit(1<<20)
		for i, v := range one.Data {
			if math.Abs(v-other.Data[i]) > 1e-2*(1+math.Abs(v)) {
				t.Errorf("%s: value %d is %v, and %v with weights in another unit", j, i, v, other.Data[i])
				break
			}
		}
	}
}

// TestWeightsDecide: two rows contradict each other, and the heavier one is
// right; a held-out error goes by weights, too.
func TestWeightsDecide(t *testing.T) {
	r := model.NewRecipe[data.Vector](kernel.Linear{}, 1)
	r.Map = model.None[data.Vector]{}
	d := labeled{}
	var x data.Slice[data.Vector]
	s := seed.Stream(3, seed.Generator, 0)
	for i := range 400 {
		v := s.NormFloat64()
		label := map[bool]string{true: "up", false: "down"}[v > 0]
		w := 1.0
		if i%2 == 1 { // half of the rows are wrong, and light
			label = map[string]string{"up": "down", "down": "up"}[label]
			w = 0.1
		}
		x, d.Y, d.Weight = append(x, data.Dense(v)), append(d.Y, label), append(d.Weight, w)
	}
	d.X = x
	p, training, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if p.Predict(data.Dense(1)) != "up" || p.Predict(data.Dense(-1)) != "down" {
		t.Error("the light rows won")
	}
	for _, trial := range training.Trials {
		if !(trial.Error < 0.2) { // a light row in eleven parts of weight
			t.Errorf("held-out error %v at C = %v", trial.Error, trial.Penalty)
		}
	}
	all := make([]float64, 2)
	p.Scores(all, data.Dense(1))
	p.Calibration.Probabilities(all, all)
	if !(all[1] > 0.75) {
		t.Errorf("the probability of up is %v", all[1])
	}
}

func TestWeightRefusals(t *testing.T) {
	fit := func(learner string, change func(*labeled, *recipe)) error {
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 10)
		r.Learner = learnerOf[data.Vector](learner, args{"dim": 10})
		if r.Learner.Traits().Kernel {
			r.Map = model.None[data.Vector]{}
		}
		d := blobsOf(40, 2, true)
		d.Weight = make([]float64, 40)
		for i := range d.Weight {
			d.Weight[i] = 1
		}
		change(&d, &r)
		_, _, err := r.Fit(t.Context(), d)
		return err
	}
	for _, c := range []struct {
		name, want string
		change     func(*labeled, *recipe)
	}{
		{"few", "there are 39 weights for 40 rows", func(d *labeled, _ *recipe) { d.Weight = d.Weight[1:] }},
		{"negative", "row 4: weight is -1", func(d *labeled, _ *recipe) { d.Weight[3] = -1 }},
		{"NaN", "row 5: weight is NaN", func(d *labeled, _ *recipe) { d.Weight[4] = math.NaN() }},
		{"infinite", "row 1: weight is +Inf", func(d *labeled, _ *recipe) { d.Weight[0] = math.Inf(1) }},
		{"none", "all weights are 0", func(d *labeled, _ *recipe) { clear(d.Weight) }},
		{"class", "all rows of the class", func(d *labeled, _ *recipe) {
			for i, y := range d.Y {
				if y == d.Y[0] {
					d.Weight[i] = 0
				}
			}
		}},
	} {
		if err := fit(model.LearnerSVM, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, name := range model.LearnerNames(nil) {
		traits, _ := model.TraitsOf(name)
		if !traits.Can(model.Classify) {
			continue
		}
		err := fit(name, func(*labeled, *recipe) {})
		if traits.Weights && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		says := name + " takes no weights; these learners do: svm, "
		if !traits.Weights && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWeightsAndClaims: rows that a certificate may use are found again among
// those of positive weight.
func TestWeightsAndClaims(t *testing.T) {
	claim := &model.Claim{Claim: certificate.NewClaim(0.1, 0.3, 0.9), Most: 200}
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 10)
	r.Claim, r.Choose, r.Calibrate = claim, false, ""
	d := blobsOf(900, 2, true)
	d.Weight = make([]float64, 900)
	var rest, certify []int
	for i := range d.Weight {
		if i%3 > 0 {
			d.Weight[i] = float64(i % 3)
			if i%2 == 0 {
				certify = append(certify, len(rest))
				claim.Fresh = append(claim.Fresh, i)
			}
			rest = append(rest, i)
		} else if i%2 == 0 {
			claim.Fresh = append(claim.Fresh, i)
		}
	}
	a, at, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	claim.Fresh = certify
	b, bt, err := r.Fit(t.Context(), d.Select(rest))
	if err != nil {
		t.Fatal(err)
	}
	if string(encode(t, a)) != string(encode(t, b)) || at.Earned.Words != bt.Earned.Words {
		t.Errorf("%s; without rows of weight 0 %s", at.Earned.Words, bt.Earned.Words)
	}
}

// TestOddWeights: weights of very different sizes give an error or a model of
// finite scores.
func TestOddWeights(t *testing.T) {
	for _, j := range jobs() {
		if !j.traits().Weights || !j.dense || j.classes == 3 {
			continue
		}
		for _, odd := range [][]float64{
			{1e-150, 1, 1, 1}, {1e150, 1, 1e-150, 3}, {1e150, 1e150, 1e150, 1e150}, {1e-150, 1e-150, 1e-150, 1e-150},
		} {
			weight := slices.Repeat(odd, 15)
			p, _, err := j.choosing(args{"max_passes": 20}).FitSample(t.Context(), j.sample(60, weight))
			if err != nil {
				if learn.CheckWeights(4, odd) != nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, weights %v: %v", j, odd, err)
				}
				t.Logf("%s, weights %v: %v", j, odd, err)
				continue
			}
			for _, v := range scoresOf(t, p, 1, j.fresh()).Data {
				if v-v != 0 {
					t.Errorf("%s, weights %v: score %v", j, odd, v)
					break
				}
			}
		}
	}
}
