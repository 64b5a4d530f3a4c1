package kernelized

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// FitPath learns from d for each price of cs in turn; the field C is not used.
// Each fit begins where the one before it ended, and all share the rows of K that
// are in memory, so that prices that grow by and by take few steps each. Each
// meets Tolerance by itself: it is what Fit would have found within the gap.
//
// When ctx ends, the fits from there on are as far as they got. Checkpoint must
// not be set.
func (s SVM[T]) FitPath(ctx context.Context, d data.Labeled[T, float64], cs []float64) ([]*Expansion[T], []learn.Report, error) {
	if err := errors.Join(s.machine().checkPath(cs), s.at(1).Validate()); err != nil {
		return nil, nil, err
	}
	return fitPath(ctx, cs, s.Along(d))
}

// at returns the recipe for a price.
func (s SVM[T]) at(c float64) SVM[T] {
	s.C = c
	return s
}

// fitPath fits at each price in turn.
func fitPath[M any](ctx context.Context, cs []float64, fit func(context.Context, float64) (M, learn.Report, error)) ([]M, []learn.Report, error) {
	models, reports := make([]M, len(cs)), make([]learn.Report, len(cs))
	for k, c := range cs {
		var err error
		if models[k], reports[k], err = fit(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	return models, reports, nil
}

// checkPath reports what is wrong with the prices of a path, and a checkpoint.
func (m machine[T]) checkPath(cs []float64) error {
	faults := []error{m.checkpointless()}
	if len(cs) == 0 {
		faults = append(faults, fmt.Errorf("%s: there are no values of C", m.name))
	}
	for _, c := range cs {
		faults = append(faults, m.positive("C", c))
	}
	return errors.Join(faults...)
}

func (m machine[T]) checkpointless() error {
	if m.checkpoint.Save != nil || m.checkpoint.From != nil {
		return fmt.Errorf("%s: checkpoints are for a single fit", m.name)
	}
	return nil
}

// Along returns a function that learns from d at the price it is given, as Fit
// does with that C. A call begins where the one before it ended, and the calls
// share the rows of K that are in memory. It is FitPath for a caller that looks at
// each model before it goes on. It serves one goroutine at a time.
func (s SVM[T]) Along(d data.Labeled[T, float64]) func(ctx context.Context, c float64) (*Expansion[T], learn.Report, error) {
	s.warm = newWarmth[T]()
	return func(ctx context.Context, c float64) (*Expansion[T], learn.Report, error) {
		if err := s.machine().checkpointless(); err != nil {
			return nil, learn.Report{}, err
		}
		return s.at(c).Fit(ctx, d)
	}
}

// AlongRest is Along for many classes, one separator a class against the rest, as
// FitRest has them.
func (s SVM[T]) AlongRest(d data.Labeled[T, int], classes int) func(ctx context.Context, c float64) (*MultiExpansion[T], learn.Report, error) {
	s.warm = newWarmth[T]()
	return func(ctx context.Context, c float64) (*MultiExpansion[T], learn.Report, error) {
		return s.at(c).FitRest(ctx, d, classes)
	}
}

// AlongClasses is Along for many classes, one separator for each pair of them, as
// FitClasses has them. Rows are not shared.
func (s SVM[T]) AlongClasses(d data.Labeled[T, int], classes int) func(ctx context.Context, c float64) (*PairExpansion[T], learn.Report, error) {
	s.warm = newWarmth[T]()
	return func(ctx context.Context, c float64) (*PairExpansion[T], learn.Report, error) {
		return s.at(c).FitClasses(ctx, d, classes)
	}
}

// FitPath learns from d for each price of cs in turn, as that of SVM.
func (s SVR[T]) FitPath(ctx context.Context, d data.Labeled[T, float64], cs []float64) ([]*Regression[T], []learn.Report, error) {
	if err := errors.Join(s.machine().checkPath(cs), s.at(1).Validate()); err != nil {
		return nil, nil, err
	}
	return fitPath(ctx, cs, s.Along(d))
}

// at returns the recipe for a price.
func (s SVR[T]) at(c float64) SVR[T] {
	s.C = c
	return s
}

// Along returns a function that learns from d at the price it is given, as that
// of SVM.
func (s SVR[T]) Along(d data.Labeled[T, float64]) func(ctx context.Context, c float64) (*Regression[T], learn.Report, error) {
	s.warm = newWarmth[T]()
	return func(ctx context.Context, c float64) (*Regression[T], learn.Report, error) {
		if err := s.machine().checkpointless(); err != nil {
			return nil, learn.Report{}, err
		}
		return s.at(c).Fit(ctx, d)
	}
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
// weights and their scores times the ratio of the prices, which keeps the sums
// that are 0, the ranges, and who stands at a bound. It returns the scores, nil
// where there was no solution.
func (w *warmth[T]) begin(separator int, d *dual) []float64 {
	if w == nil || w.solved[separator].b == nil {
		return nil
	}
	from := w.solved[separator]
	ratio := 1.0
	for t := range d.b { // the ranges are those of another price all over
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
