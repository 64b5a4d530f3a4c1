package linear

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Step is one fit along a path of penalties.
type Step struct {
	C         float64
	Separator *Separator
	Report    learn.Report
}

// Path fits the machine for each C of cs in turn, in place of the field C.
// Each fit starts from the dual point of the one before, scaled to its
// penalty, or from the weights and the model of the Hessian where Newton's method
// is used; increasing C is fastest. Each step meets Tolerance by itself, so that the order of cs
// changes results within the gap only.
//
// When ctx ends the path ends with the step it was in, whose status says so.
func (s SVM) Path(ctx context.Context, d data.Labeled[data.Vector, float64], cs []float64) ([]Step, error) {
	faults := []error{}
	for _, c := range cs {
		faults = append(faults, checkPenalty(c))
	}
	s.C = 1 // replaced by each of cs
	if err := errors.Join(append(faults, s.Validate())...); err != nil {
		return nil, err
	}
	if err := checkWeights("svm", s.Weight, d.X.Len()); err != nil {
		return nil, err
	}
	if len(cs) == 0 {
		return nil, nil
	}
	began := time.Now()
	sample, err := gather(ctx, s.Run, d, s.Unit)
	if stopped(ctx, err) {
		s.C = cs[0]
		separator, report := s.untrained(ctx, d)
		report.Elapsed = time.Since(began)
		return []Step{{C: s.C, Separator: separator, Report: report}}, nil
	}
	if err != nil {
		return nil, err
	}
	var steps []Step
	if s.solver(sample, 1) == Newton {
		return s.pathNewton(ctx, sample, d.Y, cs)
	}
	sample, order := sample.pack(ctx, s.Run, s.Seed)
	dual := newDescent(sample, s.machine(order), cs[0], nil)
	for i, c := range cs {
		if i > 0 {
			dual.rescale(min(c, stageRatio*dual.c))
		}
		s.C = c
		w, report := s.descend(ctx, dual)
		report.Elapsed = time.Since(began)
		steps = append(steps, Step{C: c, Separator: w.separator(s.Unit), Report: report})
		if ctx.Err() != nil && report.Status != learn.Converged {
			break
		}
		began = time.Now()
	}
	return steps, nil
}
