package project_test

import (
	"fmt"

	"github.com/kerf-ml/kerf/project"
)

func ExampleGaussian() {
	p, err := project.Gaussian{Dim: 2000, Seed: 1}.Fit(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	image := make([]float64, p.Out())
	p.Apply(image, []float64{2, 3, 6}) // of length 7
	length2 := 0.0
	for _, a := range image {
		length2 += a * a
	}
	fmt.Printf("%v\n|x'|²/|x|² = %.2f\n", p, length2/49)
	// Output:
	// gaussian projection from 3 to 2000, seed 1
	// |x'|²/|x|² = 0.99
}

func ExampleSign() {
	p, err := project.Sign{Dim: 4, Seed: 1}.Fit(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	image := make([]float64, p.Out())
	p.Apply(image, []float64{2, 0})
	fmt.Println(image)
	// Output:
	// [-1 -1 1 1]
}
