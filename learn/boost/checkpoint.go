package boost

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Keeping returns the recipe with another Checkpoint.
func (a AdaBoost) Keeping(c learn.Checkpoint) learn.Learner[data.Vector, float64, *Ensemble] {
	a.Checkpoint = c
	return a
}

// resume sets the booster to where the Checkpoint stands, prepares the weak
// learner unless there is no further round, and returns what keeps the state
// after each.
func (a AdaBoost) resume(ctx context.Context, ctl run.Control, b *booster, mark uint64) (keep func() error, err error) {
	keep = func() error { return nil }
	c := a.Checkpoint
	var finder []uint64
	if c.On() {
		keep = func() error {
			return c.Keep(len(b.history), b.ended, func() []byte { return b.encode(mark) })
		}
	}
	if c.From != nil {
		var margin []float64
		if margin, finder, err = b.decode(c.From, mark, a.Rounds); err != nil || b.ended {
			return keep, err
		}
		if err := b.g.resume(ctx, margin); err != nil {
			return keep, err
		}
	}
	if b.finder, err = a.Weak.Prepare(ctx, ctl, b.g.s); err != nil || !c.On() {
		return keep, err
	}
	r, ok := b.finder.(Resumer)
	if !ok {
		return keep, errors.New("adaboost: the weak learner keeps no state; fit without a checkpoint")
	}
	if c.From != nil {
		return keep, r.Resume(ctx, finder)
	}
	return keep, nil
}

// mark tells the problem from others, but for the rows themselves.
func (a AdaBoost) mark(y, weight []float64) uint64 {
	name := fmt.Sprintf("adaboost of %T %+v, %d rounds, %v", a.Weak, a.Weak, a.Rounds, a.StopAtZero)
	return learn.Mark(name, y, weight)
}

// encode writes all that the next round depends on, or the result.
func (b *booster) encode(mark uint64) []byte {
	w := learn.NewState(mark)
	w.Bytes([]byte(b.status))
	w.Floats(b.bound)
	w.Ints(int(b.wrong), len(b.history))
	for _, r := range b.history {
		w.Floats(r.Error, r.Edge, r.Alpha, r.TrainError, r.Bound, r.Margin)
		w.Ints(r.Tries)
	}
	w.List(b.alpha)
	for _, r := range b.rules {
		w.List(r.W)
		w.Floats(r.Bias, r.Cut.Threshold, r.Cut.Sign)
		w.Ints(r.Cut.Feature)
	}
	if b.ended {
		w.Ints(1)
		return w.Seal()
	}
	w.Ints(0)
	w.Floats(b.g.margin...)
	state := b.finder.(Resumer).State()
	w.Ints(len(state))
	for _, v := range state {
		w.Word(v)
	}
	return w.Seal()
}

// decode takes a state over, and returns the margins and the state of the finder
// where there are further rounds.
func (b *booster) decode(state []byte, mark uint64, rounds int) (margin []float64, finder []uint64, err error) {
	r := learn.OpenState(state, mark)
	b.status, b.bound, b.wrong = learn.Status(r.Bytes()), r.Float(), int64(r.Int(int(b.g.all)))
	dim, perRound := b.g.s.Dim, 7
	b.history = make([]Round, r.Int(min(rounds, len(state)/(8*perRound))))
	for i := range b.history {
		h := &b.history[i]
		for _, v := range []*float64{&h.Error, &h.Edge, &h.Alpha, &h.TrainError, &h.Bound, &h.Margin} {
			*v = r.Float()
		}
		h.Tries = r.Int(math.MaxInt)
	}
	b.alpha = r.List(len(b.history))
	for range b.alpha {
		one := Rule{W: r.List(dim)}
		one.Bias, one.Cut.Threshold, one.Cut.Sign = r.Float(), r.Float(), r.Float()
		one.Cut.Feature = r.Int(max(dim-1, 0))
		if one.check(dim) != nil {
			return nil, nil, learn.ErrState
		}
		b.rules = append(b.rules, one)
	}
	if b.ended = r.Int(1) == 1; !b.ended {
		margin = make([]float64, len(b.g.margin))
		r.Floats(margin)
		finder = make([]uint64, r.Int(len(state)/8))
		for i := range finder {
			finder[i] = r.Word()
		}
	}
	if r.Done() != nil || vmath.Finite(margin) >= 0 || vmath.Finite(b.alpha) >= 0 || !b.ended &&
		(b.status != "" || len(b.alpha) == 0 || len(b.history) >= rounds) {
		return nil, nil, learn.ErrState
	}
	return margin, finder, nil
}
