package model_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// The SVM on 20 features of a Gaussian kernel, with probabilities.
func ExampleRecipe_Fit() {
	var x data.Slice[data.Vector]
	var y []string
	for i := range 400 { // inside of the unit circle, or outside
		r, a := float64(i%20)/10, float64(i)
		x = append(x, data.Dense(r*math.Cos(a), r*math.Sin(a)))
		label := "outside"
		if r < 1 {
			label = "inside"
		}
		y = append(y, label)
	}
	k := kernel.Gaussian{Gamma: 1}
	d := data.Labeled[data.Vector, string]{X: x, Y: y}
	p, t, err := model.NewRecipe[data.Vector](k, 20).Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Status, p.Predict(data.Dense(0.1, 0.2)), p.Predict(data.Dense(1.5, 1)))

	scores := make([]float64, p.Outputs())
	p.Scores(scores, data.Dense(0.1, 0.2))
	p.Calibration.Probabilities(scores, scores)
	inside, _ := p.Classes.Index("inside")
	fmt.Println(scores[inside] > 0.9)
	// Output:
	// converged inside outside
	// true
}

// A kernel machine, which needs no map: one support vector machine a pair of
// classes, with C given.
func ExampleRecipe_Fit_kernelMachine() {
	var x data.Slice[data.Vector]
	var y []string
	for i := range 90 {
		a := float64(i) / 90 * 2 * math.Pi
		x = append(x, data.Dense(math.Cos(a), math.Sin(a)))
		y = append(y, []string{"a", "b", "c"}[i/30])
	}
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 0)
	svm := model.NewKernelSVM[data.Vector]()
	svm.C = 10
	r.Map, r.Learner, r.Choose = model.None[data.Vector]{}, svm, false
	p, t, err := r.Fit(context.Background(), data.Labeled[data.Vector, string]{X: x, Y: y})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Status, p.Predict(data.Dense(0.5, 0.9)), p.Predict(data.Dense(0.5, -0.9)))
	// Output: converged a c
}

// Rows may have weights: one of weight 3 counts as three.
func ExampleRecipe_Fit_weights() {
	r := model.NewRecipe[data.Vector](nil, 0)
	r.Map, r.Choose, r.Calibrate = model.None[data.Vector]{}, false, ""
	d := data.Labeled[data.Vector, string]{
		X:      data.Slice[data.Vector]{data.Dense(1), data.Dense(1), data.Dense(-1), data.Dense(-1)},
		Y:      []string{"yes", "no", "no", "yes"},
		Weight: []float64{3, 1, 2, 0},
	}
	p, _, err := r.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Predict(data.Dense(1)), p.Predict(data.Dense(-1)))
	// Output: yes no
}

// Ridge regression on features, with intervals that hold the truth of nine in
// ten fresh instances.
func ExampleRecipe_FitValues() {
	var x data.Slice[data.Vector]
	var y []float64
	for i := range 400 {
		v := float64(i) / 100
		x, y = append(x, data.Dense(v)), append(y, math.Sin(3*v))
	}
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 30)
	r.Learner, r.Conformal = model.NewRidge(), 0.2
	p, t, err := r.FitValues(context.Background(), data.Labeled[data.Vector, float64]{X: x, Y: y})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %d rows kept, %.2f\n", t.Status, t.Kept, p.Value(data.Dense(2)))
	for _, c := range p.Conformal {
		if c.Coverage == 0.9 {
			lo, hi := c.Interval(p.Value(data.Dense(2)))
			fmt.Println(lo <= math.Sin(6) && math.Sin(6) <= hi, hi-lo < 0.01)
		}
	}
	// Output:
	// converged, 80 rows kept, -0.28
	// true true
}

// Numbers by the average of ridge regression on two kernels' features.
func ExampleBlend() {
	var x data.Slice[data.Vector]
	var y []float64
	for i := range 200 {
		v := float64(i) / 50
		x, y = append(x, data.Dense(v)), append(y, v+math.Sin(3*v))
	}
	var parts []*model.Pipeline[data.Vector]
	for _, k := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 2}, kernel.NewPolynomial(5)} {
		r := model.NewRecipe(k, 10)
		r.Learner = model.NewRidge()
		p, _, err := r.FitValues(context.Background(), data.Labeled[data.Vector, float64]{X: x, Y: y})
		if err != nil {
			log.Fatal(err)
		}
		parts = append(parts, p)
	}
	p, err := model.Blend(parts, []float64{0.5, 0.5})
	if err != nil {
		log.Fatal(err)
	}
	at := data.Dense(1)
	mean := (parts[0].Value(at) + parts[1].Value(at)) / 2
	fmt.Println(math.Abs(p.Value(at)-mean) < 1e-12, p.Map.Dim() == parts[0].Map.Dim()+parts[1].Map.Dim())
	// Output: true true
}

// fruitFile is a model that kerf train wrote, of columns size, colour, weight and
// fruit.
const fruitFile = "testdata/old/table.kerf"

// A model file predicts records as they stand in data: a map of columns, the cells of
// a CSV line, a struct.
func ExampleLoad() {
	m, err := model.Load(fruitFile)
	if err != nil {
		log.Fatal(err)
	}
	type piece struct {
		Size   float64  `kerf:"size"`
		Colour string   `kerf:"colour"`
		Weight *float64 `kerf:"weight"` // nil where it is not known
	}
	for _, record := range []any{
		map[string]any{"size": 8.5, "colour": "green", "weight": 160},
		[]string{"3.1", "red", "22"},
		piece{Size: 12.5, Colour: "yellow"},
	} {
		p, err := m.Predict(record)
		fmt.Println(p.Label, len(p.Probabilities), err)
	}
	// Output:
	// apple 3 <nil>
	// cherry 3 <nil>
	// pear 3 <nil>
}
