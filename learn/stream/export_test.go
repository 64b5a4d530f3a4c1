package stream

// FoldOf is foldOf.
func FoldOf(seed uint64, row, folds int) int { return foldOf(seed, row, folds) }
