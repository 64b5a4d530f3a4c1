package eval_test

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/eval"
)

func ExampleMeasure_Classification() {
	c, err := eval.NewMeasure().Classification(context.Background(), eval.Said{
		Classes: 2, Truth: []int{0, 0, 0, 1, 1, 1, 1, 1, 1, 1}, Predicted: []int{0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("error %.2f, from %.3f to %.3f with confidence %v\n", c.Error, c.Intervals.Error.Low,
		c.Intervals.Error.High, c.Confidence)
	fmt.Printf("mean F1 %.3f; AUC known: %v\n", *c.MacroF1, c.AUC != nil)
	// Output:
	// error 0.10, from 0.003 to 0.445 with confidence 0.95
	// mean F1 0.867; AUC known: false
}

func ExampleFolds_Stratified() {
	folds, err := eval.Folds{K: 2, Repeats: 1, Seed: 1}.Stratified([]int{0, 0, 0, 0, 1, 1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range folds {
		fmt.Println(len(f.Train()), "to train on,", len(f.Test), "to test; classes not tested", f.Untested, "not learnt",
			f.Unseen)
	}
	// Output:
	// 3 to train on, 4 to test; classes not tested [] not learnt [2]
	// 4 to train on, 3 to test; classes not tested [2] not learnt []
}

func ExampleSearch_Run() {
	points, err := eval.Space{eval.Log(0.01, 100)}.Grid(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := eval.NewSearch[[]float64]().Run(context.Background(), points,
		func(_ context.Context, c []float64, _ float64) (float64, error) {
			return math.Abs(math.Log10(c[0]) - 0.8), nil // stands for the error of cross-validation
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3g of %d, %s\n", r.Best.Candidate[0], len(r.Trials), r.Status)
	// Output: 10 of 5, converged
}

// Two candidates that err to either side, and one that is worse than both.
func ExampleConvexSquares() {
	y := []float64{1, 2, 3, 4}
	scores := [][]float64{{1.1, 2.1, 3.1, 4.1}, {0.7, 1.7, 2.7, 3.7}, {4, 3, 2, 1}}
	fmt.Printf("%.2f\n", eval.ConvexSquares(scores, y, nil))
	// Output: [0.75 0.25 0.00]
}

// The candidates whose labels, by the mean of scores, are wrong least often.
func ExampleGreedy() {
	scores, positive := [][]float64{{1, -2, 3, 1}, {2, 2, -1, -2}, {-1, 1, 2, 1}}, []bool{true, true, true, false}
	wrong := func(a []float64) float64 {
		n := 0.0
		for r, truth := range positive {
			sum := 0.0
			for i, s := range scores {
				sum += a[i] * s[r]
			}
			if sum > 0 != truth {
				n++
			}
		}
		return n
	}
	fmt.Println(eval.Greedy(len(scores), 10, wrong))
	// Output: [0 0.5 0.5]
}
