package kernelized_test

import (
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// TestConformance learns which strings hold more a than b, by a kernel that
// counts both.
func TestConformance(t *testing.T) {
	d := words()
	kerftest.Learner(t, kernelized.NewPerceptron[string](counts), d)
	kerftest.Learner(t, kernelized.NewSVM[string](counts), d)
	kerftest.Learner(t, kernelized.NewNuSVM[string](counts), d)
	kerftest.Learner(t, kernelized.NewSoftSVM[string](counts), d)
}

// TestWeights asks for weights that are repetitions.
func TestWeights(t *testing.T) {
	k, d := kernel.Gaussian{Gamma: 1}, ring(150)
	type learner = learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]]
	kerftest.Weights(t, func(w []float64) learner {
		l := kernelized.NewSVM[data.Vector](k)
		l.Weight, l.Tolerance = w, 1e-8
		return l
	}, d, 1e-5)
	kerftest.Weights(t, func(w []float64) learner {
		l := kernelized.NewNuSVM[data.Vector](k)
		l.Weight, l.Tolerance = w, 1e-8
		return l
	}, d, 1e-5)
	kerftest.Weights(t, func(w []float64) learner {
		l := kernelized.NewSoftSVM[data.Vector](k)
		l.Weight, l.Tolerance = w, 1e-8
		return l
	}, d, 1e-5)
	kerftest.Weights(t, func(w []float64) learner {
		l := kernelized.NewRidgeClassifier[data.Vector](k)
		l.Weight = w
		return l
	}, d, 1e-6)
	kerftest.Weights(t, func(w []float64) learner {
		l := kernelized.NewCentroid[data.Vector](k)
		l.Weight = w
		return l
	}, d, 1e-10)
}
