package kernelized

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

const (
	// leapAfter is how many steps a variable of the set pass before a leap at least.
	leapAfter = 4
	// leapLeast is the fewest free variables to leap with.
	leapLeast = 8
	// leapFactor and leapPivot are what a leap with f free variables costs, times
	// f³ for its factorisation and times f² for each variable that comes to a
	// bound, where a step of SMO costs 1 a variable of the set.
	leapFactor, leapPivot = 1.0 / 200, 0.25
)

// solve takes steps until the violation is within tolerance or they are used up,
// and returns how many it took. Where they do not get there soon it leaps in
// between, after so many steps that they have cost as much as a leap does: steps
// of two variables find out which variables are at their bounds, and leaps solve
// for all others at once, which takes millions of steps where they are badly
// conditioned.
func (p *inner[F]) solve(ctx context.Context, ctl run.Control, tied bool, tolerance float64, steps int) int {
	take := p.singles
	if tied {
		take = p.pairs
	}
	q := len(p.f)
	for done, last := 0, 0; ; { // last: steps up to the last leap, less what that one cost
		burst := min(steps-done, leapAfter*q)
		made := take(ctx, tolerance, burst)
		done += made
		if made < burst || done >= steps || ctx.Err() != nil {
			return done
		}
		size := float64(len(p.inside()))
		if cost := (leapFactor + leapPivot/64) * size * size * size; float64(done-last)*float64(q) >= cost {
			last = done + int((p.leap(ctx, ctl, tied)-cost)/float64(q))
		}
	}
}

// inside returns the variables strictly inside their ranges.
func (p *inner[F]) inside() []int {
	var free []int
	for i, b := range p.b {
		if p.lo[i] < b && b < p.hi[i] {
			free = append(free, i)
		}
	}
	return free
}

// leap moves the free variables, those strictly inside their ranges, to where the
// objective is least on the face that they are in, as far as their ranges allow:
// by Newton's direction p, which solves
//
//	K_ff·p = slopes - λ,   the sum of p over each group that is tied 0
//
// until a variable comes to a bound, and on without that one; the triangle of
// K_ff is brought up to date each time (the active-set method; Scheinberg 2006
// for these problems). About the rounding of K is added to its diagonal. Where
// K_ff is not positive definite nothing happens. The objective never grows. It
// returns the cost.
func (p *inner[F]) leap(ctx context.Context, ctl run.Control, tied bool) float64 {
	free := p.inside()
	size := float64(len(free))
	cost := leapFactor * size * size * size
	if len(free) < leapLeast {
		return 0
	}
	f := p.face(ctx, ctl, free, tied)
	if f == nil {
		return cost
	}
	before := append([]float64(nil), p.b...)
	for len(f.index) > 0 && ctx.Err() == nil {
		at, ok := f.step()
		if !ok || at < 0 {
			break
		}
		f.remove(at)
		cost += leapPivot * float64(len(f.index)*len(f.index))
	}
	p.accept(before)
	return cost
}

// face is the free variables with their slopes and the triangle R of K on them,
// K = Rᵀ·R, upper and row after row with a stride that stays.
type face struct {
	index  []int
	slope  []float64
	ridge  float64
	r      []float64
	stride int
	// Of the inner problem:
	b, lo, hi []float64
	group     func(i int) int // -1 where nothing is tied
	groups    int
}

// face returns the face of the free variables, nil where K is not positive
// definite on it.
func (p *inner[F]) face(ctx context.Context, ctl run.Control, free []int, tied bool) *face {
	n, unit := len(free), 0x1p-50
	if _, ok := any(F(0)).(float32); ok {
		unit = 0x1p-23
	}
	largest := 0.0
	for _, i := range free {
		largest = max(largest, p.own[i])
	}
	f := &face{index: free, slope: make([]float64, n), stride: n, b: p.b, lo: p.lo, hi: p.hi,
		group: func(int) int { return -1 }}
	if tied {
		f.groups = len(p.groups)
		second := p.groups[len(p.groups)-1].from
		f.group = func(i int) int {
			if f.groups == 2 && i >= second {
				return 1
			}
			return 0
		}
	}
	for k, i := range free {
		f.slope[k] = p.f[i]
	}
	a := data.NewMatrix(n, n)
	for f.ridge = unit * float64(n) * largest; f.ridge < 1e-2*largest; f.ridge *= 100 {
		for k, i := range free {
			row, from := a.Row(k), p.row(i)
			for m, j := range free[:k+1] {
				row[m] = float64(from[j])
			}
			row[k] += f.ridge
		}
		if linalg.Cholesky(ctx, ctl, a) == nil {
			f.r = a.Data
			for k := range n {
				for m := range k {
					a.Row(m)[k] = a.Row(k)[m]
				}
			}
			return f
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

func (f *face) row(k int) []float64 { return f.r[k*f.stride : k*f.stride+len(f.index)] }

// solve replaces v by the solution of RᵀR·x = v.
func (f *face) solve(v []float64) {
	n := len(f.index)
	for k := range n {
		row := f.row(k)
		v[k] /= row[k]
		vmath.Axpy(v[k+1:], -v[k], row[k+1:])
	}
	for k := n - 1; k >= 0; k-- {
		row := f.row(k)
		v[k] = (v[k] - vmath.Dot(row[k+1:], v[k+1:])) / row[k]
	}
}

// step moves the free variables along Newton's direction to its end or to the
// first bound, and returns which variable stands there, -1 for none. It reports
// whether the direction is one of numbers.
func (f *face) step() (at int, ok bool) {
	n := len(f.index)
	p := append([]float64(nil), f.slope...)
	f.solve(p)
	level := f.tie(p)
	if vmath.Finite(p) >= 0 {
		return -1, false
	}
	at, part := -1, 1.0
	for k, i := range f.index {
		room := math.Inf(1)
		if p[k] > 0 {
			room = (f.hi[i] - f.b[i]) / p[k]
		} else if p[k] < 0 {
			room = (f.lo[i] - f.b[i]) / p[k]
		}
		if room < part {
			at, part = k, room
		}
	}
	for k := range n {
		i := f.index[k]
		r := 0.0
		if g := f.group(i); g >= 0 {
			r = level[g]
		}
		// K·p is slope - r - ridge·p.
		f.slope[k] -= part * (f.slope[k] - r - f.ridge*p[k])
		f.b[i] = min(max(f.b[i]+part*p[k], f.lo[i]), f.hi[i])
	}
	if at >= 0 {
		i := f.index[at]
		if f.b[i] = f.lo[i]; p[at] > 0 {
			f.b[i] = f.hi[i]
		}
	}
	return at, true
}

// tie takes from p what makes its sum over each group 0, and returns the level of
// each group.
func (f *face) tie(p []float64) (level [2]float64) {
	if f.groups == 0 {
		return level
	}
	var u [2][]float64
	var sum [2][3]float64 // of p, u_0 and u_1 over each group
	for g := range f.groups {
		u[g] = make([]float64, len(p))
		for k, i := range f.index {
			if f.group(i) == g {
				u[g][k] = 1
			}
		}
		f.solve(u[g])
	}
	for k, i := range f.index {
		g := f.group(i)
		sum[g][0] += p[k]
		for h := range f.groups {
			sum[g][1+h] += u[h][k]
		}
	}
	for g := range f.groups { // a group without free variables
		if sum[g][1+g] == 0 {
			sum[g] = [3]float64{}
			sum[g][1+g] = 1
		}
	}
	if f.groups == 1 {
		level[0] = sum[0][0] / sum[0][1]
	} else {
		det := sum[0][1]*sum[1][2] - sum[0][2]*sum[1][1]
		level[0] = (sum[0][0]*sum[1][2] - sum[0][2]*sum[1][0]) / det
		level[1] = (sum[0][1]*sum[1][0] - sum[1][1]*sum[0][0]) / det
	}
	for g := range f.groups {
		vmath.Axpy(p, -level[g], u[g])
	}
	return level
}

// remove takes a variable out: without its column R is no triangle below the
// diagonal of that place on, which rotations of two rows each make it again.
func (f *face) remove(at int) {
	n := len(f.index)
	for k := range at {
		row := f.row(k)
		copy(row[at:], row[at+1:])
	}
	above := append([]float64(nil), f.row(at)[at+1:]...)
	for k := at; k < n-1; k++ {
		below := f.row(k + 1)[k+1:]
		into := f.row(k)[k : n-1]
		c, s := above[0], below[0]
		h := math.Hypot(c, s)
		c, s = c/h, s/h
		for j, a := range above {
			b := below[j]
			into[j] = c*a + s*b
			above[j] = c*b - s*a
		}
		above = above[1:]
	}
	f.index = append(f.index[:at], f.index[at+1:]...)
	f.slope = append(f.slope[:at], f.slope[at+1:]...)
}

// accept brings the slopes up to date with the variables that have moved, or
// moves them back where the objective did not fall.
func (p *inner[F]) accept(before []float64) {
	fall := make([]float64, len(p.f))
	for i, b := range before {
		if d := p.b[i] - b; d != 0 {
			for j, v := range p.row(i) {
				fall[j] += d * float64(v)
			}
		}
	}
	gain := 0.0
	for i, b := range before {
		gain += (p.b[i] - b) * (p.f[i] - fall[i]/2)
	}
	if !(gain > 0) {
		copy(p.b, before)
		return
	}
	vmath.Axpy(p.f, -1, fall)
	for i := range p.b {
		p.mark(i)
	}
}
