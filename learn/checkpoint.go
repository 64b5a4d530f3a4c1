package learn

import (
	"errors"
	"fmt"
)

// Checkpoint lets a fit that was ended from outside go on where it stood: Save
// is given its state from time to time, and a fit with From set to such a state
// goes on from there and ends in the same bits as one that was never ended. The
// sample and the recipe must be the same but for Run's workers and memory. What
// a state takes and what a round is the learner says. The zero value saves
// nothing and starts at the beginning.
type Checkpoint struct {
	Save  func(state []byte) error // one call at a time; it may keep the state, and an error ends the fit with it
	Every int                      // rounds between two calls of Save, at least 1 where Save is set
	Due   func() bool              // whether a state is wanted, asked by one goroutine at a time; nil is always
	From  []byte                   // a state that Save was given; nil starts at the beginning
}

// ErrState reports a state that is not of the problem.
var ErrState = errors.New("the checkpoint is damaged, or of another problem: sample and recipe must be the same")

// On reports whether a state is kept or taken over.
func (c Checkpoint) On() bool { return c.Save != nil || c.From != nil }

// Validate reports what is out of range, for the recipe of the given name.
func (c Checkpoint) Validate(name string) error {
	if c.Save != nil && c.Every < 1 {
		return fmt.Errorf("%s: checkpoint every %d rounds; it must be at least 1", name, c.Every)
	}
	return nil
}

// Keep hands the state after a round over where it is time, and that after the
// last one always.
func (c Checkpoint) Keep(round int, last bool, encode func() []byte) error {
	if c.Save == nil || !last && (round%c.Every != 0 || c.Due != nil && !c.Due()) {
		return nil
	}
	return c.Save(encode())
}

// Keeper is a learner with a Checkpoint. The state after its last round makes
// the model again at little cost.
type Keeper[T, Y any, M Predictor[T, Y]] interface {
	Learner[T, Y, M]
	// Keeping returns the same recipe with another Checkpoint.
	Keeping(c Checkpoint) Learner[T, Y, M]
}
