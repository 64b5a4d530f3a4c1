package linear

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Keeping returns the recipe with another Checkpoint.
func (p Pegasos) Keeping(c learn.Checkpoint) learn.Learner[data.Vector, float64, *Separator] {
	p.Checkpoint = c
	return p
}

// resume returns the state that the Checkpoint has, the first without one, and
// makes Save hand states to it.
func (p *Pegasos) resume(mark uint64, dim int) (*PegasosState, error) {
	state := NewPegasosState()
	if p.Checkpoint.From != nil {
		var err error
		if state, err = decodePegasos(p.Checkpoint.From, mark, dim); err != nil {
			return nil, err
		}
	}
	if p.Checkpoint.Save == nil {
		return state, nil
	}
	outer, round := p.Save, 0
	p.Save = func(s *PegasosState) error {
		if outer != nil {
			if err := outer(s); err != nil {
				return err
			}
		}
		round++
		return p.Checkpoint.Keep(round, s.Epoch == p.Epochs, func() []byte { return s.encode(mark) })
	}
	return state, nil
}

// mark tells the problem from others, but for the rows themselves.
func (p *Pegasos) mark(y, weight []float64) uint64 {
	number := map[bool]float64{true: 1}
	return learn.Mark("pegasos", []float64{
		p.Lambda, float64(p.Batch), float64(p.Epochs), number[p.Project], p.Unit, number[p.Shuffle],
		float64(p.Seed >> 32), float64(uint32(p.Seed)),
	}, y, weight)
}

// encode writes all that the next step depends on.
func (s *PegasosState) encode(mark uint64) []byte {
	w := learn.NewState(mark)
	w.Ints(s.Epoch, int(s.Row), int(s.Step), int(s.Positive), int(s.Negative))
	w.Floats(s.Scale, s.Shrunk, s.Bias, s.Norm2, s.Spread, s.Total, s.SumBias, s.MaxWeight, s.Loss, s.LastLoss)
	w.List(s.V)
	w.List(s.Sum)
	return w.Seal()
}

// decodePegasos reads a state of so many coordinates at most.
func decodePegasos(b []byte, mark uint64, dim int) (*PegasosState, error) {
	r := learn.OpenState(b, mark)
	s := &PegasosState{Epoch: r.Int(math.MaxInt32)}
	for _, v := range []*int64{&s.Row, &s.Step, &s.Positive, &s.Negative} {
		*v = int64(r.Int(math.MaxInt64))
	}
	for _, v := range []*float64{&s.Scale, &s.Shrunk, &s.Bias, &s.Norm2, &s.Spread, &s.Total, &s.SumBias, &s.MaxWeight,
		&s.Loss, &s.LastLoss} {
		*v = r.Float()
	}
	s.V, s.Sum = r.List(dim), r.List(dim)
	if r.Done() != nil || s.Validate() != nil {
		return nil, learn.ErrState
	}
	return s, nil
}
