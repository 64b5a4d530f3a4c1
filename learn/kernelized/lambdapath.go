package kernelized

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Path returns the path of Fit through values of Lambda, of which the least must
// be known before. The field Lambda is not used. The landmarks, the factor of
// their kernel values and the product with the targets are computed once, in the
// first fit, and each fit starts from the weights of the one before. Checkpoint
// must not be set.
func (f Falkon[T]) Path(d data.Labeled[T, float64], least float64) (learn.Path[*Regression[T]], error) {
	f.Lambda = least
	if err := errors.Join(f.Validate(), checkTargets(d), f.machine().checkpointless()); err != nil {
		return nil, err
	}
	return falkonPath(f, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, (*falkon[T]).regression)
}

// Path is that of Falkon with labels for targets.
func (f FalkonClassifier[T]) Path(d data.Labeled[T, float64], least float64) (learn.Path[*Expansion[T]], error) {
	f.Lambda = least
	faults := []error{f.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight), f.machine().checkpointless()}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return falkonPath(f.Falkon, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, (*falkon[T]).expansion)
}

// ClassPath returns the path of FitClasses through values of Lambda, of which the
// least must be known before.
func (f FalkonClassifier[T]) ClassPath(
	d data.Labeled[T, int], classes int, least float64,
) (learn.Path[*MultiExpansion[T]], error) {
	f.Lambda = least
	faults := []error{f.Validate(), checkClasses("falkon", d, classes), f.startless(), f.machine().checkpointless()}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return falkonPath(f.Falkon, ridgeSample[T]{d.X, against(d.Y, classes), d.Weight},
		func(p *falkon[T], w *data.Matrix) *MultiExpansion[T] { return p.model(perClass(w, classes)) })
}

func falkonPath[T, M any](
	f Falkon[T], d ridgeSample[T], model func(*falkon[T], *data.Matrix) M,
) (learn.Path[M], error) {
	p, err := newFalkon(f, d, true)
	if err != nil {
		return nil, err
	}
	return learn.PathFunc[M](func(ctx context.Context, lambda float64) (none M, r learn.Report, err error) {
		if err := learn.Fields("falkon").Positive("lambda", lambda); err != nil {
			return none, r, err
		}
		w, r, err := p.next(ctx, lambda)
		if err != nil {
			return none, r, err
		}
		return model(p, w), r, nil
	}), nil
}

// Path returns the path of Fit through values of Lambda. The field Lambda is not
// used. The matrix G is computed once, in the first fit, and factorised anew for
// each. With a Tolerance above 0 the preconditioner's landmarks are shared too, and
// each fit starts from the weights of the one before.
func (r Ridge[T]) Path(d data.Labeled[T, float64]) (learn.Path[*Regression[T]], error) {
	r.Lambda = 1 // replaced by each penalty
	if err := errors.Join(r.Validate(), checkTargets(d)); err != nil {
		return nil, err
	}
	return ridgePath(r, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, func(s *ridgeSolution) *Regression[T] {
		return &Regression[T]{*r.expansion(d.X, s)}
	}), nil
}

// OutputsPath is Path for several targets, a column of y each, as in FitOutputs.
func (r Ridge[T]) OutputsPath(x data.Source[T], y *data.Matrix, weight []float64) (
	learn.Path[*MultiExpansion[T]], error,
) {
	r.Lambda = 1
	if err := errors.Join(r.Validate(), checkOutputs("kernel ridge", x.Len(), y, weight)); err != nil {
		return nil, err
	}
	return ridgePath(r, ridgeSample[T]{x, transposed(y), weight}, func(s *ridgeSolution) *MultiExpansion[T] {
		e := multiExpansionOf(r.Kernel, x, s.weight)
		e.Fitted = s.scores
		return e
	}), nil
}

// Path is that of Ridge with labels for targets.
func (r RidgeClassifier[T]) Path(d data.Labeled[T, float64]) (learn.Path[*Expansion[T]], error) {
	r.Lambda = 1
	if err := errors.Join(r.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, err
	}
	return ridgePath(r.Ridge, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, func(s *ridgeSolution) *Expansion[T] {
		return r.expansion(d.X, s)
	}), nil
}

// ClassPath returns the path of FitClasses through values of Lambda.
func (r RidgeClassifier[T]) ClassPath(d data.Labeled[T, int], classes int) (learn.Path[*MultiExpansion[T]], error) {
	r.Lambda = 1
	if err := errors.Join(r.Validate(), checkClasses("kernel ridge", d, classes)); err != nil {
		return nil, err
	}
	y := against(d.Y, classes)
	return ridgePath(r.Ridge, ridgeSample[T]{d.X, y, d.Weight}, func(s *ridgeSolution) *MultiExpansion[T] {
		return r.classes(d.X, s, classes)
	}), nil
}

func ridgePath[T, M any](r Ridge[T], d ridgeSample[T], model func(*ridgeSolution) M) learn.Path[M] {
	kept := &ridgeKept[T]{}
	return learn.PathFunc[M](func(ctx context.Context, lambda float64) (none M, _ learn.Report, err error) {
		start := time.Now()
		if err := learn.Fields("kernel ridge").Positive("lambda", lambda); err != nil {
			return none, learn.Report{}, err
		}
		r.Lambda = lambda
		s, err := r.solve(ctx, d, false, kept)
		if err != nil {
			return none, learn.Report{}, err
		}
		return model(s), s.finish(start), nil
	})
}

// ridgeKept is the matrix G of a sample between two factorisations. The factor
// takes the place of the lower triangle and of the diagonal; what is above the
// diagonal stays, and with the diagonal beside it the rest can be had again.
// Conjugate gradients have a system in its place.
type ridgeKept[T any] struct {
	g      *data.Matrix
	diag   []float64
	system *ridgeSystem[T]
	single *singleMatrix // in float32, which G is not beside
}

// matrix returns G, made by compute the first time. Without a place to keep it,
// it is what compute returns.
func (k *ridgeKept[T]) matrix(
	ctx context.Context, ctl run.Control, compute func() (*data.Matrix, error),
) (*data.Matrix, error) {
	if k == nil {
		return compute()
	}
	if k.g == nil {
		g, err := compute()
		if err != nil {
			return nil, err
		}
		k.g, k.diag = g, make([]float64, g.Rows)
		for i := range k.diag {
			k.diag[i] = g.Row(i)[i]
		}
		return g, nil
	}
	for i, v := range k.diag {
		k.g.Row(i)[i] = v
	}
	return k.g, gram.Mirror(ctx, ctl.Quiet(), k.g)
}
