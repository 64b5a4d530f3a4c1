package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

func points(n, d int, s uint64) data.Slice[data.Vector] {
	rng := rand.New(rand.NewPCG(s, uint64(d)))
	x := make(data.Slice[data.Vector], n)
	for i := range x {
		v := make([]float64, d)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		x[i] = data.Dense(v...)
	}
	return x
}

// overlap is a kernel on strings, a black box: the number of bytes that two
// strings have in common, as an inner product of indicator vectors.
func overlap(a, b string) float64 {
	n := 0.0
	for c := range 256 {
		in := func(s string) bool {
			for i := range len(s) {
				if s[i] == byte(c) {
					return true
				}
			}
			return false
		}
		if in(a) && in(b) {
			n++
		}
	}
	return n
}

func TestConformance(t *testing.T) {
	x := points(150, 4, 1)
	k := kernel.Gaussian{Gamma: 0.3}
	for _, size := range []int{1, 7, 64, 65, 300} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			f1, err := feature.NewF1[data.Vector](k, size).Fit(ctx, x)
			check(t, err)
			kerftest.Map(t, f1, x)
			f2, err := feature.NewF2[data.Vector](k, size).Fit(ctx, x)
			check(t, err)
			kerftest.Map(t, f2, x)
			f3, err := feature.NewF3(feature.NewF2[data.Vector](k, size), project.Gaussian{Dim: 9, Seed: 3}).Fit(ctx, x)
			check(t, err)
			kerftest.Map(t, f3, x)
		})
	}
	kerftest.Map[data.Vector](t, feature.Identity{Width: 4}, x)
	words := []string{"landmark", "margin", "separator", "kernel", "feature", "kernel", "gram"}
	f2, err := feature.NewF2[string](kernel.Func[string](overlap), 7).Fit(ctx, data.Slice[string](words))
	check(t, err)
	kerftest.Map(t, f2, words)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestF1 is the definition: features are similarities to landmarks.
func TestF1(t *testing.T) {
	x := points(100, 3, 2)
	k := kernel.NewPolynomial(2)
	f1, err := feature.NewF1[data.Vector](k, 20).Fit(ctx, x)
	check(t, err)
	row := make([]float64, 20)
	for _, p := range points(10, 3, 5) {
		f1.MapTo(row, p)
		for j, v := range row {
			if want := k.Eval(p, f1.Instances().At(j)); math.Abs(v-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("feature %d is %v, want %v", j, v, want)
			}
		}
	}
}

// TestF2IsTheProjection compares F2 with the orthogonal projection computed
// from the pseudo-inverse of the landmarks' Gram matrix:
// ⟨proj x, proj y⟩ = k(x)ᵀ·M⁺·k(y).
func TestF2IsTheProjection(t *testing.T) {
	x := points(60, 3, 3)
	k := kernel.Gaussian{Gamma: 0.5}
	f2, err := feature.NewF2[data.Vector](k, 15).Fit(ctx, x)
	check(t, err)
	z := f2.Landmarks().Instances()
	m := f2.Dim()
	g := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range i + 1 {
			g.SetSym(i, j, k.Eval(z.At(i), z.At(j)))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(g, true) {
		t.Fatal("eigenvalues did not converge")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	similar := func(p data.Vector) *mat.VecDense {
		s := mat.NewVecDense(m, nil)
		for j := range m {
			s.SetVec(j, k.Eval(p, z.At(j)))
		}
		return s
	}
	project := func(p data.Vector) []float64 { // M^{-1/2}·V rotated: only inner products matter
		out := make([]float64, m)
		s := similar(p)
		for e, lambda := range eig.Values(nil) {
			out[e] = mat.Dot(v.ColView(e), s) / math.Sqrt(lambda)
		}
		return out
	}
	image := func(p data.Vector) []float64 {
		row := make([]float64, m)
		f2.MapTo(row, p)
		return row
	}
	fresh := points(20, 3, 8)
	for i, p := range fresh {
		for _, q := range fresh[:i+1] {
			got, want := vmath.Dot(image(p), image(q)), vmath.Dot(project(p), project(q))
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("inner product of images %v, of projections %v", got, want)
			}
		}
		if n := vmath.Dot(image(p), image(p)); n > 1+1e-12 {
			t.Fatalf("|F2(x)|² = %v exceeds K(x,x) = 1", n)
		}
		for j := range m { // the residual is orthogonal to the span
			got, want := vmath.Dot(image(p), image(z.At(j))), k.Eval(p, z.At(j))
			if math.Abs(got-want) > 1e-10 {
				t.Fatalf("⟨F2(x),F2(z)⟩ = %v, K(x,z) = %v", got, want)
			}
		}
	}
}

// TestF2Duplicates has every landmark three times and a kernel of rank 4: the
// rank is found, and nothing of the kernel is lost on the sample.
func TestF2Duplicates(t *testing.T) {
	base := points(12, 3, 4)
	var x data.Slice[data.Vector]
	for range 3 {
		x = append(x, base...)
	}
	for _, c := range []struct {
		k    kernel.Kernel[data.Vector]
		rank int
	}{
		{kernel.Linear{}, 3}, {kernel.NewPolynomial(1), 4}, {kernel.NewPolynomial(2), 10}, {kernel.Gaussian{Gamma: 1}, 12},
	} {
		f2, err := feature.NewF2(c.k, 36).Fit(ctx, x)
		check(t, err)
		if f2.Dim() != c.rank || f2.Drawn() != 36 {
			t.Fatalf("%v: rank %d of %d, want %d", c.k, f2.Dim(), f2.Drawn(), c.rank)
		}
		mapped, err := feature.Apply(ctx, run.Control{}, f2, x)
		check(t, err)
		for i := range x {
			for j := range x {
				got, want := vmath.Dot(mapped.Row(i), mapped.Row(j)), c.k.Eval(x[i], x[j])
				if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Fatalf("%v: ⟨F2,F2⟩ = %v, K = %v", c.k, got, want)
				}
			}
		}
	}
}

// TestF3 is the definition: F2, then the projection.
func TestF3(t *testing.T) {
	x := points(80, 3, 6)
	recipe := feature.NewF3(feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 1}, 30), project.Sign{Dim: 11, Seed: 4})
	f3, err := recipe.Fit(ctx, x)
	check(t, err)
	f2 := f3.Orthogonal()
	inner, want, got := make([]float64, f2.Dim()), make([]float64, 11), make([]float64, 11)
	for _, p := range x {
		f2.MapTo(inner, p)
		f3.Projection().Apply(want, inner)
		f3.MapTo(got, p)
		for j := range got {
			if math.Abs(got[j]-want[j]) > 1e-9 {
				t.Fatalf("feature %d: %v, want %v", j, got[j], want[j])
			}
		}
	}
}

func TestNotAKernel(t *testing.T) {
	x := points(40, 2, 7)
	negative := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return -a.Distance2(b) })
	sigmoid := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return math.Tanh(a.Dot(b) - 1) })
	for _, k := range []kernel.Kernel[data.Vector]{negative, sigmoid} {
		var fault *feature.NotPSDError
		if _, err := feature.NewF2(k, 40).Fit(ctx, x); !errors.As(err, &fault) {
			t.Errorf("F2 returns %v", err)
		}
		if _, err := feature.NewF1(k, 40).Fit(ctx, x); err != nil {
			t.Errorf("F1 returns %v", err)
		}
	}
}

func TestFaults(t *testing.T) {
	x := points(5, 2, 1)
	k := kernel.Gaussian{Gamma: 1}
	if _, err := (feature.F2[data.Vector]{Size: 0, Tolerance: 2}).Fit(ctx, x); err == nil {
		t.Error("no error for three faults")
	}
	if _, err := feature.NewF2[data.Vector](k, 3).Fit(ctx, data.Slice[data.Vector]{}); err == nil {
		t.Error("no error for no data")
	}
	zero := data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(0, 0)}
	if _, err := feature.NewF2[data.Vector](kernel.Linear{}, 2).Fit(ctx, zero); err == nil {
		t.Error("no error where the kernel is zero everywhere")
	}
	big := feature.NewF2[data.Vector](k, 5)
	big.Run.Memory = 100
	var memory *run.MemoryError
	if _, err := big.Fit(ctx, x); !errors.As(err, &memory) {
		t.Errorf("got %v", err)
	}
}

// A kernel on one's own type needs no more than a function.
func ExampleNewF2() {
	type gene struct{ left, right string }
	same := kernel.Func[gene](func(a, b gene) float64 {
		n := 0.0
		if a.left == b.left {
			n++
		}
		if a.right == b.right {
			n++
		}
		return n
	})
	sample := data.Slice[gene]{{"AC", "GT"}, {"AC", "GG"}, {"TT", "GT"}, {"AC", "GT"}}
	f2, err := feature.NewF2(same, 4).Fit(context.Background(), sample)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := make([]float64, f2.Dim()), make([]float64, f2.Dim())
	f2.MapTo(a, gene{"AC", "GG"})
	f2.MapTo(b, gene{"AC", "GT"})
	fmt.Printf("%d landmarks, rank %d, inner product %.0f\n", f2.Drawn(), f2.Dim(), vmath.Dot(a, b))
	// Output: 4 landmarks, rank 3, inner product 1
}

// TestSinglePrecision: with float32 kernel values the inner products of F2 are
// those of float64 to about 1e-4 of K(x,x), and the suite holds.
func TestSinglePrecision(t *testing.T) {
	x := points(200, 4, 9)
	k := kernel.Gaussian{Gamma: 0.3}
	double := feature.NewF2[data.Vector](k, 60)
	double.Tolerance = 1e-6
	single := double
	single.Run.Precision = run.Float32
	a, err := double.Fit(ctx, x)
	check(t, err)
	b, err := single.Fit(ctx, x)
	check(t, err)
	kerftest.Map(t, b, x)
	fa, err := feature.Apply(ctx, run.Control{}, a, x)
	check(t, err)
	fb, err := feature.Apply(ctx, run.Control{}, b, x)
	check(t, err)
	for i := range x {
		for j := range x {
			got, want := vmath.Dot(fb.Row(i), fb.Row(j)), vmath.Dot(fa.Row(i), fa.Row(j))
			if math.Abs(got-want) > 1e-4 {
				t.Fatalf("inner product %v in float32, %v in float64", got, want)
			}
		}
	}
}

// TestRepaired checks that landmarks' images have the repaired Gram matrix as
// inner products, for a similarity with negative eigenvalues, and that a kernel
// is left as it is.
func TestRepaired(t *testing.T) {
	x := points(30, 2, 11)
	sigmoid := kernel.Sigmoid{Gamma: 1, Coef: -1}
	g := data.NewMatrix(30, 30)
	for i := range x {
		for j := range x {
			g.Row(i)[j] = sigmoid.Eval(x[i], x[j])
		}
	}
	repairs := map[feature.Repair]func(*data.Matrix) (*data.Matrix, error){
		feature.Clip: gram.Clip, feature.Flip: gram.Flip,
	}
	for repair, mend := range repairs {
		want, err := mend(g)
		check(t, err)
		m, err := feature.Repaired[data.Vector]{F2: feature.NewF2[data.Vector](sigmoid, 30), Repair: repair}.Fit(ctx, x)
		check(t, err)
		kerftest.Map(t, m, x)
		images, err := feature.Apply(ctx, run.Control{}, m, x)
		check(t, err)
		for i := range x {
			for j := range x {
				if got := vmath.Dot(images.Row(i), images.Row(j)); math.Abs(got-want.Row(i)[j]) > 1e-9 {
					t.Fatalf("%s: inner product %v, want %v", repair, got, want.Row(i)[j])
				}
			}
		}
	}
	f2 := feature.NewF2[data.Vector](sigmoid, 30)
	m, err := feature.Repaired[data.Vector]{F2: f2, Repair: feature.Shift}.Fit(ctx, x)
	check(t, err)
	kerftest.Map(t, m, x)
	if _, err := (feature.Repaired[data.Vector]{F2: f2, Repair: "mend"}).Fit(ctx, x); err == nil {
		t.Error("an unknown repair passes")
	}
	rbf := kernel.Gaussian{Gamma: 0.5}
	m, err = feature.Repaired[data.Vector]{F2: feature.NewF2[data.Vector](rbf, 30), Repair: feature.Clip}.Fit(ctx, x)
	check(t, err)
	images, err := feature.Apply(ctx, run.Control{}, m, x)
	check(t, err)
	for i := range x {
		for j := range x {
			if got, want := vmath.Dot(images.Row(i), images.Row(j)), rbf.Eval(x[i], x[j]); math.Abs(got-want) > 1e-8 {
				t.Fatalf("a kernel's inner product became %v, want %v", got, want)
			}
		}
	}
}
