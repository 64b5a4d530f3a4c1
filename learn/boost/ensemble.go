package boost

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Ensemble is the weighted vote of rules, Score(x) = Σ_t α_t·h_t(x). It is
// immutable and safe for concurrent use.
//
// A score estimates half the logarithm of the odds of +1 (Friedman, Hastie and
// Tibshirani 2000), so that the scores of several votes compare, as
// learn.OneVsRest needs. A vote without rules scores 0 and predicts +1.
type Ensemble struct {
	Votes   *Votes    // what each rule says
	Alpha   []float64 // weight of each rule
	History []Round   // of the fit, a round each; nil for a vote that was put together
}

// NewEnsemble puts a vote together from its rules and their weights. It keeps
// both.
func NewEnsemble(v *Votes, alpha []float64) (*Ensemble, error) {
	if v == nil {
		return nil, errors.New("ensemble: the rules are missing")
	}
	if len(alpha) != v.Dim() {
		return nil, fmt.Errorf("ensemble: there are %d weights for %d rules; each needs one", len(alpha), v.Dim())
	}
	for t, a := range alpha {
		if a-a != 0 {
			return nil, fmt.Errorf("ensemble: weight %d is %v and must be finite", t+1, a)
		}
	}
	return &Ensemble{Votes: v, Alpha: alpha}, nil
}

// Score returns Σ_t α_t·h_t(x), summed in the order of rules: O(T) for cuts and
// O(T·d) for halfspaces.
func (e *Ensemble) Score(x data.Vector) float64 {
	s := 0.0
	for t, a := range e.Alpha {
		s += a * e.Votes.Rule(t).Predict(x)
	}
	return s
}

// Predict returns +1 where the score is at least 0 and -1 elsewhere.
func (e *Ensemble) Predict(x data.Vector) float64 {
	if e.Score(x) >= 0 {
		return 1
	}
	return -1
}

// scoreRows is how many rows are scored together.
const scoreRows = 256

// ScoreAll returns the scores of all instances of x, with the bits of Score and
// faster.
func (e *Ensemble) ScoreAll(ctx context.Context, ctl run.Control, x data.Source[data.Vector]) ([]float64, error) {
	n := x.Len()
	if err := ctl.Reserve("the scores", 8*float64(n), "score fewer rows at a time"); err != nil {
		return nil, err
	}
	scores := make([]float64, n)
	err := par.For(ctx, ctl, "score", par.Blocks(n, scoreRows), func(b int) error {
		lo, hi := par.Range(b, n, scoreRows)
		part := data.Range[data.Vector]{Of: x, Lo: lo, Hi: hi}
		if e.Votes.w == nil {
			e.scoreCuts(scores[lo:hi], part)
		} else {
			e.scoreHalfspaces(scores[lo:hi], part)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return scores, nil
}

// scoreCuts adds the scores of a few rows to dst, cut by cut: additions to
// different rows do not wait for each other.
func (e *Ensemble) scoreCuts(dst []float64, x data.Source[data.Vector]) {
	var rows [scoreRows]data.Vector
	for i := range dst {
		rows[i] = x.At(i)
	}
	for t, c := range e.Votes.cuts {
		vote := [2]float64{-e.Alpha[t], e.Alpha[t]}
		for i := range dst {
			v := coordinate(rows[i], c.Feature)
			says := 0
			if c.positive(v) {
				says = 1
			}
			dst[i] += vote[says]
		}
	}
}

// scoreHalfspaces adds the scores of a few rows to dst, panel by panel.
func (e *Ensemble) scoreHalfspaces(dst []float64, x data.Source[data.Vector]) {
	e.Votes.tiles(x, func(row, rule int, word []uint64, m int) {
		alpha := e.Alpha[rule : rule+m]
		for i, bits := range word {
			s := dst[row+i]
			for k, a := range alpha {
				s += a * float64(int64(bits>>k&1)*2-1)
			}
			dst[row+i] = s
		}
	})
}
