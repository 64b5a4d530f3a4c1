package linear

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Perceptron starts at w = 0 and, on each row with y(w·x) ≤ 0, sets
//
//	w ← w + y·x
//
// until a pass over the rows has no such mistake.
//
// If some unit vector u has y(u·x) ≥ γ on all rows and |x| ≤ R, it makes at
// most R²/γ² mistakes (Novikoff 1962; Tao's lecture on the perceptron). The
// papers state the bound as 1/γ² for x of length 1: Normalize divides each x,
// the constant coordinate included, by its length, which moves no x to another
// side of any separator, so that the result applies to x as they are. A row of
// length 0 stays as it is, and is a mistake of every pass. Weights are whole
// numbers: a row of weight k is k rows.
//
// On data that no w separates the result is the best so far: the weights at
// the end of the pass with the fewest errors, counting y(w·x) ≤ 0 as one.
// Cost: two inner products a row and pass, O(n·d).
type Perceptron struct {
	MaxPasses int     // passes over the rows, at least 1; default 1000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Normalize bool    // learn from x/|x|; default false
	Shuffle   bool    // take the rows of each pass in random order, not as they stand; default true
	Seed      uint64  // of the orders
	Run       run.Control
}

// NewPerceptron returns the recipe with its defaults.
func NewPerceptron() Perceptron {
	return Perceptron{MaxPasses: 1000, Unit: 1, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p Perceptron) Validate() error {
	const f = learn.Fields("perceptron")
	return errors.Join(f.AtLeast(1, "max passes", p.MaxPasses), f.NotNegative("unit", p.Unit))
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses did not suffice. Report.Mistakes counts
// the updates of all passes, MistakeBound what they cannot exceed by the theorem
// with the margin of the separator returned.
func (p Perceptron) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	start := time.Now()
	if err := p.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := gatherRepeated(ctx, p.Run, d, p.Unit)
	if learn.Interrupted(ctx, err) {
		return untrained(ctx, d, p.Unit, start)
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	best, report := p.learn(ctx, s)
	report.Elapsed = time.Since(start)
	return best.separator(p.Unit), report, nil
}

// learn runs the passes. It returns the weights of the best pass end.
func (p Perceptron) learn(ctx context.Context, s *sample) (*weights, learn.Report) {
	if p.Normalize {
		s.normalize()
	}
	w, best, fewest := newWeights(s.dim), newWeights(s.dim), len(s.rows)+1
	walk := passes{max: p.MaxPasses, shuffle: p.Shuffle, seed: p.Seed, ctl: p.Run, end: func(bool) {
		if errs := s.errors(p.Run, w); errs < fewest {
			fewest = errs
			best.copyFrom(w)
		}
	}}
	report := walk.run(ctx, len(s.rows), func(i int) bool {
		if s.y[i]*s.score(w, i) > 0 {
			return false
		}
		s.add(w, i, s.y[i])
		return true
	})
	report.MistakeBound = math.Inf(1)
	if report.Status == learn.Converged {
		report.MistakeBound = s.mistakeBound(p.Run, w)
		return w, report
	}
	return best, report
}

// mistakeBound returns R²/γ² for the margin γ of weights that separate the rows.
func (s *sample) mistakeBound(ctl run.Control, w *weights) float64 {
	gamma := slices.Min(s.products(ctl, w)) / math.Sqrt(w.length2())
	return slices.Max(s.norm) / (gamma * gamma)
}

// errors counts the rows with y(w·x) ≤ 0.
func (s *sample) errors(ctl run.Control, w *weights) int {
	count := 0
	for _, v := range s.products(ctl, w) {
		if !(v > 0) {
			count++
		}
	}
	return count
}
