package gemm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/run"
)

// A mulCase is one product. The operands are stored transposed where so said.
type mulCase struct {
	m, n, k        int
	transA, transB bool
	alpha, beta    float64
	lower          bool
	workers        int
}

func (c mulCase) String() string {
	return fmt.Sprintf("%d×%d×%d transA=%t transB=%t alpha=%v beta=%v lower=%t workers=%d",
		c.m, c.n, c.k, c.transA, c.transB, c.alpha, c.beta, c.lower, c.workers)
}

// operand returns a random operand of the given size as a view.
func operand[F gemm.Float](seed uint64, rows, cols, gap int, transposed bool) (grid[F], gemm.Matrix[F]) {
	if transposed {
		g := randomGrid[F](seed, cols, rows, gap)
		return g, g.T()
	}
	g := randomGrid[F](seed, rows, cols, gap)
	return g, g.Matrix
}

// checkMul computes the case and compares it with the formula.
//
// A sum of k terms in any order, with or without fusing, is off by at most
// k·u·Σ|ab| to first order, u = ε/2, and so is the oracle's; scaling and adding
// beta·c cost a rounding each. (k+4)·ε covers all of it.
func checkMul[F gemm.Float](t *testing.T, q mulCase) {
	t.Helper()
	ga, a := operand[F](1, q.m, q.k, 3, q.transA)
	gb, b := operand[F](2, q.k, q.n, 5, q.transB)
	c := randomGrid[F](3, q.m, q.n, 2)
	if q.beta == 0 {
		c = nanGrid[F](q.m, q.n, 2)
	}
	old := randomGrid[F](3, q.m, q.n, 0)
	mul := gemm.Mul[F]
	if q.lower {
		mul = gemm.MulLower[F]
		for i := range q.m {
			for j := i + 1; j < q.n; j++ {
				c.Data[i*c.Stride+j] = guard
			}
		}
	}
	must(t, mul(t.Context(), run.Control{Workers: q.workers}, F(q.alpha), a, b, F(q.beta), c.Matrix))
	ga.checkGuards(t)
	gb.checkGuards(t)
	c.checkGuards(t)
	bound := float64(q.k+4) * epsilon[F]()
	for i := range q.m {
		for j := range q.n {
			if q.lower && j > i {
				if c.at(i, j) != guard {
					t.Fatalf("%v: element (%d, %d) above the diagonal written", q, i, j)
				}
				continue
			}
			sum, size := 0.0, 0.0
			for p := range q.k {
				x := float64(value(ga, i, p, q.transA)) * float64(value(gb, p, j, q.transB))
				sum += x
				size += math.Abs(x)
			}
			want, size := q.alpha*sum, math.Abs(q.alpha)*size
			if q.beta != 0 {
				want += q.beta * float64(old.at(i, j))
				size += math.Abs(q.beta * float64(old.at(i, j)))
			}
			if got := float64(c.at(i, j)); !(math.Abs(got-want) <= bound*size) {
				t.Fatalf("%v: element (%d, %d) is %v, want %v", q, i, j, got, want)
			}
		}
	}
}

func value[F gemm.Float](g grid[F], i, j int, transposed bool) F {
	if transposed {
		return g.at(j, i)
	}
	return g.at(i, j)
}

func TestMulSmall(t *testing.T) { atEachLevel(t, testMulSmall[float32], testMulSmall[float64]) }

func testMulSmall[F gemm.Float](t *testing.T) {
	sizes := []int{0, 1, 2, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65}
	scales := []struct{ alpha, beta float64 }{{1, 0}, {1, 1}, {-0.5, 0}, {2, 0.75}, {1.5, 1}, {0, -1}}
	turn := 0
	for _, m := range sizes {
		for _, n := range sizes {
			turn++
			s := scales[turn%len(scales)]
			checkMul[F](t, mulCase{
				m: m, n: n, k: sizes[turn%len(sizes)], alpha: s.alpha, beta: s.beta,
				transA: turn%3 == 0, transB: turn%2 == 0, lower: turn%5 == 0, workers: 1 + turn%3,
			})
		}
	}
	for _, k := range sizes {
		for op := range 4 {
			checkMul[F](t, mulCase{m: 15, n: 33, k: k, alpha: 1, transA: op&1 != 0, transB: op&2 != 0, workers: 1})
		}
	}
}

func TestMulBlocks(t *testing.T) { atEachLevel(t, testMulBlocks[float32], testMulBlocks[float64]) }

// testMulBlocks takes sizes on both sides of every edge of the blocking.
func testMulBlocks[F gemm.Float](t *testing.T) {
	mr, nr, kc, mc, nc := gemm.Blocking[F]()
	var cases []mulCase
	for op := range 4 {
		q := mulCase{alpha: 1, transA: op&1 != 0, transB: op&2 != 0, workers: 2}
		for d := -1; d <= 1; d++ {
			q.m, q.n, q.k = mr+d, nr-d, kc+d
			cases = append(cases, q)
			q.m, q.n, q.k = mc+d, 2*nr+d, 9
			cases = append(cases, q)
		}
		q.m, q.n, q.k = 2*mc+1, 3*nr+1, 2*kc+1
		q.alpha, q.beta, q.lower = 0.5, 0.25, op == 1
		cases = append(cases, q)
		q.m, q.n, q.k, q.beta = 3, nc+1, 4, 0
		cases = append(cases, q)
	}
	if nc <= 2048 { // the levels share the code, and the oracle takes its time
		cases = append(cases, mulCase{m: nc + 2, n: nc + 1, k: 1, alpha: 1, beta: 1, lower: true, workers: 3})
	}
	for _, q := range cases {
		checkMul[F](t, q)
	}
}

func TestMulWorkers(t *testing.T) { atEachLevel(t, testMulWorkers[float32], testMulWorkers[float64]) }

// testMulWorkers wants the same bits from any number of workers, any part of
// the product alone, and the mirror image of A·Aᵀ.
func testMulWorkers[F gemm.Float](t *testing.T) {
	const m, k = 301, 530
	a := gemm.Rows(random[F](1, m*k), m, k, k)
	want := make([]F, m*m)
	must(t, gemm.Mul(t.Context(), run.Control{Workers: 1}, 1, a, a.T(), 0, gemm.Rows(want, m, m, m)))
	for i := range m {
		for j := range i {
			if want[i*m+j] != want[j*m+i] {
				t.Fatalf("A·Aᵀ: (%d, %d) is %v, its mirror image %v", i, j, want[i*m+j], want[j*m+i])
			}
		}
	}
	for _, workers := range []int{2, 3, 5} {
		got := make([]F, m*m)
		must(t, gemm.Mul(t.Context(), run.Control{Workers: workers}, 1, a, a.T(), 0, gemm.Rows(got, m, m, m)))
		compare(t, fmt.Sprintf("%d workers", workers), got, want)
	}
	lower := make([]F, m*m)
	must(t, gemm.MulLower(t.Context(), run.Control{Workers: 2}, 1, a, a.T(), 0, gemm.Rows(lower, m, m, m)))
	for i := range m {
		compare(t, "lower triangle", lower[i*m:][:i+1], want[i*m:][:i+1])
	}
	for _, r := range []struct{ i, n int }{{0, 1}, {1, 2}, {3, 5}, {17, 29}, {200, 101}} {
		part := gemm.Rows(a.Data[r.i*k:], r.n, k, k)
		got := make([]F, r.n*m)
		must(t, gemm.Mul(t.Context(), run.Control{Workers: 2}, 1, part, a.T(), 0, gemm.Rows(got, r.n, m, m)))
		compare(t, fmt.Sprintf("rows %d to %d alone", r.i, r.i+r.n), got, want[r.i*m:(r.i+r.n)*m])
	}
}

// TestLevelsAgree holds the promise that AVX2 and AVX-512 give the same bits.
func TestLevelsAgree(t *testing.T) {
	if gemm.Best() < gemm.AVX512 {
		t.Skip("this machine or build has no avx512")
	}
	t.Run("float32", testLevelsAgree[float32])
	t.Run("float64", testLevelsAgree[float64])
}

func testLevelsAgree[F gemm.Float](t *testing.T) {
	const m, n, k = 37, 83, 777
	a, b := gemm.Rows(random[F](1, m*k), m, k, k), gemm.Rows(random[F](2, k*n), k, n, n)
	var c [2][]F
	for i, l := range []gemm.Level{gemm.AVX2, gemm.AVX512} {
		c[i] = make([]F, m*n)
		defer gemm.SetLevel(l)()
		must(t, gemm.Mul(t.Context(), run.Control{}, 0.3, a, b, 0, gemm.Rows(c[i], m, n, n)))
	}
	compare(t, "avx512", c[1], c[0])
}

func compare[F gemm.Float](t *testing.T, what string, got, want []F) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestMulNotFinite(t *testing.T) {
	atEachLevel(t, testMulNotFinite[float32], testMulNotFinite[float64])
}

// testMulNotFinite wants a value that is not finite to reach its row and its
// column, and nothing else.
func testMulNotFinite[F gemm.Float](t *testing.T) {
	const m, n, k = 15, 35, 9
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x, y, c := random[F](1, m*k), random[F](2, n*k), make([]F, m*n)
		x[4*k+2], y[33*k+5] = F(bad), F(bad)
		must(t, gemm.Mul(t.Context(), run.Control{}, 1,
			gemm.Rows(x, m, k, k), gemm.Rows(y, n, k, k).T(), 0, gemm.Rows(c, m, n, n)))
		for i := range m {
			for j := range n {
				finite := c[i*n+j]-c[i*n+j] == 0
				if hit := i == 4 || j == 33; finite == hit {
					t.Fatalf("%v: element (%d, %d) is %v", bad, i, j, c[i*n+j])
				}
			}
		}
	}
}

func TestMulCancelled(t *testing.T) {
	x := random[float64](1, 300*300)
	a := gemm.Rows(x, 300, 300, 300)
	c := gemm.Rows(make([]float64, 300*300), 300, 300, 300)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, workers := range []int{1, 2} {
		err := gemm.Mul(ctx, run.Control{Workers: workers}, 1, a, a, 0, c)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: error %v, want %v", workers, err, context.Canceled)
		}
	}
}

// A countdown is a context that is cancelled at the n-th look.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestMulCancelledInside wants a product to stop between blocks, wherever it is.
func TestMulCancelledInside(t *testing.T) {
	const n = 700
	a := gemm.Rows(random[float64](1, n*n), n, n, n)
	c := gemm.Rows(make([]float64, n*n), n, n, n)
	for _, workers := range []int{1, 2} {
		for _, looks := range []int64{1, 2, 3, 5} {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(looks)
			err := gemm.Mul(ctx, run.Control{Workers: workers}, 1, a, a, 0, c)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d workers, %d looks: error %v, want %v", workers, looks, err, context.Canceled)
			}
		}
	}
}

func TestMulPanics(t *testing.T) {
	a := gemm.Rows(make([]float64, 6), 2, 3, 3)
	c := gemm.Rows(make([]float64, 4), 2, 2, 2)
	cases := map[string]func(){
		"shapes":            func() { _ = gemm.Mul(t.Context(), run.Control{}, 1, a, a, 0, c) },
		"transposed result": func() { _ = gemm.Mul(t.Context(), run.Control{}, 1, a, a.T(), 0, c.T()) },
		"short slice": func() {
			_ = gemm.Mul(t.Context(), run.Control{}, 1, a, a.T(), 0, gemm.Rows(make([]float64, 3), 2, 2, 2))
		},
		"stride":        func() { gemm.Pack(make([]float64, 9), 2, 3, 3) },
		"level":         func() { gemm.SetLevel(gemm.Best() + 1) },
		"tile columns":  func() { gemm.Tile(nil, 0, new(gemm.Left[float64]), gemm.Pack[float64](nil, 1, 0, 1), 0, 1, false) },
		"tile of depth": tileOfAnotherDepth,
	}
	for name, call := range cases {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func tileOfAnotherDepth() {
	var left gemm.Left[float64]
	left.Pack([]float64{1, 2}, 2, 1, 2)
	gemm.Tile(make([]float64, 1), 1, &left, gemm.Pack([]float64{1}, 1, 1, 1), 0, 1, false)
}
