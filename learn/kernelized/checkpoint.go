package kernelized

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/kerf-ml/kerf/learn"
)

// Checkpoint is where a support vector machine keeps its state: 8 bytes a
// variable and 17 to 40 an instance; of many classes that of the separators under way,
// and 16 bytes a support vector of those that are done. A round solves for up to
// 4096 variables.
type Checkpoint = learn.Checkpoint

// stateVersion heads every state, which begins with stateHead words.
const (
	stateVersion = 2
	stateHead    = 9
)

// errState reports a state that is not of this problem.
var errState = learn.ErrState

// save hands the state to the user where it is time.
func (s *smo[T]) save() error { return s.checkpoint.Keep(s.state.rounds, false, s.encode) }

// encode writes all that the next round depends on.
func (s *smo[T]) encode() []byte {
	d, h := s.dual, s.state.shrunk
	out := make([]byte, 0, 8*(stateHead+1+len(d.b)+len(s.scores)+len(s.state.set)+d.n*(1+len(h.aside))+words(d.n)))
	for _, v := range [stateHead]uint64{
		stateVersion, s.mark, math.Float64bits(s.largest), uint64(s.state.phase),
		uint64(s.state.steps), uint64(s.state.rounds),
		uint64(len(s.state.set)), uint64(len(h.aside)), uint64(h.delay),
	} {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	for _, t := range s.state.set {
		out = binary.LittleEndian.AppendUint64(out, uint64(t))
	}
	levels := make([]uint64, d.n) // 0 where an instance is active
	lists := [][]float64{d.b, s.scores}
	for k, l := range h.aside {
		for _, i := range l.instances {
			levels[i] = uint64(k + 1)
		}
		lists = append(lists, l.beta)
	}
	for _, l := range levels {
		out = binary.LittleEndian.AppendUint64(out, l)
	}
	for _, list := range lists {
		for _, v := range list {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	firm := make([]byte, 8*words(d.n)) // 0 where nothing is counted yet
	copy(firm, h.firm)
	out = append(out, firm...)
	sum := fnv.New64a()
	sum.Write(out)
	return binary.LittleEndian.AppendUint64(out, sum.Sum64())
}

// words returns how many words hold n bytes.
func words(n int) int { return (n + 7) / 8 }

// decode takes a state over.
func (s *smo[T]) decode(state []byte) error {
	d := s.dual
	if len(state)%8 != 0 || len(state) < 8*(stateHead+1) {
		return errState
	}
	sum := fnv.New64a()
	sum.Write(state[:len(state)-8])
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(state[8*k:]) }
	last := len(state)/8 - 1
	set, aside := word(6), word(7)
	if word(last) != sum.Sum64() || word(0) != stateVersion || word(1) != s.mark || word(3) > uint64(double) ||
		set > uint64(len(d.b)) || aside > uint64(d.n) ||
		last != stateHead+int(set)+len(d.b)+len(s.scores)+d.n*(1+int(aside))+words(d.n) {
		return errState
	}
	s.largest = math.Float64frombits(word(2))
	s.state = progress{phase: phase(word(3)), steps: int(word(4)), rounds: int(word(5))}
	at := stateHead
	for range set {
		t := word(at)
		if t >= uint64(len(d.b)) {
			return errState
		}
		s.state.set = append(s.state.set, int(t))
		at++
	}
	h := &s.state.shrunk
	lists := [][]float64{d.b, s.scores}
	for range aside {
		l := level{beta: make([]float64, d.n)}
		h.aside, lists = append(h.aside, l), append(lists, l.beta)
	}
	for i := range d.n {
		switch l := word(at); {
		case l > aside:
			return errState
		case l > 0:
			h.aside[l-1].instances = append(h.aside[l-1].instances, i)
		case aside > 0:
			h.active = append(h.active, i)
		}
		at++
	}
	for _, list := range lists {
		for k := range list {
			list[k] = math.Float64frombits(word(at))
			at++
		}
	}
	if h.delay = int(word(8)); h.delay > 0 {
		h.firm = append(h.firm, state[8*at:8*at+d.n]...)
	}
	if h.active != nil {
		s.narrow()
	}
	return nil
}

// fingerprint returns a number that tells problems apart: it depends on the
// ranges, the linear terms, the start, the tolerance and shrinking, but not on the kernel
// and the instances, which cannot be hashed.
func (d *dual) fingerprint(tolerance float64, shrinks bool) uint64 {
	h := fnv.New64a()
	if shrinks {
		h.Write([]byte{1})
	}
	var word [8]byte
	for _, list := range [][]float64{{tolerance, float64(d.ties)}, d.e, d.lo, d.hi, d.b} {
		for _, v := range list {
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			h.Write(word[:])
		}
	}
	return h.Sum64()
}
