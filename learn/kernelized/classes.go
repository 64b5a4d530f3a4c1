package kernelized

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// FitClasses learns many classes, one separator for each pair of them on the
// rows of the two, and predicts by vote, as LIBSVM does. Each separator is what
// Fit would have found.
//
// The pairs are fitted in parallel. The report is the Merge of their reports,
// but Support counts the instances that weigh in any pair. When ctx ends before
// every pair has begun there is no model: the report says so and the error wraps
// the context's. Checkpoint keeps the pairs that are done, and the state of those
// under way.
func (s SVM[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*PairExpansion[T], learn.Report, error) {
	start := time.Now()
	weight, err := s.checkClasses(d, classes)
	if err != nil {
		return nil, learn.Report{}, err
	}
	members := learn.Members(d.Y, classes)
	pairs := learn.Pairs(classes)
	solved := make([]*part, pairs)
	s.warm.room(pairs)
	outer, m := s.Run, s.machine()
	parts, err := m.split(pairs)
	if err != nil {
		return nil, learn.Report{}, err
	}
	m.ctl = m.ctl.Quiet()
	if pairs >= 2*outer.Cores() {
		m.ctl = m.ctl.Share(outer.Cores())
		m.ctl.Workers = 1
	} else {
		outer.Workers = 1
	}
	var fitted atomic.Int64
	err = par.For(ctx, outer, "pairs", pairs, func(p int) error {
		i, j := learn.PairAt(p, classes)
		index, y := learn.Between(members, i, j)
		w := make([]float64, len(index))
		for k, row := range index {
			w[k] = weight[row]
		}
		one, err := m.solvePart(ctx, parts, p, data.Subset[T]{Of: d.X, Index: index}, hingeDual(y, w, s.C, all), s.warm)
		if err != nil {
			return fmt.Errorf("class %d against class %d: %w", i, j, err)
		}
		for k, at := range one.index {
			one.index[k] = index[at]
		}
		solved[p] = one
		fitted.Add(1)
		return nil
	})
	if err != nil {
		if learn.Interrupted(ctx, err) {
			err = fmt.Errorf("svm: stopped with %d of %d separators: %w", fitted.Load(), pairs, err)
			return nil, learn.Report{Status: learn.Stopped(ctx), Elapsed: time.Since(start)}, err
		}
		return nil, learn.Report{}, err
	}
	e, report := s.joinPairs(d, members, solved)
	report.Elapsed = time.Since(start)
	return e, report, nil
}

// checkClasses reports every fault of recipe and sample, and returns the weights
// of the instances.
func (s SVM[T]) checkClasses(d data.Labeled[T, int], classes int) ([]float64, error) {
	err := errors.Join(s.Validate(), checkClasses("svm", d, classes))
	return learn.Weights(d.X.Len(), d.Weight), err
}

// joinPairs puts the solutions of all pairs together, the support sorted by
// class. Their indices are those of the sample.
func (s SVM[T]) joinPairs(d data.Labeled[T, int], members [][]int, solved []*part) (*PairExpansion[T], learn.Report) {
	classes := len(members)
	rows := make([][]float64, len(d.Y)) // the weights of a row in the pairs of its class
	e := &PairExpansion[T]{Kernel: s.Kernel, First: make([]int, classes+1), Bias: make([]float64, len(solved))}
	reports := make([]learn.Report, len(solved))
	for p, one := range solved {
		i, j := learn.PairAt(p, classes)
		e.Bias[p], reports[p] = one.bias, one.report
		for k, row := range one.index {
			if rows[row] == nil {
				rows[row] = make([]float64, classes-1)
			}
			rows[row][opponent(d.Y[row], i+j-d.Y[row])] = one.weight[k]
		}
	}
	support := []int{}
	for c, rowsOf := range members {
		for _, row := range rowsOf {
			if rows[row] != nil {
				support = append(support, row)
			}
		}
		e.First[c+1] = len(support)
	}
	e.Support = take(d.X, support)
	e.Weight = data.NewMatrix(len(support), classes-1)
	for k, row := range support {
		copy(e.Weight.Row(k), rows[row])
	}
	report := learn.Merge(reports...)
	report.Support = len(support)
	return e, report
}

// opponent returns the place of class other among the opponents of class c.
func opponent(c, other int) int {
	if other > c {
		return other - 1
	}
	return other
}

// FitRest learns many classes, one separator a class against the rest, a single
// one for two classes, and predicts the class of the highest score. The classes
// are fitted one after the other and share the rows of K that are in memory.
// Each separator is what Fit would have found.
//
// The report is the Merge of the separators' reports, but Support counts the
// instances that weigh in any class. When ctx ends, the classes that were not
// reached have a score of 0. Checkpoint keeps the classes that are done, and the
// state of the one under way.
func (s SVM[T]) FitRest(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	start := time.Now()
	weight, err := s.checkClasses(d, classes)
	if err != nil {
		return nil, learn.Report{}, err
	}
	m := s.machine()
	m.squares, m.rows = &squares{same: true}, &rowStore[T]{keep: true}
	if s.warm != nil {
		m.rows = s.warm.rows
	}
	var counter run.Counter
	m.ctl.Counter = &counter
	defer func() { s.Run.Counter.Add(counter.Count()) }()
	separators := learn.Separators(classes)
	s.warm.room(separators)
	parts, err := m.split(separators)
	if err != nil {
		return nil, learn.Report{}, err
	}
	solved, reports := make([]*part, separators), make([]learn.Report, separators)
	for k := range separators {
		class := learn.PositiveClass(k, classes)
		one, err := m.solvePart(ctx, parts, k, d.X, hingeDual(learn.Against(nil, d.Y, class), weight, s.C, all), s.warm)
		if err != nil {
			return nil, learn.Report{}, fmt.Errorf("class %d against the rest: %w", class, err)
		}
		solved[k], reports[k] = one, one.report
	}
	e := s.joinRest(d.X, classes, solved)
	report := learn.Merge(reports...)
	report.Support, report.Evaluations, report.Elapsed = e.Weight.Rows, counter.Count(), time.Since(start)
	return e, report, nil
}

// joinRest puts the solutions of all classes together.
func (s SVM[T]) joinRest(x data.Source[T], classes int, solved []*part) *MultiExpansion[T] {
	place := make([]int, x.Len()) // in the support, from 1 on
	for _, one := range solved {
		for _, i := range one.index {
			place[i] = 1
		}
	}
	support := []int{}
	for i, p := range place {
		if p > 0 {
			support = append(support, i)
			place[i] = len(support)
		}
	}
	bias := make([]float64, classes)
	e := &MultiExpansion[T]{Kernel: s.Kernel, Support: take(x, support), Weight: data.NewMatrix(len(support), classes),
		Bias: bias}
	for k, one := range solved {
		class := learn.PositiveClass(k, classes)
		bias[class] = one.bias
		for p, i := range one.index {
			e.Weight.Row(place[i] - 1)[class] = one.weight[p]
		}
	}
	if classes == 2 {
		bias[0] = -bias[1]
		for p := range support {
			e.Weight.Row(p)[0] = -e.Weight.Row(p)[1]
		}
	}
	return e
}
