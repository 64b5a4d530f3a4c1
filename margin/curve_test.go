package margin_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/margin"
)

// drawMargins gives margins in twentieths, so that ties are common.
func drawMargins(t *rapid.T, name string) margin.Margins {
	values := rapid.SliceOfN(rapid.IntRange(-20, 20), 1, 30).Draw(t, name)
	m := make([]float64, len(values))
	for i, v := range values {
		m[i] = float64(v) / 20
	}
	return margin.NewMargins(m)
}

// below counts, by definition 2.
func below(m margin.Margins, gamma float64) float64 {
	n := 0
	for _, v := range m {
		if v < gamma {
			n++
		}
	}
	return float64(n) / float64(len(m))
}

// grid has all margins that occur, points between them, and beyond.
func grid() []float64 {
	var g []float64
	for k := -42; k <= 42; k++ {
		g = append(g, float64(k)/40)
	}
	for k := -20; k <= 20; k++ {
		g = append(g, float64(k)/20)
	}
	slices.Sort(g)
	return slices.Compact(g)
}

func TestCurveAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(t, "separators")
		all := make([]margin.Margins, k)
		for s := range all {
			all[s] = drawMargins(t, "margins")
		}
		c, err := margin.NewCurve(all...)
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for _, gamma := range grid() {
			want, which := 2.0, -1
			for s, m := range all {
				if e := below(m, gamma); e < want {
					want, which = e, s
				}
			}
			if got := c.At(gamma); got != want || got < last {
				t.Fatalf("At(%v) = %v after %v, want %v", gamma, got, last, want)
			} else {
				last = got
			}
			if got := c.Separator(gamma); got != which && !(want == 1 && got == -1) {
				t.Fatalf("at %v separator %d, want %d", gamma, got, which)
			}
			m, ok := c.MarginAt(want)
			if want < 1 && (!ok || m < gamma || c.At(m) > want || c.At(math.Nextafter(m, 2)) <= want) {
				t.Fatalf("the largest margin with error %v is said to be %v, %v", want, m, ok)
			}
		}
		if k == 1 {
			for _, gamma := range grid() {
				if c.At(gamma) != all[0].ErrorAt(gamma) {
					t.Fatalf("At(%v) = %v, the margins say %v", gamma, c.At(gamma), all[0].ErrorAt(gamma))
				}
			}
		}
	})
}

func TestPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := margin.NewCurve(drawMargins(t, "a"), drawMargins(t, "b"))
		if err != nil {
			t.Fatal(err)
		}
		all := c.Points(math.MaxInt)
		if all[0] != (margin.Point{Margin: 0, Error: c.At(0)}) {
			t.Fatalf("the first point is %v", all[0])
		}
		for i, p := range all {
			if c.At(p.Margin) != p.Error {
				t.Fatalf("%v is not on the curve", p)
			}
			// A corner: the error rises right after it.
			if i > 0 && !(p.Margin > all[i-1].Margin && p.Error >= all[i-1].Error &&
				c.At(math.Nextafter(p.Margin, 2)) > p.Error) {
				t.Fatalf("%v after %v is no corner", p, all[i-1])
			}
		}
		// At every positive margin the next corner to the right has its error.
		for _, gamma := range grid() {
			if gamma <= 0 {
				continue
			}
			i := slices.IndexFunc(all[1:], func(p margin.Point) bool { return p.Margin >= gamma })
			if i < 0 && c.At(gamma) != 1 || i >= 0 && all[1+i].Error != c.At(gamma) {
				t.Fatalf("the corners %v do not give the error %v at %v", all, c.At(gamma), gamma)
			}
		}
		k := rapid.IntRange(-1, 40).Draw(t, "k")
		some := c.Points(k)
		if len(some) > max(k, 2) || len(some) < min(len(all), max(k, 2)) || some[0] != all[0] ||
			some[len(some)-1] != all[len(all)-1] {
			t.Fatalf("%d points of %v: %v", k, all, some)
		}
		for i, p := range some {
			if !slices.Contains(all, p) || i > 0 && p.Margin <= some[i-1].Margin {
				t.Fatalf("%d points of %v: %v", k, all, some)
			}
		}
	})
	c, _ := margin.NewCurve(margin.Margins{-0.5, 0.25, 0.5, 0.5})
	want := []margin.Point{{Margin: 1, Error: 1}, {Margin: 0.5, Error: 0.5}, {Margin: -1, Error: 0}}
	if got := c.PointsAt(1, 0.5, -1); !slices.Equal(got, want) {
		t.Errorf("PointsAt: %v, want %v", got, want)
	}
}

// TestHeldOut: at each margin the error of the separator that is best on the
// first part, counted on the second, and never less than at a smaller margin.
func TestHeldOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(t, "separators")
		choose, report := make([]margin.Margins, k), make([]margin.Margins, k)
		for s := range choose {
			choose[s], report[s] = drawMargins(t, "choose"), drawMargins(t, "report")
		}
		c, err := margin.HeldOut(choose, report)
		if err != nil {
			t.Fatal(err)
		}
		largest := -1.0
		for s := range choose {
			largest = max(largest, choose[s][len(choose[s])-1], report[s][len(report[s])-1])
		}
		worst := 0.0
		for _, gamma := range grid() {
			if gamma > largest {
				if c.At(gamma) != 1 || c.Separator(gamma) != -1 {
					t.Fatalf("above all margins the error is %v", c.At(gamma))
				}
				continue
			}
			best, least := 0, 2.0
			for s, m := range choose {
				if e := below(m, gamma); e < least {
					best, least = s, e
				}
			}
			worst = max(worst, below(report[best], gamma))
			if got := c.At(gamma); got != worst || c.Separator(gamma) != best {
				t.Fatalf("At(%v) = %v by separator %d, want %v by %d", gamma, got, c.Separator(gamma), worst, best)
			}
		}
	})
}

func TestCurveRefuses(t *testing.T) {
	good := margin.Margins{0.1, 0.2}
	for _, c := range []struct {
		name           string
		choose, report []margin.Margins
		want           string
	}{
		{"nothing", nil, nil, "no separator"},
		{"lengths", []margin.Margins{good}, nil, "1 separators to choose from and 0"},
		{"empty", []margin.Margins{good, {}}, []margin.Margins{good, good}, "separator 1: there are no margins"},
		{"empty report", []margin.Margins{good}, []margin.Margins{nil}, "separator 0: there are no margins"},
		{"NaN", []margin.Margins{{0.1, math.NaN()}}, []margin.Margins{good}, "margin 1 is NaN"},
		{"too large", []margin.Margins{good}, []margin.Margins{{0.5, 1.5}}, "margin 1 is 1.5"},
		{"infinite", []margin.Margins{{math.Inf(-1)}}, []margin.Margins{good}, "margin 0 is -Inf"},
		{"order", []margin.Margins{{0.2, 0.1}}, []margin.Margins{good}, "margin 1 is 0.1 after 0.2"},
	} {
		if _, err := margin.HeldOut(c.choose, c.report); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := margin.NewCurve(); err == nil {
		t.Error("a curve of nothing")
	}
	var zero margin.Curve
	if zero.At(-1) != 1 || zero.Separator(0) != -1 || len(zero.Points(5)) != 1 || zero.Len() != 0 {
		t.Error("the zero curve says something")
	}
	if _, ok := zero.MarginAt(1); ok {
		t.Error("the zero curve has a margin")
	}
	if g, err := zero.Gap(0.9); g != 1 || err != nil {
		t.Errorf("the zero curve has gap %v, %v", g, err)
	}
	c, err := margin.NewCurve(good)
	if err != nil || c.At(math.NaN()) != 1 || c.At(math.Inf(1)) != 1 || c.At(math.Inf(-1)) != 0 {
		t.Errorf("at no margin: %v", c.At(math.NaN()))
	}
	if _, ok := c.MarginAt(math.NaN()); ok {
		t.Error("a margin with error NaN")
	}
	for _, confidence := range []float64{0, 1, math.NaN()} {
		if _, err := c.Gap(confidence); err == nil {
			t.Errorf("gap at confidence %v", confidence)
		}
	}
}

// TestGap: √(ln(2·2/0.04)/(2·2)) with ln 100 = 4.605170, and 1 at most.
func TestGap(t *testing.T) {
	m := make(margin.Margins, 200)
	c, _ := margin.NewCurve(m, m[:100])
	if g, err := c.Gap(0.96); err != nil || math.Abs(g-math.Sqrt(4.605170185988092/200)) > 1e-15 || c.Len() != 100 {
		t.Errorf("gap %v, %v, of %d", g, err, c.Len())
	}
	c, _ = margin.NewCurve(m[:1])
	if g, err := c.Gap(0.99); g != 1 || err != nil {
		t.Errorf("gap %v, %v", g, err)
	}
}

// TestRecommend: no margin at all, on or off the corners, takes fewer landmarks.
func TestRecommend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := margin.NewCurve(drawMargins(t, "a"), drawMargins(t, "b"))
		if err != nil {
			t.Fatal(err)
		}
		total := rapid.Float64Range(0.01, 0.99).Draw(t, "total")
		confidence := rapid.Float64Range(0.01, 0.99).Draw(t, "confidence")
		fewest := math.MaxInt
		for _, gamma := range grid() {
			noise := c.At(gamma)
			if gamma <= 0 || gamma > 1 || noise >= total {
				continue
			}
			n, err := bound.NoisyLandmarks(gamma, (total-noise)/(1-noise), confidence, noise)
			if err != nil {
				t.Fatal(err)
			}
			fewest = min(fewest, n)
		}
		got, err := c.Recommend(total, confidence)
		if fewest == math.MaxInt {
			if err == nil {
				t.Fatalf("%v where no margin has so small an error", got)
			}
			return
		}
		if err != nil || got.Landmarks != fewest || got.Noise != c.At(got.Margin) {
			t.Fatalf("%+v, %v; want %d landmarks", got, err, fewest)
		}
		if e, err := bound.NoisyError(got.Error, got.Noise); err != nil || math.Abs(e-total) > 1e-12 {
			t.Fatalf("%+v promises %v, %v, not %v", got, e, err, total)
		}
	})
}

func TestRecommendRefuses(t *testing.T) {
	c, _ := margin.NewCurve(margin.Margins{-0.5, 0.25, 0.5, 0.5})
	for _, total := range []float64{0, 1, -1, math.NaN()} {
		if _, err := c.Recommend(total, 0.9); err == nil || !strings.Contains(err.Error(), "total error") {
			t.Errorf("total %v: %v", total, err)
		}
	}
	if _, err := c.Recommend(0.5, 1); err == nil || !strings.Contains(err.Error(), "confidence is 1") {
		t.Errorf("confidence 1: %v", err)
	}
	if _, err := c.Recommend(0.2, 0.9); err == nil || !strings.Contains(err.Error(), "the least is 0.25, at margin 0.25") {
		t.Errorf("too small: %v", err)
	}
	c, _ = margin.NewCurve(margin.Margins{-0.5, 0})
	if _, err := c.Recommend(0.9, 0.9); err == nil ||
		!strings.Contains(err.Error(), "no separator found has an instance") {
		t.Errorf("nothing positive: %v", err)
	}
	c, _ = margin.NewCurve(margin.Margins{1e-200})
	if _, err := c.Recommend(0.9, 0.9); !errors.Is(err, bound.ErrTooLarge) {
		t.Errorf("too small a margin: %v", err)
	}
}

func BenchmarkHeldOut(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	choose, report := make([]margin.Margins, 20), make([]margin.Margins, 20)
	for s := range choose {
		choose[s], report[s] = make(margin.Margins, 10000), make(margin.Margins, 10000)
		for i := range choose[s] {
			choose[s][i], report[s][i] = 2*r.Float64()-1, 2*r.Float64()-1
		}
		slices.Sort(choose[s])
		slices.Sort(report[s])
	}
	b.Run("20x10000", func(b *testing.B) {
		for b.Loop() {
			if _, err := margin.HeldOut(choose, report); err != nil {
				b.Fatal(err)
			}
		}
	})
}
