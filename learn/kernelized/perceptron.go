package kernelized

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Perceptron is the perceptron in the feature space of a kernel. It counts
// the mistakes t_p made on each instance p, which give the separator
//
//	w = Σ t_p·y_p·φ(p)
//
// and, on each instance with y(w·φ(x)) ≤ 0, adds 1 to its count, until a pass
// has no mistake (Tao's lecture on kernels; Aizerman, Braverman and Rozonoer
// 1964).
//
// If some unit vector u has y(u·φ(x)) ≥ γ on all instances and K(x, x) ≤ R²,
// it makes at most R²/γ² mistakes (Novikoff 1962); kernel.Normalize makes
// R = 1, as the papers have it. Weights are whole numbers: an instance of weight
// k is k instances.
//
// On data that the kernel does not separate the result is the best so far: the
// counts at the end of the pass with the fewest errors, y(w·φ(x)) ≤ 0 being
// one. The scores of all n instances are kept, so that a pass costs one row of
// K a mistake: O(n) kernel evaluations and additions each, fewer evaluations
// where rows are still in memory.
type Perceptron[T any] struct {
	Kernel    kernel.Kernel[T]
	MaxPasses int    // passes over the instances, at least 1; default 1000
	Shuffle   bool   // take the instances of each pass in random order, not as they stand; default true
	Seed      uint64 // of the orders
	Run       run.Control
}

// NewPerceptron returns the recipe with its defaults.
func NewPerceptron[T any](k kernel.Kernel[T]) Perceptron[T] {
	return Perceptron[T]{Kernel: k, MaxPasses: 1000, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p Perceptron[T]) Validate() error {
	return errors.Join(checkKernel("kernel perceptron", p.Kernel), p.checkPasses())
}

func (p Perceptron[T]) checkPasses() error {
	return learn.Fields("kernel perceptron").AtLeast(1, "max passes", p.MaxPasses)
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses did not suffice.
func (p Perceptron[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	return p.together().two(ctx, d)
}

// FitClasses learns one separator a class against the rest, a single one for
// two classes, all in the same passes: a row of K serves every class that errs
// on its instance. Each separator is what Fit would have found.
//
// The report is the Merge of the separators' reports, but Support counts the
// instances that weigh in any class.
func (p Perceptron[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	return p.together().many(ctx, d, classes)
}

func (p Perceptron[T]) together() together[T] {
	return together[T]{
		name: "kernel perceptron", kernel: p.Kernel, faults: p.Validate(), whole: true, ctl: p.Run, train: p.train,
	}
}

// train solves the problems of the given labels on one operator. The weight of an
// instance is its count, with the sign of its label.
func (p Perceptron[T]) train(
	ctx context.Context, x data.Source[T], y *data.Matrix, _ []float64,
) (weight *data.Matrix, report learn.Report, err error) {
	evaluations, err := counted(p.Run, func(ctl run.Control) error {
		op, err := gram.NewRowCache[T, float64](ctl, p.Kernel, x, 1)
		if err != nil {
			return err
		}
		counts, reports, err := p.solve(ctx, op, y)
		if err != nil {
			return err
		}
		weight, report = data.NewMatrix(y.Rows, y.Cols), learn.Merge(reports...)
		for k, count := range counts {
			for i, c := range count {
				weight.Row(k)[i] = float64(c) * y.Row(k)[i]
			}
		}
		return nil
	})
	report.Evaluations = evaluations
	return weight, report, err
}

// take copies the instances at the given indices, so that a model does not
// hold on to the whole sample.
func take[T any](x data.Source[T], index []int) data.Slice[T] {
	s := make(data.Slice[T], len(index))
	for k, i := range index {
		s[k] = x.At(i)
	}
	return s
}
