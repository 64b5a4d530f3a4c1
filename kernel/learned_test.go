package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// TestSlope compares derivatives with difference quotients.
func TestSlope(t *testing.T) {
	for _, f := range []kernel.Scalar{
		{Op: kernel.Identity, A: 2, B: 1}, {Op: kernel.Exp, A: -0.7}, {Op: kernel.Power, A: 0.5, B: 1, P: 3},
		{Op: kernel.Power, A: 0.5, B: 1, P: -1.5}, {Op: kernel.Tanh, A: 0.5, B: 0.1},
		{Op: kernel.Matern, A: 0.5, P: 0.5}, {Op: kernel.Matern, A: 0.5, P: 1.5}, {Op: kernel.Matern, A: 0.5, P: 2.5},
		{Op: kernel.Stretched, A: 0.5, P: 0.35}, {Op: kernel.Stretched, A: 0.5, P: 1},
	} {
		for _, s := range []float64{0.01, 0.3, 1, 4} {
			const h = 1e-6
			want := (f.At(s+h) - f.At(s-h)) / 2 / h
			if got := f.Slope(s); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%+v at %v: the slope is %v and must be %v", f, s, got, want)
			}
		}
		if v := f.Slope(0); v-v != 0 {
			t.Errorf("%+v at 0: the slope is %v", f, v)
		}
	}
}

// TestLearned compares the kernel with its definition, on dense and sparse vectors,
// and reads the metric back from its text.
func TestLearned(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	matrix := data.NewMatrix(3, 5)
	for i := range matrix.Data {
		matrix.Data[i] = r.NormFloat64()
	}
	for _, m := range []*kernel.Metric{kernel.NewMetric(matrix), kernel.NewDiagonal([]float64{1, 0.5, 0, 2, 3})} {
		back, err := kernel.ParseMetric(m.String())
		if err != nil || back.String() != m.String() || back.Width() != 5 {
			t.Fatalf("%v is read as %v (%v)", m, back, err)
		}
		k := kernel.Learned{Of: kernel.StretchedKernel{Q: 0.7, Length: 2}, Metric: m}
		x, y := data.Dense(1, -2, 0, 0.5, 3), data.Dense(0, 1, 4, 0, -1)
		tm, d2 := m.Matrix(), 0.0
		for i := range tm.Rows {
			s := 0.0
			for j, v := range tm.Row(i) {
				s += v * (x.Value[j] - y.Value[j])
			}
			d2 += s * s
		}
		want := math.Exp(-math.Pow(math.Sqrt(d2)/2, 0.7))
		sparse := data.Vector{Index: []int32{0, 1, 3, 4}, Value: []float64{1, -2, 0.5, 3}}
		for _, got := range []float64{k.Eval(x, y), k.Eval(sparse, y), k.Prepare(y)(sparse)} {
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: %v and must be %v", k, got, want)
			}
		}
		importance := m.Importance()
		for j := range importance {
			sum := 0.0
			for i := range tm.Rows {
				sum += tm.Row(i)[j] * tm.Row(i)[j]
			}
			if math.Abs(sum-importance[j]) > 1e-12 {
				t.Errorf("coordinate %d counts %v and must %v", j, importance[j], sum)
			}
		}
	}
}

func FuzzParseMetric(f *testing.F) {
	f.Add("diag1:AACAPw")
	f.Add("full1x2:AACAPwAAgD8")
	f.Add("full99999999x99999999:")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := kernel.ParseMetric(text)
		if err != nil {
			return
		}
		again, err := kernel.ParseMetric(m.String())
		if err != nil || again.String() != m.String() {
			t.Errorf("%q is not read back: %v", text, err)
		}
	})
}
