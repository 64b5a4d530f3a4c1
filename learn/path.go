package learn

import "context"

// Path fits models of one sample at one penalty after another, a C or a lambda,
// which stands in for that of the recipe. A fit begins where the one before it
// ended or shares what does not depend on the penalty, and meets the tolerance by
// itself: penalties that went before change a model within that only. It is
// fastest from the simplest model on, from small C or from large lambda.
//
// Recipes make them by methods named Path, for two classes or numbers, and
// ClassPath, for many classes. A Path belongs to one goroutine; its models do not
// change any more.
type Path[M any] interface {
	// Next fits the model at the penalty. When ctx ends it is what the recipe's
	// Fit says of that.
	Next(ctx context.Context, penalty float64) (M, Report, error)
}

// PathFunc is a function as a Path.
type PathFunc[M any] func(ctx context.Context, penalty float64) (M, Report, error)

// Next calls the function.
func (f PathFunc[M]) Next(ctx context.Context, penalty float64) (M, Report, error) {
	return f(ctx, penalty)
}
