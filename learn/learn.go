// Package learn holds the contracts of learners and what they share.
//
// A recipe is a struct of hyperparameters with Validate and Fit. Fit returns
// another type, the fitted model, and a Report. Running into a limit or being
// cancelled is a Status of the report and not an error: the model returned is
// the best so far.
//
// Rows may have weights, data.Labeled.Weight: to every learner a row of weight k
// counts as k rows, and one of weight 0 as none. Those that visit row after row
// take whole weights alone.
//
// Binary problems have labels +1 and -1 as float64, problems of many classes
// have class indices as int; OneVsRest makes the second from the first.
package learn

import (
	"context"
	"time"

	"github.com/kerf-ml/kerf/data"
)

// Predictor gives a label to an instance. Predictors are immutable and safe
// for concurrent use.
type Predictor[T, Y any] interface {
	Predict(x T) Y
}

// Scorer gives a real score whose sign is the label: positive means +1.
type Scorer[T any] interface {
	Score(x T) float64
}

// Learner fits a model to labelled instances.
type Learner[T, Y any, M Predictor[T, Y]] interface {
	// Validate reports every hyperparameter that is out of range, each with
	// its name, value and wanted range.
	Validate() error
	// Fit learns from d. It returns the best model so far and a nil error
	// also when a limit was reached or ctx was cancelled; Report.Status says so.
	Fit(ctx context.Context, d data.Labeled[T, Y]) (M, Report, error)
}

// Status says how a fit ended.
type Status string

// The ways a fit can end.
const (
	Converged      Status = "converged"
	IterationLimit Status = "iteration limit"
	TimeLimit      Status = "time limit"
	Cancelled      Status = "cancelled"
	BelowTolerance Status = "below tolerance" // proved: no margin, or edge, is above the learner's tolerance
)

// Report says what a fit did. Fields that do not apply to a learner are zero.
// Iterations and Objective are what the learner's Fit says: passes or steps, and
// the primal objective of linear learners but the dual, as LIBSVM prints it, of
// the support vector machines with kernels.
type Report struct {
	Status     Status
	Iterations int     // passes over the data, or steps
	Objective  float64 // at the returned model
	Gap        float64 // duality gap at the returned model; the optimum is within it
	Gradient   float64 // length of the gradient of a smooth objective at the returned model
	Mistakes   int     // updates of a perceptron

	// MistakeBound is R²/γ², which Mistakes cannot exceed: R is the length of the
	// longest row and γ the least y(w·x)/|w| of a w without mistakes, both of rows
	// as the perceptron saw them. It is +Inf where it found no such w.
	MistakeBound float64

	Support     int           // instances with a non-zero weight
	Evaluations int64         // kernel evaluations
	Elapsed     time.Duration // wall-clock time
}
