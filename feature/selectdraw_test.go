package feature

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLottery draws often from weights of every length around the edges of
// blocks and compares frequencies with the definition. A frequency of p has the
// standard deviation √(p/draws) at most; six of them are allowed.
func TestLottery(t *testing.T) {
	const draws = 20_000
	for _, n := range []int{1, 2, 7, lotteryRows - 1, lotteryRows, lotteryRows + 1, 3*lotteryRows + 5} {
		weight, total := make([]float64, n), 0.0
		for i := range weight {
			if i == 0 || i == n-1 || i%500 == 3 {
				weight[i] = float64(1 + i%7)
				total += weight[i]
			}
		}
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		lot, count := newLottery(weight), make([]float64, n)
		for range draws {
			count[lot.draw(rng)]++
		}
		for i, w := range weight {
			p := w / total
			if math.Abs(count[i]/draws-p) > 6*math.Sqrt(p/draws) {
				t.Errorf("%d of %d is drawn %v times of %d, want a part %v", i, n, count[i], draws, p)
			}
		}
	}
}

// TestLotteryRunsOut has nothing to draw, or something in one place alone.
func TestLotteryRunsOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weight := make([]float64, 3*lotteryRows)
	for _, n := range []int{0, 1, len(weight)} {
		if got := newLottery(weight[:n]).draw(rng); got != -1 {
			t.Errorf("%d is drawn of %d zeros", got, n)
		}
	}
	for _, place := range []int{0, lotteryRows - 1, lotteryRows, len(weight) - 1} {
		weight[place] = math.SmallestNonzeroFloat64
		for range 100 {
			if got := newLottery(weight).draw(rng); got != place {
				t.Fatalf("%d is drawn and not %d", got, place)
			}
		}
		weight[place] = 0
	}
	for i := range weight { // sums that are rounded
		weight[i] = 0.1 * float64(i%3)
	}
	lot := newLottery(weight)
	for range 10_000 {
		if got := lot.draw(rng); got < 0 || !(weight[got] > 0) {
			t.Fatalf("%d is drawn, which has no weight", got)
		}
	}
}
