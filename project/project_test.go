package project_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/project"
)

// sizes straddle the edges of the blocks of rows and of the unrolled loops.
var sizes = []int{0, 1, 7, 8, 9, 31, 32, 33, 65}

// recipes returns one recipe of every kind.
func recipes(dim int, seed uint64) []project.Recipe {
	return []project.Recipe{
		project.Gaussian{Dim: dim, Seed: seed},
		project.Sign{Dim: dim, Seed: seed},
	}
}

func fit(t testing.TB, r project.Recipe, in int) *project.Projection {
	t.Helper()
	p, err := r.Fit(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// naive is x·A/√d by the definition, with A read back entry by entry.
func naive(p *project.Projection, x []float64) []float64 {
	dst := make([]float64, p.Out())
	for j := range dst {
		for i, a := range x {
			dst[j] += a * p.Matrix().Data[i*p.Out()+j]
		}
	}
	return dst
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// near reports whether two images of x agree to the rounding of two sums of n
// products in different orders: 2·n·2⁻⁵³·Σ|x_i·a_ij|, with |a_ij| < 10.
func near(got, want, x []float64) bool {
	size := 0.0
	for _, a := range x {
		size += 10 * math.Abs(a)
	}
	tol := 2 * float64(len(x)+2) * 0x1p-53 * size
	for j := range want {
		if !(math.Abs(got[j]-want[j]) <= tol) {
			return false
		}
	}
	return len(got) == len(want)
}

func TestApplyAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, in := range sizes {
		for _, out := range sizes[1:] {
			for _, recipe := range recipes(out, 11) {
				p := fit(t, recipe, in)
				if p.In() != in || p.Out() != out || p.Kind() != recipe.Kind() || p.Seed() != 11 {
					t.Fatalf("%v: want %s from %d to %d, seed 11", p, recipe.Kind(), in, out)
				}
				x := normals(r, in)
				want := naive(p, x)

				// Guards around dst, and NaN where a result must come.
				guarded := slices.Repeat([]float64{math.NaN()}, out+2)
				guarded[0], guarded[out+1] = 42, 43
				p.Apply(guarded[1:out+1], x)
				if guarded[0] != 42 || guarded[out+1] != 43 {
					t.Errorf("%v: Apply wrote outside of dst", p)
				}
				if !near(guarded[1:out+1], want, x) {
					t.Errorf("%v: Apply gives %v, want %v", p, guarded[1:out+1], want)
				}
			}
		}
	}
}

func TestSparseGivesTheBitsOfDense(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, in := range sizes {
		for _, recipe := range recipes(9, 5) {
			p := fit(t, recipe, in)
			x := make([]float64, in)
			index, value := []int32{}, []float64{}
			for i := range x {
				if r.IntN(3) == 0 {
					x[i] = r.NormFloat64()
					index, value = append(index, int32(i)), append(value, x[i])
				}
			}
			// Coordinates past In are dropped.
			index, value = append(index, int32(in)+2), append(value, 7)
			sparse, err := data.Sparse(index, value)
			if err != nil {
				t.Fatal(err)
			}
			dense, got := make([]float64, 9), make([]float64, 9)
			p.Apply(dense, x)
			p.ApplyVector(got, sparse)
			if !slices.Equal(dense, got) {
				t.Errorf("%v: sparse %v, dense %v", p, got, dense)
			}
			p.ApplyVector(got, data.Dense(append(slices.Clone(x), 7)...))
			if !slices.Equal(dense, got) {
				t.Errorf("%v: a longer dense vector gives %v, want %v", p, got, dense)
			}
		}
	}
}

func TestSeedAndShapeAreAll(t *testing.T) {
	for i, recipe := range recipes(33, 9) {
		p := fit(t, recipe, 65)
		again, err := project.Recall(p.Kind(), p.Out(), p.Seed())
		if err != nil {
			t.Fatal(err)
		}
		if q := fit(t, again, p.In()); !slices.Equal(p.Matrix().Data, q.Matrix().Data) {
			t.Errorf("%v: recalled, it has other entries", p)
		}
		if q := fit(t, recipe, 40); !slices.Equal(p.Matrix().Data[:40*33], q.Matrix().Data) {
			t.Errorf("%v: its rows depend on how many there are", p)
		}
		if q := fit(t, recipes(33, 10)[i], 65); slices.Equal(p.Matrix().Data, q.Matrix().Data) {
			t.Errorf("%v: another seed gives the same entries", p)
		}
	}
}

// TestEntriesAreKept holds what a seed means: a file written by one version is
// read by the next.
func TestEntriesAreKept(t *testing.T) {
	for _, c := range []struct {
		recipe project.Recipe
		row    int
		want   []float64 // first entries of the row, times √d
	}{
		{project.Gaussian{Dim: 4, Seed: 1}, 0, []float64{-0.8414250101830278}},
		{project.Gaussian{Dim: 4, Seed: 1}, 33, []float64{-0.7022935475925514}},
		{project.Sign{Dim: 4, Seed: 1}, 0, []float64{-1, -1, 1, 1}},
		{project.Sign{Dim: 4, Seed: 1}, 33, []float64{-1, -1, -1, -1}},
	} {
		row := fit(t, c.recipe, 34).Matrix().Row(c.row)
		for j, want := range c.want {
			if got := row[j] * 2; got != want {
				t.Errorf("%T row %d entry %d is %v, want %v", c.recipe, c.row, j, got, want)
			}
		}
	}
}

func TestRecipesRefuse(t *testing.T) {
	for _, dim := range []int{0, -1} {
		for _, r := range recipes(dim, 1) {
			if r.Validate() == nil {
				t.Errorf("%T: dim %d is taken", r, dim)
			}
			_, err := r.Fit(-3)
			if err == nil || !strings.Contains(err.Error(), "-3") || !strings.Contains(err.Error(), fmt.Sprint(dim)) {
				t.Errorf("%T: %v does not name both faults", r, err)
			}
		}
	}
	for _, r := range recipes(math.MaxInt/4, 1) {
		if _, err := r.Fit(math.MaxInt / 4); err == nil {
			t.Errorf("%T: a matrix of 2^122 entries is taken", r)
		}
	}
	if _, err := project.Recall("hadamard", 3, 1); err == nil {
		t.Error("an unknown kind is taken")
	}
	for _, f := range []func(*project.Projection){
		func(p *project.Projection) { p.Apply(make([]float64, 2), make([]float64, 4)) },
		func(p *project.Projection) { p.Apply(make([]float64, 3), make([]float64, 3)) },
		func(p *project.Projection) { p.ApplyVector(make([]float64, 3), data.Dense(1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("lengths that do not fit are taken")
				}
			}()
			f(fit(t, project.Sign{Dim: 2}, 3))
		}()
	}
}

func TestLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, out := rapid.IntRange(1, 40).Draw(t, "in"), rapid.IntRange(1, 40).Draw(t, "out")
		kind := rapid.SampledFrom([]string{project.KindGaussian, project.KindSign}).Draw(t, "kind")
		recipe, err := project.Recall(kind, out, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := recipe.Fit(in)
		if err != nil {
			t.Fatal(err)
		}
		coordinates := rapid.SliceOfN(rapid.Float64Range(-100, 100), in, in)
		x, y := coordinates.Draw(t, "x"), coordinates.Draw(t, "y")
		a := rapid.Float64Range(-10, 10).Draw(t, "a")
		sum, size := make([]float64, in), make([]float64, in)
		for i := range sum {
			sum[i] = a*x[i] + y[i]
			size[i] = math.Abs(a*x[i]) + math.Abs(y[i])
		}
		px, py, psum := make([]float64, out), make([]float64, out), make([]float64, out)
		p.Apply(px, x)
		p.Apply(py, y)
		p.Apply(psum, sum)
		for j := range px {
			px[j] = a*px[j] + py[j]
		}
		if !near(psum, px, size) {
			t.Fatalf("P(%v·x + y) = %v, %v·P(x) + P(y) = %v", a, psum, a, px)
		}
	})
}

// TestEntries measures the first moments of the entries of A and that entries
// are not correlated with their neighbours. N entries of variance 1 have a
// mean with standard deviation 1/√N, and a mean of squares and of products
// with one of √(2/N) and 1/√N at most; 5 of these are allowed.
func TestEntries(t *testing.T) {
	const in, out = 600, 300
	for _, recipe := range recipes(out, 77) {
		entries := slices.Clone(fit(t, recipe, in).Matrix().Data)
		var mean, square, right, below, block float64
		n := float64(len(entries))
		for i := range entries {
			entries[i] *= math.Sqrt(out)
		}
		for i, a := range entries {
			mean += a / n
			square += a * a / n
			if recipe.Kind() == project.KindSign && math.Abs(math.Abs(a)-1) > 1e-15 {
				t.Fatalf("entry %d is %v", i, a)
			}
			right += a * entries[(i+1)%len(entries)] / n
			below += a * entries[(i+out)%len(entries)] / n
			block += a * entries[(i+32*out)%len(entries)] / n
		}
		limit := 5 / math.Sqrt(n)
		if math.Abs(mean) > limit || math.Abs(square-1) > limit*math.Sqrt2 {
			t.Errorf("%s: mean %v, variance %v", recipe.Kind(), mean, square)
		}
		for _, c := range []float64{right, below, block} {
			if math.Abs(c) > limit {
				t.Errorf("%s: correlation %v, limit %v", recipe.Kind(), c, limit)
			}
		}
	}
	if a, b := fit(t, project.Gaussian{Dim: 8}, 8).Matrix().Data, fit(t, project.Sign{Dim: 8}, 8).Matrix().Data; agree(a, b) == 64 {
		t.Error("the kinds share their random bits")
	}
}

func agree(a, b []float64) int {
	n := 0
	for i := range a {
		if a[i] > 0 == (b[i] > 0) {
			n++
		}
	}
	return n
}

// TestDistances compares the law of |u' - v'|²/|u - v|² with what is known of
// it: for Gaussian it is χ²_d/d (Kolmogorov's distance, critical value at
// 10⁻⁴ is 2.23/√N); for both kinds theorem 2 bounds its tails.
func TestDistances(t *testing.T) {
	const in, trials = 40, 2000
	r := rand.New(rand.NewPCG(5, 6))
	u, v := normals(r, in), normals(r, in)
	for _, dim := range []int{8, 64, 128} {
		for kind := range recipes(dim, 0) {
			ratios := make([]float64, trials)
			for trial := range ratios {
				recipe := recipes(dim, uint64(trial))[kind]
				ratios[trial] = ratio(fit(t, recipe, in), u, v)
			}
			slices.Sort(ratios)
			if kind == 0 {
				if ks := kolmogorov(ratios, dim); ks > 2.23/math.Sqrt(trials) {
					t.Errorf("gaussian, dim %d: distance from χ² is %v", dim, ks)
				}
			}
			for _, g := range []float64{0.2, 0.4, 0.6} {
				promised, err := bound.DistortionFailure(g, dim)
				if err != nil {
					t.Fatal(err)
				}
				failed := 0
				for _, a := range ratios {
					if a < 1-g || a > 1+g {
						failed++
					}
				}
				// By Bernstein's inequality a binomial count with this mean
				// passes this limit with probability under 10⁻⁶.
				mean, l := promised*trials, math.Log(1e6)
				if limit := mean + math.Sqrt(2*mean*l) + 2*l/3; float64(failed) > limit {
					t.Errorf("kind %d, dim %d, g %v: %d of %d fail, promised %v", kind, dim, g, failed, trials, promised)
				}
			}
		}
	}
}

func ratio(p *project.Projection, u, v []float64) float64 {
	pu, pv := make([]float64, p.Out()), make([]float64, p.Out())
	p.Apply(pu, u)
	p.Apply(pv, v)
	return data.Dense(pu...).Distance2(data.Dense(pv...)) / data.Dense(u...).Distance2(data.Dense(v...))
}

func kolmogorov(sorted []float64, dim int) float64 {
	law := distuv.ChiSquared{K: float64(dim)}
	ks := 0.0
	n := float64(len(sorted))
	for i, a := range sorted {
		f := law.CDF(a * float64(dim))
		ks = max(ks, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	return ks
}

func BenchmarkFit(b *testing.B) {
	for kind, name := range []string{project.KindGaussian, project.KindSign} {
		b.Run(name+"/1000x500", func(b *testing.B) {
			for b.Loop() {
				fit(b, recipes(500, 1)[kind], 1000)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	p := fit(b, project.Gaussian{Dim: 500}, 1000)
	x, dst := normals(rand.New(rand.NewPCG(1, 1)), 1000), make([]float64, 500)
	b.Run("1000x500", func(b *testing.B) {
		for b.Loop() {
			p.Apply(dst, x)
		}
	})
}
