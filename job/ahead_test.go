package job_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/job"
)

// Features come in the order of the rows, the same for any number of workers, and what is wrong
// with a late row is said with its line after those before it were handed over.
func TestMapFeaturesAhead(t *testing.T) {
	m := train(t, circle(t, 60, 0), job.TrainOptions{Options: chosen(t, "rbf(gamma=1)", "f2(dim=5)", "svm(C=1)")}).Model
	path := circle(t, 9000, 0)
	bad := put(t, "bad.csv", strings.Repeat("0.5,0.25,1\n", 9000)+"0.5,1\n")
	var want []float64
	for _, workers := range []int{1, 2, 3} {
		o := job.NewOptions()
		o.Run.Workers = workers
		var got []float64
		use := func(x *data.Matrix, _ []string) error { got = append(got, x.Data...); return nil }
		if _, err := job.MapFeatures(t.Context(), m, path, o, use); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if len(got) != 9000*m.Dim() || !slices.Equal(got, want) {
			t.Errorf("%d workers: %d features, or others than by one", workers, len(got))
		}
		_, err := job.MapFeatures(t.Context(), m, bad, o, use)
		if err == nil || !strings.Contains(err.Error(), "bad.csv:9001") {
			t.Errorf("%d workers: %v", workers, err)
		}
		stop := fmt.Errorf("stop")
		_, err = job.MapFeatures(t.Context(), m, path, o, func(*data.Matrix, []string) error { return stop })
		if err != stop {
			t.Errorf("%d workers: the error of the caller is %v", workers, err)
		}
	}
}
