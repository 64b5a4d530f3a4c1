package scale_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
)

// moments are center and spread from their formulas.
func moments(k scale.Kind, v []float64) (center, spread float64) {
	switch k {
	case scale.Standard:
		for _, x := range v {
			center += x / float64(len(v))
		}
		for _, x := range v {
			spread += (x - center) * (x - center) / float64(len(v))
		}
		if spread = math.Sqrt(spread); spread == 0 {
			spread = 1
		}
		return center, spread
	case scale.Range:
		low, high := slices.Min(v), slices.Max(v)
		return (low + high) / 2, (high - low) / 2
	}
	return 0, 1
}

func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, dim = 37, 5
	x := make(data.Slice[data.Vector], n)
	columns := make([][]float64, dim)
	for i := range x {
		var index []int32
		var value []float64
		for j := range dim {
			v := 0.0
			if j > 0 && rng.IntN(3) > 0 { // the first coordinate is never stored
				v = 10*rng.NormFloat64() - 3
				index, value = append(index, int32(j)), append(value, v)
			}
			if i < n-1 {
				columns[j] = append(columns[j], v)
			}
		}
		x[i] = data.Vector{Index: append([]int32{}, index...), Value: value}
		if i%4 == 0 { // dense ones mix with sparse ones
			row := make([]float64, dim)
			x[i].CopyTo(row)
			x[i] = data.Dense(row...)
		}
	}
	rows := make([]int, n-1) // the last has no part in the scale
	for i := range rows {
		rows[i] = i
	}
	for _, k := range []scale.Kind{scale.None, scale.Standard, scale.Range} {
		s := scale.FitVectors(k, x, rows)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		m := s.Apply(x)
		for i := range n {
			raw := make([]float64, dim)
			x[i].CopyTo(raw)
			for j := range dim {
				center, spread := moments(k, columns[j])
				want := 0.0
				if spread > 0 {
					want = (raw[j] - center) / spread
				}
				if got := m.Row(i)[j]; math.Abs(got-want) > 1e-12 {
					t.Fatalf("%s: row %d, coordinate %d is %v, want %v", k, i, j, got, want)
				}
			}
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again scale.Vectors
		if err := json.Unmarshal(text, &again); err != nil || !slices.Equal(again.Apply(x).Data, m.Data) {
			t.Errorf("%s: read again it is another (%v)", k, err)
		}
	}
}

// TestNewCoordinates leaves out what the rows that were looked at do not have,
// and takes what a row lacks for zero.
func TestNewCoordinates(t *testing.T) {
	s := scale.FitVectors(scale.Range, data.Slice[data.Vector]{data.Dense(0, 2), data.Dense(4, 6)}, nil)
	m := s.Apply(data.Slice[data.Vector]{data.Dense(2, 4, 9), data.Dense(8)})
	if want := []float64{0, 0, 3, -2}; !slices.Equal(m.Data, want) || m.Cols != 2 {
		t.Errorf("%v, want %v", m.Data, want)
	}
}

func TestValidate(t *testing.T) {
	for _, s := range []scale.Vectors{
		{Kind: "weird"},
		{Kind: scale.Range, Center: []float64{1}},
		{Kind: scale.Range, Center: []float64{math.NaN()}, Spread: []float64{1}},
		{Kind: scale.Range, Center: []float64{0}, Spread: []float64{-1}},
		{Kind: scale.Standard, Center: []float64{0}, Spread: []float64{math.Inf(1)}},
		{Kind: scale.Log, Center: []float64{0}, Spread: []float64{1}, Curves: []scale.Curve{{Unit: -1}}},
		{Kind: scale.Log, Center: []float64{0}, Spread: []float64{1}, Curves: []scale.Curve{{}, {}}},
		{Kind: scale.Quantile, Center: []float64{0}, Spread: []float64{1}, Curves: []scale.Curve{{Knots: []float64{1}}}},
		{Kind: scale.Quantile, Center: []float64{0}, Spread: []float64{1},
			Curves: []scale.Curve{{Knots: []float64{1, 1}, Scores: []float64{0, 1}}}},
	} {
		if s.Validate() == nil {
			t.Errorf("%v is valid", s)
		}
	}
}

func TestParse(t *testing.T) {
	if k, err := scale.Parse("range"); k != scale.Range || err != nil {
		t.Errorf("%v, %v", k, err)
	}
	if _, err := scale.Parse("weird"); err == nil {
		t.Error("weird is a scale")
	}
}
