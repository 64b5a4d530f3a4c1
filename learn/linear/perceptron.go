package linear

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
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
	return errors.Join(checkPasses("perceptron", p.MaxPasses), checkUnit("perceptron", p.Unit))
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses did not suffice. Report.Mistakes counts
// the updates of all passes.
func (p Perceptron) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	start := time.Now()
	if err := p.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := gatherRepeated(ctx, p.Run, d, p.Unit)
	if stopped(ctx, err) {
		zero := newWeights(data.Dim(d.X)).separator(p.Unit)
		return zero, learn.Report{Status: learn.Stopped(ctx), Elapsed: time.Since(start)}, nil
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	best, report := p.learn(ctx, s)
	report.Elapsed = time.Since(start)
	return best.separator(p.Unit), report, nil
}

// stopped reports whether err is that of a context which has ended.
func stopped(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// learn runs the passes. It returns the weights of the best pass end.
func (p Perceptron) learn(ctx context.Context, s *sample) (*weights, learn.Report) {
	n := len(s.rows)
	w, best, fewest := newWeights(s.dim), newWeights(s.dim), n+1
	scale := p.scales(s)
	order := identity(n)
	report := learn.Report{Status: learn.IterationLimit}
	p.Run.Progress.Begin("train", int64(p.MaxPasses))
	defer p.Run.Progress.End()
	for pass := range p.MaxPasses {
		if p.Shuffle {
			rng := seed.Stream(p.Seed, seed.Shuffle, uint64(pass))
			rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		mistakes, done := s.perceptronPass(ctx, w, order, scale)
		report.Mistakes += mistakes
		if done {
			report.Iterations++
			p.Run.Progress.Advance(int64(report.Iterations))
		}
		if done && mistakes == 0 {
			report.Status = learn.Converged
			return w, report
		}
		if errs := s.errors(p.Run, w); errs < fewest {
			fewest = errs
			best.copyFrom(w)
		}
		if !done {
			report.Status = learn.Stopped(ctx)
			break
		}
	}
	return best, report
}

// scales returns what each row is multiplied by, nil for 1.
func (p Perceptron) scales(s *sample) []float64 {
	if !p.Normalize {
		return nil
	}
	scale := make([]float64, len(s.norm))
	for i, q := range s.norm {
		if q > 0 {
			scale[i] = 1 / math.Sqrt(q)
		}
	}
	return scale
}

// perceptronPass learns from the rows in order. It returns the mistakes made
// and false if ctx ended on the way.
func (s *sample) perceptronPass(ctx context.Context, w *weights, order []int, scale []float64) (int, bool) {
	mistakes := 0
	for k, i := range order {
		if k%rowsPerCheck == 0 && ctx.Err() != nil {
			return mistakes, false
		}
		// The scale is positive: it does not bear on the sign.
		if s.y[i]*s.score(w, i) > 0 {
			continue
		}
		mistakes++
		a := s.y[i]
		if scale != nil {
			a *= scale[i]
		}
		s.add(w, i, a)
	}
	return mistakes, true
}

// errors counts the rows with y(w·x) ≤ 0.
func (s *sample) errors(ctl run.Control, w *weights) int {
	n := len(s.rows)
	counts := make([]int, par.Blocks(n, blockRows))
	err := par.For(context.Background(), ctl, "", len(counts), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			if !(s.y[i]*s.score(w, i) > 0) {
				counts[b]++
			}
		}
		return nil
	})
	if err != nil {
		panic("linear: " + err.Error())
	}
	total := 0
	for _, c := range counts {
		total += c
	}
	return total
}
