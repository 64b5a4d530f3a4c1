package feature_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/run"
)

func TestPowers(t *testing.T) {
	for _, n := range []int{1, 2, 9} {
		m := feature.NewPowers(n)
		kerftest.Map(t, m, points(65, 1, 2))
		kerftest.Map(t, m, points(3, 0, 2))
		for j, v := range image(m, data.Dense(-3, 8)) {
			if want := math.Pow(-3, float64(j)); v != want {
				t.Errorf("%s is %v, want %v", m.Name(j), v, want)
			}
		}
	}
	if names := fmt.Sprint(feature.NewPowers(3).Name(0), feature.NewPowers(3).Name(1),
		feature.NewPowers(20).Name(12)); names != "1xx¹²" {
		t.Error(names)
	}
	for _, n := range []int{0, -1} {
		m := feature.NewPowers(n)
		if m.Validate() == nil || m.MapBlock(run.Control{}, nil, points(1, 1, 1), 0) == nil ||
			m.MapBlock32(run.Control{}, nil, points(1, 1, 1), 0) == nil {
			t.Errorf("n = %d passes", n)
		}
	}
}

// between returns the weights of the polynomial of the lecture's proof: it has a
// zero between neighbours of different labels, and the sign of the last label
// beyond the last point. The points increase.
func between(x, y []float64) []float64 {
	w := []float64{y[len(y)-1]}
	for i := 1; i < len(x); i++ {
		if y[i] == y[i-1] {
			continue
		}
		q, next := (x[i-1]+x[i])/2, make([]float64, len(w)+1)
		for j, a := range w { // times (x - q)
			next[j+1] += a
			next[j] -= q * a
		}
		w = next
	}
	return w
}

// separates reports whether w·(1, x, …) has the label's sign for every instance.
func separates(w []float64, x data.Source[data.Vector], y []float64) bool {
	m := feature.NewPowers(len(w))
	for i := range x.Len() {
		if !(y[i]*vmath.Dot(w, image(m, x.At(i))) > 0) {
			return false
		}
	}
	return true
}

// TestPowersSeparateInterleaved is the lecture's theorem on the data that need all
// of its coordinates, and the proof that N-1 of them are too few: with
// λ_i = 1/∏_{j≠i}|x_i - x_j| > 0 the sum Σ λ_i·ℓ_i·(1, x_i, …, x_i^(N-2)) is a
// divided difference of order N-1 and so 0, which rules out any separator.
func TestPowersSeparateInterleaved(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8, 21, 24} {
		x, labels, err := gen.Make(ctx, "interleaved", gen.Options{N: n})
		check(t, err)
		y, at := make([]float64, n), make([]float64, n)
		for i, label := range labels {
			at[i] = x.Row(i)[0]
			y[i] = -1
			if label == "1" {
				y[i] = 1
			}
		}
		if w := between(at, y); len(w) != n || !separates(w, x, y) {
			t.Errorf("%d powers do not separate %d points", len(w), n)
		}
		if n < 2 {
			continue
		}
		m := feature.NewPowers(n - 1)
		sum, size := make([]float64, n-1), make([]float64, n-1)
		for i, a := range at {
			lambda := 1.0
			for j, b := range at {
				if i != j {
					lambda /= math.Abs(a - b)
				}
			}
			for j, v := range image(m, x.At(i)) {
				sum[j] += y[i] * lambda * v
				size[j] += math.Abs(lambda * v)
			}
		}
		for j, v := range sum {
			if math.Abs(v) > 1e-12*size[j] {
				t.Errorf("%d points: coordinate %d of the sum is %v of %v", n, j, v, size[j])
			}
		}
	}
}

// TestPowersSeparateAnything: any labels, any distinct points.
func TestPowersSeparateAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfNDistinct(rapid.IntRange(-20, 20), 1, 12, rapid.ID).Draw(t, "x")
		slices.Sort(whole)
		x, at, y := make(data.Slice[data.Vector], len(whole)), make([]float64, len(whole)), make([]float64, len(whole))
		for i, a := range whole {
			at[i] = float64(a) / 20
			x[i] = data.Dense(at[i])
			y[i] = rapid.SampledFrom([]float64{-1, 1}).Draw(t, "label")
		}
		if w := between(at, y); len(w) > len(x) || !separates(w, x, y) {
			t.Fatalf("%v do not separate", w)
		}
	})
}

// The example with which chapter 16 begins: -10, …, 10 with label 1 where |x| > 2
// is not separable on the line, and is by the weights (0, 1) of (x, x²) and the
// threshold 5.
func ExamplePowers() {
	m := feature.NewPowers(3)
	w, row := []float64{-5, 0, 1}, make([]float64, 3)
	wrong := 0
	for x := -10.0; x <= 10; x++ {
		m.MapTo(row, data.Dense(x))
		if (vmath.Dot(w, row) > 0) != (math.Abs(x) > 2) {
			wrong++
		}
	}
	fmt.Println(m.Name(0), m.Name(1), m.Name(2), "errors:", wrong)
	// Output: 1 x x² errors: 0
}

// Points with labels in turn need as many powers as there are of them.
func ExamplePowers_interleaved() {
	x, labels, err := gen.Make(context.Background(), "interleaved", gen.Options{N: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	// (x+¾)(x+¼)(x-¼)(x-¾), negated: zero between neighbours.
	w := []float64{-9. / 256, 0, 10. / 16, 0, -1}
	m, row := feature.NewPowers(5), make([]float64, 5)
	for i, label := range labels {
		m.MapTo(row, x.At(i))
		fmt.Printf("%4.1f %2s %+.3f\n", x.Row(i)[0], label, vmath.Dot(w, row))
	}
	// Output:
	// -1.0 -1 -0.410
	// -0.5  1 +0.059
	//  0.0 -1 -0.035
	//  0.5  1 +0.059
	//  1.0 -1 -0.410
}
