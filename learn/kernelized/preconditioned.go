package kernelized

import (
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// linearSystem is a system A·x = b for several b at once, with a matrix P near A.
type linearSystem interface {
	// product returns A·v for each row of v.
	product(ctx context.Context, v *data.Matrix) (*data.Matrix, error)
	// precondition returns P⁻¹·v for each row of v.
	precondition(ctx context.Context, v *data.Matrix) (*data.Matrix, error)
	// residual returns b[k] - A·x for each k of index and the row of x in its place,
	// as exactly as the matrix is known.
	residual(ctx context.Context, x *data.Matrix, index []int) (*data.Matrix, error)
}

// conjugate runs conjugate gradients with a preconditioner (Hestenes and Stiefel
// 1952) on several right-hand sides at once, a row each, so that one product with A
// serves all that are open. Each develops as it would alone.
//
// The residual of the recurrence drifts away from b - A·x by rounding. So a solution
// that seems to be there is looked at again: it has converged when b - A·x itself is
// small enough, and goes on from there when it is not. One that gained less than
// half since it was last looked at is at the end of what the precision can give, and
// is left as it is.
type conjugate struct {
	system linearSystem
	goal   []float64 // the largest |r| of each
	limit  int       // of steps

	x, r    *data.Matrix // r = b - A·x by the recurrence
	p       *data.Matrix // the directions
	rz      []float64    // ⟨r, P⁻¹r⟩ of each
	open    []int        // those that go on
	looked  lookedAt     // where each was looked at last
	steps   int
	stepped func() // after each step
}

// lookedAt is a place with its true residual.
type lookedAt struct {
	x, r *data.Matrix
	norm []float64 // |r|
}

// seeming is the part of the goal that the recurrence goes down to, so that its
// drift seldom asks for a second look.
const seeming = 0.9

// run sets out from x, with r = b - A·x and the directions 0. Unless a product
// failed, x is then for each the best place that was looked at, and r its residual;
// else what was reached.
func (s *conjugate) run(ctx context.Context) error {
	n := s.x.Rows
	s.p, s.rz = data.NewMatrix(n, s.x.Cols), make([]float64, n)
	s.looked = lookedAt{x: clone(s.x), r: clone(s.r), norm: make([]float64, n)}
	for k := range n {
		s.looked.norm[k] = norm2(s.r.Row(k))
		if s.looked.norm[k] > s.goal[k] {
			s.open = append(s.open, k)
		}
	}
	for len(s.open) > 0 && s.steps < s.limit {
		begun := slices.Clone(s.open)
		if err := s.turn(ctx, nil); err != nil {
			return err
		}
		for len(s.open) > 0 && s.steps < s.limit {
			if err := s.step(ctx); err != nil {
				return err
			}
		}
		if err := s.look(ctx, begun); err != nil {
			return err
		}
	}
	copy(s.x.Data, s.looked.x.Data)
	copy(s.r.Data, s.looked.r.Data)
	return nil
}

// converged reports whether all have reached their goals.
func (s *conjugate) converged() bool {
	for k, norm := range s.looked.norm {
		if !(norm <= s.goal[k]) {
			return false
		}
	}
	return true
}

func norm2(v []float64) float64 { return math.Sqrt(vmath.Dot(v, v)) }

// rows returns the given rows of a matrix.
func rows(m *data.Matrix, index []int) *data.Matrix {
	out := data.NewMatrix(len(index), m.Cols)
	for i, k := range index {
		copy(out.Row(i), m.Row(k))
	}
	return out
}

// step goes along the directions of those that are open, and turns them. Those that
// seem to have arrived are closed, and those along whose direction A is not positive:
// there no better x is to be had.
func (s *conjugate) step(ctx context.Context) error {
	w, err := s.system.product(ctx, rows(s.p, s.open))
	if err != nil {
		return err
	}
	before := slices.Clone(s.rz)
	var on []int
	for i, k := range s.open {
		length := s.rz[k] / vmath.Dot(s.p.Row(k), w.Row(i))
		if !(length > 0) || math.IsInf(length, 0) {
			continue
		}
		vmath.Axpy(s.x.Row(k), length, s.p.Row(k))
		vmath.Axpy(s.r.Row(k), -length, w.Row(i))
		if norm2(s.r.Row(k)) > seeming*s.goal[k] {
			on = append(on, k)
		}
	}
	s.open = on
	s.steps++
	s.stepped()
	if len(on) == 0 || s.steps == s.limit {
		return nil
	}
	return s.turn(ctx, before)
}

// turn sets p ← P⁻¹r + β·p for those that are open, with β = ⟨r, P⁻¹r⟩ over what it
// was before, or 0 where there is none before.
func (s *conjugate) turn(ctx context.Context, before []float64) error {
	z, err := s.system.precondition(ctx, rows(s.r, s.open))
	if err != nil {
		return err
	}
	var on []int
	for i, k := range s.open {
		s.rz[k] = vmath.Dot(s.r.Row(k), z.Row(i))
		if !(s.rz[k] > 0) || math.IsInf(s.rz[k], 0) {
			continue
		}
		on = append(on, k)
		beta := 0.0
		if before != nil {
			beta = s.rz[k] / before[k]
		}
		p := s.p.Row(k)
		for j, v := range z.Row(i) {
			p[j] = v + beta*p[j]
		}
	}
	s.open = on
	return nil
}

// look computes the true residuals of those that were under way and keeps what is
// better than when they were last looked at. Those that came much nearer, and are
// not there, are open again.
func (s *conjugate) look(ctx context.Context, begun []int) error {
	r, err := s.system.residual(ctx, rows(s.x, begun), begun)
	if err != nil {
		return err
	}
	s.open = nil
	for i, k := range begun {
		last, now := s.looked.norm[k], norm2(r.Row(i))
		copy(s.r.Row(k), r.Row(i))
		if !(now < last) {
			continue
		}
		s.looked.norm[k] = now
		copy(s.looked.x.Row(k), s.x.Row(k))
		copy(s.looked.r.Row(k), s.r.Row(k))
		if now > s.goal[k] && now < last/2 {
			s.open = append(s.open, k)
		}
	}
	return nil
}
