package calibrate_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// held are the scores -s and s of eight held-out rows, and their classes.
func held() (*data.Matrix, []int) {
	return pair([]float64{-3, -2, -1, -0.5, 0.5, 1, 2, 3}), []int{0, 0, 0, 1, 0, 1, 1, 1}
}

func ExamplePlatt_Fit() {
	scores, y := held()
	c, err := calibrate.NewPlatt().Fit(context.Background(), scores, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := make([]float64, 2)
	c.Probabilities(p, []float64{-1.5, 1.5})
	fmt.Printf("%.2f, so class %d\n", p, c.Predict([]float64{-1.5, 1.5}))
	// Output: [0.28 0.72], so class 1
}

func ExampleIsotonic_Fit() {
	scores, y := held()
	c, err := calibrate.Isotonic{}.Fit(context.Background(), scores, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Isotonic[0].X, c.Isotonic[0].Y)
	// Output: [-3 -1 -0.5 0.5 1 3] [0 0 0.5 0.5 1 1]
}

func ExampleTemperature_Fit() {
	scores, y := held()
	c, err := calibrate.Temperature{}.Fit(context.Background(), scores, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("scores are divided by %.2f\n", c.Temperature)
	// Output: scores are divided by 1.94
}

func ExampleSplit_Values() {
	predicted := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	truth := []float64{1.1, 1.8, 3.3, 4, 4.5, 6.1, 7.2, 8.4, 9}
	c, err := calibrate.Split{Coverage: 0.8}.Values(predicted, truth)
	if err != nil {
		fmt.Println(err)
		return
	}
	lo, hi := c.Interval(10)
	fmt.Printf("%.1f to %.1f\n", lo, hi)
	// Output: 9.6 to 10.4
}
