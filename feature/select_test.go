package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// looking are the selections that evaluate the kernel.
var looking = []feature.Selection{feature.KMeans, feature.Greedy, feature.RPCholesky}

// TestEvaluations counts: none for uniform and iid, (landmarks+1)·n for the
// selections that look, and for blocks at most the proposals' matrices more. The
// count is that of the calls of the kernel, of the counter and of the result.
func TestEvaluations(t *testing.T) {
	x := points(500, 3, 2)
	for _, s := range feature.Selections {
		for _, block := range []int{1, 4} {
			calls := new(run.Counter)
			k := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
				calls.Add(1)
				return math.Exp(-0.3 * a.Distance2(b))
			})
			r := feature.NewChooser[data.Vector](k, 20, s)
			r.Block, r.Run.Counter = block, new(run.Counter)
			c, err := r.Choose(ctx, x)
			check(t, err)
			want, more := int64(21*500), int64(0)
			if s == feature.Uniform || s == feature.Independent {
				want = 0
			}
			if s == feature.RPCholesky && block > 1 {
				more = c.Evaluations - want
				if more < 1 || more > 20*4*5/2 {
					t.Errorf("blocks take %d evaluations more", more)
				}
			}
			if c.Evaluations != want+more || r.Run.Counter.Count() != want+more {
				t.Errorf("%s: %d evaluations, %d counted, want %d", s, c.Evaluations, r.Run.Counter.Count(), want+more)
			}
			// A symmetric tile is computed whole and counted by half.
			if got := calls.Count(); got < want+more || got > want+2*more {
				t.Errorf("%s: the kernel is called %d times, want %d", s, got, want+more)
			}
		}
	}
	f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.3}, 20)
	f2.Select, f2.Run.Counter = feature.Greedy, new(run.Counter)
	_, err := f2.Fit(ctx, x)
	check(t, err)
	if got := f2.Run.Counter.Count(); got != 21*500+20*21/2 {
		t.Errorf("F2 takes %d evaluations", got)
	}
}

// TestSelectWorkers has more rows than a worker's share, and a pool.
func TestSelectWorkers(t *testing.T) {
	x := points(2500, 3, 5)
	for _, s := range feature.Selections {
		for _, pool := range []int{0, 2100} {
			for _, block := range []int{1, 7} {
				var want feature.Chosen
				for _, workers := range []int{1, 2, 3} {
					r := feature.NewChooser[data.Vector](kernel.Gaussian{Gamma: 0.2}, 40, s)
					r.Pool, r.Block, r.Run.Workers = pool, block, workers
					c, err := r.Choose(ctx, x)
					check(t, err)
					if workers == 1 {
						want = c
						continue
					}
					same := slices.Equal(c.Index, want.Index) && slices.Equal(c.Pool, want.Pool) && c.Residual == want.Residual
					if same && c.Factor != nil {
						same = slices.Equal(c.Factor.Data, want.Factor.Data)
					}
					if !same {
						t.Errorf("%s, pool %d, block %d: %d workers choose otherwise than one", s, pool, block, workers)
					}
				}
			}
		}
	}
}

// TestSelectZeroIsDraw: F1 and F2 without a selection take what Draw draws.
func TestSelectZeroIsDraw(t *testing.T) {
	x := points(100, 3, 5)
	for _, s := range []feature.Selection{"", feature.Uniform} {
		for _, size := range []int{1, 10, 100, 130} {
			f1 := feature.NewF1[data.Vector](kernel.Linear{}, size)
			f1.Seed, f1.Select = 7, s
			m, err := f1.Fit(ctx, x)
			check(t, err)
			want := feature.Draw(x, size, 7)
			if m.Dim() != want.Len() {
				t.Fatalf("%d landmarks, want %d", m.Dim(), want.Len())
			}
			for i := range want.Len() {
				if &m.Instances().At(i).Value[0] != &want.At(i).Value[0] {
					t.Fatalf("landmark %d is another", i)
				}
			}
		}
	}
}

// TestPool: landmarks come from the pool, the pool is uniform, and errors name
// the rows of the sample.
func TestPool(t *testing.T) {
	x := points(400, 2, 6)
	for _, s := range looking {
		r := feature.NewChooser[data.Vector](kernel.Gaussian{Gamma: 1}, 12, s)
		r.Pool, r.Block = 50, 3
		c, err := r.Choose(ctx, x)
		check(t, err)
		if len(c.Pool) != 50 || !slices.IsSorted(c.Pool) || len(c.Index) != 12 {
			t.Fatalf("%s: a pool of %d, %d landmarks", s, len(c.Pool), len(c.Index))
		}
		for _, i := range c.Index {
			if !slices.Contains(c.Pool, i) {
				t.Fatalf("%s: landmark %d is not in the pool", s, i)
			}
		}
		if c.Factor != nil {
			f2, err := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 1}, 12).FitTo(ctx,
				data.Subset[data.Vector]{Of: x, Index: c.Index})
			check(t, err)
			row, f := make([]float64, f2.Dim()), transpose(c.Factor)
			for p, i := range c.Pool {
				f2.MapTo(row, x[i])
				if got, want := vmath.Dot(f.Row(p), f.Row(p)), vmath.Dot(row, row); math.Abs(got-want) > 1e-9 {
					t.Fatalf("row %d of the pool has |F|² = %v, |F2(x)|² = %v", p, got, want)
				}
			}
		}
		bad := r
		bad.Kernel = kernel.Func[data.Vector](func(a, b data.Vector) float64 {
			if a.Value[0] == x[c.Pool[40]].Value[0] && b.Value[0] != a.Value[0] {
				return math.NaN()
			}
			return math.Exp(-a.Distance2(b))
		})
		var value *gram.ValueError
		if _, err := bad.Choose(ctx, x); !errors.As(err, &value) || (value.Row != c.Pool[40] && value.Col != c.Pool[40]) {
			t.Errorf("%s: got %v, want a fault in row %d", s, err, c.Pool[40])
		}
	}
	large := points(25_000, 1, 3)
	c, err := feature.NewChooser[data.Vector](kernel.Gaussian{Gamma: 1}, 3, feature.KMeans).Choose(ctx, large)
	check(t, err)
	if len(c.Pool) != 10_000 || c.Evaluations != 40_000 {
		t.Errorf("a pool of %d by default, %d evaluations", len(c.Pool), c.Evaluations)
	}
}

// TestSelectRank: where few instances explain all, no more are chosen, and no
// instance twice.
func TestSelectRank(t *testing.T) {
	base := points(12, 3, 4)
	var x data.Slice[data.Vector]
	for range 5 {
		x = append(x, base...)
	}
	constant := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return 3 })
	for _, c := range []struct {
		k                 kernel.Kernel[data.Vector]
		points, dimension int
	}{{kernel.Linear{}, 12, 3}, {kernel.NewPolynomial(1), 12, 4}, {kernel.NewPolynomial(2), 12, 10},
		{kernel.Gaussian{Gamma: 1}, 12, 12}, {constant, 1, 1}} {
		for _, s := range looking {
			for _, block := range []int{1, 6, 60} {
				r := feature.NewChooser(c.k, 40, s)
				r.Block = block
				got, err := r.Choose(ctx, x)
				check(t, err)
				want := c.dimension
				if s == feature.KMeans {
					want = c.points
				}
				if len(got.Index) != want || got.Residual > 1e-11 {
					t.Errorf("%s, %v: %d landmarks, want %d; residual %v", s, c.k, len(got.Index), want, got.Residual)
				}
				distinct := map[int]bool{}
				for _, i := range got.Index {
					distinct[i%12] = true
				}
				if len(distinct) != len(got.Index) {
					t.Errorf("%s, %v: duplicates among %v", s, c.k, got.Index)
				}
			}
		}
	}
}

// TestIndependent draws with replacement, and F2 drops what comes twice.
func TestIndependent(t *testing.T) {
	x := points(30, 3, 4)
	k := kernel.Gaussian{Gamma: 1}
	c, err := feature.NewChooser[data.Vector](k, 200, feature.Independent).Choose(ctx, x)
	check(t, err)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(c.Index))))
	if len(c.Index) != 200 || distinct < 25 {
		t.Fatalf("%d landmarks, %d different", len(c.Index), distinct)
	}
	f2 := feature.NewF2[data.Vector](k, 200)
	f2.Select = feature.Independent
	m, err := f2.Fit(ctx, x)
	check(t, err)
	if m.Drawn() != 200 || m.Dim() != distinct {
		t.Errorf("%d drawn, rank %d, want %d", m.Drawn(), m.Dim(), distinct)
	}
}

// TestSelectConformance runs the suite of maps on F1 and F2 with every
// selection, on vectors and on strings.
func TestSelectConformance(t *testing.T) {
	x := points(150, 4, 1)
	words := []string{"landmark", "margin", "separator", "kernel", "feature", "kernel", "gram"}
	for _, s := range feature.Selections {
		t.Run(string(s), func(t *testing.T) {
			for _, size := range []int{1, 7, 65, 300} {
				f1 := feature.NewF1[data.Vector](kernel.Gaussian{Gamma: 0.3}, size)
				f1.Select = s
				m1, err := f1.Fit(ctx, x)
				check(t, err)
				kerftest.Map(t, m1, x)
				f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.3}, size)
				f2.Select = s
				m2, err := f2.Fit(ctx, x)
				check(t, err)
				kerftest.Map(t, m2, x)
			}
			f2 := feature.NewF2[string](kernel.Func[string](overlap), 7)
			f2.Select = s
			m, err := f2.Fit(ctx, data.Slice[string](words))
			check(t, err)
			kerftest.Map(t, m, words)
		})
	}
}

// TestSelectSingle: float32 concerns mapped instances; landmarks are chosen at
// its tolerance.
func TestSelectSingle(t *testing.T) {
	x := points(300, 4, 9)
	for _, s := range feature.Selections {
		f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.1}, 80)
		f2.Select, f2.Run.Precision = s, run.Float32
		m, err := f2.Fit(ctx, x)
		check(t, err)
		kerftest.Map(t, m, x)
	}
}

// TestSelectProgress tells of every landmark once.
func TestSelectProgress(t *testing.T) {
	x := points(100, 2, 1)
	for _, s := range looking {
		var total, last int64
		begun, ended := 0, 0
		r := feature.NewChooser[data.Vector](kernel.Gaussian{Gamma: 1}, 30, s)
		r.Run.Progress = run.Progress{
			Start:  func(_ string, n int64) { total = n; begun++ },
			Step:   func(n int64) { last = n },
			Finish: func() { ended++ },
		}
		_, err := r.Choose(ctx, x)
		check(t, err)
		if begun != 1 || ended != 1 || total != 30 || last != 30 {
			t.Errorf("%s: begun %d times, ended %d, %d of %d", s, begun, ended, last, total)
		}
	}
}

// TestSelectProperties: on any data with any kernel, selections that look give
// different instances, at most size, and a residual from 0 to 1 for spans.
func TestSelectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		x := make(data.Slice[data.Vector], n)
		for i := range x {
			v := make([]float64, d)
			for j := range v {
				v[j] = float64(rapid.IntRange(-3, 3).Draw(t, "v"))
			}
			x[i] = data.Dense(v...)
		}
		kernels := []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 0.1}, kernel.Gaussian{Gamma: 3},
			kernel.NewPolynomial(2)}
		r := feature.NewChooser(rapid.SampledFrom(kernels).Draw(t, "k"), rapid.IntRange(1, 50).Draw(t, "size"),
			rapid.SampledFrom(looking).Draw(t, "s"))
		r.Block, r.Pool, r.Seed = rapid.IntRange(0, 20).Draw(t, "block"), rapid.IntRange(0, 30).Draw(t,
			"pool"), rapid.Uint64().Draw(t, "seed")
		c, err := r.Choose(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(c.Index)))
		if len(distinct) != len(c.Index) || len(c.Index) < 1 || len(c.Index) > min(n, r.Size) {
			t.Fatalf("landmarks %v", c.Index)
		}
		if !(c.Residual >= 0) || r.Select != feature.KMeans && c.Residual > 1 {
			t.Fatalf("residual %v", c.Residual)
		}
	})
}

func ExampleChooser() {
	sample := data.Slice[string]{"gram", "gram", "gram", "gram", "margin", "kernel"}
	chooser := feature.NewChooser[string](kernel.Func[string](overlap), 3, feature.Greedy)
	c, err := chooser.Choose(context.Background(), sample)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range c.Index {
		fmt.Println(sample[i])
	}
	fmt.Printf("%.0f evaluations, %.2f left\n", float64(c.Evaluations), c.Residual)
	// Output:
	// margin
	// kernel
	// gram
	// 24 evaluations, 0.00 left
}
