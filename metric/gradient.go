package metric

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
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
			sums[b], err = taxiGradients(ctx, gram.Bind(form, data.Source[data.Vector](z)), u, z, alpha)
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

// taxiGradients is euclidean for exp(-γ·Σ|u - z|).
func taxiGradients(
	ctx context.Context, c *gram.Columns[data.Vector], u, z, alpha *data.Matrix,
) (*data.Matrix, error) {
	out := data.NewMatrix(1, u.Cols)
	columns := data.NewMatrix(z.Cols, z.Rows)
	for i := range z.Rows {
		for j, v := range z.Row(i) {
			columns.Row(j)[i] = v
		}
	}
	k, part := make([]float64, z.Rows), make([]float64, z.Rows)
	for i := range u.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Row(k, u.At(i))
		for t := range alpha.Rows {
			vmath.Times(part, k, alpha.Row(t))
			for j, v := range u.Row(i) {
				g := signed(part, columns.Row(j), v)
				out.Data[j] += g * g
			}
		}
	}
	return out, nil
}

// signed returns Σ_j a_j·sign(v - z_j).
func signed(a, z []float64, v float64) float64 {
	sum := 0.0
	z = z[:len(a)]
	for j, w := range a {
		switch {
		case z[j] < v:
			sum += w
		case z[j] > v:
			sum -= w
		}
	}
	return sum
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
