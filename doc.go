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
//	data         instances of any type, labels, weights, splits; parsers and generators below it
//	dataset      files of any format as rows, and the encoding that makes instances of them
//	kernel       K(x, y), the kernels on vectors, strings and sets, what combines them
//	spec         text ↔ kernels: "rbf(gamma=0.5)"
//	gram         blocks of K and products with K, in tiles, on all cores
//	feature      the maps F1, F2, F3 and others; project: random projections
//	bound        how many landmarks and dimensions the theorems ask for
//	margin       how well a separator does on data; certificate: what fresh rows show
//	learn        linear, kernelized and boosted learners; probabilities from scores
//	model        recipe → pipeline; with an encoding it is a model of rows, in one file
//	eval         measures with their intervals, folds, searches
//	job          train, cross-validate, tune, evaluate, predict: files → results
//	report       results as HTML pages with charts
//
// Data in files take job and model:
//
//	t, err := job.Train(ctx, "data.csv", job.NewTrainOptions())
//	m, err := model.Load("model.kerf")
//	p, err := m.Predict(map[string]any{"age": 39, "job": "clerk"})
//
// The command in cmd/kerf does the same from a shell. docs/design.md has the whole
// picture, docs/guide/extending.md how to add to it.
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
