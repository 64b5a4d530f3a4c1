package project_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/project"
)

// sizes straddle the edges of the blocks of rows and of the unrolled loops.
var sizes = []int{0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100}

// recipes returns one recipe of every kind.
func recipes(dim int, seed uint64) []project.Recipe {
	return []project.Recipe{
		project.Gaussian{Dim: dim, Seed: seed},
		project.Sign{Dim: dim, Seed: seed},
		project.Orthogonal{Dim: dim, Seed: seed},
		project.NewAchlioptas(dim, seed),
		project.NewSparse(dim, seed),
		project.Hadamard{Dim: dim, Seed: seed},
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

// naive is x·A by the definition, with A read back entry by entry.
func naive(p *project.Projection, x []float64) []float64 {
	dst, m := make([]float64, p.Out()), p.Matrix()
	for j := range dst {
		for i, a := range x {
			dst[j] += a * m.Data[i*p.Out()+j]
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
// products in different orders: 2·(n+2)·2⁻⁵³·Σ|x_i·a_ij|, with |a_ij| ≤ 10.
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
	for i, recipe := range append(recipes(33, 9), project.Sparse{Dim: 33, Density: 0.1, Seed: 9}) {
		p := fit(t, recipe, 65)
		again, err := project.Recall(p.Kind(), p.Out(), p.Seed())
		if err != nil {
			t.Fatal(err)
		}
		if again != recipe {
			t.Errorf("%v: recalled as %v", recipe, again)
		}
		if q := fit(t, again, p.In()); !slices.Equal(p.Matrix().Data, q.Matrix().Data) || q.String() != p.String() {
			t.Errorf("%v: recalled, it has other entries", p)
		}
		switch p.Kind() {
		case project.KindGaussian, project.KindSign, project.KindAchlioptas, "sparse:0.1":
			if q := fit(t, recipe, 40); !slices.Equal(p.Matrix().Data[:40*33], q.Matrix().Data) {
				t.Errorf("%v: its rows depend on how many there are", p)
			}
		}
		other := append(recipes(33, 10), project.Sparse{Dim: 33, Density: 0.1, Seed: 10})
		if q := fit(t, other[i], 65); slices.Equal(p.Matrix().Data, q.Matrix().Data) {
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
		{project.Orthogonal{Dim: 4, Seed: 1}, 0, []float64{2.0672913420547574, -0.873164855791348}},
		{project.Orthogonal{Dim: 4, Seed: 1}, 33, []float64{0.5023833332278697, 2.1179754843825442}},
		{project.NewAchlioptas(4, 1), 1, []float64{-1.7320508075688774, -1.7320508075688774, 1.7320508075688774, 0}},
		{project.NewAchlioptas(4, 1), 33, []float64{-1.7320508075688774, 1.7320508075688774, 1.7320508075688774, 0}},
		{project.NewSparse(4, 1), 0, []float64{0, -2.414736402766418, 0, -2.414736402766418}},
		{project.Hadamard{Dim: 4, Seed: 1}, 1, []float64{-1, 1, 1, -1}},
		{project.Hadamard{Dim: 4, Seed: 1}, 33, []float64{1, 1, 1, -1}},
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
	for _, kind := range []string{"fourier", "", "sparse:", "sparse:x", "sparse:0", "sparse:-1", "sparse:1.5",
		"sparse:NaN", "sparse:Inf", "sign:0.5"} {
		if r, err := project.Recall(kind, 3, 1); err == nil {
			t.Errorf("kind %q is taken as %v", kind, r)
		}
	}
	for _, density := range []float64{-1, 1.5, math.NaN(), math.Inf(1)} {
		r := project.Sparse{Density: density}
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "dim") ||
			!strings.Contains(err.Error(), "density") {
			t.Errorf("density %v and dim 0: %v does not name both faults", density, err)
		}
		if _, err := r.Fit(3); err == nil {
			t.Errorf("density %v is taken", density)
		}
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
		kind := rapid.SampledFrom(append(project.Kinds(), "sparse:0.7")).Draw(t, "kind")
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

// TestEntries measures, for the kinds with independent entries, the first moments
// of the entries of A and that entries are not correlated with their neighbours.
// N entries of variance 1 and fourth moment m have a mean with standard deviation
// 1/√N, a mean of squares with one of √((m-1)/N) and of products with one of 1/√N;
// 5 of these are allowed.
func TestEntries(t *testing.T) {
	const in, out = 600, 300
	for _, c := range []struct {
		recipe project.Recipe
		fourth float64
	}{
		{project.Gaussian{Dim: out, Seed: 77}, 3},
		{project.Sign{Dim: out, Seed: 77}, 1},
		{project.NewAchlioptas(out, 77), 3},
		{project.NewSparse(out, 77), math.Sqrt(in)},
		{project.Sparse{Dim: out, Density: 0.01, Seed: 77}, 100},
		{project.Sparse{Dim: out, Density: 1, Seed: 77}, 1},
	} {
		kind := c.recipe.Kind()
		entries := slices.Clone(fit(t, c.recipe, in).Matrix().Data)
		var mean, square, right, below, block float64
		n := float64(len(entries))
		for i := range entries {
			entries[i] *= math.Sqrt(out)
		}
		for i, a := range entries {
			mean += a / n
			square += a * a / n
			if c.fourth == 1 && math.Abs(math.Abs(a)-1) > 1e-15 {
				t.Fatalf("%s: entry %d is %v", kind, i, a)
			}
			right += a * entries[(i+1)%len(entries)] / n
			below += a * entries[(i+out)%len(entries)] / n
			block += a * entries[(i+32*out)%len(entries)] / n
		}
		limit := 5 / math.Sqrt(n)
		if math.Abs(mean) > limit || math.Abs(square-1) > limit*math.Sqrt(c.fourth-1)+1e-10 {
			t.Errorf("%s: mean %v, variance %v", kind, mean, square)
		}
		for _, correlation := range []float64{right, below, block} {
			if math.Abs(correlation) > limit {
				t.Errorf("%s: correlation %v, limit %v", kind, correlation, limit)
			}
		}
	}
	if a, b := fit(t, project.Gaussian{Dim: 8}, 8).Matrix().Data, fit(t, project.Sign{Dim: 8}, 8).Matrix().Data; agree(a,
		b) == 64 {
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
