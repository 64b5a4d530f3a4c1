package linalg

import (
	"context"
	"math"
	"slices"

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
	Negative float64      // the most negative diagonal entry met, over the one that A has there; 0 where there was none
}

// Rank returns the number of pivots.
func (f Factor) Rank() int { return len(f.Pivot) }

// PivotedCholesky factorises a symmetric positive semidefinite matrix. In every
// step the row is chosen of whose diagonal entry the largest part remains; it
// stops when no part exceeds tolerance. At n·2⁻⁵² it stops in any case, because
// what is left then is rounding: that of A[i,j] is relative to
// √(A[i,i]·A[j,j]). So the pivots are those of A scaled to a diagonal of ones,
// whatever the lengths of its rows. A row with A[i,i] ≤ 0 is never chosen; what
// is negative there counts relative to the largest entry of the diagonal.
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
	a        view[float64]
	order    []int
	rest     []float64 // the remaining diagonal
	whole    []float64 // what each of rest is a part of
	swapped  int       // with which row the last one was exchanged
	stop     float64
	negative float64
}

func newPivoting(a *data.Matrix, tolerance float64) *pivoting {
	n := a.Rows
	p := &pivoting{
		a:     view[float64]{append([]float64(nil), a.Data...), n, n, n},
		order: make([]int, n), rest: make([]float64, n),
		stop: max(tolerance, float64(n)*0x1p-52),
	}
	for i := range n {
		p.order[i], p.rest[i] = i, a.Data[i*n+i]
	}
	p.whole = Scales(p.rest)
	return p
}

// Scales returns what is large and small in each row of a matrix with the given
// diagonal: its own entry there or, where that is not positive, the largest
// absolute one. Where all are 0 it returns ones.
func Scales(diagonal []float64) []float64 {
	top := 0.0
	for _, d := range diagonal {
		top = max(top, math.Abs(d))
	}
	if top == 0 {
		top = 1
	}
	scale := slices.Clone(diagonal)
	for i, d := range scale {
		if !(d > 0) {
			scale[i] = top
		}
	}
	return scale
}

// choose moves the diagonal entry of which the largest part remains to place k.
// It returns false where there is none worth taking.
func (p *pivoting) choose(k int) bool {
	best, most := k, math.Inf(-1)
	for i := k; i < len(p.rest); i++ {
		part := p.rest[i] / p.whole[i]
		if part > most {
			best, most = i, part
		}
		p.negative = min(p.negative, part)
	}
	if !(most > p.stop) {
		return false
	}
	p.swap(k, best)
	return true
}

// swap exchanges rows and columns k < q of the symmetric matrix, of which only
// the lower triangle is stored: here what stands before them, and in column the
// rows behind, each on the core that goes on with it.
func (p *pivoting) swap(k, q int) {
	if p.swapped = q; k == q {
		return
	}
	p.order[k], p.order[q] = p.order[q], p.order[k]
	p.rest[k], p.rest[q] = p.rest[q], p.rest[k]
	p.whole[k], p.whole[q] = p.whole[q], p.whole[k]
	a := p.a
	rk, rq := a.row(k), a.row(q)
	for j := range k {
		rk[j], rq[j] = rq[j], rk[j]
	}
}

// column computes column k of the factor. The columns before first have been
// taken off the matrix already.
func (p *pivoting) column(ctx context.Context, ctl run.Control, first, k int) error {
	d := math.Sqrt(p.rest[k])
	p.a.row(k)[k] = d
	head := p.a.row(k)[first:k]
	q := p.swapped
	other := p.a.row(q)
	below := p.a.rows - k - 1
	if below < 4*rowBlock {
		ctl.Workers = 1
	}
	return par.For(ctx, ctl, "", par.Blocks(below, rowBlock), func(b int) error {
		lo, hi := par.Range(b, below, rowBlock)
		for i := k + 1 + lo; i < k+1+hi; i++ {
			row := p.a.row(i)
			switch {
			case i < q:
				row[k], other[i] = other[i], row[k]
			case q > k && i > q:
				row[k], row[q] = row[q], row[k]
			}
			v := (row[k] - vmath.Dot(row[first:k], head)) / d
			row[k] = v
			p.rest[i] -= v * v
		}
		return nil
	})
}

func (p *pivoting) factor(rank int) Factor {
	f := Factor{Pivot: p.order[:rank:rank], L: data.NewMatrix(rank, rank), Negative: p.negative}
	for i := range rank {
		copy(f.L.Row(i), p.a.row(i)[:i+1])
	}
	return f
}
