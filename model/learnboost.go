package model

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
)

// Boost is AdaBoost: votes of weak rules, one ensemble a class.
type Boost struct {
	Rounds     int  `json:"rounds"`
	Halfspaces bool `json:"-"` // rules are random halfspaces, and not cuts of one feature each
}

const boostRounds = 100

// NewBoost returns AdaBoost of stumps, cuts of one feature each.
func NewBoost() Boost { return Boost{Rounds: boostRounds} }

// NewBoostHalfspace returns AdaBoost of random halfspaces.
func NewBoostHalfspace() Boost { return Boost{Rounds: boostRounds, Halfspaces: true} }

// Name returns "boost" or "boost-halfspace".
func (l Boost) Name() string {
	if l.Halfspaces {
		return LearnerBoostHalfspace
	}
	return LearnerBoost
}

// Traits says what it is.
func (Boost) Traits() Traits { return Traits{Weights: true, Keeps: true, Scheduled: true} }

// Validate reports fields out of range.
func (l Boost) Validate() error {
	if l.Rounds < 1 {
		return outOfRange("Rounds", l.Rounds, "at least 1")
	}
	return nil
}

// Fit boosts.
func (l Boost) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	none, k := Fitted[data.Vector]{}, p.Classes.Len()
	var weak boost.Weak = boost.NewStump()
	if l.Halfspaces {
		h := boost.NewHalfspace()
		h.Seed = p.Seed
		weak = h
	}
	b := boost.NewAdaBoost(weak)
	b.Rounds, b.Run = l.Rounds, p.Run
	ovr := learn.OneVsRest[data.Vector, *boost.Ensemble]{Classes: k, Checkpoint: p.Checkpoint, Run: p.Run}
	if k > 2 {
		b.Run = b.Run.Quiet()
		b.Run.Workers = 1
	} else {
		ovr.Run = p.Run.Quiet()
	}
	ovr.Learner = b
	multi, report, err := ovr.Fit(ctx, labeled(p))
	if err != nil {
		return none, report, err
	}
	rules, weights, err := joinVotes(multi.Binary())
	if err != nil {
		return none, report, err
	}
	votes := Votes[data.Vector]{Inner: feature.Identity{Width: data.Dim(p.X)}, Rules: rules}
	return Fitted[data.Vector]{Map: votes, Separators: weights, Bias: make([]float64, weights.Rows)}, report, nil
}

// joinVotes puts the rules of several ensembles together and returns the weight
// of each rule in each of them.
func joinVotes(ensembles []*boost.Ensemble) (*boost.Votes, *data.Matrix, error) {
	total, width := 0, 0
	for _, e := range ensembles {
		total += len(e.Alpha)
		width = max(width, e.Votes.Width())
	}
	weights := data.NewMatrix(len(ensembles), total)
	var cuts []boost.Cut
	var bias []float64
	var planes []float64
	at := 0
	for i, e := range ensembles {
		copy(weights.Row(i)[at:], e.Alpha)
		at += len(e.Alpha)
		if c := e.Votes.Cuts(); c != nil || len(e.Alpha) == 0 {
			cuts = append(cuts, c...)
			continue
		}
		w, b := e.Votes.Halfspaces()
		planes, bias = append(planes, w.Data...), append(bias, b...)
	}
	if len(bias) > 0 {
		rules, err := boost.NewVotes(&data.Matrix{Rows: len(bias), Cols: width, Data: planes}, bias)
		return rules, weights, err
	}
	rules, err := boost.NewCuts(width, cuts)
	return rules, weights, err
}
