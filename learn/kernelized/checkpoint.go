package kernelized

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/kerf-ml/kerf/learn"
)

// Checkpoint is where a support vector machine keeps its state: 8 bytes a
// variable and 8 an instance; of many classes that of the separators under way,
// and 16 bytes a support vector of those that are done. A round solves for up to
// 4096 variables.
type Checkpoint = learn.Checkpoint

// stateVersion heads every state.
const stateVersion = 1

// errState reports a state that is not of this problem.
var errState = learn.ErrState

// save hands the state to the user where it is time.
func (s *smo[T]) save() error { return s.checkpoint.Keep(s.state.rounds, false, s.encode) }

// encode writes all that the next round depends on.
func (s *smo[T]) encode() []byte {
	d := s.dual
	out := make([]byte, 0, 8*(8+len(d.b)+len(s.scores)+len(s.state.set)))
	for _, v := range []uint64{
		stateVersion, s.mark, uint64(s.state.phase), uint64(s.state.steps), uint64(s.state.rounds), math.Float64bits(s.largest), uint64(len(s.state.set)),
	} {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	for _, t := range s.state.set {
		out = binary.LittleEndian.AppendUint64(out, uint64(t))
	}
	for _, list := range [2][]float64{d.b, s.scores} {
		for _, v := range list {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	sum := fnv.New64a()
	sum.Write(out)
	return binary.LittleEndian.AppendUint64(out, sum.Sum64())
}

// decode takes a state over.
func (s *smo[T]) decode(state []byte) error {
	d := s.dual
	const head = 7
	if len(state)%8 != 0 || len(state) < 8*(head+1) {
		return errState
	}
	sum := fnv.New64a()
	sum.Write(state[:len(state)-8])
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(state[8*k:]) }
	words := len(state)/8 - 1
	set := word(head - 1)
	if word(words) != sum.Sum64() || word(0) != stateVersion || word(1) != s.mark ||
		word(2) > uint64(double) || set > uint64(len(d.b)) || words != head+int(set)+len(d.b)+len(s.scores) {
		return errState
	}
	s.state = progress{phase: phase(word(2)), steps: int(word(3)), rounds: int(word(4))}
	s.largest = math.Float64frombits(word(5))
	at := head
	for range set {
		t := word(at)
		if t >= uint64(len(d.b)) {
			return errState
		}
		s.state.set = append(s.state.set, int(t))
		at++
	}
	for _, list := range [2][]float64{d.b, s.scores} {
		for k := range list {
			list[k] = math.Float64frombits(word(at))
			at++
		}
	}
	return nil
}

// fingerprint returns a number that tells problems apart: it depends on the
// ranges, the linear terms, the start and the tolerance, but not on the kernel
// and the instances, which cannot be hashed.
func (d *dual) fingerprint(tolerance float64) uint64 {
	h := fnv.New64a()
	var word [8]byte
	for _, list := range [][]float64{{tolerance, float64(d.ties)}, d.e, d.lo, d.hi, d.b} {
		for _, v := range list {
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			h.Write(word[:])
		}
	}
	return h.Sum64()
}
