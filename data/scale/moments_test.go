package scale_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
)

// exactMean is the mean of numbers, rounded once.
func exactMean(values []float64) float64 {
	sum := new(big.Float).SetPrec(2200)
	for _, v := range values {
		sum.Add(sum, new(big.Float).SetFloat64(v))
	}
	mean, _ := sum.Quo(sum, new(big.Float).SetInt64(int64(len(values)))).Float64()
	return mean
}

// TestMean holds means of columns to their formula, with and without missing numbers, in numbers of
// all sizes; the same numbers have the same mean whether they come from a column or one by one. A
// block and the sums of blocks lose 256 + n/1024 roundings of half a unit at most, of Σ|x|/n.
func TestMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 1023, 1024, 1025, 5000} {
		rise := 0.0
		for name, draw := range map[string]func() float64{
			"normal": rng.NormFloat64,
			"far":    func() float64 { return 1e9 + rng.Float64() },
			"large":  func() float64 { return math.MaxFloat64 * rng.Float64() },
			"signs":  func() float64 { return math.MaxFloat64 * math.Copysign(1, rng.Float64()-0.5) },
			"small":  func() float64 { return 1e-308 * rng.Float64() },
			"rising": func() float64 { rise++; return rise },
		} {
			for _, gone := range []float64{0, 0.01, 0.9} {
				column := make([]float64, n)
				rows := make([]int, 0, n)
				var there []float64
				size := 0.0
				for i := range column {
					if column[i] = draw(); rng.Float64() < gone {
						column[i] = math.NaN()
					}
					if i%7 == 6 && gone > 0.5 {
						continue // not one after the other
					}
					if rows = append(rows, i); column[i] == column[i] {
						there = append(there, column[i])
						size = max(size, math.Abs(column[i]))
					}
				}
				f := scale.None.FitColumn(column, rows)
				if f.N != len(there) {
					t.Fatalf("%s: %d numbers of %d", name, f.N, len(there))
				}
				if one := scale.None.Fit(slices.Values(there)); one.Mean != f.Mean || one.N != f.N {
					t.Errorf("%s, %d of %d: the mean is %v, and %v one by one", name, len(there), n, f.Mean, one.Mean)
				}
				if f.N == 0 {
					continue
				}
				roundings := 256 + float64(n)
				if want := exactMean(there); math.Abs(f.Mean-want) > roundings*0x1p-53*size+5e-324 {
					t.Errorf("%s, %d of %d: the mean is %v, want %v", name, len(there), n, f.Mean, want)
				}
			}
		}
	}
}
