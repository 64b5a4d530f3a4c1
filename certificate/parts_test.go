package certificate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

func TestDeal(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 6, 9, 10, 11, 37} {
		index := counted(100, 100+n)
		parts := deal(index, 5)
		var all []int
		least, most := n, 0
		for _, part := range parts {
			if !slices.IsSorted(part) {
				t.Errorf("%d: part %v is out of order", n, part)
			}
			least, most = min(least, len(part)), max(most, len(part))
			all = append(all, part...)
		}
		slices.Sort(all)
		if !slices.Equal(all, index) || len(parts) != (n+4)/5 || most > 5 || n > 0 && most-least > 1 {
			t.Errorf("%d places are dealt as %v", n, parts)
		}
	}
}

// naiveSum is the sum of the largest m eigenvalues of the Gram matrix of some vectors.
func naiveSum(t *testing.T, x [][]float64, m int) (sum float64) {
	t.Helper()
	g := data.NewMatrix(len(x), len(x))
	for i, v := range x {
		for j, w := range x {
			for k := range v {
				g.Row(i)[j] += v[k] * w[k]
			}
		}
	}
	values, _, err := linalg.Eigen(context.Background(), run.Control{}, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values[max(0, len(values)-m):] {
		sum += max(0, v)
	}
	return sum
}

// The eigenvalue of parts is the sum of those of each, written down by the formula,
// and never below that of the whole. The kernel is linear and the one landmark an
// axis, so that what is outside of the span are the other coordinates.
func TestUpperOfParts(t *testing.T) {
	const dim, keep, floor, n = 6, 0.5, 0.3, 83
	rng := rand.New(rand.NewPCG(5, 6))
	x := make(data.Slice[data.Vector], n)
	for i := range x {
		v := make([]float64, dim)
		for k := range v {
			v[k] = rng.NormFloat64() * math.Pow(0.7, float64(k))
		}
		x[i] = data.Vector{Value: v}
	}
	axis := data.Slice[data.Vector]{data.Dense(1, 0, 0, 0, 0, 0)}
	m, err := feature.NewF2[data.Vector](kernel.Linear{}, 1).FitTo(t.Context(), axis)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		rho float64
		v   []float64
	}
	rows := make([]row, n)
	for i, z := range x {
		r := 1 - z.Value[0]*z.Value[0]/z.Norm2()
		v := slices.Clone(z.Value)
		v[0] = 0
		for k := range v {
			v[k] /= math.Sqrt(z.Norm2() * (1 - keep*keep*(1-r)))
		}
		rows[i] = row{r / (1 - keep*keep*(1-r)), v}
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.rho < b.rho {
			return -1
		}
		return 1
	})
	for _, classes := range []int{2, 3, 5} {
		for _, level := range []float64{0.6, 0.9, 1} {
			var exposed [][]float64
			for _, r := range rows {
				if r.rho >= floor && r.rho <= level {
					exposed = append(exposed, r.v)
				}
			}
			whole := naiveSum(t, exposed, classes-1) / n
			for _, part := range []int{1, 7, 20, len(exposed) - 1, len(exposed), n} {
				count := (len(exposed) + part - 1) / part
				want := 0.0
				for b := range count {
					var own [][]float64
					for i := b; i < len(exposed); i += count {
						own = append(own, exposed[i])
					}
					want += naiveSum(t, own, classes-1) / n
				}
				for _, estimated := range []bool{false, true} {
					s := &sample[data.Vector]{kernel: kernel.Linear{}, x: x, part: part}
					l, err := s.look(t.Context(), run.Control{}, m, keep)
					if err != nil {
						t.Fatal(err)
					}
					j := &judge[data.Vector]{look: l, claim: Claim{Classes: classes}, trials: n, floor: floor}
					if estimated {
						if _, err := j.estimate(t.Context(), run.Control{}, level); err != nil {
							t.Fatal(err)
						}
					}
					got, err := j.upper(t.Context(), run.Control{}, level)
					if err != nil {
						t.Fatal(err)
					}
					// What is proved is at most a thousandth above a Ritz value, for each of the sum.
					if got < whole || got < want || got > want*(1+2e-3*float64(classes))+1e-6 {
						t.Errorf("%d classes, level %v, parts of %d: %v, want %v, of all at once %v", classes, level, part, got, want,
							whole)
					}
				}
			}
		}
	}
}

// Parts shrink with the memory that is given, and not with what is left of it.
func TestPartsByMemory(t *testing.T) {
	for _, c := range []struct {
		part   int
		memory int64
		want   int
	}{
		{0, 0, 4000}, {0, 1 << 30, 4000}, {0, 1 << 29, 2000}, {0, 64 << 20, 1000}, {0, 1, 500}, {7000, 1, 7000}, {3, 0, 3},
	} {
		if got := partOf(c.part, run.Control{Memory: c.memory}); got != c.want {
			t.Errorf("part %d with %d bytes: %d, want %d", c.part, c.memory, got, c.want)
		}
	}
}
