package model

import (
	"context"
	"iter"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// pricePath fits a model of the same rows at one price after another, from the
// price of the simplest model on. A learner that can starts from where it ended
// before and shares what does not depend on the price; another fits afresh.
type pricePath[U any] func(ctx context.Context, price float64) (*Pipeline[U], learn.Report, error)

// startPath returns the path of a learner through the rows d, on which no other
// prices will be asked for than those given.
type startPath[U, Y any] func(ctx context.Context, d data.Labeled[U, Y], prices []float64) (pricePath[U], error)

// Scored is a model at one price, by its scores of rows that it was not fitted to.
type Scored struct {
	Price   float64 // C or lambda
	Classes data.Classes
	Scores  *data.Matrix // a row each, as Pipeline.ScoreAll returns them
	Report  learn.Report

	weights *data.Matrix // of the separators
	bias    []float64
}

// separators returns those of a model of features, nil where there is none.
func (s Scored) separators() []*linear.Separator {
	var out []*linear.Separator
	for k, b := range s.bias {
		out = append(out, &linear.Separator{W: s.weights.Row(k), Bias: b})
	}
	return out
}

// along fits the rows train at each price and scores the rows test. It ends with
// an error where there is one, which is the context's when ctx ends: a fit that
// was cut short is no measure of its price.
func along[U, Y any](ctx context.Context, ctl run.Control, prices []float64, train data.Labeled[U, Y], test data.Source[U], start startPath[U, Y]) iter.Seq2[Scored, error] {
	return func(yield func(Scored, error) bool) {
		path, err := start(ctx, train, prices)
		if err != nil {
			yield(Scored{}, err)
			return
		}
		for _, price := range prices {
			s := Scored{Price: price}
			var p *Pipeline[U]
			if p, s.Report, err = path(ctx, price); err == nil {
				err = ctx.Err()
			}
			if err == nil {
				s.Classes, s.weights, s.bias = p.Classes, p.Separators, p.Bias
				s.Scores, err = p.ScoreAll(ctx, ctl.Quiet(), test)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// headPath is the path of a learner of so many features.
func (r Recipe[T]) headPath(classes data.Classes, width int) startPath[data.Vector, int] {
	return func(ctx context.Context, d data.Labeled[data.Vector, int], _ []float64) (pricePath[data.Vector], error) {
		weighted, err := d, error(nil)
		if weighted.Weight, err = r.weights(classes, d.Y, d.Weight); err != nil {
			return nil, err
		}
		path, err := r.classPath(ctx, weighted, classes.Len())
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, price float64) (*Pipeline[data.Vector], learn.Report, error) {
			if path == nil {
				return r.head(ctx, classes, d, width, price)
			}
			found, report, err := separators(path.Next(ctx, price))
			if err != nil {
				return nil, report, err
			}
			p := &Pipeline[data.Vector]{Task: Classify, Classes: classes, Map: feature.Identity{Width: width}, Learner: r.Learner}
			p.adopt(found)
			return p, report, nil
		}, nil
	}
}

// classPath returns the path of a linear learner through prices, nil for one that
// fits each price afresh.
func (r Recipe[T]) classPath(ctx context.Context, d data.Labeled[data.Vector, int], classes int) (*linear.ClassPath, error) {
	switch {
	case r.Learner == LearnerSVM:
		l := linear.NewSVM()
		l.Loss, l.Tolerance, l.MaxPasses, l.Unit, l.Seed, l.Run = r.Loss, r.Tolerance, r.MaxPasses, r.Unit, r.Seed, r.Run
		return l.ClassPath(ctx, d, classes)
	case r.Learner == LearnerLogistic && classes == 2:
		l := linear.NewLogistic()
		l.Tolerance, l.MaxPasses, l.Unit, l.Seed, l.Run = r.Tolerance, r.MaxPasses, r.Unit, r.Seed, r.Run
		return l.ClassPath(ctx, d)
	case r.Learner == LearnerLogistic:
		l := linear.NewSoftmax(classes)
		l.Tolerance, l.MaxPasses, l.Unit, l.Seed, l.Run = r.Tolerance, r.MaxPasses, r.Unit, r.Seed, r.Run
		return l.ClassPath(ctx, d)
	}
	return nil, nil
}

// expandPath is the path of a kernel machine.
func (r Recipe[T]) expandPath(classes data.Classes) startPath[T, int] {
	return func(_ context.Context, d data.Labeled[T, int], prices []float64) (pricePath[T], error) {
		weighted, err := d, error(nil)
		if weighted.Weight, err = r.weights(classes, d.Y, d.Weight); err != nil {
			return nil, err
		}
		next, err := r.expansionPath(weighted, classes.Len(), prices)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, price float64) (*Pipeline[T], learn.Report, error) {
			p := &Pipeline[T]{Task: Classify, Kernel: r.Kernel, Classes: classes, Learner: r.Learner}
			report, err := next(ctx, p, d, price)
			return p, report, err
		}, nil
	}
}

// expansionPath returns what trains a kernel machine of classes at one price after
// another, each from the one before where it can.
func (r Recipe[T]) expansionPath(d data.Labeled[T, int], classes int, prices []float64) (func(context.Context, *Pipeline[T], data.Labeled[T, int], float64) (learn.Report, error), error) {
	precision := r.Run.Precision
	switch r.Learner {
	case LearnerKernelSVM:
		l := r.kernelSVM()
		switch {
		case classes == 2:
			path, err := l.Path(signs(d))
			return func(ctx context.Context, p *Pipeline[T], _ data.Labeled[T, int], price float64) (learn.Report, error) {
				return adoptOne(p, precision)(path.Next(ctx, price))
			}, err
		case r.Pairs:
			path, err := l.ClassPath(d, classes)
			return func(ctx context.Context, p *Pipeline[T], _ data.Labeled[T, int], price float64) (learn.Report, error) {
				return adoptPairs(p, precision)(path.Next(ctx, price))
			}, err
		}
		path, err := l.RestPath(d, classes)
		return func(ctx context.Context, p *Pipeline[T], _ data.Labeled[T, int], price float64) (learn.Report, error) {
			return adoptMany(p, precision)(path.Next(ctx, price))
		}, err
	case LearnerKernelRidge, LearnerFalkon:
		path, err := r.lambdaPath(d, classes, prices)
		return func(ctx context.Context, p *Pipeline[T], _ data.Labeled[T, int], price float64) (learn.Report, error) {
			return adoptMany(p, precision)(path.Next(ctx, price))
		}, err
	}
	return r.expand, nil
}

// lambdaPath returns the path of a kernel machine of classes through prices of
// |w|².
func (r Recipe[T]) lambdaPath(d data.Labeled[T, int], classes int, prices []float64) (learn.Path[*kernelized.MultiExpansion[T]], error) {
	if r.Learner == LearnerFalkon {
		l := kernelized.NewFalkonClassifier(r.Kernel)
		l.Landmarks, l.Seed, l.Run = r.centers(d.X.Len()), r.Seed, r.Run
		return l.ClassPath(d, classes, slices.Min(prices))
	}
	l := kernelized.RidgeClassifier[T]{Ridge: kernelized.NewRidge(r.Kernel)}
	l.Run = r.Run
	return l.ClassPath(d, classes)
}

// regressPath is the path of a kernel machine of numbers.
func (r Recipe[T]) regressPath() startPath[T, float64] {
	return func(_ context.Context, d data.Labeled[T, float64], prices []float64) (pricePath[T], error) {
		if r.Learner == LearnerSVR {
			path, err := r.kernelSVR(d).Path(d)
			return func(ctx context.Context, price float64) (*Pipeline[T], learn.Report, error) {
				p := &Pipeline[T]{Task: Regress, Kernel: r.Kernel, Learner: r.Learner}
				report, err := adoptValues(p, r.Run.Precision, 0)(path.Next(ctx, price))
				return p, report, err
			}, err
		}
		path, mean, err := r.outputPath(d, prices)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, price float64) (*Pipeline[T], learn.Report, error) {
			p := &Pipeline[T]{Task: Regress, Kernel: r.Kernel, Learner: r.Learner}
			if path == nil {
				report, err := r.regress(ctx, p, d, price)
				return p, report, err
			}
			report, err := adoptValues(p, r.Run.Precision, mean)(path.Next(ctx, price))
			return p, report, err
		}, nil
	}
}

// outputPath is lambdaPath for numbers, from which it takes their mean.
func (r Recipe[T]) outputPath(d data.Labeled[T, float64], prices []float64) (learn.Path[*kernelized.Regression[T]], float64, error) {
	if r.Learner != LearnerKernelRidge && r.Learner != LearnerFalkon {
		return nil, 0, nil
	}
	centred, mean := centre(d)
	if r.Learner == LearnerFalkon {
		l := kernelized.NewFalkon(r.Kernel)
		l.Landmarks, l.Seed, l.Run = r.centers(d.X.Len()), r.Seed, r.Run
		path, err := l.Path(centred, slices.Min(prices))
		return path, mean, err
	}
	l := kernelized.NewRidge(r.Kernel)
	l.Run = r.Run
	path, err := l.Path(centred)
	return path, mean, err
}
