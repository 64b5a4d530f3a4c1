package external_test

import (
	"context"
	"math"
	"os/exec"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/external"
	"github.com/kerf-ml/kerf/model"
)

// sameModel trains with a kernel from outside and with the built-in one, and
// compares the scores of all rows. The perceptron makes the same updates for both;
// an SVM would stop at points that differ within its tolerance.
func sameModel(t *testing.T, foreign, own kernel.Kernel[data.Vector], name string) {
	t.Helper()
	x, labels, err := gen.Make(context.Background(), name, gen.Options{N: 300, Seed: 1, Margin: 0.05, Dim: 4})
	if err != nil {
		t.Fatal(err)
	}
	d := data.Labeled[data.Vector, string]{X: x, Y: labels}
	scores := make([][]float64, 2)
	for i, k := range []kernel.Kernel[data.Vector]{foreign, own} {
		r := model.NewRecipe(k, 30)
		r.Map = model.F2[data.Vector]{Dim: 30, Rank: 1e-8} // rounding grows by 1/√Rank
		r.Learner = model.Perceptron{MaxPasses: 20, Unit: 1}
		p, _, err := r.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.ScoreAll(context.Background(), r.Run, x)
		if err != nil {
			t.Fatal(err)
		}
		scores[i] = all.Data
	}
	for i, got := range scores[0] {
		if want := scores[1][i]; math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Fatalf("score %d is %v from outside and %v from within", i, got, want)
		}
	}
}

func TestSameModelFromWasm(t *testing.T) {
	sameModel(t, openModule[data.Vector](t, linearModule(), external.WasmOptions{}), kernel.Linear{}, "halfspace")
}

func TestSameModelFromPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	command := "python3 ../../docs/guide/external/kernel.py 1"
	k, err := external.NewExec[data.Vector](t.Context(), command, external.ExecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	sameModel(t, k, kernel.Gaussian{Gamma: 1}, "circle")
}
