package job

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Constants of the work of a search, found by trial: they bear on the time that is said
// to be left, and on nothing else.
const (
	pathPart        = 0.5 // of its penalties that an arm gets to
	learning        = 3   // times the work of another arm is that of one which learns a metric
	learned         = 2   // arms of that kind, as a rule
	metricPenalties = 5
	pairWork        = 200  // of a similarity, beside 8 for each coordinate
	solveWork       = 2000 // for each pair of rows that an arm is fitted to, beside its factorisations
	fewRows         = 800  // at which products of matrices take twice as long, for each number, as those of many rows
	linearWork      = 2000 // of a linear model, for each number of its rows and each output
	stepsWork       = 1300 // for each pair of a row and a landmark of the last fit, where the penalty is large
	decadeWork      = 0.5  // of that, for each power of ten by which it is smaller than largeMu
	largeMu         = 0.1
	usualMu         = 0.01 // while it is not known
	outputWork      = 0.2  // of that, for each other output
	mostOutputs     = 7    // that count
	quickWork       = 0.6  // of one that is near enough
	blendWork       = 1.5  // of a last fit that may be of several arms
)

// work is about how many multiplications an arm takes on a rung: factorisations of K, of the
// rows fitted to, and its values for these and those measured on.
func (s *search) work(a *arm, r rung) float64 {
	sum, outputs := 0.0, s.outputs()
	penalties := max(1, pathPart*float64(len(a.grid)))
	for _, part := range r.parts {
		n, m := float64(len(part.fit)), float64(len(part.measure))
		if s.texts() {
			sum += penalties * n * outputs
			continue
		}
		if a.family == linearKernel || a.family == model.LearnerLogistic {
			sum += linearWork * penalties * n * float64(s.dim) * outputs
			continue
		}
		sum += s.kernelWork(n, m, penalties)
	}
	if a.learn != nil {
		sum *= learning
	}
	return sum
}

// kernelWork is that of kernel ridge on n rows at some penalties, in float32, with the scores of m others.
func (s *search) kernelWork(n, m, penalties float64) float64 {
	return (1 + fewRows/n) * (n*(n+m)*s.pairWork() + solveWork*n*n + penalties*(n*n*n/6+2*n*(n+m)*s.outputs()))
}

// outputs is how many functions are learnt.
func (s *search) outputs() float64 {
	if n := outputs(s.views[0].sample); n > 2 {
		return float64(n)
	}
	return 1
}

// texts reports vectors that linear models alone are tried on.
func (s *search) texts() bool { return s.dim > mostCoordinates }

// pairWork is that of a similarity, of which one of Σ|x_j - y_j| takes the longest.
func (s *search) pairWork() float64 {
	d := float64(s.dim)
	if d > mostTaxi { // products of matrices alone
		return 2*d + pairWork
	}
	return 8*d + pairWork
}

// planned is the work of a race of arms.
func (s *search) planned(arms []*arm) float64 {
	sum := 0.0
	type of struct {
		family string
		view   int
	}
	kinds := map[of]bool{}
	for _, a := range arms {
		sum += s.work(a, s.first)
		kinds[of{a.family, a.view}] = true
	}
	if len(s.first.parts) == 1 {
		again := &arm{grid: make([]float64, 3)} // as around has them
		sum += float64(min(s.size.keep, len(kinds))) * s.work(again, s.second)
	}
	if s.size.rounds > 0 && s.dim <= mostScaled {
		sum += learned * s.work(&arm{grid: ridgeGrid[:metricPenalties], learn: noMetric}, s.second)
	}
	return sum
}

// noMetric stands for a metric that is to be learnt.
func noMetric(context.Context, run.Control, model.Sample[data.Vector]) (kernel.Kernel[data.Vector], error) {
	return nil, errNoArm
}

// fitWork is the work of the fit to all rows of the arms that win as a rule, with a penalty μ.
func (s *search) fitWork(mu float64) float64 {
	n, m := float64(s.rows()), float64(s.size.dim)
	each := stepsWork * (1 + decadeWork*max(0, math.Log10(largeMu/mu)))
	each *= 1 + outputWork*(min(s.outputs(), mostOutputs)-1)
	switch {
	case s.texts():
		return n * s.outputs() / 2
	case s.rows() <= choleskyRows:
		again := 0.0
		if len(s.second.parts) > 1 && s.size.rounds > 0 && s.dim <= mostScaled { // the metric of all rows is learnt anew
			again = learning * s.kernelWork(n, 0, pathPart*metricPenalties)
		}
		return float64(1+s.members())/2*(n*n*(s.pairWork()+solveWork)+n*n*n/3) + again
	case s.rows() <= s.size.all:
		return n * n * each
	case s.size.blend > 1:
		each *= blendWork
	case s.rows() <= quickRows:
		each *= quickWork
	}
	return n*m*(each+s.pairWork()) + m*m*m
}
