package linear

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Logistic is regularised logistic regression of two classes,
//
//	min_w  P(w) = ½|w|² + C·Σ c·log(1 + exp(-y(w·x)))
//
// with x and w extended by the constant coordinate and c the weight of a row.
// The score of the separator is the logarithm of the odds: Probability(score)
// is the chance of +1.
//
// It is solved by Newton's method with directions from conjugate gradients
// (Lin, Weng and Keerthi 2008), preconditioned by the Hessian over a part of
// the rows, or by its diagonal where there are many coordinates. The fit stops
// when the duality gap, which is half the squared length of the gradient, is at
// most Tolerance·P(w). Cost: some tens of passes over the rows, O(n·d) each;
// memory O(n + d²), or O(n + d) with the diagonal.
type Logistic struct {
	C         float64 // penalty of a unit of loss, positive; default 1
	Tolerance float64 // duality gap relative to the objective, at least 0; default 1e-4
	MaxPasses int     // passes over the rows, at least 1; default 1000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Seed      uint64  // of the rows that stand for all
	Run       run.Control
}

// NewLogistic returns the recipe with its defaults.
func NewLogistic() Logistic { return Logistic{C: 1, Tolerance: 1e-4, MaxPasses: 1000, Unit: 1} }

// Validate reports every field that is out of range.
func (l Logistic) Validate() error {
	const f = learn.Fields("logistic")
	return errors.Join(f.Positive("C", l.C), f.NotNegative("tolerance", l.Tolerance),
		f.AtLeast(1, "max passes", l.MaxPasses), f.NotNegative("unit", l.Unit))
}

// Fit learns from d. The status is Converged when the gap is within Tolerance
// and IterationLimit when MaxPasses, or the precision of numbers, did not
// suffice. Objective is P, Gradient the length of its gradient and Gap half the
// square of that: P is within it of its minimum.
//
// When ctx ends the result is the best so far.
func (l Logistic) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	began := time.Now()
	n := d.X.Len()
	if err := l.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	x, err := gather(ctx, l.Run, d, l.Unit)
	if learn.Interrupted(ctx, err) {
		p := 0.0
		for _, c := range penalties(l.C, d.Weight, n) {
			p += c * math.Ln2
		}
		report := learn.Report{Status: learn.Stopped(ctx), Objective: p, Gap: p, Elapsed: time.Since(began)}
		return newWeights(data.Dim(d.X)).separator(l.Unit), report, nil
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	f, err := newPrimalFit(x, penalties(l.C, d.Weight, n), [][]float64{d.Y}, logisticLoss{}, l.Seed, l.Run)
	if err != nil {
		return nil, learn.Report{}, err
	}
	if err := f.run(ctx, newton{tolerance: l.Tolerance, passes: l.MaxPasses, ctl: l.Run}, true); err != nil {
		return nil, learn.Report{}, err
	}
	report := f.reports[0]
	report.Elapsed = time.Since(began)
	return f.separator(0), report, nil
}

// Probability returns 1/(1+exp(-score)), without overflow: the chance of +1 for
// a score of Logistic.
func Probability(score float64) float64 {
	e := math.Exp(-math.Abs(score))
	if score < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}
