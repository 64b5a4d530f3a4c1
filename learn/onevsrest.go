package learn

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Separator is a fitted model of a binary problem.
type Separator[T any] interface {
	Predictor[T, float64]
	Scorer[T]
}

// OneVsRest learns many classes by a binary learner: for each class k it fits
// a separator of the rows of class k (+1) from all others (-1), and predicts
// the class whose separator scores highest. Two classes need one fit: class 1
// against class 0, whose score is the negative (Rifkin and Klautau 2004).
//
// The classes are fitted in parallel, Run.Workers at a time, and the result is
// the same for any number of workers. Progress belongs in Run, which counts
// classes; a Learner that reports its own would be heard from several
// goroutines at once. Cost: one fit of the Learner a class.
type OneVsRest[T any, M Separator[T]] struct {
	Learner Learner[T, float64, M]
	Classes int // at least 2
	Run     run.Control
}

// Validate reports every fault of the recipe and of its Learner.
func (o OneVsRest[T, M]) Validate() error {
	var faults []error
	if o.Classes < 2 {
		faults = append(faults, fmt.Errorf("one versus rest: classes is %d and must be at least 2", o.Classes))
	}
	if o.Learner == nil {
		faults = append(faults, errors.New("one versus rest: learner is missing"))
	} else {
		faults = append(faults, o.Learner.Validate())
	}
	return errors.Join(faults...)
}

// Fit learns from d, whose labels are class indices from 0 to Classes-1, each
// of which must occur. The report is the Merge of the classes' reports with
// Elapsed the wall-clock time.
//
// When ctx ends while every class has at least begun, the model is made of the
// best so far of each and the error is nil. When it ends before, there is no
// model, because a class without a separator has no score to compare: the
// report says Cancelled or TimeLimit and the error wraps the context's.
func (o OneVsRest[T, M]) Fit(ctx context.Context, d data.Labeled[T, int]) (*Multi[T, M], Report, error) {
	start := time.Now()
	if err := o.Validate(); err != nil {
		return nil, Report{}, err
	}
	if err := CheckClasses(d.X.Len(), d.Y, o.Classes); err != nil {
		return nil, Report{}, err
	}
	binary := make([]M, Separators(o.Classes))
	reports := make([]Report, len(binary))
	var fitted atomic.Int64
	err := par.For(ctx, o.Run, "classes", len(binary), func(i int) error {
		class := PositiveClass(i, o.Classes)
		y := Against(nil, d.Y, class)
		m, r, err := o.Learner.Fit(ctx, data.Labeled[T, float64]{X: d.X, Y: y})
		if err != nil {
			return fmt.Errorf("class %d against the rest: %w", class, err)
		}
		binary[i], reports[i] = m, r
		fitted.Add(1)
		return nil
	})
	if err == nil {
		r := Merge(reports...)
		r.Elapsed = time.Since(start)
		return &Multi[T, M]{classes: o.Classes, binary: binary}, r, nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("one versus rest: stopped with %d of %d separators: %w", fitted.Load(), len(binary), err)
		return nil, Report{Status: Stopped(ctx), Elapsed: time.Since(start)}, err
	}
	return nil, Report{}, err
}

// Separators returns how many separators tell the given number of classes
// apart: one for two classes, otherwise one each.
func Separators(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// PositiveClass returns the class that separator i has on its positive side:
// class 1 for the only separator of two classes, otherwise class i.
func PositiveClass(i, classes int) int {
	if classes == 2 {
		return 1
	}
	return i
}

// Against writes the labels of class against the rest into dst, +1 for the
// class and -1 for all others, and returns it. It allocates where dst is short.
func Against(dst []float64, y []int, class int) []float64 {
	if len(dst) < len(y) {
		dst = make([]float64, len(y))
	}
	for i, c := range y {
		dst[i] = -1
		if c == class {
			dst[i] = 1
		}
	}
	return dst[:len(y)]
}
