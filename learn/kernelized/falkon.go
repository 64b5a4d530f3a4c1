package kernelized

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Falkon is ridge regression in the feature space of a kernel with w confined to
// the span of some landmarks z_1 … z_m,
//
//	min over α  Lambda·|w|² + (1/2n) Σ (w·φ(x_i) - y_i)²,   w = Σ α_j φ(z_j)
//
// solved by conjugate gradients with the preconditioner of Falkon (Rudi,
// Carratino and Rosasco 2017), which is the matrix of the problem with the
// landmarks in the place of the sample. The objective is that of Ridge, with the
// same weights of instances; Falkon's own papers write λ for 2·Lambda. With m of
// the order of √n landmarks drawn at random and Lambda of the order of 1/√n, it
// learns as fast in n as Ridge does (their theorem 3), in a number of steps of
// the order of log n.
//
// Cost: the n·m values of K are computed once and kept where they fit into half
// of the run's memory, and else computed anew in each step, in tiles that are
// never stored; a step adds 4·n·m operations a target. The preconditioner takes
// 4m³/3 operations and 16·m² bytes. With Run.Precision float32 the values of K
// are single and all else is double. The result is the same bits either way.
//
// Landmarks may depend on each other to rounding. The matrix K_mm of their
// kernel values has a multiple ε of I added, which adds Lambda·ε·|α|² to the
// objective; docs/math/kernel-ridge.md says how ε is chosen.
//
// FalkonClassifier is the same with labels for targets.
type Falkon[T any] struct {
	Kernel        kernel.Kernel[T]
	Lambda        float64        // penalty of |w|², positive; default 1e-6
	Landmarks     int            // how many instances to draw as landmarks, at least 1; default 1000
	Centers       data.Source[T] // landmarks to take instead; nil draws them
	Start         []float64      // weights of the landmarks to begin with, one each; nil begins at 0
	Tolerance     float64        // on the gradient relative to that at 0, preconditioned, from 0 to 1; default 1e-4
	MaxIterations int            // steps of conjugate gradients, at least 1; default 50
	Seed          uint64         // of the landmarks

	// Checkpoint keeps the state of the conjugate gradients of a single Lambda,
	// a round a step: 24 bytes a landmark and target. The preconditioner is
	// computed again.
	Checkpoint Checkpoint

	Run run.Control
}

// NewFalkon returns the recipe with its defaults.
func NewFalkon[T any](k kernel.Kernel[T]) Falkon[T] {
	return Falkon[T]{Kernel: k, Lambda: 1e-6, Landmarks: 1000, Tolerance: 1e-4, MaxIterations: 50}
}

func (f Falkon[T]) machine() machine[T] {
	return machine[T]{name: "falkon", kernel: f.Kernel, checkpoint: f.Checkpoint}
}

// Validate reports every field that is out of range.
func (f Falkon[T]) Validate() error {
	const fields = learn.Fields("falkon")
	faults := []error{checkKernel("falkon", f.Kernel), fields.Positive("lambda", f.Lambda)}
	if f.Centers == nil {
		faults = append(faults, fields.AtLeast(1, "landmarks", f.Landmarks))
	} else if f.Centers.Len() < 1 {
		faults = append(faults, errors.New("falkon: centers has no instances and must have at least 1"))
	}
	if !(f.Tolerance >= 0) || f.Tolerance > 1 {
		faults = append(faults, fmt.Errorf("falkon: tolerance is %v and must be from 0 to 1", f.Tolerance))
	}
	faults = append(faults, fields.AtLeast(1, "max iterations", f.MaxIterations), f.Checkpoint.Validate("falkon"))
	return errors.Join(faults...)
}

// Fit learns from d, whose labels are the targets. The model has a weight a
// landmark, in order. The status is Converged when the gradient is within
// Tolerance, IterationLimit when MaxIterations did not suffice. In the report
// Gradient is the length of the gradient in the coordinates β of the
// preconditioner, in which the objective is near 1/2|β|² but for a linear term,
// and Objective is the value of the problem; both are those of the recurrences
// and in float32 good to six digits of (1/2n)Σy_i².
//
// When ctx ends the model is the best so far: 0 everywhere before the first
// step.
func (f Falkon[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Regression[T], learn.Report, error) {
	if err := errors.Join(f.Validate(), checkTargets(d)); err != nil {
		return nil, learn.Report{}, err
	}
	return fitFalkon(ctx, f, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, (*falkon[T]).regression)
}

// FitOutputs learns several targets of the same instances at once: column k of y
// is the target that score k of the model predicts, as Fit would. The weights of
// the instances are nil for 1 each. Start must not be set. Objective and the evaluations are those of all targets.
func (f Falkon[T]) FitOutputs(ctx context.Context, x data.Source[T], y *data.Matrix, weight []float64) (
	*MultiExpansion[T], learn.Report, error,
) {
	if err := errors.Join(f.Validate(), checkOutputs("falkon", x.Len(), y, weight), f.startless()); err != nil {
		return nil, learn.Report{}, err
	}
	return fitFalkon(ctx, f, ridgeSample[T]{x, transposed(y), weight}, (*falkon[T]).model)
}

func (f Falkon[T]) startless() error {
	if f.Start != nil {
		return errors.New("falkon: start is for a single target")
	}
	return nil
}

// fitFalkon solves for the recipe's Lambda.
func fitFalkon[T, M any](
	ctx context.Context, f Falkon[T], d ridgeSample[T], model func(*falkon[T], *data.Matrix) M,
) (none M, report learn.Report, err error) {
	p, err := newFalkon(f, d, false)
	if err != nil {
		return none, learn.Report{}, err
	}
	defer p.ground()
	w, report, err := p.next(ctx, f.Lambda)
	if err != nil {
		return none, learn.Report{}, err
	}
	return model(p, w), report, nil
}

// model returns the expansion over the landmarks with the weights of row k in
// score k.
func (p *falkon[T]) model(weight *data.Matrix) *MultiExpansion[T] {
	return &MultiExpansion[T]{Kernel: p.recipe.Kernel, Support: p.landmarks, Weight: transposed(weight)}
}

// expansion returns that of a single target.
func (p *falkon[T]) expansion(weight *data.Matrix) *Expansion[T] {
	return &Expansion[T]{Kernel: p.recipe.Kernel, Support: p.landmarks, Weight: slices.Clone(weight.Row(0)),
		kept: new(kept[T])}
}

func (p *falkon[T]) regression(weight *data.Matrix) *Regression[T] {
	return &Regression[T]{*p.expansion(weight)}
}

// FalkonClassifier is Falkon with the labels +1 and -1 as targets. Its model
// predicts the sign of the regression.
type FalkonClassifier[T any] struct{ Falkon[T] }

// NewFalkonClassifier returns the recipe with its defaults.
func NewFalkonClassifier[T any](k kernel.Kernel[T]) FalkonClassifier[T] {
	return FalkonClassifier[T]{NewFalkon(k)}
}

// Fit learns from d, whose labels are +1 and -1.
func (f FalkonClassifier[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	if err := errors.Join(f.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	return fitFalkon(ctx, f.Falkon, ridgeSample[T]{d.X, rowMatrix(d.Y), d.Weight}, (*falkon[T]).expansion)
}

// FitClasses learns one separator a class against the rest, a single one for two
// classes, all in the same passes over K. Each is what Fit would have found.
// Start must not be set.
func (f FalkonClassifier[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	if err := errors.Join(f.Validate(), checkClasses("falkon", d, classes), f.startless()); err != nil {
		return nil, learn.Report{}, err
	}
	return fitFalkon(ctx, f.Falkon, ridgeSample[T]{d.X, against(d.Y, classes), d.Weight},
		func(p *falkon[T], w *data.Matrix) *MultiExpansion[T] { return p.model(perClass(w, classes)) })
}

// Constants of the work of a step, for each row and landmark: they bear on what is said of the time left alone.
const (
	landmarkStep   = 32
	landmarkOutput = 3.2 // of that, for each target
)

// work is about how much there is to do before the first step, and in all steps: it bears
// on what is said of the time left, and on nothing else.
func (p *falkon[T]) work() (first, steps float64) {
	n, m := float64(p.x.Len()), float64(p.landmarks.Len())
	return 1.4*m*m*m + n*m*pairWork, m*m*m/3 + usualSteps*n*m*(landmarkStep+landmarkOutput*float64(p.y.Rows))
}

// stages prepares where that has not been done, and solves.
func (p *falkon[T]) stages(ctx context.Context, r *learn.Report, lambda float64) error {
	first, steps := p.work()
	stages := p.recipe.Run.Progress.Divide("train", first+steps)
	defer stages.End()
	if p.right == nil {
		stages.Next("landmarks", first)
		if err := p.prepare(ctx); err != nil {
			return err
		}
	}
	stages.Next("steps", steps)
	err := p.solve(ctx, p.current, r, lambda, p.warm)
	var lost *gram.LostError
	p.warm = p.warm || !errors.As(err, &lost)
	return err
}

// next solves for a penalty from the weights that the penalty before ended at. When
// ctx ends they are the best so far.
func (p *falkon[T]) next(ctx context.Context, lambda float64) (*data.Matrix, learn.Report, error) {
	start := time.Now()
	var r learn.Report
	if p.current == nil {
		p.current = data.NewMatrix(p.y.Rows, p.landmarks.Len())
		if p.recipe.Start != nil {
			copy(p.current.Row(0), p.recipe.Start)
			p.warm = true
		}
	}
	err := p.stages(ctx, &r, lambda)
	if p.lost(err) {
		r = learn.Report{}
		err = p.stages(ctx, &r, lambda)
	}
	if err != nil && !learn.Interrupted(ctx, err) {
		return nil, r, err
	}
	if err != nil {
		r.Status = learn.Stopped(ctx)
	}
	r.Support = p.landmarks.Len()
	r.Evaluations = p.counter.Count() - p.counted
	p.counted = p.counter.Count()
	p.recipe.Run.Counter.Add(r.Evaluations)
	r.Elapsed = max(1, time.Since(start))
	return clone(p.current), r, nil
}
