package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// fouriers are recipes of every law.
func fouriers(dim int) []feature.Fourier {
	gaussian, matern := kernel.Gaussian{Gamma: 0.3}, kernel.MaternKernel{Nu: 1.5, Length: 2}
	return []feature.Fourier{
		{Kernel: gaussian, Dim: dim, Seed: 1},
		{Kernel: gaussian, Dim: dim, Seed: 1, Orthogonal: true},
		{Kernel: kernel.Laplacian{Gamma: 0.2}, Dim: dim, Seed: 2},
		{Kernel: kernel.MaternKernel{Nu: 0.5, Length: 3}, Dim: dim, Seed: 3},
		{Kernel: matern, Dim: dim, Seed: 4},
		{Kernel: matern, Dim: dim, Seed: 4, Orthogonal: true},
		{Kernel: kernel.MaternKernel{Nu: 2.5, Length: 1}, Dim: dim, Seed: 5},
	}
}

// TestFourierOracle compares with a loop over the formula. A phase of d products
// is off by at most (d+1)·2⁻⁵²·|ω||x| and a cosine by as much.
func TestFourierOracle(t *testing.T) {
	for _, width := range []int{0, 1, 7, 8, 9, 63, 64, 65, 390} {
		for _, dim := range []int{2, 14, 130, 512, 516} {
			x := mixed(points(5, width, 2))
			for _, r := range fouriers(dim) {
				m, err := r.Fit(ctx, width)
				check(t, err)
				got, err := feature.Apply(ctx, run.Control{}, m, x)
				check(t, err)
				single, err := feature.Apply32(ctx, run.Control{}, m, x)
				check(t, err)
				half := dim / 2
				scale := 1 / math.Sqrt(float64(half))
				for i, v := range x {
					for j := range half {
						omega := m.Frequencies().Row(j)
						phase, reach := 0.0, v.Norm()*data.Dense(omega...).Norm()
						data.Walk(v, data.Dense(omega...), func(_ int, a, b float64) { phase += a * b })
						tolerance := scale * (float64(width+1)*0x1p-52*reach + 1e-15)
						tolerance32 := scale * (float64(width+4)*0x1p-24*min(reach, 512) + 0x1p-23)
						for at, want := range map[int]float64{j: scale * math.Cos(phase), half + j: scale * math.Sin(phase)} {
							if a := got.Row(i)[at]; !(math.Abs(a-want) <= tolerance) {
								t.Fatalf("%+v, width %d: feature %d of row %d is %v, want %v", r, width, at, i, a, want)
							}
							if a := float64(single[i*dim+at]); !(math.Abs(a-want) <= tolerance32) {
								t.Fatalf("%+v, width %d: feature %d of row %d in float32 is %v, want %v", r, width, at, i, a, want)
							}
						}
					}
				}
			}
		}
	}
}

func TestFourierConformance(t *testing.T) {
	for _, width := range []int{0, 1, 40, 400} {
		x := mixed(points(130, width, 3))
		for _, r := range fouriers(150) {
			m, err := r.Fit(ctx, width)
			check(t, err)
			kerftest.Map(t, m, x)
			splits(t, m, x)
		}
	}
}

// TestFourierSparse compares sparse rows with the same rows written densely: the
// order of the sum differs, by the bound of TestFourierOracle.
func TestFourierSparse(t *testing.T) {
	const width = 100
	x := mixed(points(30, width, 4))
	for _, r := range fouriers(64) {
		m, err := r.Fit(ctx, width)
		check(t, err)
		a, err := feature.Apply(ctx, run.Control{}, m, x)
		check(t, err)
		b, err := feature.Apply(ctx, run.Control{}, m, dense(x, width))
		check(t, err)
		longest := 0.0
		for i := range m.Frequencies().Rows {
			longest = max(longest, m.Frequencies().At(i).Norm())
		}
		for i, v := range x {
			for j, want := range b.Row(i) {
				if got := a.Row(i)[j]; math.Abs(got-want) > 1e-15+2*(width+1)*0x1p-52*longest*v.Norm() {
					t.Fatalf("%+v: feature %d of row %d is %v, and %v if dense", r, j, i, got, want)
				}
			}
		}
	}
}

// TestFourierLong maps points whose phases are up to 1e5, 1e9 and beyond the
// range of the vectorised cosine. All images have length 1, and float32 is then
// the rounded float64.
func TestFourierLong(t *testing.T) {
	m, err := feature.NewFourier(kernel.Gaussian{Gamma: 0.5}, 100).Fit(ctx, 3)
	check(t, err)
	for _, size := range []float64{1e3, 1e5, 1e9, 1e15, 1e200} {
		x := points(20, 3, 6)
		for i := range x {
			vmath.Scale(x[i].Value, size)
		}
		got, err := feature.Apply(ctx, run.Control{}, m, x)
		check(t, err)
		single, err := feature.Apply32(ctx, run.Control{}, m, x)
		check(t, err)
		for i := range x {
			if n := vmath.Dot(got.Row(i), got.Row(i)); math.Abs(n-1) > 1e-13 {
				t.Fatalf("size %v: the squared length is %v", size, n)
			}
			for j, a := range got.Row(i) {
				if b := float64(single[i*100+j]); math.Abs(a-b) > 1e-4 {
					t.Fatalf("size %v: %v in float64 and %v in float32", size, a, b)
				}
			}
		}
	}
}

// TestFourierMoments checks that inner products are right in the mean over
// seeds, within five standard errors, and that the variance is the derived one.
// A sample variance of n draws of a bounded variable has a relative error of
// about √(2/n) to √(4/n); 0.25 is more than five of that at 3,000.
func TestFourierMoments(t *testing.T) {
	const dim, width, seeds = 16, 8, 3000
	x := points(2, width, 9)
	for i := range x {
		vmath.Scale(x[i].Value, 0.4)
	}
	double := [2]data.Vector{data.Dense(slices.Clone(x[0].Value)...), data.Dense(slices.Clone(x[1].Value)...)}
	for i := range double {
		vmath.Scale(double[i].Value, 2)
	}
	for _, r := range fouriers(dim) {
		k := r.Kernel.Eval(x[0], x[1])
		variance := (1 + r.Kernel.Eval(double[0], double[1]) - 2*k*k) / dim
		bound := variance
		if g, ok := r.Kernel.(kernel.Gaussian); ok && r.Orthogonal {
			covariance := orthogonalCovariance(2*g.Gamma*x[0].Distance2(x[1]), width)
			if covariance >= 0 {
				t.Fatalf("the covariance at right angles is %v", covariance)
			}
			variance += (dim/2 - 1) * covariance / (dim / 2)
		}
		sum, square := 0.0, 0.0
		for s := range seeds {
			r.Seed = uint64(s)
			m, err := r.Fit(ctx, width)
			check(t, err)
			a, b := make([]float64, dim), make([]float64, dim)
			m.MapTo(a, x[0])
			m.MapTo(b, x[1])
			e := vmath.Dot(a, b) - k
			sum, square = sum+e, square+e*e
		}
		name := fmt.Sprintf("%v, orthogonal %v", r.Kernel, r.Orthogonal)
		if mean := sum / seeds; math.Abs(mean) > 5*math.Sqrt(bound/seeds) {
			t.Errorf("%s: the mean is off by %v, more than five of %v", name, mean, math.Sqrt(bound/seeds))
		}
		measured := square / seeds
		if _, gaussian := r.Kernel.(kernel.Gaussian); (gaussian || !r.Orthogonal) && math.Abs(measured/variance-1) > 0.25 {
			t.Errorf("%s: the variance is %v, want %v", name, measured, variance)
		}
		if r.Orthogonal && measured > 0.9*bound {
			t.Errorf("%s: the variance is %v, with independent frequencies %v", name, measured, bound)
		}
	}
}

// orthogonalCovariance is the covariance of cos⟨ω_1, δ⟩ and cos⟨ω_2, δ⟩ for two
// frequencies of one group, at z = 2·Gamma·|δ|² (docs/math/oblivious.md).
func orthogonalCovariance(z float64, d int) float64 {
	sum, term, product := 0.0, 1.0, 1.0
	for j := range 60 {
		sum += term * (product - 1)
		term *= -z / float64(j+1)
		product *= float64(d+j) / float64(d+2*j)
	}
	return sum
}

// TestFourierError checks the error over all pairs of a sample. By Hoeffding's
// inequality and the union bound an error of √(4/D·ln(2·pairs/δ)) among them
// has probability at most δ; the mean error is at most the standard deviation,
// which is below 1/√D for the Gaussian.
func TestFourierError(t *testing.T) {
	x := points(40, 5, 4)
	const dim, seeds = 1000, 10
	for _, orthogonal := range []bool{false, true} {
		mean, draws := 0.0, 0
		for s := range seeds {
			r := feature.Fourier{Kernel: kernel.Gaussian{Gamma: 0.1}, Dim: dim, Seed: uint64(s), Orthogonal: orthogonal}
			m, err := r.Fit(ctx, 5)
			check(t, err)
			images, err := feature.Apply(ctx, run.Control{}, m, x)
			check(t, err)
			for i := range x {
				for j := range i {
					e := math.Abs(vmath.Dot(images.Row(i), images.Row(j)) - r.Kernel.Eval(x[i], x[j]))
					if limit := math.Sqrt(4.0 / dim * math.Log(2*seeds*780/1e-6)); e > limit {
						t.Fatalf("the error is %v, above %v", e, limit)
					}
					mean, draws = mean+e, draws+1
				}
			}
		}
		if mean /= float64(draws); mean > 1/math.Sqrt(dim) {
			t.Fatalf("the mean error is %v", mean)
		}
	}
}

// TestFourierRightAngles looks at the frequencies themselves.
func TestFourierRightAngles(t *testing.T) {
	for _, width := range []int{1, 2, 9, 40} {
		r := feature.Fourier{Kernel: kernel.NewMatern(), Dim: 2 * (2*width + 1), Seed: 7, Orthogonal: true}
		m, err := r.Fit(ctx, width)
		check(t, err)
		omega := m.Frequencies()
		for i := range omega.Rows {
			for j := range i {
				a, b := omega.At(i), omega.At(j)
				if same := i/width == j/width; same && math.Abs(a.Dot(b)) > 1e-13*a.Norm()*b.Norm() {
					t.Fatalf("width %d: frequencies %d and %d are not at right angles", width, i, j)
				}
			}
		}
	}
}

func TestFourierWorkers(t *testing.T) {
	for _, r := range fouriers(400) {
		var want []float64
		for _, workers := range []int{1, 2, 3} {
			r.Run.Workers = workers
			m, err := r.Fit(ctx, 30)
			check(t, err)
			if want == nil {
				want = m.Frequencies().Data
			}
			if !slices.Equal(m.Frequencies().Data, want) {
				t.Fatalf("%d workers draw other frequencies", workers)
			}
		}
	}
}

func TestFourierRefuses(t *testing.T) {
	for _, tt := range []struct {
		r    feature.Fourier
		want []string
	}{
		{feature.Fourier{}, []string{"no kernel", "dim is 0"}},
		{feature.Fourier{Kernel: kernel.Linear{}, Dim: 3}, []string{"linear", "dim is 3"}},
		{feature.Fourier{Kernel: kernel.Gaussian{Gamma: -1}, Dim: -2}, []string{"gamma", "dim is -2"}},
		{feature.Fourier{Kernel: kernel.Laplacian{Gamma: 1}, Dim: 2, Orthogonal: true}, []string{"orthogonal"}},
		{feature.Fourier{Kernel: kernel.MaternKernel{Nu: 2, Length: -1}, Dim: 1}, []string{"nu", "length", "dim is 1"}},
	} {
		err := tt.r.Validate()
		if _, fit := tt.r.Fit(ctx, 3); err == nil || fit == nil {
			t.Errorf("%+v is taken", tt.r)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%+v: %v does not speak of %s", tt.r, err, part)
			}
		}
	}
	good := feature.NewFourier(kernel.Gaussian{Gamma: 1}, 10)
	if _, err := good.Fit(ctx, -1); err == nil {
		t.Error("a negative width is taken")
	}
	if _, err := feature.NewFourier(kernel.Laplacian{Gamma: 1e308}, 200).Fit(ctx, 100); err == nil {
		t.Error("frequencies beyond float64 are taken")
	}
	little := good
	little.Run.Memory = 10
	var memory *run.MemoryError
	if _, err := little.Fit(ctx, 10); !errors.As(err, &memory) {
		t.Errorf("too little memory gives %v", err)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	for _, orthogonal := range []bool{false, true} {
		r := good
		r.Orthogonal = orthogonal
		if _, err := r.Fit(cancelled, 3); err != context.Canceled {
			t.Errorf("a cancelled Fit gives %v", err)
		}
	}
	m, err := good.Fit(ctx, 2)
	check(t, err)
	for _, bad := range []float64{math.NaN(), math.Inf(-1), 1.7e308} {
		refusesRow(t, m, data.Dense(bad, bad), 5)
	}
	if _, err := feature.RecallOblivious(ctx, run.Control{}, feature.Oblivious{Kind: "wavelet"}); err == nil ||
		!strings.Contains(err.Error(), "wavelet") {
		t.Errorf("an unknown kind gives %v", err)
	}
	for _, kind := range []string{feature.KindFourier, feature.KindTensorSketch} {
		if m, err := feature.RecallOblivious(ctx, run.Control{}, feature.Oblivious{Kind: kind}); err == nil || m != nil {
			t.Errorf("an empty %s gives %v, %v", kind, m, err)
		}
	}
}

func ExampleFourier() {
	k := kernel.Gaussian{Gamma: 0.1}
	m, err := feature.NewFourier(k, 4000).Fit(context.Background(), 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := data.Dense(1, 2, 3), data.Dense(2, 2, 1)
	a, b := make([]float64, m.Dim()), make([]float64, m.Dim())
	m.MapTo(a, x)
	m.MapTo(b, y)
	fmt.Printf("K(x, y) = %.3f, estimated to 0.05: %v\n", k.Eval(x, y), math.Abs(vmath.Dot(a, b)-k.Eval(x, y)) < 0.05)
	// Output:
	// K(x, y) = 0.607, estimated to 0.05: true
}
