package job

import (
	"cmp"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/order"
)

// chain are arms that differ in the width of their kernel alone, of which the best is looked for: by
// width, and the one that is tried first.
type chain struct {
	arms []*arm
	from int
}

// chainsOf returns the chains of arms, in the order of their first ones.
func chainsOf(arms []*arm) []chain {
	var out []chain
	for len(arms) > 0 {
		n := 1
		for n < len(arms) && arms[0].width > 0 && arms[n].family == arms[0].family && arms[n].view == arms[0].view {
			n++
		}
		c := chain{arms: slices.Clone(arms[:n])}
		order.Stable(c.arms, func(a, b *arm) int { return cmp.Compare(a.width, b.width) })
		c.from = slices.Index(c.arms, arms[0])
		out, arms = append(out, c), arms[n:]
	}
	return out
}

// run runs arms of the chain, from the first on as long as they get better, and returns those that went well. Each
// begins with the penalty of the best one so far.
func (c chain) run(run func(*arm) error) []*arm {
	var out []*arm
	var best *arm
	path := newClimb(len(c.arms), c.from, idleAround)
	for i, more := path.next(); more; i, more = path.next() {
		a := c.arms[i]
		if best != nil {
			a.from = best.at
		}
		if run(a) != nil { // one that is not for these rows is left out
			path.note(i, math.Inf(1))
			continue
		}
		path.note(i, a.loss)
		out = append(out, a)
		if best == nil || a.loss < best.loss {
			best = a
		}
	}
	return out
}
