package feature

import (
	"math/rand/v2"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// lottery draws indices with probability proportional to weights that are not
// negative. It takes one pass over the weights to make and, a draw, one over
// the sums of blocks and one over a block.
type lottery struct {
	weight []float64
	sums   []float64 // of blocks of lotteryRows weights
	total  float64
}

const lotteryRows = 1024

// newLottery sums the weights. They must not change while it is in use.
func newLottery(weight []float64) *lottery {
	n := len(weight)
	l := &lottery{weight: weight, sums: make([]float64, par.Blocks(n, lotteryRows))}
	for b := range l.sums {
		lo, hi := par.Range(b, n, lotteryRows)
		l.sums[b] = vmath.Sum(weight[lo:hi])
		l.total += l.sums[b]
	}
	return l
}

// draw returns an index with a positive weight, or -1 where there is none.
func (l *lottery) draw(rng *rand.Rand) int {
	at, last := rng.Float64()*l.total, -1
	for b, sum := range l.sums {
		if !(sum > 0) {
			continue
		}
		last = b
		if at >= sum {
			at -= sum
			continue
		}
		// Sums are rounded, so that the block's weights may run out before at
		// does; then its last one is drawn, as the last of all is below.
		lo, hi := par.Range(b, len(l.weight), lotteryRows)
		for i := lo; i < hi; i++ {
			if at < l.weight[i] {
				return i
			}
			at -= l.weight[i]
		}
		break
	}
	if last < 0 {
		return -1
	}
	return l.lastOf(last)
}

// lastOf returns the last index of a block that has a positive weight.
func (l *lottery) lastOf(b int) int {
	lo, hi := par.Range(b, len(l.weight), lotteryRows)
	for i := hi - 1; i >= lo; i-- {
		if l.weight[i] > 0 {
			return i
		}
	}
	return -1
}
