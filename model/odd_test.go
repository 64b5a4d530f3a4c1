package model_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// TestOddSamples: whatever the sample, each learner ends soon, with a finite
// model that can be stored, or with an error in one line.
func TestOddSamples(t *testing.T) {
	rows := func(v ...data.Vector) data.Slice[data.Vector] { return v }
	same := func(n int, v data.Vector) data.Slice[data.Vector] {
		var x data.Slice[data.Vector]
		for range n {
			x = append(x, v)
		}
		return x
	}
	mixed := func(n int) []string {
		var y []string
		for i := range n {
			y = append(y, []string{"a", "b"}[i%2])
		}
		return y
	}
	huge, tiny := blobsOf(30, 2, true), blobsOf(30, 2, true)
	scaledBy := func(d *labeled, by float64) {
		var x data.Slice[data.Vector]
		for i := range d.X.Len() {
			v := slices.Clone(d.X.At(i).Value)
			for c := range v {
				v[c] *= by
			}
			x = append(x, data.Dense(v...))
		}
		d.X = x
	}
	scaledBy(&huge, 1e100)
	scaledBy(&tiny, 1e-200)
	halves := append(slices.Repeat([]string{"a"}, 15), slices.Repeat([]string{"b"}, 15)...)
	rare := blobsOf(30, 2, true)
	rare.X, rare.Y = append(rare.X.(data.Slice[data.Vector]), data.Dense(9, 9, 9)), append(rare.Y, "rare")
	samples := map[string]labeled{
		"no rows":              {X: rows()},
		"one row":              {X: rows(data.Dense(1, 2)), Y: []string{"a"}},
		"two rows":             {X: rows(data.Dense(1, 2), data.Dense(0, 1)), Y: mixed(2)},
		"one class":            {X: same(5, data.Dense(1, 2)), Y: []string{"a", "a", "a", "a", "a"}},
		"a row with no width":  {X: rows(data.Dense(), data.Dense()), Y: mixed(2)},
		"constant":             {X: same(20, data.Dense(3, 3)), Y: mixed(20)},
		"zeros":                {X: same(20, data.Dense(0, 0)), Y: mixed(20)},
		"empty sparse rows":    {X: same(20, data.Vector{Index: []int32{}, Value: []float64{}}), Y: mixed(20)},
		"duplicates":           {X: append(same(15, data.Dense(1, 0)), same(15, data.Dense(0, 1))...), Y: halves},
		"one row of two kinds": {X: same(2, data.Dense(1, 2)), Y: mixed(2)},
		"one rare label":       rare,
		"huge":                 huge,
		"tiny":                 tiny,
	}
	for name, d := range samples {
		for _, learner := range model.LearnerNames(nil) {
			traits, _ := model.TraitsOf(learner)
			for _, kind := range []string{model.MapNone, model.MapF2} {
				if traits.Kernel && kind != model.MapNone {
					continue
				}
				for _, choose := range []bool{false, true} {
					if choose && traits.Penalty == "" && learner != model.LearnerRidge {
						continue
					}
					r := job{learner: learner, kind: kind}.recipe(args{"choose": choose})
					r.Choose, r.Calibrate = choose, "temperature"
					oddSample(t, fmt.Sprintf("%s: %s on %s, choose %v", name, learner, kind, choose), r, d)
				}
			}
		}
	}
}

// oddSample fits labels, and numbers where the learner can.
func oddSample(t *testing.T, name string, r recipe, d labeled) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check := func(p *pipeline, training model.Training, err error) {
		t.Helper()
		if ctx.Err() != nil || training.Status == learn.TimeLimit {
			t.Errorf("%s: it did not end (%v)", name, err)
			return
		}
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Errorf("%s: the error is empty", name)
			}
			return
		}
		if training.Status == "" || training.Status == learn.Cancelled {
			t.Errorf("%s: the status is %q", name, training.Status)
		}
		wantFinite(t, name, p, d.X)
		wantFinite(t, name, p, data.Slice[data.Vector]{data.Dense(0.5, 1, 2), data.Dense()})
		q, err := decode(encode(t, p))
		if err != nil {
			t.Errorf("%s: it does not come back from a file: %v", name, err)
			return
		}
		if !slices.Equal(scoresOf(t, p, 1, d.X).Data, scoresOf(t, q, 1, d.X).Data) {
			t.Errorf("%s: it comes back from a file as another", name)
		}
	}
	traits := r.Learner.Traits()
	if traits.Can(model.Classify) {
		check(r.Fit(ctx, d))
	}
	if traits.Can(model.Regress) {
		y := make([]float64, len(d.Y))
		for i := range y {
			y[i] = float64(len(d.Y[i]) + i%2)
		}
		r.Calibrate = ""
		check(r.FitValues(ctx, numbered{X: d.X, Y: y}))
		check(r.FitValues(ctx, numbered{X: d.X, Y: make([]float64, len(d.Y))}))
	}
}
