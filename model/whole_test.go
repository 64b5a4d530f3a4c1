package model_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// TestTrialsMapOnce: trials at several penalties, which map the rows to score once, give the
// bits of trials at one penalty each, which map them each time; with classes, numbers, and
// rows that have no weight.
func TestTrialsMapOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) *data.Matrix {
		x := data.NewMatrix(n, 5)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		return x
	}
	for _, n := range []int{7, 130, 300} {
		x, test := random(n), random(n/2+1)
		s := model.Sample[data.Vector]{Task: model.Classify, X: x, Classes: data.NewClasses([]string{"a", "b", "c"})}
		numbers := model.Sample[data.Vector]{Task: model.Regress, X: x}
		for i := range n {
			s.Y = append(s.Y, i%3)
			numbers.Values = append(numbers.Values, rng.NormFloat64())
		}
		weighed := s
		weighed.Weight = make([]float64, n)
		for i := range weighed.Weight {
			weighed.Weight[i] = float64(i % 4)
		}
		for name, one := range map[string]model.Sample[data.Vector]{"classes": s, "numbers": numbers, "weights": weighed} {
			r := model.Recipe[data.Vector]{Kernel: kernel.Gaussian{Gamma: 0.3}, Map: model.None[data.Vector]{},
				Learner: model.NewKernelRidge[data.Vector](), Seed: 1}
			penalties := []float64{1, 0.1, 1e-3}
			i := 0
			for many, err := range r.Trials(context.Background(), one, test, penalties) {
				if err != nil {
					t.Fatal(n, name, err)
				}
				for single, err := range r.Trials(context.Background(), one, test, penalties[i:i+1]) {
					if err != nil {
						t.Fatal(n, name, err)
					}
					if !slices.Equal(many.Scores.Data, single.Scores.Data) {
						t.Errorf("%d rows, %s, penalty %g: the scores differ", n, name, penalties[i])
					}
				}
				i++
			}
			if i != len(penalties) {
				t.Errorf("%d rows, %s: %d trials", n, name, i)
			}
			for many, err := range r.TrialsInOrder(context.Background(), one, test, penalties, slices.Values([]int{2, 0})) {
				if err != nil {
					t.Fatal(n, name, err)
				}
				for single, err := range r.Trials(context.Background(), one, test, []float64{many.Penalty}) {
					if err != nil || !slices.Equal(many.Scores.Data, single.Scores.Data) {
						t.Errorf("%d rows, %s, penalty %g in another order: the scores differ, %v", n, name, many.Penalty, err)
					}
				}
			}
		}
	}
}
