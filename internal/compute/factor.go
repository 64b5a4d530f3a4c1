package compute

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Factorer is a Bound that factors matrices where it computes: in double precision alone.
type Factorer interface {
	// Factor returns the Cholesky factor of K + shift·I, with K between the columns. It
	// returns a *linalg.NotPositiveError where there is none, and ErrNoRoom where it has no
	// room for two matrices of that size.
	Factor(ctx context.Context, ctl run.Control, shift float64) (Factor, error)
}

// Factor is the lower triangle L of a Cholesky factorisation. It serves one goroutine at a
// time; Release gives back what it holds, and so does the garbage collector.
type Factor interface {
	// Inner returns the factor of scale·LᵀL + shift·I, with the errors of Factorer.
	Inner(ctx context.Context, ctl run.Control, scale, shift float64) (Factor, error)

	// Solve replaces every row v of x by L⁻¹v or, transposed, L⁻ᵀv.
	Solve(ctx context.Context, x *data.Matrix, transposed bool) error

	// MulTransposed replaces every row v of x by Lᵀv.
	MulTransposed(ctx context.Context, x *data.Matrix) error

	Release()
}
