// Package compute is the seam between what kerf computes (tiles of K, products
// of small matrices) and how a machine does it. A Backend computes tiles; the
// packages above it cut the work into tiles, spread them over workers and never
// ask which back end they run on.
//
// Every back end passes the same conformance suite (Conform, in the tests of
// this package) within an error budget of its own.
package compute

import "github.com/kerf-ml/kerf/kernel"

// Backend computes tiles. Back ends hold no state of a run and are safe for
// concurrent use.
type Backend interface {
	// Name tells people which back end this is.
	Name() string

	// Supports reports whether Tile knows the form. Where it does not, the
	// caller evaluates the kernel pair by pair.
	Supports(f kernel.Form) bool

	// Tile sets dst[i*ld+j] = K(x_i, y_j) for all i < x.N and j < y.N, where K
	// has form f, x was packed by y.Rows and both panels were packed for f.
	// A value and its mirror image are equal bit for bit, and the squared
	// distance of a vector to itself is exactly zero.
	Tile(dst []float64, ld int, x, y *Panel, f kernel.Form)

	// MulLower sets dst[i*ldd+j] = Σ_{k ≤ j} a[i*lda+k]·l[j*n+k] for i < rows
	// and j < n: the rows of a times the transpose of the lower triangle l.
	MulLower(dst []float64, ldd int, a []float64, lda, rows int, l []float64, n int)

	// Mul sets dst[i*ldd+j] = Σ_k a[i*lda+k]·b[j*ldb+k] for i < rows, j < cols
	// and k < depth: the rows of a times the rows of b.
	Mul(dst []float64, ldd int, a []float64, lda, rows int, b []float64, ldb, cols, depth int)
}

// Default returns the fastest back end that this machine can run.
func Default() Backend { return Portable{} }
