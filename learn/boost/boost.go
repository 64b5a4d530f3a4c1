// Package boost learns weighted votes of simple rules: AdaBoost over a weak
// learner.
//
// A rule is a halfspace, +1 where w·x + b ≥ 0. Two weak learners find them:
// Halfspace draws random ones (Blum's survey, algorithm 1) and Stump takes the
// best cut of a single coordinate. AdaBoost reweights the rows after each rule
// and returns an Ensemble, the vote of all rules. Votes is the same as a map:
// x ↦ what each rule says.
//
// Weights of rows are whole numbers inside, scaled so that they sum to about
// 2⁶¹. Sums of them are exact in any order. So a fit does not depend on the
// number of workers; a row of whole weight k is the same, bit for bit, as k
// rows; and rules of equal error are equal, however their sums were taken.
package boost

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// ErrConstant reports a sample on which all rules of a weak learner say the
// same of every row.
var ErrConstant = errors.New("all rows are alike to the weak learner")

// Weak is the recipe of a weak learner. Prepare is called once a fit, and what
// does not depend on weights belongs there: the order of rows by a coordinate,
// for example.
type Weak interface {
	// Validate reports every hyperparameter that is out of range.
	Validate() error
	// Prepare looks at the rows. The error is the context's own when it ended
	// meanwhile.
	Prepare(ctx context.Context, ctl run.Control, s *Sample) (Finder, error)
}

// Finder finds a rule for weighted rows. It is called round after round from
// one goroutine, and the rule may depend on the rounds before.
type Finder interface {
	Find(ctx context.Context, w Weights) (Found, error)
}

// Resumer is a Finder that can go on where another one stood, as a fit with a
// Checkpoint asks for.
type Resumer interface {
	Finder
	// State returns what Find depends on beside the weights.
	State() []uint64
	// Resume takes over the state of a Finder of the same recipe and rows. It
	// returns learn.ErrState for what can be none.
	Resume(ctx context.Context, state []uint64) error
}

// Found is what a Finder found.
type Found struct {
	Rule   Rule
	OK     bool    // false where the tries ran out and there is no rule
	Tries  int     // rules that were looked at, of learners that draw them
	Margin float64 // γ at which the rule was accepted, of Halfspace

	// says[i] is true where the rule says +1 of row i, as Predict does; nil
	// where the finder does not know.
	says []bool
}

// Sample is the rows that a weak learner sees: those with a weight above 0.
type Sample struct {
	X   data.Slice[data.Vector]
	Y   []float64 // +1 or -1
	Dim int       // coordinates of the longest row
}

// Weights are the weights of the rows in one round, as whole numbers: row i has
// weight |Signed[i]|, at least 1, and the sign of its label. A Finder does not
// keep them.
type Weights struct {
	Signed []int64
	Plus   int64 // sum of the weights of rows labelled +1
	Minus  int64 // and of those labelled -1
}

// Total returns the sum of all weights.
func (w Weights) Total() int64 { return w.Plus + w.Minus }

// Round says what one round of boosting did.
type Round struct {
	Error      float64 `json:"error"`            // ε, the weight that the rule has wrong
	Edge       float64 `json:"edge"`             // 1/2 - ε
	Alpha      float64 `json:"alpha"`            // weight of the rule in the vote
	TrainError float64 `json:"train_error"`      // of the vote so far, by the weights of the sample
	Bound      float64 `json:"bound"`            // Π 2√(ε(1-ε)) so far; TrainError is at most this
	Tries      int     `json:"tries,omitempty"`  // Found.Tries
	Margin     float64 `json:"margin,omitempty"` // Found.Margin
}
