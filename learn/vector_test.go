package learn_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

func TestCheckVector(t *testing.T) {
	for _, c := range []struct {
		x    data.Vector
		says string
	}{
		{data.Dense(), ""},
		{data.Dense(3, 4), ""},
		{data.Vector{Index: []int32{0, 7}, Value: []float64{3, 4}}, ""},
		{data.Vector{Index: []int32{}, Value: nil}, ""},
		{data.Dense(1, math.NaN()), "coordinate 1 is NaN"},
		{data.Vector{Index: []int32{2, 9}, Value: []float64{1, math.Inf(1)}}, "coordinate 9 is +Inf"},
		{data.Dense(1e200), "overflow"},
		{data.Vector{Index: []int32{5, 2}, Value: []float64{1, 1}}, "coordinate 2 comes after 5"},
		{data.Vector{Index: []int32{5, 5}, Value: []float64{1, 1}}, "coordinate 5 comes after 5"},
		{data.Vector{Index: []int32{-2}, Value: []float64{1}}, "coordinate -2"},
		{data.Vector{Index: []int32{1, 2}, Value: []float64{1}}, "2 coordinates have 1 values"},
	} {
		norm2, err := learn.CheckVector(3, c.x)
		switch {
		case c.says == "" && (err != nil || norm2 != c.x.Norm2()):
			t.Errorf("%v: %v, %v", c.x, norm2, err)
		case c.says != "" && (err == nil || !strings.HasPrefix(err.Error(), "row 4: ") ||
			!strings.Contains(err.Error(), c.says)):
			t.Errorf("%v: %v, want %q", c.x, err, c.says)
		}
	}
}
