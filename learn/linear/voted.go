package linear

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// VotedPerceptron is the perceptron that keeps all the separators it went
// through, each with the number of rows it lasted, and lets them vote (Freund
// and Schapire 1999). After one pass over n rows its expected error on a further
// row is at most 2/(n+1) times the expected number of mistakes, hence at most
// 2R²/(γ²·(n+1)) for rows of length R with margin γ. Weights are whole numbers: a
// row of weight k is k rows.
//
// A separator is the sum of the mistakes before it, so only those are kept:
// memory for the rows that were mistakes, once each. Cost: one inner product a
// row and pass to learn; to predict, one for each such row and one addition a
// mistake.
type VotedPerceptron struct {
	MaxPasses int     // passes over the rows, at least 1; default 1
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Shuffle   bool    // take the rows of each pass in random order; default true
	Seed      uint64  // of the orders
	Run       run.Control
}

// NewVotedPerceptron returns the recipe with its defaults.
func NewVotedPerceptron() VotedPerceptron {
	return VotedPerceptron{MaxPasses: 1, Unit: 1, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p VotedPerceptron) Validate() error {
	const f = learn.Fields("voted perceptron")
	return errors.Join(f.AtLeast(1, "max passes", p.MaxPasses), f.NotNegative("unit", p.Unit))
}

// Vote is one separator of a Voted: that before it, plus Label times a row.
type Vote struct {
	Row   int     // place in Voted.Rows
	Label float64 // of that row
	Count int     // how many rows the separator lasted, its own mistake included
}

// Voted is the fitted vote of separators w₁, w₂, …, each the one before it plus
// y·(x, Unit) for a row of Rows; w₀ = 0 has no vote. Rows share the memory of the
// sample. It is immutable and safe for concurrent use.
type Voted struct {
	Rows  []data.Vector
	Votes []Vote
	Unit  float64
}

// Score returns Σ Count·sign(w·x) divided by Σ Count, from -1 to 1, where 0 has
// the sign +1. Without votes it is 0.
func (v *Voted) Score(x data.Vector) float64 {
	dots := make([]float64, len(v.Rows))
	for k, row := range v.Rows {
		dots[k] = row.Dot(x) + v.Unit*v.Unit
	}
	score, sum, all := 0.0, 0, 0
	for _, vote := range v.Votes {
		score += vote.Label * dots[vote.Row]
		if score >= 0 {
			sum += vote.Count
		} else {
			sum -= vote.Count
		}
		all += vote.Count
	}
	if all == 0 {
		return 0
	}
	return float64(sum) / float64(all)
}

// Predict returns +1 where the score is at least 0 and -1 elsewhere.
func (v *Voted) Predict(x data.Vector) float64 {
	if v.Score(x) >= 0 {
		return 1
	}
	return -1
}

// Last returns the last separator over the given number of coordinates: what
// Perceptron without Normalize has after the same rows.
func (v *Voted) Last(dim int) *Separator {
	w := newWeights(dim)
	for _, vote := range v.Votes {
		v.Rows[vote.Row].AddTo(w.w, vote.Label)
		w.bias += vote.Label * v.Unit
	}
	return w.separator(v.Unit)
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses did not suffice. Report.Mistakes counts the
// updates of all passes, Support the rows that are kept.
func (p VotedPerceptron) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Voted, learn.Report, error) {
	began := time.Now()
	if err := p.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	model := &Voted{Unit: p.Unit}
	s, err := gatherRepeated(ctx, p.Run, d, p.Unit)
	if learn.Interrupted(ctx, err) {
		return model, learn.Report{Status: learn.Stopped(ctx), Elapsed: time.Since(began)}, nil
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	if err := p.Run.Reserve("the votes", 24*float64(p.MaxPasses)*float64(len(s.rows)), "take fewer passes"); err != nil {
		return nil, learn.Report{}, err
	}
	w, place := newWeights(s.dim), make([]int, len(s.rows))
	walk := passes{max: p.MaxPasses, shuffle: p.Shuffle, seed: p.Seed, ctl: p.Run}
	report := walk.run(ctx, len(s.rows), func(i int) bool {
		wrong := !(s.y[i]*s.score(w, i) > 0)
		if wrong {
			s.add(w, i, s.y[i])
			if place[i] == 0 {
				model.Rows = append(model.Rows, s.rows[i])
				place[i] = len(model.Rows)
			}
			model.Votes = append(model.Votes, Vote{Row: place[i] - 1, Label: s.y[i]})
		}
		model.Votes[len(model.Votes)-1].Count++ // the first row is a mistake of w = 0
		return wrong
	})
	report.Support = len(model.Rows)
	report.Elapsed = time.Since(began)
	return model, report, nil
}
