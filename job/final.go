package job

import (
	"context"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Sizes of a final fit.
const (
	choleskyRows = 4000  // up to which kernel ridge is solved by a factorisation
	stepsRows    = 34000 // up to which it is solved by conjugate gradients
	finalDim     = 4096  // landmarks past that
	stepsError   = 1e-3  // of the residual
	smoothAt     = 0.5   // μ from which on a function is so smooth that landmarks do as well as all rows
	singleAt     = 1e-3  // μ from which on K may be rounded to float32

	// About how many seconds a fit takes, generously, where there is a limit: for each
	// pair of rows, and for each row and landmark.
	allSeconds, dimSeconds = 2e-7, 3e-7
	leastDim               = 100

	landmarkBytes = 24 // that a pair of landmarks takes

	quickRows = 50_000 // up to which a quick search makes do with fewer landmarks
)

// final returns the recipe of an arm for all rows.
func (s *search) final(
	ctx context.Context, a *arm, whole model.Sample[data.Vector],
) (model.Recipe[data.Vector], error) {
	r := a.recipe
	r.Kernel = a.kernel
	if a.learn != nil && len(s.second.parts) > 1 {
		k, err := a.learn(ctx, s.recipe.Run, whole)
		if err != nil {
			return r, err
		}
		r.Kernel = k
	}
	penalty, n := a.penalty(a.grid[a.at], whole), whole.Len()
	if !a.ridge {
		if a.whole != nil {
			r.Learner = a.whole
		}
		if l, ok := r.Learner.(model.Penalized); ok { // ridge chooses its own
			r.Learner = l.WithPenalty(penalty)
		}
		return r, nil
	}
	if n > choleskyRows && (a.grid[a.at] >= singleAt || !s.byAll(a, n)) {
		r.Run.Precision = run.Float32
	}
	dim, all := s.size.dim, n <= choleskyRows || s.byAll(a, n)
	if end, ok := ctx.Deadline(); ok { // what is not over in time is nothing
		left := time.Until(end).Seconds()
		all = all && left > allSeconds*float64(n)*float64(n)
		dim = int(min(float64(dim), max(leastDim, left/dimSeconds/float64(n))))
	}
	budget := s.o.Run
	budget.Process = false // and not by what happens to be left: a result is the same from run to run
	for dim > leastDim && landmarkBytes*float64(dim)*float64(dim) > float64(budget.Budget())/2 {
		dim /= 2
	}
	switch {
	case all && n <= choleskyRows:
		r.Learner = model.NewKernelRidge[data.Vector]().WithPenalty(penalty)
	case all:
		l := model.NewKernelRidge[data.Vector]()
		l.Tolerance = stepsError
		r.Learner = l.WithPenalty(penalty)
	default:
		l := model.NewFalkon[data.Vector]()
		l.Dim = min(dim, n)
		r.Learner = l.WithPenalty(penalty)
	}
	return r, nil
}

// byAll reports whether an arm is fitted with all of n rows as landmarks: few more of them than landmarks cost less.
func (s *search) byAll(a *arm, n int) bool {
	smooth := a.grid[a.at] >= smoothAt && n > 2*s.size.dim
	return a.ridge && n <= choleskyRows || a.ridge && !smooth && n <= s.size.all &&
		s.o.Run.Reserve("", 6*float64(n)*float64(n), "") == nil
}
