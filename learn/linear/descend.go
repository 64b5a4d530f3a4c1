package linear

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
)

// Constants of the subspace steps, found by trial on problems of 60×4 to
// 20000×500: they bear on the time and not on what counts as converged.
const (
	firstWait  = 15  // sweeps before the first subspace step
	maxWait    = 256 // most sweeps between two subspace steps
	polishRows = 4   // rows that a subspace step may visit, as a multiple of all rows

	// lastTrust is what an estimate may be of the tolerance in the end, about, before the
	// gap is within it. It bears on what is said of the time left alone.
	lastTrust = 0.25
)

// descend sweeps until the gap is within the tolerance. It returns the weights
// at the end or, short of convergence, the evaluated ones with the smallest P.
//
// Three things bring the dual point near its end before the gap is asked for:
// stages of growing C, sweeps, and subspace steps as long as they pay.
func (s SVM) descend(ctx context.Context, d *descent) (*weights, learn.Report) {
	report := learn.Report{Status: learn.IterationLimit}
	best := incumbent{primal: math.Inf(1)}
	trust := 1.0 // an estimate counts as converged at trust·Tolerance
	pace := pace{wait: firstWait}
	stageEnd := s.stageEnd(0, d.c)
	first := 0.0 // times the gap is what the tolerance allows, when the last stage begins
	s.Run.Progress.Begin("train", int64(s.MaxPasses))
	defer s.Run.Progress.End()
	for report.Iterations < s.MaxPasses {
		before := d.dual()
		estimate, done := d.sweep(ctx, seed.Stream(s.Seed, seed.Shuffle, uint64(report.Iterations)))
		if !done {
			report.Status = learn.Stopped(ctx)
			break
		}
		report.Iterations++
		s.Run.Progress.Advance(int64(report.Iterations))
		after := d.dual()
		last := d.c == s.C
		if last {
			excess := estimate / (s.Tolerance * max(after+estimate, math.SmallestNonzeroFloat64))
			first = max(first, excess)
			s.Run.Progress.Approach(first, excess, lastTrust)
		}
		switch {
		case last && s.within(estimate/trust, after+estimate):
			// The estimate saw the active rows only, each at another w. The
			// gap decides, at a w free of accumulated rounding.
			d.refresh()
			primal, gap := d.evaluate(s.Run, s.C)
			if s.within(gap, primal) {
				return d.w, s.conclude(report, d, primal, gap)
			}
			best.offer(d.w, primal)
			trust /= 2
			d.restore()
		case !last && (estimate <= stageGap*(after+estimate) || report.Iterations >= stageEnd):
			primal, _ := d.evaluate(s.Run, s.C)
			best.offer(d.w, primal)
			d.rescale(min(stageRatio*d.c, s.C))
			stageEnd = s.stageEnd(report.Iterations, d.c)
		default:
			pace.polish(ctx, d, (after-before)/float64(d.active+1))
		}
	}
	d.c = s.C // what a stage has reached is feasible for a larger C as it is
	d.refresh()
	primal, gap := d.evaluate(s.Run, s.C)
	if best.primal < primal && !s.within(gap, primal) {
		// Any D bounds the gap of any w.
		return best.w, s.conclude(report, d, best.primal, max(0, gap-(primal-best.primal)))
	}
	return d.w, s.conclude(report, d, primal, gap)
}

// conclude fills in what a report says about the returned weights.
func (s SVM) conclude(r learn.Report, d *descent, primal, gap float64) learn.Report {
	if s.within(gap, primal) {
		r.Status = learn.Converged
	}
	r.Objective, r.Gap, r.Support = primal, gap, d.support()
	return r
}

// incumbent is the best of the weights that were evaluated.
type incumbent struct {
	w      *weights
	primal float64
}

// offer keeps a copy of w if its P is the smallest so far.
func (b *incumbent) offer(w *weights, primal float64) {
	if !(primal < b.primal) {
		return
	}
	if b.w == nil {
		b.w = newWeights(len(w.w))
	}
	b.w.copyFrom(w)
	b.primal = primal
}

// within reports whether a gap meets the tolerance at an objective. The
// smallest positive number stands in for an objective of 0.
func (s SVM) within(gap, primal float64) bool {
	return gap <= s.Tolerance*max(primal, math.SmallestNonzeroFloat64)
}

// pace decides when to take subspace steps: as long as they raise D more for
// each row visited than sweeps do, and ever more rarely while they do not.
type pace struct {
	idle int // sweeps since the last step
	wait int // sweeps to let pass
}

// polish takes a subspace step if one is due; rate is what the last sweep
// raised D by for each row.
func (p *pace) polish(ctx context.Context, d *descent, rate float64) {
	if p.idle < p.wait {
		p.idle++
		return
	}
	p.idle = 0
	before := d.dual()
	visited := d.polish(ctx, polishRows*len(d.rows))
	if visited > 0 && d.dual()-before > rate*float64(visited) {
		p.wait = 0
		return
	}
	p.wait = min(2*p.wait+1, maxWait)
}
