package certificate_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/certificate"
)

// binomialCDF is Pr[Binomial(n, p) ≤ k] summed term by term.
func binomialCDF(k, n int, p float64) float64 {
	sum := 0.0
	for i := 0; i <= k; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

func TestBinomialUpper(t *testing.T) {
	for _, n := range []int{1, 2, 7, 50, 1000, 4000} {
		for _, count := range []int{0, 1, n / 10, n / 2, n - 1, n} {
			for _, delta := range []float64{1e-6, 0.025, 0.05, 0.5, 0.9} {
				p, err := certificate.BinomialUpper(count, n, delta)
				if err != nil {
					t.Fatal(err)
				}
				if count >= n {
					if p != 1 {
						t.Errorf("%d of %d: %v, want 1", count, n, p)
					}
					continue
				}
				// Sums of logarithms of size n·ln(n) leave 1e-11 of the tail, and
				// 1-p, where p is near 1, its rounding: 1e-16 of 1e-10.
				if tail := binomialCDF(count, n, p); math.Abs(tail-delta) > 1e-5*delta {
					t.Errorf("%d of %d at δ=%v: p=%v has tail %v", count, n, delta, p, tail)
				}
				want := distuv.Beta{Alpha: float64(count + 1), Beta: float64(n - count)}.Quantile(1 - delta)
				if math.Abs(p-want) > 1e-9 {
					t.Errorf("%d of %d at δ=%v: %v, quantile of Beta %v", count, n, delta, p, want)
				}
			}
		}
	}
	if p, _ := certificate.BinomialUpper(0, 0, 0.05); p != 1 {
		t.Errorf("no trials: %v", p)
	}
}

func TestBinomialUpperMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		k := rapid.IntRange(0, n-1).Draw(t, "k")
		delta := rapid.Float64Range(1e-9, 0.5).Draw(t, "delta")
		at := func(k, n int, delta float64) float64 {
			p, err := certificate.BinomialUpper(k, n, delta)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := at(k, n, delta)
		if !(p >= 0 && p <= 1) {
			t.Fatalf("%v for %d of %d", p, k, n)
		}
		const slack = 1e-12 // of the incomplete beta function
		if at(k+1, n, delta) < p-slack || at(k, n+1, delta) > p+slack || at(k, n, delta/2) < p-slack {
			t.Fatalf("not monotone at %d of %d, δ=%v", k, n, delta)
		}
	})
}

func TestMeanUpper(t *testing.T) {
	kl := func(p, q float64) float64 {
		d := (1 - p) * math.Log((1-p)/(1-q))
		if p > 0 {
			d += p * math.Log(p/q)
		}
		return d
	}
	for _, n := range []int{1, 10, 400, 4000, 1_000_000} {
		for _, p := range []float64{0, 1e-9, 1e-4, 0.01, 0.3, 0.9} {
			for _, delta := range []float64{1e-9, 0.05, 0.5} {
				for _, top := range []float64{1, 0.25, 40} {
					got, err := certificate.MeanUpper(p*top, top, n, delta)
					if err != nil {
						t.Fatal(err)
					}
					lo, hi := p, 1.0
					for range 100 {
						if mid := (lo + hi) / 2; kl(p, mid) < math.Log(1/delta)/float64(n) {
							lo = mid
						} else {
							hi = mid
						}
					}
					// The divergence is known to 1e-16, and near p it is (q-p)²/2.
					if want := hi * top; math.Abs(got-want) > 1e-8*want {
						t.Errorf("mean %v of %v, n=%d, δ=%v: %v, want %v", p*top, top, n, delta, got, want)
					}
				}
			}
		}
	}
	if got, _ := certificate.MeanUpper(0, 2, 100, 0.05); math.Abs(got-2*(1-math.Pow(0.05, 0.01))) > 1e-14 {
		t.Errorf("mean 0: %v", got)
	}
	for _, c := range []struct {
		mean, top float64
		n         int
	}{{2, 2, 10}, {0, 2, 0}} {
		if got, err := certificate.MeanUpper(c.mean, c.top, c.n, 0.1); err != nil || got != c.top {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

func TestMeanUpperMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		p := rapid.Float64Range(0, 0.99).Draw(t, "p")
		delta := rapid.Float64Range(1e-9, 0.9).Draw(t, "delta")
		at := func(p float64, n int, delta float64) float64 {
			q, err := certificate.MeanUpper(p, 1, n, delta)
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		q := at(p, n, delta)
		const slack = 1e-9
		if q < p || q > 1 || at(p+0.005, n, delta) < q-slack || at(p, n+1, delta) > q+slack || at(p, n, delta/2) < q-slack {
			t.Fatalf("not monotone: p=%v n=%d δ=%v q=%v", p, n, delta, q)
		}
		// Hoeffding's bound is never smaller, by Pinsker's inequality.
		if q > p+math.Sqrt(math.Log(1/delta)/(2*float64(n)))+slack {
			t.Fatalf("%v is worse than Hoeffding's bound", q)
		}
	})
}

func TestBadStatistics(t *testing.T) {
	nan := math.NaN()
	for i, f := range []func() error{
		func() error { _, err := certificate.BinomialUpper(-1, 5, 0.1); return err },
		func() error { _, err := certificate.BinomialUpper(6, 5, 0.1); return err },
		func() error { _, err := certificate.BinomialUpper(1, 5, 0); return err },
		func() error { _, err := certificate.BinomialUpper(1, 5, nan); return err },
		func() error { _, err := certificate.MeanUpper(nan, 1, 5, 0.1); return err },
		func() error { _, err := certificate.MeanUpper(2, 1, 5, 0.1); return err },
		func() error { _, err := certificate.MeanUpper(0, 0, 5, 0.1); return err },
		func() error { _, err := certificate.MeanUpper(0, math.Inf(1), 5, 0.1); return err },
		func() error { _, err := certificate.MeanUpper(0, 1, -5, 0.1); return err },
		func() error { _, err := certificate.MeanUpper(0, 1, 5, 1); return err },
	} {
		if f() == nil {
			t.Errorf("case %d was taken", i)
		}
	}
}

func TestBudget(t *testing.T) {
	b := certificate.Budget{Delta: 0.05}
	sum := 0.0
	for k := 1; k <= 100_000; k++ {
		sum += b.Look(k)
	}
	if sum > 0.05 || sum < 0.0499 || b.Look(0) != 0 || b.Look(-3) != 0 {
		t.Errorf("spent %v of 0.05", sum)
	}
}
