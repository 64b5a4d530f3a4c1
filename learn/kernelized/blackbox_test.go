package kernelized_test

import (
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// All recipes learn on instances of any type, by a kernel of which they know
// nothing: here which strings hold more a than b.
func TestBlackBoxConformance(t *testing.T) {
	k := kernel.Func[string](func(x, y string) float64 {
		return float64(strings.Count(x, "a")*strings.Count(y, "a") + strings.Count(x, "b")*strings.Count(y, "b"))
	})
	var d data.Labeled[string, float64]
	var words data.Slice[string]
	for a := range 9 {
		for b := range 9 {
			if a != b {
				words = append(words, strings.Repeat("a", a)+strings.Repeat("b", b))
				d.Y = append(d.Y, map[bool]float64{true: 1, false: -1}[a > b])
			}
		}
	}
	d.X = words
	type learner = learn.Learner[string, float64, *kernelized.Expansion[string]]
	sgd := kernelized.NewSGD[string](k)
	sgd.Steps = 5000
	for name, l := range map[string]learner{
		"ridge":    kernelized.NewRidgeClassifier[string](k),
		"falkon":   kernelized.NewFalkonClassifier[string](k), // 72 landmarks of rank 2
		"sgd":      sgd,
		"centroid": kernelized.NewCentroid[string](k),
		"averaged": kernelized.NewAveragedPerceptron[string](k),
		"budget":   kernelized.NewBudgetPerceptron[string](k),
	} {
		t.Run(name, func(t *testing.T) {
			kerftest.Learner(t, l, d)
			e, _, err := l.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for i, y := range d.Y {
				if e.Predict(words[i]) != y {
					wrong++
				}
			}
			if wrong > 4 {
				t.Errorf("%d of %d wrong", wrong, len(d.Y))
			}
		})
	}
}

// A kernel that panics is an error of the fit, and no end of the program.
func TestBlackBoxPanics(t *testing.T) {
	k := kernel.Func[string](func(x, y string) float64 { panic("no number") })
	d := data.Labeled[string, float64]{X: data.Slice[string]{"a", "b", "aa", "bb"}, Y: []float64{1, -1, 1, -1}}
	for name, l := range map[string]learn.Learner[string, float64, *kernelized.Expansion[string]]{
		"ridge":  kernelized.NewRidgeClassifier[string](k),
		"falkon": kernelized.NewFalkonClassifier[string](k),
		"svm":    kernelized.NewSVM[string](k),
	} {
		if _, _, err := l.Fit(t.Context(), d); err == nil || !strings.Contains(err.Error(), "no number") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The perceptron with a budget learns many classes by one against the rest.
func TestBudgetOneVsRest(t *testing.T) {
	d := sectors(200, 3)
	b := kernelized.NewBudgetPerceptron[data.Vector](kernel.Gaussian{Gamma: 3})
	b.Budget = 100
	rest := learn.OneVsRest[data.Vector, *kernelized.Expansion[data.Vector]]{Learner: b, Classes: 3}
	m, _, err := rest.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, y := range d.Y {
		if m.Predict(d.X.At(i)) != y {
			wrong++
		}
	}
	if wrong > 20 {
		t.Errorf("%d of 200 wrong", wrong)
	}
}
