package kernelized_test

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// program is the quadratic program min ½bᵀKb + eᵀb with lo ≤ b ≤ hi and, for
// each group from 0 on, Σ b over the group = sum; a negative group is not tied.
type program struct {
	k         [][]float64
	e, lo, hi []float64
	group     []int
	sum       []float64
}

// minimum returns the least value, found by trying for every variable to be at
// either bound or free: the best feasible point among the stationary ones. It
// takes 3^n solutions of a linear system.
func (p program) minimum() float64 {
	n := len(p.e)
	at := make([]int, n) // 0: lo, 1: hi, 2: free
	best := math.Inf(1)
	for {
		if b, ok := p.stationary(at); ok {
			best = min(best, p.value(b))
		}
		i := 0
		for ; i < n && at[i] == 2; i++ {
			at[i] = 0
		}
		if i == n {
			return best
		}
		at[i]++
	}
}

func (p program) value(b []float64) float64 {
	sum := 0.0
	for i := range b {
		sum += p.e[i] * b[i]
		for j := range b {
			sum += b[i] * b[j] * p.k[i][j] / 2
		}
	}
	return sum
}

// stationary returns the feasible point at which the free variables are
// stationary, and false where there is none or more than one.
func (p program) stationary(at []int) ([]float64, bool) {
	n, ties := len(p.e), len(p.sum)
	b, free := make([]float64, n), []int{}
	for i, s := range at {
		switch s {
		case 0:
			b[i] = p.lo[i]
		case 1:
			b[i] = p.hi[i]
		default:
			free = append(free, i)
		}
	}
	need := append([]float64(nil), p.sum...)
	touched := make([]bool, ties)
	for i := range b {
		if g := p.group[i]; g >= 0 {
			need[g] -= b[i]
		}
	}
	for _, i := range free {
		if g := p.group[i]; g >= 0 {
			touched[g] = true
		}
	}
	m := len(free)
	system := make([][]float64, m+ties)
	for r := range system {
		system[r] = make([]float64, m+ties+1)
	}
	for r, i := range free {
		for c, j := range free {
			system[r][c] = p.k[i][j]
		}
		rest := -p.e[i]
		for j := range b {
			rest -= p.k[i][j] * b[j]
		}
		system[r][m+ties] = rest
		if g := p.group[i]; g >= 0 {
			system[r][m+g], system[m+g][r] = 1, 1
		}
	}
	for g, t := range touched {
		system[m+g][m+ties] = need[g]
		if !t {
			if math.Abs(need[g]) > 1e-12 {
				return nil, false
			}
			system[m+g][m+g], system[m+g][m+ties] = 1, 0
		}
	}
	x, ok := eliminate(system)
	if !ok {
		return nil, false
	}
	for c, i := range free {
		b[i] = x[c]
		if b[i] < p.lo[i]-1e-12 || b[i] > p.hi[i]+1e-12 {
			return nil, false
		}
	}
	return b, true
}

// eliminate solves a linear system by Gaussian elimination with pivoting.
func eliminate(a [][]float64) ([]float64, bool) {
	n := len(a)
	for c := range n {
		pivot := c
		for r := c; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[pivot][c]) {
				pivot = r
			}
		}
		if math.Abs(a[pivot][c]) < 1e-11 {
			return nil, false
		}
		a[c], a[pivot] = a[pivot], a[c]
		for r := range n {
			if r != c {
				f := a[r][c] / a[c][c]
				for k := c; k <= n; k++ {
					a[r][k] -= f * a[c][k]
				}
			}
		}
	}
	x := make([]float64, n)
	for c := range n {
		x[c] = a[c][n] / a[c][c]
	}
	return x, true
}

// matrixOf returns K(x_i, x_j), copies times in each direction.
func matrixOf[T any](k kernel.Kernel[T], x data.Source[T], copies int) [][]float64 {
	n := x.Len()
	out := make([][]float64, n*copies)
	for i := range out {
		out[i] = make([]float64, n*copies)
		for j := range out[i] {
			out[i][j] = k.Eval(x.At(i%n), x.At(j%n))
		}
	}
	return out
}

// hinge is the dual of classification.
func hinge(k [][]float64, y []float64, c func(i int) float64, tied bool) program {
	n := len(y)
	p := program{k: k, e: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n), group: make([]int, n)}
	if tied {
		p.sum = []float64{0}
	}
	for i, label := range y {
		p.e[i] = -label
		if label > 0 {
			p.hi[i] = c(i)
		} else {
			p.lo[i] = -c(i)
		}
		if !tied {
			p.group[i] = -1
		}
	}
	return p
}

// tube is the dual of regression, with one sum for all or one a sign.
func tube(k [][]float64, z []float64, c, epsilon float64, sums ...float64) program {
	n := len(z)
	p := program{k: k, e: make([]float64, 2*n), lo: make([]float64, 2*n), hi: make([]float64, 2*n),
		group: make([]int, 2*n), sum: sums}
	for i, v := range z {
		p.e[i], p.hi[i] = epsilon-v, c
		p.e[n+i], p.lo[n+i] = -epsilon-v, -c
		p.group[n+i] = len(sums) - 1
	}
	return p
}
