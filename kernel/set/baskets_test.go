package set_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// baskets draws n baskets of at most s among d items: one half with none of the
// items 0 … k-1, one half with at least one. The label is +1 where a basket has
// one of them (Shalev-Shwartz and Ben-David 2014, chapter 16, exercise 5). It
// returns them as sparse indicator vectors and as sets.
func baskets(
	n, d, k, s int, seed uint64,
) (vectors data.Labeled[data.Vector, float64], sets data.Labeled[data.Set, float64]) {
	rng := rand.New(rand.NewPCG(seed, uint64(d)))
	x, baskets, y := &data.CSR{}, make(data.Slice[data.Set], n), make([]float64, n)
	for i := range n {
		items := make([]int32, 1+rng.IntN(s))
		for j := range items {
			items[j] = int32(k + rng.IntN(d-k))
		}
		y[i] = -1
		if rng.IntN(2) == 0 {
			items[0], y[i] = int32(rng.IntN(k)), 1
		}
		slices.Sort(items)
		items = slices.Compact(items)
		value, names := make([]float64, len(items)), make([]string, len(items))
		for j, item := range items {
			value[j], names[j] = 1, strconv.Itoa(int(item))
		}
		baskets[i] = data.NewSet(names...)
		x.Append(items, value)
	}
	return data.Labeled[data.Vector, float64]{X: x, Y: y}, data.Labeled[data.Set, float64]{X: baskets, Y: y}
}

// TestBasketMargin checks the margins that docs/math/baskets.md proves, for the
// separator that knows the items.
func TestBasketMargin(t *testing.T) {
	for _, c := range []struct{ k, s int }{{1, 1}, {1, 10}, {5, 10}, {20, 7}} {
		d, _ := baskets(500, 3000, c.k, c.s, 1)
		w := make([]float64, 3000)
		for i := range c.k {
			w[i] = 1
		}
		ks := float64(c.k * c.s)
		best := math.Sqrt(math.Sqrt(float64(c.s)/float64(c.k)) / 2)
		for _, u := range []struct{ unit, promised float64 }{
			{1, 1 / math.Sqrt(float64((4*c.k+1)*(c.s+1)))},
			{best, 1 / (1 + 2*math.Sqrt(ks))},
		} {
			m := margin.Separator{W: w, Bias: -0.5 / u.unit, Unit: u.unit}
			margins, err := m.Sample(context.Background(), run.Control{}, d.X, d.Y)
			if err != nil {
				t.Fatal(err)
			}
			least := margins.Min()
			if least < u.promised*(1-1e-12) {
				t.Errorf("k = %d, s = %d, unit %v: margin %v, promised %v", c.k, c.s, u.unit, least, u.promised)
			}
		}
	}
}

// TestBaskets learns with the perceptron: on indicator vectors and, with the kernel
// intersection+1, on sets. It makes no more mistakes than promised and errs no
// more than promised on new baskets, however many items there are.
func TestBaskets(t *testing.T) {
	const k, s, epsilon = 5, 10, 0.1
	mistakes := (4*k + 1) * (s + 1) // at most, for all sequences of baskets
	n := int(float64(mistakes) / epsilon)
	for _, d := range []int{100, 10000, 300000} {
		train, sets := baskets(n, d, k, s, 7)
		test, _ := baskets(4000, d, k, s, 8)

		p := linear.NewPerceptron()
		p.Normalize = true
		m, report, err := p.Fit(context.Background(), train)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i, y := range test.Y {
			if m.Predict(test.X.At(i)) != y {
				wrong++
			}
		}
		rate := float64(wrong) / float64(len(test.Y))
		t.Logf("%d items: %d baskets, %d mistakes of at most %d, error %.4f of at most %v", d, n, report.Mistakes, mistakes,
			rate, epsilon)
		if report.Mistakes > mistakes || rate > epsilon {
			t.Errorf("%d items: %d mistakes, error %v", d, report.Mistakes, rate)
		}

		few := sets.Select(upTo(600))
		kp := kernelized.NewPerceptron(kernel.Sum[data.Set](set.Intersection{}, kernel.Constant[data.Set]{Value: 1}))
		_, kernelReport, err := kp.Fit(context.Background(), few)
		if err != nil {
			t.Fatal(err)
		}
		if kernelReport.Mistakes > mistakes {
			t.Errorf("%d items: %d mistakes with %v", d, kernelReport.Mistakes, kp.Kernel)
		}
	}
}

func upTo(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}
