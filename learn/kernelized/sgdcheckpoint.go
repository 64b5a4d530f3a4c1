package kernelized

import (
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// sgdRound is how many steps are a round of a checkpoint.
const sgdRound = 1000

// resume sets the problems to where the Checkpoint stands, and returns how many
// steps were made and what keeps the state after step t.
func (s SGD[T]) resume(problems []*descent, weight []float64) (keep func(t int, last bool) error, made int, err error) {
	c := s.Checkpoint
	if !c.On() {
		return func(int, bool) error { return nil }, 0, nil
	}
	mark := s.mark(problems, weight)
	if c.From != nil {
		if made, err = decodeDescents(c.From, mark, problems, s.Steps); err != nil {
			return nil, 0, err
		}
	}
	return func(t int, last bool) error {
		if !last && t%sgdRound != 0 {
			return nil
		}
		return c.Keep(t/sgdRound, last, func() []byte { return encodeDescents(mark, problems, t) })
	}, made, nil
}

// mark tells the problem from others, but for the kernel and the instances.
func (s SGD[T]) mark(problems []*descent, weight []float64) uint64 {
	lists := [][]float64{{s.Lambda, s.Tolerance, float64(s.Steps), float64(s.Seed >> 32), float64(uint32(s.Seed))}, weight}
	for _, p := range problems {
		lists = append(lists, p.y)
	}
	return learn.Mark("kernel sgd", lists...)
}

// lists are the numbers of a problem.
func (p *descent) lists() [][]float64 { return [][]float64{p.beta, p.late, p.scores, p.lateScores} }

// encodeDescents writes all that step t+1 depends on.
func encodeDescents(mark uint64, problems []*descent, t int) []byte {
	w := learn.NewState(mark)
	w.Ints(t)
	for _, p := range problems {
		done := 0
		if p.done {
			done = 1
		}
		w.Ints(done, p.report.Iterations, p.report.Mistakes)
		w.Floats(p.report.Objective, p.report.Gap)
		for _, list := range p.lists() {
			w.Floats(list...)
		}
	}
	return w.Seal()
}

// decodeDescents takes a state over and returns how many steps were made.
func decodeDescents(state []byte, mark uint64, problems []*descent, steps int) (made int, err error) {
	r := learn.OpenState(state, mark)
	made = r.Int(steps)
	for _, p := range problems {
		if p.done = r.Int(1) == 1; p.done {
			p.report.Status = learn.Converged
		}
		p.report.Iterations, p.report.Mistakes = r.Int(made), r.Int(made)
		p.report.Objective, p.report.Gap = r.Float(), r.Float()
		for _, list := range p.lists() {
			r.Floats(list)
			if vmath.Finite(list) >= 0 {
				return 0, learn.ErrState
			}
		}
	}
	return made, r.Done()
}
