package bound_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

// family is a count of three parameters with its inverses.
type family struct {
	name       string
	count      func(margin, err, confidence float64) (int, error)
	err        func(margin, confidence float64, n int) (float64, error)
	margin     func(err, confidence float64, n int) (float64, error)
	confidence func(margin, err float64, n int) (float64, error) // nil for the perceptron
}

var families = []family{
	{"landmarks", bound.Landmarks, bound.LandmarksError, bound.LandmarksMargin, bound.LandmarksConfidence},
	{"projection", bound.ProjectionDim, bound.ProjectionError, bound.ProjectionMargin, bound.ProjectionConfidence},
	{"margin sample", bound.MarginSample, bound.MarginSampleError, bound.MarginSampleMargin, bound.MarginSampleConfidence},
	{
		// F3 by its features, with landmarks enough for anything.
		"F3 features",
		func(m, e, c float64) (int, error) { _, dim, err := bound.Compressed(m, e, c); return dim, err },
		func(m, c float64, n int) (float64, error) { return bound.CompressedError(m, c, 1<<53, n) },
		func(e, c float64, n int) (float64, error) { return bound.CompressedMargin(e, c, 1<<53, n) },
		func(m, e float64, n int) (float64, error) { return bound.CompressedConfidence(m, e, 1<<53, n) },
	},
	{
		// F3 by its landmarks, with features enough for anything.
		"F3 landmarks",
		func(m, e, c float64) (int, error) { marks, _, err := bound.Compressed(m, e, c); return marks, err },
		func(m, c float64, n int) (float64, error) { return bound.CompressedError(m, c, n, 1<<53) },
		func(e, c float64, n int) (float64, error) { return bound.CompressedMargin(e, c, n, 1<<53) },
		func(m, e float64, n int) (float64, error) { return bound.CompressedConfidence(m, e, n, 1<<53) },
	},
	{
		"perceptron",
		func(m, e, _ float64) (int, error) { return bound.PerceptronSample(m, e) },
		func(m, _ float64, n int) (float64, error) { return bound.PerceptronError(m, n) },
		func(e, _ float64, n int) (float64, error) { return bound.PerceptronMargin(e, n) },
		nil,
	},
}

// hair is a part by which a parameter is made harder: far above the rounding of
// any formula here, about 10⁻¹⁵ times the largest logarithm of 40, and so small
// that the count hardly changes.
const hair = 1e-9

// TestInverses: what n buys costs at most n, and asking for a hair more costs at
// least n. Both together say that the inverse is the best there is.
func TestInverses(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
				err := rapid.Float64Range(0.001, 0.99).Draw(t, "error")
				confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
				n := rapid.IntRange(1, 1_000_000).Draw(t, "n")

				e, fault := f.err(margin, confidence, n)
				if fault != nil || !(e > 0 && e <= 1) {
					t.Fatalf("error %v, %v", e, fault)
				}
				if e < 1 && e > 1e-300 {
					atMost(t, "error", n)(f.count(margin, e, confidence))
					atLeast(t, "error", n)(f.count(margin, e*(1-hair), confidence))
				} else if e == 1 {
					atLeast(t, "no error", n)(f.count(margin, 1-hair, confidence))
				}
				switch m, fault := f.margin(err, confidence, n); {
				case errors.Is(fault, bound.ErrTooFew):
					atLeast(t, "no margin", n)(f.count(1, err, confidence))
				case fault != nil || !(m > 0 && m <= 1):
					t.Fatalf("margin %v, %v", m, fault)
				default:
					atMost(t, "margin", n)(f.count(m, err, confidence))
					atLeast(t, "margin", n)(f.count(m*(1-hair), err, confidence))
				}
				if f.confidence == nil {
					return
				}
				c, fault := f.confidence(margin, err, n)
				if fault != nil || !(c >= 0 && c < 1) {
					t.Fatalf("confidence %v, %v", c, fault)
				}
				if c > 0 {
					atMost(t, "confidence", n)(f.count(margin, err, c))
				}
				// A hair in 1 - c, where c has digits for it.
				if c < 1-1e-6 {
					atLeast(t, "confidence", n)(f.count(margin, err, max(1e-12, 1-(1-c)*(1-1e-8))))
				}
			})
		})
	}
}

func atMost(t *rapid.T, what string, n int) func(int, error) {
	return func(got int, err error) {
		t.Helper()
		if err != nil || got > n {
			t.Fatalf("%s: costs %d, %v; the budget is %d", what, got, err, n)
		}
	}
}

func atLeast(t *rapid.T, what string, n int) func(int, error) {
	return func(got int, err error) {
		t.Helper()
		if errors.Is(err, bound.ErrTooLarge) {
			return
		}
		if err != nil || got < n {
			t.Fatalf("%s: a hair more costs only %d, %v; the budget is %d", what, got, err, n)
		}
	}
}

// TestInverseOfCount: the count of a parameter buys that parameter back.
func TestInverseOfCount(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
				err := rapid.Float64Range(0.001, 0.99).Draw(t, "error")
				confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
				n := must2(f.count(margin, err, confidence))
				if e, fault := f.err(margin, confidence, n); fault != nil || e > err*(1+hair) {
					t.Fatalf("error %v, %v, want at most %v", e, fault, err)
				}
				if m, fault := f.margin(err, confidence, n); fault != nil || m > margin*(1+hair) {
					t.Fatalf("margin %v, %v, want at most %v", m, fault, margin)
				}
				if f.confidence == nil {
					return
				}
				if c, fault := f.confidence(margin, err, n); fault != nil || c < confidence-hair {
					t.Fatalf("confidence %v, %v, want at least %v", c, fault, confidence)
				}
			})
		})
	}
}

// TestInverseByHand has values from the formulas, worked out apart.
func TestInverseByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		// 8/1600·(100 + ln 100) = 0.005·104.605170
		{"LandmarksError", value(bound.LandmarksError(0.1, 0.99, 1600)), 0.52302585092994},
		{"LandmarksError of few", value(bound.LandmarksError(0.1, 0.99, 800)), 1},
		// 800·0.5/8 - ln 2 = 50 - 0.693147
		{"LandmarksMargin", value(bound.LandmarksMargin(0.5, 0.5, 800)), 1 / math.Sqrt(50-math.Ln2)},
		// exp(4 - 80·0.5/8) = 1/e
		{"LandmarksConfidence", value(bound.LandmarksConfidence(0.5, 0.5, 80)), 1 - 1/math.E},
		{"LandmarksConfidence of few", value(bound.LandmarksConfidence(0.5, 0.5, 64)), 0},
		// g = 1/3: 4/(g²-g³) = 54; 8·exp(-6)/0.5
		{"ProjectionError", value(bound.ProjectionError(1, 0.5, 324)), 16 * math.Exp(-6)},
		{"ProjectionConfidence", value(bound.ProjectionConfidence(1, 0.5, 324)), 1 - 16*math.Exp(-6)},
		// g = 1/2: g²-g³ = 1/8; 2·exp(-dim/32) = 2·exp(-2)
		{"Distortion", value(bound.Distortion(64, 1-2*math.Exp(-2))), 0.5},
		{"PairsDistortion of a point", value(bound.PairsDistortion(3, 0.5, 1)), 0},
		{"PerceptronError", value(bound.PerceptronError(0.1, 2000)), 0.05},
		{"PerceptronMargin", value(bound.PerceptronMargin(0.05, 2000)), 0.1},
		{"NoisyLandmarksError", value(bound.NoisyLandmarksError(0.1, 0.99, 0.2, 1600)), 0.8*0.52302585092994 + 0.2},
		{"NoisyLandmarksError of much noise", value(bound.NoisyLandmarksError(0.5, 0.5, 0.5, 800)), 0.5 + (4+math.Ln2)/100},
		{"MarginSampleError", value(bound.MarginSampleError(0.5, 1-math.Exp(-2), 100)), 0.5},
		{"MarginSampleMargin", value(bound.MarginSampleMargin(0.5, 1-math.Exp(-2), 100)), 0.5},
		{"MarginSampleConfidence", value(bound.MarginSampleConfidence(0.5, 0.5, 100)), 1 - math.Exp(-2)},
		{"ErrorGap", value(bound.ErrorGap(1-math.Exp(-2), 100)), 0.1},
		{"ErrorGap of one", value(bound.ErrorGap(0.99999, 1)), 1},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-13) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, fault := range map[string]error{
		"LandmarksMargin":        second(bound.LandmarksMargin(0.1, 0.99, 8)),
		"ProjectionMargin":       second(bound.ProjectionMargin(0.1, 0.99, 80)),
		"SampleProjectionMargin": second(bound.SampleProjectionMargin(0.99, 10, 80)),
		"CompressedMargin":       second(bound.CompressedMargin(0.1, 0.99, 8, 1<<40)),
		"CompressedMargin's dim": second(bound.CompressedMargin(0.1, 0.99, 1<<40, 8)),
		"Distortion":             second(bound.Distortion(1, 0.99)),
		"PerceptronMargin":       second(bound.PerceptronMargin(0.1, 9)),
		"MarginSampleMargin":     second(bound.MarginSampleMargin(0.1, 0.9, 100)),
		"WeakMargin":             second(bound.WeakMargin(0.99, 6)),
		"WeakSampleMargin":       second(bound.WeakSampleMargin(0.99, 100)),
		"BoostingEdge":           second(bound.BoostingEdge(0.1, 1)),
		"ConsistentDim":          second(bound.ConsistentDim(0.1, 0.9, 10)),
		"UniformDim":             second(bound.UniformDim(0.1, 0.9, 10)),
	} {
		if !errors.Is(fault, bound.ErrTooFew) {
			t.Errorf("%s: %v", name, fault)
		}
	}
}

func value(v float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return v
}

func second(_ any, err error) error { return err }

// TestNoisyLandmarksError: the total error that landmarks buy is the smallest
// that some ε gives, and 1 where no ε does.
func TestNoisyLandmarksError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
		confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
		noise := rapid.Float64Range(0, 0.95).Draw(t, "noise")
		n := rapid.IntRange(1, 1_000_000).Draw(t, "n")
		total := value(bound.NoisyLandmarksError(margin, confidence, noise, n))
		if total == 1 {
			atLeast(t, "no error", n)(bound.NoisyLandmarks(margin, 1-hair, confidence, noise))
			return
		}
		err := (total - noise) / (1 - noise)
		atMost(t, "error", n)(bound.NoisyLandmarks(margin, min(err*(1+hair), 1-hair), confidence, noise))
		atLeast(t, "error", n)(bound.NoisyLandmarks(margin, err*(1-hair), confidence, noise))
		if again := value(bound.NoisyError(err, noise)); math.Abs(again-total) > 1e-15 {
			t.Fatalf("total error %v, and again %v", total, again)
		}
	})
}

// TestDistortionInverse compares with a scan of all distortions, and with the
// dimension.
func TestDistortionInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 1_000_000).Draw(t, "dim")
		confidence := rapid.Float64Range(0.01, 0.9999).Draw(t, "confidence")
		points := rapid.IntRange(2, 1_000_000).Draw(t, "points")
		g, err := bound.PairsDistortion(dim, confidence, points)
		if errors.Is(err, bound.ErrTooFew) {
			atLeast(t, "no distortion", dim)(bound.PairsDim(2.0/3, confidence, points))
			return
		}
		if err != nil || !(g > 0 && g <= 2.0/3) {
			t.Fatalf("distortion %v, %v", g, err)
		}
		atMost(t, "distortion", dim)(bound.PairsDim(g, confidence, points))
		atLeast(t, "distortion", dim)(bound.PairsDim(g*(1-hair), confidence, points))
		const steps = 1000
		for k := 1; k <= steps; k++ {
			other := 2.0 / 3 * float64(k) / steps
			if p, err := bound.PairsFailure(other, dim, points); err != nil || (p <= 1-confidence) != (other >= g) &&
				math.Abs(other-g) > 1e-9 {
				t.Fatalf("%v fails with %v, %v; the smallest distortion is said to be %v", other, p, err, g)
			}
		}
	})
}

func TestSampleProjection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
		confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
		points := rapid.IntRange(1, 1_000_000).Draw(t, "points")
		dim := must2(bound.SampleProjectionDim(margin, confidence, points))
		g, _ := bound.MarginDistortion(margin)
		fails := func(dim int) float64 {
			return 8 * float64(points) * math.Exp(-(g*g-g*g*g)*float64(dim)/4)
		}
		if fails(dim) > (1-confidence)*(1+1e-12) || fails(dim-1) < (1-confidence)*(1-1e-12) {
			t.Fatalf("dim %d fails with %v, one less with %v", dim, fails(dim), fails(dim-1))
		}
		m, err := bound.SampleProjectionMargin(confidence, points, dim)
		if err != nil || m > margin*(1+hair) {
			t.Fatalf("%d dimensions serve margin %v, %v, not %v", dim, m, err, margin)
		}
		atMost(t, "margin", dim)(bound.SampleProjectionDim(m, confidence, points))
	})
	if n, err := bound.SampleProjectionDim(0.1, 0.9, 0); n != 1 || err != nil {
		t.Errorf("no instances need %d dimensions, %v", n, err)
	}
}

// TestInversesAreMonotone: a larger budget never buys less.
func TestInversesAreMonotone(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				margin := rapid.Float64Range(0.01, 1).Draw(t, "margin")
				err := rapid.Float64Range(0.001, 0.99).Draw(t, "error")
				confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
				few := rapid.IntRange(1, 1_000_000).Draw(t, "n")
				many := few + rapid.IntRange(0, 1_000_000).Draw(t, "more")
				if a, b := value(f.err(margin, confidence, few)), value(f.err(margin, confidence, many)); b > a {
					t.Fatalf("%d buy error %v and %d buy %v", few, a, many, b)
				}
				a, fault1 := f.margin(err, confidence, few)
				b, fault2 := f.margin(err, confidence, many)
				if fault1 == nil && (fault2 != nil || b > a) {
					t.Fatalf("%d buy margin %v and %d buy %v, %v", few, a, many, b, fault2)
				}
				if f.confidence != nil {
					if a, b := value(f.confidence(margin, err, few)), value(f.confidence(margin, err, many)); b < a {
						t.Fatalf("%d buy confidence %v and %d buy %v", few, a, many, b)
					}
				}
			})
		})
	}
}
