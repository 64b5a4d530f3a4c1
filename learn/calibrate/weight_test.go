package calibrate_test

import (
	"context"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// TestWeightIsRepetition: a row of weight k counts as k rows, one of weight 0 as
// none.
func TestWeightIsRepetition(t *testing.T) {
	r := seed.Stream(5, seed.Generator, 0)
	for _, classes := range []int{2, 3} {
		const n = 150
		scores := data.NewMatrix(n, classes)
		y, weight := make([]int, n), make([]float64, n)
		var index []int
		for i := range n {
			y[i], weight[i] = i%classes, float64(i*i%4)
			for k := range classes {
				scores.Row(i)[k] = 2 * r.NormFloat64()
			}
			scores.Row(i)[y[i]] += 2
			for range int(weight[i]) {
				index = append(index, i)
			}
		}
		repeated, labels := data.NewMatrix(len(index), classes), make([]int, len(index))
		for a, i := range index {
			copy(repeated.Row(a), scores.Row(i))
			labels[a] = y[i]
		}
		type fit = func(weight []float64, scores *data.Matrix, y []int) (*calibrate.Calibration, error)
		ctx := context.Background()
		for name, f := range map[string]fit{
			"platt": func(w []float64, s *data.Matrix, y []int) (*calibrate.Calibration, error) {
				p := calibrate.NewPlatt()
				p.Weight = w
				return p.Fit(ctx, s, y)
			},
			"isotonic": func(w []float64, s *data.Matrix, y []int) (*calibrate.Calibration, error) {
				return calibrate.Isotonic{Weight: w}.Fit(ctx, s, y)
			},
			"temperature": func(w []float64, s *data.Matrix, y []int) (*calibrate.Calibration, error) {
				return calibrate.Temperature{Weight: w}.Fit(ctx, s, y)
			},
		} {
			a, err := f(weight, scores, y)
			if err != nil {
				t.Fatal(err)
			}
			b, err := f(nil, repeated, labels)
			if err != nil {
				t.Fatal(err)
			}
			one, two := a.All(scores), b.All(scores)
			for i, v := range one.Data {
				if math.Abs(v-two.Data[i]) > 1e-7 { // Newton's method ends at derivatives of 1e-10 a row
					t.Fatalf("%s, %d classes: probability %d is %v with weights and %v with rows repeated", name, classes, i, v,
						two.Data[i])
				}
			}
			for _, bad := range [][]float64{weight[1:], append([]float64{-1}, weight[1:]...),
				append([]float64{math.NaN()}, weight[1:]...), make([]float64, n)} {
				if _, err := f(bad, scores, y); err == nil {
					t.Errorf("%s: weights %v… were taken", name, bad[0])
				}
			}
		}
	}
}
