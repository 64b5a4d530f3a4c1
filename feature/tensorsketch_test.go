package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// mixed makes every third point sparse, with only a few coordinates.
func mixed(x data.Slice[data.Vector]) data.Slice[data.Vector] {
	x = slices.Clone(x)
	for i := 0; i < len(x); i += 3 {
		var v data.Vector
		v.Index = []int32{}
		for j := i % 5; j < len(x[i].Value); j += 9 {
			v.Index, v.Value = append(v.Index, int32(j)), append(v.Value, x[i].Value[j])
		}
		x[i] = v
	}
	return x
}

// dense returns the same points without indices.
func dense(x data.Slice[data.Vector], d int) data.Slice[data.Vector] {
	out := make(data.Slice[data.Vector], len(x))
	for i, v := range x {
		row := make([]float64, d)
		v.CopyTo(row)
		out[i] = data.Dense(row...)
	}
	return out
}

func TestTensorSketchConformance(t *testing.T) {
	for _, tt := range []struct{ degree, dim, width int }{{1, 5, 3}, {2, 64, 50}, {2, 1000, 50}, {2, 77, 200},
		{2, 300, 1500}, {4, 200, 12}, {2, 63, 1}, {3, 100, 9}, {2, 10, 0}, {2, 128, 900}} {
		m, err := feature.NewTensorSketch(kernel.NewPolynomial(tt.degree), tt.dim).Fit(ctx, tt.width)
		check(t, err)
		kerftest.Map(t, m, mixed(points(70, tt.width, 1)))
		splits(t, m, mixed(points(70, tt.width, 1)))
	}
}

// splits checks that what a row is mapped to depends neither on the block it is
// in nor on the number of workers, in both precisions.
func splits(t *testing.T, m feature.ObliviousMap, x data.Slice[data.Vector]) {
	t.Helper()
	d := m.Dim()
	want, err := feature.Apply(ctx, run.Control{Workers: 1}, m, x)
	check(t, err)
	want32, err := feature.Apply32(ctx, run.Control{Workers: 1}, m, x)
	check(t, err)
	for _, workers := range []int{2, 3} {
		got, err := feature.Apply32(ctx, run.Control{Workers: workers}, m, x)
		check(t, err)
		if !slices.Equal(got, want32) {
			t.Fatalf("%d workers give other bits in float32", workers)
		}
	}
	for _, size := range []int{1, 7, 8, 9, 33} {
		for lo := 0; lo < len(x); lo += size {
			hi := min(lo+size, len(x))
			got, got32 := make([]float64, (hi-lo)*d), make([]float32, (hi-lo)*d)
			check(t, m.MapBlock(run.Control{}, got, x[lo:hi], lo))
			check(t, m.MapBlock32(run.Control{}, got32, x[lo:hi], lo))
			if !slices.Equal(got, want.Data[lo*d:hi*d]) || !slices.Equal(got32, want32[lo*d:hi*d]) {
				t.Fatalf("rows %d to %d have other bits in a block of their own", lo, hi-1)
			}
		}
	}
	again, err := feature.RecallOblivious(ctx, run.Control{Workers: 3}, m.Shape())
	check(t, err)
	recalled, err := feature.Apply(ctx, run.Control{}, again, x)
	check(t, err)
	if !slices.Equal(recalled.Data, want.Data) {
		t.Fatal("the recalled map has other bits")
	}
}

func TestTensorSketchSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, dim, degree := rapid.IntRange(0, 60).Draw(t, "width"), rapid.IntRange(1, 130).Draw(t, "dim"), rapid.IntRange(1,
			3).Draw(t, "degree")
		m, err := feature.TensorSketch{Kernel: kernel.NewPolynomial(degree), Dim: dim,
			Seed: rapid.Uint64().Draw(t, "seed")}.Fit(ctx, width)
		if err != nil {
			t.Fatal(err)
		}
		x := mixed(points(4, width, 3))
		a, err := feature.Apply(ctx, run.Control{}, m, x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := feature.Apply(ctx, run.Control{}, m, dense(x, width))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Data, b.Data) {
			t.Fatal("sparse and dense rows have other bits")
		}
		single, err := feature.Apply32(ctx, run.Control{}, m, x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range single {
			if v != float32(a.Data[i]) {
				t.Fatalf("float32 gives %v for %v", v, a.Data[i])
			}
		}
	})
}

// sketchVariance bounds the variance of ⟨φ(x), φ(y)⟩ (docs/math/oblivious.md).
func sketchVariance(k kernel.Polynomial, dim int, x, y data.Vector) float64 {
	w := k.Coef
	for i, a := range x.Value {
		w += k.Gamma * math.Abs(a*y.Value[i])
	}
	top := (k.Gamma*x.Norm2() + k.Coef) * (k.Gamma*y.Norm2() + k.Coef)
	p := float64(k.Degree)
	return (math.Pow(top+2*w*w, p) - math.Pow(w*w, p)) / float64(dim)
}

// TestTensorSketchMoments checks that inner products are right in the mean over
// seeds, within five standard errors of the derived bound, and that their
// variance is within it, but for the error of an estimate from 2,000 draws:
// fourth moments of a polynomial of degree 4p in signs are large, and a factor
// of 1.3 covers them here.
func TestTensorSketchMoments(t *testing.T) {
	x := points(2, 6, 9)
	for i := range x {
		vmath.Scale(x[i].Value, 0.5)
	}
	const seeds = 2000
	for _, k := range []kernel.Polynomial{{Degree: 1, Gamma: 1}, {Degree: 2, Gamma: 1, Coef: 1}, {Degree: 2, Gamma: 0.5},
		{Degree: 3, Gamma: 0.7, Coef: 0.5}} {
		const dim = 64
		sum, square := 0.0, 0.0
		want := k.Eval(x[0], x[1])
		for s := range seeds {
			m, err := feature.TensorSketch{Kernel: k, Dim: dim, Seed: uint64(s)}.Fit(ctx, 6)
			check(t, err)
			a, b := make([]float64, dim), make([]float64, dim)
			m.MapTo(a, x[0])
			m.MapTo(b, x[1])
			e := vmath.Dot(a, b) - want
			sum, square = sum+e, square+e*e
		}
		variance := sketchVariance(k, dim, x[0], x[1])
		if mean := sum / seeds; math.Abs(mean) > 5*math.Sqrt(variance/seeds) {
			t.Errorf("%v: the mean is off by %v, more than five of %v", k, mean, math.Sqrt(variance/seeds))
		}
		if measured := square / seeds; measured > 1.3*variance {
			t.Errorf("%v: the variance is %v and at most %v", k, measured, variance)
		}
	}
}

// TestTensorSketchError checks the error over all pairs of a sample, mean and
// maximum. The mean square over seeds is the variance, the mean error at most
// its root; by Chebyshev and the union bound an error of √(pairs·variance/δ)
// among all pairs has probability at most δ.
func TestTensorSketchError(t *testing.T) {
	k := kernel.Polynomial{Degree: 2, Gamma: 0.2, Coef: 1}
	x := points(20, 5, 4)
	mean, bound, draws := 0.0, 0.0, 0
	for s := range 20 {
		m, err := feature.TensorSketch{Kernel: k, Dim: 500, Seed: uint64(s)}.Fit(ctx, 5)
		check(t, err)
		images, err := feature.Apply(ctx, run.Control{}, m, x)
		check(t, err)
		for i := range x {
			for j := range i {
				e := math.Abs(vmath.Dot(images.Row(i), images.Row(j)) - k.Eval(x[i], x[j]))
				deviation := math.Sqrt(sketchVariance(k, 500, x[i], x[j]))
				if e > deviation*math.Sqrt(190*20/0.001) {
					t.Fatalf("the error is %v where the standard deviation is at most %v", e, deviation)
				}
				mean, bound, draws = mean+e, bound+deviation, draws+1
			}
		}
	}
	if mean > bound {
		t.Fatalf("the mean error is %v and should be below %v", mean/float64(draws), bound/float64(draws))
	}
}

func TestTensorSketchRefuses(t *testing.T) {
	err := feature.TensorSketch{Kernel: kernel.Polynomial{Degree: 0, Gamma: -1, Coef: math.NaN()}, Dim: 0}.Validate()
	for _, part := range []string{"degree", "gamma", "coef", "dim is 0"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not speak of %s", err, part)
		}
	}
	good := feature.NewTensorSketch(kernel.NewPolynomial(2), 10)
	if _, err := good.Fit(ctx, -1); err == nil {
		t.Error("a negative width is taken")
	}
	huge := good
	huge.Dim = 1 << 40
	if huge.Validate() == nil {
		t.Error("a dimension of 2^40 is taken")
	}
	steep := good
	steep.Kernel.Degree = 65
	if steep.Validate() == nil {
		t.Error("a degree of 65 is taken")
	}
	little := good
	little.Run.Memory = 10
	var memory *run.MemoryError
	if _, err := little.Fit(ctx, 10); !errors.As(err, &memory) {
		t.Errorf("too little memory gives %v", err)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := good.Fit(cancelled, 3); err != context.Canceled {
		t.Errorf("a cancelled Fit gives %v", err)
	}
	m, err := good.Fit(ctx, 2)
	check(t, err)
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200} {
		refusesRow(t, m, data.Dense(1, bad), 14)
	}
	// Rows that waited beside the refused one are forgotten.
	x, got, want := data.Slice[data.Vector]{data.Dense(3, 4)}, make([]float64, 10), make([]float64, 10)
	check(t, m.MapBlock(run.Control{}, got, x, 0))
	if m.MapTo(want, x[0]); !slices.Equal(got, want) {
		t.Errorf("after an error a block is %v, want %v", got, want)
	}
	if err := m.MapBlock32(run.Control{}, make([]float32, 10), data.Slice[data.Vector]{data.Dense(1e30)}, 0); err == nil {
		t.Error("features beyond float32 are not refused")
	}
	if _, err := feature.RecallOblivious(ctx, run.Control{},
		feature.Oblivious{Kind: feature.KindTensorSketch, Kernel: kernel.Linear{}, Dim: 3}); err == nil {
		t.Error("a tensor sketch of another kernel is recalled")
	}
}

// refusesRow checks that MapBlock names a bad row.
func refusesRow(t *testing.T, m feature.ObliviousMap, v data.Vector, first int) {
	t.Helper()
	x := data.Slice[data.Vector]{data.Dense(1), v}
	row := fmt.Sprintf("row %d:", first+2)
	if err := m.MapBlock(run.Control{}, make([]float64, 2*m.Dim()), x, first); err == nil ||
		!strings.Contains(err.Error(), row) {
		t.Errorf("%v in a block gives %v", v.Value, err)
	}
	if err := m.MapBlock32(run.Control{}, make([]float32, 2*m.Dim()), x, first); err == nil ||
		!strings.Contains(err.Error(), row) {
		t.Errorf("%v in a block of float32 gives %v", v.Value, err)
	}
}

func ExampleTensorSketch() {
	k := kernel.NewPolynomial(2)
	m, err := feature.NewTensorSketch(k, 4000).Fit(context.Background(), 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := data.Dense(1, 2, 3), data.Dense(3, 2, 1)
	a, b := make([]float64, m.Dim()), make([]float64, m.Dim())
	m.MapTo(a, x)
	m.MapTo(b, y)
	fmt.Printf("K(x, y) = %.0f, estimated to 10%%: %v\n", k.Eval(x, y), math.Abs(vmath.Dot(a, b)/k.Eval(x, y)-1) < 0.1)
	// Output:
	// K(x, y) = 121, estimated to 10%: true
}
