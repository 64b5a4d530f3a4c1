package job_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/job"
)

// With little memory an evaluation keeps a sample: what is counted is the same as of all rows.
func TestEvaluateOfASample(t *testing.T) {
	path := mixed(t, 30_000)
	for _, target := range []string{"class", "value"} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.3)", "f2(dim=10)", "ridge(lambda=0.1)")}
		o.Read.Target = target
		m := train(t, path, o).Model
		all, err := job.Evaluate(t.Context(), m, path, o.Options)
		if err != nil {
			t.Fatal(err)
		}
		o.Run.Memory = 16 << 20
		notes := 0
		o.Note = func(string) { notes++ }
		some, err := job.Evaluate(t.Context(), m, path, o.Options)
		if err != nil {
			t.Fatal(err)
		}
		if notes == 0 {
			t.Error("nobody was told of a sample")
		}
		if all.Numbers != nil {
			a, b := all.Numbers, some.Numbers
			if a.N != b.N || math.Abs(a.RMSE-b.RMSE) > 1e-9*a.RMSE || math.Abs(*a.R2-*b.R2) > 1e-9 {
				t.Errorf("%+v, want %+v", b, a)
			}
			continue
		}
		a, b := all.Classes, some.Classes
		if a.N != b.N || a.Error != b.Error || fmt.Sprint(a.Confusion) != fmt.Sprint(b.Confusion) ||
			*a.Intervals.Error != *b.Intervals.Error || a.Margins.Min != b.Margins.Min {
			t.Errorf("%+v, want %+v", b, a)
		}
	}
}
