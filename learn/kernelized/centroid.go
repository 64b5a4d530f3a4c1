package kernelized

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Centroid predicts the class whose centroid c_k, the mean of φ over its
// instances, is nearest in the feature space of a kernel (Shalev-Shwartz and
// Ben-David 2014, exercise 16.6). For two classes that is the sign of
//
//	w·φ(x) + b,   w = c₊ - c₋,   b = (|c₋|² - |c₊|²)/2
//
// and for more the class with the largest 2c_k·φ(x) - |c_k|², which is |φ(x)|²
// less the squared distance to c_k. Instances may have weights: one of weight k
// counts as k instances. Every class needs one of positive weight.
//
// Cost: one kernel evaluation for each pair of instances of a class, in the
// precision of the controls.
type Centroid[T any] struct {
	Kernel kernel.Kernel[T]
	Run    run.Control
}

// NewCentroid returns the recipe with its defaults.
func NewCentroid[T any](k kernel.Kernel[T]) Centroid[T] { return Centroid[T]{Kernel: k} }

// Validate reports every field that is out of range.
func (c Centroid[T]) Validate() error { return checkKernel("nearest centroid", c.Kernel) }

// Fit learns from d. Iterations is 1. When ctx ends the model is 0 everywhere.
func (c Centroid[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(c.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	class := make([]int, len(d.Y))
	for i, y := range d.Y {
		if y > 0 {
			class[i] = 1
		}
	}
	shares, squares, report, err := c.centroids(ctx, data.Labeled[T, int]{X: d.X, Y: class, Weight: d.Weight}, 2)
	if err != nil {
		return nil, learn.Report{}, err
	}
	e := &Expansion[T]{Kernel: c.Kernel, Support: data.Slice[T]{}}
	if report.Status == learn.Converged {
		for i := range shares {
			shares[i] *= d.Y[i]
		}
		e = expansionOf(c.Kernel, d.X, shares)
		e.Bias = (squares[0] - squares[1]) / 2
	}
	report.Support, report.Elapsed = len(e.Weight), time.Since(start)
	return e, report, nil
}

// FitClasses learns from d. Two classes have the score of Fit and its negative,
// more the scores above.
func (c Centroid[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(c.Validate(), checkClasses("nearest centroid", d, classes)); err != nil {
		return nil, learn.Report{}, err
	}
	shares, squares, report, err := c.centroids(ctx, d, classes)
	if err != nil {
		return nil, learn.Report{}, err
	}
	weight, bias := data.NewMatrix(classes, len(d.Y)), make([]float64, classes)
	if report.Status == learn.Converged {
		for i, k := range d.Y {
			weight.Row(k)[i] = 2 * shares[i]
			if classes == 2 {
				weight.Row(k)[i], weight.Row(1 - k)[i] = shares[i], -shares[i]
			}
		}
		for k := range bias {
			bias[k] = -squares[k]
			if classes == 2 {
				bias[k] = (squares[1-k] - squares[k]) / 2
			}
		}
	}
	e := multiExpansionOf(c.Kernel, d.X, weight)
	e.Bias = bias
	report.Support, report.Elapsed = e.Weight.Rows, time.Since(start)
	return e, report, nil
}

// centroids returns the share of each instance in the centroid of its class, and
// |c_k|² of each class.
func (c Centroid[T]) centroids(ctx context.Context, d data.Labeled[T, int], classes int) (
	shares, squares []float64, report learn.Report, err error,
) {
	n := d.X.Len()
	if err := c.Run.Reserve("the centroids", 32*float64(n), "train on fewer rows"); err != nil {
		return nil, nil, report, err
	}
	var counter run.Counter
	ctl := c.Run
	ctl.Counter = &counter
	shares, squares = learn.Weights(n, d.Weight), make([]float64, classes)
	for k, rows := range learn.Members(d.Y, classes) {
		total := 0.0
		for _, i := range rows {
			total += shares[i]
		}
		own := make([]float64, len(rows))
		for j, i := range rows {
			shares[i] /= total
			own[j] = shares[i]
		}
		members, scores := data.Subset[T]{Of: d.X, Index: rows}, make([]float64, len(rows))
		err := gram.BindPrecision(c.Kernel, data.Source[T](members), c.Run.Precision).Product(ctx, ctl, scores, members, own)
		if learn.Interrupted(ctx, err) {
			report.Status = learn.Stopped(ctx)
			break
		}
		if err != nil {
			return nil, nil, report, err
		}
		squares[k] = vmath.Dot(own, scores)
	}
	c.Run.Counter.Add(counter.Count())
	report.Evaluations = counter.Count()
	if report.Status == "" {
		report.Status, report.Iterations = learn.Converged, 1
	}
	return shares, squares, report, nil
}
