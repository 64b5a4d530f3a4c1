package stream

// FoldOf is foldOf.
func FoldOf(seed uint64, row, folds int) int { return foldOf(seed, row, folds) }

// Choose is what is chosen of some steps, where all coordinates are dim and the first λ is lambda.
func Choose(dim int, lambda float64, steps []Step) (int, float64) {
	f := &RidgeFit{Dim: dim, Lambda: lambda, Steps: steps}
	f.choose()
	return f.Dim, f.Lambda
}

// NewtonFolds is how many folds there are.
const NewtonFolds = newtonFolds
