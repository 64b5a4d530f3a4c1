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

// HardMargin is the support vector machine that allows no errors,
//
//	min_w  ½|w|²   with  y(w·x) ≥ 1 on all rows
//
// with x and w extended by the constant coordinate. It finds the separator of
// the largest margin y(w·x)/|w| with a proof of how large a margin can be, which
// may be that there is none above Zero. With Normalize rows are divided by their
// length, the constant coordinate included: the margin is then the cosine
// y(w·x)/(|w||x|) of package margin.
//
// Both come from the point nearest to the origin in the convex hull of the
// vectors y·x: if it is p = Σ α·y·x, with α ≥ 0 and Σ α = 1, then the unit vector
// p/|p| has the largest margin, which is |p|, and no unit vector u has a larger
// one, since u·p is a mean of margins and at most |p|. Where |p| is 0 to rounding
// nothing is known but that: the hulls of the two classes, with the origin
// between them, meet, or nearly so. The point is found by Wolfe's algorithm (1976), which keeps the few rows that p
// is made of, takes in rows beyond the plane through p, many of them for each
// pass over all rows, and leaves out those that the nearest point of their
// plane does not need. Rows of weight 0 are left out, and all other weights are
// the same.
//
// Cost: O(n·d) a pass and O(s·d + s²) a row taken in, for s rows in the
// combination. It is exact on a few thousand support vectors at most.
type HardMargin struct {
	Tolerance float64 // how far the margin may be below its bound, relative to it, at least 0; default 1e-6
	Zero      float64 // |p| relative to the longest row at which the search ends, at least 0; default 1e-9
	MaxPasses int     // passes over the rows, at least 1; default 1000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Normalize bool    // learn from x/|x|; default false
	Run       run.Control
}

// NewHardMargin returns the recipe with its defaults.
func NewHardMargin() HardMargin {
	return HardMargin{Tolerance: 1e-6, Zero: 1e-9, MaxPasses: 1000, Unit: 1}
}

// Validate reports every field that is out of range.
func (h HardMargin) Validate() error {
	const f = learn.Fields("hard margin")
	return errors.Join(f.NotNegative("tolerance", h.Tolerance), f.NotNegative("zero", h.Zero),
		f.AtLeast(1, "max passes", h.MaxPasses), f.NotNegative("unit", h.Unit))
}

// Certificate proves what a fit of HardMargin says: every unit vector u has a
// row with y(u·x) ≤ Bound, because Bound is the length of Σ α·y·x with α ≥ 0 and
// Σ α = 1. With Normalize x is the row divided by its length.
type Certificate struct {
	Row    []int     // rows with α > 0, in increasing order
	Alpha  []float64 // their α
	Bound  float64   // |Σ α·y·x|
	Margin float64   // least y(w·x)/|w| of the separator returned; not positive where it errs
}

// among returns the certificate with its rows numbered as they were before those
// of weight 0 were left out; nil leaves them.
func (c Certificate) among(live []int) Certificate {
	for k, i := range c.Row {
		if live != nil {
			c.Row[k] = live[i]
		}
	}
	return c
}

// Fit learns from d. The status is Converged when the margin is within
// Tolerance of its bound, and BelowTolerance when the bound is Zero times the
// longest row or less: that does not prove that nothing separates the rows. When
// passes, time or the precision of numbers run out neither is claimed; the
// separator is that of the largest margin seen.
// Objective is ½|w|² for the w with least y(w·x) = 1, Gap how far above the
// optimum that can be; both are 0 where no separator was found.
func (h HardMargin) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	s, _, report, err := h.Prove(ctx, d)
	return s, report, err
}

// Prove is Fit that also returns the proof.
func (h HardMargin) Prove(
	ctx context.Context, d data.Labeled[data.Vector, float64],
) (*Separator, Certificate, learn.Report, error) {
	began := time.Now()
	if err := h.Validate(); err != nil {
		return nil, Certificate{}, learn.Report{}, err
	}
	s, live, err := gatherLive(ctx, h.Run, d, h.Unit)
	if learn.Interrupted(ctx, err) {
		zero, report, err := untrained(ctx, d, h.Unit, began)
		return zero, Certificate{}, report, err
	}
	if err != nil {
		return nil, Certificate{}, learn.Report{}, err
	}
	if h.Normalize {
		s.normalize()
	}
	v := newHull(s)
	report := h.approach(ctx, v)
	c := v.certificate().among(live)
	w := v.best
	if c.Margin > 0 {
		w.scale(1 / v.least)
		report.Objective = w.length2() / 2
		report.Gap = max(0, report.Objective-1/(2*c.Bound*c.Bound))
	}
	report.Support = len(c.Row)
	report.Elapsed = time.Since(began)
	return w.separator(h.Unit), c, report, nil
}

// approach moves p to the origin until something is proved.
func (h HardMargin) approach(ctx context.Context, v *hull) learn.Report {
	report := learn.Report{Status: learn.IterationLimit}
	h.Run.Progress.Begin("train", int64(h.MaxPasses))
	defer h.Run.Progress.End()
	for report.Iterations < h.MaxPasses {
		v.scan(h.Run)
		report.Iterations++
		h.Run.Progress.Advance(int64(report.Iterations))
		length := math.Sqrt(v.p.length2())
		switch {
		case v.margin > 0 && v.margin >= (1-h.Tolerance)*length:
			report.Status = learn.Converged
			return report
		case length <= h.Zero*v.longest:
			report.Status = learn.BelowTolerance
			return report
		}
		if ctx.Err() != nil {
			report.Status = learn.Stopped(ctx)
			return report
		}
		if !v.descend(ctx, h.Zero*v.longest) && ctx.Err() == nil {
			return report // rounding leaves nothing to gain
		}
	}
	return report
}

// scale multiplies the weights by a.
func (v *weights) scale(a float64) {
	for j := range v.w {
		v.w[j] *= a
	}
	v.bias *= a
}
