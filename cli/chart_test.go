package cli

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// wellFormed reports what is wrong with XML.
func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestChartOfAnyNumbers draws numbers of every size: nothing leaves the picture,
// and no coordinate is anything but a number.
func TestChartOfAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), 1, 30).Draw(t, "values")
		low, high := extent(values)
		a := axis{label: "<a & b>", low: low, high: high}
		c := newChart(`"title" <x>`, a, a)
		var points []xy
		for _, v := range values {
			points = append(points, xy{v, v})
			if x := c.px(v); !(x >= chartLeft && x <= chartLeft+plotWidth) {
				t.Fatalf("%v is at %v", v, x)
			}
		}
		c.line("a", points)
		c.dots("b", 3, points)
		c.columns("a", histogram(values, c.x.low, c.x.high, 7))
		c.outline("b", histogram(values, c.x.low, c.x.high, 7))
		c.whisker("a", low, low, high)
		c.segment(points[0], points[len(points)-1])
		c.rule("c", high, "<rule>")
		text := string(c.svg())
		if err := wellFormed(text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Fatalf("no number: %s", text)
		}
	})
}

func TestRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-3, 12, []float64{0, 5, 10}},
		{0.49, 0.51, []float64{0.49, 0.495, 0.5, 0.505, 0.51}},
		{2, 2, []float64{2, 2}},
	} {
		got := roundNumbers(c.low, c.high, 5)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("from %v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for v, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", 0.25: "0.25", 12345: "12345", 1e-8: "1e-8", 1e12: "1e12", -1.5: "-1.5"} {
		if got := brief(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0%", math.Copysign(0, -1): "0%", 0.3: "30%", 0.1525: "15.25%", 1: "100%"} {
		if got := percentage(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	if got := plain("a\tb\x00c\xffd", 20); got != "a b c\ufffdd" {
		t.Errorf("plain gives %q", got)
	}
	if got := plain("abcdef", 3); got != "abc…" {
		t.Errorf("plain gives %q", got)
	}
}

// TestHistogram against counting column by column.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.IntRange(0, 80), 1, 50).Draw(t, "values")
		values := make([]float64, len(whole))
		for i, v := range whole {
			values[i] = float64(v)
		}
		got := histogram(values, 0, 80, 8)
		for b := range 8 {
			n := 0
			for _, v := range whole {
				if v >= 10*b && v < 10*b+10 || b == 7 && v == 80 {
					n++
				}
			}
			if want := float64(n) / float64(len(whole)); math.Abs(got[b]-want) > 1e-12 {
				t.Fatalf("column %d has %v, want %v", b, got[b], want)
			}
		}
	})
	if got := histogram(nil, 0, 1, 3); !slices.Equal(got, []float64{0, 0, 0}) {
		t.Errorf("of nothing: %v", got)
	}
}

// TestROC: the area under the corners is the AUC, and the curve never falls.
func TestROC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := append([]int{0, 1, -1}, rapid.SliceOfN(rapid.IntRange(-1, 1), 0, 40).Draw(t, "truth")...)
		scores := data.NewMatrix(len(truth), 2)
		var s []float64
		var positive []bool
		for i, c := range truth {
			v := float64(rapid.IntRange(-5, 5).Draw(t, "score"))
			copy(scores.Row(i), []float64{-v, v})
			if c >= 0 {
				s, positive = append(s, v), append(positive, c == 1)
			}
		}
		points := roc(scores, truth)
		area := 0.0
		for i := 1; i < len(points); i++ {
			p, q := points[i-1], points[i]
			if q.x < p.x || q.y < p.y {
				t.Fatalf("the curve falls from %v to %v", p, q)
			}
			area += (q.x - p.x) * (p.y + q.y) / 2
		}
		if points[0] != (xy{0, 0}) || points[len(points)-1] != (xy{1, 1}) {
			t.Fatalf("the curve is from %v to %v", points[0], points[len(points)-1])
		}
		if want := eval.AUC(s, positive); math.Abs(area-want) > 1e-12 {
			t.Fatalf("the area is %v, the AUC %v", area, want)
		}
	})
}

func TestKernelAxis(t *testing.T) {
	for _, c := range []struct {
		names []string
		label string
		want  []float64
	}{
		{[]string{"rbf(gamma=0.12)", "rbf(gamma=0.125)", "rbf(gamma=12)"}, "the number in rbf(gamma=…)", []float64{0.12, 0.125, 12}},
		{[]string{"rbf(gamma=1e-05)", "rbf(gamma=2e-05)"}, "the number in rbf(gamma=…)", []float64{1e-5, 2e-5}},
		{[]string{"normalize(rbf(gamma=2))", "normalize(rbf(gamma=3))"}, "the number in normalize(rbf(gamma=…))", []float64{2, 3}},
		{[]string{"rbf(gamma=1)", "laplace(gamma=1)"}, "number of the kernel tried", []float64{1, 2}},
		{[]string{"linear", "linear"}, "number of the kernel tried", []float64{1, 2}},
		{[]string{"", "1"}, "number of the kernel tried", []float64{1, 2}},
		{nil, "number of the kernel tried", []float64{}},
	} {
		var tried []model.Option
		for _, n := range c.names {
			tried = append(tried, model.Option{Name: n})
		}
		label, got := kernelAxis(tried)
		if label != c.label || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q at %v, want %q at %v", c.names, label, got, c.label, c.want)
		}
	}
}

func TestEvenly(t *testing.T) {
	for _, c := range []struct {
		n, most int
		want    []int
	}{{0, 3, []int{}}, {2, 3, []int{0, 1}}, {3, 3, []int{0, 1, 2}}, {7, 3, []int{0, 2, 4}}} {
		if got := evenly(c.n, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.most, c.n, got, c.want)
		}
	}
}
