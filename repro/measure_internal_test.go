package repro

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMean holds Student's interval against a table: for 5 values the quantile of
// 4 degrees of freedom at 99.95% is 8.6103.
func TestMean(t *testing.T) {
	m := mean([]float64{1, 2, 3, 4, 5})
	reach := 8.6103 * math.Sqrt(2.5/5)
	if m.Value != 3 || math.Abs(m.High-3-reach) > 1e-4 || math.Abs(3-reach-m.Low) > 1e-4 || m.Count != 5 {
		t.Errorf("mean %+v, want 3 ± %v", m, reach)
	}
	one := mean([]float64{7})
	if !math.IsInf(one.High, 1) || !math.IsInf(one.Low, -1) {
		t.Errorf("one value has the interval %+v", one)
	}
	if text, err := json.Marshal(one); err != nil || string(text) != `{"value":7,"low":null,"high":null,"count":1}` {
		t.Errorf("%s, %v", text, err)
	}
}

// TestIntervalsCover counts how often intervals hold the truth.
func TestIntervalsCover(t *testing.T) {
	const rounds, n, p = 2000, 30, 0.1
	rng := rand.New(rand.NewPCG(1, 1))
	missed := [3]int{}
	for range rounds {
		hits, normal, parts := 0, make([]float64, n), make([]float64, n)
		for i := range n {
			normal[i] = rng.NormFloat64()
			if rng.Float64() < p {
				hits++
				parts[i] = 1
			}
		}
		for k, c := range []struct {
			m     Measured
			truth float64
		}{{proportion(hits, n), p}, {mean(normal), 0}, {meanShare(parts), p}} {
			if c.m.Low > c.truth || c.m.High < c.truth {
				missed[k]++
			}
		}
	}
	// 2 of 2000 are expected; more than 12 have a probability below 1e-6.
	if slices.Max(missed[:]) > 12 {
		t.Errorf("missed %v of %d", missed, rounds)
	}
}

// TestSlope compares with the formula for points on a line and one off it.
func TestSlope(t *testing.T) {
	m := slope([]float64{0, 1, 2, 3}, []float64{1, 3, 5, 7})
	if math.Abs(m.Value-2) > 1e-15 || math.Abs(m.High-m.Low) > 1e-12 {
		t.Errorf("slope of a line %+v", m)
	}
	// y = (0, 0, 3): slope 1.5, residuals (0.5, -1, 0.5), one degree of freedom.
	m = slope([]float64{0, 1, 2}, []float64{0, 0, 3})
	reach := 636.619 * math.Sqrt(1.5/1/2)
	if math.Abs(m.Value-1.5) > 1e-12 || math.Abs(m.High-1.5-reach) > 1e-2 {
		t.Errorf("slope %+v, want 1.5 ± %v", m, reach)
	}
}

func TestVerdicts(t *testing.T) {
	m := Measured{Value: 1, Low: 0.5, High: 1.5}
	for _, c := range []struct {
		row  Row
		want Verdict
	}{
		{atMost("", m, 2), Holds}, {atMost("", m, 1), Undecided}, {atMost("", m, 0.4), Fails},
		{atLeast("", m, 0.5), Holds}, {atLeast("", m, 1), Undecided}, {atLeast("", m, 2), Fails},
		{equal("", m, 1.5), Holds}, {equal("", m, 1.6), Fails},
		{about("", m, 1, 0.5), Holds}, {about("", m, 1, 0.1), Undecided}, {about("", m, 3, 1), Fails},
		{show("", m), Shown},
	} {
		if c.row.Verdict != c.want {
			t.Errorf("%+v: want %q", c.row, c.want)
		}
	}
	if Holds.and(Fails) != Fails || Fails.and(Undecided) != Fails || Shown.and(Holds) != Holds {
		t.Error("the worse verdict does not win")
	}
}

// TestShellError counts draws.
func TestShellError(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, dim := range []int{3, 4, 10} {
		for _, at := range []float64{0, 0.1} {
			const n, margin = 20_000, 0.2
			w := make([]float64, dim)
			for j := range w {
				w[j] = rng.NormFloat64()
			}
			wrong := 0
			for range n {
				x, label := shell(rng, dim, margin)
				if math.Abs(dot(x, x)-1) > 1e-12 || math.Abs(label*x[0]-margin) > 1e-15 {
					t.Fatalf("x = %v, label %v", x, label)
				}
				if cosine(w, x, label) < at {
					wrong++
				}
			}
			m := proportion(wrong, n)
			if e := shellError(w, margin, at); e < m.Low || e > m.High {
				t.Errorf("dimension %d, at %v: %v by formula, %+v by count", dim, at, e, m)
			}
		}
	}
	if shellError([]float64{1, 0, 0}, 0.2, 0) != 0 || shellError([]float64{-1, 0, 0}, 0.2, 0) != 1 ||
		shellError([]float64{0, 0, 0}, 0.2, 0) != 1 {
		t.Error("the axis, its opposite and nothing have other errors than 0, 1 and 1")
	}
}

// TestWorlds: every world has the margin that it says, under its separator.
func TestWorlds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for name, v := range map[string]world{
		"shell": shellWorld(20, 0.3), "axes": axesWorld(30, 0.3, 0.2), "one axis": axesWorld(10, 0.9, 0.2),
		"lifted": liftedWorld(20, 0.2, 0.6),
	} {
		if math.Abs(dot(v.separator, v.separator)-1) > 1e-12 {
			t.Errorf("%s: the separator has length² %v", name, dot(v.separator, v.separator))
		}
		total := 0.0
		for part, q := range v.parts {
			total += q
			for range 50 {
				x, label := v.draw(rng, part)
				if c := cosine(v.separator, x, label); c < v.margin-1e-12 || math.Abs(dot(x, x)-1) > 1e-12 {
					t.Fatalf("%s: margin %v of length² %v, want %v", name, c, dot(x, x), v.margin)
				}
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("%s: probabilities sum to %v", name, total)
		}
	}
	for _, dim := range []int{2, 5, 6, 7, 1000} {
		x, label := sparseShell(rng, dim, 5, 0.3)
		if x.Dim() > dim || math.Abs(x.Norm2()-1) > 1e-12 || math.Abs(label*x.DotWith(axis(dim))-0.3) > 1e-15 ||
			!slices.IsSorted(x.Index) {
			t.Errorf("dimension %d: %v", dim, x)
		}
	}
}
