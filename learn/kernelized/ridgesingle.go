package kernelized

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// A factor in float32 solves the system to about 2⁻²⁴ times its condition. Each step of
// refinement multiplies the residual, which is computed in double from the values of G in
// float32, by that again (Wilkinson 1963, chapter 3).
const (
	singleGoal  = 1e-5 // of each residual relative to its right-hand side
	singleSteps = 4    // in which it must be reached
	singleRows  = 64   // of the matrix that one task takes
)

// singleMatrix is G in float32, and the room for the factor.
type singleMatrix struct {
	n         int
	g, factor []float32
	failed    bool // on a penalty: the condition is too much for float32
}

// single computes the weights by a factor in float32, and reports whether that goes: where
// the condition is too much for it nothing is done.
func (r Ridge[T]) single(
	ctx context.Context, ctl run.Control, s *ridgeSolution, d ridgeSample[T], kept *ridgeKept[T],
) (bool, error) {
	m := &singleMatrix{n: d.x.Len()}
	if kept != nil {
		if kept.single == nil {
			kept.single = m
		}
		m = kept.single
	}
	if m.failed {
		return false, nil
	}
	if m.g == nil {
		var err error
		if m.g, err = gram.Symmetric32(ctx, ctl, r.Kernel, d.x); err != nil {
			return false, err
		}
		m.factor = alloc.Slice[float32](m.n * m.n)
	}
	total, root := d.roots()
	mu := 2 * r.Lambda * total
	quiet := ctl.Quiet()
	err := m.factorise(ctx, quiet, root, mu)
	if fault := (*linalg.NotPositiveError)(nil); errors.As(err, &fault) {
		*m = singleMatrix{n: m.n, failed: true}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	ok, err := m.solve(ctx, quiet, s.weight, d.y, root, mu)
	if !ok && err == nil {
		*m = singleMatrix{n: m.n, failed: true}
	}
	return ok, err
}

// factorise sets factor to that of SGS + μI.
func (m *singleMatrix) factorise(ctx context.Context, ctl run.Control, root []float64, mu float64) error {
	scale := make([]float32, m.n)
	for i, v := range root {
		scale[i] = float32(v)
	}
	err := par.For(ctx, ctl, "", par.Blocks(m.n, singleRows), func(b int) error {
		lo, hi := par.Range(b, m.n, singleRows)
		for i := lo; i < hi; i++ {
			row := m.factor[i*m.n:][:i+1]
			copy(row, m.g[i*m.n:])
			vmath.ScaleRow(row, scale[i], scale[:i+1])
			row[i] += float32(mu)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return linalg.CholeskyOf(ctx, ctl, m.factor, m.n)
}

// solve sets the rows of alpha to S·β of each target, and reports whether all residuals came to
// be as small as they must be.
func (m *singleMatrix) solve(
	ctx context.Context, ctl run.Control, alpha, y *data.Matrix, root []float64, mu float64,
) (bool, error) {
	b, beta := data.NewMatrix(y.Rows, m.n), data.NewMatrix(y.Rows, m.n)
	scaleColumns(b, y, root)
	rest, product := clone(b), data.NewMatrix(y.Rows, m.n)
	z := make([]float32, len(rest.Data))
	before := math.Inf(1)
	for range singleSteps {
		size := make([]float64, y.Rows)
		for k := range size { // whatever the unit of the targets, float32 holds what is left
			if size[k] = norm2(rest.Row(k)); size[k] > 0 {
				roundScaled(z[k*m.n:(k+1)*m.n], rest.Row(k), 1/size[k])
			}
		}
		for _, transposed := range []bool{false, true} {
			if err := lowerOf(m.factor, m.n).solve(ctx, ctl, z, transposed); err != nil {
				return false, err
			}
		}
		for k, v := range size {
			for i, u := range z[k*m.n : (k+1)*m.n] {
				beta.Row(k)[i] += v * float64(u)
			}
		}
		scaleColumns(alpha, beta, root)
		if err := m.multiply(ctx, ctl, product, alpha); err != nil {
			return false, err
		}
		worst := 0.0
		for k := range rest.Rows {
			row := rest.Row(k)
			for i, v := range b.Row(k) {
				row[i] = v - root[i]*product.Row(k)[i] - mu*beta.Row(k)[i]
			}
			if left := norm2(row); left > 0 {
				worst = max(worst, left/norm2(b.Row(k)))
			}
		}
		if worst <= singleGoal {
			return true, nil
		}
		if !(worst < before/2) {
			break
		}
		before = worst
	}
	return false, nil
}

// roundScaled sets dst = a·x, rounded.
func roundScaled(dst []float32, x []float64, a float64) {
	for i, v := range x {
		dst[i] = float32(a * v)
	}
}

// multiply sets dst = v·G, with sums in double.
func (m *singleMatrix) multiply(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	return par.For(ctx, ctl, "", par.Blocks(m.n, singleRows), func(b int) error {
		lo, hi := par.Range(b, m.n, singleRows)
		wide := make([]float64, m.n)
		for i := lo; i < hi; i++ {
			vmath.Widen(wide, m.g[i*m.n:][:m.n])
			for k := range v.Rows {
				dst.Row(k)[i] = vmath.Dot(wide, v.Row(k))
			}
		}
		return nil
	})
}
