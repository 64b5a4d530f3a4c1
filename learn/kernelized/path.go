package kernelized

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Path returns the path of Fit through values of C. The field C is not used. Each
// fit begins where the one before it ended, and all share the rows of K that are
// in memory. Checkpoint must not be set.
func (s SVM[T]) Path(d data.Labeled[T, float64]) (learn.Path[*Expansion[T]], error) {
	s, err := s.onPath(learn.CheckBinary(d.X.Len(), d.Y, d.Weight))
	if err != nil {
		return nil, err
	}
	return learn.PathFunc[*Expansion[T]](func(ctx context.Context, c float64) (*Expansion[T], learn.Report, error) {
		s.C = c
		return s.Fit(ctx, d)
	}), nil
}

// RestPath is Path for many classes, one separator a class against the rest, as
// FitRest has them.
func (s SVM[T]) RestPath(d data.Labeled[T, int], classes int) (learn.Path[*MultiExpansion[T]], error) {
	s, err := s.onPath(checkClasses("svm", d, classes))
	if err != nil {
		return nil, err
	}
	fit := func(ctx context.Context, c float64) (*MultiExpansion[T], learn.Report, error) {
		s.C = c
		return s.FitRest(ctx, d, classes)
	}
	return learn.PathFunc[*MultiExpansion[T]](fit), nil
}

// ClassPath is Path for many classes, one separator for each pair of them, as
// FitClasses has them. Rows of K are not shared.
func (s SVM[T]) ClassPath(d data.Labeled[T, int], classes int) (learn.Path[*PairExpansion[T]], error) {
	s, err := s.onPath(checkClasses("svm", d, classes))
	if err != nil {
		return nil, err
	}
	fit := func(ctx context.Context, c float64) (*PairExpansion[T], learn.Report, error) {
		s.C = c
		return s.FitClasses(ctx, d, classes)
	}
	return learn.PathFunc[*PairExpansion[T]](fit), nil
}

// onPath returns the recipe with what its fits share, and its faults with that of
// the sample.
func (s SVM[T]) onPath(sample error) (SVM[T], error) {
	s.C, s.warm = 1, newWarmth[T]() // C is replaced by each penalty
	return s, errors.Join(s.Validate(), s.machine().checkpointless(), sample)
}

// Path returns the path of Fit through values of C, as that of SVM.
func (s SVR[T]) Path(d data.Labeled[T, float64]) (learn.Path[*Regression[T]], error) {
	s.C, s.warm = 1, newWarmth[T]()
	if err := errors.Join(s.Validate(), s.machine().checkpointless(), checkTargets(d)); err != nil {
		return nil, err
	}
	return learn.PathFunc[*Regression[T]](func(ctx context.Context, c float64) (*Regression[T], learn.Report, error) {
		s.C = c
		return s.Fit(ctx, d)
	}), nil
}

func (m machine[T]) checkpointless() error {
	if m.checkpoint.On() {
		return fmt.Errorf("%s: checkpoints are for a single fit", m.name)
	}
	return nil
}

// warmth is what fits on the same sample leave to each other.
type warmth[T any] struct {
	rows   *rowStore[T]
	solved []start // by separator
}

// start is a solved dual with its scores.
type start struct {
	b, lo, hi []float64
	scores    []float64
}

func newWarmth[T any]() *warmth[T] { return &warmth[T]{rows: &rowStore[T]{keep: true}} }

// room makes room for the solutions of so many separators.
func (w *warmth[T]) room(separators int) {
	if w != nil && len(w.solved) < separators {
		w.solved = make([]start, separators)
	}
}

// begin puts the dual of a separator where the solution before it leads: all
// weights and their scores times the ratio of the penalties, which keeps the sums
// that are 0, the ranges, and who stands at a bound. It returns the scores, nil
// where there was no solution.
func (w *warmth[T]) begin(separator int, d *dual) []float64 {
	if w == nil || w.solved[separator].b == nil {
		return nil
	}
	from := w.solved[separator]
	ratio := 1.0
	for t := range d.b { // the ranges are those of another penalty all over
		if wide := from.hi[t] - from.lo[t]; wide > 0 {
			ratio = (d.hi[t] - d.lo[t]) / wide
			break
		}
	}
	for t, b := range from.b {
		switch b {
		case from.lo[t]:
			d.b[t] = d.lo[t]
		case from.hi[t]:
			d.b[t] = d.hi[t]
		default:
			d.b[t] = min(max(ratio*b, d.lo[t]), d.hi[t])
		}
	}
	scores := slices.Clone(from.scores)
	for i := range scores {
		scores[i] *= ratio
	}
	return scores
}

// end takes the solution of a separator over.
func (w *warmth[T]) end(separator int, s *solution) {
	if w != nil {
		w.solved[separator] = start{b: s.dual.b, lo: s.dual.lo, hi: s.dual.hi, scores: s.scores}
	}
}
