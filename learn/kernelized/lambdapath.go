package kernelized

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// LambdaPath fits the same targets for one price of |w|² after another and shares
// between them what does not depend on it. For Falkon these are the landmarks,
// the factor of their kernel values and the product with the targets, and each
// fit starts from the weights of the one before. For Ridge it is the matrix G,
// which is factorised anew for each price.
//
// A LambdaPath belongs to one goroutine. Its models do not change any more.
type LambdaPath[T any] struct {
	check func(lambda float64) error
	next  func(ctx context.Context, lambda float64) (*MultiExpansion[T], learn.Report, error)
}

// Next fits the model for lambda in place of the recipe's Lambda. When ctx ends
// it is what the recipe's Fit says of that, and its status says so.
func (p *LambdaPath[T]) Next(ctx context.Context, lambda float64) (*MultiExpansion[T], learn.Report, error) {
	if err := p.check(lambda); err != nil {
		return nil, learn.Report{}, err
	}
	return p.next(ctx, lambda)
}

// OutputPath returns the path of FitOutputs through prices, of which the
// smallest must be known before. The field Lambda is not used.
func (f Falkon[T]) OutputPath(x data.Source[T], y *data.Matrix, weight []float64, least float64) (*LambdaPath[T], error) {
	f.Lambda = least
	if err := errors.Join(f.Validate(), checkOutputs("falkon", x.Len(), y, weight), f.startless()); err != nil {
		return nil, err
	}
	return f.lambdaPath(ridgeSample[T]{x, transposed(y), weight}, func(w *data.Matrix) *data.Matrix { return w })
}

// ClassPath returns the path of FitClasses through prices, of which the smallest
// must be known before. The field Lambda is not used.
func (f FalkonClassifier[T]) ClassPath(d data.Labeled[T, int], classes int, least float64) (*LambdaPath[T], error) {
	f.Lambda = least
	if err := errors.Join(f.Validate(), checkClasses("falkon", d, classes), f.startless()); err != nil {
		return nil, err
	}
	return f.lambdaPath(ridgeSample[T]{d.X, against(d.Y, classes), d.Weight}, func(w *data.Matrix) *data.Matrix { return perClass(w, classes) })
}

func (f Falkon[T]) lambdaPath(d ridgeSample[T], expand func(*data.Matrix) *data.Matrix) (*LambdaPath[T], error) {
	p, err := newFalkon(f, d, []float64{f.Lambda, f.Lambda}) // more than one: what they share is kept
	if err != nil {
		return nil, err
	}
	return &LambdaPath[T]{
		check: func(lambda float64) error { return f.machine().positive("lambda", lambda) },
		next: func(ctx context.Context, lambda float64) (*MultiExpansion[T], learn.Report, error) {
			weight, report, err := p.next(ctx, lambda)
			if err != nil {
				return nil, report, err
			}
			return p.model(f.Kernel, expand(weight)), report, nil
		},
	}, nil
}

// OutputPath returns the path of FitOutputs through prices. The field Lambda is
// not used.
func (r Ridge[T]) OutputPath(x data.Source[T], y *data.Matrix, weight []float64) (*LambdaPath[T], error) {
	r.Lambda = 1
	if err := errors.Join(r.Validate(), checkOutputs("kernel ridge", x.Len(), y, weight)); err != nil {
		return nil, err
	}
	return r.lambdaPath(ridgeSample[T]{x, transposed(y), weight}, func(w *data.Matrix) *data.Matrix { return w }), nil
}

// ClassPath returns the path of FitClasses through prices. The field Lambda is
// not used.
func (r RidgeClassifier[T]) ClassPath(d data.Labeled[T, int], classes int) (*LambdaPath[T], error) {
	r.Lambda = 1
	if err := errors.Join(r.Validate(), checkClasses("kernel ridge", d, classes)); err != nil {
		return nil, err
	}
	return r.lambdaPath(ridgeSample[T]{d.X, against(d.Y, classes), d.Weight}, func(w *data.Matrix) *data.Matrix { return perClass(w, classes) }), nil
}

func (r Ridge[T]) lambdaPath(d ridgeSample[T], expand func(*data.Matrix) *data.Matrix) *LambdaPath[T] {
	kept := &ridgeGram{}
	return &LambdaPath[T]{
		check: func(lambda float64) error { return r.machine().positive("lambda", lambda) },
		next: func(ctx context.Context, lambda float64) (*MultiExpansion[T], learn.Report, error) {
			start := time.Now()
			r.Lambda = lambda
			s, err := r.solve(ctx, d, false, kept)
			if err != nil {
				return nil, learn.Report{}, err
			}
			return multiExpansionOf(r.Kernel, d.x, expand(s.weight)), s.finish(start), nil
		},
	}
}

// ridgeGram is the matrix G of a sample between two factorisations. The factor
// takes the place of the lower triangle and of the diagonal; what is above the
// diagonal stays, and with the diagonal beside it the rest can be had again.
type ridgeGram struct {
	g    *data.Matrix
	diag []float64
}

// matrix returns G, made by compute the first time. Without a place to keep it,
// it is what compute returns.
func (k *ridgeGram) matrix(ctx context.Context, ctl run.Control, compute func() (*data.Matrix, error)) (*data.Matrix, error) {
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
	err := par.For(ctx, ctl.Quiet(), "", par.Blocks(k.g.Rows, scaleRows), func(b int) error {
		lo, hi := par.Range(b, k.g.Rows, scaleRows)
		for i := lo; i < hi; i++ {
			row := k.g.Row(i)
			for j := range i {
				row[j] = k.g.Row(j)[i]
			}
			row[i] = k.diag[i]
		}
		return nil
	})
	return k.g, err
}
