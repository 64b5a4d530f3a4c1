package linear

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// errEigen reports an eigendecomposition that did not converge.
var errEigen = errors.New("ridge: the eigendecomposition did not converge; try a single lambda")

// nullShare is the part of the largest of m eigenvalues that is rounding.
func nullShare(m int) float64 { return float64(m) * 0x1p-52 }

// primal solves by the d×d matrix G = X̃ᵀX̃.
func (p *ridgeProblem) primal(ctx context.Context, steps []*tally) error {
	d, columns := float64(p.dim), float64(len(steps)*(p.y.Cols+1))
	need := 8 * (5*d*d + float64(min(gramRows, len(p.rows)))*(2*d+columns))
	if err := p.ctl.Reserve("the products of coordinates", need, "use fewer coordinates, or a linear SVM"); err != nil {
		return err
	}
	over, cube := float64(len(p.rows))*d*d/2, eigenCost(p.dim)/2*d*d*d
	stages := p.ctl.Progress.Divide("train", over+cube+over)
	defer stages.End()
	stages.Next("products", over)
	g, b, err := p.products(ctx)
	if err != nil {
		return err
	}
	stages.Next("", cube+over)
	done, err := oneByOne(g, steps, len(p.rows), func(t *tally) error { return p.primalCholesky(ctx, g, b, t) })
	if done || err != nil {
		return err
	}
	parts := p.ctl.Progress.Divide("", cube+over)
	defer parts.End()
	parts.Next("", cube)
	return p.primalEigen(ctx, g, b, steps, func() { parts.Next("", over) })
}

// smallEigen is the size up to which an eigendecomposition takes no time.
const smallEigen = 256

// eigenCost is how many products of m×m matrices take the time of an
// eigendecomposition on two cores: 50 at m = 500 and 80 at m = 1000.
func eigenCost(m int) float64 { return 50 * math.Pow(max(float64(m)/500, 1), 0.7) }

// oneByOne solves for each λ by a Cholesky factorisation of its own, where that
// is faster than one eigendecomposition of g, over so many rows, and safe: each
// λ large enough, and not too large, to make g + λI positive definite by far. It
// reports false where nothing is done.
func oneByOne(g *data.Matrix, steps []*tally, rows int, solve func(t *tally) error) (bool, error) {
	m, count := g.Rows, len(steps)
	if count > 1 && (m <= smallEigen || float64(count)*(float64(rows)/float64(m)+1) > eigenCost(m)) {
		return false, nil
	}
	trace := 0.0
	for j := range m {
		trace += g.Row(j)[j]
	}
	for _, t := range steps {
		if !(t.penalty > 16*nullShare(m)*trace && t.penalty < 1e200) {
			return false, nil
		}
	}
	for _, t := range steps {
		err := solve(t)
		var fault *linalg.NotPositiveError
		if errors.As(err, &fault) {
			for _, t := range steps {
				t.reset()
			}
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// products returns the lower triangle of X̃ᵀX̃, and X̃ᵀỸ.
func (p *ridgeProblem) products(ctx context.Context) (g, b *data.Matrix, err error) {
	g, b = data.NewMatrix(p.dim, p.dim), data.NewMatrix(p.dim, p.y.Cols)
	if p.dim == 0 {
		return g, b, nil
	}
	if p.sparse {
		return g, b, p.productsSparse(ctx, g, b)
	}
	n := len(p.rows)
	buf := make([]float64, min(gramRows, n)*p.dim)
	for lo := 0; lo < n; lo += gramRows {
		hi := min(lo+gramRows, n)
		err := addGram(ctx, p.ctl, g, buf, hi-lo, func(row []float64, k int) { p.fill(row, lo+k) })
		if err != nil {
			return nil, nil, err
		}
		r := &data.Matrix{Rows: hi - lo, Cols: p.dim, Data: buf}
		y := &data.Matrix{Rows: hi - lo, Cols: p.y.Cols, Data: p.y.Data[lo*p.y.Cols:]}
		if err := linalg.TMul(ctx, p.ctl.Quiet(), 1, r, y, 1, b); err != nil {
			return nil, nil, err
		}
	}
	return g, b, nil
}

// productsSparse is products from the stored coordinates alone: column j of the
// sample, then the rows that it names up to coordinate j.
func (p *ridgeProblem) productsSparse(ctx context.Context, g, b *data.Matrix) error {
	start := make([]int, p.dim+2)
	p.stored(func(_, j int, _ float64) { start[j+2]++ })
	for j := range p.dim {
		start[j+2] += start[j+1]
	}
	stored := start[p.dim+1]
	if err := p.ctl.Reserve("the coordinates by column", 16*float64(stored), "use fewer rows"); err != nil {
		return err
	}
	row, value := make([]int, stored), make([]float64, stored)
	p.stored(func(i, j int, v float64) {
		row[start[j+1]], value[start[j+1]] = i, v
		start[j+1]++
	})
	const columns = 4
	return par.For(ctx, p.ctl.Quiet(), "", par.Blocks(p.dim, columns), func(block int) error {
		lo, hi := par.Range(block, p.dim, columns)
		for j := lo; j < hi; j++ {
			for k := start[j]; k < start[j+1]; k++ {
				i, v := row[k], value[k]
				vmath.Axpy(b.Row(j), v, p.y.Row(i))
				p.addUpTo(g.Row(j), i, j, v*p.root[i]/p.scale)
			}
			vmath.Axpy(g.Row(j)[:j+1], -p.total*p.mean[j], p.mean[:j+1])
		}
		return nil
	})
}

// stored calls f for the stored coordinates of all rows with √c·x/scale.
func (p *ridgeProblem) stored(f func(i, j int, v float64)) {
	for i, x := range p.rows {
		a := p.root[i] / p.scale
		for k, v := range x.Value {
			j := k
			if x.IsSparse() {
				j = int(x.Index[k])
			}
			f(i, j, a*v)
		}
	}
}

// addUpTo adds a times coordinates 0 to last of row i to g.
func (p *ridgeProblem) addUpTo(g []float64, i, last int, a float64) {
	x := p.rows[i]
	if !x.IsSparse() {
		m := min(len(x.Value), last+1)
		vmath.Axpy(g[:m], a, x.Value[:m])
		return
	}
	for k, j := range x.Index {
		if int(j) > last {
			return
		}
		g[j] += a * x.Value[k]
	}
}

// primalCholesky solves for one λ from G + λI = L·Lᵀ: with U = L⁻ᵀ the weights
// are U·Uᵀ·X̃ᵀỹ and the leverages the squared lengths of the rows of X̃·U.
func (p *ridgeProblem) primalCholesky(ctx context.Context, g, b *data.Matrix, t *tally) error {
	u, err := inverseRoot(ctx, p, g, t.penalty)
	if err != nil {
		return err
	}
	w, err := p.applied(ctx, u, b)
	if err != nil {
		return err
	}
	ones := data.NewMatrix(p.dim, 1)
	for j := range ones.Data {
		ones.Data[j] = 1
	}
	return p.sweep(ctx, u, ones, w, []*tally{t})
}

// inverseRoot returns U with U·Uᵀ = (G + λI)⁻¹.
func inverseRoot(ctx context.Context, p *ridgeProblem, g *data.Matrix, penalty float64) (*data.Matrix, error) {
	l := data.NewMatrix(g.Rows, g.Rows)
	copy(l.Data, g.Data)
	for j := range l.Rows {
		l.Row(j)[j] += penalty
	}
	ctl := p.ctl.Quiet()
	if err := linalg.Cholesky(ctx, ctl, l); err != nil {
		return nil, err
	}
	inverse, err := linalg.InvertLower(ctx, ctl, l)
	if err != nil {
		return nil, err
	}
	u := data.NewMatrix(g.Rows, g.Rows)
	for i := range u.Rows {
		for j := i; j < u.Rows; j++ {
			u.Row(i)[j] = inverse.Row(j)[i]
		}
	}
	return u, nil
}

// applied returns U·Uᵀ·b.
func (p *ridgeProblem) applied(ctx context.Context, u, b *data.Matrix) (*data.Matrix, error) {
	half, whole := data.NewMatrix(b.Rows, b.Cols), data.NewMatrix(b.Rows, b.Cols)
	if b.Rows == 0 {
		return whole, nil
	}
	if err := linalg.TMul(ctx, p.ctl.Quiet(), 1, u, b, 0, half); err != nil {
		return nil, err
	}
	return whole, linalg.Mul(ctx, p.ctl.Quiet(), 1, u, half, 0, whole)
}

// primalEigen solves for all λ from G = V·S·Vᵀ: the weights are
// V·(S + λ)⁻¹·Vᵀ·X̃ᵀỹ and the leverages Σ_j z_j²/(s_j + λ) with z = Vᵀx̃.
// Next is called between the two.
func (p *ridgeProblem) primalEigen(ctx context.Context, g, b *data.Matrix, steps []*tally, next func()) error {
	values, v, err := eigen(ctx, p.ctl, g)
	if err != nil {
		return err
	}
	next()
	k := b.Cols
	turned := data.NewMatrix(p.dim, k)
	inverse := data.NewMatrix(p.dim, len(steps))
	coefficient, w := data.NewMatrix(p.dim, len(steps)*k), data.NewMatrix(p.dim, len(steps)*k)
	if p.dim > 0 {
		if err := linalg.TMul(ctx, p.ctl.Quiet(), 1, v, b, 0, turned); err != nil {
			return err
		}
		for j, s := range values {
			for l, t := range steps {
				if s == 0 {
					continue
				}
				inverse.Row(j)[l] = 1 / (s + t.penalty)
				vmath.Axpy(coefficient.Row(j)[l*k:(l+1)*k], inverse.Row(j)[l], turned.Row(j))
			}
		}
		if err := linalg.Mul(ctx, p.ctl.Quiet(), 1, v, coefficient, 0, w); err != nil {
			return err
		}
	}
	return p.sweep(ctx, v, inverse, w, steps)
}

// eigen decomposes the lower triangle of g, which it completes. Eigenvalues that
// are rounding come back as 0.
func eigen(ctx context.Context, ctl run.Control, g *data.Matrix) ([]float64, *data.Matrix, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if g.Rows == 0 {
		return nil, g, nil
	}
	for i := range g.Rows {
		for j := range i {
			g.Row(j)[i] = g.Row(i)[j]
		}
	}
	values, v, err := linalg.Eigen(ctx, ctl, g)
	if err == linalg.ErrEigen {
		return nil, nil, errEigen
	}
	if err != nil {
		return nil, nil, err
	}
	least := nullShare(g.Rows) * max(values[len(values)-1], 0)
	for j, s := range values {
		if !(s > least) {
			values[j] = 0
		}
	}
	return values, v, ctx.Err()
}

// sweep goes over the rows once more for residuals and leverages of all λ at
// once. With Z = X̃·V the leverages are Z²·inverse, elementwise squared, and the
// fitted targets X̃·w; w has the targets of a λ side by side.
func (p *ridgeProblem) sweep(ctx context.Context, v, inverse, w *data.Matrix, steps []*tally) error {
	n, k := len(p.rows), p.y.Cols
	size := min(gramRows, n)
	z, x := data.NewMatrix(size, p.dim), data.NewMatrix(size, p.dim)
	h, fitted := data.NewMatrix(size, len(steps)), data.NewMatrix(size, len(steps)*k)
	p.ctl.Progress.Begin("leave one out", int64(n))
	defer p.ctl.Progress.End()
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		for _, m := range []*data.Matrix{z, x, h, fitted} {
			m.Rows = hi - lo
		}
		if err := p.project(ctx, lo, hi, v, w, x, z, fitted); err != nil {
			return err
		}
		clear(h.Data)
		if p.dim > 0 {
			if err := linalg.Mul(ctx, p.ctl.Quiet(), 1, z, inverse, 0, h); err != nil {
				return err
			}
		}
		e := make([]float64, k)
		for i := lo; i < hi; i++ {
			for l, t := range steps {
				for c := range e {
					e[c] = p.y.Row(i)[c] - fitted.Row(i - lo)[l*k+c]
				}
				t.row(e, 1-p.leverage(i)-h.Row(i - lo)[l], freeLeverage, p.root[i])
			}
		}
		p.ctl.Progress.Advance(int64(hi))
	}
	for l, t := range steps {
		t.w = data.NewMatrix(p.dim, k)
		for j := range p.dim {
			copy(t.w.Row(j), w.Row(j)[l*k:(l+1)*k])
		}
	}
	return nil
}

// project sets z to the squares of the elements of X̃·V and fitted to X̃·w, for
// the rows lo to hi-1. x is room for the rows.
func (p *ridgeProblem) project(ctx context.Context, lo, hi int, v, w, x, z, fitted *data.Matrix) error {
	if p.dim == 0 {
		clear(fitted.Data)
		return ctx.Err()
	}
	square := func(i int) {
		row := z.Row(i - lo)
		for j, a := range row {
			row[j] = a * a
		}
	}
	if p.sparse {
		return p.projectSparse(ctx, lo, hi, v, w, z, fitted, square)
	}
	if err := p.eachRow(ctx, lo, hi, func(i int) { p.fill(x.Row(i-lo), i) }); err != nil {
		return err
	}
	if err := linalg.Mul(ctx, p.ctl.Quiet(), 1, x, v, 0, z); err != nil {
		return err
	}
	if err := linalg.Mul(ctx, p.ctl.Quiet(), 1, x, w, 0, fitted); err != nil {
		return err
	}
	return p.eachRow(ctx, lo, hi, square)
}

// projectSparse is project from the stored coordinates.
func (p *ridgeProblem) projectSparse(
	ctx context.Context, lo, hi int, v, w, z, fitted *data.Matrix, square func(i int),
) error {
	times := func(m *data.Matrix) []float64 {
		sum := make([]float64, m.Cols)
		for j, a := range p.mean {
			vmath.Axpy(sum, a, m.Row(j))
		}
		return sum
	}
	meanV, meanW := times(v), times(w)
	return p.eachRow(ctx, lo, hi, func(i int) {
		a, b := z.Row(i-lo), fitted.Row(i-lo)
		clear(a)
		clear(b)
		for k, value := range p.rows[i].Value {
			j := k
			if p.rows[i].IsSparse() {
				j = int(p.rows[i].Index[k])
			}
			value *= p.root[i] / p.scale
			vmath.Axpy(a, value, v.Row(j))
			vmath.Axpy(b, value, w.Row(j))
		}
		vmath.Axpy(a, -p.root[i], meanV)
		vmath.Axpy(b, -p.root[i], meanW)
		square(i)
	})
}
