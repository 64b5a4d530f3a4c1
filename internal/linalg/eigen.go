package linalg

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// ErrEigen reports eigenvalues that did not converge, or are no numbers.
var ErrEigen = errors.New("the eigenvalues did not converge")

const (
	eigenRows  = 64      // rows of a matrix that one worker takes
	eigenCols  = 64      // columns that rotations are applied to together, so that they stay in the cache
	eigenBatch = 1 << 14 // rotations that are gathered before they are applied
	eigenTurns = 60      // sweeps that an eigenvalue may take
)

// Eigen returns the eigenvalues of a symmetric matrix in increasing order and its
// eigenvectors in the columns of a matrix. Reflections make the matrix tridiagonal,
// and QL sweeps with implicit shifts diagonal (Golub and Van Loan 2013, 8.3), in
// about 9n³ multiplications. It returns ErrEigen, or the context's error.
func Eigen(ctx context.Context, ctl run.Control, a *data.Matrix) (values []float64, vectors *data.Matrix, err error) {
	n, unit := a.Rows, 0.0
	for _, v := range a.Data {
		if v-v != 0 {
			return nil, nil, ErrEigen
		}
		unit = max(unit, math.Abs(v))
	}
	e := &eigen{ctx: ctx, ctl: ctl, a: data.NewMatrix(n, n), z: data.NewMatrix(n, n), d: make([]float64, n),
		e: make([]float64, n), beta: make([]float64, n)}
	for i, v := range a.Data {
		e.a.Data[i] = v / max(unit, math.SmallestNonzeroFloat64)
	}
	for i := range n {
		e.z.Row(i)[i] = 1
	}
	e.ctl.Progress.Begin("eigenvalues", int64(n))
	defer e.ctl.Progress.End()
	e.quiet = ctl.Quiet()
	if err := e.tridiagonal(); err != nil {
		return nil, nil, err
	}
	if err := e.reflect(); err != nil {
		return nil, nil, err
	}
	if err := e.diagonal(); err != nil {
		return nil, nil, err
	}
	return e.sorted(unit)
}

// eigen is a factorisation on its way.
type eigen struct {
	ctx        context.Context
	ctl, quiet run.Control
	a          *data.Matrix // becomes the reflections, that of step k in row k from k+1 on
	beta       []float64    // of the reflections I - β·v·vᵀ
	d, e       []float64    // diagonal, and what is beside it: e[k] at (k, k+1)
	z          *data.Matrix // eigenvectors in the rows
	turn       []rotation
}

// rotation turns rows i and i+1 of z.
type rotation struct {
	i    int
	c, s float64
}

// rows calls f for the rows from first on, on several cores where there are many.
func (e *eigen) rows(first int, f func(i int)) error {
	n := e.a.Rows - first
	ctl := e.quiet
	if n < 4*eigenRows {
		ctl.Workers = 1
	}
	return par.For(e.ctx, ctl, "", par.Blocks(n, eigenRows), func(b int) error {
		lo, hi := par.Range(b, n, eigenRows)
		for i := lo; i < hi; i++ {
			f(first + i)
		}
		return nil
	})
}

// tridiagonal takes the off-diagonal part of one row after another away. With
// p = β·A·v and w = p - ½β·(p·v)·v the reflected matrix is A - v·wᵀ - w·vᵀ.
func (e *eigen) tridiagonal() error {
	n, a := e.a.Rows, e.a
	p := make([]float64, n)
	for k := range n {
		e.d[k] = a.Row(k)[k]
		if k == n-1 {
			break
		}
		v := a.Row(k)[k+1:]
		rest := vmath.Dot(v[1:], v[1:])
		if rest == 0 { // there is nothing to take away
			e.e[k] = v[0]
			continue
		}
		e.e[k] = -math.Copysign(math.Sqrt(v[0]*v[0]+rest), v[0])
		v[0] -= e.e[k]
		e.beta[k] = 2 / vmath.Dot(v, v)
		if err := e.rows(k+1, func(i int) { p[i] = e.beta[k] * vmath.Dot(a.Row(i)[k+1:], v) }); err != nil {
			return err
		}
		w := p[k+1:]
		vmath.Axpy(w, -0.5*e.beta[k]*vmath.Dot(w, v), v)
		if err := e.rows(k+1, func(i int) {
			row := a.Row(i)[k+1:]
			vmath.Axpy(row, -v[i-k-1], w)
			vmath.Axpy(row, -w[i-k-1], v)
		}); err != nil {
			return err
		}
		e.ctl.Progress.Advance(int64(k / 2))
	}
	return nil
}

// reflect makes the product of the reflections, transposed, in z.
func (e *eigen) reflect() error {
	for k := e.a.Rows - 1; k >= 0; k-- {
		if e.beta[k] == 0 {
			continue
		}
		v := e.a.Row(k)[k+1:]
		if err := e.rows(k+1, func(i int) {
			row := e.z.Row(i)[k+1:]
			vmath.Axpy(row, -e.beta[k]*vmath.Dot(row, v), v)
		}); err != nil {
			return err
		}
	}
	return nil
}

// diagonal sweeps until all that is beside the diagonal is rounding of the largest
// entries.
func (e *eigen) diagonal() error {
	n, top := len(e.d), 0.0
	for i, d := range e.d {
		top = max(top, math.Abs(d)+math.Abs(e.e[i]))
	}
	for l := range n {
		for turns := 0; ; turns++ {
			m := l
			for m < n-1 && math.Abs(e.e[m]) > 0x1p-53*top {
				m++
			}
			if m == l {
				break
			}
			if turns == eigenTurns {
				return ErrEigen
			}
			e.sweep(l, m)
			if len(e.turn) >= eigenBatch {
				if err := e.apply(); err != nil {
					return err
				}
			}
		}
		e.ctl.Progress.Advance(int64(n/2 + l/2))
	}
	return e.apply()
}

// sweep is one QL step with Wilkinson's shift on the block from l to m.
func (e *eigen) sweep(l, m int) {
	d, off := e.d, e.e
	g := (d[l+1] - d[l]) / (2 * off[l])
	g = d[m] - d[l] + off[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*off[i], c*off[i]
		r := math.Hypot(f, g)
		off[i+1] = r
		if r == 0 { // the block falls apart
			d[i+1] -= p
			off[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		e.turn = append(e.turn, rotation{i, c, s})
	}
	d[l] -= p
	off[l], off[m] = g, 0
}

// apply turns the rows of z, a few columns at a time.
func (e *eigen) apply() error {
	n := e.z.Cols
	err := par.For(e.ctx, e.quiet, "", par.Blocks(n, eigenCols), func(b int) error {
		lo, hi := par.Range(b, n, eigenCols)
		for _, t := range e.turn {
			x, y := e.z.Row(t.i)[lo:hi], e.z.Row(t.i + 1)[lo:hi]
			for k, u := range x {
				v := y[k]
				y[k] = t.s*u + t.c*v
				x[k] = t.c*u - t.s*v
			}
		}
		return nil
	})
	e.turn = e.turn[:0]
	return err
}

// sorted returns the values in order, in their unit, with their vectors.
func (e *eigen) sorted(unit float64) ([]float64, *data.Matrix, error) {
	n := len(e.d)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case e.d[i] < e.d[j]:
			return -1
		case e.d[i] > e.d[j]:
			return 1
		}
		return 0
	})
	values, vectors := make([]float64, n), data.NewMatrix(n, n)
	for j, k := range order {
		values[j] = e.d[k] * unit
		for i, v := range e.z.Row(k) {
			vectors.Row(i)[j] = v
		}
	}
	if vmath.Finite(values) >= 0 {
		return nil, nil, ErrEigen
	}
	return values, vectors, nil
}
