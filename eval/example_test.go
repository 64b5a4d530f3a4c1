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
