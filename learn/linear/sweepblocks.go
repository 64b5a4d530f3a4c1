package linear

import (
	"context"
	"math"
	"math/rand/v2"
)

// sweptRows is how many active rows that lie side by side are visited one after
// the other.
const sweptRows = 32

// sweepBlocks is sweep over compact rows: it visits blocks of neighbours in
// random order. The rows themselves stand in random order already. The active
// rows keep that order, so that a sweep reads memory in long strides; rows that
// are put aside leave at its end.
func (d *descent) sweepBlocks(ctx context.Context, rng *rand.Rand) (estimate float64, done bool) {
	blocks := rng.Perm((d.active + sweptRows - 1) / sweptRows)
	largest, smallest := math.Inf(-1), math.Inf(1)
	aside := 0
	w := d.w.w
	plain := d.machine.weight == nil && !d.squared
	top, penalty, ridge := d.c, d.c, 0.0
	for n, b := range blocks {
		if n%8 == 0 && ctx.Err() != nil {
			d.leave(aside)
			return estimate, false
		}
		for k := b * sweptRows; k < min((b+1)*sweptRows, d.active); k++ {
			i := d.order[k]
			if !plain {
				top, penalty, ridge = d.top(d.c, i), d.penalty(d.c, i), d.ridge(d.c, i)
			}
			a, y := d.alpha[i], d.y[i]
			loss := y*(d.compact.dot(w, i)+d.w.bias*d.unit) - 1
			g := loss + ridge*a
			if a == 0 && g > d.high || a == top && g < d.low || d.norm[i] == 0 || top == 0 {
				d.order[k] = ^i
				aside++
				continue
			}
			estimate += d.gap(a, loss, penalty)
			violation := projected(a, g, top)
			largest, smallest = max(largest, violation), min(smallest, violation)
			if violation == 0 {
				continue
			}
			next := min(max(a-g/(d.norm[i]+ridge), 0), top)
			if next != a {
				d.alpha[i] = next
				d.compact.add(w, i, (next-a)*y)
				d.w.bias += (next - a) * y * d.unit
			}
		}
	}
	d.leave(aside)
	d.bounds(largest, smallest)
	return estimate, true
}

// leave moves the rows that were marked as put aside, so many, behind the
// active ones, both in their order.
func (d *descent) leave(aside int) {
	if aside == 0 {
		return
	}
	kept, left := 0, make([]int, 0, aside)
	for _, i := range d.order[:d.active] {
		if i < 0 {
			left = append(left, ^i)
			continue
		}
		d.order[kept] = i
		kept++
	}
	copy(d.order[kept:], left)
	d.active = kept
}

// bounds sets what is put aside in the next sweep from the largest and smallest
// violation of this one.
func (d *descent) bounds(largest, smallest float64) {
	d.high, d.low = math.Inf(1), math.Inf(-1)
	if largest > 0 {
		d.high = largest
	}
	if smallest < 0 {
		d.low = smallest
	}
}
