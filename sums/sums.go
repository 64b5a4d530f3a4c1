// Package sums holds what can be known of rows by adding up: statistics that are
// gathered block by block, on one machine or many, and merged.
//
//   - Moments of a column: count, missing, mean, spread, range.
//   - Quantiles of a column, with a bound on the error of ranks.
//   - Counts of categories, exact as long as there are few, else with a bound.
//   - Reservoir, a uniform sample of rows by hashed row numbers.
//   - Products ΦᵀΦ and ΦᵀY, from which least squares follows.
//   - Quadratic, a sum of losses at a point: value, gradient, curvature.
//   - Gradient, the same of losses of several scores, without the curvature.
//   - Blocks, which cuts any stream of rows into blocks of BlockRows.
//
// Merge makes of the sums over some rows and over others those over all. Sums over the
// same blocks that are added and merged in the same order are the same bits, whatever
// the number of workers or of files that the rows came in. Each has a binary form
// (encoding.BinaryAppender, encoding.BinaryUnmarshaler), in which a state can be kept
// or sent; what is not one is refused with an error that wraps ErrDamaged.
//
// No value of this package may be used from several goroutines at a time.
package sums

import "errors"

// BlockRows is how many rows a block has, but for the last one. It is part of what
// makes results reproducible: sums over other blocks differ by rounding.
const BlockRows = 1024

// ErrDamaged is the cause of the errors of all decoders.
var ErrDamaged = errors.New("these bytes are no sums, or damaged")
