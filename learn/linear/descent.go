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
// With w = Σ α·y·x the gap P(w) - D(α) is a sum over the rows of terms that are
// never negative (machine.gap). It is computed as that sum, which loses no
// digits when P and D are close.
type descent struct {
	*sample
	machine
	c     float64
	alpha []float64
	w     *weights // Σ α·y·x, up to rounding

	order  []int // the rows; those before active take part in a sweep
	active int
	high   float64 // rows at 0 with g above it are put aside
	low    float64 // rows at their upper bound with g below it are put aside
}

// newDescent starts from alpha brought into what is feasible at c, of which it
// takes a copy, or, where it is nil, from 0 at the first stage on the way to c.
func newDescent(s *sample, m machine, c float64, alpha []float64) *descent {
	if alpha == nil {
		c = s.firstStage(c)
	}
	d := &descent{sample: s, machine: m, c: c, alpha: make([]float64, len(s.rows)), w: newWeights(s.dim),
		order: identity(len(s.rows))}
	limit := d.limit(c, len(s.rows))
	for i, a := range alpha {
		if a > 0 { // false for NaN, which so becomes 0
			d.alpha[i] = min(a, d.top(c, i), limit)
		}
	}
	d.settle()
	d.restore()
	d.refresh()
	return d
}

// settle sets the α of rows without length. Such a row is on no side: its loss
// is 1 whatever w is, and D is largest at α = u, or at 1/δ without u.
func (d *descent) settle() {
	for i, q := range d.norm {
		if q != 0 {
			continue
		}
		d.alpha[i] = d.penalty(d.c, i)
		if d.squared {
			d.alpha[i] *= 2
		}
	}
}

// restore takes back all rows that were put aside.
func (d *descent) restore() {
	d.active = len(d.order)
	if d.compact != nil {
		for i := range d.order {
			d.order[i] = i
		}
	}
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
// optimum with all others fixed, clip(α - g/(|x|²+δ), 0, u), where
// g = y(w·x) - 1 + δ·α is the derivative of -D. It returns the sum of
// the gap terms that the rows had when visited, an estimate of the gap before
// the sweep, and false if ctx ended on the way.
//
// A row is put aside when its α is at a bound and g points out of the box by
// more than any row violated optimality in the sweep before: it is then
// unlikely to move again (Hsieh et al. 2008, section 3.2). Its gap term is 0.
func (d *descent) sweep(ctx context.Context, rng *rand.Rand) (estimate float64, done bool) {
	if d.compact != nil {
		return d.sweepBlocks(ctx, rng)
	}
	rng.Shuffle(d.active, func(i, j int) { d.order[i], d.order[j] = d.order[j], d.order[i] })
	largest, smallest := math.Inf(-1), math.Inf(1)
	for k, visited := 0, 0; k < d.active; visited++ {
		if visited%rowsPerCheck == 0 && ctx.Err() != nil {
			return estimate, false
		}
		i := d.order[k]
		a, q, top := d.alpha[i], d.norm[i], d.top(d.c, i)
		g := d.y[i]*d.score(d.w, i) - 1
		loss := g
		if d.squared {
			ridge := d.ridge(d.c, i)
			g += ridge * a
			q += ridge
		}
		if a == 0 && g > d.high || a == top && g < d.low || d.norm[i] == 0 || top == 0 {
			d.active--
			d.order[k], d.order[d.active] = d.order[d.active], d.order[k]
			continue
		}
		k++
		estimate += d.gap(a, loss, d.penalty(d.c, i))
		violation := projected(a, g, top)
		largest, smallest = max(largest, violation), min(smallest, violation)
		if violation == 0 {
			continue
		}
		next := min(max(a-g/q, 0), top)
		if next != a {
			d.alpha[i] = next
			d.add(d.w, i, (next-a)*d.y[i])
		}
	}
	d.bounds(largest, smallest)
	return estimate, true
}

// gapTerm returns a row's part of the duality gap for the hinge loss.
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
	return sum - (d.w.length2()+d.ridges(d.alpha, nil))/2
}

// ridges returns Σ δ·v² over the given rows, nil for all.
func (d *descent) ridges(v []float64, rows []int) float64 {
	if !d.squared {
		return 0
	}
	sum := 0.0
	for k, a := range v {
		i := k
		if rows != nil {
			i = rows[k]
		}
		sum += d.ridge(d.c, i) * a * a
	}
	return sum
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
			penalty := d.penalty(c, i)
			if d.machine.weight == nil {
				part[b].loss += d.loss(g)
			} else {
				part[b].loss += d.machine.weight[i] * d.loss(g)
			}
			part[b].gap += d.gap(d.alpha[i], g, penalty)
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
