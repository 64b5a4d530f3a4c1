package metric

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// block is how many rows' gradients are computed together.
const block = 128

// gradients returns the mean of ∇f·∇fᵀ over some rows and all targets, or with a
// diagonal metric its diagonal as one row. With f(x) = Σ_j α_j·k(T·x, z_j),
//
//	k = φ(|u - z|²):       ∇f = Tᵀ·Σ_j 2·α_j·φ'(|u - z_j|²)·(u - z_j),   u = T·x
//	k = exp(-γ·Σ|u - z|):  ∂f/∂x_c = -T_c·γ·Σ_j α_j·k(u, z_j)·sign(u_c - z_jc)
func (l *learning) gradients(ctx context.Context, at place, rows []int) (*data.Matrix, error) {
	support, weight := at.model.Support, at.model.Weight
	z := data.NewMatrix(support.Len(), l.z.Cols)
	for i := range z.Rows {
		support.At(i).CopyTo(z.Row(i))
	}
	alpha := data.NewMatrix(weight.Cols, weight.Rows) // a row a target
	for i := range weight.Rows {
		for k, v := range weight.Row(i) {
			alpha.Row(k)[i] = v
		}
	}
	sums := make([]*data.Matrix, par.Blocks(len(rows), block))
	form := l.plain(at.length)
	err := par.For(ctx, l.Run, "gradients", len(sums), func(b int) error {
		lo, hi := par.Range(b, len(rows), block)
		u := data.NewMatrix(hi-lo, l.z.Cols)
		for i := range u.Rows {
			copy(u.Row(i), l.z.Row(rows[lo+i]))
		}
		var err error
		if l.Taxi {
			sums[b], err = taxiGradients(ctx, l.Run, gram.Bind(form, data.Source[data.Vector](z)), u, z, alpha)
		} else {
			sums[b], err = l.euclidean(ctx, form, u, z, alpha)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	g := sums[0]
	for _, s := range sums[1:] {
		vmath.Axpy(g.Data, 1, s.Data)
	}
	vmath.Scale(g.Data, 1/float64(len(rows)))
	return l.back(ctx, g)
}

// squares is |x - y|², no kernel: its tiles are the distances.
type squares struct{}

func (squares) Eval(x, y data.Vector) float64 { return x.Distance2(y) }

func (squares) Form() (kernel.Form, bool) {
	return kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Identity, A: 1}}, true
}

// euclidean returns Σ g·gᵀ, or its diagonal, over some rows u and all targets, where
// g is the gradient in the coordinates of the metric, without the factor γ² of the
// kernel, which rooting leaves out.
func (l *learning) euclidean(
	ctx context.Context, k kernel.Kernel[data.Vector], u, z, alpha *data.Matrix,
) (*data.Matrix, error) {
	ctl := l.Run.Quiet()
	ctl.Workers = 1
	slope, err := gram.Bind[data.Vector](squares{}, z).Block(ctx, ctl, u)
	if err != nil {
		return nil, err
	}
	form, _ := kernel.FormOf(k)
	for i, s := range slope.Data {
		slope.Data[i] = form.Map.Slope(max(0, s))
	}
	d := u.Cols
	part, g := data.NewMatrix(u.Rows, z.Rows), data.NewMatrix(u.Rows, d)
	out := data.NewMatrix(1, d)
	if l.Full {
		out = data.NewMatrix(d, d)
	}
	for t := range alpha.Rows {
		for i := range u.Rows {
			row := part.Row(i)
			vmath.Times(row, slope.Row(i), alpha.Row(t))
			sum := vmath.Sum(row)
			for j, v := range u.Row(i) {
				g.Row(i)[j] = sum * v
			}
		}
		if err := linalg.Mul(ctx, ctl, -1, part, z, 1, g); err != nil {
			return nil, err
		}
		if l.Full {
			if err := linalg.TMul(ctx, ctl, 1, g, g, 1, out); err != nil {
				return nil, err
			}
			continue
		}
		addSquares(out.Row(0), g)
	}
	return out, nil
}

// addSquares adds the squares of each column.
func addSquares(sum []float64, g *data.Matrix) {
	for i := range g.Rows {
		for j, v := range g.Row(i) {
			sum[j] += v * v
		}
	}
}

// taxiRows is about how many rows of signs are multiplied by the weights at once.
const taxiRows = 256

// taxiGradients is euclidean for exp(-γ·Σ|u - z|). For each row of u it multiplies the
// matrix k(u, z_i)·sign(u_c - z_ic), a row a coordinate, by the weights of all targets.
func taxiGradients(
	ctx context.Context, ctl run.Control, c *gram.Columns[data.Vector], u, z, alpha *data.Matrix,
) (*data.Matrix, error) {
	ctl = ctl.Quiet()
	ctl.Workers = 1
	d := u.Cols
	out := data.NewMatrix(1, d)
	columns := data.NewMatrix(z.Cols, z.Rows)
	for i := range z.Rows {
		for j, v := range z.Row(i) {
			columns.Row(j)[i] = v
		}
	}
	if alpha.Rows <= fewTargets {
		taxiSums(out.Row(0), c, u, columns, alpha)
		return out, nil
	}
	some := max(1, taxiRows/d)
	k, signs, g := make([]float64, z.Rows), data.NewMatrix(some*d, z.Rows), data.NewMatrix(some*d, alpha.Rows)
	for lo := 0; lo < u.Rows; lo += some {
		n := min(some, u.Rows-lo)
		for i := range n {
			c.Row(k, u.At(lo+i))
			for j, v := range u.Row(lo + i) {
				signed(signs.Row(i*d+j), k, columns.Row(j), v)
			}
		}
		part := &data.Matrix{Rows: n * d, Cols: signs.Cols, Data: signs.Data[:n*d*signs.Cols]}
		slopes := &data.Matrix{Rows: n * d, Cols: g.Cols, Data: g.Data[:n*d*g.Cols]}
		if err := linalg.MulT(ctx, ctl, 1, part, alpha, 0, slopes); err != nil {
			return nil, err
		}
		for i := range slopes.Rows {
			out.Data[i%d] += vmath.Dot(slopes.Row(i), slopes.Row(i))
		}
	}
	return out, nil
}

// fewTargets is up to how many targets sums with signs are faster one by one than as a product with a matrix of signs.
const fewTargets = 4

// taxiSums adds the squares of the slopes of each row of u and each target to dst, a coordinate each.
func taxiSums(dst []float64, c *gram.Columns[data.Vector], u, columns, alpha *data.Matrix) {
	k, w := make([]float64, columns.Cols), make([]float64, columns.Cols)
	for i := range u.Rows {
		c.Row(k, u.At(i))
		for t := range alpha.Rows {
			vmath.Times(w, k, alpha.Row(t))
			for j, v := range u.Row(i) {
				slope := vmath.SignDot(w, columns.Row(j), v)
				dst[j] += slope * slope
			}
		}
	}
}

// signed sets out_i = a_i·sign(v - z_i), without a branch that nobody can foresee.
func signed(out, a, z []float64, v float64) {
	a, z = a[:len(out)], z[:len(out)]
	for i := range out {
		apart := math.Float64bits(v - z[i])
		size := apart &^ (1 << 63)
		some := uint64(int64(-size) >> 63) // all ones, but zero for a difference of 0
		out[i] = math.Float64frombits((math.Float64bits(a[i]) ^ apart&(1<<63)) & some)
	}
}

// back takes the mean from the coordinates of the metric so far to those of the
// rows: Tᵀ·G·T.
func (l *learning) back(ctx context.Context, g *data.Matrix) (*data.Matrix, error) {
	if l.metric == nil {
		return g, nil
	}
	if !l.Full {
		for j, v := range l.metric.Importance() {
			g.Data[j] *= v
		}
		return g, nil
	}
	t, left, out := l.metric.Matrix(), data.NewMatrix(g.Rows, g.Cols), data.NewMatrix(g.Rows, g.Cols)
	if err := linalg.Mul(ctx, l.Run.Quiet(), 1, g, t, 0, left); err != nil {
		return nil, err
	}
	return out, linalg.TMul(ctx, l.Run.Quiet(), 1, t, left, 0, out)
}
