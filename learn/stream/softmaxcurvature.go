package stream

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// curved is the Hessian of a multinomial loss over some rows in memory, which stand for
// all,
//
//	H·D = D + μD + Σ c·(diag(p) - ppᵀ)·D·x·xᵀ
//
// with the chances p of the classes of a row. It is never written down: a product with it
// takes two products with the rows. Points and directions are a row a class, and sum to 0
// over the classes.
//
// Conjugate gradients with it are preconditioned by (1 + μ + s·G)⁻¹ for each class, with
// G = Σ c(1 - |p|²)·x·xᵀ at the start, of which the eigenvectors are known, and s the part
// that the class has of the curvature.
type curved struct {
	ctl    run.Control
	x      *data.Matrix
	weight []float64
	p, u   *data.Matrix // chances; scratch of as many numbers

	values  []float64 // of G
	vectors *data.Matrix
	mass    float64 // Σ c(1 - |p|²) at the start
	share   []float64
	rows    float64 // that have curvature, as many of the same curvature as would be as good
	damp    float64 // μ
}

const (
	cgAccuracy = 1e-2 // of the residual, in the norm of the preconditioner: rows of a sample say no more
	cgSteps    = 300
)

// newCurved returns the Hessian over so many of the rows of a sample, spread over them all,
// with weights that sum up to a total.
func newCurved(b *sums.Block, rows, classes int, unit, total float64, ctl run.Control) *curved {
	dim := b.X.Cols
	h := &curved{ctl: ctl.Quiet(), x: data.NewMatrix(rows, dim+1), weight: make([]float64, rows),
		p: data.NewMatrix(rows, classes), u: data.NewMatrix(rows, classes), share: make([]float64, classes)}
	sum := 0.0
	for i := range rows {
		from := int(float64(i) * float64(b.Rows()) / float64(rows))
		copy(h.x.Row(i), b.X.Row(from))
		h.x.Row(i)[dim] = unit
		if h.weight[i] = 1; b.Weight != nil {
			h.weight[i] = b.Weight[from]
		}
		sum += h.weight[i]
	}
	vmath.Scale(h.weight, total/max(sum, math.SmallestNonzeroFloat64))
	return h
}

// at moves to a point.
func (h *curved) at(ctx context.Context, w *data.Matrix) error {
	if err := linalg.MulT(ctx, h.ctl, 1, h.x, w, 0, h.p); err != nil {
		return err
	}
	clear(h.share)
	sum, squares := 0.0, 0.0
	for i, c := range h.weight {
		p, q := h.p.Row(i), 0.0
		softmax(p, p)
		for k, a := range p {
			h.share[k] += c * a * (1 - a)
			q += c * a * (1 - a)
		}
		sum, squares = sum+q, squares+q*q
	}
	h.rows = sum * sum / max(squares, math.SmallestNonzeroFloat64)
	if h.vectors == nil {
		return h.factor(ctx)
	}
	vmath.Scale(h.share, 1/max(h.mass, math.SmallestNonzeroFloat64))
	return nil
}

// factor finds the eigenvectors of G at the first point.
func (h *curved) factor(ctx context.Context) error {
	width := h.x.Cols
	some, g := data.NewMatrix(h.x.Rows, width), data.NewMatrix(width, width)
	copy(some.Data, h.x.Data)
	for i, c := range h.weight {
		q := max(0, c*(1-vmath.Dot(h.p.Row(i), h.p.Row(i))))
		h.mass += q
		vmath.Scale(some.Row(i), math.Sqrt(q))
	}
	if err := linalg.SymRankT(ctx, h.ctl, 1, some, 0, g); err != nil {
		return err
	}
	for i := range width {
		for j := range i {
			g.Row(j)[i] = g.Row(i)[j]
		}
	}
	var err error
	if h.values, h.vectors, err = linalg.Eigen(ctx, h.ctl, g); errors.Is(err, linalg.ErrEigen) {
		return errors.New("the curvature is not finite, or too uneven; scale the data down, or use a smaller C")
	}
	vmath.Scale(h.share, 1/max(h.mass, math.SmallestNonzeroFloat64))
	return err
}

// doubt is about by which factor the Hessian over these rows may be above that over all
// (Marchenko and Pastur 1967).
func (h *curved) doubt() float64 {
	off := 1 + math.Sqrt(float64(h.x.Cols)/max(h.rows, 1))
	return off * off
}

// unseen is about how large an eigenvalue of the Hessian of all rows can be where these
// rows have none.
func (h *curved) unseen() float64 {
	sum := 0.0
	for _, v := range h.values {
		sum += max(0, v)
	}
	return sum / float64(h.x.Rows*len(h.share))
}

// multiply sets out = H·d.
func (h *curved) multiply(ctx context.Context, out, d *data.Matrix) error {
	if err := linalg.MulT(ctx, h.ctl, 1, h.x, d, 0, h.u); err != nil {
		return err
	}
	for i, c := range h.weight {
		p, u := h.p.Row(i), h.u.Row(i)
		mean := vmath.Dot(p, u)
		for k, a := range p {
			u[k] = c * a * (u[k] - mean)
		}
	}
	if err := linalg.TMul(ctx, h.ctl, 1, h.u, h.x, 0, out); err != nil {
		return err
	}
	vmath.Axpy(out.Data, 1+h.damp, d.Data)
	return nil
}

// precondition sets z to the solution for r with a block for each class.
func (h *curved) precondition(ctx context.Context, z, r, turned *data.Matrix) error {
	if err := linalg.Mul(ctx, h.ctl, 1, r, h.vectors, 0, turned); err != nil {
		return err
	}
	for k, s := range h.share {
		row := turned.Row(k)
		for j, v := range h.values {
			row[j] /= 1 + h.damp + s*max(0, v)
		}
	}
	if err := linalg.MulT(ctx, h.ctl, 1, turned, h.vectors, 0, z); err != nil {
		return err
	}
	centre(z)
	return nil
}

// solve sets d to about -H⁻¹·gradient, and returns by how much that lowers the quadratic.
func (h *curved) solve(ctx context.Context, d, gradient *data.Matrix) (float64, error) {
	like := func() *data.Matrix { return data.NewMatrix(d.Rows, d.Cols) }
	r, z, q, hq, turned := like(), like(), like(), like(), like()
	clear(d.Data)
	vmath.Axpy(r.Data, -1, gradient.Data)
	centre(r)
	first, before := 0.0, 0.0
	for step := range cgSteps {
		if err := h.precondition(ctx, z, r, turned); err != nil {
			return 0, err
		}
		now := vmath.Dot(r.Data, z.Data)
		if step == 0 {
			first = now
		}
		if !(now > cgAccuracy*cgAccuracy*first) || step > 0 && now == 0 {
			break
		}
		if step > 0 {
			vmath.Scale(q.Data, now/before)
		}
		vmath.Axpy(q.Data, 1, z.Data)
		if err := h.multiply(ctx, hq, q); err != nil {
			return 0, err
		}
		length := now / vmath.Dot(q.Data, hq.Data)
		vmath.Axpy(d.Data, length, q.Data)
		vmath.Axpy(r.Data, -length, hq.Data)
		before = now
	}
	if vmath.Finite(d.Data) >= 0 {
		return 0, errors.New("a step is not finite; scale the data down, or use a smaller C")
	}
	return -vmath.Dot(d.Data, gradient.Data) / 2, nil
}

// centre takes the mean over the rows off each.
func centre(m *data.Matrix) {
	mean := make([]float64, m.Cols)
	for k := range m.Rows {
		vmath.Axpy(mean, 1/float64(m.Rows), m.Row(k))
	}
	for k := range m.Rows {
		vmath.Axpy(m.Row(k), -1, mean)
	}
}
