package job_test

import (
	"testing"

	"github.com/kerf-ml/kerf/job"
)

// From the minimum over a larger sample a fit is within the tolerance after a few passes,
// whatever the weights: the objective that it estimates is that of a fit without tolerance,
// which has the same penalty and landmarks.
func TestStreamNearTheMinimum(t *testing.T) {
	path := mixed(t, 40_000)
	for _, weight := range []string{"", "w"} {
		for _, learner := range []string{"svm(C=0.3", "svm(lambda=0.001"} {
			fit := func(more string) *job.Trained {
				o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.3)", "f2(dim=64)", learner+more+")"), Stream: true}
				o.Read.Target, o.Read.Drop, o.Read.Weight = "class", []string{"value"}, weight
				o.Run.Memory = 16 << 20
				return train(t, path, o)
			}
			got, want := fit(""), fit(",tolerance=1e-10")
			if got.Streamed.Sample >= 8000 || got.Streamed.Passes > 3 || want.Streamed.Passes <= got.Streamed.Passes {
				t.Errorf("%s, weight %q: %s; and without tolerance %s", learner, weight, got.Streamed, want.Streamed)
			}
			// Each of three separators is within the default tolerance of 1e-3.
			if a, b := got.Training.Objective, want.Training.Objective; a < b*(1-1e-3) || a > b*(1+1e-3) {
				t.Errorf("%s, weight %q: objective %v, want %v", learner, weight, a, b)
			}
		}
	}
}
