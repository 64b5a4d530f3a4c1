package kerftest

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/learn"
)

// Path goes along the penalties and returns the models with their reports. It
// checks that the path refuses what is no positive number, and goes on after that.
func Path[M any](t *testing.T, path learn.Path[M], penalties ...float64) ([]M, []learn.Report) {
	t.Helper()
	models, reports := make([]M, len(penalties)), make([]learn.Report, len(penalties))
	for k, penalty := range penalties {
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, _, err := path.Next(t.Context(), bad); err == nil {
				t.Errorf("a penalty of %v: no error", bad)
			}
		}
		var err error
		if models[k], reports[k], err = path.Next(t.Context(), penalty); err != nil {
			t.Fatalf("penalty %v: %v", penalty, err)
		}
	}
	return models, reports
}
