package linear

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// dual solves by the n×n matrix K = X̃X̃ᵀ, for fewer rows than coordinates. The
// weights are X̃ᵀa with a = (K + λI)⁻¹ỹ, the residuals λa, and 1 less the
// leverage is λ times the diagonal of (K + λI)⁻¹: all sums of positive terms, so
// that leave-one-out errors keep their digits where the fit interpolates.
//
// With an intercept u = √c/√Σc is in the null space of K and belongs to the
// intercept: shift·uuᵀ is added, beyond all other eigenvalues, and its part
// taken off again.
func (p *ridgeProblem) dual(ctx context.Context, steps []*tally) error {
	n := len(p.rows)
	need := 5 * float64(n) * float64(n)
	if !p.sparse {
		need += float64(n) * float64(p.dim)
	}
	if err := p.ctl.Reserve("the products of rows", 8*need, "use fewer coordinates"); err != nil {
		return err
	}
	var x *data.Matrix
	if !p.sparse {
		x = data.NewMatrix(n, p.dim)
		if err := p.eachRow(ctx, 0, n, func(i int) { p.fill(x.Row(i), i) }); err != nil {
			return err
		}
	}
	k := data.NewMatrix(n, n)
	if err := p.rowProducts(ctx, k, x); err != nil {
		return err
	}
	shift := p.shift(k)
	done, err := oneByOne(k, steps, n, func(t *tally) error { return p.dualCholesky(ctx, k, x, shift, t) })
	if done || err != nil {
		return err
	}
	return p.dualEigen(ctx, k, x, steps)
}

// rowProducts sets the lower triangle of k to X̃X̃ᵀ; x is X̃, nil where the rows
// are sparse.
func (p *ridgeProblem) rowProducts(ctx context.Context, k, x *data.Matrix) error {
	if x != nil {
		return linalg.SymRank(ctx, p.ctl.Quiet(), 1, x, 0, k)
	}
	n := len(p.rows)
	toMean := make([]float64, n)
	for i, x := range p.rows {
		toMean[i] = x.DotWith(p.mean) / p.scale
	}
	square := data.Vector{Value: p.mean}.Norm2()
	const block = 8
	return par.For(ctx, p.ctl.Quiet(), "", par.Blocks(n, block), func(b int) error {
		lo, hi := par.Range(b, n, block)
		dense := make([]float64, p.dim)
		for i := lo; i < hi; i++ {
			p.rows[i].CopyTo(dense)
			for j := range i + 1 {
				dot := p.rows[j].DotWith(dense) / p.scale / p.scale
				k.Row(i)[j] = p.root[i] * p.root[j] * (dot - toMean[i] - toMean[j] + square)
			}
		}
		return nil
	})
}

// shift adds the intercept's direction to k and returns its eigenvalue, 0
// without intercept.
func (p *ridgeProblem) shift(k *data.Matrix) float64 {
	if !p.intercept {
		return 0
	}
	trace := 0.0
	for i := range k.Rows {
		trace += k.Row(i)[i]
	}
	if trace == 0 {
		trace = 1
	}
	for i := range k.Rows {
		vmath.Axpy(k.Row(i)[:i+1], 2*trace/p.total*p.root[i], p.root[:i+1])
	}
	return 2 * trace
}

// dualCholesky solves for one λ.
func (p *ridgeProblem) dualCholesky(ctx context.Context, k, x *data.Matrix, shift float64, t *tally) error {
	u, err := inverseRoot(ctx, p, k, t.penalty)
	if err != nil {
		return err
	}
	a, err := p.applied(ctx, u, p.y)
	if err != nil {
		return err
	}
	e := make([]float64, p.y.Cols)
	for i := range p.rows {
		for c := range e {
			e[c] = t.penalty * a.Row(i)[c]
		}
		diagonal := data.Vector{Value: u.Row(i)}.Norm2()
		free := t.penalty * (diagonal - p.leverage(i)/(shift+t.penalty))
		t.row(e, free, freeLeverage*t.penalty*diagonal, p.root[i])
	}
	w, err := p.combine(ctx, x, a)
	t.w = w
	return err
}

// dualEigen solves for all λ.
func (p *ridgeProblem) dualEigen(ctx context.Context, k, x *data.Matrix, steps []*tally) error {
	values, q, err := eigen(ctx, p.ctl, k)
	if err != nil {
		return err
	}
	n, cols := len(p.rows), p.y.Cols
	turned := data.NewMatrix(n, cols)
	if err := linalg.TMul(ctx, p.ctl.Quiet(), 1, q, p.y, 0, turned); err != nil {
		return err
	}
	// keep is λ/(s + λ), what a direction leaves of a residual; most is the
	// largest for each λ, to which rounding is relative.
	most := make([]float64, len(steps))
	keep := data.NewMatrix(n, len(steps))
	left, share := data.NewMatrix(n, len(steps)*cols), data.NewMatrix(n, len(steps)*cols)
	for j, s := range values {
		if p.intercept && j == n-1 {
			break
		}
		for l, t := range steps {
			keep.Row(j)[l] = 1
			if s > 0 {
				keep.Row(j)[l] = 1 / (1 + s/t.penalty)
				vmath.Axpy(share.Row(j)[l*cols:(l+1)*cols], 1/(s+t.penalty), turned.Row(j))
			}
			most[l] = max(most[l], keep.Row(j)[l])
			vmath.Axpy(left.Row(j)[l*cols:(l+1)*cols], keep.Row(j)[l], turned.Row(j))
		}
	}
	residual, a := data.NewMatrix(n, len(steps)*cols), data.NewMatrix(n, len(steps)*cols)
	free := data.NewMatrix(n, len(steps))
	for _, m := range [][2]*data.Matrix{{left, residual}, {share, a}} {
		if err := linalg.Mul(ctx, p.ctl.Quiet(), 1, q, m[0], 0, m[1]); err != nil {
			return err
		}
	}
	for i, v := range q.Data {
		q.Data[i] = v * v
	}
	if err := linalg.Mul(ctx, p.ctl.Quiet(), 1, q, keep, 0, free); err != nil {
		return err
	}
	for i := range n {
		for l, t := range steps {
			t.row(residual.Row(i)[l*cols:(l+1)*cols], free.Row(i)[l], freeLeverage*most[l], p.root[i])
		}
	}
	w, err := p.combine(ctx, x, a)
	if err != nil {
		return err
	}
	for l, t := range steps {
		t.w = data.NewMatrix(p.dim, cols)
		for j := range p.dim {
			copy(t.w.Row(j), w.Row(j)[l*cols:(l+1)*cols])
		}
	}
	return nil
}

// combine returns X̃ᵀa.
func (p *ridgeProblem) combine(ctx context.Context, x, a *data.Matrix) (*data.Matrix, error) {
	w := data.NewMatrix(p.dim, a.Cols)
	if x != nil {
		return w, linalg.TMul(ctx, p.ctl.Quiet(), 1, x, a, 0, w)
	}
	p.stored(func(i, j int, v float64) { vmath.Axpy(w.Row(j), v, a.Row(i)) })
	sum := make([]float64, a.Cols)
	for i, root := range p.root {
		vmath.Axpy(sum, root, a.Row(i))
	}
	for j, m := range p.mean {
		vmath.Axpy(w.Row(j), -m, sum)
	}
	return w, ctx.Err()
}
