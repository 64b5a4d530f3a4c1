package kernelized

import (
	"context"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// innerOf returns the problem of n points in a plane, whose K is badly
// conditioned, with random labels: some variables are free and some at a
// bound. With two groups the second half is the second.
func innerOf[F float32 | float64](n int, c float64, groups int, s uint64) *inner[F] {
	d := overlap(n, 2, 0.5)
	rng := seed.Stream(s, seed.Generator, uint64(n))
	p := newInner[F](n)
	p.square(n)
	k := kernel.Gaussian{Gamma: 0.5}
	p.own, p.f, p.b, p.lo, p.hi = p.own[:n], p.f[:n], p.b[:n], p.lo[:n], p.hi[:n]
	p.canGrow, p.canFall = p.canGrow[:n], p.canFall[:n]
	for i := range n {
		for j := range n {
			p.k[i*n+j] = F(k.Eval(d.X.At(i), d.X.At(j)))
		}
		p.own[i] = 1
		p.lo[i], p.hi[i] = min(0, d.Y[i]*c), max(0, d.Y[i]*c)
		p.b[i] = []float64{p.lo[i], p.hi[i], d.Y[i] * c * (0.1 + 0.8*rng.Float64())}[rng.IntN(3)]
	}
	for i := range n {
		p.f[i] = d.Y[i]
		for j := range n {
			p.f[i] -= float64(p.k[i*n+j]) * p.b[j]
		}
		p.mark(i)
	}
	p.groups = []extent{{from: 0, to: n}}
	if groups == 2 {
		p.groups = []extent{{from: 0, to: n / 2}, {from: n / 2, to: n}}
	}
	return p
}

// value returns the objective ½bᵀKb - yᵀb of such a problem, from the formula.
func (p *inner[F]) value() float64 {
	sum, n := 0.0, len(p.b)
	for i := range n {
		kb := 0.0
		for j := range n {
			kb += float64(p.k[i*n+j]) * p.b[j]
		}
		y := 1.0
		if p.lo[i] < 0 {
			y = -1
		}
		sum += p.b[i] * (kb/2 - y)
	}
	return sum
}

func (p *inner[F]) sums() (sum [2]float64) {
	for g, e := range p.groups {
		for i := e.from; i < e.to; i++ {
			sum[g] += p.b[i]
		}
	}
	return sum
}

// TestLeap: a leap keeps ranges and sums, keeps the slopes right, never raises
// the objective, and where no bound is met makes the slopes of a group's free
// variables the same.
func TestLeap(t *testing.T) {
	for _, n := range []int{2, 9, 30, 63, 64, 65, 150} {
		for groups := range 3 {
			for _, c := range []float64{1, 100, 1e7} {
				testLeap[float64](t, n, c, groups, 1e-10)
				testLeap[float32](t, n, c, groups, 1e-5)
			}
		}
	}
}

func testLeap[F float32 | float64](t *testing.T, n int, c float64, groups int, unit float64) {
	t.Helper()
	p := innerOf[F](n, c, groups, 3)
	sums, value, free := p.sums(), p.value(), len(p.inside())
	p.leap(t.Context(), run.Control{}, groups > 0)
	for i, b := range p.b {
		if b < p.lo[i] || b > p.hi[i] {
			t.Fatalf("n = %d, C = %v: variable %d is %v, outside [%v, %v]", n, c, i, b, p.lo[i], p.hi[i])
		}
		y := 1.0
		if p.lo[i] < 0 {
			y = -1
		}
		for j := range n {
			y -= float64(p.k[i*n+j]) * p.b[j]
		}
		if math.Abs(p.f[i]-y) > 1e-11*c*float64(n) {
			t.Fatalf("n = %d, C = %v: slope %d is %v, want %v", n, c, i, p.f[i], y)
		}
	}
	for g, s := range p.sums() {
		if groups > 0 && math.Abs(s-sums[g]) > 1e-10*c*float64(n) {
			t.Errorf("n = %d, C = %v: the sum of group %d was %v and is %v", n, c, g, sums[g], s)
		}
	}
	if now := p.value(); now > value+1e-12*math.Abs(value) || free >= leapLeast && now == value {
		t.Errorf("n = %d, C = %v, %d groups: the objective was %v and is %v", n, c, groups, value, now)
	}
	if len(p.inside()) < free {
		return // at a bound; the last step may still be a whole one
	}
	for _, e := range p.groups {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range p.inside() {
			if e.from <= i && i < e.to {
				low, high = min(low, p.f[i]), max(high, p.f[i])
			}
		}
		if groups == 0 {
			low, high = min(low, 0), max(high, 0)
		}
		if free >= leapLeast && high-low > unit*c*float64(n) {
			t.Errorf("n = %d, C = %v: slopes from %v to %v", n, c, low, high)
		}
	}
}

// TestFaceRemove: without a variable the triangle is that of the rest.
func TestFaceRemove(t *testing.T) {
	for _, n := range []int{9, 64, 65} {
		p := innerOf[float64](3*n, 5, 1, 4)
		free := p.inside()
		f := p.face(t.Context(), run.Control{}, append([]int(nil), free...), true)
		for _, at := range []int{len(free) - 1, 0, len(free) / 2} {
			at = min(at, len(f.index)-1)
			f.remove(at)
			for a, i := range f.index {
				for b, j := range f.index[:a+1] {
					sum := 0.0
					for k := range b + 1 {
						sum += f.row(k)[a] * f.row(k)[b]
					}
					want := p.row(i)[j]
					if a == b {
						want += f.ridge
					}
					if math.Abs(sum-want) > 1e-12 {
						t.Fatalf("n = %d: RᵀR at %d, %d is %v, want %v", n, a, b, sum, want)
					}
				}
			}
		}
	}
}

// TestSolveLeaps: with leaps in between the steps end at the optimum of the steps
// alone, and are fewer.
func TestSolveLeaps(t *testing.T) {
	for groups := range 3 {
		plain, with := innerOf[float64](150, 100, groups, 9), innerOf[float64](150, 100, groups, 9)
		const tolerance = 1e-8
		take := plain.pairs
		if groups == 0 {
			take = plain.singles
		}
		many := take(context.Background(), tolerance, 20_000_000)
		few := with.solve(context.Background(), run.Control{}, groups > 0, tolerance, 20_000_000)
		a, b := plain.value(), with.value()
		t.Logf("%d groups: %d steps alone, %d with leaps, objectives %.12g and %.12g", groups, many, few, a, b)
		// The tolerance times the sum of the ranges bounds both gaps.
		if math.Abs(a-b) > 2*tolerance*150*100 || few >= many {
			t.Errorf("%d groups: %d steps alone to %v, %d with leaps to %v", groups, many, a, few, b)
		}
	}
}
