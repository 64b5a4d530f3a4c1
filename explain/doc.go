// Package explain says why a model predicts what it does: which columns matter on
// labelled rows, and for one row which landmarks pull its score, which of its columns
// mattered, and which other rows are like it.
//
//	x, err := m.Encode(rows)
//	ranking, err := explain.NewPermutation().Columns(ctx, m, x, explain.Truth{Classes: y})
//	row, err := explain.NewWhy(m).Row(ctx, rows, x, 0)
//
// Nothing of it depends on how the model was trained: pulls are sums over what the
// model holds, and all else is its scores of rows of which a column was exchanged.
// docs/math/explanations.md says what is claimed and why it holds.
package explain
