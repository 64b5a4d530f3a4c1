package kernelized

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// screened returns an expansion over points of both signs, and instances near the surface
// where its score is 0, some beyond the last digit of float32: pairs of points and their
// mirror images with opposite weights, and instances halfway between.
func screened(n, d int, gamma, far float64) (*Expansion[data.Vector], *data.Matrix) {
	rng := seed.Stream(9, seed.Generator, 0)
	support, x := data.NewMatrix(n, d), data.NewMatrix(n, d)
	e := &Expansion[data.Vector]{Kernel: kernel.Gaussian{Gamma: gamma}, Support: support, Weight: make([]float64, n)}
	for i := range n / 2 {
		a, b := support.Row(2*i), support.Row(2*i+1)
		for j := range d {
			a[j] = far + rng.NormFloat64()
			b[j] = a[j]
		}
		b[0] = 2*far - a[0]
		w := 1 + rng.Float64()
		e.Weight[2*i], e.Weight[2*i+1] = w, -w
	}
	for i := range n {
		for j := range d {
			x.Row(i)[j] = far + rng.NormFloat64()
		}
		if i%2 == 0 {
			x.Row(i)[0] = far + math.Ldexp(rng.NormFloat64(), -i%50)
		}
	}
	return e, x
}

// TestPredictAll holds that labels are those of ScoreAll, also of instances that float32 cannot
// tell from the surface, of which there are, and that these are not all.
func TestPredictAll(t *testing.T) {
	for _, c := range []struct {
		n, d       int
		gamma, far float64
		bias       float64
	}{{10, 3, 0.5, 0, 0}, {400, 1, 0.5, 0, 0}, {601, 20, 0.02, 3, 0}, {600, 20, 0.02, 3, 1e-3}, {400, 5, 40, 0, 0},
		{400, 3, 1e-9, 0, 0}, {300, 4, 0.3, 1e6, 0}} {
		e, x := screened(c.n, c.d, c.gamma, c.far)
		e.Bias = c.bias
		scores, err := e.ScoreAll(t.Context(), run.Control{}, x)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			got, err := e.PredictAll(t.Context(), run.Control{Workers: workers}, x)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range scores {
				if want := map[bool]float64{true: 1, false: -1}[s >= 0]; got[i] != want {
					t.Fatalf("%+v: instance %d has the score %v and the label %v", c, i, s, got[i])
				}
			}
		}
	}
}

// TestScreenBound compares scores in float32 with those in float64 and the bound that says
// which signs are open.
func TestScreenBound(t *testing.T) {
	e, x := screened(600, 20, 0.02, 3)
	scores, off := make([]float64, 600), make([]float64, 600)
	err := gram.RoughSumsOn(run.Control{}, e.Kernel, e.Support, e.Weight).Sums(t.Context(), run.Control{}, scores, off, x)
	if err != nil {
		t.Fatal(err)
	}
	open := e.open(scores, off)
	if len(open) == 0 || len(open) > 400 {
		t.Errorf("%d of 600 signs are open", len(open))
	}
	exact, _ := e.ScoreAll(t.Context(), run.Control{}, x)
	for i, v := range exact {
		if !(math.Abs(v-scores[i]) <= off[i]) {
			t.Errorf("instance %d: %v in float32, %v in float64, off by more than %v", i, scores[i], v, off[i])
		}
		if !slices.Contains(open, i) && (v >= 0) != (scores[i] >= 0) {
			t.Errorf("instance %d: %v in float32, %v in float64, and its sign is not open", i, scores[i], v)
		}
	}
}

// TestPredictAllOther: kernels without a bound, few values and another precision take the scores.
func TestPredictAllOther(t *testing.T) {
	e, x := screened(300, 3, 0.5, 0)
	box := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return math.Exp(-a.Distance2(b)) })
	for _, k := range []kernel.Kernel[data.Vector]{kernel.NewPolynomial(3), box} {
		e.Kernel = k
		for _, p := range []run.Precision{run.Float32, run.Float64} {
			ctl := run.Control{Precision: p}
			scores, err := e.ScoreAll(t.Context(), ctl, x)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.PredictAll(t.Context(), ctl, x)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range scores {
				if (s >= 0) != (got[i] > 0) {
					t.Fatalf("%v: instance %d has the score %v and the label %v", k, i, s, got[i])
				}
			}
		}
	}
}

// TestPredictAllDevice: labels are not told by the cores where somebody chose a device that is not
// there, however plain they are.
func TestPredictAllDevice(t *testing.T) {
	e, x := screened(600, 3, 0.5, 0)
	e.Bias = 1e4
	const nowhere = run.GPU + 99
	if _, err := e.ScoreAll(t.Context(), run.Control{Device: nowhere}, x); err == nil {
		t.Fatal("there are scores of a device that is not there")
	}
	if _, err := e.PredictAll(t.Context(), run.Control{Device: nowhere}, x); err == nil {
		t.Error("there are labels of a device that is not there")
	}
	if _, err := e.PredictAll(t.Context(), run.Control{Device: run.Auto}, x); err != nil {
		t.Error(err)
	}
}

// TestPredictAllKept: what is kept of a fitted expansion serves any number of calls at a time, and one that was
// not fitted, or is too large, is bound for each call.
func TestPredictAllKept(t *testing.T) {
	made, x := screened(600, 20, 0.02, 3)
	e := expansionOf(made.Kernel, made.Support, made.Weight)
	if one, other := made.keeps(), made.keeps(); e.keeps() != e.kept || one == other {
		t.Fatal("only what is fitted is kept")
	}
	want, err := made.PredictAll(t.Context(), run.Control{}, x)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 3 {
				got, err := e.PredictAll(t.Context(), run.Control{Workers: 2}, x)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("labels differ: %v", err)
				}
			}
		})
	}
	wait.Wait()
	if e.kept.sums == nil || e.kept.columns == nil {
		t.Error("nothing was kept")
	}
	large := data.NewMatrix(3, mostKept/2)
	if e = expansionOf[data.Vector](made.Kernel, large, []float64{1, 2, 3}); e.keeps() == e.kept {
		t.Error("a support is kept that is too large")
	}
}
