package kernelized_test

import (
	"os"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// TestPeer trains on the problem that other systems are measured on, where
// KERF_PEER names the folder with svm20k.txt and svmtest20k.txt.
func TestPeer(t *testing.T) {
	folder := os.Getenv("KERF_PEER")
	if folder == "" {
		t.Skip("KERF_PEER names no folder")
	}
	train, test := readFile(t, folder+"/svm20k.txt"), readFile(t, folder+"/svmtest20k.txt")
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.05})
	for range 3 {
		e, r, err := s.Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("train: %v, objective %.6f (LIBSVM at 1e-3: -4936.044872), gap %.4g, %d steps, %d evaluations, %d support, bias %v, %s",
			r.Elapsed, r.Objective, r.Gap, r.Iterations, r.Evaluations, r.Support, e.Bias, r.Status)
		for _, p := range []run.Precision{run.Float32, run.Float64} {
			scores, elapsed := timed(t, e, run.Control{Precision: p}, test.X)
			right := 0
			for i, f := range scores {
				if (f >= 0) == (test.Y[i] > 0) {
					right++
				}
			}
			t.Logf("predict in %v: %v, accuracy %.4f", p, elapsed, float64(right)/float64(len(scores)))
		}
	}
}
