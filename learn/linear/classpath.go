package linear

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// ClassPath fits a model of the same labelled rows for one C after another. Each
// fit starts from where the one before ended: Newton's method from its weights
// and its model of the Hessian, descent from its dual point scaled to the new C.
// Every fit meets the tolerance by itself, so that the penalties that went before
// change a model within its gap only; increasing C is fastest.
//
// It is a learn.Path with a choice of where to start.
type ClassPath struct {
	recipe  string
	classes int
	walk    walk
	begun   bool
}

// StartFrom makes the first fit start from the separators of a model of the same
// classes, one fitted to some of the rows for instance. Descent has no use for
// them and starts as it would without.
func (p *ClassPath) StartFrom(from []*Separator) error {
	if p.begun {
		return fmt.Errorf("%s: the path has begun, and takes no other start", p.recipe)
	}
	if want := learn.Separators(p.classes); len(from) != want {
		return fmt.Errorf("%s: the start has %d separators and must have %d", p.recipe, len(from), want)
	}
	for _, s := range from {
		if vmath.Finite(s.W) >= 0 || s.Bias-s.Bias != 0 {
			return fmt.Errorf("%s: the start has a weight that is not finite", p.recipe)
		}
	}
	p.walk.begin(from)
	return nil
}

// Next fits the model for c in place of the recipe's C. When ctx ends it is the
// best so far, and its status says so. Where ctx ends before all classes of a
// fit by descent have begun, there is no model and the error is the context's.
func (p *ClassPath) Next(
	ctx context.Context, c float64,
) (*learn.Multi[data.Vector, *Separator], learn.Report, error) {
	began := time.Now()
	if err := learn.Fields(p.recipe).Positive("C", c); err != nil {
		return nil, learn.Report{}, err
	}
	p.begun = true
	separators, reports, err := p.walk.next(ctx, c)
	if learn.Interrupted(ctx, err) {
		return nil, learn.Report{Status: learn.Stopped(ctx)}, err
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	m, err := learn.NewMulti[data.Vector](p.classes, separators)
	report := learn.Merge(reports...)
	report.Elapsed = time.Since(began)
	return m, report, err
}

// ClassPath returns the path of FitClasses through values of C. The field C is
// not used. When ctx ends while the rows are gathered its error comes back.
func (s SVM) ClassPath(ctx context.Context, d data.Labeled[data.Vector, int], classes int) (*ClassPath, error) {
	s.C = 1 // replaced by each penalty
	x, err := s.gatherClasses(ctx, d, classes)
	if err != nil {
		return nil, err
	}
	return s.classPath(ctx, x, d.Y, classes)
}

// gatherClasses checks the recipe and the labels and gathers the rows.
func (s SVM) gatherClasses(ctx context.Context, d data.Labeled[data.Vector, int], classes int) (*sample, error) {
	if err := errors.Join(s.Validate(), learn.Fields("svm").AtLeast(2, "classes", classes)); err != nil {
		return nil, err
	}
	if err := learn.CheckClasses(d.X.Len(), d.Y, d.Weight, classes); err != nil {
		return nil, err
	}
	return gatherWeighted(ctx, s.Run, d, s.Unit)
}

func (s SVM) classPath(ctx context.Context, x *sample, y []int, classes int) (*ClassPath, error) {
	label := make([][]float64, learn.Separators(classes))
	for k := range label {
		label[k] = learn.Against(nil, y, learn.PositiveClass(k, classes))
	}
	w, err := s.walk(ctx, x, label)
	return &ClassPath{recipe: "svm", classes: classes, walk: w}, err
}

// ClassPath returns the path of Fit through values of C, for labels that are the
// classes 0 and 1 instead of -1 and +1. The field C is not used.
func (l Logistic) ClassPath(ctx context.Context, d data.Labeled[data.Vector, int]) (*ClassPath, error) {
	l.C = 1
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if err := learn.CheckClasses(d.X.Len(), d.Y, d.Weight, 2); err != nil {
		return nil, err
	}
	x, err := gatherWeighted(ctx, l.Run, d, l.Unit)
	if err != nil {
		return nil, err
	}
	n := newton{tolerance: l.Tolerance, passes: l.MaxPasses, ctl: l.Run}
	run := func(ctx context.Context, f *primalFit, _ float64, cold bool) error { return f.run(ctx, n, cold) }
	w, err := newPrimalWalk(x, [][]float64{learn.Against(nil, d.Y, 1)}, logisticLoss{}, run, l.Seed, l.Run)
	return &ClassPath{recipe: "logistic", classes: 2, walk: w}, err
}

// ClassPath returns the path of Fit through values of C. The field C is not used.
func (s Softmax) ClassPath(ctx context.Context, d data.Labeled[data.Vector, int]) (*ClassPath, error) {
	s.C = 1
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := learn.CheckClasses(d.X.Len(), d.Y, d.Weight, s.Classes); err != nil {
		return nil, err
	}
	x, err := gatherWeighted(ctx, s.Run, d, s.Unit)
	if err != nil {
		return nil, err
	}
	w, err := s.walk(x, d.Y)
	return &ClassPath{recipe: "softmax", classes: s.Classes, walk: w}, err
}

// walk returns the way of the recipe through penalties.
func (s Softmax) walk(x *sample, y []int) (walk, error) {
	bytes := bytesOfPrimal(len(x.rows), x.dim, s.Classes)
	if err := s.Run.Reserve("softmax on so many rows, coordinates and classes", bytes,
		"map to fewer features, or train one class against the rest"); err != nil {
		return nil, err
	}
	return &softmaxWalk{softmax: s, o: newMultinomial(x, nil, y, s.Classes, s.Seed, s.Run),
		task: newTask(s.Classes*(x.dim+1), s.Classes*len(x.rows))}, nil
}
