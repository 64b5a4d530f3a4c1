package linear_test

import (
	"context"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/learn/linear"
)

func TestConformance(t *testing.T) {
	for name, o := range map[string]gen.Options{
		"halfspace": {N: 200, Seed: 1, Margin: 0.1, Dim: 5},
		"circle":    {N: 200, Seed: 1},
	} {
		x, labels, err := gen.Make(context.Background(), name, o)
		if err != nil {
			t.Fatal(err)
		}
		d := data.Labeled[data.Vector, float64]{X: x, Y: make([]float64, len(labels))}
		for i, l := range labels {
			d.Y[i] = -1
			if l == "1" {
				d.Y[i] = 1
			}
		}
		t.Run("svm/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewSVM(), d) })
		squared := linear.NewSVM()
		squared.Loss = linear.SquaredHinge
		t.Run("squared hinge/"+name, func(t *testing.T) { kerftest.Learner(t, squared, d) })
		t.Run("logistic/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewLogistic(), d) })
		if name == "halfspace" {
			t.Run("hard margin/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewHardMargin(), d) })
		}
		t.Run("perceptron/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewPerceptron(), d) })
	}
}
