package linalg

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Factor is a pivoted Cholesky factorisation of a positive semidefinite matrix
// A, cut off at its numerical rank:
//
//	A[Pivot[i], Pivot[j]] = Σ_k L[i,k]·L[j,k]   for i, j < Rank
//
// L is Rank×Rank, lower triangular, with a positive diagonal.
type Factor struct {
	Pivot    []int        // the chosen rows, in the order in which they were chosen; Rank of them
	L        *data.Matrix // lower triangle; the rest is zero
	Residual float64      // the largest diagonal entry that is left unexplained, 0 or more
	Negative float64      // the most negative diagonal entry met, 0 where there was none
}

// Rank returns the number of pivots.
func (f Factor) Rank() int { return len(f.Pivot) }

// PivotedCholesky factorises a symmetric positive semidefinite matrix. In every
// step the row with the largest remaining diagonal entry is chosen; it stops
// when that entry is at most tolerance times the largest diagonal entry of A.
// Below n·2⁻⁵² times that entry it stops in any case, because what is left then
// is rounding.
//
// A is only read. Steps are gathered in panels; what a panel takes off the rest
// of the matrix is one matrix product. The cost is at most n·Rank² operations
// and n² numbers.
func PivotedCholesky(ctx context.Context, ctl run.Control, a *data.Matrix, tolerance float64) (Factor, error) {
	p := newPivoting(a, tolerance)
	ctl = ctl.Quiet()
	n, rank := p.a.rows, 0
	for done := false; rank < n && !done; {
		first := rank
		for ; rank < min(first+panel, n); rank++ {
			if err := ctx.Err(); err != nil {
				return Factor{}, err
			}
			if done = !p.choose(rank); done {
				break
			}
			if err := p.column(ctx, ctl, first, rank); err != nil {
				return Factor{}, err
			}
		}
		if done || rank == n {
			break
		}
		l := p.a.part(rank, first, n-rank, rank-first).matrix()
		if err := gemm.MulLower(ctx, ctl, -1, l, l.T(), 1, p.a.part(rank, rank, n-rank, n-rank).matrix()); err != nil {
			return Factor{}, err
		}
	}
	return p.factor(rank), nil
}

const (
	panel    = 64  // steps between two updates of the rest of the matrix
	rowBlock = 256 // rows of a column that one block of work computes
)

// pivoting is a factorisation under way. The lower triangle of a holds in its
// first columns the factor, and below and right of it what is left of the
// matrix, rows and columns in the order of order.
type pivoting struct {
	a        view
	order    []int
	rest     []float64 // the remaining diagonal
	stop     float64
	residual float64
	negative float64
}

func newPivoting(a *data.Matrix, tolerance float64) *pivoting {
	n := a.Rows
	p := &pivoting{
		a:     view{append([]float64(nil), a.Data...), n, n, n},
		order: make([]int, n), rest: make([]float64, n),
	}
	top := 0.0
	for i := range n {
		p.order[i], p.rest[i] = i, a.Data[i*n+i]
		top = max(top, p.rest[i])
	}
	p.stop = top * max(tolerance, float64(n)*0x1p-52)
	return p
}

// choose moves the largest remaining diagonal entry to place k. It returns
// false where there is none worth taking.
func (p *pivoting) choose(k int) bool {
	best := k
	for i := k; i < len(p.rest); i++ {
		if p.rest[i] > p.rest[best] {
			best = i
		}
		p.negative = min(p.negative, p.rest[i])
	}
	if !(p.rest[best] > p.stop) {
		p.residual = max(0, p.rest[best])
		return false
	}
	p.swap(k, best)
	return true
}

// swap exchanges rows and columns k < q of the symmetric matrix, of which only
// the lower triangle is stored.
func (p *pivoting) swap(k, q int) {
	if k == q {
		return
	}
	p.order[k], p.order[q] = p.order[q], p.order[k]
	p.rest[k], p.rest[q] = p.rest[q], p.rest[k]
	a := p.a
	rk, rq := a.row(k), a.row(q)
	for j := range k {
		rk[j], rq[j] = rq[j], rk[j]
	}
	for i := k + 1; i < q; i++ {
		a.row(i)[k], rq[i] = rq[i], a.row(i)[k]
	}
	for i := q + 1; i < a.rows; i++ {
		r := a.row(i)
		r[k], r[q] = r[q], r[k]
	}
}

// column computes column k of the factor. The columns before first have been
// taken off the matrix already.
func (p *pivoting) column(ctx context.Context, ctl run.Control, first, k int) error {
	d := math.Sqrt(p.rest[k])
	p.a.row(k)[k] = d
	head := p.a.row(k)[first:k]
	below := p.a.rows - k - 1
	if below < 4*rowBlock {
		ctl.Workers = 1
	}
	return par.For(ctx, ctl, "", par.Blocks(below, rowBlock), func(b int) error {
		lo, hi := par.Range(b, below, rowBlock)
		for i := k + 1 + lo; i < k+1+hi; i++ {
			row := p.a.row(i)
			v := (row[k] - vmath.Dot(row[first:k], head)) / d
			row[k] = v
			p.rest[i] -= v * v
		}
		return nil
	})
}

func (p *pivoting) factor(rank int) Factor {
	f := Factor{Pivot: p.order[:rank:rank], L: data.NewMatrix(rank, rank), Residual: p.residual, Negative: p.negative}
	for i := range rank {
		copy(f.L.Row(i), p.a.row(i)[:i+1])
	}
	return f
}
