package linear

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// w is multiplied out when its scale has fallen to leastScale, or projections
// alone have shrunk it by leastShrunk: V grows as the scale shrinks, and the mean
// of iterates, a difference of multiples of V, loses as many digits.
const (
	leastScale  = 1e-9
	leastShrunk = 1e-3
)

// PegasosState is where a run of Pegasos stands after a whole batch. All of it
// is exported so that any encoding will do that keeps float64 exactly, as
// encoding/json does. It belongs to one goroutine.
//
// The weights are w = Scale·(V, Bias). The sum of t·w over all steps t so far is
// Spread·V - Sum: since w changes by its scale at every step but V only where a
// row has a stored coordinate, both cost no more than the row.
type PegasosState struct {
	Epoch int   // epochs that are done
	Row   int64 // rows of this epoch that are done
	Step  int64 // steps that are done

	Scale  float64
	Shrunk float64 // by projections, since the last time w was multiplied out
	V      []float64
	Bias   float64
	Norm2  float64 // |(V, Bias)|²

	Spread  float64 // Σ t·Scale since the last time w was multiplied out
	Total   float64 // Σ t
	Sum     []float64
	SumBias float64

	MaxWeight          float64 // largest weight of a row so far
	Loss               float64 // of the rows of this epoch, each before it was learnt from
	LastLoss           float64 // mean of the last whole epoch
	Positive, Negative int64   // rows of this epoch by label
}

// NewPegasosState returns the state before the first row.
func NewPegasosState() *PegasosState { return &PegasosState{Scale: 1, Shrunk: 1} }

// Validate reports a state that no run can have left.
func (s *PegasosState) Validate() error {
	var faults []error
	if s.Epoch < 0 || s.Row < 0 || s.Step < 0 || s.Positive < 0 || s.Negative < 0 {
		faults = append(faults, fmt.Errorf("pegasos: the state is at epoch %d, row %d, step %d; none may be negative",
			s.Epoch, s.Row, s.Step))
	}
	if len(s.V) != len(s.Sum) {
		faults = append(faults, fmt.Errorf("pegasos: the state has %d weights and %d sums; they must be as many", len(s.V),
			len(s.Sum)))
	}
	if !(s.Scale > 0) || !(s.Shrunk > 0) {
		faults = append(faults, fmt.Errorf("pegasos: the state's scale is %v and shrunk by %v; both must be above 0",
			s.Scale, s.Shrunk))
	}
	numbers := []float64{s.Scale, s.Shrunk, s.Bias, s.Norm2, s.Spread, s.Total, s.SumBias, s.MaxWeight, s.Loss, s.LastLoss}
	if vmath.Finite(numbers) >= 0 || vmath.Finite(s.V) >= 0 || vmath.Finite(s.Sum) >= 0 {
		faults = append(faults, errors.New("pegasos: the state has numbers that are not finite"))
	}
	return errors.Join(faults...)
}

// add adds a·(x, unit) to V and keeps Norm2 and Sum in step.
func (s *PegasosState) add(x data.Vector, a, unit float64) {
	norm := x.Norm2() + unit*unit
	s.Norm2 = max(0, s.Norm2+a*(2*(x.DotWith(s.V)+s.Bias*unit)+a*norm))
	x.AddTo(s.V, a)
	x.AddTo(s.Sum, a*s.Spread)
	s.Bias += a * unit
	s.SumBias += a * unit * s.Spread
}

// rescale multiplies w out: V becomes w and the sum of iterates moves to Sum.
func (s *PegasosState) rescale() {
	vmath.Axpy(s.Sum, -s.Spread, s.V)
	s.SumBias -= s.Spread * s.Bias
	vmath.Scale(s.V, s.Scale)
	s.Bias *= s.Scale
	s.Spread, s.Scale, s.Shrunk = 0, 1, 1
	s.measure()
}

// measure computes Norm2 anew.
func (s *PegasosState) measure() { s.Norm2 = vmath.Dot(s.V, s.V) + s.Bias*s.Bias }

// endEpoch moves on to the next epoch.
func (s *PegasosState) endEpoch() error {
	switch {
	case s.Row == 0:
		return learn.ErrNoRows
	case s.Positive == 0 || s.Negative == 0:
		return learn.ErrOneClass
	}
	s.LastLoss = s.Loss / float64(s.Row)
	s.Epoch++
	s.Row, s.Loss, s.Positive, s.Negative = 0, 0, 0, 0
	s.measure()
	return nil
}

// meanLoss is that of the last epoch, or of this one where it is the first.
func (s *PegasosState) meanLoss() float64 {
	if s.Epoch == 0 && s.Row > 0 {
		return s.Loss / float64(s.Row)
	}
	return s.LastLoss
}

// last returns w.
func (s *PegasosState) last() *weights {
	w := newWeights(len(s.V))
	vmath.Axpy(w.w, s.Scale, s.V)
	w.bias = s.Scale * s.Bias
	return w
}

// mean returns the mean of the iterates, step t weighted by t.
func (s *PegasosState) mean() *weights {
	w := newWeights(len(s.V))
	if s.Total == 0 {
		return w
	}
	vmath.Axpy(w.w, s.Spread/s.Total, s.V)
	vmath.Axpy(w.w, -1/s.Total, s.Sum)
	w.bias = (s.Spread*s.Bias - s.SumBias) / s.Total
	return w
}
