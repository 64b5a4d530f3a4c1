package kernelized

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/learn"
)

// Checkpoint is where a support vector machine keeps its state: 8 bytes a
// variable and 17 to 40 an instance; of many classes that of the separators under way,
// and 16 bytes a support vector of those that are done. A round solves for up to
// 4096 variables.
type Checkpoint = learn.Checkpoint

// save hands the state to the user where it is time.
func (s *smo[T]) save() error { return s.checkpoint.Keep(s.state.rounds, false, s.encode) }

// encode writes all that the next round depends on.
func (s *smo[T]) encode() []byte {
	h := s.state.shrunk
	levels := make([]int, s.dual.n) // 0 where an instance is active
	for k, l := range h.aside {
		for _, i := range l.instances {
			levels[i] = k + 1
		}
	}
	w := learn.NewState(s.mark)
	w.Floats(s.largest)
	w.Ints(int(s.state.phase), s.state.steps, s.state.rounds, len(s.state.set), len(h.aside), h.delay)
	w.Ints(s.state.set...)
	w.Ints(levels...)
	w.Floats(s.dual.b...)
	w.Floats(s.scores...)
	for _, l := range h.aside {
		w.Floats(l.beta...)
	}
	w.Bytes(h.firm)
	return w.Seal()
}

// decode takes a state over.
func (s *smo[T]) decode(state []byte) error {
	d, r := s.dual, learn.OpenState(state, s.mark)
	s.largest = r.Float()
	s.state = progress{phase: phase(r.Int(int(double))), steps: r.Int(math.MaxInt), rounds: r.Int(math.MaxInt)}
	h := &s.state.shrunk
	set, aside := r.Int(len(d.b)), r.Int(min(d.n, len(state)/(8*max(d.n, 1)))) // each has a number an instance
	h.delay = r.Int(math.MaxUint8 + 1)
	for range set {
		s.state.set = append(s.state.set, r.Int(len(d.b)-1))
	}
	h.aside = make([]level, aside)
	for i := range d.n {
		switch l := r.Int(aside); {
		case l > 0:
			h.aside[l-1].instances = append(h.aside[l-1].instances, i)
		case aside > 0:
			h.active = append(h.active, i)
		}
	}
	r.Floats(d.b)
	r.Floats(s.scores)
	for k := range h.aside {
		h.aside[k].beta = make([]float64, d.n)
		r.Floats(h.aside[k].beta)
	}
	if firm := r.Bytes(); h.delay > 0 { // nil where nothing is counted yet
		if h.firm = slices.Clone(firm); len(firm) != d.n {
			return learn.ErrState
		}
	}
	if err := r.Done(); err != nil {
		return err
	}
	if h.active != nil {
		s.narrow()
	}
	return nil
}

// fingerprint returns a number that tells problems apart: it depends on the
// ranges, the linear terms, the start, the tolerance and shrinking, and on what is
// kept of them, but not on the kernel and the instances, which cannot be hashed.
func (d *dual) fingerprint(kept string, tolerance float64, shrinks bool) uint64 {
	if shrinks {
		kept += ", shrinking"
	}
	return learn.Mark(kept, []float64{tolerance, float64(d.ties)}, d.e, d.lo, d.hi, d.b)
}
