package bound_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/bound"
)

// TestAngleError counts random separators of the plane, which is all that matters
// of a space.
func TestAngleError(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, margin := range []float64{0.1, 0.5, 0.9, 1} {
		const draws = 20_000
		wrong := 0
		for range draws {
			angle := math.Pi * (r.Float64() - 0.5) // of h to w, so that h·w ≥ 0
			if math.Cos(angle-math.Acos(margin)) <= 0 {
				wrong++
			}
		}
		p := value(bound.AngleError(margin))
		// Five deviations of the frequency.
		if got := float64(wrong) / draws; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/draws)+1e-9 {
			t.Errorf("margin %v: %v are wrong, want %v", margin, got, p)
		}
		if w := value(bound.WeakChance(margin)); math.Abs((1-2*w)*(0.5-margin/4)-p) > 1e-12 {
			t.Errorf("margin %v: chance %v belongs to a mean error other than %v", margin, w, p)
		}
	}
}

// TestHiddenMargin measures the cosine of the points of the construction with the
// second axis.
func TestHiddenMargin(t *testing.T) {
	for _, own := range []float64{0, 0.01, 0.5, 0.99} {
		x := []float64{-0.5 * math.Sqrt(1-own), math.Sqrt(3) / 2 * math.Sqrt(1-own), math.Sqrt(own)}
		want := x[1] / math.Sqrt(dot(x, x))
		if got := value(bound.HiddenMargin(own)); math.Abs(got-want) > 1e-15 {
			t.Errorf("own part %v: margin %v, want %v", own, got, want)
		}
	}
}

// TestHiddenError plays the game: landmarks hit, and labels are shared, no more
// often than is said.
func TestHiddenError(t *testing.T) {
	const games, confidence = 4000, 0.8
	r := rand.New(rand.NewPCG(3, 2))
	for _, c := range []struct{ bits, marks int }{{4, 3}, {8, 5}, {12, 40}} {
		points, hits, below := 1<<(c.bits/2), 0, 0
		least := value(bound.HiddenError(c.bits, confidence))
		for range games {
			hit := false
			for range c.marks {
				hit = hit || r.IntN(1<<c.bits) < points
			}
			if hit {
				hits++
			}
			plus := 0
			for range points {
				plus += r.IntN(2)
			}
			if float64(min(plus, points-plus)) < least*float64(points) {
				below++
			}
		}
		// Five deviations of a frequency, at most 5·√(1/4/4000) = 0.04.
		if p := value(bound.HiddenHit(c.bits, c.marks)); math.Abs(float64(hits)/games-p) > 0.04 {
			t.Errorf("%d bits, %d landmarks: %d of %d hit, want a part %v", c.bits, c.marks, hits, games, p)
		}
		if float64(below) > limit(1-confidence, games) {
			t.Errorf("%d bits: %d of %d have less than %v of a label", c.bits, below, games, least)
		}
	}
	for _, bits := range []int{-2, 0, 3} {
		if _, err := bound.HiddenError(bits, 0.5); err == nil {
			t.Errorf("%d bits are taken", bits)
		}
		if _, err := bound.HiddenHit(bits, 1); err == nil {
			t.Errorf("%d bits are taken", bits)
		}
	}
	if _, err := bound.HiddenHit(4, 0); err == nil {
		t.Error("no landmarks are taken")
	}
}

func TestBoostingProduct(t *testing.T) {
	errs := []float64{0.4, 0.45, 0.3}
	want := 8 * math.Sqrt(0.24*0.2475*0.21)
	if got := value(bound.BoostingProduct(errs)); math.Abs(got-want) > 1e-15 {
		t.Errorf("product %v, want %v", got, want)
	}
	// Below the bound by edges, since 2√(e(1-e)) = √(1-4(1/2-e)²) ≤ exp(-2(1/2-e)²).
	if e := value(bound.BoostingError(0.05, 3)); want > e {
		t.Errorf("product %v is above %v", want, e)
	}
	for _, bad := range []float64{-0.1, 0.6, math.NaN()} {
		if _, err := bound.BoostingProduct([]float64{bad}); err == nil {
			t.Errorf("error %v is taken", bad)
		}
	}
}
