// Command core measures the numeric core beside OpenBLAS, scikit-learn and
// gonum, in one run: make bench-core. With JSON=1 it writes one object a line.
//
// Ours and the peer take turns, after a warm-up each, and the medians are
// compared. A machine that others use too makes both slower; the ratio is what
// counts, and under 1.25 is a tie.
//
// With LEVEL=avx2 both sides do without AVX-512: ours is told so, OpenBLAS to take
// its kernels for Zen, numpy to leave AVX-512 alone.
package main

//go:generate go -C ../../gen run ./peak -out ../bench/core/peak_amd64.s -stubs ../bench/core/peak_amd64.go -pkg main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kerf-ml/kerf/bench/peer"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

const reps = 15

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/core:", err)
		os.Exit(1)
	}
}

func measure() error {
	switch level := os.Getenv("LEVEL"); level {
	case "":
	case "avx2":
		if gemm.Best() < gemm.AVX2 {
			return errors.New("LEVEL is avx2, which this machine does not have")
		}
		gemm.SetLevel(gemm.AVX2)
		vmath.Limit(vmath.AVX2)
		must(os.Setenv("OPENBLAS_CORETYPE", "Zen"))
		must(os.Setenv("NPY_DISABLE_CPU_FEATURES", "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"))
	default:
		return fmt.Errorf("LEVEL is %q and must be avx2 or empty", level)
	}
	p, err := peer.Start("bench/core/peer.py")
	if err != nil {
		return err
	}
	b := &bench{peer: p, asJSON: os.Getenv("JSON") == "1", peaks: map[string]float64{}}
	if !b.asJSON {
		fmt.Printf("instructions: %v; multiply-add peak of two workers: float32 %.0f, float64 %.0f GFLOP/s\n\n",
			gemm.Current(), b.peak("float32", 2), b.peak("float64", 2))
	}
	for _, work := range []func() error{b.products, b.blocks, b.matrixFree, b.cholesky, b.exponential, b.portable} {
		if err := work(); err != nil {
			return err
		}
	}
	if err := p.Close(); err != nil {
		return err
	}
	return peer.Print(os.Stdout, b.rows, b.asJSON)
}

// bench gathers rows.
type bench struct {
	peer   *peer.Peer
	asJSON bool
	rows   []peer.Row
	peaks  map[string]float64
}

// rate adds a row of rates: work done a second in units of 1e9 operations.
func (b *bench) rate(r peer.Row, operations float64, ours func(), theirs func() (float64, error)) error {
	mine, others, err := peer.Interleave(reps, ours, theirs)
	if err != nil {
		return err
	}
	r.Ours, r.Peer, r.Unit = operations/mine/1e9, operations/others/1e9, "GFLOP/s"
	r.Ratio = others / mine
	r.Fraction = r.Ours / b.peak(r.Precision, r.Workers)
	b.rows = append(b.rows, r)
	return nil
}

// time adds a row of seconds.
func (b *bench) time(r peer.Row, operations float64, ours func(), theirs func() (float64, error)) error {
	r, err := peer.Seconds(r, reps, ours, theirs)
	if err != nil {
		return err
	}
	r.Fraction = operations / r.Ours / 1e9 / b.peak(r.Precision, r.Workers)
	b.rows = append(b.rows, r)
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func normal[F float32 | float64](n int) []F {
	rng := rand.New(rand.NewPCG(1, 2))
	x := alloc.Slice[F](n) // on large pages, as numpy's arrays are
	for i := range x {
		x[i] = F(rng.NormFloat64())
	}
	return x
}

// products compares matrix products with OpenBLAS.
func (b *bench) products() error {
	for _, workers := range []int{1, 2} {
		if err := product[float32](b, workers, "float32"); err != nil {
			return err
		}
		if err := product[float64](b, workers, "float64"); err != nil {
			return err
		}
	}
	return nil
}

func product[F float32 | float64](b *bench, workers int, precision string) error {
	const n = 2048
	x, y, z := normal[F](n*n), normal[F](n*n), normal[F](n*n)
	row := peer.Row{Work: "gemm 2048³", Precision: precision, Workers: workers, Target: 0.95, PeerName: "OpenBLAS"}
	return b.rate(row, 2*n*n*n, func() {
		must(gemm.Mul(ctx, run.Control{Workers: workers}, 1, gemm.Rows(x, n, n, n), gemm.Rows(y, n, n, n).T(), 0,
			gemm.Rows(z, n, n, n)))
	}, func() (float64, error) {
		return b.peer.Run(map[string]any{"work": "gemm", "n": n, "precision": precision, "threads": workers})
	})
}

// points returns n random points as a source.
func points(n, d int) *data.Matrix {
	return &data.Matrix{Rows: n, Cols: d, Data: normal[float64](n * d)}
}

// blocks compares stored blocks of the Gaussian kernel with scikit-learn.
func (b *bench) blocks() error {
	for _, c := range []struct {
		d      int
		p      run.Precision
		target float64
	}{{50, run.Float32, 5}, {50, run.Float64, 4}, {784, run.Float32, 2.3}} {
		const n, m = 10000, 2000
		x, y := points(n, c.d), points(m, c.d)
		k := kernel.Gaussian{Gamma: 0.5 / float64(c.d)}
		row := peer.Row{Work: fmt.Sprintf("rbf block 10000×2000 d=%d", c.d), Precision: c.p.String(), Workers: 2,
			Target: c.target, PeerName: "scikit-learn"}
		err := b.time(row, 2*n*m*float64(c.d), func() {
			columns := gram.BindPrecision[data.Vector](k, y, c.p)
			var err error
			if c.p == run.Float32 {
				_, err = columns.Block32(ctx, run.Control{Workers: 2}, x)
			} else {
				_, err = columns.Block(ctx, run.Control{Workers: 2}, x)
			}
			must(err)
		}, func() (float64, error) {
			return b.peer.Run(map[string]any{"work": "rbf", "rows": n, "cols": m, "d": c.d, "precision": c.p.String(),
				"threads": 2})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// matrixFree compares K·v without K with numpy by hand.
func (b *bench) matrixFree() error {
	const n, m, d = 10000, 2000, 50
	x, y, v, out := points(n, d), points(m, d), normal[float64](m), make([]float64, n)
	for _, p := range []run.Precision{run.Float32, run.Float64} {
		row := peer.Row{Work: "K·v 10000×2000 d=50", Precision: p.String(), Workers: 2, Target: 2.2,
			PeerName: "numpy, blocked by hand"}
		err := b.time(row, 2*n*m*(d+1), func() {
			columns := gram.BindPrecision[data.Vector](kernel.Gaussian{Gamma: 0.5 / d}, y, p)
			must(columns.Product(ctx, run.Control{Workers: 2}, out, x, v))
		}, func() (float64, error) {
			return b.peer.Run(map[string]any{"work": "product", "rows": n, "cols": m, "d": d, "precision": p.String(),
				"threads": 1})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cholesky compares the factorisation with OpenBLAS.
func (b *bench) cholesky() error {
	const n = 4000
	a, l := data.NewMatrix(n, n), data.NewMatrix(n, n)
	for i := range n {
		for j := range n {
			a.Data[i*n+j] = math.Exp(-math.Abs(float64(i-j)) / 50)
		}
	}
	row := peer.Row{Work: "Cholesky n=4000", Precision: "float64", Workers: 2, Target: 0.8, PeerName: "OpenBLAS"}
	return b.rate(row, float64(n)*n*n/3, func() {
		copy(l.Data, a.Data)
		must(linalg.Cholesky(ctx, run.Control{Workers: 2}, l))
	}, func() (float64, error) {
		return b.peer.Run(map[string]any{"work": "cholesky", "n": n, "precision": "float64", "threads": 2})
	})
}

// exponential measures exp of 2M values against the limit of 0.6 ns a value: from
// one array to another, which is what numpy is measured at too, and in place, as
// tiles use it. In place the values are x ↦ exp(-x) of those before, which stay
// between 0 and 1; numpy has no such call, so there is no peer for it. A turn is
// many passes: the first has to fetch the arrays that the other's turn has pushed
// out of the cache, and would count for a third of ten.
func (b *bench) exponential() error {
	const n, times, limit = 2_000_000, 50, 0.6
	x, out, inPlace := normal[float32](n), alloc.Slice[float32](n), normal[float32](n)
	for i := range x {
		x[i] = -float32(math.Abs(float64(x[i])))
		inPlace[i] = -x[i]
	}
	repeat := func(f func()) func() {
		return func() {
			for range times {
				f()
			}
		}
	}
	apart, others, err := peer.Interleave(reps, repeat(func() { vmath.Exp(out, x) }), func() (float64, error) {
		return b.peer.Run(map[string]any{"work": "exp", "n": n, "times": times, "precision": "float32", "threads": 1})
	})
	if err != nil {
		return err
	}
	within, _, err := peer.Interleave(reps, repeat(func() { vmath.ExpScale(inPlace, -1, 0) }), timed(func() {}))
	if err != nil {
		return err
	}
	row := func(work string, mine, other float64, name string) {
		ns := mine / (n * times) * 1e9
		b.rows = append(b.rows, peer.Row{Work: work, Precision: "float32", Workers: 1, Ours: ns, Peer: other, Unit: "ns",
			Ratio: other / ns, Target: 1, PeerName: name})
	}
	row("exp of 2M values, array to array", apart, limit, "the limit")
	row("exp of 2M values, array to array", apart, others/(n*times)*1e9, "numpy")
	row("exp of 2M values, in place", within, limit, "the limit")
	return nil
}

// portable compares the products in plain Go with gonum's.
func (b *bench) portable() error {
	defer gemm.SetLevel(gemm.Portable)()
	const n = 1024
	x, y, z := normal[float64](n*n), normal[float64](n*n), make([]float64, n*n)
	row := peer.Row{Work: "plain Go gemm 1024³", Precision: "float64", Workers: 2, Target: 1, PeerName: "gonum"}
	err := b.rate(row, 2*n*n*n, func() {
		must(gemm.Mul(ctx, run.Control{Workers: 2}, 1, gemm.Rows(x, n, n, n), gemm.Rows(y, n, n, n), 0,
			gemm.Rows(z, n, n, n)))
	}, timed(func() {
		g := func(d []float64) blas64.General { return blas64.General{Rows: n, Cols: n, Stride: n, Data: d} }
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, g(x), g(y), 0, g(z))
	}))
	if err != nil {
		return err
	}
	x32, y32, z32 := normal[float32](n*n), normal[float32](n*n), make([]float32, n*n)
	row.Precision = "float32"
	return b.rate(row, 2*n*n*n, func() {
		must(gemm.Mul(ctx, run.Control{Workers: 2}, 1, gemm.Rows(x32, n, n, n), gemm.Rows(y32, n, n, n), 0,
			gemm.Rows(z32, n, n, n)))
	}, timed(func() {
		g := func(d []float32) blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: d} }
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, g(x32), g(y32), 0, g(z32))
	}))
}
