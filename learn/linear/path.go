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
	w, err := s.walk(ctx, sample, [][]float64{d.Y})
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, c := range cs {
		separators, reports, err := w.next(ctx, c)
		if err != nil {
			return nil, err
		}
		report := reports[0]
		report.Elapsed = time.Since(began)
		steps = append(steps, Step{C: c, Separator: separators[0], Report: report})
		if ctx.Err() != nil && report.Status != learn.Converged {
			break
		}
		began = time.Now()
	}
	return steps, nil
}
