package job

import (
	"context"

	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// Choose fills in what is left open of a recipe, among the given.
func Choose[T any](ctx context.Context, r model.Recipe[T], kernels []kernel.Kernel[T], dims []int, maps []string,
	s model.Sample[T]) (model.Recipe[T], *Picked, error) {
	left := &open[T]{kernels: kernels, dims: dims, maps: maps}
	plan := planOf(r, left, s)
	stages := r.Run.Progress.Divide("choose", plan.left(0, 0, plan.likely(0)))
	defer stages.End()
	return choose(ctx, r, left, s, plan, stages)
}

// TaskOf is what is learnt of labels where nobody says it.
func TaskOf(labels []string) model.Task { return taskOf(labels).task }
