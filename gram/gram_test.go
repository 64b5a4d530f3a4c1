package gram_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

func points(n, d int) data.Source[data.Vector] {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	m := data.NewMatrix(n, d)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// blackBox hides a kernel's form.
func blackBox(k kernel.Kernel[data.Vector]) kernel.Kernel[data.Vector] {
	return kernel.Func[data.Vector](k.Eval)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// TestBlockAndProducts compares all outputs with the definition, at sizes on
// both sides of a tile's edges. Products add up at most 513 values below 1 with
// weights of about 1, so 1e-12 is more than their rounding.
func TestBlockAndProducts(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 130} {
		for _, m := range []int{0, 1, 255, 256, 257, 513} {
			x, y := points(n, 5), points(m, 5)
			k := kernel.Gaussian{Gamma: 0.2}
			for _, c := range []*gram.Columns[data.Vector]{gram.Bind[data.Vector](k, y), gram.Bind(blackBox(k), y)} {
				checkColumns(t, c, k, x, y)
			}
		}
	}
}

func checkColumns(t *testing.T, c *gram.Columns[data.Vector], k kernel.Gaussian, x, y data.Source[data.Vector]) {
	t.Helper()
	n, m := x.Len(), y.Len()
	rng := rand.New(rand.NewPCG(9, 9))
	v, u := make([]float64, m), make([]float64, n)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	var counter run.Counter
	ctl := run.Control{Workers: 3, Counter: &counter}
	block, err := c.Block(ctx, ctl, x)
	if err != nil {
		t.Fatal(err)
	}
	kv, ktu := make([]float64, n), make([]float64, m)
	if err := errors.Join(c.Product(ctx, ctl, kv, x, v), transposed(c, ctl, ktu, x, u)); err != nil {
		t.Fatal(err)
	}
	wantT := make([]float64, m)
	for i := range n {
		want := 0.0
		for j := range m {
			e := k.Eval(x.At(i), y.At(j))
			near(t, "block", block.Data[i*m+j], e, 1e-13)
			want += e * v[j]
			wantT[j] += e * u[i]
		}
		near(t, "K·v", kv[i], want, 1e-12)
	}
	for j := range m {
		near(t, "Kᵀ·u", ktu[j], wantT[j], 1e-12)
	}
	if got := counter.Count(); got != int64(3*n*m) {
		t.Fatalf("counted %d evaluations, want %d", got, 3*n*m)
	}
}

// transposed sets dst = Kᵀ·u.
func transposed[T any](c *gram.Columns[T], ctl run.Control, dst []float64, x data.Source[T], u []float64) error {
	return c.ProductNormalMany(ctx, ctl, row(dst), x, nil, row(u), nil)
}

func row(v []float64) *data.Matrix { return &data.Matrix{Rows: 1, Cols: len(v), Data: v} }

func TestWorkersGiveSameBits(t *testing.T) {
	x, y := points(300, 7), points(600, 7)
	c := gram.Bind[data.Vector](kernel.Gaussian{Gamma: 0.1}, y)
	v := make([]float64, 600)
	for i := range v {
		v[i] = float64(i%7) - 3
	}
	var first [][]float64
	for workers := 1; workers <= 5; workers++ {
		ctl := run.Control{Workers: workers}
		block, _ := c.Block(ctx, ctl, x)
		kv, ktu := make([]float64, 300), make([]float64, 600)
		if err := errors.Join(c.Product(ctx, ctl, kv, x, v), transposed(c, ctl, ktu, x, v[:300])); err != nil {
			t.Fatal(err)
		}
		all := [][]float64{block.Data, kv, ktu}
		if first == nil {
			first = all
		}
		for i := range all {
			if !slices.Equal(all[i], first[i]) {
				t.Fatalf("output %d differs with %d workers", i, workers)
			}
		}
	}
}

// TestFarFromOrigin has points at 1e8 with distances of about 1: without the
// shift |x|²+|y|²-2⟨x,y⟩ would keep none of their digits. The differences of
// the coordinates are exact to about 1e-8, hence the tolerance.
func TestFarFromOrigin(t *testing.T) {
	m := points(40, 3).(*data.Matrix)
	for i := range m.Data {
		m.Data[i] += 1e8
	}
	k := kernel.Gaussian{Gamma: 0.5}
	g, err := gram.Symmetric[data.Vector](ctx, run.Control{}, k, m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if g.Data[i*40+i] != 1 {
			t.Fatalf("K(x,x) = %v", g.Data[i*40+i])
		}
		for j := range 40 {
			near(t, "far", g.Data[i*40+j], k.Eval(m.At(i), m.At(j)), 1e-7)
		}
	}
}

func TestSymmetric(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 256, 257, 300} {
		x := points(n, 3)
		var counter run.Counter
		g, err := gram.Symmetric(ctx, run.Control{Counter: &counter}, blackBox(kernel.NewPolynomial(2)), x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				want := kernel.NewPolynomial(2).Eval(x.At(min(i, j)), x.At(max(i, j)))
				if g.Data[i*n+j] != want {
					t.Fatalf("(%d,%d): %v, want %v", i, j, g.Data[i*n+j], want)
				}
			}
		}
		if counter.Count() != int64(n*(n+1)/2) {
			t.Fatalf("counted %d", counter.Count())
		}
	}
}

func TestNoNumberIsAnError(t *testing.T) {
	x := points(100, 2)
	bad := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
		if a.Value[0] == x.At(70).Value[0] {
			return math.NaN()
		}
		return 1
	})
	_, err := gram.Bind[data.Vector](bad, points(5, 2)).Block(ctx, run.Control{}, x)
	var value *gram.ValueError
	if !errors.As(err, &value) || value.Row != 70 || value.Col != 0 {
		t.Fatalf("got %v", err)
	}
	huge := data.Slice[data.Vector]{data.Dense(1e200)}
	if _, err := gram.Symmetric[data.Vector](ctx, run.Control{}, kernel.NewPolynomial(3), huge); !errors.As(err, &value) {
		t.Fatalf("got %v", err)
	}
}

func TestPanicIsAnError(t *testing.T) {
	bad := kernel.Func[string](func(a, b string) float64 { return float64(a[3]) })
	_, err := gram.Symmetric[string](ctx, run.Control{}, bad, data.Slice[string]{"a", "b"})
	if err == nil {
		t.Fatal("no error")
	}
}

func TestLimits(t *testing.T) {
	x := points(1000, 2)
	c := gram.Bind[data.Vector](kernel.Linear{}, x)
	var memory *run.MemoryError
	if _, err := c.Block(ctx, run.Control{Memory: 1 << 20}, x); !errors.As(err, &memory) {
		t.Errorf("got %v", err)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := c.Block(cancelled, run.Control{}, x); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkBlock(b *testing.B) {
	const n, m = 10000, 2000
	for _, d := range []int{20, 50, 784} {
		x, y := points(n, d), points(m, d)
		k := kernel.Gaussian{Gamma: 0.5 / float64(d)}
		for _, p := range []run.Precision{run.Float32, run.Float64} {
			b.Run(fmt.Sprintf("d=%d/%v", d, p), func(b *testing.B) {
				for b.Loop() {
					c := gram.BindPrecision[data.Vector](k, y, p)
					var err error
					if p == run.Float32 {
						_, err = c.Block32(ctx, run.Control{}, x)
					} else {
						_, err = c.Block(ctx, run.Control{}, x)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*m), "ns/value")
			})
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	const n, m, d = 10000, 2000, 50
	x, y := points(n, d), points(m, d)
	v, out := make([]float64, m), make([]float64, n)
	for _, p := range []run.Precision{run.Float32, run.Float64} {
		b.Run(p.String(), func(b *testing.B) {
			for b.Loop() {
				c := gram.BindPrecision[data.Vector](kernel.Gaussian{Gamma: 0.01}, y, p)
				if err := c.Product(ctx, run.Control{}, out, x, v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*m), "ns/value")
		})
	}
}

// TestSinglePrecision compares float32 with float64 on clustered data under a
// wide and a narrow kernel, with the bounds of docs/math/precision.md: for the
// wide one K·g·E with E = (2γ+3u)(|x|²+|y|²), for the narrow one 12·(2γ+3u)
// and, for the close pairs that are computed again, a few units of rounding.
func TestSinglePrecision(t *testing.T) {
	const n, d, u = 300, 20, 0x1p-24
	rng := rand.New(rand.NewPCG(4, 4))
	m := data.NewMatrix(n, d)
	for i := range n {
		for j := range d {
			m.Row(i)[j] = float64(10*(i%5)*(j%3)) + 0.02*rng.NormFloat64()
		}
	}
	sum := (2*float64(d+1) + 3) * u
	for _, gamma := range []float64{1e-4, 100} {
		k := kernel.Gaussian{Gamma: gamma}
		exact, err := gram.Bind[data.Vector](k, m).Block(ctx, run.Control{}, m)
		if err != nil {
			t.Fatal(err)
		}
		single, err := gram.BindPrecision[data.Vector](k, m, run.Float32).Block32(ctx, run.Control{}, m)
		if err != nil {
			t.Fatal(err)
		}
		spread := 0.0
		for i := range n {
			spread = max(spread, m.At(i).Distance2(m.At(0)))
		}
		for i, want := range exact.Data {
			bound := want * gamma * sum * 2 * spread
			if gamma > 1 {
				bound = 12 * sum
				if want > 0.5 {
					bound = 16 * u
				}
			}
			if got := float64(single[i]); math.Abs(got-want) > bound+2*u {
				t.Fatalf("gamma %v: K(%d,%d) = %v in float32, %v in float64", gamma, i/n, i%n, got, want)
			}
		}
	}
}

// letters is a kernel on strings with explicit features: how often each byte
// occurs.
type letters struct{ form kernel.Form }

func (k letters) Terms(x string, emit func(uint64, float64)) {
	for i := range len(x) {
		emit(uint64(x[i]), 1)
	}
}

func (k letters) Form() (kernel.Form, bool) { return k.form, true }

func (k letters) vector(x string) data.Vector {
	v := make([]float64, 256)
	k.Terms(x, func(t uint64, w float64) { v[t] += w })
	return data.Dense(v...)
}

func (k letters) Eval(x, y string) float64 {
	return k.form.Map.At(k.form.Pair.At(k.vector(x), k.vector(y)))
}

// TestExplicit checks that tiles over a vocabulary are the kernel, for rows with
// terms that no column has, of every form.
func TestExplicit(t *testing.T) {
	x := data.Slice[string]{"", "a", "abc", "zzzz", "abcabcxyz", "hello world", "cab"}
	y := data.Slice[string]{"abc", "", "aab", "lower", "cab"}
	for _, form := range []kernel.Form{
		{Pair: kernel.Dot, Map: kernel.Scalar{A: 1}},
		{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -0.1}},
		{Pair: kernel.Tanimoto, Map: kernel.Scalar{A: 1}},
		{Pair: kernel.Dot, Map: kernel.Scalar{Op: kernel.Subsets, A: 1, P: 2}},
	} {
		for _, k := range []kernel.Kernel[string]{letters{form}, kernel.Normalize(kernel.Kernel[string](letters{form}))} {
			g, err := gram.Bind(k, y).Block(ctx, run.Control{}, x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range x {
				for j := range y {
					near(t, "explicit", g.Data[i*len(y)+j], k.Eval(x[i], y[j]), 1e-12*(1+math.Abs(k.Eval(x[i], y[j]))))
				}
			}
		}
	}
}

// TestCombinations checks that tiles of sums, products and other combinations
// are the kernel, plain and normalised.
func TestCombinations(t *testing.T) {
	x, y := points(70, 3), points(300, 3)
	rbf := kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 0.3})
	poly := kernel.Kernel[data.Vector](kernel.NewPolynomial(2))
	for _, k := range []kernel.Kernel[data.Vector]{
		kernel.Sum(rbf, poly),
		kernel.Product(rbf, poly, blackBox(kernel.Linear{})),
		kernel.Scale(2.5, kernel.Sum(rbf, kernel.Product(rbf, poly))),
		kernel.PowerOf(kernel.Sum(rbf, poly), 3),
		kernel.ExpOf(kernel.Scale(0.1, rbf)),
		kernel.Normalize(kernel.Sum(rbf, poly)),
		kernel.Sum(rbf, kernel.Constant[data.Vector]{Value: 1}),
		kernel.Block{From: 1, To: 3, Of: rbf},
		kernel.Sum[data.Vector](kernel.Block{To: 1, Of: poly}, kernel.Block{From: 1, To: 9, Of: kernel.Normalize(rbf)}),
		kernel.Normalize[data.Vector](kernel.Block{From: 1, To: 3, Of: poly}),
	} {
		g, err := gram.Bind(k, y).Block(ctx, run.Control{}, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			for j := range y.Len() {
				want := k.Eval(x.At(i), y.At(j))
				near(t, fmt.Sprint(k), g.Data[i*y.Len()+j], want, 1e-11*(1+math.Abs(want)))
			}
		}
	}
}

// mixed is an instance with numbers and a text.
type mixed struct {
	numbers data.Vector
	text    string
}

// TestParts checks a kernel on a table of mixed parts.
func TestParts(t *testing.T) {
	k := kernel.Sum[mixed](
		kernel.On(func(m mixed) data.Vector { return m.numbers }, kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 0.5})),
		kernel.On(func(m mixed) string { return m.text },
			kernel.Kernel[string](letters{kernel.Form{Map: kernel.Scalar{A: 1}}})),
	)
	var x data.Slice[mixed]
	for i, p := range []string{"ab", "", "abba", "zoo", "baobab"} {
		x = append(x, mixed{points(5, 2).At(i), p})
	}
	g, err := gram.Symmetric(ctx, run.Control{}, k, x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		for j := range x {
			near(t, "mixed", g.Data[i*5+j], k.Eval(x[i], x[j]), 1e-12*(1+math.Abs(k.Eval(x[i], x[j]))))
		}
	}
}

// broken computes blocks, and fails.
type broken struct{ err error }

func (broken) Eval(_, _ string) float64                     { return math.NaN() }
func (b broken) EvalBlock(_ []float64, _, _ []string) error { return b.err }

func TestBlocksFault(t *testing.T) {
	fault := errors.New("the program has died")
	_, err := gram.Symmetric[string](ctx, run.Control{}, broken{fault}, data.Slice[string]{"a", "b"})
	if !errors.Is(err, fault) {
		t.Fatalf("got %v", err)
	}
}

// Symmetric32 has the values of Symmetric, rounded, in both halves, and the same bits for any number of workers.
func TestSymmetric32(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 241} {
		m, k := points(n, 5), kernel.Gaussian{Gamma: 0.3}
		want, err := gram.Symmetric[data.Vector](ctx, run.Control{}, k, m)
		if err != nil {
			t.Fatal(err)
		}
		var first []float32
		for _, workers := range []int{1, 2, 7} {
			got, err := gram.Symmetric32[data.Vector](ctx, run.Control{Workers: workers}, k, m)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !slices.Equal(first, got) {
				t.Fatalf("n = %d, %d workers: other bits", n, workers)
			}
			for i, v := range got {
				if math.Abs(float64(v)-want.Data[i]) > 1e-5 || v != got[i%n*n+i/n] {
					t.Fatalf("n = %d: value %d is %v, want %v in both halves", n, i, v, want.Data[i])
				}
			}
		}
	}
}
