package kernelized

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// curvature is what a direction without curvature, or with a negative one,
// counts as: the step along it then ends at a bound. A similarity that is no
// kernel has such directions.
const curvature = 1e-12

// leastGain is below what any step is worth.
const leastGain = 1e-300

// stepsPerCheck is how many steps pass between two looks at the context.
const stepsPerCheck = 1024

// inner is the problem on the variables of a working set, the others fixed.
// Those of a group stand together.
type inner[F float32 | float64] struct {
	k       []F       // K of the set, row after row
	rows    [][]F     // instead of k, those rows that are at hand
	own     []float64 // its diagonal
	f       []float64 // slopes
	b       []float64
	lo, hi  []float64
	canGrow []float64 // 0 where b < hi and -Inf elsewhere
	canFall []float64 // 0 where b > lo and +Inf elsewhere
	groups  []extent
	lanes   vmath.Lanes
}

// extent is the variables from to to-1 of a group, with the one of them that can
// grow and has the highest slope, that slope, and the lowest slope of those that
// can fall.
type extent struct {
	from, to    int
	best        int
	top, bottom float64
}

func newInner[F float32 | float64](size int) *inner[F] {
	v := func() []float64 { return make([]float64, 0, size) }
	return &inner[F]{own: v(), f: v(), b: v(), lo: v(), hi: v(), canGrow: v(), canFall: v()}
}

// square returns room for the matrix of q variables.
func (p *inner[F]) square(q int) []F {
	if cap(p.k) < q*q {
		p.k = alloc.Slice[F](q * q)
	}
	p.k = p.k[:q*q]
	return p.k
}

// move adds delta to variable i, exactly to a bound where that is reached, and
// notes which ways it can go from there.
func (p *inner[F]) move(i int, delta float64) {
	b := p.b[i] + delta
	switch {
	case delta > 0 && delta >= p.hi[i]-p.b[i]:
		b = p.hi[i]
	case delta < 0 && delta <= p.lo[i]-p.b[i]:
		b = p.lo[i]
	}
	p.b[i] = b
	p.mark(i)
}

func (p *inner[F]) mark(i int) {
	p.canGrow[i], p.canFall[i] = math.Inf(-1), math.Inf(1)
	if p.b[i] < p.hi[i] {
		p.canGrow[i] = 0
	}
	if p.b[i] > p.lo[i] {
		p.canFall[i] = 0
	}
}

// row returns row i of K.
func (p *inner[F]) row(i int) []F {
	if p.rows != nil {
		return p.rows[i]
	}
	n := len(p.f)
	return p.k[i*n : (i+1)*n : (i+1)*n]
}

// pairs takes steps of two variables of a group each, whose sum stays, until the
// violation is within tolerance or the steps are used up. The pair is that of
// Fan, Chen and Lin (2005): i has the highest slope of all that can grow, j gains
// most with it to second order, in ties the last; of two groups that with the larger gain has its
// way. It returns the number of steps.
func (p *inner[F]) pairs(ctx context.Context, tolerance float64, steps int) int {
	p.follow(-1, -1, 0)
	for done := 0; ; done++ {
		violation := 0.0
		i, j, gain, bend := -1, -1, 0.0, 1.0
		for _, g := range p.groups {
			violation = max(violation, g.top-g.bottom)
			if h, d, a := p.partner(g); h >= 0 && d*bend > gain*a {
				i, j, gain, bend = g.best, h, d, a
			}
		}
		if done == steps || !(violation > tolerance) || j < 0 || done%stepsPerCheck == 0 && ctx.Err() != nil {
			return done
		}
		p.step(i, j, bend)
	}
}

// step moves i up and j down by as much as lowers the objective most.
func (p *inner[F]) step(i, j int, bend float64) {
	delta := min((p.f[i]-p.f[j])/bend, p.hi[i]-p.b[i], p.b[j]-p.lo[j])
	p.move(i, delta)
	p.move(j, -delta)
	p.follow(i, j, delta)
}

// follow updates the slopes for b_i grown and b_j fallen by delta, where i is
// not negative, and finds the extremes of the new ones in the same pass.
func (p *inner[F]) follow(i, j int, delta float64) {
	for g := range p.groups {
		e := &p.groups[g]
		f, grow, fall := p.f[e.from:e.to], p.canGrow[e.from:e.to], p.canFall[e.from:e.to]
		if i >= 0 {
			ki, kj := p.row(i)[e.from:e.to], p.row(j)[e.from:e.to]
			e.best, e.top, e.bottom = vmath.PairFollow(&p.lanes, f, delta, ki, kj, grow, fall)
		} else {
			e.best, e.top, e.bottom = extremes(f, grow, fall)
		}
		if e.best >= 0 {
			e.best += e.from
		}
	}
}

// extremes is follow without an update: the place of the highest slope that can
// grow, the last of several, that slope, and the lowest that can fall.
func extremes(f, grow, fall []float64) (best int, top, bottom float64) {
	best, top, bottom = -1, math.Inf(-1), math.Inf(1)
	for k, s := range f {
		if v := s + grow[k]; v >= top {
			best, top = k, v
		}
		bottom = min(bottom, s+fall[k])
	}
	return best, top, bottom
}

// partner returns the j of the group that can fall, has a lower slope than its
// best i, and gains most with it: (f_i - f_j)²/(K_ii + K_jj - 2K_ij). It returns
// numerator and denominator too, and -1 where there is no such j.
func (p *inner[F]) partner(e extent) (j int, gain, bend float64) {
	if e.best < 0 {
		return -1, 0, 1
	}
	f, fall, own, ki := p.f[e.from:e.to], p.canFall[e.from:e.to], p.own[e.from:e.to], p.row(e.best)[e.from:e.to]
	// A difference that is not positive has a gain that is not, and so never wins.
	j = vmath.PairPartner(&p.lanes, f, ki, own, fall, e.top, p.own[e.best], curvature, leastGain)
	if j < 0 {
		return -1, 0, 1
	}
	d := e.top - f[j]
	return e.from + j, d * d, max(curvature, p.own[e.best]+own[j]-2*float64(ki[j]))
}

// singles takes steps of one variable each, the one that gains most to second
// order, f²/K_ii, until no slope that can be followed exceeds the tolerance.
func (p *inner[F]) singles(ctx context.Context, tolerance float64, steps int) int {
	for done := 0; ; done++ {
		i, gain, bend, worst := -1, 0.0, 1.0, 0.0
		for k, s := range p.f {
			d := max(0, s+p.canGrow[k], -(s + p.canFall[k]))
			if d == 0 {
				continue
			}
			worst = max(worst, d)
			a := max(p.own[k], curvature)
			if d*d*bend > gain*a {
				i, gain, bend = k, d*d, a
			}
		}
		if done == steps || !(worst > tolerance) || i < 0 || done%stepsPerCheck == 0 && ctx.Err() != nil {
			return done
		}
		before := p.b[i]
		p.move(i, p.f[i]/bend)
		delta := p.b[i] - before
		for k, v := range p.row(i) {
			p.f[k] -= delta * float64(v)
		}
	}
}
