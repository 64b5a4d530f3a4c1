package bound_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

// TestWeakChance holds the proof of theorem 1: with the mean error 1/2 - a/π for
// a = arcsin γ, the least chance p of an error of at most 1/2 - γ/4 solves
// 2p·0 + (1-2p)·(1/2 - γ/4) = 1/2 - a/π.
func TestWeakChance(t *testing.T) {
	last := 0.0
	for k := 1; k <= 1000; k++ {
		margin := float64(k) / 1000
		p, err := bound.WeakChance(margin)
		if err != nil {
			t.Fatal(err)
		}
		if mean := (1 - 2*p) * (0.5 - margin/4); math.Abs(mean-(0.5-math.Asin(margin)/math.Pi)) > 1e-15 {
			t.Errorf("margin %v: chance %v gives mean error %v", margin, p, mean)
		}
		if p < margin/15 || p > 0.5 || p <= last {
			t.Errorf("margin %v: chance %v after %v", margin, p, last)
		}
		last = p
	}
	if last != 0.5 {
		t.Errorf("at margin 1 the chance is %v", last)
	}
}

// TestTheorem1Measured draws random separators for samples whose margins are
// exactly γ, half of each label, and counts those with error at most 1/2 - γ/4.
func TestTheorem1Measured(t *testing.T) {
	if testing.Short() {
		t.Skip("many random separators")
	}
	r := rand.New(rand.NewPCG(7, 1))
	for _, c := range []struct {
		margin float64
		dim    int
	}{{0.9, 5}, {0.5, 5}, {0.5, 40}, {0.2, 40}} {
		const points, draws = 200, 2000
		x := make([][]float64, points)
		for i := range x {
			// y·x for the separator (1, 0, …): first coordinate γ, the rest a
			// random direction of length √(1-γ²).
			v, norm := make([]float64, c.dim), 0.0
			for j := 1; j < c.dim; j++ {
				v[j] = r.NormFloat64()
				norm += v[j] * v[j]
			}
			for j := range v {
				v[j] *= math.Sqrt((1 - c.margin*c.margin) / norm)
			}
			v[0] = c.margin
			x[i] = v
		}
		good := 0
		h := make([]float64, c.dim)
		for range draws {
			for j := range h {
				h[j] = r.NormFloat64()
			}
			wrong := 0
			for _, v := range x {
				score := 0.0
				for j := range h {
					score += h[j] * v[j]
				}
				if score < 0 {
					wrong++
				}
			}
			if float64(wrong)/points <= 0.5-c.margin/4 {
				good++
			}
		}
		p, err := bound.WeakChance(c.margin)
		got := float64(good) / draws
		t.Logf("margin %v in %d dimensions: %.3f of random separators are good, promised %.3f", c.margin, c.dim, got, p)
		// The frequency is below its mean by four deviations at most once in 30,000.
		if err != nil || got < p-4*math.Sqrt(p/draws) {
			t.Errorf("margin %v in %d dimensions: %v good, promised %v, %v", c.margin, c.dim, got, p, err)
		}
	}
}

func TestWeakTries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.001, 1).Draw(t, "margin")
		confidence := rapid.Float64Range(0.001, 0.9999).Draw(t, "confidence")
		p := value(bound.WeakChance(margin))
		n := must2(bound.WeakTries(margin, confidence))
		fails := func(n int) float64 { return math.Pow(1-p, float64(n)) }
		if fails(n) > (1-confidence)*(1+hair) || n > 1 && fails(n-1) < (1-confidence)*(1-hair) {
			t.Fatalf("%d tries fail with %v, one less with %v; allowed is %v", n, fails(n), fails(n-1), 1-confidence)
		}
		if c := value(bound.WeakConfidence(margin, n)); c < confidence-hair {
			t.Fatalf("%d tries buy confidence %v, not %v", n, c, confidence)
		}
		atMost(t, "confidence", n)(bound.WeakTries(margin, value(bound.WeakConfidence(margin, n))))
		m := value(bound.WeakMargin(confidence, n))
		if !(m <= margin) {
			t.Fatalf("%d tries serve margin %v, not %v", n, m, margin)
		}
		atMost(t, "margin", n)(bound.WeakTries(m, confidence))
		if n, err := bound.WeakTries(m*(1-hair), confidence); err != nil || n <= must2(bound.WeakTries(m, confidence))-1 {
			t.Fatalf("a margin a hair smaller takes %d tries, %v", n, err)
		}
	})
	// At margin 1 every other separator is good: 2⁻⁷ < 0.01.
	if n := must2(bound.WeakTries(1, 0.99)); n != 7 {
		t.Errorf("margin 1 takes %d tries", n)
	}
}

// TestWeakSample holds the two events of the proof: all of the tries fail, with
// at most δ/2, or one of tries+1 judgements is off by γ/12, with at most δ/2.
func TestWeakSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.001, 1).Draw(t, "margin")
		confidence := rapid.Float64Range(0.001, 0.9999).Draw(t, "confidence")
		tries, sample, err := bound.WeakSample(margin, confidence)
		if err != nil {
			t.Fatal(err)
		}
		half := (1 - confidence) / 2
		if p := value(bound.WeakChance(margin)); math.Pow(1-p, float64(tries)) > half*(1+hair) {
			t.Fatalf("%d tries do not do", tries)
		}
		off := func(m int) float64 {
			step := margin/4 - margin/6
			return float64(tries+1) * math.Exp(-2*float64(m)*step*step)
		}
		if off(sample) > half*(1+hair) || off(sample-1) < half*(1-hair) {
			t.Fatalf("a sample of %d is off with %v, one less with %v; allowed is %v", sample, off(sample), off(sample-1), half)
		}
		m := value(bound.WeakSampleMargin(confidence, sample))
		if !(m <= margin) {
			t.Fatalf("%d examples serve margin %v, not %v", sample, m, margin)
		}
		_, again, err := bound.WeakSample(m, confidence)
		atMost(t, "margin", sample)(again, err)
	})
}

func TestBoosting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Float64Range(0.01, 0.5).Draw(t, "edge")
		err := rapid.Float64Range(0.001, 0.999).Draw(t, "error")
		n := must2(bound.BoostingRounds(edge, err))
		// The naive way: as many rounds as it takes.
		rounds, left := 0, 0.0
		for ; left > math.Log(err)*(1-1e-12); rounds++ {
			left -= 2 * edge * edge
		}
		if n != rounds && n != rounds+1 {
			t.Fatalf("%d rounds, counted %d", n, rounds)
		}
		if e := value(bound.BoostingError(edge, n)); !(e <= err*(1+hair)) {
			t.Fatalf("%d rounds leave %v, allowed is %v", n, e, err)
		}
		if e := value(bound.BoostingEdge(err, n)); !(e <= edge*(1+hair)) {
			t.Fatalf("%d rounds serve edge %v, not %v", n, e, edge)
		}
		if e := value(bound.BoostingError(edge, n)); e > 1e-300 {
			atMost(t, "error", n)(bound.BoostingRounds(edge, e))
		}
		atMost(t, "edge", n)(bound.BoostingRounds(value(bound.BoostingEdge(err, n)), err))

		sample := rapid.IntRange(1, 1_000_000).Draw(t, "sample")
		whole := must2(bound.BoostingSampleRounds(edge, sample))
		if e := value(bound.BoostingError(edge, whole)); !(e < 1/float64(sample)*(1+hair)) {
			t.Fatalf("%d rounds leave %v of %d examples", whole, e, sample)
		}
		if whole > 1 && value(bound.BoostingError(edge, whole-1)) < 1/float64(sample)*(1-hair) {
			t.Fatalf("%d rounds would do for %d examples", whole-1, sample)
		}
	})
	if n := must2(bound.BoostingSampleRounds(0.5, 1)); n != 1 {
		t.Errorf("one example takes %d rounds", n)
	}
}

func TestBoosted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
		err := rapid.Float64Range(0.001, 0.999).Draw(t, "error")
		confidence := rapid.Float64Range(0.001, 0.9999).Draw(t, "confidence")
		rounds, tries, fault := bound.Boosted(margin, err, confidence)
		if fault != nil {
			t.Fatal(fault)
		}
		if want := must2(bound.BoostingRounds(margin/4, err)); rounds != want {
			t.Fatalf("%d rounds, want %d", rounds, want)
		}
		p := value(bound.WeakChance(margin))
		if all := float64(rounds) * math.Pow(1-p, float64(tries)); all > (1-confidence)*(1+hair) {
			t.Fatalf("some round fails with %v, allowed is %v", all, 1-confidence)
		}
	})
}

// TestBoostingMeasured multiplies the factors √(1-4e²) of AdaBoost's own bound:
// they are smaller than exp(-2e²), on which the rounds are counted.
func TestBoostingMeasured(t *testing.T) {
	for k := 1; k <= 500; k++ {
		edge := float64(k) / 1000
		if exact, used := math.Sqrt(1-4*edge*edge), math.Exp(-2*edge*edge); exact > used {
			t.Errorf("edge %v: %v above %v", edge, exact, used)
		}
	}
}

func TestSurvivor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
		err := rapid.Float64Range(0.001, 0.99).Draw(t, "error")
		confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
		streak, sample, fault := bound.Survivor(margin, err, confidence)
		if fault != nil {
			t.Fatal(fault)
		}
		hypotheses := must2(bound.PerceptronMistakes(margin)) + 1
		fails := func(streak int) float64 { return float64(hypotheses) * math.Exp(-err*float64(streak)) }
		if fails(streak) > (1-confidence)*(1+hair) || fails(streak-1) < (1-confidence)*(1-hair) {
			t.Fatalf("a streak of %d fails with %v, one less with %v", streak, fails(streak), fails(streak-1))
		}
		if sample != hypotheses*streak {
			t.Fatalf("sample of %d for %d times %d", sample, hypotheses, streak)
		}
	})
	if _, _, err := bound.Survivor(1e-7, 1e-10, 0.9); !errors.Is(err, bound.ErrTooLarge) {
		t.Errorf("a sample past counting: %v", err)
	}
}
