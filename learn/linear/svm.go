package linear

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// SVM is the soft-margin support vector machine,
//
//	min_w  P(w) = ½|w|² + C·Σ c·max(0, 1 - y(w·x))
//
// with x and w extended by the constant coordinate and c the weight of a row, 1
// unless the sample says otherwise: a row of weight k counts as k rows. The squared
// hinge loss has the square of the maximum in its place. There are two ways to
// the optimum, between which Pick chooses by the shape of the data.
//
// Where rows are sparse and long, or few, the machine is solved in its dual,
//
//	max_α  D(α) = Σ α - ½|Σ α·y·x|²,   0 ≤ α ≤ C·c
//
// by coordinate descent over the rows in random order with shrinking (Hsieh,
// Chang, Lin, Keerthi and Sundararajan 2008, algorithm 3), helped by stages of
// growing C and by steps of conjugate gradients.
//
// Elsewhere it is solved by Newton's method on P (Keerthi and DeCoste 2005),
// with the hinge loss smoothed in a band around its corner that narrows
// (Chapelle 2007), first on parts of the rows that grow; docs/math/smoothed-hinge.md
// derives it. From a gap of 1e-5 on, descent goes on with the hinge loss.
//
// Every P(w) is above every D(α); the fit stops when their gap is at most
// Tolerance·P(w), so that P(w) is within that of the optimum.
//
// Cost: one inner product and at most one update a row and pass, O(n·d);
// memory O(n + d) beside the data, O(n + d²) for Newton's method. The passes of
// descent grow with C and with unevenly scaled coordinates: bring them to one
// scale first. Newton's method takes some tens whatever they are.
type SVM struct {
	C         float64 // penalty of a unit of loss, positive; default 1
	Tolerance float64 // duality gap relative to the objective, at least 0; default 1e-3
	MaxPasses int     // passes over the rows, at least 1; default 1000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Loss      Loss    // default Hinge
	Solver    Solver  // default Auto: by the shape of the data
	Seed      uint64  // of the order of rows in each pass
	Run       run.Control
}

// NewSVM returns the recipe with its defaults.
func NewSVM() SVM { return SVM{C: 1, Tolerance: 1e-3, MaxPasses: 1000, Unit: 1} }

// Validate reports every field that is out of range.
func (s SVM) Validate() error {
	const f = learn.Fields("svm")
	return errors.Join(f.Positive("C", s.C), f.NotNegative("tolerance", s.Tolerance),
		f.AtLeast(1, "max passes", s.MaxPasses), f.NotNegative("unit", s.Unit), s.Loss.check(), s.Solver.check())
}

// Fit learns from d. The status is Converged when the gap is within Tolerance
// and IterationLimit when MaxPasses did not suffice. In the report Objective is
// P at the returned separator, Gap how far above the optimum that can be, and
// Support the number of rows with α > 0.
//
// When ctx ends the result is the best so far, after one more pass over the
// data to evaluate it.
func (s SVM) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	separator, _, report, err := s.FitDual(ctx, d, nil)
	return separator, report, err
}

// FitDual is Fit from a given dual point, which also returns the dual point it
// ends at. A start of nil is α = 0; otherwise it holds a number a row, which
// is brought into [0, C·c], or into [0, 2C·Σ c] for the squared loss. When
// descent has Converged, w = Σ α·y·x; Newton's method returns the dual point
// α = -C·c·ℓ'(y(w·x)) that its gap is to. With the solver Auto and the hinge
// loss a start that is given is taken up by descent, which uses it as it is.
func (s SVM) FitDual(
	ctx context.Context, d data.Labeled[data.Vector, float64], start []float64,
) (*Separator, []float64, learn.Report, error) {
	began := time.Now()
	if err := s.Validate(); err != nil {
		return nil, nil, learn.Report{}, err
	}
	n := d.X.Len()
	if start != nil && len(start) != n {
		return nil, nil, learn.Report{}, fmt.Errorf("svm: the dual start has %d numbers for %d rows", len(start), n)
	}
	sample, err := gather(ctx, s.Run, d, s.Unit)
	if learn.Interrupted(ctx, err) {
		separator, report := s.untrained(ctx, d)
		report.Elapsed = time.Since(began)
		return separator, make([]float64, n), report, nil
	}
	if err != nil {
		return nil, nil, learn.Report{}, err
	}
	if s.solver(sample, 1) == Newton && (start == nil || s.Solver == Newton || s.Loss != Hinge) {
		f, err := s.fitNewton(ctx, sample, [][]float64{d.Y}, [][]float64{start})
		if err != nil {
			return nil, nil, learn.Report{}, err
		}
		report := f.reports[0]
		report.Elapsed = time.Since(began)
		return f.separator(0), f.dual(0), report, nil
	}
	sample, order := sample.pack(ctx, s.Run, s.Seed)
	dual := newDescent(sample, s.machine(sample), s.C, inOrder(start, order))
	w, report := s.descend(ctx, dual)
	report.Elapsed = time.Since(began)
	return w.separator(s.Unit), fromOrder(dual.alpha, order), report, nil
}

// untrained is the result when ctx ended before the first pass: w = 0, where
// P = C·n and D(0) = 0.
func (s SVM) untrained(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report) {
	p := 0.0
	for _, c := range penalties(s.C, d.Weight, d.X.Len()) {
		p += c
	}
	return newWeights(data.Dim(d.X)).separator(s.Unit), learn.Report{Status: learn.Stopped(ctx), Objective: p, Gap: p}
}
