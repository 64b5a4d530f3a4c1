package feature

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// partial is a partial Cholesky factorisation of the pool's Gram matrix under
// way. After t pivots the first t columns of the factor F are final, and rest
// holds K(x_i,x_i) - |F_i|², the squared distance of x_i to the span of the
// pivots, or 0 where that counts as explained.
type partial[T any] struct {
	pool   *gram.Columns[T]
	limit  limits
	whole  float64   // Σ K(x_i,x_i)
	rest   []float64 // squared distances
	factor []float64 // Fᵀ: column t of the factor at t·n
	size   int       // the most pivots
	pivot  []int
}

// newPartial makes room for the factor. It takes diag over.
func newPartial[T any](
	ctl run.Control, pool *gram.Columns[T], diag []float64, l limits, size int,
) (*partial[T], error) {
	n := len(diag)
	err := ctl.Reserve("the factor that landmarks are chosen by", 8*float64(n)*(float64(size)+64),
		"use a smaller pool, fewer landmarks, or uniform landmarks")
	if err != nil {
		return nil, err
	}
	p := &partial[T]{pool: pool, limit: l, whole: vmath.Sum(diag), rest: diag, size: size}
	for i, d := range diag {
		diag[i] = l.clamp(d, l.scale[i])
	}
	p.factor = alloc.Slice[float64](n * size)
	return p, nil
}

// column returns column t of the factor.
func (p *partial[T]) column(t int) []float64 {
	n := len(p.rest)
	return p.factor[t*n:][:n]
}

// columns returns the columns from to to-1, one a row.
func (p *partial[T]) columns(from, to int) *data.Matrix {
	n := len(p.rest)
	return &data.Matrix{Rows: to - from, Cols: n, Data: p.factor[from*n : to*n]}
}

// add makes q the next pivot: with t pivots before it,
//
//	F_it = (K(x_i,x_q) - Σ_{j<t} F_ij·F_qj) / √rest_q,  rest_i -= F_it²
//
// It costs n evaluations and n·t multiplications, and reads the factor once:
// beyond some thousand instances the speed is that of memory.
func (p *partial[T]) add(ctx context.Context, ctl run.Control, q int) error {
	n, t := len(p.rest), len(p.pivot)
	similar, err := similarities(ctx, ctl, p.pool, []int{q})
	if err != nil {
		return err
	}
	root, head, column := math.Sqrt(p.rest[q]), p.rows([]int{q}), p.column(t)
	err = par.For(ctx, narrow(ctl, n), "", par.Blocks(n, selectRows), func(b int) error {
		lo, hi := par.Range(b, n, selectRows)
		part := column[lo:hi]
		copy(part, similar.Data[lo:hi])
		for j, v := range head {
			vmath.Axpy(part, -v, p.column(j)[lo:hi])
		}
		vmath.Scale(part, 1/root)
		return nil
	})
	if err != nil {
		return err
	}
	column[q] = root
	return p.settle(ctx, ctl, []int{q})
}

// addBlock makes all of index pivots at once, in this order. triangle is the
// Cholesky factor L of what is left of their Gram matrix; their columns are
//
//	L⁻¹·(K(x_q,x_i) - Σ_{j<t} F_qj·F_ij)
//
// transposed: add for each of them, up to rounding, in matrix products.
func (p *partial[T]) addBlock(ctx context.Context, ctl run.Control, index []int, triangle *data.Matrix) error {
	t, b := len(p.pivot), len(index)
	similar, err := similarities(ctx, ctl, p.pool, index)
	if err != nil {
		return err
	}
	if t > 0 {
		heads := &data.Matrix{Rows: b, Cols: t, Data: p.rows(index)}
		if err := linalg.Mul(ctx, ctl, -1, heads, p.columns(0, t), 1, similar); err != nil {
			return err
		}
	}
	inverse, err := linalg.InvertLower(ctx, ctl, triangle)
	if err != nil {
		return err
	}
	if err := linalg.Mul(ctx, ctl, 1, inverse, similar, 0, p.columns(t, t+b)); err != nil {
		return err
	}
	for a, q := range index {
		for j, v := range triangle.Row(a) {
			p.column(t + j)[q] = v
		}
	}
	return p.settle(ctx, ctl, index)
}

// settle takes index, whose columns of the factor have just been computed, as
// pivots, and takes these columns off the squared distances. What rounding has
// left where a triangle ends is cleared.
func (p *partial[T]) settle(ctx context.Context, ctl run.Control, index []int) error {
	n, t := len(p.rest), len(p.pivot)
	for j := range index {
		for _, earlier := range p.pivot {
			p.column(t + j)[earlier] = 0
		}
	}
	for _, q := range index {
		p.rest[q] = math.Inf(1) // not to be judged: it is 0 below
	}
	least := make([]float64, par.Blocks(n, selectRows))
	err := par.For(ctx, narrow(ctl, n), "", len(least), func(b int) error {
		lo, hi := par.Range(b, n, selectRows)
		rest, scale := p.rest[lo:hi], p.limit.scale[lo:hi]
		for j := range index {
			for i, v := range p.column(t + j)[lo:hi] {
				rest[i] -= v * v
			}
		}
		for i, d := range rest {
			least[b] = min(least[b], d/scale[i])
			rest[i] = p.limit.clamp(d, scale[i])
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, q := range index {
		p.rest[q] = 0
	}
	p.pivot = append(p.pivot, index...)
	return p.check(least)
}

// rows copies some rows of the factor so far.
func (p *partial[T]) rows(index []int) []float64 {
	out := make([]float64, 0, len(index)*len(p.pivot))
	for _, i := range index {
		for t := range p.pivot {
			out = append(out, p.column(t)[i])
		}
	}
	return out
}

// check looks for a squared distance, over its scale, that proves that K is no
// kernel.
func (p *partial[T]) check(least []float64) error {
	for _, d := range least {
		if err := p.limit.check(d, "a squared distance to the span of landmarks is negative"); err != nil {
			return err
		}
	}
	return nil
}

// residual returns the part of Σ K(x_i,x_i) that the pivots do not explain.
func (p *partial[T]) residual() float64 { return vmath.Sum(p.rest) / p.whole }

// transposed returns Fᵀ, a row a pivot.
func (p *partial[T]) transposed() *data.Matrix {
	n, t := len(p.rest), len(p.pivot)
	return &data.Matrix{Rows: t, Cols: n, Data: p.factor[: n*t : n*t]}
}
