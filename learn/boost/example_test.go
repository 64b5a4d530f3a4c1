package boost_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/boost"
)

// A vote of cuts learns an interval, which no single cut does.
func ExampleAdaBoost() {
	x := data.Slice[data.Vector]{data.Dense(1), data.Dense(2), data.Dense(3), data.Dense(4), data.Dense(5), data.Dense(6)}
	y := []float64{-1, -1, 1, 1, -1, -1}
	a := boost.NewAdaBoost(boost.NewStump())
	a.StopAtZero = true
	e, report, err := a.Fit(context.Background(), data.Labeled[data.Vector, float64]{X: x, Y: y})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range e.History {
		fmt.Printf("error %.3f, of the vote %.3f, at most %.3f\n", r.Error, r.TrainError, r.Bound)
	}
	fmt.Println(report.Status, e.Predict(data.Dense(3.2)))
	// Output:
	// error 0.333, of the vote 0.333, at most 0.943
	// error 0.250, of the vote 0.333, at most 0.816
	// error 0.167, of the vote 0.000, at most 0.609
	// converged 1
}

func ExampleHalfspace() {
	x := data.Slice[data.Vector]{data.Dense(3, 1), data.Dense(2, 2), data.Dense(-1, -3), data.Dense(-2, -1)}
	h := boost.NewHalfspace()
	h.Seed = 1
	a := boost.NewAdaBoost(h)
	e, report, err := a.Fit(context.Background(), data.Labeled[data.Vector, float64]{X: x, Y: []float64{1, 1, -1, -1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, e.Predict(data.Dense(1, 1)))
	// Output: converged 1
}
