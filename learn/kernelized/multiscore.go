package kernelized

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/run"
)

// ScoresAll returns the scores of many instances, a row each with a column a
// class, in tiles of K on all cores and in the precision of the controls. The
// last digits can differ from those of Scores.
func (e *MultiExpansion[T]) ScoresAll(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	if err := ctl.Reserve("scores", 16*float64(x.Len())*float64(e.Classes()), "score fewer rows at a time"); err != nil {
		return nil, err
	}
	byClass := data.NewMatrix(e.Classes(), x.Len())
	if e.Weight.Rows > 0 {
		columns := gram.BindPrecision(e.Kernel, e.Support, ctl.Precision)
		if err := columns.ProductMany(ctx, ctl, byClass, x, transposed(e.Weight)); err != nil {
			return nil, err
		}
	}
	for k, b := range e.Bias {
		row := byClass.Row(k)
		for i := range row {
			row[i] += b
		}
	}
	return transposed(byClass), nil
}

// PredictAll returns the classes of many instances, by ScoresAll.
func (e *MultiExpansion[T]) PredictAll(ctx context.Context, ctl run.Control, x data.Source[T]) ([]int, error) {
	scores, err := e.ScoresAll(ctx, ctl, x)
	if err != nil {
		return nil, err
	}
	classes := make([]int, x.Len())
	for i := range classes {
		best := math.Inf(-1)
		for k, s := range scores.Row(i) {
			if s > best {
				classes[i], best = k, s
			}
		}
	}
	return classes, nil
}
