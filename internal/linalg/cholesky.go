// Package linalg holds the factorisations that maps and solvers need, on
// row-major matrices.
package linalg

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vec"
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

// rowBlock is how many rows of a column one block of work updates.
const rowBlock = 256

// PivotedCholesky factorises a symmetric positive semidefinite matrix. In every
// step the row with the largest remaining diagonal entry is chosen; it stops
// when that entry is at most tolerance times the largest diagonal entry of A.
// Below n·2⁻⁵² times that entry it stops in any case, because what is left then
// is rounding.
//
// A is only read. The cost is n·Rank²/2 multiplications and n·Rank numbers.
func PivotedCholesky(ctx context.Context, ctl run.Control, a *data.Matrix, tolerance float64) (Factor, error) {
	n := a.Rows
	rest := make([]float64, n)
	order := make([]int, n)
	top := 0.0
	for i := range n {
		rest[i] = a.Data[i*n+i]
		order[i] = i
		top = max(top, rest[i])
	}
	stop := top * max(tolerance, float64(n)*0x1p-52)
	l := data.NewMatrix(n, n)
	var f Factor
	rank := 0
	for ; rank < n; rank++ {
		if err := ctx.Err(); err != nil {
			return Factor{}, err
		}
		p := rank
		for i := rank; i < n; i++ {
			if rest[order[i]] > rest[order[p]] {
				p = i
			}
			f.Negative = min(f.Negative, rest[order[i]])
		}
		pivot := rest[order[p]]
		if !(pivot > stop) {
			f.Residual = max(0, pivot)
			break
		}
		swap(order, l, rank, p)
		if err := column(ctx, ctl, a, l, order, rest, rank, math.Sqrt(pivot)); err != nil {
			return Factor{}, err
		}
	}
	f.Pivot = order[:rank:rank]
	f.L = data.NewMatrix(rank, rank)
	for i := range rank {
		copy(f.L.Row(i), l.Row(i)[:i+1])
	}
	return f, nil
}

// swap exchanges rows i and j of the factor that is being built.
func swap(order []int, l *data.Matrix, i, j int) {
	if i == j {
		return
	}
	order[i], order[j] = order[j], order[i]
	ri, rj := l.Row(i)[:i], l.Row(j)[:i]
	for k := range ri {
		ri[k], rj[k] = rj[k], ri[k]
	}
}

// column computes column k of the factor below its diagonal entry d and takes
// its squares off the remaining diagonal.
func column(ctx context.Context, ctl run.Control, a, l *data.Matrix, order []int, rest []float64, k int, d float64) error {
	n := a.Rows
	l.Data[k*n+k] = d
	head := l.Row(k)[:k]
	from := a.Row(order[k])
	todo := n - k - 1
	if todo*k < 1<<15 {
		ctl.Workers = 1
	}
	return par.For(ctx, ctl, "", par.Blocks(todo, rowBlock), func(b int) error {
		lo, hi := par.Range(b, todo, rowBlock)
		for i := k + 1 + lo; i < k+1+hi; i++ {
			row := l.Row(i)
			row[k] = (from[order[i]] - vec.Dot(row[:k], head)) / d
			rest[order[i]] -= row[k] * row[k]
		}
		return nil
	})
}

// InvertLower returns the inverse of a lower triangle with a non-zero diagonal,
// itself lower triangular. The cost is n³/6 multiplications.
func InvertLower(ctx context.Context, l *data.Matrix) (*data.Matrix, error) {
	n := l.Rows
	inv := data.NewMatrix(n, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := inv.Row(i)[:i+1]
		for k := range i {
			vec.Axpy(row[:k+1], -l.Data[i*n+k], inv.Row(k)[:k+1])
		}
		row[i] = 1
		vec.Scale(row, 1/l.Data[i*n+i])
	}
	return inv, nil
}
