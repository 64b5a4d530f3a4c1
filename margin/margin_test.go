package margin_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// naive is definition 1 by its letter, for dense vectors of one length.
func naive(w, x []float64, y float64) float64 {
	var wx, ww, xx float64
	for i := range w {
		wx += w[i] * x[i]
		ww += w[i] * w[i]
		xx += x[i] * x[i]
	}
	if ww == 0 || xx == 0 {
		return 0
	}
	return y * wx / (math.Sqrt(ww) * math.Sqrt(xx))
}

// The cosine of n coordinates computed in two orders differs by at most
// (n + 4)·2⁻⁵³ a way; for the n of these tests, below 100, that is under 3e-14.
const rounding = 3e-14

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func TestOf(t *testing.T) {
	sparse := data.Vector{Index: []int32{1, 3}, Value: []float64{3, 4}}
	huge, small := math.MaxFloat64/4, 1e-300
	for _, c := range []struct {
		name string
		w    []float64
		x    data.Vector
		y    float64
		want float64
	}{
		{"same direction", []float64{3, 4}, data.Dense(6, 8), 1, 1},
		{"wrong side", []float64{3, 4}, data.Dense(6, 8), -1, -1},
		{"orthogonal", []float64{1, 0}, data.Dense(0, 2), 1, 0},
		{"half a right angle", []float64{1, 0}, data.Dense(5, 5), 1, math.Sqrt2 / 2},
		{"zero separator", []float64{0, 0}, data.Dense(5, 5), 1, 0},
		{"zero instance", []float64{1, 2}, data.Dense(0, 0), -1, 0},
		{"nothing at all", nil, data.Vector{}, 1, 0},
		{"sparse", []float64{9, 1, 9, 0}, sparse, 1, 3 / (5 * math.Sqrt(163))},
		{"instance longer than separator", []float64{1}, data.Dense(3, 4), 1, 0.6},
		{"separator longer than instance", []float64{3, 4}, data.Dense(1), 1, 0.6},
		{"overflow of squares", []float64{huge, huge}, data.Dense(huge, huge), 1, 1},
		{"underflow of squares", []float64{small, 0}, data.Dense(small, small), -1, -math.Sqrt2 / 2},
		{"large with small", []float64{huge, 0}, data.Dense(3*small, 4*small), 1, 0.6},
		{"infinite instance", []float64{1, 1}, data.Dense(math.Inf(1), 0), 1, -1},
		{"NaN in separator", []float64{math.NaN(), 1}, data.Dense(1, 1), 1, -1},
		{"NaN in instance", []float64{0, 1}, data.Dense(1, math.NaN()), -1, -1},
	} {
		if got := margin.Of(c.w, c.x, c.y); !(math.Abs(got-c.want) <= rounding) || math.Abs(got) > 1 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestScaleDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		coordinates := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n)
		w, x := coordinates.Draw(t, "w"), coordinates.Draw(t, "x")
		// Powers of two scale without rounding; 2^±900 leaves the range in
		// which squares are finite, so coordinates that lose digits are kept out.
		for i := range w {
			w[i], x[i] = math.Round(w[i]*1024), math.Round(x[i]*1024)
		}
		want := naive(w, x, 1)
		for _, e := range []int{-900, -490, 0, 490, 900} {
			scaled := make([]float64, n)
			for i := range w {
				scaled[i] = math.Ldexp(w[i], e)
			}
			for _, y := range []float64{-1, 1} {
				if got := margin.Of(scaled, data.Dense(x...), y); !(math.Abs(got-y*want) <= rounding) {
					t.Fatalf("w·2^%d: %v, want %v", e, got, y*want)
				}
				if got := margin.Of(x, data.Dense(scaled...), y); !(math.Abs(got-y*want) <= rounding) {
					t.Fatalf("x·2^%d: %v, want %v", e, got, y*want)
				}
			}
		}
	})
}

// TestBiasIsAnAppendedCoordinate: a Separator is Of with one more coordinate.
func TestBiasIsAnAppendedCoordinate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "n")
		coordinate := rapid.Float64Range(-10, 10)
		w := rapid.SliceOfN(coordinate, n, n).Draw(t, "w")
		x := rapid.SliceOfN(coordinate, n, n).Draw(t, "x")
		s := margin.Separator{W: w, Bias: coordinate.Draw(t, "bias"),
			Unit: rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "unit")}
		v := data.Dense(x...)
		wLong, xLong := append(slices.Clone(w), s.Bias), append(slices.Clone(x), s.Unit)
		if s.Unit == 0 {
			wLong, xLong = w, x
		}
		if got, want := s.Of(v, -1), margin.Of(wLong, data.Dense(xLong...), -1); !(math.Abs(got-want) <= rounding) {
			t.Fatalf("%+v: %v, appended %v", s, got, want)
		}
		if got, want := s.Norm(), data.Dense(wLong...).Norm(); math.Abs(got-want) > rounding*want {
			t.Fatalf("%+v: norm %v, want %v", s, got, want)
		}
		if got, want := s.Score(v), data.Dense(wLong...).Dot(data.Dense(xLong...)); math.Abs(got-want) > 1e-11 {
			t.Fatalf("%+v: score %v, want %v", s, got, want)
		}
	})
}

// TestSampleAgainstOracle covers sizes around the block of 256 and 0 to 3
// workers, which must not change a bit.
func TestSampleAgainstOracle(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 1))
	w := normals(r, 9)
	for _, n := range []int{0, 1, 7, 8, 9, 255, 256, 257, 700} {
		x, y := data.NewMatrix(n, 9), make([]float64, n)
		want := make([]float64, n)
		for i := range y {
			copy(x.Row(i), normals(r, 9))
			y[i] = float64(2*r.IntN(2) - 1)
			want[i] = naive(w, x.Row(i), y[i])
		}
		slices.Sort(want)
		var first margin.Margins
		for workers := range 4 {
			got, err := margin.Sample(ctx, run.Control{Workers: workers}, w, x, y)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !slices.Equal(first, got) {
				t.Errorf("%d instances, %d workers: other bits", n, workers)
			}
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= rounding) {
					t.Fatalf("%d instances: margin %d is %v, want %v", n, i, got[i], want[i])
				}
			}
			if len(got) != n {
				t.Errorf("%d margins of %d instances", len(got), n)
			}
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	ctx := context.Background()
	x := data.Slice[data.Vector]{data.Dense(1), data.Dense(2)}
	nan := data.Slice[data.Vector]{data.Dense(1), data.Dense(math.NaN())}
	for _, c := range []struct {
		name string
		s    margin.Separator
		x    data.Source[data.Vector]
		y    []float64
		want string
	}{
		{"lengths", margin.Separator{W: []float64{1}}, x, []float64{1}, "2 instances and 1 labels"},
		{"label", margin.Separator{W: []float64{1}}, x, []float64{1, 0}, "label 1 is 0"},
		{"instance", margin.Separator{W: []float64{1}}, nan, []float64{1, 1}, "instance 1"},
		{"weight", margin.Separator{W: []float64{0, math.Inf(1)}}, x, []float64{1, 1}, "weight 1"},
		{"bias", margin.Separator{W: []float64{1}, Bias: math.NaN(), Unit: 1}, x, []float64{1, 1}, "bias NaN"},
		{"unit", margin.Separator{W: []float64{1}, Unit: math.Inf(-1)}, x, []float64{1, 1}, "unit -Inf"},
	} {
		_, err := c.s.Sample(ctx, run.Control{}, c.x, c.y)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := margin.Sample(cancelled, run.Control{}, []float64{1}, x, []float64{1, 1}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMargins(t *testing.T) {
	m := margin.NewMargins([]float64{0.5, -0.25, 0.5, 0, math.NaN(), 0.75, 0.1, 0.2, 0.3, 0.4})
	if m.Min() != -1 || math.IsNaN(m[0]) {
		t.Errorf("Min is %v", m.Min())
	}
	for _, c := range []struct{ gamma, want float64 }{
		{-1, 0}, {-0.5, 0.1}, {0, 0.2}, {1e-9, 0.3}, {0.5, 0.7}, {0.6, 0.9}, {0.75, 0.9}, {1, 1}, {math.Inf(1), 1},
	} {
		if got := m.ErrorAt(c.gamma); got != c.want {
			t.Errorf("ErrorAt(%v) = %v, want %v", c.gamma, got, c.want)
		}
	}
	for _, c := range []struct{ p, want float64 }{
		{-1, -1}, {0, -1}, {0.1, -1}, {0.100001, -0.25}, {0.3, 0}, {0.5, 0.2}, {0.7, 0.4}, {0.9, 0.5}, {0.91, 0.75}, {1,
			0.75}, {2, 0.75}, {math.Inf(1), 0.75}, {math.NaN(), -1},
	} {
		if got := m.Quantile(c.p); got != c.want {
			t.Errorf("Quantile(%v) = %v, want %v", c.p, got, c.want)
		}
	}
	var none margin.Margins
	if none.Min() != 0 || none.ErrorAt(0.5) != 0 || none.Quantile(0.5) != 0 {
		t.Error("an empty sample has margins")
	}
}

// TestQuantileOfWholeRanks: the k-th of n margins is the quantile k/n.
func TestQuantileOfWholeRanks(t *testing.T) {
	for n := 1; n <= 200; n++ {
		m := make(margin.Margins, n)
		for i := range m {
			m[i] = float64(i+1) / 1000
		}
		for k := 1; k <= n; k++ {
			if got := m.Quantile(float64(k) / float64(n)); got != m[k-1] {
				t.Fatalf("n = %d: Quantile(%d/%d) = %v, want %v", n, k, n, got, m[k-1])
			}
		}
	}
}

func BenchmarkSample(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := data.NewMatrix(10000, 100), make([]float64, 10000)
	for i := range y {
		copy(x.Row(i), normals(r, 100))
		y[i] = 1
	}
	w := normals(r, 100)
	b.Run("10000x100", func(b *testing.B) {
		for b.Loop() {
			if _, err := margin.Sample(context.Background(), run.Control{}, w, x, y); err != nil {
				b.Fatal(err)
			}
		}
	})
}
