package kernelized

import "math"

// dual is a problem of the family that SMO solves,
//
//	minimise  ½ Σ_s Σ_t b_s b_t K(x_s, x_t) + Σ_t e_t b_t
//	over      lo_t ≤ b_t ≤ hi_t, the sums of the b_t of each group as they are
//
// In the notation of the support-vector literature b_t = y_t·α_t: a variable of
// a positive label has the range [0, C_t], one of a negative label [-C_t, 0],
// and yᵀα is the sum of all b.
//
// There are as many variables as instances, or twice as many: variable t is
// about instance t mod n.
type dual struct {
	n      int // instances
	e      []float64
	lo, hi []float64
	b      []float64 // feasible at first, the solution in the end
	ties   ties
}

// ties says which sums of variables are fixed.
type ties uint8

const (
	free  ties = iota // none: the separator has no bias
	all               // the sum of all: yᵀα is fixed
	sided             // the sums of both signs: yᵀα and eᵀα are fixed
)

// groups returns how many groups of variables have a fixed sum or, where none
// is fixed, one.
func (d *dual) groups() int {
	if d.ties == sided {
		return 2
	}
	return 1
}

// group returns the group of variable t: the second holds those of negative
// labels where both signs have a sum of their own.
func (d *dual) group(t int) int {
	if d.ties == sided && d.lo[t] < 0 {
		return 1
	}
	return 0
}

// beta returns Σ b_t over the variables of each instance: the weights of the
// kernel expansion.
func (d *dual) beta() []float64 {
	beta := make([]float64, d.n)
	copy(beta, d.b)
	for t := d.n; t < len(d.b); t++ {
		beta[t-d.n] += d.b[t]
	}
	return beta
}

// slope returns -∂/∂b_t of the objective, where scores are K·beta: how fast
// the objective falls with b_t.
func (d *dual) slope(scores []float64, t int) float64 {
	i := t
	if i >= d.n {
		i -= d.n
	}
	return -(scores[i] + d.e[t])
}

// extremes returns for each group, among the variables of the active instances or
// of all where active is nil, the highest slope of a variable that may grow and
// the lowest of one that may shrink, with -Inf and +Inf for none. With the sum of
// a group fixed, the objective falls along a pair of them exactly when the first
// exceeds the second (Keerthi et al. 2001); without, when the first is positive or
// the second negative.
func (d *dual) extremes(scores []float64, active []int) (up, down [2]float64) {
	up = [2]float64{math.Inf(-1), math.Inf(-1)}
	down = [2]float64{math.Inf(1), math.Inf(1)}
	for t := range d.variables(active) {
		b, f, g := d.b[t], d.slope(scores, t), d.group(t)
		if b < d.hi[t] && f > up[g] {
			up[g] = f
		}
		if b > d.lo[t] && f < down[g] {
			down[g] = f
		}
	}
	return up, down
}

// violation returns how far the optimality conditions are from being met: the
// largest up - down of a group, or the largest slope that can be followed where
// nothing is tied. It is never negative.
func (d *dual) violation(up, down [2]float64) float64 {
	if d.ties == free {
		return max(0, up[0], -down[0])
	}
	return max(0, up[0]-down[0], up[1]-down[1])
}

// levels returns for each group the slope r of the variables strictly inside
// their ranges, their mean, or the middle of what the others allow: at the
// optimum all slopes above r belong to variables that cannot grow and all below
// to such that cannot shrink. Where nothing is tied it is 0.
func (d *dual) levels(scores []float64) [2]float64 {
	if d.ties == free {
		return [2]float64{}
	}
	var sum, count [2]float64
	up, down := d.extremes(scores, nil)
	for t, b := range d.b {
		if d.lo[t] < b && b < d.hi[t] {
			g := d.group(t)
			sum[g] += d.slope(scores, t)
			count[g]++
		}
	}
	var r [2]float64
	for g := range d.groups() {
		switch {
		case count[g] > 0:
			r[g] = sum[g] / count[g]
		case math.IsInf(up[g], 0):
			r[g] = down[g]
		case math.IsInf(down[g], 0):
			r[g] = up[g]
		default:
			r[g] = (up[g] + down[g]) / 2
		}
		if math.IsInf(r[g], 0) { // all ranges of the group are points
			r[g] = 0
		}
	}
	return r
}

// objective returns ½ bᵀKb + eᵀb.
func (d *dual) objective(scores []float64) float64 {
	sum := 0.0
	for t, b := range d.b {
		sum += b * (d.e[t] - d.slope(scores, t))
	}
	return sum / 2
}

// gap returns by how much the objective can at most exceed its minimum, where K
// is positive semidefinite:
//
//	Σ_t max over c in [lo_t, hi_t] of (c - b_t)·(f_t - r)
//
// with the slopes f and the level r of the group of t. It is the objective less
// the least value of its tangent under the Lagrangian of the ties, and so the
// duality gap: for classification the primal objective at bias r, plus the dual
// objective.
func (d *dual) gap(scores []float64) float64 {
	r := d.levels(scores)
	sum := 0.0
	for t, b := range d.b {
		f := d.slope(scores, t) - r[d.group(t)]
		if f > 0 {
			sum += (d.hi[t] - b) * f
		} else {
			sum += (d.lo[t] - b) * f
		}
	}
	return sum
}
