package model

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// fitExpansion trains in the kernel's own space. The pipeline's features are
// the similarities to the support.
func (r Recipe[T]) fitExpansion(ctx context.Context, p *Pipeline[T], d data.Labeled[T, int]) (Training, *heldOut, error) {
	var t Training
	prices := r.pricesFor(d.Weight)
	chosen := choice{price: prices[0]}
	if len(prices) > 1 || r.Calibrate != "" {
		var err error
		quick := r.quick(min(chooseFewest, len(d.Y)))
		chosen, err = chooseLabels(ctx, r.Run, prices, d, chooseFewest, r.Seed, r.Learner != LearnerKernelSGD, quick.expandPath(p.Classes))
		if err != nil {
			return t, nil, err
		}
	}
	t.charge(r.traits().Price, chosen)
	report, err := r.expand(ctx, p, d, chosen.price)
	t.Report = report
	if err != nil {
		return t, nil, err
	}
	quiet := r.Run.Quiet()
	quiet.Counter = nil
	t.Margins, err = p.Margins(context.WithoutCancel(ctx), quiet, d.X, d.Y)
	return t, chosen.held, err
}

// expand trains a kernel machine into the pipeline.
func (r Recipe[T]) expand(ctx context.Context, p *Pipeline[T], d data.Labeled[T, int], price float64) (learn.Report, error) {
	var err error
	if d.Weight, err = r.weights(p.Classes, d.Y, d.Weight); err != nil {
		return learn.Report{}, err
	}
	k := p.Classes.Len()
	switch r.Learner {
	case LearnerKernelSVM:
		l := r.kernelSVM()
		l.C, l.Checkpoint = price, r.Checkpoint
		if k > 2 && r.Pairs {
			return adoptPairs(p, r.Run.Precision)(l.FitClasses(ctx, d, k))
		}
		if k == 2 {
			return adoptOne(p, r.Run.Precision)(l.Fit(ctx, signs(d)))
		}
		return adoptMany(p, r.Run.Precision)(l.FitRest(ctx, d, k))
	case LearnerNuSVM:
		l := kernelized.NewNuSVM(r.Kernel)
		l.MaxIterations = r.limit(l.MaxIterations)
		l.Nu, l.Tolerance, l.Run = r.Nu, r.Tolerance, r.Run
		if k > 2 {
			return learn.Report{}, &SampleError{fmt.Sprintf("%s knows two classes and there are %d; use %s", r.Learner, k, LearnerKernelSVM)}
		}
		l.Checkpoint = r.Checkpoint
		return adoptOne(p, r.Run.Precision)(l.Fit(ctx, signs(d)))
	case LearnerKernelRidge:
		l := kernelized.RidgeClassifier[T]{Ridge: kernelized.NewRidge(r.Kernel)}
		l.Lambda, l.Run = price, r.Run
		return adoptMany(p, r.Run.Precision)(l.FitClasses(ctx, d, k))
	case LearnerFalkon:
		l := kernelized.NewFalkonClassifier(r.Kernel)
		l.Lambda, l.Landmarks, l.Seed, l.Run = price, r.centers(d.X.Len()), r.Seed, r.Run
		l.Checkpoint = r.Checkpoint
		return adoptMany(p, r.Run.Precision)(l.FitClasses(ctx, d, k))
	case LearnerKernelSGD:
		l := kernelized.NewSGD(r.Kernel)
		l.Lambda, l.Seed, l.Checkpoint, l.Run = price, r.Seed, r.Checkpoint, r.Run
		return adoptMany(p, r.Run.Precision)(l.FitClasses(ctx, d, k))
	case LearnerCentroid:
		l := kernelized.NewCentroid(r.Kernel)
		l.Run = r.Run
		return adoptMany(p, r.Run.Precision)(l.FitClasses(ctx, d, k))
	case LearnerKernelPerceptron:
		l := kernelized.NewPerceptron(r.Kernel)
		l.MaxPasses, l.Seed, l.Run = r.MaxPasses, r.Seed, r.Run
		return adoptMany(p, r.Run.Precision)(l.FitClasses(ctx, d, k))
	}
	return learn.Report{}, fmt.Errorf("%s is no kernel machine", r.Learner)
}

// kernelSVM returns the machine of classes, but for its price.
func (r Recipe[T]) kernelSVM() kernelized.SVM[T] {
	l := kernelized.NewSVM(r.Kernel)
	l.MaxIterations = r.limit(l.MaxIterations)
	l.Tolerance, l.Run = r.Tolerance, r.Run
	return l
}

// kernelSVR returns the machine of numbers, but for its price.
func (r Recipe[T]) kernelSVR(d data.Labeled[T, float64]) kernelized.SVR[T] {
	l := kernelized.NewSVR(r.Kernel)
	l.MaxIterations = r.limit(l.MaxIterations)
	l.Epsilon, l.Tolerance, l.Run = r.Epsilon, r.Tolerance*spread(d.Y, d.Weight), r.Run
	return l
}

// limit returns the steps that a kernel machine may take.
func (r Recipe[T]) limit(own int) int {
	if r.steps > 0 {
		return min(own, r.steps)
	}
	return own
}

// centers returns the number of landmarks of Falkon.
func (r Recipe[T]) centers(n int) int { return max(min(r.Dim, n), 1) }

// signs returns the labels +1 and -1 of two classes.
func signs[T any](d data.Labeled[T, int]) data.Labeled[T, float64] {
	return data.Labeled[T, float64]{X: d.X, Y: learn.Against(nil, d.Y, 1), Weight: d.Weight}
}

// adoptOne returns a function that makes a pipeline of an expansion.
func adoptOne[T any](p *Pipeline[T], precision run.Precision) func(*kernelized.Expansion[T], learn.Report, error) (learn.Report, error) {
	return func(e *kernelized.Expansion[T], report learn.Report, err error) (learn.Report, error) {
		if err != nil {
			return report, err
		}
		p.Map = feature.NewLandmarks(e.Kernel, e.Support, precision)
		weights := data.NewMatrix(1, e.Support.Len())
		copy(weights.Row(0), e.Weight)
		p.support(weights, []float64{e.Bias})
		return report, nil
	}
}

// adoptMany returns a function that makes a pipeline of an expansion with a
// score a class.
func adoptMany[T any](p *Pipeline[T], precision run.Precision) func(*kernelized.MultiExpansion[T], learn.Report, error) (learn.Report, error) {
	return func(e *kernelized.MultiExpansion[T], report learn.Report, err error) (learn.Report, error) {
		if err != nil {
			return report, err
		}
		p.Map = feature.NewLandmarks(e.Kernel, e.Support, precision)
		k := p.Classes.Len()
		weights := data.NewMatrix(learn.Separators(k), e.Support.Len())
		bias := make([]float64, weights.Rows)
		for i := range weights.Rows {
			class := learn.PositiveClass(i, k)
			for s := range e.Support.Len() {
				weights.Row(i)[s] = e.Weight.Row(s)[class]
			}
			if e.Bias != nil {
				bias[i] = e.Bias[class]
			}
		}
		p.support(weights, bias)
		return report, nil
	}
}

// adoptPairs returns a function that makes a pipeline of an expansion with a
// separator a pair of classes.
func adoptPairs[T any](p *Pipeline[T], precision run.Precision) func(*kernelized.PairExpansion[T], learn.Report, error) (learn.Report, error) {
	return func(e *kernelized.PairExpansion[T], report learn.Report, err error) (learn.Report, error) {
		if err != nil {
			return report, err
		}
		p.Map, p.Pairs = feature.NewLandmarks(e.Kernel, e.Support, precision), e.First
		weights := expandPairs(e.First, p.Classes.Len(), e.Weight)
		p.support(weights, e.Bias)
		return report, nil
	}
}

// support sets the weights of a kernel machine, with the constant coordinate
// where it has a bias.
func (p *Pipeline[T]) support(weights *data.Matrix, bias []float64) {
	p.Unit = 0
	for _, b := range bias {
		if b != 0 {
			p.Unit = 1
		}
	}
	p.set(weights, bias)
}

// fitOneClass trains the machine that tells where the instances lie.
func (r Recipe[T]) fitOneClass(ctx context.Context, x data.Source[T], weight []float64) (*Pipeline[T], Training, error) {
	p := &Pipeline[T]{Task: Classify, Kernel: r.Kernel, Classes: data.NewClasses([]string{Outlier, Inlier}), Learner: r.Learner}
	l := kernelized.NewOneClass(r.Kernel)
	l.Nu, l.Tolerance, l.Checkpoint, l.Run = r.Nu, r.Tolerance, r.Checkpoint, r.Run
	report, err := adoptOne(p, r.Run.Precision)(l.Fit(ctx, x, weight))
	return p, Training{Report: report}, err
}

// regressExpansion fits numbers in the kernel's own space.
func (r Recipe[T]) regressExpansion(ctx context.Context, p *Pipeline[T], d data.Labeled[T, float64]) (Training, error) {
	var t Training
	if r.Epsilon < 0 {
		r.Epsilon = spread(d.Y, d.Weight) / 10
	}
	prices := r.pricesFor(d.Weight)
	if r.traits().Price == priceC && r.Choose {
		prices = scaled(prices, spread(d.Y, d.Weight))
	}
	quick := r.quick(min(chooseFewest, len(d.Y)))
	chosen, err := chooseValues(ctx, r.Run, prices, d, chooseFewest, r.Seed, quick.regressPath())
	if err != nil {
		return t, err
	}
	t.charge(r.traits().Price, chosen)
	t.Report, err = r.regress(ctx, p, d, chosen.price)
	return t, err
}

// regress trains a machine of numbers into the pipeline.
func (r Recipe[T]) regress(ctx context.Context, p *Pipeline[T], d data.Labeled[T, float64], price float64) (learn.Report, error) {
	switch r.Learner {
	case LearnerSVR:
		l := r.kernelSVR(d)
		l.C, l.Checkpoint = price, r.Checkpoint
		return adoptValues(p, r.Run.Precision, 0)(l.Fit(ctx, d))
	case LearnerNuSVR:
		l := kernelized.NewNuSVR(r.Kernel)
		l.MaxIterations = r.limit(l.MaxIterations)
		l.C, l.Nu, l.Tolerance, l.Checkpoint, l.Run = price, r.Nu, r.Tolerance*spread(d.Y, d.Weight), r.Checkpoint, r.Run
		return adoptValues(p, r.Run.Precision, 0)(l.Fit(ctx, d))
	}
	centred, mean := centre(d)
	if r.Learner == LearnerFalkon {
		l := kernelized.NewFalkon(r.Kernel)
		l.Lambda, l.Landmarks, l.Seed, l.Checkpoint, l.Run = price, r.centers(d.X.Len()), r.Seed, r.Checkpoint, r.Run
		return adoptValues(p, r.Run.Precision, mean)(l.Fit(ctx, centred))
	}
	l := kernelized.NewRidge(r.Kernel)
	l.Lambda, l.Run = price, r.Run
	return adoptValues(p, r.Run.Precision, mean)(l.Fit(ctx, centred))
}

// centre returns the targets of machines that have no bias, with their mean taken
// off: the mean is one.
func centre[T any](d data.Labeled[T, float64]) (data.Labeled[T, float64], float64) {
	mean := weightedMean(d.Y, d.Weight)
	centred := data.Labeled[T, float64]{X: d.X, Y: make([]float64, len(d.Y)), Weight: d.Weight}
	for i, y := range d.Y {
		centred.Y[i] = y - mean
	}
	return centred, mean
}

// adoptValues returns a function that makes a pipeline of a regression and adds
// a number to what it predicts.
func adoptValues[T any](p *Pipeline[T], precision run.Precision, add float64) func(*kernelized.Regression[T], learn.Report, error) (learn.Report, error) {
	return func(f *kernelized.Regression[T], report learn.Report, err error) (learn.Report, error) {
		if err != nil {
			return report, err
		}
		e := f.Expansion
		e.Bias += add
		return adoptOne(p, precision)(&e, report, nil)
	}
}

func scaled(x []float64, by float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * by
	}
	return out
}
