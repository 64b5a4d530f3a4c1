package model_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// ringOf returns n points around as many centres as there are classes, which lie on a ring.
func ringOf(n, classes int) labeled {
	r := seed.Stream(12, seed.Generator, uint64(classes))
	out := labeled{}
	var x data.Slice[data.Vector]
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%classes) / float64(classes))
		x = append(x, data.Dense(3*cos+0.2*r.NormFloat64(), 3*sin+0.2*r.NormFloat64(), r.NormFloat64()))
		out.Y = append(out.Y, strconv.Itoa(i%classes))
	}
	out.X = x
	return out
}

// TestFolded: scores are the products of the features with the separators, whichever way they are
// computed, of one instance and of many, at the edges of blocks, for few and for many separators.
func TestFolded(t *testing.T) {
	short := model.NewF3[data.Vector](9)
	short.Landmarks = 60
	for _, c := range []struct {
		name    string
		classes int
		m       model.Mapper[data.Vector]
	}{
		{"f2, two classes", 2, model.NewF2[data.Vector](40)},
		{"f2, five classes", 5, model.NewF2[data.Vector](40)},
		{"f2, more than are folded", 70, model.NewF2[data.Vector](40)},
		{"f3 of few dimensions, two classes", 2, short},
		{"f3 of few dimensions, many classes", 20, short},
	} {
		s := ringOf(169, c.classes)
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.3}, 40)
		r.Map, r.Learner = c.m, model.NewRidge()
		p, _, err := r.Fit(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		all := scoresOf(t, p, 2, s.X)
		features, one := make([]float64, p.Map.Dim()), make([]float64, p.Outputs())
		for i := range s.X.Len() {
			p.Scores(one, s.X.At(i))
			if !slices.Equal(one, all.Row(i)) {
				t.Fatalf("%s: row %d alone has %v, among others %v", c.name, i, one, all.Row(i))
			}
			p.Map.MapTo(features, s.X.At(i))
			for k := range p.Separators.Rows {
				want := p.Bias[k] * p.Unit
				for e, w := range p.Separators.Row(k) {
					want += w * features[e]
				}
				got := one[k]
				if c.classes == 2 {
					got = one[1]
				}
				if !(math.Abs(got-want) <= foldedTolerance*(1+math.Abs(want))) {
					t.Fatalf("%s: row %d scores %v, and its features say %v", c.name, i, got, want)
				}
			}
		}
		for _, n := range []int{1, 7, 83, 84, 85, 168} {
			got := scoresOf(t, p, 2, data.Range[data.Vector]{Of: s.X, Hi: n})
			if !slices.Equal(got.Data, all.Data[:n*all.Cols]) {
				t.Errorf("%s: the first %d rows have other scores alone", c.name, n)
			}
		}
	}
}
