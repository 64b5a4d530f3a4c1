package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Program finds a separator without errors by linear programming, as the papers
// do for data without noise:
//
//	max_{w,t}  t   with  y(w·x) ≥ t on all rows and |w_j| ≤ 1
//
// with x and w extended by the constant coordinate. A solution with t > 0
// separates the classes; where the optimum is 0 nothing does. The dual program,
//
//	min_α  |Σ α·y·x|₁   with  α ≥ 0 and Σ α = 1,
//
// has one equation a coordinate, whatever the number of rows. It is solved by
// the simplex method (Dantzig) with an explicit inverse of the basis and Bland's
// rule where steps stall. What comes back is checked on the data: the margin is
// that of w as it is, and the bound |Σ α·y·x|₁ for the α found holds for every w
// by itself, however the α were found. Rows of weight 0 are left out, and all
// other weights are the same.
//
// Cost: O(n·d + d²) a step, mostly one to five steps a coordinate. It is meant
// for up to ProgramLimit coordinates; beyond, HardMargin finds a separator in
// time linear in the coordinates.
type Program struct {
	Feasible  bool    // stop at the first separator found, whatever its margin; default false
	Tolerance float64 // how far t may be below its bound, relative to it, at least 0; default 1e-6
	Zero      float64 // bound relative to the largest coordinate that counts as none, at least 0; default 1e-9
	MaxSteps  int     // steps of the simplex method, at least 1; default 100000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Run       run.Control
}

// ProgramLimit is the largest number of coordinates, the constant one included,
// that Program takes: about a minute on two cores, with a few thousand rows.
const ProgramLimit = 1024

// NewProgram returns the recipe with its defaults.
func NewProgram() Program {
	return Program{Tolerance: 1e-6, Zero: 1e-9, MaxSteps: 100000, Unit: 1}
}

// Validate reports every field that is out of range.
func (p Program) Validate() error {
	const f = learn.Fields("program")
	return errors.Join(f.NotNegative("tolerance", p.Tolerance), f.NotNegative("zero", p.Zero),
		f.AtLeast(1, "max steps", p.MaxSteps), f.NotNegative("unit", p.Unit))
}

// Fit learns from d. The status is Converged when the margin is within
// Tolerance of its bound, or positive if Feasible is set, and BelowTolerance when
// the bound is Zero times the largest coordinate or less and no separator was
// seen. When steps, time or the precision of numbers run out neither is claimed;
// the separator is that of the largest margin seen. Where it separates it is
// scaled so that the least y(w·x) is 1. Objective is the margin, the least
// y(w·x)/max|w_j|, and Gap how far below the optimum it can be; Iterations are
// steps.
func (p Program) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	s, _, report, err := p.Prove(ctx, d)
	return s, report, err
}

// Prove is Fit that also returns the proof. Unlike that of HardMargin it is in
// terms of the largest weight and not of |w|: every w with |w_j| ≤ 1 has a row
// with y(w·x) ≤ Bound = |Σ α·y·x|₁, and Margin is the least y(w·x)/max|w_j|.
func (p Program) Prove(
	ctx context.Context, d data.Labeled[data.Vector, float64],
) (*Separator, Certificate, learn.Report, error) {
	began := time.Now()
	if err := p.Validate(); err != nil {
		return nil, Certificate{}, learn.Report{}, err
	}
	s, live, err := gatherLive(ctx, p.Run, d, p.Unit)
	if learn.Interrupted(ctx, err) {
		zero, report, err := untrained(ctx, d, p.Unit, began)
		return zero, Certificate{}, report, err
	}
	if err != nil {
		return nil, Certificate{}, learn.Report{}, err
	}
	if size := s.dim + 1; size > ProgramLimit {
		err := fmt.Errorf("program: there are %d coordinates with the constant one and at most %d can be solved for; "+
			"use the hard-margin machine", size, ProgramLimit)
		return nil, Certificate{}, learn.Report{}, err
	}
	size := float64(s.dim + 2)
	if err := p.Run.Reserve("the basis of the linear program", 4*8*size*size, "use the hard-margin machine"); err != nil {
		return nil, Certificate{}, learn.Report{}, err
	}
	v := newSimplex(s)
	report := p.solve(ctx, v)
	c := v.certificate().among(live)
	report.Objective, report.Gap = c.Margin, max(0, c.Bound-c.Margin)
	report.Support = len(c.Row)
	if c.Margin > 0 && 1/c.Margin < math.MaxFloat64 {
		v.best.scale(1 / c.Margin)
	}
	report.Elapsed = time.Since(began)
	return v.best.separator(p.Unit), c, report, nil
}

// solve steps until something is proved.
func (p Program) solve(ctx context.Context, v *simplex) learn.Report {
	report := learn.Report{Status: learn.IterationLimit}
	p.Run.Progress.Begin("train", int64(p.MaxSteps))
	defer p.Run.Progress.End()
	for report.Iterations < p.MaxSteps {
		enter, err := v.price(ctx, p.Run)
		if err != nil {
			report.Status = learn.Stopped(ctx)
			return report
		}
		report.Iterations++
		p.Run.Progress.Advance(int64(report.Iterations))
		if p.Feasible && v.separates() {
			report.Status = learn.Converged
			return report
		}
		if enter < 0 || report.Iterations%stepsPerCheck == 0 {
			if status := p.proved(v); status != "" {
				report.Status = status
				return report
			}
			if sound, err := v.refresh(ctx, p.Run); err != nil {
				report.Status = learn.Stopped(ctx)
				return report
			} else if !sound || enter < 0 && !v.refreshed {
				return report // rounding leaves nothing to gain
			}
			continue
		}
		if !v.step(enter) {
			return report
		}
	}
	return report
}

// proved returns what is proved so far, if anything.
func (p Program) proved(v *simplex) learn.Status {
	c := v.certificate()
	switch {
	case v.separates() && c.Margin >= (1-p.Tolerance)*c.Bound:
		return learn.Converged
	case !v.separates() && c.Bound <= p.Zero*v.largest:
		return learn.BelowTolerance
	}
	return ""
}
