package job_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

// A stream that ridge learns from chooses its dimension by sums over folds, among more features
// than its sample asks for; with any number of workers the model is the same.
func TestStreamChoosesDimBySums(t *testing.T) {
	rng := seed.Stream(5, seed.Generator, 0)
	var b strings.Builder
	b.WriteString("a,b,value\n")
	for range 6000 {
		x, y := 4*rng.Float64()-2, 4*rng.Float64()-2
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f\n", x, y, math.Sin(3*x)*math.Cos(2*y)+0.2*rng.NormFloat64())
	}
	path := put(t, "waves.csv", b.String())
	var first []byte
	for _, workers := range []int{1, 3} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=2)", "f2", "ridge"), Stream: true}
		o.Run = run.Control{Workers: workers, Memory: 256 << 20}
		got := train(t, path, o)
		dims := got.Training.Dims
		if len(dims) < 2 {
			t.Fatalf("only %v were tried", dims)
		}
		least, want := math.Inf(1), 0
		for _, d := range dims {
			least = min(least, d.Error)
		}
		for _, d := range dims {
			if want == 0 && d.Error <= 1.02*least {
				want = d.Dim
			}
		}
		if got.Dim != want || got.Model.Dim() != want || *got.Rank != want {
			t.Errorf("dimension %d, want %d of %v", got.Dim, want, dims)
		}
		if rmse := got.Train.Loss(); rmse > 0.22 { // the noise is 0.2
			t.Errorf("RMSE %v", rmse)
		}
		if !strings.Contains(got.Words.Map, "by the squared error on folds") {
			t.Errorf("it says %q", got.Words.Map)
		}
		if model := bytesOf(t, got.Model); first == nil {
			first = model
		} else if !bytes.Equal(first, model) {
			t.Error("another model with other workers")
		}
		scores := scoresOf(t, got.Model, path)
		if len(scores) != 6000 {
			t.Errorf("%d scores", len(scores))
		}
	}
}
