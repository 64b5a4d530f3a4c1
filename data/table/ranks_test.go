package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// ranked is a table of numbers that scales by ranks are for: normal ones with gaps, long
// tails, nearly all the same, and one that differs in the last row alone.
func ranked(n int) string {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	var b strings.Builder
	b.WriteString("normal,tail,rare,late,kind,y\n")
	for i := range n {
		normal, rare, late := fmt.Sprint(rng.NormFloat64()), 0, 1
		if i%50 == 7 {
			normal = ""
		}
		if i%100 == 99 {
			rare = i
		}
		if i == n-1 {
			late = 5
		}
		fmt.Fprintf(&b, "%s,%v,%d,%d,k%d,%d\n", normal, math.Exp(2*rng.NormFloat64()), rare, late, i%3, i%2)
	}
	return b.String()
}

// surveyOf surveys a table in parts, some of which are surveyed apart, sent and merged.
func surveyOf(t *testing.T, text string, part, units int) (*table.Survey, *table.Table) {
	t.Helper()
	r, err := csv.NewReader(strings.NewReader(text), table.Options{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	surveys := make([]*table.Survey, units)
	var parts []*table.Table
	for k := 0; ; k++ {
		one, err := r.Read(t.Context(), part)
		if err != nil {
			break
		}
		at := min(k, units-1)
		if surveys[at] == nil {
			surveys[at] = &table.Survey{Quantiles: true}
		}
		surveys[at].Add(one, nil)
		parts = append(parts, one)
	}
	all := surveys[0]
	for _, s := range surveys[1:] {
		if s == nil {
			continue
		}
		b, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		sent := &table.Survey{}
		if err := sent.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		all.Merge(sent)
	}
	return all, table.Concat(parts)
}

var sorting = []scale.Kind{scale.Robust, scale.Quantile, scale.Log, scale.Mixed}

// Of few rows, and of those that are all in the sample, scales that sort numbers are those of
// memory, to the bit.
func TestSurveyOfRanksIsExact(t *testing.T) {
	for _, n := range []int{1, 30, 1000, 5000} {
		for _, kind := range sorting {
			for _, units := range []int{1, 3} {
				survey, all := surveyOf(t, ranked(n), 300, units)
				want := mustFit(t, all, nil, kind)
				sample := all
				if n == 1000 && kind != scale.Mixed { // whose choice is that of the sample
					sample = all.Select(numbers(0, 100))
				}
				got := mustFit(t, sample, nil, kind)
				if err := survey.Refine(got, sample); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d rows, %s, %d units:\n%+v, want\n%+v", n, kind, units, got.Columns, want.Columns)
				}
			}
		}
	}
}

// Of more rows a scaled number is that of a rank which is off by no more than the bound.
func TestSurveyOfRanks(t *testing.T) {
	const n = 40_000
	text := ranked(n)
	// (H+1)/2k with H = 1 + ⌊log₂(n/k)⌋ = 6 and k = 1024, and a half of 2⁻¹⁴.
	const off = 7.0/2048 + 1.0/32768
	for _, kind := range sorting {
		var first *table.Schema
		for _, part := range []int{100, 4096} {
			survey, all := surveyOf(t, text, part, 1)
			sample := all.Select(numbers(0, 2000))
			got := mustFit(t, sample, nil, kind)
			if err := survey.Refine(got, sample); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) || got.Validate() != nil {
				t.Errorf("%s: parts of %d give another schema; %v", kind, part, got.Validate())
			}
			if late := got.Columns[3]; late.Kind != table.Number || !late.Indicator == (late.Size == 2) {
				t.Errorf("%s: %+v", kind, late)
			}
			for j := range 2 {
				c := got.Columns[j]
				var v []float64
				for i := range n {
					if cell, ok := all.Cell(i, j); ok {
						var x float64
						fmt.Sscan(cell, &x)
						v = append(v, x)
					}
				}
				slices.Sort(v)
				rank := func(x float64) float64 {
					at, _ := slices.BinarySearch(v, x)
					return float64(at) / float64(len(v))
				}
				if kind != scale.Mixed || c.Scale != scale.Standard {
					if d := rank(c.Mean) - 0.5; math.Abs(d) > off {
						t.Errorf("%s: the median of column %d is off by %v", kind, j, d)
					}
				}
				if kind == scale.Quantile {
					for k, x := range c.Curve.Knots {
						want := (1 + math.Erf(c.Curve.Scores[k]/math.Sqrt2)) / 2
						if d := rank(x) - want; math.Abs(d) > off+1e-4 { // scores are rounded, and ends are half a rank
							t.Errorf("knot %d of column %d is off by %v", k, j, d)
						}
					}
				}
				if kind == scale.Robust {
					most := (scale.At(v, 0.75+off) - scale.At(v, 0.25-off)) / 1.3489795003921634
					least := (scale.At(v, 0.75-off) - scale.At(v, 0.25+off)) / 1.3489795003921634
					if c.Spread > most || c.Spread < least {
						t.Errorf("the spread of column %d is %v", j, c.Spread)
					}
				}
			}
			if kind == scale.Robust {
				want := mustFit(t, all, nil, kind).Columns[2] // by its deviation, of all rows
				if c := got.Columns[2]; math.Abs(c.Spread-want.Spread) > 1e-9*want.Spread {
					t.Errorf("the spread of numbers that are rare is %v, want %v", c.Spread, want.Spread)
				}
			}
		}
	}
}
