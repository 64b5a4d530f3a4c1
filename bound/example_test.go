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

// A budget of 5,000 landmarks: what it buys at margin 0.2, and for which margin
// it would be enough.
func ExampleLandmarksError() {
	e, err := bound.LandmarksError(0.2, 0.95, 5000)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := bound.LandmarksMargin(0.1, 0.95, 5000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("error %.3f at margin 0.2, or error 0.1 down to margin %.3f\n", e, m)
	// Output: error 0.045 at margin 0.2, or error 0.1 down to margin 0.130
}

func ExampleNewBudget() {
	b, err := bound.NewBudget(bound.UnknownError, 0.2, 0, 0.95, 0, 20000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("F2: error %.3f\n", *b.F2)
	fmt.Printf("F3: error %.3f from %v landmarks\n", *b.F3, b.F3Landmarks)
	// Output:
	// F2: error 0.011
	// F3: error 0.013 from 35088 landmarks
}

func ExampleBoosted() {
	rounds, tries, err := bound.Boosted(0.2, 0.1, 0.95)
	fmt.Println(rounds, "rounds, at most", tries, "random separators each,", err)
	// Output: 461 rounds, at most 579 random separators each, <nil>
}

func ExampleSeparable() {
	marks, dim, sample, err := bound.Separable(0.5, 0.2, 0.9)
	fmt.Println(marks, "landmarks,", dim, "features,", sample, "examples,", err)
	// Output: 3011232163 landmarks, 8686 features, 775035 examples, <nil>
}
