package feature

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// lattice is the set of exponents a of width variables with low ≤ |a| ≤ high, in
// an order in which monomials are products of runs. Degree comes first. Inside a
// degree a monomial's largest variable comes first, and among those with the
// same largest variable x_j the order is that of the monomial without one x_j.
// So the monomials of degree g with largest variable x_j are x_j times those of
// degree g-1 with largest variable at most x_j, which are the first ends[g-1][j]
// of their degree.
type lattice struct {
	width, low, high int
	dim              int
	ends             [][]int // ends[g][j] = C(j+g, g): monomials of degree g in the variables 0..j
	offset           []int   // of degree g among all; high-low+2 of them
}

// reserveLattice asks for the memory of the lattice and its weights and, while
// these are made, of the degrees below the first.
func reserveLattice(ctl run.Control, dim, width, high int) error {
	need := 3*8*float64(dim) + (float64(high)+1)*(40+8*float64(width))
	return ctl.Reserve(fmt.Sprintf("the map to %d monomials", dim), need,
		"use a lower degree, fewer coordinates, or landmarks (F2)")
}

// newLattice returns the exponents; the caller has counted them.
func newLattice(width, low, high int) *lattice {
	l := &lattice{width: width, low: low, high: high, ends: make([][]int, high+1)}
	for g := range l.ends {
		l.ends[g] = make([]int, width)
		sum := 0
		for j := range width {
			if g == 0 {
				sum = 1
			} else {
				sum += l.ends[g-1][j]
			}
			l.ends[g][j] = sum
		}
		if g >= low {
			l.offset = append(l.offset, l.dim)
			l.dim += l.size(g)
		}
	}
	l.offset = append(l.offset, l.dim)
	return l
}

// size returns how many monomials have degree g.
func (l *lattice) size(g int) int { return l.before(g, l.width) }

// before returns how many monomials of degree g have a largest variable below j.
func (l *lattice) before(g, j int) int {
	switch {
	case g == 0:
		return 1
	case j == 0:
		return 0
	}
	return l.ends[g][j-1]
}

// block returns the part of a row that belongs to degree g.
func (l *lattice) block(row []float64, g int) []float64 {
	return row[l.offset[g-l.low]:l.offset[g-l.low+1]]
}

// latticeScratch is the memory of one goroutine.
type latticeScratch struct {
	x    []float64
	half [2][]float64 // degrees below low, by turns
}

func (l *lattice) scratch() *latticeScratch {
	s := &latticeScratch{x: make([]float64, l.width)}
	for g := max(0, l.low-2); g < l.low; g++ {
		s.half[g%2] = make([]float64, l.size(g))
	}
	return s
}

// at returns where the monomials of degree g go.
func (l *lattice) at(dst []float64, s *latticeScratch, g int) []float64 {
	if g < l.low {
		return s.half[g%2][:l.size(g)]
	}
	return l.block(dst, g)
}

// fill sets dst to the monomials of s.x.
func (l *lattice) fill(dst []float64, s *latticeScratch) {
	before := l.at(dst, s, 0)
	before[0] = 1
	for g := 1; g <= l.high; g++ {
		now := l.at(dst, s, g)
		run := now
		for j, n := range l.ends[g-1] {
			times(run[:n], before[:n], s.x[j])
			run = run[n:]
		}
		before = now
	}
}

// times sets dst = a·src. Both ways round the product alone, to the same bits.
func times(dst, src []float64, a float64) {
	switch {
	case a == 0:
		clear(dst)
	case len(dst) < 16:
		for i, v := range src[:len(dst)] {
			dst[i] = a * v
		}
	default:
		copy(dst, src)
		vmath.Scale(dst, a)
	}
}

// roots returns √(|a|!/(a_1!·a_2!·…)) for every a. Multinomials are exact up to
// 2⁵³: that of a with exponent t of its largest variable is |a|/t times the one
// before. In degree g and with largest variable x_j the first before(g-1, j)
// monomials have t = 1, the next before(g-2, j) have t = 2, and so on.
func (l *lattice) roots(ctx context.Context) ([]float64, error) {
	all := make([]float64, l.dim)
	s := l.scratch()
	before := l.at(all, s, 0)
	before[0] = 1
	for g := 1; g <= l.high; g++ {
		now := l.at(all, s, g)
		run := now
		for j := range l.width {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			from := before
			for t := 1; t <= g; t++ {
				n := l.before(g-t, j)
				for i, v := range from[:n] {
					run[i] = v * float64(g) / float64(t)
				}
				run, from = run[n:], from[n:]
			}
		}
		before = now
	}
	for i, v := range all {
		all[i] = math.Sqrt(v)
	}
	return all, ctx.Err()
}

// locate returns the degree of coordinate j and its place among that degree's.
func (l *lattice) locate(j int) (degree, place int) {
	if j < 0 || j >= l.dim {
		panic("feature: no such coordinate")
	}
	g := sort.SearchInts(l.offset, j+1) - 1
	return l.low + g, j - l.offset[g]
}

// variables calls f with every variable of coordinate j and its exponent, the
// largest variable first.
func (l *lattice) variables(j int, f func(variable, exponent int)) {
	g, place := l.locate(j)
	last, count := -1, 0
	for ; g > 0; g-- {
		v := sort.SearchInts(l.ends[g], place+1) // the first with ends > place
		place -= l.before(g, v)
		if v != last && count > 0 {
			f(last, count)
			count = 0
		}
		last, count = v, count+1
	}
	if count > 0 {
		f(last, count)
	}
}

func (l *lattice) exponents(j int) []int {
	a := make([]int, l.width)
	l.variables(j, func(v, e int) { a[v] = e })
	return a
}

func (l *lattice) index(a []int) (int, bool) {
	g := 0
	for v, e := range a {
		if e < 0 || e > l.high-g || e > 0 && v >= l.width {
			return 0, false
		}
		g += e
	}
	if g < l.low {
		return 0, false
	}
	place := l.offset[g-l.low]
	for v := min(len(a), l.width) - 1; v >= 0; v-- {
		for range a[v] {
			place += l.before(g, v)
			g--
		}
	}
	return place, true
}

// superscripts are the digits of exponents.
var superscripts = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")

func (l *lattice) name(j int) string {
	var factors []string
	l.variables(j, func(v, e int) { factors = append(factors, powerName("x"+strconv.Itoa(v+1), e)) })
	if len(factors) == 0 {
		return "1"
	}
	for a, b := 0, len(factors)-1; a < b; a, b = a+1, b-1 {
		factors[a], factors[b] = factors[b], factors[a]
	}
	return strings.Join(factors, "·")
}

// powerName writes x^e: "1", "x", "x²", "x¹⁰".
func powerName(x string, e int) string {
	switch e {
	case 0:
		return "1"
	case 1:
		return x
	}
	var b strings.Builder
	b.WriteString(x)
	for _, digit := range strconv.Itoa(e) {
		b.WriteRune(superscripts[digit-'0'])
	}
	return b.String()
}
