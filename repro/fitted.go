package repro

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/linear"
)

// labelled are rows of vectors with labels ±1.
type labelled = data.Labeled[data.Vector, float64]

// svmError returns the error on test of the linear SVM, C = 10, on the features of train.
func svmError(
	ctx context.Context, p Params, m feature.Map[data.Vector], train, test labelled,
) (float64, error) {
	images, err := feature.Apply(ctx, p.single(), m, train.X)
	if err != nil {
		return 0, err
	}
	fresh, err := feature.Apply(ctx, p.single(), m, test.X)
	if err != nil {
		return 0, err
	}
	recipe := linear.NewSVM()
	recipe.C, recipe.Loss, recipe.Tolerance, recipe.Run = 10, linear.SquaredHinge, 1e-2, p.single()
	s, _, err := recipe.Fit(ctx, labelled{X: images, Y: train.Y})
	if err != nil {
		return 0, err
	}
	wrong := 0.0
	for i, y := range test.Y {
		if y*s.Score(fresh.At(i)) <= 0 {
			wrong++
		}
	}
	return wrong / float64(len(test.Y)), nil
}

// offBy returns the root of the mean square of φ(x)·φ(y) - K(x, y), over pairs of rows,
// each with the one before.
func offBy(
	ctx context.Context, p Params, m feature.Map[data.Vector], k kernel.Kernel[data.Vector], x data.Source[data.Vector],
) (float64, error) {
	images, err := feature.Apply(ctx, p.single(), m, x)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i := 1; i < x.Len(); i++ {
		d := dot(images.Row(i), images.Row(i-1)) - k.Eval(x.At(i), x.At(i-1))
		sum += d * d
	}
	return math.Sqrt(sum / float64(x.Len()-1)), nil
}
