package linear

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// descent is the state of dual coordinate descent.
//
// With g = y(w·x) - 1, the derivative of -D in a row's α, and w = Σ α·y·x, the
// gap P(w) - D(α) is a sum over the rows of terms that are never negative:
//
//	α·g          where g ≥ 0
//	(C - α)·(-g) where g < 0
//
// It is computed as that sum, which loses no digits when P and D are close.
type descent struct {
	*sample
	c     float64
	alpha []float64
	w     *weights // Σ α·y·x, up to rounding

	order  []int // the rows; those before active take part in a sweep
	active int
	high   float64 // rows at 0 with g above it are put aside
	low    float64 // rows at C with g below it are put aside
}

// newDescent starts from alpha brought into [0, c], of which it takes a copy,
// or, where it is nil, from 0 at the first stage on the way to c.
func newDescent(s *sample, c float64, alpha []float64) *descent {
	if alpha == nil {
		c = s.firstStage(c)
	}
	d := &descent{sample: s, c: c, alpha: make([]float64, len(s.rows)), w: newWeights(s.dim), order: identity(len(s.rows))}
	for i, a := range alpha {
		if a > 0 { // false for NaN, which so becomes 0
			d.alpha[i] = min(a, c)
		}
	}
	for i, q := range s.norm {
		if q == 0 {
			// Such a row is on no side: its loss is 1 whatever w is, and D
			// grows with its α up to C.
			d.alpha[i] = c
		}
	}
	d.restore()
	d.refresh()
	return d
}

// restore takes back all rows that were put aside.
func (d *descent) restore() {
	d.active = len(d.order)
	d.high, d.low = math.Inf(1), math.Inf(-1)
}

// refresh computes w from α afresh, without the rounding of many updates.
func (d *descent) refresh() {
	clear(d.w.w)
	d.w.bias = 0
	for i, a := range d.alpha {
		if a != 0 {
			d.add(d.w, i, a*d.y[i])
		}
	}
}

// sweep visits the active rows once in random order and sets each α to its
// optimum with all others fixed, clip(α - g/|x|², 0, C). It returns the sum of
// the gap terms that the rows had when visited, an estimate of the gap before
// the sweep, and false if ctx ended on the way.
//
// A row is put aside when its α is at a bound and g points out of the box by
// more than any row violated optimality in the sweep before: it is then
// unlikely to move again (Hsieh et al. 2008, section 3.2). Its gap term is 0.
func (d *descent) sweep(ctx context.Context, rng *rand.Rand) (estimate float64, done bool) {
	rng.Shuffle(d.active, func(i, j int) { d.order[i], d.order[j] = d.order[j], d.order[i] })
	largest, smallest := math.Inf(-1), math.Inf(1)
	for k, visited := 0, 0; k < d.active; visited++ {
		if visited%rowsPerCheck == 0 && ctx.Err() != nil {
			return estimate, false
		}
		i := d.order[k]
		a, q := d.alpha[i], d.norm[i]
		g := d.y[i]*d.score(d.w, i) - 1
		if a == 0 && g > d.high || a == d.c && g < d.low || q == 0 {
			d.active--
			d.order[k], d.order[d.active] = d.order[d.active], d.order[k]
			continue
		}
		k++
		estimate += gapTerm(a, g, d.c)
		violation := projected(a, g, d.c)
		largest, smallest = max(largest, violation), min(smallest, violation)
		if violation == 0 {
			continue
		}
		next := min(max(a-g/q, 0), d.c)
		if next != a {
			d.alpha[i] = next
			d.add(d.w, i, (next-a)*d.y[i])
		}
	}
	d.high, d.low = math.Inf(1), math.Inf(-1)
	if largest > 0 {
		d.high = largest
	}
	if smallest < 0 {
		d.low = smallest
	}
	return estimate, true
}

// gapTerm returns a row's part of the duality gap.
func gapTerm(a, g, c float64) float64 {
	if g >= 0 {
		return a * g
	}
	return (a - c) * g
}

// projected returns g, or 0 where a step along -g would leave the box [0, c].
func projected(a, g, c float64) float64 {
	switch {
	case a == 0:
		return min(g, 0)
	case a == c:
		return max(g, 0)
	}
	return g
}

// dual returns D(α).
func (d *descent) dual() float64 {
	sum := 0.0
	for _, a := range d.alpha {
		sum += a
	}
	return sum - d.w.length2()/2
}

// evaluate returns P(w) and the gap to D(α) over all rows, summed in blocks,
// for a penalty c of at least d.c, for which α is feasible as well. It is not
// cancelled: it is one pass, and what a cancelled fit reports.
func (d *descent) evaluate(ctl run.Control, c float64) (primal, gap float64) {
	n := len(d.rows)
	type sums struct{ loss, gap float64 }
	part := make([]sums, par.Blocks(n, blockRows))
	err := par.For(context.Background(), ctl, "", len(part), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			g := d.y[i]*d.score(d.w, i) - 1
			part[b].loss += max(0, -g)
			part[b].gap += gapTerm(d.alpha[i], g, c)
		}
		return nil
	})
	if err != nil {
		panic("linear: " + err.Error())
	}
	loss := 0.0
	for _, p := range part {
		loss += p.loss
		gap += p.gap
	}
	return d.w.length2()/2 + c*loss, gap
}

// support counts the rows with α > 0.
func (d *descent) support() int {
	count := 0
	for _, a := range d.alpha {
		if a > 0 {
			count++
		}
	}
	return count
}
