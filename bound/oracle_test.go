package bound_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

// The oracle computes the same formulas with 200 bits, from parameters given
// in thousandths, so that nothing is rounded before the end.

const precision = 200

func number(a float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(a) }

func thousandths(k int) *big.Float {
	return new(big.Float).SetPrec(precision).Quo(number(float64(k)), number(1000))
}

func quo(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Quo(a, b) }
func mul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(a, b) }
func add(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Add(a, b) }
func sub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Sub(a, b) }

// ln returns the logarithm of a > 0 as 2·artanh((m-1)/(m+1)) + e·ln 2 for
// a = m·2^e, by the series of artanh, whose argument is at most 1/3.
func ln(a *big.Float) *big.Float {
	m := new(big.Float).SetPrec(precision)
	e := a.MantExp(m) // m in [1/2, 1)
	two := number(2)
	ln2 := mul(two, artanh(quo(number(1), number(3))))
	one := number(1)
	return add(mul(two, artanh(quo(sub(m, one), add(m, one)))), mul(number(float64(e)), ln2))
}

func artanh(z *big.Float) *big.Float {
	sum, power, square := number(0), z, mul(z, z)
	for k := 1; k < 150; k += 2 {
		sum = add(sum, quo(power, number(float64(k))))
		power = mul(power, square)
	}
	return sum
}

func ceilBig(a *big.Float) int {
	n, _ := a.Int64()
	if number(float64(n)).Cmp(a) < 0 {
		n++
	}
	return int(n)
}

func TestAgainstBigFloat(t *testing.T) {
	if l, _ := ln(number(10)).Float64(); l != math.Ln10 {
		t.Fatalf("the oracle's ln 10 is %v", l)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 1000).Draw(t, "margin")
		e := rapid.IntRange(1, 999).Draw(t, "error")
		c := rapid.IntRange(1, 999).Draw(t, "confidence")
		margin, err, delta := thousandths(m), thousandths(e), thousandths(1000-c)
		fm, fe, fc := float64(m)/1000, float64(e)/1000, float64(c)/1000
		one, four := number(1), number(4)
		margin2 := mul(margin, margin)

		want := ceilBig(mul(quo(number(8), err), add(quo(one, margin2), ln(quo(one, delta)))))
		check(t, "Landmarks", must2(bound.Landmarks(fm, fe, fc)), want)

		project := func(g, allowed *big.Float) int {
			return ceilBig(mul(quo(four, mul(mul(g, g), sub(one, g))), ln(quo(number(8), allowed))))
		}
		want = project(quo(margin, add(number(2), margin)), mul(err, delta))
		check(t, "ProjectionDim", must2(bound.ProjectionDim(fm, fe, fc)), want)

		marks, dim, fault := bound.Compressed(fm, fe, fc)
		if fault != nil {
			t.Fatal(fault)
		}
		want = ceilBig(mul(quo(number(16), err), add(quo(one, margin2), ln(quo(number(2), delta)))))
		check(t, "F3 landmarks", marks, want)
		want = project(quo(margin, add(four, margin)), quo(mul(err, delta), four))
		check(t, "F3 dim", dim, want)

		if m < 1000 {
			g := margin
			want = ceilBig(mul(quo(four, mul(mul(g, g), sub(one, g))), ln(quo(number(2), delta))))
			check(t, "DistortionDim", must2(bound.DistortionDim(fm, fc)), want)
		}

		// Whole arithmetic: 1/γ² = 10⁶/m², 1/(εγ²) = 10⁹/(e·m²).
		check(t, "PerceptronMistakes", must2(bound.PerceptronMistakes(fm)), 1_000_000/(m*m))
		check(t, "PerceptronSample", must2(bound.PerceptronSample(fm, fe)), (1_000_000_000+e*m*m-1)/(e*m*m))
	})
}

func check(t *rapid.T, name string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %d, want %d", name, got, want)
	}
}
