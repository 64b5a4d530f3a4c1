package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// MarginPerceptron is the perceptron that also learns from rows it has right by
// too little: on each row with
//
//	y(w·x) ≤ β·|w||x|   it sets   w ← w + y·x/|x|
//
// until a pass over the rows has no such row. The separator then has margin
// more than β on all of them, as an angle (docs/math/margins.md).
//
// If some unit vector has margin γ > β on all rows, there are at most
//
//	2/(γ-β)² + 2/(γ-β)
//
// updates, since each adds γ or more to u·w while, once |w| ≥ 1/(γ-β), it adds
// at most β + (γ-β)/2 to |w|. With β = γ/2 these are 8/γ² + 4/γ; with β = 0 it
// is the perceptron with Normalize, whose bound is 1/γ². A row of length 0 stays
// as it is, and is a mistake of every pass. Weights are whole numbers: a row of
// weight k is k rows.
//
// On data without such a margin the result is the best so far: the weights at
// the end of the pass with the largest least margin. Cost: two inner products a
// row and pass, O(n·d), and O(d) for |w| an update.
type MarginPerceptron struct {
	Margin    float64 // β, from 0 to below 1; default 0.01
	MaxPasses int     // passes over the rows, at least 1; default 1000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Shuffle   bool    // take the rows of each pass in random order; default true
	Seed      uint64  // of the orders
	Run       run.Control
}

// NewMarginPerceptron returns the recipe with its defaults.
func NewMarginPerceptron() MarginPerceptron {
	return MarginPerceptron{Margin: 0.01, MaxPasses: 1000, Unit: 1, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p MarginPerceptron) Validate() error {
	const f = learn.Fields("margin perceptron")
	var margin error
	if !(p.Margin >= 0 && p.Margin < 1) {
		margin = fmt.Errorf("%s: margin is %v and must be from 0 to below 1", f, p.Margin)
	}
	return errors.Join(margin, f.AtLeast(1, "max passes", p.MaxPasses), f.NotNegative("unit", p.Unit))
}

// Bound returns the most updates there can be on rows that a separator has with
// margin gamma, +Inf where gamma is not above Margin.
func (p MarginPerceptron) Bound(gamma float64) float64 {
	if p.Margin == 0 && gamma > 0 {
		return 1 / (gamma * gamma)
	}
	more := gamma - p.Margin
	if !(more > 0) {
		return math.Inf(1)
	}
	return 2/(more*more) + 2/more
}

// Fit learns from d. The status is Converged when the last pass had no update
// and IterationLimit when MaxPasses did not suffice. Report.Mistakes counts the
// updates of all passes.
func (p MarginPerceptron) Fit(
	ctx context.Context, d data.Labeled[data.Vector, float64],
) (*Separator, learn.Report, error) {
	began := time.Now()
	if err := p.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := gatherRepeated(ctx, p.Run, d, p.Unit)
	if learn.Interrupted(ctx, err) {
		return untrained(ctx, d, p.Unit, began)
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	length := make([]float64, len(s.norm))
	for i, q := range s.norm {
		length[i] = math.Sqrt(q)
	}
	w, best := newWeights(s.dim), newWeights(s.dim)
	norm, most := 0.0, math.Inf(-1)
	walk := passes{max: p.MaxPasses, shuffle: p.Shuffle, seed: p.Seed, ctl: p.Run, end: func(whole bool) {
		if !whole {
			return
		}
		if m := s.leastMargin(p.Run, w, norm, length); m > most {
			most = m
			best.copyFrom(w)
		}
	}}
	report := walk.run(ctx, len(s.rows), func(i int) bool {
		margin := s.y[i] * s.score(w, i)
		wrong := !(margin > p.Margin*norm*length[i])
		if wrong {
			a := s.y[i]
			if length[i] > 0 {
				a /= length[i]
			}
			s.add(w, i, a)
			norm = math.Sqrt(w.length2())
		}
		return wrong
	})
	if report.Status == learn.Converged || report.Iterations == 0 {
		best = w
	}
	report.Elapsed = time.Since(began)
	return best.separator(p.Unit), report, nil
}

// leastMargin returns the least y(w·x)/(|w||x|), 0 for rows of length 0.
func (s *sample) leastMargin(ctl run.Control, w *weights, norm float64, length []float64) float64 {
	n := len(s.rows)
	least := make([]float64, par.Blocks(n, blockRows))
	err := par.For(context.Background(), ctl.Quiet(), "", len(least), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		least[b] = math.Inf(1)
		for i := lo; i < hi; i++ {
			m := 0.0
			if norm > 0 && length[i] > 0 {
				m = s.y[i] * s.score(w, i) / norm / length[i]
			}
			least[b] = min(least[b], m)
		}
		return nil
	})
	if err != nil {
		panic("linear: " + err.Error())
	}
	all := math.Inf(1)
	for _, m := range least {
		all = min(all, m)
	}
	return all
}
