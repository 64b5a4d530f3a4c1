package bound_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

// A count is the smallest but for rounding: 16 operations of 2⁻⁵³ and as much
// again that the package allows itself, less than one part in 10¹⁴.
var (
	more = number(1 + 1e-14)
	less = number(1 - 1e-14)
)

// isCeil reports whether n is v rounded up, but for rounding.
func isCeil(n int, v *big.Float) bool {
	return number(float64(n)).Cmp(mul(v, less)) >= 0 && number(float64(n-1)).Cmp(mul(v, more)) <= 0
}

// tooLikely reports, with 200 bits, whether first·(2em/d)^d·exp(-rate·m) is
// above delta.
func tooLikely(first, rate, delta *big.Float, dim, sample int) bool {
	d, m := number(float64(dim)), number(float64(sample))
	left := add(ln(first), mul(d, add(number(1), ln(quo(mul(number(2), m), d)))))
	return sub(left, mul(rate, m)).Cmp(ln(delta)) > 0
}

func TestSamplesAgainstBigFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 100_000).Draw(t, "dim")
		e := rapid.IntRange(1, 999).Draw(t, "error")
		c := rapid.IntRange(1, 999).Draw(t, "confidence")
		err, delta := thousandths(e), thousandths(1000-c)
		fe, fc := float64(e)/1000, float64(c)/1000

		rate := quo(mul(err, ln(number(2))), number(2))
		m := must2(bound.ConsistentSample(dim, fe, fc))
		if tooLikely(number(2), mul(rate, more), delta, dim, m) || !tooLikely(number(2), mul(rate, less), delta, dim, m-1) {
			t.Fatalf("ConsistentSample = %d is not the smallest", m)
		}
		// The closed form of Blumer and others is never smaller.
		d := float64(dim)
		if known := max(4/fe*math.Log2(2/(1-fc)), 8*d/fe*math.Log2(13/fe)); float64(m) > known+1 {
			t.Fatalf("ConsistentSample = %d, the classical bound is %v", m, known)
		}
		// The proof needs as much for its ghost sample.
		if fe*float64(m) < 8*math.Ln2 {
			t.Fatalf("a sample of %d is too small for the proof at %v", m, fe)
		}

		rate = quo(mul(err, err), number(8))
		m = must2(bound.UniformSample(dim, fe, fc))
		if tooLikely(number(4), mul(rate, more), delta, dim, m) || !tooLikely(number(4), mul(rate, less), delta, dim, m-1) {
			t.Fatalf("UniformSample = %d is not the smallest", m)
		}
		if fe*fe*float64(m) < 2 {
			t.Fatalf("a sample of %d is too small for the proof at %v", m, fe)
		}

		// ((2/γ + √(ln(1/δ)/2))/ε)²
		margin := thousandths(e)
		root := add(quo(number(2), margin), new(big.Float).Sqrt(quo(sub(number(0), ln(delta)), number(2))))
		root = quo(root, err)
		if got, want := must2(bound.MarginSample(fe, fe, fc)), mul(root, root); !isCeil(got, want) {
			t.Fatalf("MarginSample = %d, want %v rounded up", got, want)
		}
		gap := quo(sub(number(0), ln(delta)), mul(number(2), mul(err, err)))
		if got := must2(bound.ErrorGapSample(fe, fc)); !isCeil(got, gap) {
			t.Fatalf("ErrorGapSample = %d, want %v rounded up", got, gap)
		}
		if g := value(bound.ErrorGap(fc, must2(bound.ErrorGapSample(fe, fc)))); !(g <= fe*(1+hair)) {
			t.Fatalf("ErrorGap %v, want at most %v", g, fe)
		}
	})
}

// TestSampleInverses: what a sample buys costs at most the sample, and a hair
// more costs at least as much.
func TestSampleInverses(t *testing.T) {
	for _, f := range []struct {
		name   string
		sample func(dim int, err, confidence float64) (int, error)
		err    func(dim int, confidence float64, sample int) (float64, error)
		dim    func(err, confidence float64, sample int) (int, error)
	}{
		{"consistent", bound.ConsistentSample, bound.ConsistentError, bound.ConsistentDim},
		{"uniform", bound.UniformSample, bound.UniformError, bound.UniformDim},
	} {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				dim := rapid.IntRange(1, 100_000).Draw(t, "dim")
				err := rapid.Float64Range(0.001, 0.99).Draw(t, "error")
				confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
				n := rapid.IntRange(1, 100_000_000).Draw(t, "n")
				e := value(f.err(dim, confidence, n))
				if !(e > 0 && e <= 1) {
					t.Fatalf("error %v", e)
				}
				if e < 1 {
					atMost(t, "error", n)(f.sample(dim, e, confidence))
					atLeast(t, "error", n)(f.sample(dim, e*(1-hair), confidence))
				} else {
					atLeast(t, "no error", n)(f.sample(dim, 1-hair, confidence))
				}
				switch d, fault := f.dim(err, confidence, n); {
				case errors.Is(fault, bound.ErrTooFew):
					atLeast(t, "no dimension", n+1)(f.sample(1, err, confidence))
				case fault != nil || d < 1:
					t.Fatalf("dimension %d, %v", d, fault)
				default:
					atMost(t, "dimension", n)(f.sample(d, err, confidence))
					atLeast(t, "dimension", n+1)(f.sample(d+1, err, confidence))
				}
				m := must2(f.sample(dim, err, confidence))
				if got := value(f.err(dim, confidence, m)); !(got <= err*(1+hair)) {
					t.Fatalf("%d examples buy error %v, not %v", m, got, err)
				}
				if got := must2(f.dim(err, confidence, m)); got < dim {
					t.Fatalf("%d examples serve %d dimensions, not %d", m, got, dim)
				}
				more := rapid.IntRange(0, 1000).Draw(t, "more")
				if must2(f.sample(dim+more, err, confidence)) < m {
					t.Fatal("more dimensions take fewer examples")
				}
				if value(f.err(dim, confidence, n+more)) > e {
					t.Fatal("more examples buy less")
				}
			})
		})
	}
}

// TestSeparable holds what the proof needs of the three sizes, and that no
// smaller dimension does: what a dimension asks for is found by going up from 1.
// TestNearlySeparable: the sizes are those of Compressed at error ε/(d·ln d), and
// the dimension is the smallest for which they are; what corollary 2 asks for is
// less than what a separable sample does.
func TestNearlySeparable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.1, 1).Draw(t, "margin")
		err := rapid.Float64Range(0.01, 0.9).Draw(t, "error")
		confidence := rapid.Float64Range(0.1, 0.99).Draw(t, "confidence")
		marks, dim, fault := bound.NearlySeparable(margin, err, confidence)
		if fault != nil {
			t.Fatal(fault)
		}
		needs := func(dim int) (int, int) {
			marks, d, fault := bound.Compressed(margin, err/(float64(dim)*math.Log(float64(dim))), confidence)
			if fault != nil {
				t.Fatal(fault)
			}
			return marks, d
		}
		if m, d := needs(dim); m != marks || d > dim {
			t.Fatalf("dimension %d asks for %d and %d landmarks, want %d", dim, d, m, marks)
		}
		if _, d := needs(dim - 1); d < dim {
			t.Fatalf("dimension %d would do", dim-1)
		}
		most, more, _, fault := bound.Separable(margin, err, confidence)
		if fault != nil || marks > most || dim > more {
			t.Fatalf("%d landmarks, %d dimensions; a separable sample takes %d and %d, %v", marks, dim, most, more, fault)
		}
	})
}

func TestSeparable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.1, 1).Draw(t, "margin")
		err := rapid.Float64Range(0.01, 0.9).Draw(t, "error")
		confidence := rapid.Float64Range(0.1, 0.99).Draw(t, "confidence")
		marks, dim, sample, fault := bound.Separable(margin, err, confidence)
		if fault != nil {
			t.Fatal(fault)
		}
		third := (1 - confidence) / 3
		needs := func(dim int) (int, int) {
			m := must2(bound.ConsistentSample(dim, err, 1-third))
			_, d, fault := bound.Compressed(margin, third/float64(m), 1-third)
			if fault != nil {
				t.Fatal(fault)
			}
			return m, d
		}
		// 1 - third rounds δ by 2⁻⁵³: allow one count, and one part in 10⁹.
		m, d := needs(dim)
		if abs(m-sample) > 1+sample/1_000_000_000 || abs(d-dim) > 1 {
			t.Fatalf("dimension %d takes %d examples and then %d dimensions; Separable says %d examples", dim, m, d, sample)
		}
		for _, less := range []int{1, dim / 2, dim - 2} {
			if _, d := needs(max(1, less)); d <= max(1, less)-1 {
				t.Fatalf("dimension %d would do: it asks for %d", less, d)
			}
		}
		want, _, fault := bound.Compressed(margin, third/float64(sample), 1-third)
		if fault != nil || math.Abs(float64(marks-want)) > 1+1e-9*float64(want) {
			t.Fatalf("%d landmarks, want %d, %v", marks, want, fault)
		}

		// Backwards: so many dimensions buy at least that error.
		e, n, fault := bound.SeparableError(margin, confidence, dim)
		if fault != nil || e > err*(1+hair) || float64(n) < float64(sample)*(1-1e-9)-1 {
			t.Fatalf("%d dimensions buy error %v with %d examples, %v; Separable had %v with %d", dim, e, n, fault, err, sample)
		}
		if e < 1 && e > 1e-12 {
			_, again, _, fault := bound.Separable(margin, e, confidence)
			if fault != nil && !errors.Is(fault, bound.ErrTooLarge) || again > dim+1 {
				t.Fatalf("error %v costs %d dimensions, %v; the budget is %d", e, again, fault, dim)
			}
		}
	})
	if e, n, err := bound.SeparableError(0.1, 0.9, 10); e != 1 || n != 0 || err != nil {
		t.Errorf("ten dimensions buy %v with %d examples, %v", e, n, err)
	}
	if _, _, _, err := bound.Separable(1e-3, 0.05, 0.99); !errors.Is(err, bound.ErrTooLarge) {
		t.Errorf("landmarks past counting: %v", err)
	}
}
