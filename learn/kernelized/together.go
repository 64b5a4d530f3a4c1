package kernelized

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// together is a recipe that learns several labellings of one sample in the same
// passes over it.
type together[T any] struct {
	name   string
	kernel kernel.Kernel[T]
	faults error // of the recipe
	whole  bool  // a weight is that many instances, and not given to train
	ctl    run.Control

	// train returns the weights of each labelling, a row of y and of the result.
	train func(ctx context.Context, x data.Source[T], y *data.Matrix, weight []float64) (
		*data.Matrix, learn.Report, error)
}

// two learns labels +1 and -1.
func (l together[T]) two(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(l.faults, learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	var err error
	if l.whole {
		if d, err = learn.Repeated(l.ctl, d); err != nil {
			return nil, learn.Report{}, err
		}
	}
	weight, report, err := l.train(ctx, d.X, rowMatrix(d.Y), d.Weight)
	if err != nil {
		return nil, learn.Report{}, err
	}
	e := expansionOf(l.kernel, d.X, weight.Row(0))
	report.Support, report.Elapsed = len(e.Weight), time.Since(start)
	return e, report, nil
}

// many learns one separator a class against the rest, a single one for two
// classes.
func (l together[T]) many(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(l.faults, checkClasses(l.name, d, classes)); err != nil {
		return nil, learn.Report{}, err
	}
	var err error
	if l.whole {
		if d, err = learn.Repeated(l.ctl, d); err != nil {
			return nil, learn.Report{}, err
		}
	}
	weight, report, err := l.train(ctx, d.X, against(d.Y, classes), d.Weight)
	if err != nil {
		return nil, learn.Report{}, err
	}
	e := multiExpansionOf(l.kernel, d.X, perClass(weight, classes))
	report.Support, report.Elapsed = e.Weight.Rows, time.Since(start)
	return e, report, nil
}

// counted calls f with a control that counts kernel evaluations from 0, adds them
// to those of the run, and returns them.
func counted(ctl run.Control, f func(run.Control) error) (int64, error) {
	var counter run.Counter
	own := ctl
	own.Counter = &counter
	err := f(own)
	ctl.Counter.Add(counter.Count())
	return counter.Count(), err
}
