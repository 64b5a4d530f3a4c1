package model_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// TestRefused: what no training can begin with.
func TestRefused(t *testing.T) {
	type vector = data.Vector
	none := model.None[vector]{}
	svm := func(change func(*model.SVM)) model.SVM {
		l := model.NewSVM()
		change(&l)
		return l
	}
	fixed := func(r *recipe, l model.Learner) { r.Learner, r.Choose = l, false }
	for _, c := range []struct {
		name   string
		says   string
		change func(*recipe)
	}{
		{"no learner", "Learner", func(r *recipe) { r.Learner = nil }},
		{"no map", "Map", func(r *recipe) { r.Map = nil }},
		{"a map of a kernel machine", "kernel-svm", func(r *recipe) { r.Learner = model.NewKernelSVM[vector]() }},
		{"a machine of cities", "another type", func(r *recipe) { r.Map, r.Learner = none, model.NewKernelSVM[city]() }},
		{"no kernel", "Kernel", func(r *recipe) { r.Kernel = nil }},
		{"no kernel of a machine", "Kernel", func(r *recipe) {
			r.Kernel, r.Map, r.Learner = nil, none, model.NewKernelSVM[vector]()
		}},
		{"calibration", "Calibrate", func(r *recipe) { r.Calibrate = "nosuch" }},
		{"conformal", "Conformal", func(r *recipe) { r.Conformal = 1 }},
		{"conformal", "Conformal", func(r *recipe) { r.Conformal = math.NaN() }},
		{"numbers only", "svr", func(r *recipe) { r.Map, r.Learner = none, model.NewSVR[vector]() }},
		{"C", "C", func(r *recipe) { fixed(r, svm(func(l *model.SVM) { l.C = -1 })) }},
		{"C", "C", func(r *recipe) { fixed(r, svm(func(l *model.SVM) { l.C = math.NaN() })) }},
		{"C", "pegasos: C", func(r *recipe) { fixed(r, model.Pegasos{Unit: 1}) }},
		{"C", "kernel-svm: C", func(r *recipe) { r.Map = none; fixed(r, model.KernelSVM[vector]{Tolerance: 1e-3}) }},
		{"lambda", "kernel-ridge: Lambda", func(r *recipe) {
			r.Map = none
			fixed(r, model.KernelRidge[vector]{Lambda: -1})
		}},
		{"lambda", "ridge: Lambda", func(r *recipe) { fixed(r, model.Ridge{Lambda: math.Inf(1)}) }},
		{"rounds", "boost: Rounds", func(r *recipe) { r.Learner = model.Boost{} }},
		{"tolerance", "olerance", func(r *recipe) { r.Learner = svm(func(l *model.SVM) { l.Tolerance = -1 }) }},
		{"passes", "perceptron: MaxPasses", func(r *recipe) { r.Learner = model.Perceptron{Unit: 1} }},
		{"unit", "lp: Unit", func(r *recipe) { r.Learner = model.Program{Unit: -1} }},
		{"landmarks of falkon", "Dim is 0", func(r *recipe) { r.Map, r.Learner = none, model.Falkon[vector]{Lambda: 1} }},
		{"dimension", "Dim is 0", func(r *recipe) { r.Map = model.NewF2[vector](0) }},
		{"dimension", "Dim is -1", func(r *recipe) { r.Map = model.NewFourier[vector](-1) }},
		{"selection", "Select", func(r *recipe) { r.Map = model.F1[vector]{Dim: 5, Select: "nosuch"} }},
		{"repair", "Repair", func(r *recipe) { r.Map = model.F2[vector]{Dim: 5, Repair: "nosuch"} }},
		{"landmarks", "Landmarks", func(r *recipe) { r.Map = model.F3[vector]{Dim: 5} }},
		{"projection", "Projection", func(r *recipe) {
			r.Map = model.F3[vector]{Dim: 5, Landmarks: 20, Projection: "nosuch"}
		}},
	} {
		r := model.NewRecipe[vector](kernel.Gaussian{Gamma: 0.7}, 5)
		c.change(&r)
		if _, _, err := r.Fit(t.Context(), blobsOf(40, 2, true)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error is %v, want one that says %q", c.name, err, c.says)
		}
	}
}

// TestSamplesRefused: samples that do not go with the learner, or whose parts do
// not go together.
func TestSamplesRefused(t *testing.T) {
	d := blobsOf(40, 2, true)
	r := job{learner: model.LearnerNuSVM, kind: model.MapNone}.recipe(nil)
	if _, _, err := r.Fit(t.Context(), blobsOf(40, 3, true)); err == nil {
		t.Error("nu-svm took three classes")
	}
	r = job{learner: model.LearnerSVM, kind: model.MapNone}.recipe(nil)
	_, _, err := r.FitValues(t.Context(), wave(40, true))
	if err == nil || !strings.Contains(err.Error(), "svm cannot regress") {
		t.Errorf("svm on numbers: %v", err)
	}
	one := labeled{X: d.X, Y: slices.Repeat([]string{"a"}, 40)}
	if _, _, err := r.Fit(t.Context(), one); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	for _, weight := range [][]float64{nil, slices.Repeat([]float64{1}, 40)} {
		for _, class := range []int{-1, 2} {
			s := model.Labels(d)
			s.Y[7], s.Weight = class, weight
			var fault *learn.DataError
			if _, _, err := r.FitSample(t.Context(), s); !errors.As(err, &fault) || fault.Row != 7 {
				t.Errorf("class %d of 2: %v", class, err)
			}
		}
	}
	r = job{learner: model.LearnerRidge, kind: model.MapNone}.recipe(nil)
	for _, y := range []float64{math.NaN(), math.Inf(1)} {
		bad := wave(10, true)
		bad.Y[7] = y
		var fault *learn.DataError
		if _, _, err := r.FitValues(t.Context(), bad); !errors.As(err, &fault) || fault.Row != 7 {
			t.Errorf("a target of %v: %v", y, err)
		}
	}
	ones := slices.Repeat([]float64{1}, 40)
	for _, j := range jobs() {
		if !j.dense || j.classes == 3 || j.traits().Unsupervised {
			continue
		}
		for _, n := range []int{0, 1, 2, 39, 41, 80} {
			for _, weight := range [][]float64{nil, ones} {
				if weight != nil && !j.traits().Weights {
					continue
				}
				r := j.choosing(nil)
				r.Conformal = 0.3
				var err error
				if j.task == model.Regress {
					_, _, err = r.FitValues(t.Context(), numbered{X: d.X, Y: slices.Repeat([]float64{1}, n), Weight: weight})
				} else {
					y := slices.Repeat([]string{"a", "b"}, n/2+1)[:n]
					_, _, err = r.Fit(t.Context(), labeled{X: d.X, Y: y, Weight: weight})
				}
				if err == nil {
					t.Errorf("%s: 40 rows with %d labels were taken", j, n)
				}
			}
		}
	}
}
