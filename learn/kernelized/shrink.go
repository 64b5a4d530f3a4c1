package kernelized

import (
	"context"
	"iter"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

const (
	// shrinkFrom is from how many instances on instances are set aside. Below, all
	// rows fit into memory, and to compute some anew takes as much as is saved.
	shrinkFrom = 16384
	// shrinkDelay is how many rounds in a row an instance must be firm before it
	// is set aside. Each time that this was wrong it doubles.
	shrinkDelay = 2
	// shrinkPart is how much of the active set must be set aside at a time: rows
	// over a new active set are computed anew.
	shrinkPart = 0.5
)

// shrinking is what has been set aside (Joachims 1999): the scores of instances
// whose variables all stand firmly at a bound are not brought up to date.
type shrinking struct {
	active []int   // instances whose scores are; nil for all
	aside  []level // the others
	firm   []byte  // rounds in a row that each instance has been firm, at most 255
	delay  int     // rounds that it takes
}

// level is instances that were set aside together, and the weights of all
// instances in the expansion that their scores are of.
type level struct {
	instances []int
	beta      []float64
}

// variables yields the variables of the active instances, all where active is
// nil.
func (d *dual) variables(active []int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if active == nil {
			for t := range d.b {
				if !yield(t) {
					return
				}
			}
			return
		}
		for first := 0; first < len(d.b); first += d.n {
			for _, i := range active {
				if !yield(first + i) {
					return
				}
			}
		}
	}
}

// firm reports whether all variables of instance i stand at bounds that no step
// of two variables, or of one where none are tied, would take them from, given
// the extremes of the slopes: the rule of Fan, Chen and Lin (2005), group by
// group.
func (d *dual) firm(scores []float64, up, down [2]float64, i int) bool {
	for t := i; t < len(d.b); t += d.n {
		f, g := d.slope(scores, t), d.group(t)
		low, high := down[g], up[g]
		if d.ties == free {
			low, high = min(0, down[0]), max(0, up[0])
		}
		if d.b[t] < d.hi[t] && f >= low || d.b[t] > d.lo[t] && f <= high {
			return false
		}
	}
	return true
}

// shrink counts for how long instances have been firm, and sets those aside that
// have been for long enough where that is worth it.
func (s *smo[T]) shrink(ctx context.Context, seen survey) error {
	d, h := s.dual, &s.state.shrunk
	if h.firm == nil {
		h.firm, h.delay = make([]byte, d.n), shrinkDelay
	}
	live := d.live(h.active)
	counts := make([]int, par.Blocks(live, dualBlock)) // of those that stay
	err := par.For(ctx, s.ctl.Quiet(), "", len(counts), func(block int) error {
		lo, hi := par.Range(block, live, dualBlock)
		for k := lo; k < hi; k++ {
			i := s.instance(k)
			if !d.firm(s.scores, seen.up, seen.down, i) {
				h.firm[i] = 0
			} else if h.firm[i] < math.MaxUint8 {
				h.firm[i]++
			}
			if int(h.firm[i]) < h.delay {
				counts[block]++
			}
		}
		return nil
	})
	stay := 0
	for _, n := range counts {
		stay += n
	}
	if err != nil || stay == 0 || float64(live-stay) < shrinkPart*float64(live) {
		return err
	}
	active, aside := make([]int, 0, stay), make([]int, 0, live-stay)
	for k := range live {
		if i := s.instance(k); int(h.firm[i]) < h.delay {
			active = append(active, i)
		} else {
			aside = append(aside, i)
		}
	}
	h.active = active
	h.aside = append(h.aside, level{instances: aside, beta: d.beta()})
	s.narrow()
	return nil
}

// narrow makes what follows from the active set, which is not nil.
func (s *smo[T]) narrow() {
	s.place = make([]int, s.dual.n)
	for i := range s.place {
		s.place[i] = -1
	}
	for k, i := range s.state.shrunk.active {
		s.place[i] = k
	}
	kept := s.state.set[:0:0]
	for _, t := range s.state.set {
		if s.at(t) >= 0 {
			kept = append(kept, t)
		}
	}
	s.state.set = kept
	s.rows.narrowed()
}

// restore takes all instances back, whose scores must be right by now.
func (s *smo[T]) restore() {
	h := &s.state.shrunk
	if h.active == nil {
		return
	}
	h.active, h.aside, s.place = nil, nil, nil
	h.delay = min(2*h.delay, math.MaxUint8+1) // beyond what is counted: never again
	clear(h.firm)
	s.rows.widened()
}

// complete brings the scores of the instances that were set aside up to date, in
// the precision of the phase, and takes them back. It costs a row over them for
// each instance whose weight has changed since.
func (s *smo[T]) complete(ctx context.Context) error {
	p := run.Float64
	if s.state.phase == single {
		p = run.Float32
	}
	h := s.state.shrunk
	changes := make([][]float64, len(h.aside))
	for k, l := range h.aside {
		since := s.dual.beta()
		for i, b := range l.beta {
			since[i] -= b
		}
		index, weight := nonZero(since)
		changes[k] = make([]float64, len(l.instances))
		if len(index) == 0 {
			continue
		}
		c := gram.BindOn(s.ctl, s.kernel, data.Source[T](data.Subset[T]{Of: s.x, Index: index}), p)
		if err := c.Product(ctx, s.ctl.Quiet(), changes[k], data.Subset[T]{Of: s.x, Index: l.instances}, weight); err != nil {
			return err
		}
	}
	for k, l := range h.aside {
		for m, i := range l.instances {
			s.scores[i] += changes[k][m]
		}
	}
	s.restore()
	return nil
}

// review is called when the scores of all instances have been computed anew. Of
// those that were set aside it takes the ones back that are not firm, and all
// where they violate the conditions by more than the precision of float32
// explains; it reports whether that is so.
func (s *smo[T]) review() (wrong bool) {
	d, h := s.dual, &s.state.shrunk
	if h.active == nil {
		return false
	}
	up, down := d.extremes(s.scores, nil)
	if d.violation(up, down) > max(s.tolerance, 2*noise[float32](s)) {
		s.restore()
		return true
	}
	active, aside := []int{}, []int{}
	for i := range d.n {
		if s.at(i) < 0 && d.firm(s.scores, up, down, i) {
			aside = append(aside, i)
		} else {
			active = append(active, i)
		}
	}
	h.active, h.aside = active, []level{{instances: aside, beta: d.beta()}}
	s.narrow()
	return false
}

// sample returns the instances that rows have a place for.
func (s *smo[T]) sample() data.Source[T] {
	if active := s.state.shrunk.active; active != nil {
		return data.Subset[T]{Of: s.x, Index: active}
	}
	return s.x
}

// at returns the place of variable t's instance in rows, -1 for none.
func (s *smo[T]) at(t int) int {
	i := t % s.dual.n
	if s.place != nil {
		return s.place[i]
	}
	return i
}
