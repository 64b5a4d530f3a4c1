package eval_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/eval"
)

func TestClassify(t *testing.T) {
	m := eval.Classify([]int{0, 0, 1, 1, 1}, []int{0, 1, 1, 1, -1}, 3)
	right := []float64{1, 2.0 / 3} // of class 0 and of class 1; class 2 has no rows
	want := eval.Metrics{N: 5, Error: 0.4, Accuracy: 0.6, BalancedAccuracy: (right[0] + right[1]) / 2}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if m := eval.Classify(nil, nil, 2); m != (eval.Metrics{}) {
		t.Errorf("empty: %+v", m)
	}
	confusion := eval.Confusion([]int{0, 0, 1, 1, 1}, []int{0, 1, 1, 1, -1}, 2)
	if !reflect.DeepEqual(confusion, [][]int{{1, 0}, {1, 2}}) {
		t.Errorf("confusion %v", confusion)
	}
}

// TestAUC compares with the definition: the mean over pairs.
func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 40 {
		score, positive := make([]float64, n), make([]bool, n)
		for i := range score {
			score[i] = float64(rng.IntN(8)) // ties
			positive[i] = rng.IntN(2) == 0
		}
		sum, pairs := 0.0, 0.0
		for i := range score {
			for j := range score {
				if positive[i] && !positive[j] {
					pairs++
					switch {
					case score[i] > score[j]:
						sum++
					case score[i] == score[j]:
						sum += 0.5
					}
				}
			}
		}
		got := eval.AUC(score, positive)
		if pairs == 0 {
			if !math.IsNaN(got) {
				t.Fatalf("one class: %v", got)
			}
			continue
		}
		if math.Abs(got-sum/pairs) > 1e-12 {
			t.Fatalf("got %v, want %v", got, sum/pairs)
		}
	}
}
