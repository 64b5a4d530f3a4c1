package feature_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// Landmarks that the ones before do not explain, instead of any.
func ExampleF2_select() {
	o := gen.Defaults()
	o.N = 1000
	x, _ := gen.Rings(o)
	f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 1}, 40)
	f2.Select = feature.RPCholesky
	m, err := f2.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	features, err := feature.Apply(context.Background(), run.Control{}, m, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(features.Rows, "rows of", features.Cols, "features")
	// Output: 1000 rows of 40 features
}

// F2 with 200 landmarks, then a rotation down to 30 features.
func ExampleNewF3() {
	o := gen.Defaults()
	o.N = 1000
	x, _ := gen.Rings(o)
	f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 1}, 200)
	m, err := feature.NewF3(f2, project.Orthogonal{Dim: 30, Seed: 1}).Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Orthogonal().Drawn(), "landmarks,", m.Dim(), "features")
	// Output: 200 landmarks, 30 features
}

// A map that does not see the data is kept as what it was drawn from.
func ExampleRecallOblivious() {
	ctx := context.Background()
	m, err := feature.NewFourier(kernel.Gaussian{Gamma: 0.1}, 100).Fit(ctx, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := feature.RecallOblivious(ctx, run.Control{}, m.Shape())
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := make([]float64, m.Dim()), make([]float64, again.Dim())
	m.MapTo(a, data.Dense(1, 2, 3))
	again.MapTo(b, data.Dense(1, 2, 3))
	same := true
	for i := range a {
		same = same && a[i] == b[i]
	}
	fmt.Println(m.Shape().Kind, same)
	// Output: fourier true
}
