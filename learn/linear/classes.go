package linear

import (
	"context"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// FitClasses learns many classes, one machine for each class against the rest,
// from labels that are class indices from 0 to classes-1. The model is that of
// learn.OneVsRest with this recipe, within the tolerance.
//
// Newton's method trains all classes in step with each other: each pass over
// the rows serves all of them, so that ten classes cost little more than one.
// Other solvers train the classes one by one, Run.Workers at a time.
//
// The report is the merge of the classes' reports. When ctx ends the model is
// made of the best so far of each class.
func (s SVM) FitClasses(
	ctx context.Context, d data.Labeled[data.Vector, int], classes int,
) (*learn.Multi[data.Vector, *Separator], learn.Report, error) {
	began := time.Now()
	x, err := s.gatherClasses(ctx, d, classes)
	if learn.Interrupted(ctx, err) {
		return nil, learn.Report{Status: learn.Stopped(ctx)}, err
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	p, err := s.classPath(ctx, x, d.Y, classes)
	if err != nil {
		return nil, learn.Report{}, err
	}
	m, report, err := p.Next(ctx, s.C)
	report.Elapsed = time.Since(began)
	return m, report, err
}
