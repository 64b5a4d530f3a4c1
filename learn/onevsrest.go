package learn

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
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
	Learner    Learner[T, float64, M]
	Classes    int        // at least 2
	Checkpoint Checkpoint // of all classes, for a Learner that is a Keeper
	Run        run.Control
}

// Validate reports every fault of the recipe and of its Learner.
func (o OneVsRest[T, M]) Validate() error {
	return validateBinary("one versus rest", o.Learner, o.Classes, o.Checkpoint)
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
	if err := o.Validate(); err != nil {
		return nil, Report{}, err
	}
	if err := CheckClasses(d.X.Len(), d.Y, d.Weight, o.Classes); err != nil {
		return nil, Report{}, err
	}
	all := each[T, M]{name: "one versus rest", task: "classes", learner: o.Learner, ctl: o.Run,
		checkpoint: o.Checkpoint, n: Separators(o.Classes)}
	all.part = func(i int) (string, data.Labeled[T, float64]) {
		class := PositiveClass(i, o.Classes)
		return fmt.Sprintf("class %d against the rest", class), data.Labeled[T, float64]{X: d.X,
			Y: Against(nil, d.Y, class), Weight: d.Weight}
	}
	binary, report, err := all.fit(ctx)
	if err != nil {
		return nil, report, err
	}
	return &Multi[T, M]{classes: o.Classes, binary: binary}, report, nil
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
