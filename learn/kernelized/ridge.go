package kernelized

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Ridge is ridge regression in the feature space of a kernel,
//
//	min over w  Lambda·|w|² + (1/2m) Σ (w·φ(x_i) - y_i)²
//
// (Shalev-Shwartz and Ben-David 2014, equation 16.8). Its solution is
// w = Σ α_i φ(x_i) with
//
//	(G + 2·Lambda·m·I)·α = y,   G_ij = K(x_i, x_j)
//
// which docs/math/kernel-ridge.md derives. The instances may have weights c_i,
// which stand before the squares, with their sum in the place of m: an instance
// of weight k counts as k instances.
//
// With Tolerance 0 the system is solved exactly, by Cholesky in float64, for any
// number of targets at once. Cost: n(n+1)/2 kernel evaluations, n³/3 operations and
// 8·n² bytes. With Run.Precision float32 G is computed and factorised in float32, which
// takes half the time, and the solution refined until its residual for G as rounded is at
// most 1e-5·|y|; where the condition is too much for that it is float64 after all.
//
// With a Tolerance above 0 it is solved by conjugate gradients until the residual of
// each target is at most Tolerance·|y|, which is then the most by which the scores
// of the instances differ from the exact ones, as a vector. They are preconditioned
// by a Nyström approximation from Rank landmarks drawn at random (Frangella, Tropp
// and Udell 2021): 2·n·Rank² operations and 8·n·Rank bytes. A step takes 2·n²
// operations a target. Half of K is kept, 4·n² bytes or with Run.Precision float32
// 2·n², where it fits into half of the run's memory, and else computed anew in each
// step; the result is the same bits either way. With float32 a small Lambda may keep
// a small Tolerance out of reach; the status says so.
//
// Falkon is for samples for which that is too much. RidgeClassifier is the same with labels for targets.
type Ridge[T any] struct {
	Kernel kernel.Kernel[T]
	Lambda float64 // penalty of |w|², positive; default 1e-3

	Tolerance     float64 // on each residual relative to |y|, below 1; 0, the default, solves exactly
	MaxIterations int     // steps of conjugate gradients, at least 1; default 100
	Rank          int     // landmarks of their preconditioner; 0 takes the least of 10·√n, n/4 and 2000
	Seed          uint64  // of these landmarks

	Run run.Control
}

// NewRidge returns the recipe with its defaults.
func NewRidge[T any](k kernel.Kernel[T]) Ridge[T] {
	return Ridge[T]{Kernel: k, Lambda: 1e-3, MaxIterations: 100}
}

// Validate reports every field that is out of range.
func (r Ridge[T]) Validate() error {
	const fields = learn.Fields("kernel ridge")
	faults := []error{checkKernel("kernel ridge", r.Kernel), fields.Positive("lambda", r.Lambda)}
	if !(r.Tolerance >= 0 && r.Tolerance < 1) {
		faults = append(faults, fmt.Errorf("kernel ridge: tolerance is %v and must be at least 0 and below 1", r.Tolerance))
	}
	if r.Tolerance > 0 {
		faults = append(faults, fields.AtLeast(1, "max iterations", r.MaxIterations))
	}
	return errors.Join(append(faults, fields.AtLeast(0, "rank", r.Rank))...)
}

// checkKernel reports a kernel that is missing or has a parameter out of range.
func checkKernel[T any](name string, k kernel.Kernel[T]) error {
	if k == nil {
		return fmt.Errorf("%s: kernel is missing", name)
	}
	return kernel.Validate(k)
}

// Fit learns from d, whose labels are the targets. In the report Objective is
// the least value of the problem as above; Iterations is 1. When ctx ends the
// model is 0 everywhere.
//
// With a Tolerance above 0 Objective is the value at the model, Gap bounds how much
// larger than the least it is, and Iterations counts steps. The status is Converged
// when all residuals are within Tolerance, and IterationLimit when MaxIterations or
// the precision did not suffice, or K is no kernel and the matrix not positive
// definite. When ctx ends the model is the best so far, 0 everywhere before the
// first step.
func (r Ridge[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Regression[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(r.Validate(), checkTargets(d)); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := r.solve(ctx, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, false, nil)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return &Regression[T]{*r.expansion(d.X, s)}, s.finish(start), nil
}

// FitLeaveOneOut is Fit, and returns beside the model the residuals
// y_i - f_i(x_i) of the models f_i that are learnt from all instances but i at
// the same 2·Lambda·m. They cost n³/3 operations and 12·n² bytes more, and no
// further fits. When ctx ends there are none. Tolerance must be 0.
func (r Ridge[T]) FitLeaveOneOut(
	ctx context.Context, d data.Labeled[T, float64],
) (*Regression[T], []float64, learn.Report, error) {
	start := time.Now()
	if err := errors.Join(r.Validate(), checkTargets(d), r.exact()); err != nil {
		return nil, nil, learn.Report{}, err
	}
	s, err := r.solve(ctx, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, true, nil)
	if err != nil {
		return nil, nil, learn.Report{}, err
	}
	return &Regression[T]{*r.expansion(d.X, s)}, s.leftOut, s.finish(start), nil
}

// exact reports a tolerance where the factor itself is needed.
func (r Ridge[T]) exact() error {
	if r.Tolerance > 0 {
		return fmt.Errorf("kernel ridge: tolerance is %v and must be 0 to leave one instance out", r.Tolerance)
	}
	return nil
}

// FitOutputs learns several targets of the same instances at once: column k of y
// is the target that score k of the model predicts, as Fit would. The weights of
// the instances are nil for 1 each. Objective is the sum of those of the targets.
func (r Ridge[T]) FitOutputs(ctx context.Context, x data.Source[T], y *data.Matrix, weight []float64) (
	*MultiExpansion[T], learn.Report, error,
) {
	start := time.Now()
	if err := errors.Join(r.Validate(), checkOutputs("kernel ridge", x.Len(), y, weight)); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := r.solve(ctx, ridgeSample[T]{x, transposed(y), weight}, false, nil)
	if err != nil {
		return nil, learn.Report{}, err
	}
	e := multiExpansionOf(r.Kernel, x, s.weight)
	e.Fitted = s.scores
	return e, s.finish(start), nil
}

// RidgeClassifier is Ridge with the labels +1 and -1 as targets: least-squares
// classification. Its model predicts the sign of the regression.
type RidgeClassifier[T any] struct{ Ridge[T] }

// NewRidgeClassifier returns the recipe with its defaults.
func NewRidgeClassifier[T any](k kernel.Kernel[T]) RidgeClassifier[T] {
	return RidgeClassifier[T]{NewRidge(k)}
}

// Fit learns from d, whose labels are +1 and -1.
func (r RidgeClassifier[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(r.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := r.solve(ctx, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, false, nil)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return r.expansion(d.X, s), s.finish(start), nil
}

// FitClasses learns one separator a class against the rest, a single one for two
// classes, with one factorisation for all. Each is what Fit would have found.
func (r RidgeClassifier[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(r.Validate(), checkClasses("kernel ridge", d, classes)); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := r.solve(ctx, ridgeSample[T]{d.X, against(d.Y, classes), d.Weight}, false, nil)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return r.classes(d.X, s, classes), s.finish(start), nil
}

// ridgeSample is a sample with several targets, a row each.
type ridgeSample[T any] struct {
	x      data.Source[T]
	y      *data.Matrix
	weight []float64 // of each instance; nil for 1
}

// ridgeSolution is a solved system.
type ridgeSolution struct {
	weight  *data.Matrix // α, a row a target; all zero when ctx ended
	leftOut []float64    // residuals of the first target without each instance
	scores  *data.Matrix // Gα, an instance a row, of conjugate gradients that came to an end; else nil
	report  learn.Report
}

// expansion returns the model of the first target.
func (r Ridge[T]) expansion(x data.Source[T], s *ridgeSolution) *Expansion[T] {
	e := expansionOf(r.Kernel, x, s.weight.Row(0))
	e.Fitted = s.scores
	return e
}

// classes returns the model of a separator a class, one for two.
func (r Ridge[T]) classes(x data.Source[T], s *ridgeSolution, classes int) *MultiExpansion[T] {
	e := multiExpansionOf(r.Kernel, x, perClass(s.weight, classes))
	e.Fitted = s.scores
	return e
}

func (s *ridgeSolution) finish(start time.Time) learn.Report {
	s.report.Elapsed = time.Since(start)
	return s.report
}

// solve minimises the objective for each row of y. With S = diag(√c_i) the
// system is (SGS + μI)·β = Sy, α = Sβ, which keeps instances of no weight from
// dividing by it. The matrix G is kept for further solutions where there is a
// place for it.
func (r Ridge[T]) solve(
	ctx context.Context, d ridgeSample[T], leaveOut bool, kept *ridgeKept[T],
) (*ridgeSolution, error) {
	if r.Tolerance > 0 {
		return r.descend(ctx, d, kept)
	}
	n := d.x.Len()
	memory := 8 * float64(n) * (float64(n) + 2*float64(d.y.Rows))
	if leaveOut {
		memory += 12 * float64(n) * float64(n)
	}
	if err := r.Run.Reserve("kernel ridge", memory, "train on fewer rows, or on landmarks"); err != nil {
		return nil, err
	}
	s := &ridgeSolution{weight: data.NewMatrix(d.y.Rows, n)}
	evaluations, err := counted(r.Run, func(ctl run.Control) error { return r.fill(ctx, ctl, s, d, leaveOut, kept) })
	s.report.Evaluations = evaluations
	if err != nil && !learn.Interrupted(ctx, err) {
		return nil, err
	}
	if err != nil {
		s.report.Status, s.leftOut = learn.Stopped(ctx), nil
		clear(s.weight.Data)
		return s, nil
	}
	s.report.Status, s.report.Iterations, s.report.Support = learn.Converged, 1, d.support()
	return s, nil
}

// support returns the number of instances that have weight.
func (d ridgeSample[T]) support() int {
	if d.weight == nil {
		return d.x.Len()
	}
	live := 0
	for _, c := range d.weight {
		if c > 0 {
			live++
		}
	}
	return live
}

// fill computes the weights, the objective and the residuals.
func (r Ridge[T]) fill(
	ctx context.Context, ctl run.Control, s *ridgeSolution, d ridgeSample[T], leaveOut bool, kept *ridgeKept[T],
) error {
	x, y := d.x, d.y
	if r.Run.Precision == run.Float32 && !leaveOut {
		if done, err := r.single(ctx, ctl, s, d, kept); err != nil {
			return err
		} else if done {
			return r.weigh(s, y)
		}
	}
	g, err := kept.matrix(ctx, ctl, func() (*data.Matrix, error) { return gram.Symmetric(ctx, ctl, r.Kernel, x) })
	if err != nil {
		return err
	}
	total, root := d.roots()
	mu := 2 * r.Lambda * total
	if d.weight != nil {
		if err := scaleLower(ctx, ctl, g, root); err != nil {
			return err
		}
	}
	for i := range g.Rows {
		g.Row(i)[i] += mu
	}
	if err := factorise(ctx, ctl, g); err != nil {
		return err
	}
	beta := s.weight
	scaleColumns(beta, y, root)
	for _, transposed := range []bool{false, true} {
		if err := lowerOf(g.Data, g.Rows).solve(ctx, ctl, beta.Data, transposed); err != nil {
			return err
		}
	}
	if leaveOut {
		if s.leftOut, err = leftOut(ctx, ctl, g, beta.Row(0), root); err != nil {
			return err
		}
	}
	for k := range y.Rows {
		row := beta.Row(k)
		for i := range row {
			row[i] *= root[i]
		}
	}
	if err := r.weigh(s, y); err != nil {
		return err
	}
	if leaveOut { // an instance of no weight is left out of the model already
		return r.residualsOf(ctx, ctl, s, d)
	}
	return nil
}

// weigh computes the objective, at whose minimum it is Lambda·yᵀα.
func (r Ridge[T]) weigh(s *ridgeSolution, y *data.Matrix) error {
	for k := range y.Rows {
		s.report.Objective += r.Lambda * vmath.Dot(y.Row(k), s.weight.Row(k))
	}
	if vmath.Finite(s.weight.Data) >= 0 || vmath.Finite([]float64{s.report.Objective}) >= 0 {
		return fmt.Errorf("kernel ridge: %w", errOverflow)
	}
	return nil
}

// roots returns W = Σ c_i and √c_i.
func (d ridgeSample[T]) roots() (total float64, root []float64) {
	root = learn.Weights(d.x.Len(), d.weight)
	for i, c := range root {
		total += c
		root[i] = math.Sqrt(c)
	}
	return total, root
}

// scaleColumns sets dst = m·diag(root).
func scaleColumns(dst, m *data.Matrix, root []float64) {
	for k := range m.Rows {
		to := dst.Row(k)
		for i, v := range m.Row(k) {
			to[i] = root[i] * v
		}
	}
}

// factorise is Cholesky with advice.
func factorise(ctx context.Context, ctl run.Control, g *data.Matrix) error {
	err := linalg.Cholesky(ctx, ctl, g)
	var fault *linalg.NotPositiveError
	if errors.As(err, &fault) {
		return fmt.Errorf("kernel ridge: %w; raise lambda, or take a similarity that is a kernel", err)
	}
	return err
}

// scaleLower multiplies row i by root[i] and column j by root[j], on and below
// the diagonal.
func scaleLower(ctx context.Context, ctl run.Control, g *data.Matrix, root []float64) error {
	return par.For(ctx, ctl, "", par.Blocks(g.Rows, scaleRows), func(b int) error {
		lo, hi := par.Range(b, g.Rows, scaleRows)
		for i := lo; i < hi; i++ {
			vmath.ScaleRow(g.Row(i)[:i+1], root[i], root[:i+1])
		}
		return nil
	})
}

// scaleRows is how many rows are scaled by one task.
const scaleRows = 64

// leftOut returns the residuals without each instance: α_i/(A⁻¹)_ii for
// A = G + μC⁻¹, in terms of the factor L of SAS, whose inverse has the diagonal
// Σ_k (L⁻¹)_ki². Where the weight is 0 it leaves 0.
func leftOut(ctx context.Context, ctl run.Control, l *data.Matrix, beta, root []float64) ([]float64, error) {
	inverse, err := linalg.InvertLower(ctx, ctl, l)
	if err != nil {
		return nil, err
	}
	n := len(beta)
	diag := make([]float64, n)
	square := make([]float64, n)
	for k := range n {
		row := inverse.Row(k)[:k+1]
		for i, v := range row {
			square[i] = v * v
		}
		vmath.Axpy(diag[:k+1], 1, square[:k+1])
	}
	residual := make([]float64, n)
	for i := range residual {
		if root[i] > 0 {
			residual[i] = beta[i] / (root[i] * diag[i])
		}
	}
	return residual, nil
}

// residualsOf sets the residuals of the instances of no weight, which are those
// of the model itself.
func (r Ridge[T]) residualsOf(ctx context.Context, ctl run.Control, s *ridgeSolution, d ridgeSample[T]) error {
	var idle []int
	for i, c := range d.weight {
		if c == 0 {
			idle = append(idle, i)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	scores := make([]float64, len(idle))
	if err := gram.Bind(r.Kernel, d.x).Product(ctx, ctl, scores, data.Subset[T]{Of: d.x, Index: idle},
		s.weight.Row(0)); err != nil {
		return err
	}
	for k, i := range idle {
		s.leftOut[i] = d.y.Row(0)[i] - scores[k]
	}
	return nil
}
