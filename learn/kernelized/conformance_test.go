package kernelized_test

import (
	"testing"

	"github.com/kerf-ml/kerf/kerftest"
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
