package kernelized

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// nystrom is the matrix P = F·Fᵀ + σI, near SGS + μI, by which conjugate gradients
// are preconditioned (Frangella, Tropp and Udell 2021). F·Fᵀ is the Nyström
// approximation of SGS from r landmarks:
//
//	F = S·K_nr·L⁻ᵀ,   L·Lᵀ = K_rr
//
// Landmarks that depend on others to rounding are left out. P is positive definite
// even where K is no kernel.
type nystrom struct {
	f     *data.Matrix   // n×r
	inner *data.Matrix   // FᵀF, lower triangle
	shift float64        // σ
	room  *data.Matrix   // of r
	r     lower[float64] // R·Rᵀ = FᵀF + σI
}

// dependent is the part of K(z, z) below which a landmark is explained by others.
const dependent = 1e-10

// newNystrom computes F. The cost is n·r kernel evaluations and 2·n·r² operations.
func newNystrom[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T], landmarks []int, root []float64,
) (*nystrom, error) {
	z := data.Subset[T]{Of: x, Index: landmarks}
	g, err := gram.Symmetric(ctx, ctl, k, z)
	if err != nil {
		return nil, err
	}
	factor, err := linalg.PivotedCholesky(ctx, ctl, g, dependent)
	if err != nil {
		return nil, err
	}
	chosen := make([]int, factor.Rank())
	for i, p := range factor.Pivot {
		chosen[i] = landmarks[p]
	}
	f, err := gram.Bind(k, data.Source[T](data.Subset[T]{Of: x, Index: chosen})).Block(ctx, ctl, x)
	if err != nil {
		return nil, err
	}
	for i, s := range root {
		if s != 1 {
			vmath.Scale(f.Row(i), s)
		}
	}
	if err := linalg.SolveLower(ctx, ctl, f, factor.L); err != nil {
		return nil, err
	}
	p := &nystrom{f: f, inner: data.NewMatrix(f.Cols, f.Cols), room: data.NewMatrix(f.Cols, f.Cols)}
	return p, linalg.SymRankT(ctx, ctl, 1, f, 0, p.inner)
}

// leastShift is the least σ as a part of the trace of F·Fᵀ, below which rounding in
// v - F·(…)·Fᵀv would be larger than what is left of v.
const leastShift = 1e-12

// refine factors P for a penalty μ. Where rounding keeps FᵀF + σI from being
// positive definite σ is raised: P is then farther from the matrix and no less
// right.
func (p *nystrom) refine(ctx context.Context, ctl run.Control, mu float64) error {
	trace := 0.0
	for i := range p.inner.Rows {
		trace += p.inner.Row(i)[i]
	}
	if math.IsInf(trace, 0) || math.IsNaN(trace) {
		return errors.New("kernel ridge: the values of K overflow; scale the data")
	}
	p.shift = max(mu, leastShift*trace)
	var err error
	for range maxRaises {
		copy(p.room.Data, p.inner.Data)
		for i := range p.room.Rows {
			p.room.Row(i)[i] += p.shift
		}
		err = linalg.Cholesky(ctx, ctl, p.room)
		if err == nil {
			p.r, err = packed(ctx, ctl, p.room)
			return err
		}
		var fault *linalg.NotPositiveError
		if !errors.As(err, &fault) {
			return err
		}
		p.shift *= raise
	}
	return fmt.Errorf("kernel ridge: the preconditioner: %w; raise lambda", err)
}

// solve returns P⁻¹v = (v - F·(FᵀF + σI)⁻¹·Fᵀv)/σ for each row of v, in two passes
// over F.
func (p *nystrom) solve(ctx context.Context, ctl run.Control, v *data.Matrix) (*data.Matrix, error) {
	w := data.NewMatrix(v.Rows, p.f.Cols)
	if err := linalg.Mul(ctx, ctl, 1, v, p.f, 0, w); err != nil {
		return nil, err
	}
	for _, transposed := range []bool{false, true} {
		if err := p.r.solve(ctx, ctl, w.Data, transposed); err != nil {
			return nil, err
		}
	}
	out := clone(v)
	if err := linalg.MulT(ctx, ctl, -1, w, p.f, 1, out); err != nil {
		return nil, err
	}
	vmath.Scale(out.Data, 1/p.shift)
	return out, nil
}
