package gram_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// vectors are the kernels on vectors.
type vectors = kernel.Kernel[data.Vector]

// mixture returns dense and sparse vectors, with duplicates and a zero vector.
func mixture(n, d int) []data.Vector {
	rng := rand.New(rand.NewPCG(1, uint64(n*1000+d)))
	x := make([]data.Vector, n)
	for i := range x {
		v := make([]float64, d)
		var index []int32
		var value []float64
		for j := range v {
			v[j] = rng.NormFloat64()
			if rng.IntN(2) == 0 {
				index, value = append(index, int32(j)), append(value, v[j])
			}
		}
		x[i] = data.Dense(v...)
		if i%3 == 1 {
			x[i], _ = data.Sparse(index, value)
		}
	}
	if n > 3 {
		x[2] = x[0]
		x[3] = data.Dense(make([]float64, d)...)
	}
	return x
}

// legal are kernels of every form, with a black box among them.
func legal() []vectors {
	return []vectors{
		kernel.Linear{}, kernel.CosineSimilarity{}, kernel.Minimum{}, kernel.NewChi2(), kernel.Chi2{Gamma: 0.1},
		kernel.NewPolynomial(1), kernel.NewPolynomial(2), kernel.Polynomial{Degree: 5, Coef: 0.5, Gamma: 0.25},
		kernel.Polynomial{Degree: 9, Coef: 1, Gamma: 1},
		kernel.Gaussian{Gamma: 0.01}, kernel.Gaussian{Gamma: 1}, kernel.GaussianWidth(2), kernel.Laplacian{Gamma: 0.5},
		kernel.MaternKernel{Nu: 0.5, Length: 2}, kernel.NewMatern(), kernel.MaternKernel{Nu: 2.5, Length: 0.5},
		kernel.NewRationalQuadratic(), kernel.RationalQuadratic{Alpha: 0.3, Length: 2},
		kernel.RationalQuadratic{Alpha: 3, Length: 2},
		kernel.Normalize(vectors(kernel.NewPolynomial(3))), kernel.Normalize(vectors(kernel.Linear{})),
		kernel.Normalize(vectors(kernel.Minimum{})), kernel.Normalize(vectors(kernel.Laplacian{Gamma: 1})),
		kernel.Normalize(blackBox(kernel.Linear{})),
	}
}

// check judges a kernel and confirms what is found against it.
func check[T any](t *testing.T, k kernel.Kernel[T], x []T) gram.Verdict {
	t.Helper()
	v, err := gram.Check(ctx, run.Control{}, k, data.Slice[T](x), gram.NewCheckOptions())
	if err != nil {
		t.Fatal(err)
	}
	if v.PSD != (v.Witness == nil) || v.N != len(x) {
		t.Fatalf("verdict does not fit together: %+v", v)
	}
	if v.Witness != nil {
		confirm(t, k, x, v.Witness)
	}
	return v
}

// confirm computes Σ c_i c_j K(x_i, x_j) anew.
func confirm[T any](t *testing.T, k kernel.Kernel[T], x []T, w *gram.Witness) {
	t.Helper()
	sum, length := 0.0, 0.0
	for a, i := range w.Index {
		length += w.Coefficients[a] * w.Coefficients[a]
		for b, j := range w.Index {
			sum += w.Coefficients[a] * w.Coefficients[b] * k.Eval(x[i], x[j])
		}
	}
	if !(sum < 0) || math.Abs(sum-w.Value) > 1e-9*(1+math.Abs(sum)) || math.Abs(length-1) > 1e-12 {
		t.Fatalf("%v is no witness: the sum is %v, the coefficients have length² %v", w, sum, length)
	}
}

// TestLegal checks kernels: nothing is found against them.
func TestLegal(t *testing.T) {
	x := mixture(120, 6)
	for _, k := range legal() {
		v := check(t, k, x)
		if !v.Legal() {
			t.Errorf("%v: %v, asymmetry %v, smallest eigenvalue %v with tolerance %v",
				k, v.Witness, v.Asymmetry, v.MinEigenvalue(), v.Tolerance)
		}
	}
	if v := check(t, vectors(kernel.Linear{}), x); v.Rank != 6 {
		t.Errorf("the linear kernel in 6 dimensions has rank %d", v.Rank)
	}
	if v := check(t, vectors(kernel.Linear{}), nil); !v.Legal() || v.Rank != 0 || v.MinEigenvalue() != 0 {
		t.Errorf("no instances: %+v", v)
	}
}

// TestIntegers checks exercise 4 of chapter 16: min on 1 … N, whose Gram matrix
// has full rank and the smallest eigenvalue 1/(4cos²(π/(2N+1))).
func TestIntegers(t *testing.T) {
	for _, n := range []int{1, 2, 10, 200} {
		x := make([]data.Vector, n)
		for i := range x {
			x[i] = data.Dense(float64(i + 1))
		}
		v := check(t, vectors(kernel.Minimum{}), x)
		c := math.Cos(math.Pi / float64(2*n+1))
		if want := 1 / (4 * c * c); !v.Legal() || v.Rank != n || math.Abs(v.MinEigenvalue()-want) > v.Tolerance {
			t.Errorf("N = %d: legal %v, rank %d, smallest eigenvalue %v, want %v",
				n, v.Legal(), v.Rank, v.MinEigenvalue(), want)
		}
	}
	plain := kernel.Func[data.Vector](func(x, y data.Vector) float64 { return min(x.Value[0], y.Value[0]) })
	v := check(t, vectors(plain), []data.Vector{data.Dense(2), data.Dense(-1), data.Dense(-3)})
	if v.PSD || len(v.Witness.Index) != 1 || v.Witness.Index[0] != 2 || v.Witness.Value != -3 {
		t.Errorf("min of negative numbers: %+v", v.Witness)
	}
}

// TestWitnesses plants faults of every size.
func TestWitnesses(t *testing.T) {
	for _, c := range []struct {
		name string
		g    []float64
		want []int
	}{
		{"diagonal", []float64{1, 0, 0, 0, -1e-3, 0, 0, 0, 1}, []int{1}},
		{"pair", []float64{1, 0, 0, 0, 1, 1.001, 0, 1.001, 1}, []int{1, 2}},
		{"pair with a zero", []float64{0, 1e-3, 0, 1e-3, 1, 0, 0, 0, 1}, []int{0, 1}},
		// The first and the second are like the third, but not like each other.
		{"three", []float64{1, 0, 0.9, 0, 1, 0.9, 0.9, 0.9, 1}, []int{0, 1, 2}},
	} {
		k := kernel.Precomputed{Matrix: &data.Matrix{Rows: 3, Cols: 3, Data: c.g}}
		v := check[int](t, k, k.Instances())
		if v.PSD || fmt.Sprint(v.Witness.Index) != fmt.Sprint(c.want) || v.Witness.String() == "" {
			t.Errorf("%s: %+v", c.name, v.Witness)
		}
	}
}

// TestPlantedTriangle hides three instances that are at odds among sixty.
func TestPlantedTriangle(t *testing.T) {
	n := 60
	g := data.NewMatrix(n, n)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		for j := range i {
			g.Data[i*n+j] = 0.01 * rng.NormFloat64()
			g.Data[j*n+i] = g.Data[i*n+j]
		}
		g.Data[i*n+i] = 1
	}
	for _, p := range []struct {
		i, j int
		v    float64
	}{{7, 23, 0.9}, {7, 51, 0.9}, {23, 51, 0}} {
		g.Data[p.i*n+p.j], g.Data[p.j*n+p.i] = p.v, p.v
	}
	v, err := gram.CheckMatrix(g, gram.NewCheckOptions())
	if err != nil || v.PSD || fmt.Sprint(v.Witness.Index) != "[7 23 51]" {
		t.Errorf("%+v, %v", v.Witness, err)
	}
}

func TestAsymmetric(t *testing.T) {
	k := kernel.Func[int](func(i, j int) float64 {
		switch {
		case i == 3 && j == 5:
			return 0.25
		case i == j:
			return 1
		}
		return 0
	})
	v := check(t, kernel.Kernel[int](k), []int{0, 1, 2, 3, 4, 5, 6})
	if v.Symmetric || v.Legal() || !v.PSD || v.Worst != [2]int{3, 5} || v.Asymmetry != 0.25 {
		t.Errorf("%+v", v)
	}
}

func TestCheckErrors(t *testing.T) {
	options := gram.NewCheckOptions()
	bad := kernel.Func[int](func(int, int) float64 { return math.NaN() })
	_, err := gram.Check(ctx, run.Control{}, kernel.Kernel[int](bad), data.Slice[int]{1}, options)
	var value *gram.ValueError
	if !errors.As(err, &value) || value.Row != 0 || value.Col != 0 {
		t.Errorf("NaN: %v", err)
	}
	if _, err := gram.CheckMatrix(data.NewMatrix(2, 3), options); err == nil {
		t.Error("a matrix that is not square passes")
	}
	if _, err := gram.CheckMatrix(data.NewMatrix(2, 2), gram.CheckOptions{Rounding: 2, RankTolerance: -1}); err == nil {
		t.Error("options out of range pass")
	}
	none := data.Slice[data.Vector]{}
	if _, err := gram.Check(ctx, run.Control{}, vectors(kernel.Gaussian{}), none, options); err == nil {
		t.Error("a kernel without gamma passes")
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	x := data.Slice[data.Vector](mixture(9, 2))
	if _, err := gram.Check(cancelled, run.Control{}, vectors(kernel.Linear{}), x, options); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// heart returns the 270 instances of the data set heart.
func heart(t *testing.T) []data.Vector {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(folder, "heart.libsvm.gz"))
	if err != nil {
		t.Skip("data set heart.libsvm.gz is not here; KERF_DATA names the folder of the data sets")
	}
	defer func() { _ = f.Close() }()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := libsvm.NewReader(r, "heart").Read(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]data.Vector, x.Len())
	for i := range all {
		all[i] = x.At(i)
	}
	return all
}

// TestHeartSigmoid finds that the sigmoid is no kernel on heart, with a witness.
func TestHeartSigmoid(t *testing.T) {
	x := heart(t)
	for _, k := range []kernel.Sigmoid{{Gamma: 1, Coef: -2}, {Gamma: 1, Coef: -10}, {Gamma: 1}, {Gamma: 0.1, Coef: 1}} {
		v := check(t, vectors(k), x)
		if v.PSD {
			t.Errorf("%v passes: smallest eigenvalue %v", k, v.MinEigenvalue())
			continue
		}
		t.Logf("%v: eigenvalues from %.5g to %.5g, rank %d, tolerance %.2g; %v: %v %.4g, %.4g", k,
			v.MinEigenvalue(), v.MaxEigenvalue(), v.Rank, v.Tolerance,
			v.Witness, v.Witness.Index, v.Witness.Coefficients, v.Witness.Value)
		if !v.Symmetric || v.MinEigenvalue() > -1e-3 {
			t.Errorf("%v: symmetric %v, smallest eigenvalue %v", k, v.Symmetric, v.MinEigenvalue())
		}
	}
	for _, k := range []vectors{
		kernel.Gaussian{Gamma: 0.1}, kernel.Laplacian{Gamma: 0.1}, kernel.Minimum{}, kernel.NewChi2(),
		kernel.NewPolynomial(3),
	} {
		if v := check(t, k, x); !v.Legal() {
			t.Errorf("%v: %v", k, v.Witness)
		}
	}
}

func ExampleCheck() {
	k := kernel.Kernel[data.Vector](kernel.Sigmoid{Gamma: 1, Coef: -2})
	x := data.Slice[data.Vector]{data.Dense(1, 0), data.Dense(3, 1), data.Dense(0, 4)}
	v, err := gram.Check(context.Background(), run.Control{}, k, x, gram.NewCheckOptions())
	fmt.Println(v.Symmetric, v.PSD, v.Witness, err)
	// Output: true false K(x1,x1) is negative: -0.761594 <nil>
}
