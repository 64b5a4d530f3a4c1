package calibrate_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// chances draws n rows of made-up probabilities of k classes, and classes that
// follow others: the model is wrong, and coverage must hold all the same.
func chances(rng *rand.Rand, n, k int) (*data.Matrix, []int) {
	p, y := data.NewMatrix(n, k), make([]int, n)
	for i := range y {
		sum, total := 0.0, 0.0
		weight := make([]float64, k)
		for c := range k {
			v := rng.ExpFloat64()
			p.Row(i)[c] = v * v
			sum += v * v
			weight[c] = v
			total += v
		}
		for c := range k {
			p.Row(i)[c] /= sum
		}
		u := rng.Float64() * total
		for c, w := range weight {
			if u -= w; u < 0 {
				y[i] = c
				break
			}
		}
	}
	return p, y
}

// atMost is Pr[Binomial(n, p) ≤ count].
func atMost(count, n int, p float64) float64 {
	if count >= n {
		return 1
	}
	return mathext.RegIncBeta(float64(n-count), float64(count+1), 1-p)
}

// TestCoverage draws many problems of n held-out rows and one fresh row each,
// so that the hits are binomial with a probability of at least the coverage. It
// fails where so few would be seen once in 1e6 runs; and for oddities without
// ties where so many would be, at coverage + 1/(n+1).
func TestCoverage(t *testing.T) {
	const problems = 3000
	for _, n := range []int{5, 19, 50} {
		for _, coverage := range []float64{0.5, 0.8, 0.9, 0.95} {
			split := calibrate.Split{Coverage: coverage}
			for _, split.Kind = range []calibrate.Kind{calibrate.Least, calibrate.Adaptive} {
				rng := rand.New(rand.NewPCG(uint64(n), 3))
				hits := 0
				for range problems {
					p, y := chances(rng, n+1, 4)
					held := &data.Matrix{Rows: n, Cols: 4, Data: p.Data[:4*n]}
					c, err := split.Classes(held, y[:n])
					if err != nil {
						t.Fatal(err)
					}
					if slices.Contains(c.Set(p.Row(n)), y[n]) {
						hits++
					}
				}
				if atMost(hits, problems, coverage) < 1e-6 {
					t.Errorf("n=%d, %s: %d of %d covered at %v", n, split.Kind, hits, problems, coverage)
				}
			}
			rng := rand.New(rand.NewPCG(uint64(n), 4))
			hits := 0
			for range problems {
				predicted, truth := make([]float64, n+1), make([]float64, n+1)
				for i := range truth {
					predicted[i] = rng.NormFloat64()
					truth[i] = predicted[i] + rng.ExpFloat64()
				}
				c, err := split.Values(predicted[:n], truth[:n])
				if err != nil {
					t.Fatal(err)
				}
				if lo, hi := c.Interval(predicted[n]); lo <= truth[n] && truth[n] <= hi {
					hits++
				}
			}
			if atMost(hits, problems, coverage) < 1e-6 {
				t.Errorf("n=%d: %d of %d covered at %v", n, hits, problems, coverage)
			}
			if most := coverage + 1/float64(n+1); most < 1 && 1-atMost(hits-1, problems, most) < 1e-6 {
				t.Errorf("n=%d: %d of %d covered at %v, too many", n, hits, problems, coverage)
			}
		}
	}
}

// TestRank holds the rank against the definition in whole numbers: coverage is
// p hundredths, and the rank is the least k with 100k ≥ (n+1)p.
func TestRank(t *testing.T) {
	for n := range 210 {
		truth := make([]float64, n)
		for i := range truth {
			truth[i] = float64(n - i) // residuals n, n-1, …, 1
		}
		for p := 1; p < 100; p++ {
			c, err := calibrate.Split{Coverage: float64(p) / 100}.Values(make([]float64, n), truth)
			if err != nil {
				t.Fatal(err)
			}
			k := ((n+1)*p + 99) / 100
			if c.Whole != (k > n) || !c.Whole && c.Quantile != float64(k) {
				t.Fatalf("n=%d, coverage %d%%: rank %v, whole %v, want %d", n, p, c.Quantile, c.Whole, k)
			}
		}
	}
}

func TestSmall(t *testing.T) {
	c, err := calibrate.NewSplit().Classes(data.NewMatrix(0, 3), nil)
	if err != nil || !c.Whole || !reflect.DeepEqual(c.Set([]float64{0.1, 0.2, 0.7}), []int{0, 1, 2}) {
		t.Errorf("no rows: %+v, %v", c, err)
	}
	c, err = calibrate.NewSplit().Values([]float64{1}, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := c.Interval(3); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("one row: %v to %v", lo, hi)
	}
	// Nine rows are enough for 90%: the largest residual.
	c, err = calibrate.NewSplit().Values(make([]float64, 9), []float64{1, -2, 3, -4, 5, -6, 7, -8, -9})
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := c.Interval(1); lo != -8 || hi != 10 {
		t.Errorf("nine rows: %v to %v", lo, hi)
	}
	// Rows that are all right leave the most probable class alone.
	sure := data.NewMatrix(20, 2)
	for i := range 20 {
		sure.Row(i)[0], sure.Row(i)[1] = 0.7, 0.3
	}
	for _, kind := range []calibrate.Kind{calibrate.Least, calibrate.Adaptive} {
		c, err = calibrate.Split{Coverage: 0.9, Kind: kind}.Classes(sure, make([]int, 20))
		if err != nil || !reflect.DeepEqual(c.Set([]float64{0.4, 0.6}), []int{1}) {
			t.Errorf("%s: %+v, %v", kind, c, err)
		}
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back := new(calibrate.Conformal)
		if json.Unmarshal(b, back) != nil || !reflect.DeepEqual(back, c) || back.Validate() != nil {
			t.Errorf("%s", b)
		}
	}
}

func TestConformalBadInput(t *testing.T) {
	p := data.NewMatrix(2, 2)
	for _, s := range []calibrate.Split{{}, {Coverage: 1}, {Coverage: math.NaN()}, {Coverage: 0.9, Kind: "other"}} {
		if _, err := s.Classes(p, []int{0, 1}); err == nil {
			t.Errorf("%+v is let through", s)
		}
	}
	s := calibrate.NewSplit()
	if _, err := s.Classes(p, []int{0}); err == nil {
		t.Error("lengths")
	}
	if _, err := s.Classes(p, []int{0, 2}); err == nil {
		t.Error("class")
	}
	for _, v := range [][2][]float64{{{1}, {1, 2}}, {{math.NaN()}, {1}}, {{1}, {math.Inf(1)}}, {{-1.7e308}, {1.7e308}}} {
		if _, err := s.Values(v[0], v[1]); err == nil {
			t.Errorf("%v", v)
		}
	}
	for _, c := range []calibrate.Conformal{{}, {Kind: calibrate.Residual, Coverage: 0.9, Quantile: -1},
		{Kind: calibrate.Least, Coverage: 2}} {
		if c.Validate() == nil {
			t.Errorf("%+v is let through", c)
		}
	}
}
