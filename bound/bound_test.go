package bound_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

// must returns a count, for parameters that are in range.
func must(t rapid.TB, n int, err error) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestByHand has values worked out with pencil and a table of logarithms:
// ln 2 = 0.693147, ln 5 = 1.609438, ln 10 = 2.302585.
func TestByHand(t *testing.T) {
	count := func(n int, err error) int { return must(t, n, err) }
	marks, dim, err := bound.Compressed(0.5, 0.2, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want int
	}{
		// 160·(100 + 4.605170) = 16736.83
		{"Landmarks(0.1, 0.05, 0.99)", count(bound.Landmarks(0.1, 0.05, 0.99)), 16737},
		// 80·(25 + 2.995732) = 2239.66
		{"Landmarks(0.2, 0.1, 0.95)", count(bound.Landmarks(0.2, 0.1, 0.95)), 2240},
		// 16·(1 + 0.693147) = 27.09
		{"Landmarks(1, 0.5, 0.5)", count(bound.Landmarks(1, 0.5, 0.5)), 28},
		// 4/(0.25·0.5) = 32; 32·ln 20 = 32·2.995732 = 95.86
		{"DistortionDim(0.5, 0.9)", count(bound.DistortionDim(0.5, 0.9)), 96},
		// 32·ln(90/0.1) = 32·(2·2.197225 + 2.302585 + ...) = 32·6.802395 = 217.68
		{"PairsDim(0.5, 0.9, 10)", count(bound.PairsDim(0.5, 0.9, 10)), 218},
		{"PairsDim(0.5, 0.9, 1)", count(bound.PairsDim(0.5, 0.9, 1)), 1},
		// g = 0.2, 4/(0.04·0.8) = 125; 125·ln(8/0.02) = 125·5.991465 = 748.93
		{"ProjectionDim(0.5, 0.2, 0.9)", count(bound.ProjectionDim(0.5, 0.2, 0.9)), 749},
		// g = 1/3, 4/(2/27) = 54; 54·ln 32 = 54·3.465736 = 187.15
		{"ProjectionDim(1, 0.5, 0.5)", count(bound.ProjectionDim(1, 0.5, 0.5)), 188},
		// 80·(4 + ln 20) = 559.66
		{"Compressed(0.5, 0.2, 0.9) landmarks", marks, 560},
		// g = 1/9, 4/(8/729) = 364.5; 364.5·ln(32/0.02) = 364.5·7.377759 = 2689.19
		{"Compressed(0.5, 0.2, 0.9) dim", dim, 2690},
		{"PerceptronMistakes(0.1)", count(bound.PerceptronMistakes(0.1)), 100},
		{"PerceptronMistakes(0.3)", count(bound.PerceptronMistakes(0.3)), 11},
		{"PerceptronMistakes(1)", count(bound.PerceptronMistakes(1)), 1},
		{"PerceptronSample(0.1, 0.05)", count(bound.PerceptronSample(0.1, 0.05)), 2000},
		{"PerceptronSample(0.3, 0.1)", count(bound.PerceptronSample(0.3, 0.1)), 112},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d, want %d", c.name, c.got, c.want)
		}
	}
	// 2·exp(-0.125·64/4) = 2·e⁻², and 45 times as much is more than 1.
	if p, err := bound.DistortionFailure(0.5, 64); err != nil || math.Abs(p-2*math.Exp(-2)) > 1e-16 {
		t.Errorf("DistortionFailure(0.5, 64) = %v, %v", p, err)
	}
	if p, err := bound.PairsFailure(0.5, 64, 10); err != nil || p != 1 {
		t.Errorf("PairsFailure(0.5, 64, 10) = %v, %v", p, err)
	}
	if p, err := bound.PairsFailure(0.5, 64, 1); err != nil || p != 0 {
		t.Errorf("PairsFailure(0.5, 64, 1) = %v, %v", p, err)
	}
	if e, err := bound.NoisyError(0.05, 0.1); err != nil || math.Abs(e-0.145) > 1e-16 {
		t.Errorf("NoisyError(0.05, 0.1) = %v, %v", e, err)
	}
}

// TestWholeNumbers: where a formula gives a whole number exactly, rounding
// must not make it one more or one less.
func TestWholeNumbers(t *testing.T) {
	for k := 1; k <= 3000; k++ {
		margin := 1 / float64(k)
		if got := must2(bound.PerceptronMistakes(margin)); got != k*k {
			t.Errorf("PerceptronMistakes(1/%d) = %d, want %d", k, got, k*k)
		}
		if k == 1 {
			continue
		}
		if got := must2(bound.PerceptronSample(1/float64(k), 1/float64(k))); got != k*k*k {
			t.Errorf("PerceptronSample(1/%d, 1/%d) = %d, want %d", k, k, got, k*k*k)
		}
	}
	// A count that is not whole by one part in 10¹² is not taken for whole.
	if got := must2(bound.PerceptronMistakes(0.1 * (1 + 1e-12))); got != 99 {
		t.Errorf("just above 0.1 there are %d mistakes, want 99", got)
	}
}

func must2(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

func TestEveryFaultIsNamed(t *testing.T) {
	nan := math.NaN()
	third := func(_, _ any, err error) error { return err }
	compressed := func(m, e, c float64) error { a, b, err := bound.Compressed(m, e, c); return third(a, b, err) }
	survivor := func(m, e, c float64) error { a, b, err := bound.Survivor(m, e, c); return third(a, b, err) }
	weakSample := func(m, c float64) error { a, b, err := bound.WeakSample(m, c); return third(a, b, err) }
	boosted := func(m, e, c float64) error { a, b, err := bound.Boosted(m, e, c); return third(a, b, err) }
	separable := func(m, e, c float64) error { _, a, b, err := bound.Separable(m, e, c); return third(a, b, err) }
	separableError := func(m, c float64, d int) error {
		a, b, err := bound.SeparableError(m, c, d)
		return third(a, b, err)
	}
	for _, c := range []struct {
		err  error
		want []string
	}{
		{second(bound.Landmarks(0, 1, nan)), []string{"margin is 0", "error is 1", "confidence is NaN"}},
		{second(bound.Landmarks(1.1, 0, 1)), []string{"margin is 1.1", "error is 0", "confidence is 1"}},
		{second(bound.ProjectionDim(nan, nan, 0)), []string{"margin is NaN", "error is NaN", "confidence is 0"}},
		{compressed(-1, 2, -3), []string{"margin is -1", "error is 2", "confidence is -3"}},
		{second(bound.DistortionFailure(1, 0)), []string{"distortion is 1", "dim is 0"}},
		{second(bound.DistortionDim(0, 1)), []string{"distortion is 0", "confidence is 1"}},
		{second(bound.PairsFailure(nan, -1, -2)), []string{"distortion is NaN", "dim is -1", "points is -2"}},
		{second(bound.PairsDim(2, 2, -2)), []string{"distortion is 2", "confidence is 2", "points is -2"}},
		{second(bound.MarginDistortion(2)), []string{"margin is 2"}},
		{second(bound.NoisyError(0, 1)), []string{"error is 0", "noise is 1"}},
		{second(bound.NoisyLandmarks(0, 0, 0, -0.5)), []string{"margin is 0", "error is 0", "confidence is 0",
			"noise is -0.5"}},
		{second(bound.PerceptronMistakes(0)), []string{"margin is 0"}},
		{second(bound.PerceptronSample(nan, 1)), []string{"margin is NaN", "error is 1"}},
		{second(bound.LandmarksError(0, 1, 0)), []string{"margin is 0", "confidence is 1", "landmarks is 0"}},
		{second(bound.LandmarksMargin(nan, nan, -1)), []string{"error is NaN", "confidence is NaN", "landmarks is -1"}},
		{second(bound.LandmarksConfidence(2, 1, 0)), []string{"margin is 2", "error is 1", "landmarks is 0"}},
		{second(bound.NoisyLandmarksError(2, 1, 1, 0)), []string{"margin is 2", "confidence is 1", "noise is 1",
			"landmarks is 0"}},
		{second(bound.Distortion(0, 1)), []string{"dim is 0", "confidence is 1"}},
		{second(bound.PairsDistortion(0, nan, -1)), []string{"dim is 0", "confidence is NaN", "points is -1"}},
		{second(bound.ProjectionError(0, 1, 0)), []string{"margin is 0", "confidence is 1", "dim is 0"}},
		{second(bound.ProjectionMargin(0, 1, 0)), []string{"error is 0", "confidence is 1", "dim is 0"}},
		{second(bound.ProjectionConfidence(0, 1, 0)), []string{"margin is 0", "error is 1", "dim is 0"}},
		{second(bound.SampleProjectionDim(0, 1, -1)), []string{"margin is 0", "confidence is 1", "points is -1"}},
		{second(bound.SampleProjectionMargin(1, 0, 0)), []string{"confidence is 1", "points is 0", "dim is 0"}},
		{second(bound.CompressedError(0, 1, 0, 0)), []string{"margin is 0", "confidence is 1", "landmarks is 0", "dim is 0"}},
		{second(bound.CompressedMargin(0, 1, 0, 0)), []string{"error is 0", "confidence is 1", "landmarks is 0", "dim is 0"}},
		{second(bound.CompressedConfidence(0, 1, 0, 0)), []string{"margin is 0", "error is 1", "landmarks is 0", "dim is 0"}},
		{second(bound.PerceptronError(0, 0)), []string{"margin is 0", "sample is 0"}},
		{second(bound.PerceptronMargin(0, 0)), []string{"error is 0", "sample is 0"}},
		{survivor(0, nan, 1), []string{"margin is 0", "error is NaN", "confidence is 1"}},
		{second(bound.WeakChance(nan)), []string{"margin is NaN"}},
		{second(bound.WeakTries(0, 1)), []string{"margin is 0", "confidence is 1"}},
		{second(bound.WeakConfidence(0, 0)), []string{"margin is 0", "tries is 0"}},
		{second(bound.WeakMargin(1, 0)), []string{"confidence is 1", "tries is 0"}},
		{weakSample(2, nan), []string{"margin is 2", "confidence is NaN"}},
		{second(bound.WeakSampleMargin(1, 0)), []string{"confidence is 1", "sample is 0"}},
		{second(bound.BoostingRounds(0.6, 1)), []string{"edge is 0.6", "error is 1"}},
		{second(bound.BoostingSampleRounds(0, 0)), []string{"edge is 0", "sample is 0"}},
		{second(bound.BoostingError(nan, 0)), []string{"edge is NaN", "rounds is 0"}},
		{second(bound.BoostingEdge(1, 0)), []string{"error is 1", "rounds is 0"}},
		{boosted(0, 1, 1), []string{"margin is 0", "error is 1", "confidence is 1"}},
		{second(bound.ConsistentSample(0, 1, 1)), []string{"dim is 0", "error is 1", "confidence is 1"}},
		{second(bound.ConsistentError(0, 1, 0)), []string{"dim is 0", "confidence is 1", "sample is 0"}},
		{second(bound.ConsistentDim(0, 1, 0)), []string{"error is 0", "confidence is 1", "sample is 0"}},
		{second(bound.UniformSample(0, 1, 1)), []string{"dim is 0", "error is 1", "confidence is 1"}},
		{second(bound.UniformError(0, 1, 0)), []string{"dim is 0", "confidence is 1", "sample is 0"}},
		{second(bound.UniformDim(0, 1, 0)), []string{"error is 0", "confidence is 1", "sample is 0"}},
		{second(bound.MarginSample(0, 1, 1)), []string{"margin is 0", "error is 1", "confidence is 1"}},
		{second(bound.MarginSampleError(0, 1, 0)), []string{"margin is 0", "confidence is 1", "sample is 0"}},
		{second(bound.MarginSampleMargin(0, 1, 0)), []string{"error is 0", "confidence is 1", "sample is 0"}},
		{second(bound.MarginSampleConfidence(0, 1, 0)), []string{"margin is 0", "error is 1", "sample is 0"}},
		{second(bound.ErrorGap(1, 0)), []string{"confidence is 1", "sample is 0"}},
		{second(bound.ErrorGapSample(0, 1)), []string{"error is 0", "confidence is 1"}},
		{second(bound.SGDSteps(0, 1)), []string{"lambda is 0", "excess is 1"}},
		{second(bound.SGDExcess(math.Inf(1), 0)), []string{"lambda is +Inf", "steps is 0"}},
		{second(bound.SGDLambda(nan, 0)), []string{"excess is NaN", "steps is 0"}},
		{separable(0, 1, 1), []string{"margin is 0", "error is 1", "confidence is 1"}},
		{separableError(0, 1, 0), []string{"margin is 0", "confidence is 1", "dim is 0"}},
		{second(bound.NewBudget("error", 0, nan, 1, nan, 0)),
			[]string{"margin is 0", "confidence is 1", "noise is NaN", "dim is 0"}},
		{second(bound.NewBudget("margin", nan, 0, 1, 1, 0)),
			[]string{"error is 0", "confidence is 1", "noise is 1", "dim is 0"}},
		{second(bound.NewBudget("confidence", 0, 0, nan, 1, 0)),
			[]string{"margin is 0", "error is 0", "noise is 1", "dim is 0"}},
		{second(bound.NewBudget("noise", 0.1, 0.1, 0.9, 0, 1)), []string{`unknown is "noise"`}},
		{second(bound.NewPlan(0, 0, 0, nan)), []string{"margin is 0", "error is 0", "confidence is 0", "noise is NaN"}},
	} {
		if c.err == nil {
			t.Errorf("no error, want %q", c.want)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(c.err.Error(), want) {
				t.Errorf("%q does not say %q", c.err, want)
			}
		}
		if n := strings.Count(c.err.Error(), "\n") + 1; n != len(c.want) {
			t.Errorf("%q has %d faults, want %d", c.err, n, len(c.want))
		}
	}
}

func TestTooLarge(t *testing.T) {
	for _, margin := range []float64{1e-9, 1e-100, 1e-300, math.SmallestNonzeroFloat64} {
		if n, err := bound.PerceptronMistakes(margin); !errors.Is(err, bound.ErrTooLarge) {
			t.Errorf("PerceptronMistakes(%v) = %d, %v", margin, n, err)
		}
		if n, err := bound.Landmarks(margin, 0.1, 0.9); !errors.Is(err, bound.ErrTooLarge) {
			t.Errorf("Landmarks(%v) = %d, %v", margin, n, err)
		}
		if n, err := bound.ProjectionDim(margin, 0.1, 0.9); !errors.Is(err, bound.ErrTooLarge) {
			t.Errorf("ProjectionDim(%v) = %d, %v", margin, n, err)
		}
		p, err := bound.NewPlan(margin, 0.1, 0.9, 0)
		if margin == 1e-9 {
			// Past 2⁵³ counts are floats, and none is 0.
			n := p.PerceptronMistakes
			if err != nil || math.Abs(float64(n)-1e18) > 1e3 || n.String() != "1e+18" || !(p.F2Sample > 1e20) ||
				!(p.SeparableLandmarks > p.SeparableSample) || !(p.SeparableSample > p.SeparableDim) {
				t.Errorf("NewPlan(%v) = %+v, %v", margin, p, err)
			}
		} else if !errors.Is(err, bound.ErrTooLarge) || p != (bound.Plan{}) {
			t.Errorf("NewPlan(%v) = %v, %v", margin, p, err)
		}
	}
	if _, err := bound.ProjectionDim(1, math.SmallestNonzeroFloat64, 1-0x1p-53); err != nil {
		t.Errorf("the logarithm of a small product: %v", err)
	}
	if n, err := bound.PairsDim(0.5, 0.5, math.MaxInt); err != nil || n > 5000 {
		t.Errorf("PairsDim of %d points = %d, %v", math.MaxInt, n, err)
	}
}

// TestDimIsSmallest: the dimension suffices and one less does not. Both hold
// but for the rounding of the exponent, at most 16·2⁻⁵³·ln(n²/δ) < 10⁻¹².
func TestDimIsSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Float64Range(0.01, 0.99).Draw(t, "g")
		confidence := rapid.Float64Range(0.01, 0.9999).Draw(t, "confidence")
		points := rapid.IntRange(2, 1_000_000).Draw(t, "points")
		dim := must2(bound.PairsDim(g, confidence, points))
		if p, err := bound.PairsFailure(g, dim, points); err != nil || p > (1-confidence)*(1+1e-12) {
			t.Fatalf("dim %d fails with %v, %v; allowed is %v", dim, p, err, 1-confidence)
		}
		if dim == 1 {
			return
		}
		if p, err := bound.PairsFailure(g, dim-1, points); err != nil || p < (1-confidence)*(1-1e-12) {
			t.Fatalf("dim %d already fails with only %v, %v; allowed is %v", dim-1, p, err, 1-confidence)
		}
	})
}

// TestTheorem3IsSmallest holds the two requirements of the proof: at g the
// margin that is left is γ/2, and the four events fail with at most εδ.
func TestTheorem3IsSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
		err := rapid.Float64Range(0.001, 0.9).Draw(t, "error")
		confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
		g, fault := bound.MarginDistortion(margin)
		if fault != nil {
			t.Fatal(fault)
		}
		if left := (margin - g) / (1 + g); math.Abs(left-margin/2) > 1e-15 {
			t.Fatalf("margin %v leaves %v", margin, left)
		}
		dim := must2(bound.ProjectionDim(margin, err, confidence))
		four := func(dim int) float64 { return 8 * math.Exp(-(g*g-g*g*g)*float64(dim)/4) }
		allowed := err * (1 - confidence)
		if four(dim) > allowed*(1+1e-12) || four(dim-1) < allowed*(1-1e-12) {
			t.Fatalf("dim %d fails with %v, one less with %v; allowed is %v", dim, four(dim), four(dim-1), allowed)
		}
		marks, small, fault := bound.Compressed(margin, err, confidence)
		if fault != nil {
			t.Fatal(fault)
		}
		// Halving confidence's δ is 1 - (1-δ/2) and rounds; allow one count.
		half := 1 - (1-confidence)/2
		if want := must2(bound.Landmarks(margin, err/2, half)); abs(marks-want) > 1 {
			t.Fatalf("F3 has %d landmarks, lemma 1 at half says %d", marks, want)
		}
		if want := must2(bound.ProjectionDim(margin/2, err/2, half)); abs(small-want) > 1 {
			t.Fatalf("F3 has %d features, theorem 3 at half says %d", small, want)
		}
	})
}

func abs(n int) int { return max(n, -n) }

// TestMonotone: asking for more never costs less.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := func(name string, lo, hi float64) (float64, float64) {
			a := rapid.Float64Range(lo, hi).Draw(t, name)
			b := rapid.Float64Range(lo, hi).Draw(t, name+"'")
			return min(a, b), max(a, b)
		}
		hardMargin, easyMargin := pair("margin", 0.01, 1)
		hardError, easyError := pair("error", 0.001, 0.999)
		easyConfidence, hardConfidence := pair("confidence", 0.001, 0.999)
		easyNoise, hardNoise := pair("noise", 0, 0.99)
		easy, err1 := bound.NewPlan(easyMargin, easyError, easyConfidence, easyNoise)
		hard, err2 := bound.NewPlan(hardMargin, hardError, hardConfidence, hardNoise)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if easy.Landmarks > hard.Landmarks || easy.F1Dim > hard.F1Dim || easy.F2Dim > hard.F2Dim ||
			easy.F3Landmarks > hard.F3Landmarks || easy.F3Dim > hard.F3Dim || easy.JLDim > hard.JLDim ||
			easy.PerceptronMistakes > hard.PerceptronMistakes || easy.PerceptronSample > hard.PerceptronSample {
			t.Fatalf("easy %+v, hard %+v", easy, hard)
		}
		for name, pair := range map[string][2]bound.Count{
			"weak tries":          {easy.WeakTries, hard.WeakTries},
			"weak sample":         {easy.WeakSample, hard.WeakSample},
			"boosting rounds":     {easy.BoostingRounds, hard.BoostingRounds},
			"boosting tries":      {easy.BoostingTries, hard.BoostingTries},
			"survivor streak":     {easy.SurvivorStreak, hard.SurvivorStreak},
			"survivor sample":     {easy.SurvivorSample, hard.SurvivorSample},
			"margin sample":       {easy.MarginSample, hard.MarginSample},
			"F2 sample":           {easy.F2Sample, hard.F2Sample},
			"corollary 2":         {easy.NearlyLandmarks, hard.NearlyLandmarks},
			"corollary 2, dim":    {easy.NearlyDim, hard.NearlyDim},
			"separable landmarks": {easy.SeparableLandmarks, hard.SeparableLandmarks},
			"separable dim":       {easy.SeparableDim, hard.SeparableDim},
			"separable sample":    {easy.SeparableSample, hard.SeparableSample},
		} {
			if pair[0] > pair[1] || pair[0] < 1 {
				t.Fatalf("%s: %v for the easy, %v for the hard problem", name, pair[0], pair[1])
			}
		}
		if easy.F3Landmarks < easy.Landmarks || easy.F3Dim < easy.JLDim {
			t.Fatalf("F3 asks for less than its stages: %+v", easy)
		}
		if easy.ErrorBound < easyError || easy.ErrorBound < easyNoise || easy.ErrorBound > 1 {
			t.Fatalf("error bound of %+v", easy)
		}
	})
}

func TestNoisyLandmarks(t *testing.T) {
	plain := must2(bound.Landmarks(0.2, 0.1, 0.95))
	for _, noise := range []float64{0, 0.1, bound.FreeNoise} {
		if got := must2(bound.NoisyLandmarks(0.2, 0.1, 0.95, noise)); got != plain {
			t.Errorf("noise %v asks for %d landmarks, want %d", noise, got, plain)
		}
	}
	if got, want := must2(bound.NoisyLandmarks(0.2, 0.1, 0.95, 0.5)), must2(bound.Landmarks(0.2, 0.05,
		0.95)); got != want {
		t.Errorf("noise 1/2 asks for %d landmarks, want %d", got, want)
	}
}

// TestFreeNoise checks the inequality behind FreeNoise: with G = 1/γ² and
// L = ln(1/δ), draws of which the mean μ = 8(1-α)(G + L) fall right have at
// least 4G that do, but with probability exp(-(μ-4G)²/(2μ)) ≤ exp(-L).
func TestFreeNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := rapid.Float64Range(0, bound.FreeNoise).Draw(t, "alpha")
		g := rapid.Float64Range(1, 1e6).Draw(t, "1/margin²")
		l := rapid.Float64Range(1e-6, 100).Draw(t, "ln(1/delta)")
		mu := 8 * (1 - alpha) * (g + l)
		if mu < 4*g || (mu-4*g)*(mu-4*g)/(2*mu) < l*(1-1e-9) {
			t.Fatalf("mean %v, wanted %v", mu, 4*g)
		}
	})
}

func TestPlan(t *testing.T) {
	p, err := bound.NewPlan(0.1, 0.05, 0.99, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"margin":0.1,"error":0.05,"confidence":0.99,"noise":0.1,` +
		`"landmarks":16737,"f1_dim":16737,"f2_dim":16737,"f3_landmarks":33696,"f3_dim":76273,"jl_dim":17930,` +
		`"perceptron_mistakes":100,"perceptron_sample":2000,"error_bound":0.14500000000000002,` +
		`"weak_learner_tries":729,"weak_learner_sample":85618,"boosting_rounds":2397,"boosting_tries":1704,` +
		`"perceptron_streak":185,"perceptron_sure_sample":18685,"margin_sample":689479,"f2_sample":657253029,` +
		`"corollary2_landmarks":71945701501,"corollary2_dim":176719,"corollary2_error":2.341728613009174e-8,` +
		`"separable_landmarks":52823893330229,"separable_dim":229699,"separable_sample":103433227}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// A count past all numbers is said to be one, and is null in JSON.
func TestCountWithoutEnd(t *testing.T) {
	for _, c := range []struct {
		count      bound.Count
		text, json string
	}{
		{7, "7", "7"}, {1e18, "1e+18", "1000000000000000000"}, {bound.Count(math.Inf(1)), "more than 1.8e+308", "null"},
	} {
		b, err := json.Marshal(c.count)
		if err != nil || string(b) != c.json || c.count.String() != c.text {
			t.Errorf("%v: %s, %s, %v", float64(c.count), c.count, b, err)
		}
	}
}
