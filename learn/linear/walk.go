package linear

import (
	"context"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// A walk fits separators of the same rows and labels for one C after another,
// each from where the one before ended.
type walk interface {
	// next returns a separator for each column of labels, and its report. When
	// ctx ends they are the best so far.
	next(ctx context.Context, c float64) ([]*Separator, []learn.Report, error)
	// begin sets the weights that the first fit starts from, one separator for
	// each column of labels, where the method has a use for them.
	begin(from []*Separator)
}

// walk returns the way of the machine through penalties, for each column of labels.
func (s SVM) walk(ctx context.Context, x *sample, label [][]float64) (walk, error) {
	if s.solver(x, len(label)) == Newton {
		run := func(ctx context.Context, f *primalFit, c float64, cold bool) error {
			s.C = c
			return s.runNewton(ctx, f, cold)
		}
		return newPrimalWalk(x, label, s.curve(), run, s.Seed, s.Run)
	}
	packed, order := x.pack(ctx, s.Run, s.Seed)
	w := &dualWalk{svm: s, machine: s.machine(packed), rows: make([]*sample, len(label)),
		dual: make([]*descent, len(label))}
	for k, y := range label {
		rows := *packed
		rows.y = inOrder(y, order)
		w.rows[k] = &rows
	}
	return w, nil
}

// primalWalk goes by Newton's method, from the weights of the fit before and its
// model of the Hessian.
type primalWalk struct {
	*primalFit
	curve curve
	run   func(ctx context.Context, f *primalFit, c float64, cold bool) error
	warm  bool
}

func newPrimalWalk(
	x *sample, label [][]float64, loss curve, run func(context.Context, *primalFit, float64, bool) error,
	seed uint64, ctl run.Control,
) (walk, error) {
	f, err := newPrimalFit(x, nil, label, loss, seed, ctl)
	if err != nil {
		return nil, err
	}
	return &primalWalk{primalFit: f, curve: loss, run: run}, nil
}

func (w *primalWalk) begin(from []*Separator) {
	for k, s := range from {
		copy(w.tasks[k].now.w[:w.p.dim], s.W)
		w.tasks[k].now.w[w.p.dim] = s.Bias
	}
	w.warm = len(from) > 0
}

func (w *primalWalk) next(ctx context.Context, c float64) ([]*Separator, []learn.Report, error) {
	began := time.Now()
	w.p.penalty, w.p.loss = penalties(c, w.p.weight, len(w.p.rows)), w.curve
	w.reopen()
	if err := w.run(ctx, w.primalFit, c, !w.warm); err != nil {
		return nil, nil, err
	}
	w.warm = true
	separators := make([]*Separator, len(w.tasks))
	for k := range separators {
		separators[k] = w.separator(k)
		w.reports[k].Elapsed = time.Since(began)
	}
	return separators, w.reports, nil
}

// dualWalk goes by coordinate descent, from the dual point of the fit before,
// scaled to the new C. Several columns of labels are fitted one by one,
// Run.Workers at a time.
type dualWalk struct {
	svm     SVM
	machine machine
	rows    []*sample // the same rows, each with its labels
	dual    []*descent
}

// begin does nothing: weights say nothing of a dual point.
func (w *dualWalk) begin([]*Separator) {}

func (w *dualWalk) next(ctx context.Context, c float64) ([]*Separator, []learn.Report, error) {
	s := w.svm
	s.C = c
	if len(w.rows) == 1 {
		separator, report := w.fit(ctx, s, 0)
		return []*Separator{separator}, []learn.Report{report}, nil
	}
	separators, reports := make([]*Separator, len(w.rows)), make([]learn.Report, len(w.rows))
	s.Run = s.Run.Quiet()
	s.Run.Workers = 1
	err := par.For(ctx, w.svm.Run, "classes", len(w.rows), func(k int) error {
		separators[k], reports[k] = w.fit(ctx, s, k)
		return nil
	})
	if slices.Contains(separators, nil) { // ctx ended before all had begun
		return nil, nil, err
	}
	return separators, reports, nil
}

// fit goes to the next C with column k.
func (w *dualWalk) fit(ctx context.Context, s SVM, k int) (*Separator, learn.Report) {
	began := time.Now()
	if d := w.dual[k]; d != nil {
		d.rescale(min(s.C, stageRatio*d.c))
	} else {
		w.dual[k] = newDescent(w.rows[k], w.machine, s.C, nil)
	}
	v, report := s.descend(ctx, w.dual[k])
	report.Elapsed = time.Since(began)
	return v.separator(s.Unit), report
}

// softmaxWalk is primalWalk for Softmax, which has one task for all classes.
type softmaxWalk struct {
	softmax Softmax
	o       *multinomial
	task    *task
	warm    bool
}

func (w *softmaxWalk) begin(from []*Separator) {
	if len(from) != w.softmax.Classes {
		return // one separator stands for two classes, and not for the weights of each
	}
	for k, s := range from {
		v := w.o.of(w.task.now.w, k)
		copy(v[:w.o.dim], s.W)
		v[w.o.dim] = s.Bias
	}
	w.warm = true
}

func (w *softmaxWalk) next(ctx context.Context, c float64) ([]*Separator, []learn.Report, error) {
	began, s, t := time.Now(), w.softmax, w.task
	s.C = c
	n := newton{tolerance: s.Tolerance, passes: s.MaxPasses, ctl: s.Run}
	n.ctl.Progress.Begin("train", int64(n.passes))
	defer n.ctl.Progress.End()
	w.o.penalty = penalties(c, w.o.weight, len(w.o.rows))
	t.done, t.stuck, t.forced = false, false, loosest
	report := learn.Report{Status: learn.Stopped(ctx)}
	first := ctx
	if w.warm { // what is reported must be true of the weights; those of 0 are known
		first = context.WithoutCancel(ctx)
	}
	if w.o.evaluate(first, []*task{t}, (*task).current) == nil {
		report.Iterations, report.Status = n.run(ctx, w.o, []*task{t})
		report.Iterations++
		w.warm = true
	} else {
		clear(t.now.g)
		t.now.meant = s.atZero(w.o.penalty)
		t.now.excess = t.now.meant
	}
	report.Objective, report.Gap, report.Gradient = t.now.meant, t.now.gap(), norm(t.now.g)
	report.Elapsed = time.Since(began)
	return s.separators(t.now.w, w.o.dim), []learn.Report{report}, nil
}
