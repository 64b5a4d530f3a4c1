// Package kerf turns a kernel into features.
//
// Give it any similarity function K(x, y) as a black box and a sample of data;
// it returns a short vector of explicit features in which a plain linear
// separator does what the kernel machine would have done (Balcan, Blum and
// Vempala's mappings F1, F2 and F3), trains the separator, and lets you use it.
//
// Train does the whole of it in one call, for instances of any Go type:
//
//	m, report, err := kerf.Train(ctx, k, instances, labels, 100)
//	label := m.Predict(x)
//
// The parts, in the order in which data pass through them:
//
//	data       instances of any type, labels, splits; readers and generators below it
//	kernel     K(x, y), the kernels on vectors, what combines them
//	gram       blocks of K and products with K, in tiles, on all cores
//	feature    the maps F1, F2, F3; project: random projections
//	bound      how many landmarks and dimensions the theorems ask for
//	margin     how well a separator does on data
//	learn      linear, kernelized and boosted learners; probabilities from scores
//	eval       measures with their intervals, folds, searches
//	model      the trained pipeline of any learner, and its file
//	report     results as HTML pages with charts
//
// The command in cmd/kerf does the same from a shell.
package kerf

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// Train maps instances into features by F2 with dim landmarks and trains a
// linear SVM on them, choosing its C on held-out rows. For more choices use
// model.NewRecipe. Any function is a kernel: kernel.Func[T](f).
func Train[T any](
	ctx context.Context, k kernel.Kernel[T], instances []T, labels []string, dim int,
) (*model.Pipeline[T], model.Training, error) {
	d := data.Labeled[T, string]{X: data.Slice[T](instances), Y: labels}
	return model.NewRecipe(k, dim).Fit(ctx, d)
}
