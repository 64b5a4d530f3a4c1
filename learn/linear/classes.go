package linear

import (
	"context"
	"errors"
	"fmt"
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
func (s SVM) FitClasses(ctx context.Context, d data.Labeled[data.Vector, int], classes int) (*learn.Multi[data.Vector, *Separator], learn.Report, error) {
	began := time.Now()
	n := d.X.Len()
	var few error
	if classes < 2 {
		few = fmt.Errorf("svm: classes is %d and must be at least 2", classes)
	}
	if err := errors.Join(s.Validate(), checkWeights("svm", s.Weight, n), few); err != nil {
		return nil, learn.Report{}, err
	}
	if err := learn.CheckClasses(n, d.Y, classes); err != nil {
		return nil, learn.Report{}, err
	}
	x, err := gatherRows(ctx, s.Run, d.X, s.Unit)
	if err != nil {
		return nil, learn.Report{Status: learn.Stopped(ctx)}, err
	}
	if s.solver(x, learn.Separators(classes)) != Newton {
		one := s
		one.Run = s.Run.Quiet()
		if classes > 2 {
			one.Run.Workers = 1
		}
		return learn.OneVsRest[data.Vector, *Separator]{Learner: one, Classes: classes, Run: s.Run}.Fit(ctx, d)
	}
	label := make([][]float64, learn.Separators(classes))
	for k := range label {
		label[k] = learn.Against(nil, d.Y, learn.PositiveClass(k, classes))
	}
	f, err := s.fitNewton(ctx, x, label, nil)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return f.multi(classes, began)
}

// multi returns the model of all tasks and the merge of their reports.
func (f *primalFit) multi(classes int, began time.Time) (*learn.Multi[data.Vector, *Separator], learn.Report, error) {
	separators := make([]*Separator, len(f.tasks))
	for k := range separators {
		separators[k] = f.separator(k)
	}
	m, err := learn.NewMulti[data.Vector](classes, separators)
	report := learn.Merge(f.reports...)
	report.Elapsed = time.Since(began)
	return m, report, err
}
