package kernelized

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
)

// Checkpoint lets a fit that was ended from outside go on where it stood: Save
// is given the state of the solver from time to time, and a fit with From set to
// such a state goes on from there and ends in the same bits as one that was
// never ended. The sample and the recipe must be the same but for Run's workers
// and memory. The state takes 8 bytes a variable and 8 an instance. The zero
// value saves nothing and starts at the beginning.
type Checkpoint struct {
	Save  func(state []byte) error // is called from one goroutine; an error ends the fit with it
	Every int                      // rounds between two calls of Save, at least 1 where Save is set; a round solves for up to 4096 variables
	From  []byte                   // a state that Save was given; nil starts at the beginning
}

func (c Checkpoint) validate(name string) error {
	if c.Save != nil && c.Every < 1 {
		return fmt.Errorf("%s: checkpoint every %d rounds; it must be at least 1", name, c.Every)
	}
	return nil
}

// stateVersion heads every state.
const stateVersion = 1

// errState reports a state that is not of this problem.
var errState = errors.New("the checkpoint is damaged, or of another problem: sample and recipe must be the same")

// save hands the state to the user where it is time.
func (s *smo[T]) save() error {
	if s.checkpoint.Save == nil || s.state.rounds%s.checkpoint.Every != 0 {
		return nil
	}
	return s.checkpoint.Save(s.encode())
}

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
