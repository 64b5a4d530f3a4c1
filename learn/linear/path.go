package linear

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Path returns the path of Fit through values of C. The field C is not used. Each
// fit starts from the dual point of the one before, scaled to its C, or from the
// weights and the model of the Hessian where Newton's method is used. When ctx
// ends while the rows are gathered its error comes back.
func (s SVM) Path(ctx context.Context, d data.Labeled[data.Vector, float64]) (learn.Path[*Separator], error) {
	s.C = 1 // replaced by each penalty
	if err := s.Validate(); err != nil {
		return nil, err
	}
	x, err := gather(ctx, s.Run, d, s.Unit)
	if err != nil {
		return nil, err
	}
	w, err := s.walk(ctx, x, [][]float64{d.Y})
	if err != nil {
		return nil, err
	}
	return learn.PathFunc[*Separator](func(ctx context.Context, c float64) (*Separator, learn.Report, error) {
		if err := learn.Fields("svm").Positive("C", c); err != nil {
			return nil, learn.Report{}, err
		}
		separators, reports, err := w.next(ctx, c)
		if err != nil {
			return nil, learn.Report{}, err
		}
		return separators[0], reports[0], nil
	}), nil
}
