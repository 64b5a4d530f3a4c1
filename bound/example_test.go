package bound_test

import (
	"fmt"

	"github.com/kerf-ml/kerf/bound"
)

func ExampleLandmarks() {
	n, err := bound.Landmarks(0.2, 0.1, 0.95)
	fmt.Println(n, err)
	// Output: 2240 <nil>
}

func ExampleNewPlan() {
	p, err := bound.NewPlan(0.2, 0.1, 0.95, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("F1 and F2:", p.Landmarks, "landmarks")
	fmt.Println("F3:       ", p.F3Landmarks, "landmarks, then", p.F3Dim, "features")
	fmt.Println("error at most", p.ErrorBound)
	// Output:
	// F1 and F2: 2240 landmarks
	// F3:        4591 landmarks, then 16233 features
	// error at most 0.1
}
