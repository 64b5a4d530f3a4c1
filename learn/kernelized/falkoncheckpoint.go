package kernelized

import (
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// resume sets the conjugate gradients to where the Checkpoint stands and returns
// what keeps their state after each step.
func (p *falkon[T]) resume(s *steps, report *learn.Report, lambda float64) (keep func() error, err error) {
	c := p.recipe.Checkpoint
	if !c.On() {
		return func() error { return nil }, nil
	}
	mark := p.mark(lambda)
	if c.From != nil {
		if report.Iterations, err = s.decode(c.From, mark, p.recipe.MaxIterations); err != nil {
			return nil, err
		}
	}
	return func() error {
		last := len(s.open) == 0 || report.Iterations == p.recipe.MaxIterations
		return c.Keep(report.Iterations, last, func() []byte { return s.encode(mark, report.Iterations) })
	}, nil
}

// mark tells the problem from others, but for the kernel and the instances.
func (p *falkon[T]) mark(lambda float64) uint64 {
	f := p.recipe
	return learn.Mark("falkon", []float64{
		lambda, f.Tolerance, float64(f.MaxIterations), float64(p.landmarks.Len()),
		float64(f.Seed >> 32), float64(uint32(f.Seed)),
	}, f.Start, p.weight, p.y.Data)
}

// encode writes all that the next step depends on.
func (s *steps) encode(mark uint64, made int) []byte {
	w := learn.NewState(mark)
	w.Ints(made, len(s.open))
	w.Ints(s.open...)
	for _, list := range [][]float64{s.rr, s.x.Data, s.r.Data, s.p.Data} {
		w.Floats(list...)
	}
	return w.Seal()
}

// decode takes a state over and returns how many steps were made.
func (s *steps) decode(state []byte, mark uint64, most int) (made int, err error) {
	r := learn.OpenState(state, mark)
	made = r.Int(most)
	s.open = s.open[:0]
	n, last := r.Int(s.x.Rows), -1
	for range n {
		k := r.Int(s.x.Rows - 1)
		if k <= last {
			return 0, learn.ErrState
		}
		s.open, last = append(s.open, k), k
	}
	for _, list := range [][]float64{s.rr, s.x.Data, s.r.Data, s.p.Data} {
		r.Floats(list)
		if vmath.Finite(list) >= 0 {
			return 0, learn.ErrState
		}
	}
	return made, r.Done()
}
