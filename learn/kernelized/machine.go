package kernelized

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// defaultTolerance and defaultIterations are those of all support vector
// machines here.
const (
	defaultTolerance  = 1e-3
	defaultIterations = 10_000_000
)

// machine is what the recipes of support vector machines have in common.
type machine[T any] struct {
	name       string
	kernel     kernel.Kernel[T]
	tolerance  float64
	iterations int
	shrinks    bool
	checkpoint Checkpoint
	ctl        run.Control
	rows       *rowStore[T] // nil where problems share none
	squares    *squares     // for problems that are many and small; nil for others
	warm       *warmth[T]   // of fits along a path; nil for a fit by itself
}

// validate reports every field that is out of range.
func (m machine[T]) validate(more ...error) error {
	f := learn.Fields(m.name)
	return errors.Join(checkKernel(m.name, m.kernel), errors.Join(more...), f.Positive("tolerance", m.tolerance),
		f.AtLeast(1, "max iterations", m.iterations), m.checkpoint.Validate(m.name))
}

// checkTargets reports what is wrong with the real targets of d and with its
// weights.
func checkTargets[T any](d data.Labeled[T, float64]) error {
	n := d.X.Len()
	if n != len(d.Y) {
		return fmt.Errorf("there are %d instances and %d targets; each instance needs one", n, len(d.Y))
	}
	if n == 0 {
		return learn.ErrNoRows
	}
	for i, v := range d.Y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &learn.DataError{Row: i, Problem: fmt.Sprintf("target is %v and must be a finite number", v)}
		}
	}
	return learn.CheckWeights(n, d.Weight)
}

// solution is a solved dual.
type solution struct {
	dual   *dual
	scores []float64
	report learn.Report // without Elapsed
	exact  bool         // the scores are of double precision, and dear to compute again
}

// fit minimises the dual on the instances x, and returns the model with the bias
// and the scale that shape finds for the solution.
func (m machine[T]) fit(
	ctx context.Context, start time.Time, x data.Source[T], d *dual, shape func(*solution) (bias, scale float64),
) (*Expansion[T], learn.Report, error) {
	if m.warm != nil {
		m.rows = m.warm.rows
	}
	m.warm.room(1)
	s, err := m.solveFrom(ctx, x, d, m.warm, 0)
	if err != nil {
		return nil, learn.Report{}, err
	}
	bias, scale := shape(s)
	index, weight, b := s.expansion(bias, scale)
	e := &Expansion[T]{Kernel: m.kernel, Support: take(x, index), Weight: weight, Bias: b, kept: new(kept[T])}
	if s.exact {
		e.Fitted, e.Places = data.NewMatrix(len(s.scores), 1), index
		for i, v := range s.scores {
			e.Fitted.Data[i] = v / scale
		}
	}
	s.report.Elapsed = time.Since(start)
	return e, s.report, nil
}

// level is the shape of a machine with one bias.
func (s *solution) level() (bias, scale float64) { return s.dual.levels(s.scores)[0], 1 }

// middle is the shape of one with a level on each side.
func (s *solution) middle() (bias, scale float64) {
	level := s.dual.levels(s.scores)
	return (level[0] + level[1]) / 2, 1
}

// solveFrom is solve from the solution of the separator before, where there is
// one.
func (m machine[T]) solveFrom(
	ctx context.Context, x data.Source[T], d *dual, warm *warmth[T], separator int,
) (*solution, error) {
	// Variables and scores, the matrix of a working set and its triangle, and rows.
	set, rows := float64(min(workingMost, len(d.b))), float64(min(rowsAtOnce, d.n))
	memory := 64*float64(len(d.b)) + 16*set*set + 8*rows*float64(d.n)
	if err := m.ctl.Reserve("a support vector machine", memory, "train on fewer rows"); err != nil {
		return nil, err
	}
	s := &smo[T]{kernel: m.kernel, x: x, tolerance: m.tolerance, iterations: m.iterations, shrinks: m.shrinks &&
		d.n >= shrinkFrom, ctl: m.ctl, checkpoint: m.checkpoint, dual: d, rows: m.rows}
	s.start = warm.begin(separator, d)
	if m.squares != nil && s.small() {
		s.squares = m.squares
	}
	if s.rows == nil {
		s.rows = &rowStore[T]{}
	}
	s.ctl.Counter = &s.rows.counter
	before := s.rows.counter.Count()
	report, err := s.solve(ctx)
	report.Evaluations = s.rows.counter.Count() - before
	m.ctl.Counter.Add(report.Evaluations)
	if err != nil {
		return nil, err
	}
	out := &solution{dual: d, scores: s.scores, report: report, exact: s.state.phase == double && d.n >= singleFrom}
	warm.end(separator, out)
	return out, nil
}

// expansion returns the model of the solution, its weights divided by scale, and
// completes the report.
func (s *solution) expansion(bias, scale float64) (index []int, weight []float64, b float64) {
	index, weight = nonZero(s.dual.beta())
	for k := range weight {
		weight[k] /= scale
	}
	s.report.Support = len(index)
	return index, weight, bias / scale
}
