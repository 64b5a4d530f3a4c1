package model_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// fan returns n instances at the angle theta above and below the first axis, of
// any lengths: the best separator through the origin is the first axis itself,
// and its margin sin(theta) for all of them.
func fan(n int, theta float64) labeled {
	var x data.Slice[data.Vector]
	var y []string
	for i := range n {
		length := 1 + float64(i%5)
		side := float64(2*(i%2) - 1)
		x = append(x, data.Dense(length*math.Cos(theta), side*length*math.Sin(theta)))
		y = append(y, []string{"below", "above"}[i%2])
	}
	return labeled{X: x, Y: y}
}

// TestCurveOfKnownMargin: the margin of the best separator is found, and no row
// has less.
func TestCurveOfKnownMargin(t *testing.T) {
	for _, theta := range []float64{0.05, 0.3, 1, math.Pi / 2} {
		r := model.NewRecipe[data.Vector](kernel.Linear{}, 10)
		c, err := r.Curve(t.Context(), fan(400, theta))
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != 100 {
			t.Errorf("errors are counted on %d of 400 rows", c.Len())
		}
		// Separators are found to a hundredth of their objective, and lie off
		// the axis by about the root of that at most. Above the margin one that
		// leans to a side still has half of the rows.
		want := math.Sin(theta)
		if below, above := c.At(0.9*want), c.At(want*1.01); below != 0 || above < 0.5 {
			t.Errorf("theta %v: the error is %v below the margin %v and %v above", theta, below, want, above)
		}
		choice, err := c.Recommend(0.05, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if choice.Margin < 0.9*want || choice.Margin > want*(1+1e-9) || choice.Noise != 0 || choice.Landmarks < 1 {
			t.Errorf("theta %v: the choice is %+v", theta, choice)
		}
	}
}

// TestCurve: it never falls, is the same for any number of workers, and knows
// about errors.
func TestCurve(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := clouds(400, classes, 7)
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 30)
		r.Run.Workers = 1
		c, err := r.Curve(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		points := c.Points(40)
		for i := 1; i < len(points); i++ {
			if points[i].Margin <= points[i-1].Margin || points[i].Error < points[i-1].Error {
				t.Errorf("%d classes: the curve falls from %+v to %+v", classes, points[i-1], points[i])
			}
		}
		if e := c.At(0); !(e > 0.02 && e < 0.4) {
			t.Errorf("%d classes: the error at margin 0 is %v", classes, e)
		}
		for _, workers := range []int{2, 3} {
			r.Run.Workers = workers
			again, err := r.Curve(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(again.Points(1000), c.Points(1000)) {
				t.Errorf("%d classes: by %d workers the curve is another", classes, workers)
			}
		}
		// What else the recipe says does not bear on the curve, nor do weights.
		d.Weight = append(make([]float64, 200), slices.Repeat([]float64{3}, 200)...)
		r.Choose, r.Checkpoint.From = false, []byte{1}
		for _, l := range []model.Learner{
			model.NewKernelSVM[data.Vector](), learnerOf[data.Vector](model.LearnerSVM, args{"unit": 5, "C": 77}),
		} {
			r.Learner = l
			other, err := r.Curve(t.Context(), d)
			if err != nil || !reflect.DeepEqual(other.Points(1000), c.Points(1000)) {
				t.Errorf("%d classes: with the learner %s the curve is another (%v)", classes, l.Name(), err)
			}
		}
	}
}

func TestCurveRefused(t *testing.T) {
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 10)
	for _, n := range []int{2, 3} {
		if _, err := r.Curve(t.Context(), blobsOf(n, 2, true)); err == nil {
			t.Errorf("a curve of %d rows", n)
		}
	}
	if _, err := r.Curve(t.Context(), blobsOf(40, 1, true)); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	if _, err := r.Curve(t.Context(), labeled{X: data.Slice[data.Vector]{}}); err == nil {
		t.Error("a curve of no rows")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Curve(ctx, blobsOf(80, 2, true)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	few := blobsOf(80, 2, true)
	few.Y = few.Y[:79]
	if _, err := r.Curve(t.Context(), few); err == nil {
		t.Error("a curve of 80 rows with 79 labels")
	}
	for _, m := range []model.Mapper[data.Vector]{model.NewF1[data.Vector](10), model.None[data.Vector]{}} {
		r.Map = m
		if _, err := r.Curve(t.Context(), blobsOf(80, 2, true)); err == nil {
			t.Errorf("a curve of margins that are none in the kernel's space, of map %s", m.Name())
		}
	}
	for _, m := range []model.Mapper[data.Vector]{model.NewF2[data.Vector](10), model.None[data.Vector]{}} {
		r.Kernel, r.Map = nil, m
		if _, err := r.Curve(t.Context(), blobsOf(80, 2, true)); err == nil {
			t.Errorf("a curve without a kernel, of map %s", m.Name())
		}
	}
}
