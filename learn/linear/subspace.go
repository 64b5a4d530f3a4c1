package linear

import "context"

// Constants of the subspace step.
const (
	searchSteps    = 10    // lengths of the step that are tried
	sufficientGain = 0.1   // least part of the first-order gain that a step must bring
	residualDrop   = 1e-2  // conjugate gradients end when the residual has fallen by this
	flatCurvature  = 1e-12 // curvature below this part of the largest counts as none
)

// subspace is one step of conjugate gradients in the free rows, those with
// 0 < α < u, which coordinate descent alone brings together only slowly when
// C is large or the coordinates are correlated (Moré and Toraldo 1991, with
// sweeps in the place of gradient projection).
//
// Over the free rows, with Z the matrix of their y·x, -D is the quadratic
// g·p + ½|Zᵀp|² + ½Σ δ·p² of the change p of α. Conjugate gradients lower it from p = 0
// while the budget of rows visited lasts; the step along p is bent at the box
// and halved until D grows enough.
type subspace struct {
	*descent
	free    []int
	g       []float64 // derivative of -D in each free row
	p       []float64 // the change of α
	step    *weights  // Zᵀ times a vector over the free rows
	visited int       // rows, inner products and updates alike
}

// polish takes one subspace step that visits at most about budget rows, and
// returns how many. D never falls.
func (d *descent) polish(ctx context.Context, budget int) int {
	s := &subspace{descent: d, step: newWeights(d.dim)}
	for _, i := range d.order[:d.active] {
		if a := d.alpha[i]; 0 < a && a < d.top(d.c, i) {
			s.free = append(s.free, i)
		}
	}
	rounds := min(budget/(2*len(s.free)+1)-1, len(s.free))
	if rounds < 2 {
		return 0
	}
	s.g = make([]float64, len(s.free))
	for k, i := range s.free {
		s.g[k] = d.y[i]*d.score(d.w, i) - 1 + d.ridge(d.c, i)*d.alpha[i]
	}
	if s.conjugate(ctx, rounds) {
		s.search(ctx)
	}
	return s.visited
}

// conjugate finds p. It reports whether there is anything to gain along it.
func (s *subspace) conjugate(ctx context.Context, rounds int) bool {
	n := len(s.free)
	s.p = make([]float64, n)
	residual, direction := make([]float64, n), make([]float64, n)
	rr, scale := 0.0, 0.0
	for k, g := range s.g {
		residual[k], direction[k] = -g, -g
		rr += g * g
		scale = max(scale, s.norm[s.free[k]])
	}
	for round, goal := 0, rr*residualDrop*residualDrop; round < rounds && rr > goal; round++ {
		if ctx.Err() != nil {
			return false
		}
		s.image(direction)
		curvature, length := s.step.length2()+s.ridges(direction, s.free), 0.0
		for _, v := range direction {
			length += v * v
		}
		if curvature <= flatCurvature*scale*length {
			// D grows along direction until the box ends it.
			if round == 0 {
				copy(s.p, direction)
			}
			break
		}
		a, next := rr/curvature, 0.0
		s.visited += len(s.free)
		for k, i := range s.free {
			s.p[k] += a * direction[k]
			residual[k] -= a * (s.y[i]*s.score(s.step, i) + s.ridge(s.c, i)*direction[k])
			next += residual[k] * residual[k]
		}
		for k := range direction {
			direction[k] = residual[k] + next/rr*direction[k]
		}
		rr = next
	}
	return rr-rr == 0
}

// image sets step to Zᵀv.
func (s *subspace) image(v []float64) {
	s.visited += len(s.free)
	clear(s.step.w)
	s.step.bias = 0
	for k, i := range s.free {
		if v[k] != 0 {
			s.add(s.step, i, v[k]*s.y[i])
		}
	}
}

// search moves α along p, bent at the box.
func (s *subspace) search(ctx context.Context) {
	change := make([]float64, len(s.free))
	for t, tries := 1.0, 0; tries < searchSteps && ctx.Err() == nil; t, tries = t/2, tries+1 {
		first := 0.0
		for k, i := range s.free {
			a := s.alpha[i]
			change[k] = min(max(a+t*s.p[k], 0), s.top(s.c, i)) - a
			first -= s.g[k] * change[k]
		}
		s.image(change)
		if gain := first - (s.step.length2()+s.ridges(change, s.free))/2; first > 0 && gain >= sufficientGain*first {
			s.move(change)
			return
		}
	}
}

// move adds the change to α and its image, which is in step, to w.
func (s *subspace) move(change []float64) {
	for k, i := range s.free {
		s.alpha[i] = min(max(s.alpha[i]+change[k], 0), s.top(s.c, i))
	}
	for j, a := range s.step.w {
		s.w.w[j] += a
	}
	s.w.bias += s.step.bias
}
