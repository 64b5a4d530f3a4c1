package linear

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Ridge is regularised least squares (Hoerl and Kennard 1970): for targets y and
// weights c of the rows it finds
//
//	min_{w,b}  Σ c·(w·x + b - y)² + λ|w|²
//
// without a factor ½ and without a division by the number of rows. The
// intercept b is not penalised, unlike the bias of the other recipes: moving
// all targets by a number moves b by it and nothing else. Any number of targets
// are fitted at once from one factorisation, of the d×d matrix of products of
// coordinates or, with fewer rows than coordinates, of the n×n matrix of
// products of rows.
//
// With several Lambdas an eigendecomposition gives the solutions for all of
// them, each with its exact leave-one-out error (docs/math/ridge.md), and the
// one with the least is taken.
//
// Cost, with m the lesser of n and d: O(n·d·m) by matrix products, O(m³) for the
// factorisation, and O(n·m) a λ. The eigendecomposition runs on one core and
// cannot be interrupted; where it would take longer than a factorisation for
// each λ, O(n·m²), these are done. Rows with few stored coordinates
// are multiplied as they are stored. Directions whose eigenvalue is below
// m·2⁻⁵² of the largest count as not there: weights have no part in them.
type Ridge struct {
	Lambda    float64   // λ where Lambdas is empty, above 0; default 1
	Lambdas   []float64 // values of λ to choose among by the leave-one-out error, each above 0; default none
	Intercept bool      // fit b; default true
	Run       run.Control
}

// NewRidge returns the recipe with its defaults.
func NewRidge() Ridge { return Ridge{Lambda: 1, Intercept: true} }

// Validate reports every field that is out of range.
func (r Ridge) Validate() error {
	const f = learn.Fields("ridge")
	var faults []error
	if len(r.Lambdas) == 0 {
		faults = append(faults, f.Positive("lambda", r.Lambda))
	}
	for _, l := range r.Lambdas {
		faults = append(faults, f.Positive("lambda", l))
	}
	return errors.Join(faults...)
}

// lambdas returns the penalties to solve for.
func (r Ridge) lambdas() []float64 {
	if len(r.Lambdas) == 0 {
		return []float64{r.Lambda}
	}
	return r.Lambdas
}

// RidgeStep is the fit for one λ.
type RidgeStep struct {
	Lambda float64

	// LOO is the leave-one-out error: the mean of (f₋ᵢ(xᵢ) - yᵢ)² over rows, by
	// their weights, and over targets, where f₋ᵢ is fitted without row i. It is
	// +Inf where that fit says nothing of the row: the leverage of the row is 1
	// to rounding.
	LOO float64
	// Errors are the leave-one-out errors of each target.
	Errors []float64
	// GCV is the generalised cross-validation error (Golub, Heath and Wahba
	// 1979), which puts the mean leverage in place of each row's own.
	GCV float64
	// Freedom is the sum of the leverages, the effective number of parameters.
	Freedom float64
	// Objective is the value of the objective, summed over targets.
	Objective float64
	// Models are the fitted functions, one a target.
	Models []*Regressor
}

// LeaveOneOut fits all Lambdas at once, or Lambda where there are none, and returns
// the fits with their leave-one-out errors, in order. Y has a row for each row of
// x and a column for each target; the weights of the rows are nil for 1 each. When
// ctx ends there are no fits, and its error comes back.
func (r Ridge) LeaveOneOut(
	ctx context.Context, x data.Source[data.Vector], y *data.Matrix, weight []float64,
) ([]RidgeStep, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	p, err := r.problem(ctx, x, y, weight)
	if err != nil {
		return nil, err
	}
	return p.path(ctx, r.lambdas())
}

// BestRidge returns the step with the least leave-one-out error, of several the one
// with the largest λ; nil without steps.
func BestRidge(steps []RidgeStep) *RidgeStep {
	var best *RidgeStep
	for i := range steps {
		s := &steps[i]
		if best == nil || s.LOO < best.LOO || s.LOO == best.LOO && s.Lambda > best.Lambda {
			best = s
		}
	}
	return best
}

// FitTargets fits one function for each column of y, as LeaveOneOut has it, and
// chooses one λ for all.
// When ctx ends the functions are 0 everywhere and the status says so.
func (r Ridge) FitTargets(
	ctx context.Context, x data.Source[data.Vector], y *data.Matrix, weight []float64,
) ([]*Regressor, learn.Report, error) {
	began := time.Now()
	steps, err := r.LeaveOneOut(ctx, x, y, weight)
	if learn.Interrupted(ctx, err) {
		zero := make([]*Regressor, y.Cols)
		for k := range zero {
			zero[k] = &Regressor{W: make([]float64, data.Dim(x))}
		}
		return zero, learn.Report{Status: learn.Stopped(ctx), Elapsed: time.Since(began)}, nil
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	best := BestRidge(steps)
	report := learn.Report{Status: learn.Converged, Iterations: 1, Objective: best.Objective, Elapsed: time.Since(began)}
	return best.Models, report, nil
}

// FitValues fits a function to the numbers d.Y.
func (r Ridge) FitValues(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Regressor, learn.Report, error) {
	models, report, err := r.FitTargets(ctx, d.X, &data.Matrix{Rows: len(d.Y), Cols: 1, Data: d.Y}, d.Weight)
	if err != nil {
		return nil, report, err
	}
	return models[0], report, nil
}

// Fit learns to separate the labels +1 and -1, taken as numbers. The separator
// has Unit 1 with Intercept and 0 without.
func (r Ridge) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	if err := r.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	if err := learn.CheckBinary(d.X.Len(), d.Y, d.Weight); err != nil {
		return nil, learn.Report{}, err
	}
	m, report, err := r.FitValues(ctx, d)
	if err != nil {
		return nil, report, err
	}
	return r.separator(m), report, nil
}

// separator returns a function as a separator.
func (r Ridge) separator(m *Regressor) *Separator {
	s := &Separator{W: m.W, Bias: m.Bias}
	if r.Intercept {
		s.Unit = 1
	}
	return s
}

// FitClasses learns many classes from labels that are class indices from 0 to
// classes-1: one target for each class against the rest, +1 and -1, all at once.
func (r Ridge) FitClasses(
	ctx context.Context, d data.Labeled[data.Vector, int], classes int,
) (*learn.Multi[data.Vector, *Separator], learn.Report, error) {
	if err := errors.Join(r.Validate(), learn.Fields("ridge").AtLeast(2, "classes", classes)); err != nil {
		return nil, learn.Report{}, err
	}
	n := d.X.Len()
	if err := learn.CheckClasses(n, d.Y, d.Weight, classes); err != nil {
		return nil, learn.Report{}, err
	}
	columns := learn.Separators(classes)
	if err := r.Run.Reserve("the targets", 8*float64(n)*float64(columns), "learn from fewer rows"); err != nil {
		return nil, learn.Report{}, err
	}
	y := data.NewMatrix(n, columns)
	for k := range columns {
		for i, label := range learn.Against(nil, d.Y, learn.PositiveClass(k, classes)) {
			y.Row(i)[k] = label
		}
	}
	models, report, err := r.FitTargets(ctx, d.X, y, d.Weight)
	if err != nil {
		return nil, report, err
	}
	binary := make([]*Separator, columns)
	for k, m := range models {
		binary[k] = r.separator(m)
	}
	multi, err := learn.NewMulti[data.Vector](classes, binary)
	return multi, report, err
}
