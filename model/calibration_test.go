package model_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

var methods = []calibrate.Method{calibrate.Softmax, calibrate.Sigmoid, calibrate.Steps}

// clouds returns independent draws from classes that lie over each other.
func clouds(n, classes int, s uint64) labeled {
	r := seed.Stream(s, seed.Generator, uint64(classes))
	var x data.Slice[data.Vector]
	var y []string
	for range n {
		c := r.IntN(classes)
		x = append(x, data.Dense(math.Cos(2*float64(c))+0.7*r.NormFloat64(), math.Sin(2*float64(c))+0.7*r.NormFloat64()))
		y = append(y, string(rune('a'+c)))
	}
	return labeled{X: x, Y: y}
}

// probabilitiesOf returns the probabilities of an instance and checks that they
// are such, and that the model predicts the likeliest class.
func probabilitiesOf(t *testing.T, name string, p *pipeline, x data.Vector) []float64 {
	t.Helper()
	scores, out := make([]float64, p.Outputs()), make([]float64, p.Outputs())
	p.Scores(scores, x)
	p.Calibration.Probabilities(out, scores)
	sum := 0.0
	for _, v := range out {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("%s: probabilities are %v", name, out)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Fatalf("%s: probabilities %v sum to %v", name, out, sum)
	}
	if c := p.Decide(scores); out[c] != slices.Max(out) || p.Predict(x) != p.Classes.Names[c] {
		t.Fatalf("%s: %q is predicted, class %d, with probabilities %v", name, p.Predict(x), c, out)
	}
	return out
}

// TestProbabilities: every learner has probabilities by every method. They say
// more than chance does, predictions go by them, and they come back from a file.
func TestProbabilities(t *testing.T) {
	for _, j := range jobs() {
		if !j.dense || j.task != model.Classify || j.learner == model.LearnerOneClass {
			continue
		}
		train, test := clouds(160, j.classes, 1), clouds(100, j.classes, 2)
		for _, method := range methods {
			name := fmt.Sprintf("%s, %s", j, method)
			r := j.recipe(nil)
			r.Calibrate = method
			p, _, err := r.Fit(t.Context(), train)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if p.Calibration == nil {
				t.Errorf("%s: there are no probabilities", name)
				continue
			}
			q, err := decode(encode(t, p))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			brier := 0.0
			for i, y := range test.Y {
				v := probabilitiesOf(t, name, p, test.X.At(i))
				if !slices.Equal(v, probabilitiesOf(t, name, q, test.X.At(i))) {
					t.Fatalf("%s: the probabilities differ after loading", name)
				}
				for c, label := range p.Classes.Names {
					truth := 0.0
					if label == y {
						truth = 1
					}
					brier += (v[c] - truth) * (v[c] - truth) / float64(len(test.Y))
				}
			}
			// All classes alike cost 1 - 1/k. Hard margins and linear programs
			// have nothing to say of classes that lie over each other.
			says := j.learner != model.LearnerHardMargin && j.learner != model.LearnerProgram
			if chance := 1 - 1/float64(j.classes); says && brier > 0.9*chance {
				t.Errorf("%s: the Brier score is %.3f", name, brier)
			}
		}
	}
}

// TestNoProbabilities: without a method there are none, and numbers and
// one-class machines have none.
func TestNoProbabilities(t *testing.T) {
	for _, j := range jobs() {
		r := j.recipe(nil)
		if !j.dense || j.task == model.Classify && j.learner != model.LearnerOneClass && j.learner != model.LearnerSVM {
			continue
		}
		if j.learner != model.LearnerSVM {
			r.Calibrate = calibrate.Sigmoid
		}
		if p, _ := j.mustFit(t, r, 60); p.Calibration != nil || p.Conformal != nil {
			t.Errorf("%s has probabilities", j)
		}
	}
}

// TestPredictionSets: the sets hold the true label as often as promised. Over
// the draw of n rows to fit them the coverage is a beta variable of mean c and
// variance at most c(1-c)/(n+2), and the fresh rows add theirs.
func TestPredictionSets(t *testing.T) {
	const runs, fresh = 4, 1500
	for _, classes := range []int{2, 3} {
		for _, method := range append(methods, "") {
			covered := make([]float64, len(model.Coverages))
			sizes := make([]float64, len(model.Coverages))
			kept := 0
			for s := range uint64(runs) {
				r := job{learner: model.LearnerLogistic, kind: model.MapNone}.recipe(nil)
				r.Conformal, r.Seed, r.Calibrate = 0.5, s, method
				p, training, err := r.Fit(t.Context(), clouds(1200, classes, 10+s))
				if err != nil {
					t.Fatal(err)
				}
				if kept = training.Kept; kept < 590 || kept > 610 {
					t.Fatalf("%d of 1200 rows were kept, not half", kept)
				}
				p, err = decode(encode(t, p))
				if err != nil {
					t.Fatal(err)
				}
				test := clouds(fresh, classes, 20+s)
				for l, level := range model.Coverages {
					if p.Conformal[l].Coverage != level {
						t.Fatalf("level %d is %v", l, p.Conformal[l].Coverage)
					}
					for i, y := range test.Y {
						set := p.Conformal[l].Set(probabilitiesOf(t, "sets", p, test.X.At(i)))
						at, _ := p.Classes.Index(y)
						sizes[l] += float64(len(set)) / (runs * fresh)
						if slices.Contains(set, at) {
							covered[l] += 1.0 / (runs * fresh)
						}
					}
				}
			}
			for l, level := range model.Coverages {
				sd := math.Sqrt(level * (1 - level) * (1/float64(kept/2) + 1.0/fresh) / runs)
				if covered[l] < level-4*sd {
					t.Errorf("%d classes, %q: sets of %v hold the label of %v of the rows", classes, method, level, covered[l])
				}
				if l > 0 && sizes[l] < sizes[l-1] {
					t.Errorf("%d classes, %q: sets of %v are smaller than those of less", classes, method, level)
				}
			}
		}
	}
}

// TestIntervals is TestPredictionSets for numbers, of every learner of them.
func TestIntervals(t *testing.T) {
	all := wave(4000, true)
	part := func(lo, hi int) numbered {
		return numbered{X: data.Range[data.Vector]{Of: all.X, Lo: lo, Hi: hi}, Y: all.Y[lo:hi]}
	}
	for _, j := range jobs() {
		if j.task != model.Regress || !j.dense {
			continue
		}
		const runs, n, fresh = 4, 400, 500
		covered := make([]float64, len(model.Coverages))
		width := make([]float64, len(model.Coverages))
		for s := range runs {
			r := j.recipe(nil)
			r.Conformal, r.Seed = 0.5, uint64(s)
			p, training, err := r.FitValues(t.Context(), part(900*s, 900*s+n))
			if err != nil {
				t.Fatalf("%s: %v", j, err)
			}
			if training.Kept != n/2 {
				t.Errorf("%s: %d rows were kept", j, training.Kept)
			}
			if p, err = decode(encode(t, p)); err != nil {
				t.Fatalf("%s: %v", j, err)
			}
			test := part(900*s+n, 900*s+n+fresh)
			for i, y := range test.Y {
				v := p.Value(test.X.At(i))
				for l := range model.Coverages {
					lo, hi := p.Conformal[l].Interval(v)
					if !(lo <= v && v <= hi) {
						t.Fatalf("%s: the prediction %v is not between %v and %v", j, v, lo, hi)
					}
					width[l] += hi - lo
					if lo <= y && y <= hi {
						covered[l] += 1.0 / (runs * fresh)
					}
				}
			}
		}
		for l, level := range model.Coverages {
			sd := math.Sqrt(level * (1 - level) * (1/float64(n/2) + 1.0/fresh) / runs)
			// No two residuals are equal, so that the coverage is not far above.
			if covered[l] < level-4*sd || covered[l] > level+1/float64(n/2)+4*sd {
				t.Errorf("%s: intervals of %v hold %v of the numbers", j, level, covered[l])
			}
			if l > 0 && width[l] < width[l-1] {
				t.Errorf("%s: intervals of %v are shorter than those of less", j, level)
			}
		}
	}
}

// TestConformalOfFewRows: with hardly any rows to keep, the sets are whole or
// the training is refused, and nothing is promised in vain.
func TestConformalOfFewRows(t *testing.T) {
	for _, n := range []int{2, 3, 4, 6, 10, 20} {
		for _, part := range []float64{0.01, 0.5, 0.99} {
			r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 4)
			r.Conformal = part
			d := blobsOf(n, 2, true)
			p, training, err := r.Fit(t.Context(), d)
			if err != nil {
				continue
			}
			for l, c := range p.Conformal {
				if c.N > training.Kept {
					t.Errorf("%d rows, %v: sets of %d rows of %d kept", n, part, c.N, training.Kept)
				}
				if float64(c.N+1)*model.Coverages[l] > float64(c.N) && !c.Whole {
					t.Errorf("%d rows, %v: %d rows promise %v", n, part, c.N, c.Coverage)
				}
				probabilitiesOf(t, "few rows", p, d.X.At(0))
			}
			y := make([]float64, n)
			for i := range y {
				y[i] = float64(i)
			}
			r.Learner, r.Map = model.NewRidge(), model.None[data.Vector]{}
			if q, _, err := r.FitValues(t.Context(), numbered{X: d.X, Y: y}); err == nil {
				wantFinite(t, "few rows", q, d.X)
				if _, err := decode(encode(t, q)); err != nil {
					t.Errorf("%d rows, %v: %v", n, part, err)
				}
			}
		}
	}
}
