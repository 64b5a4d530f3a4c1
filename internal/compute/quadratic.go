package compute

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/run"
)

// Quadratic is a problem over the columns x_0 … x_{n-1} of a Bound, on its way to the solution:
//
//	minimise  ½ Σ_s Σ_t b_s b_t K(x_s, x_t) + Σ_t e_t b_t
//	over      lo_t ≤ b_t ≤ hi_t, Σ b_t as it is
//
// where variable t is about column t mod n. A variable can grow where b_t < hi_t and fall
// where b_t > lo_t; the slope of one is f_t = -(scores + e_t), and the conditions are
// violated by how much the highest slope of one that can grow is above the lowest of one
// that can fall.
type Quadratic struct {
	E, Lo, Hi []float64
	B         []float64 // feasible
	Scores    []float64 // K·b, of each column
	Set       []int     // the variables that the last round solved for
	Largest   float64   // |K(x, x)| of those that any round solved for
	Steps     int       // steps of two variables each so far
	Rounds    int
	Values    int64 // of K that were computed
}

// Descent says how a Solver goes about a Quadratic.
type Descent struct {
	Tolerance float64              // of the violation
	Unit      float64              // rounding of K: Σ|b|·Largest·Unit counts as Tolerance where that is more
	Steps     int                  // the most, in all
	Size      func(inside int) int // variables that a round solves for, given how many are inside their ranges

	// Round is called after every round. Quadratic's Steps, Rounds, Values and Largest are those of
	// now, and the rest after a call of fetch.
	Round func(violation, tolerance float64, fetch func() error) error
}

// Solver is a Bound that can solve such problems where it computes. Minimise runs rounds
// from where q stands until the violation is within the tolerance, the steps are used up
// or nothing moves any more. In the end, with or without an error, q is where it was at
// first or further; with an error of Round too. It has the bits of a call that went on
// from any round, and needs a K that is symmetric.
type Solver interface {
	Minimise(ctx context.Context, ctl run.Control, q *Quadratic, d Descent) error
}

// ErrNoRoom says that something does not fit on a device that it could be done on.
var ErrNoRoom = errors.New("it does not fit into half of the free memory of the device")
