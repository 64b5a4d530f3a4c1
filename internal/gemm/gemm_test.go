package gemm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/gemm"
)

// random returns n values of both signs.
func random[F gemm.Float](seed uint64, n int) []F {
	r := rand.New(rand.NewPCG(seed, 0))
	x := make([]F, n)
	for i := range x {
		x[i] = F(2*r.Float64() - 1)
	}
	return x
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// atEachLevel runs both tests at every level, and skips those that the machine
// does not have.
func atEachLevel(t *testing.T, single, double func(t *testing.T)) {
	for _, l := range []gemm.Level{gemm.Portable, gemm.AVX2, gemm.AVX512} {
		t.Run(l.String(), func(t *testing.T) {
			if l > gemm.Best() {
				t.Skipf("this machine or build has no %v", l)
			}
			defer gemm.SetLevel(l)()
			t.Run("float32", single)
			t.Run("float64", double)
		})
	}
}

// epsilon is the distance from 1 to the next number.
func epsilon[F gemm.Float]() float64 {
	one := F(1)
	e := one
	for one+e/2 != one {
		e /= 2
	}
	return float64(e)
}

// sameBits reports whether two numbers are the same, NaN being one number.
func sameBits[F gemm.Float](a, b F) bool {
	return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) || a != a && b != b
}

// guard is a value that no product writes.
const guard = 12345.5

// A grid is a matrix inside a larger slice of guards: so many before and after
// it, and so many between rows.
type grid[F gemm.Float] struct {
	gemm.Matrix[F]
	all    []F
	before int
}

func newGrid[F gemm.Float](rows, cols, gap int, fill func(i int) F) grid[F] {
	const before, after = 19, 23
	stride := cols + gap
	all := make([]F, before+rows*stride+after)
	for i := range all {
		all[i] = guard
	}
	inner := all[before : before+rows*stride]
	for i := range rows {
		for j := range cols {
			inner[i*stride+j] = fill(i*cols + j)
		}
	}
	if rows > 0 {
		inner = inner[:(rows-1)*stride+cols]
	}
	return grid[F]{gemm.Rows(inner, rows, cols, stride), all, before}
}

func randomGrid[F gemm.Float](seed uint64, rows, cols, gap int) grid[F] {
	x := random[F](seed, rows*cols)
	return newGrid(rows, cols, gap, func(i int) F { return x[i] })
}

func nanGrid[F gemm.Float](rows, cols, gap int) grid[F] {
	return newGrid(rows, cols, gap, func(int) F { return F(math.NaN()) })
}

// at returns an element by the rows and columns as stored.
func (g grid[F]) at(i, j int) F { return g.Data[i*g.Stride+j] }

// checkGuards fails the test where a guard was written.
func (g grid[F]) checkGuards(t *testing.T) {
	t.Helper()
	for at, v := range g.all {
		i := at - g.before
		inside := i >= 0 && i < g.Rows*g.Stride && i%g.Stride < g.Cols
		if !inside && v != guard {
			t.Fatalf("element %d of the slice, outside of the matrix, became %v", i, v)
		}
	}
}
