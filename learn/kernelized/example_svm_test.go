package kernelized_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// Exclusive or has no linear separator, but one in the space of a Gaussian
// kernel.
func ExampleNewSVM() {
	d := data.Labeled[data.Vector, float64]{
		X: data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(1, 1), data.Dense(0, 1), data.Dense(1, 0)},
		Y: []float64{-1, -1, 1, 1},
	}
	svm := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 1})
	svm.C = 100
	model, report, err := svm.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, report.Support)
	for i := range d.Y {
		fmt.Printf("%.2f ", model.Score(d.X.At(i)))
	}
	// Output:
	// converged 4
	// -1.00 -1.00 1.00 1.00
}

func ExampleNewSVR() {
	x, z := data.Slice[data.Vector]{}, []float64{}
	for i := range 20 {
		v := float64(i) / 10
		x, z = append(x, data.Dense(v)), append(z, v*v)
	}
	svr := kernelized.NewSVR[data.Vector](kernel.NewPolynomial(2))
	svr.C, svr.Epsilon = 100, 0.01
	model, _, err := svr.Fit(context.Background(), data.Labeled[data.Vector, float64]{X: x, Y: z})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", model.Predict(data.Dense(1.2)))
	// Output:
	// 1.4
}

func ExampleNewOneClass() {
	x := data.Slice[data.Vector]{}
	for i := range 20 {
		x = append(x, data.Dense(float64(i%5), float64(i/5)))
	}
	one := kernelized.NewOneClass[data.Vector](kernel.Gaussian{Gamma: 0.1})
	one.Nu = 0.1
	model, _, err := one.Fit(context.Background(), x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Predict(data.Dense(2, 2)), model.Predict(data.Dense(9, 9)))
	// Output:
	// 1 -1
}

func ExampleSVM_FitClasses() {
	d := data.Labeled[data.Vector, int]{}
	x := data.Slice[data.Vector]{}
	for i := range 30 {
		x = append(x, data.Dense(float64(i%3)*10+float64(i/3)))
		d.Y = append(d.Y, i%3)
	}
	d.X = x
	svm := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.1})
	model, report, err := svm.FitClasses(context.Background(), d, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, model.Predict(data.Dense(4)), model.Predict(data.Dense(14)), model.Predict(data.Dense(24)))
	// Output:
	// converged 0 1 2
}
