package report

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// roundest is the naive oracle of linearTicks: of all steps of one, two or five
// times a power of ten that have three to eight multiples in the range, the
// largest with more than three, or else the one with three.
func roundest(low, high float64) float64 {
	best, three := 0.0, 0.0
	for e := -25; e <= 25; e++ {
		for _, digit := range []string{"1", "2", "5"} {
			step, _ := strconv.ParseFloat(digit+"e"+strconv.Itoa(e), 64)
			switch n := math.Floor(high/step+1e-9) - math.Ceil(low/step-1e-9) + 1; {
			case n > 3 && n <= 8:
				best = max(best, step)
			case n == 3:
				three = max(three, step)
			}
		}
	}
	if best == 0 {
		return three
	}
	return best
}

func TestLinearTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := math.Pow(10, rapid.Float64Range(-15, 15).Draw(t, "length"))
		low := length * rapid.Float64Range(-1e3, 1e3).Draw(t, "low")
		high := low + length
		at, step := linearTicks(low, high)
		if len(at) < 3 || len(at) > 8 {
			t.Fatalf("%d numbers from %g to %g: %v", len(at), low, high, at)
		}
		if want := roundest(low, high); math.Abs(step-want) > 1e-9*want {
			t.Fatalf("from %g to %g the step is %g, want %g", low, high, step, want)
		}
		slack := 1e-6 * step
		if at[0] < low-slack || at[0] > low+step+slack || at[len(at)-1] > high+slack || at[len(at)-1] < high-step-slack {
			t.Fatalf("%v do not cover %g to %g", at, low, high)
		}
		texts := map[string]bool{}
		for i, v := range at {
			if i > 0 && math.Abs(v-at[i-1]-step) > slack {
				t.Fatalf("%v are not %g apart", at, step)
			}
			text := spaced(v, step, max(math.Abs(low), math.Abs(high)))
			if texts[text] {
				t.Fatalf("%v are written alike: %s", at, text)
			}
			texts[text] = true
			if got, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(got-v) > slack {
				t.Fatalf("%g is written %s", v, text)
			}
		}
	})
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-3, 12, []float64{-2, 0, 2, 4, 6, 8, 10, 12}},
		{0.49, 0.51, []float64{0.49, 0.495, 0.5, 0.505, 0.51}},
		{0, 300, []float64{0, 100, 200, 300}},
	} {
		if got, _ := linearTicks(c.low, c.high); !slices.Equal(got, c.want) {
			t.Errorf("from %v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-299, 298).Draw(t, "low"))
		high := low * (1.001 + math.Pow(10, rapid.Float64Range(-3, 299).Draw(t, "by")))
		high = min(high, 1e300)
		at := logTicks(low, high)
		if len(at) < 3 || len(at) > 10 || !slices.IsSorted(at) {
			t.Fatalf("from %g to %g: %v", low, high, at)
		}
		if at[0] < low*(1-1e-8) || at[len(at)-1] > high*(1+1e-8) {
			t.Fatalf("%v leave %g to %g", at, low, high)
		}
		if high/low < 20 {
			return // these may be those of a linear axis
		}
		for _, v := range at {
			if digit := strconv.FormatFloat(v, 'e', 6, 64)[:8]; digit != "1.000000" && digit != "2.000000" &&
				digit != "5.000000" {
				t.Fatalf("%g is not round", v)
			}
		}
		if gap := at[1] / at[0]; at[0]/low > gap*2.6 || high/at[len(at)-1] > gap*2.6 {
			t.Fatalf("%v do not cover %g to %g", at, low, high)
		}
	})
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{1, 1000, []float64{1, 10, 100, 1000}},
		{1, 30, []float64{1, 2, 5, 10, 20}},
		{3, 7, []float64{3, 4, 5, 6, 7}},
		{1e-6, 1e6, []float64{1e-6, 1e-4, 1e-2, 1, 1e2, 1e4, 1e6}},
	} {
		if got := logTicks(c.low, c.high); !slices.Equal(got, c.want) {
			t.Errorf("from %v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for v, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", 0.25: "0.25", 12345: "12345",
		1e-8: "1e-8", 1e12: "1e12", -1.5: "-1.5"} {
		if got := brief(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0%", math.Copysign(0, -1): "0%", 0.3: "30%", 0.1525: "15.25%",
		1: "100%"} {
		if got := percentage(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -999: "-999",
		-1000: "-1,000"} {
		if got := grouped(n); got != want {
			t.Errorf("%v is written %q, want %q", n, got, want)
		}
	}
	if got := clean("a\tb\x00c\xffd\ufffe", 20); got != "a b c\ufffdd " {
		t.Errorf("clean gives %q", got)
	}
	if got := clean("abcdef", 3); got != "abc…" {
		t.Errorf("clean gives %q", got)
	}
}
