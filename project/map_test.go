package project_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// mixed returns vectors of all sorts: dense, too short, too long, with zeros,
// sparse with many and with few coordinates.
func mixed(r *rand.Rand, rows, in int) data.Slice[data.Vector] {
	x := make(data.Slice[data.Vector], rows)
	for i := range x {
		values := normals(r, in)
		switch sort := r.IntN(6); sort {
		case 0:
			values = values[:r.IntN(in+1)]
		case 1:
			values = append(values, 7, 8)
		case 2:
			for k := range values {
				if r.IntN(2) == 0 {
					values[k] = math.Copysign(0, values[k])
				}
			}
		case 3, 4:
			v := data.Vector{Index: []int32{}}
			for k, a := range values {
				if r.IntN(map[int]int{3: 2, 4: 20}[sort]) == 0 {
					v.Index, v.Value = append(v.Index, int32(k)), append(v.Value, a)
				}
			}
			v.Index, v.Value = append(v.Index, int32(in)), append(v.Value, 9)
			x[i] = v
			continue
		}
		x[i] = data.Dense(values...)
	}
	return x
}

func mapped(t testing.TB, p *project.Projection, workers int, x data.Source[data.Vector]) (*data.Matrix, []float32) {
	t.Helper()
	m, err := p.Map(t.Context(), run.Control{Workers: workers}, x)
	if err != nil {
		t.Fatal(err)
	}
	m32, err := p.Map32(t.Context(), run.Control{Workers: workers}, x)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows != x.Len() || m.Cols != p.Out() || len(m.Data) != m.Rows*m.Cols || len(m32) != len(m.Data) {
		t.Fatalf("%v: %d by %d images and %d of float32 for %d vectors", p, m.Rows, m.Cols, len(m32), x.Len())
	}
	return m, m32
}

// TestMapAgainstApply maps vectors of all sorts. The kinds without a product of
// matrices give the bits of ApplyVector, and so do sparse vectors of few
// coordinates.
func TestMapAgainstApply(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	type shape struct{ rows, in, out int }
	shapes := []shape{{0, 5, 3}, {130, 1024, 10}, {70, 1025, 7}, {40, 2100, 33}, {300, 50, 8}}
	for _, in := range sizes {
		shapes = append(shapes, shape{1 + r.IntN(70), in, 1 + r.IntN(20)})
	}
	for _, rows := range []int{1, 63, 64, 65, 127, 128, 129} {
		shapes = append(shapes, shape{rows, 20, 9})
	}
	for _, c := range shapes {
		x := mixed(r, c.rows, c.in)
		for _, recipe := range recipes(c.out, 21) {
			p := fit(t, recipe, c.in)
			m, m32 := mapped(t, p, 2, x)
			want := make([]float64, c.out)
			product := slices.Contains([]string{project.KindGaussian, project.KindSign, project.KindOrthogonal}, p.Kind())
			for i, v := range x {
				p.ApplyVector(want, v)
				full := make([]float64, c.in)
				v.CopyTo(full)
				exact := !product || v.IsSparse() && len(v.Index)*8 < c.in
				if exact && !slices.Equal(m.Row(i), want) || !near(m.Row(i), want, full) {
					t.Fatalf("%v: row %d of %d is %v, want %v", p, i, c.rows, m.Row(i), want)
				}
				// Σ|x_i·a_ij| with |a_ij| ≤ 10.
				size := 0.0
				for _, a := range full {
					size += 10 * math.Abs(a)
				}
				for j, w := range want {
					if got := float64(m32[i*c.out+j]); !(math.Abs(got-w) <= 2*float64(c.in+4)*0x1p-24*size) {
						t.Fatalf("%v: in float32, row %d entry %d is %v, want %v", p, i, j, got, w)
					}
				}
			}
		}
	}
}

// TestMapIsStable maps the same vectors with other workers, other neighbours and
// from another source.
func TestMapIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, in := range []int{33, 1100} {
		const rows, out = 401, 12
		x := mixed(r, rows, in)
		flat := data.NewMatrix(rows, in)
		copy(flat.Data, normals(r, rows*in))
		wide := data.NewMatrix(rows, in+3)
		slice := make(data.Slice[data.Vector], rows)
		for i := range rows {
			slice[i] = flat.At(i)
			copy(wide.Row(i), flat.Row(i))
			wide.Row(i)[in+1] = 5
		}
		for _, recipe := range recipes(out, 3) {
			p := fit(t, recipe, in)
			m, m32 := mapped(t, p, 1, x)
			same := func(got *data.Matrix, got32 []float32, lo int, how string) {
				t.Helper()
				if n := len(got.Data); !slices.Equal(got.Data, m.Data[lo*out:][:n]) || !slices.Equal(got32, m32[lo*out:][:n]) {
					t.Errorf("%v: other bits %s", p, how)
				}
			}
			for _, workers := range []int{2, 3} {
				got, got32 := mapped(t, p, workers, x)
				same(got, got32, 0, "with more workers")
			}
			for _, lo := range []int{0, 1, 50, 64, 390} {
				got, got32 := mapped(t, p, 2, data.Range[data.Vector]{Of: x, Lo: lo, Hi: min(lo+11, rows)})
				same(got, got32, lo, "in a smaller sample")
			}
			m, m32 = mapped(t, p, 2, flat)
			got, got32 := mapped(t, p, 2, slice)
			same(got, got32, 0, "of a slice of vectors")
			got, got32 = mapped(t, p, 2, wide)
			same(got, got32, 0, "of a wider matrix")
		}
	}
}

// TestMapLevels holds that Sparse and Hadamard have the same bits at every
// level, and the others the bits of AVX2 and AVX-512 or the plain ones.
func TestMapLevels(t *testing.T) {
	x := mixed(rand.New(rand.NewPCG(15, 16)), 80, 700)
	for _, recipe := range []project.Recipe{project.NewSparse(40, 1), project.NewAchlioptas(40, 1),
		project.Hadamard{Dim: 40, Seed: 1}} {
		p := fit(t, recipe, 700)
		m, m32 := mapped(t, p, 1, x)
		for _, level := range []vmath.Level{vmath.Plain, vmath.AVX2} {
			restore := vmath.Limit(level)
			got, got32 := mapped(t, p, 1, x)
			restore()
			if !slices.Equal(got.Data, m.Data) || !slices.Equal(got32, m32) {
				t.Errorf("%v: other bits at level %v", p, level)
			}
		}
	}
	p := fit(t, project.Gaussian{Dim: 40, Seed: 1}, 700)
	defer gemm.SetLevel(gemm.Portable)()
	m, _ := mapped(t, p, 1, x)
	want := make([]float64, 40)
	for i, v := range x {
		full := make([]float64, 700)
		v.CopyTo(full)
		p.ApplyVector(want, v)
		if !near(m.Row(i), want, full) {
			t.Fatalf("%v: row %d in plain Go is off", p, i)
		}
	}
}

func TestMapIsLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, out := rapid.IntRange(1, 70).Draw(t, "in"), rapid.IntRange(1, 70).Draw(t, "out")
		kind := rapid.SampledFrom(project.Kinds()).Draw(t, "kind")
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
		sum, size := make([]float64, in), make([]float64, in)
		for i := range sum {
			sum[i] = x[i] + y[i]
			size[i] = math.Abs(x[i]) + math.Abs(y[i])
		}
		m, err := p.Map(context.Background(), run.Control{},
			data.Slice[data.Vector]{data.Dense(x...), data.Dense(y...), data.Dense(sum...)})
		if err != nil {
			t.Fatal(err)
		}
		both := make([]float64, out)
		for j := range both {
			both[j] = m.Row(0)[j] + m.Row(1)[j]
		}
		if !near(m.Row(2), both, size) {
			t.Fatalf("P(x + y) = %v, P(x) + P(y) = %v", m.Row(2), both)
		}
	})
}

func TestMapStops(t *testing.T) {
	x := data.NewMatrix(1000, 30)
	for _, recipe := range recipes(8, 1) {
		p := fit(t, recipe, 30)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Map(ctx, run.Control{}, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: cancelled, Map returns %v", p, err)
		}
		if _, err := p.Map32(ctx, run.Control{}, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: cancelled, Map32 returns %v", p, err)
		}
		var much *run.MemoryError
		if _, err := p.Map(t.Context(), run.Control{Memory: 63_999}, x); !errors.As(err, &much) {
			t.Errorf("%v: 64,000 bytes of images in less memory: %v", p, err)
		}
	}
}

// TestMapOfFloat32 maps rows that lie in memory as float32, and the same rows as
// float64, of fewer, of as many and of more coordinates than the projection has:
// the bits are the same.
func TestMapOfFloat32(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	const rows = 130
	for _, in := range []int{1, 15, 64, 100, 600} {
		for _, cols := range []int{in, in + 3, in/2 + 1} {
			narrow, wide := data.NewMatrix32(rows, cols), data.NewMatrix(rows, cols)
			for i := range narrow.Data {
				narrow.Data[i] = float32(r.NormFloat64())
				wide.Data[i] = float64(narrow.Data[i])
			}
			part := data.Range[data.Vector]{Of: narrow, Lo: 0, Hi: rows}
			for _, recipe := range recipes(33, 1) {
				p := fit(t, recipe, in)
				want, want32 := mapped(t, p, 2, wide)
				for _, x := range []data.Source[data.Vector]{narrow, part} {
					got, got32 := mapped(t, p, 2, x)
					if !slices.Equal(got.Data, want.Data) || !slices.Equal(got32, want32) {
						t.Errorf("%s from %d, rows of %d: float32 in memory changes the image", recipe.Kind(), in, cols)
					}
				}
			}
		}
	}
}

// TestMapTo maps into memory that is there, and refuses memory of another size.
func TestMapTo(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	x := mixed(r, 70, 40)
	for _, recipe := range recipes(9, 1) {
		p := fit(t, recipe, 40)
		want, want32 := mapped(t, p, 2, x)
		got, got32 := make([]float64, 70*9), make([]float32, 70*9)
		for i := range got {
			got[i], got32[i] = math.NaN(), float32(math.NaN())
		}
		if err := errors.Join(p.MapTo(t.Context(), run.Control{}, got, x),
			p.MapTo32(t.Context(), run.Control{}, got32, x)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want.Data) || !slices.Equal(got32, want32) {
			t.Errorf("%s: other images in memory that is there", recipe.Kind())
		}
		if p.MapTo(t.Context(), run.Control{}, got[1:], x) == nil ||
			p.MapTo32(t.Context(), run.Control{}, got32[1:], x) == nil {
			t.Errorf("%s: too little memory is taken", recipe.Kind())
		}
	}
}
