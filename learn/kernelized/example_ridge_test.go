package kernelized_test

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// sine returns 40 points of a sine.
func sine() sample {
	d := sample{X: data.NewMatrix(40, 1), Y: make([]float64, 40)}
	for i := range d.Y {
		x := float64(i) / 10
		d.X.(*data.Matrix).Row(i)[0], d.Y[i] = x, math.Sin(x)
	}
	return d
}

func ExampleNewRidge() {
	r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 1})
	r.Lambda = 1e-6
	model, report, err := r.Fit(context.Background(), sine())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, sin(1) is about %.3f\n", report.Status, model.Predict(data.Dense(1)))
	// Output: converged, sin(1) is about 0.841
}

func ExampleNewRidgeClassifier() {
	r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 1})
	model, _, err := r.Fit(context.Background(), ring(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Predict(data.Dense(0.1, 0.2)), model.Predict(data.Dense(1.5, 0)))
	// Output: 1 -1
}

func ExampleNewFalkon() {
	f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: 1})
	f.Landmarks = 10
	model, report, err := f.Fit(context.Background(), sine())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %d landmarks, sin(1) is about %.2f\n", report.Status, model.Support.Len(),
		model.Predict(data.Dense(1)))
	// Output: converged, 10 landmarks, sin(1) is about 0.84
}

func ExampleNewFalkonClassifier() {
	f := kernelized.NewFalkonClassifier[data.Vector](kernel.Gaussian{Gamma: 1})
	f.Landmarks = 20
	model, _, err := f.Fit(context.Background(), ring(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Predict(data.Dense(0.1, 0.2)), model.Predict(data.Dense(1.5, 0)))
	// Output: 1 -1
}

func ExampleNewSGD() {
	s := kernelized.NewSGD[data.Vector](kernel.Gaussian{Gamma: 1})
	s.Lambda, s.Steps = 0.01, 20_000
	model, _, err := s.Fit(context.Background(), ring(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Predict(data.Dense(0.1, 0.2)), model.Predict(data.Dense(1.5, 0)))
	// Output: 1 -1
}

func ExampleNewCentroid() {
	c := kernelized.NewCentroid[data.Vector](kernel.NewPolynomial(2))
	model, _, err := c.Fit(context.Background(), ring(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Predict(data.Dense(0.1, 0.2)), model.Predict(data.Dense(1.5, 0)))
	// Output: 1 -1
}

func ExampleNewAveragedPerceptron() {
	p := kernelized.NewAveragedPerceptron[data.Vector](kernel.Gaussian{Gamma: 1})
	model, report, err := p.Fit(context.Background(), ring(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, model.Predict(data.Dense(0.1, 0.2)), model.Predict(data.Dense(1.5, 0)))
	// Output: converged 1 -1
}

func ExampleNewBudgetPerceptron() {
	p := kernelized.NewBudgetPerceptron[data.Vector](kernel.Gaussian{Gamma: 1})
	p.Budget = 20
	model, _, err := p.Fit(context.Background(), ring(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(model.Weight) <= 20, model.Predict(data.Dense(0.1, 0.2)), model.Predict(data.Dense(1.5, 0)))
	// Output: true 1 -1
}
