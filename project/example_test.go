package project_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
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

// From as many coordinates on as there are, lengths are kept.
func ExampleOrthogonal() {
	p, err := project.Orthogonal{Dim: 4, Seed: 1}.Fit(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	image := make([]float64, p.Out())
	p.Apply(image, []float64{2, 3, 6})
	fmt.Printf("%.6f\n", data.Dense(image...).Norm())
	// Output:
	// 7.000000
}

func ExampleSparse() {
	p, err := project.NewSparse(4, 1).Fit(10000)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := 0
	for _, a := range p.Matrix().Data {
		if a != 0 {
			stored++
		}
	}
	fmt.Printf("%v\n%d of 40000 entries are not 0\n", p, stored)
	// Output:
	// sparse projection from 10000 to 4, seed 1
	// 386 of 40000 entries are not 0
}

func ExampleHadamard() {
	p, err := project.Hadamard{Dim: 2, Seed: 1}.Fit(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := data.Slice[data.Vector]{data.Dense(1, 2, 3, 4, 5), data.Dense(0, 0, 1)}
	images, err := p.Map(context.Background(), run.Control{}, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range images.Rows {
		fmt.Printf("%.3f\n", images.Row(i))
	}
	// Output:
	// [-0.707 4.950]
	// [-0.707 0.707]
}
