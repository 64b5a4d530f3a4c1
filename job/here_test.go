package job_test

import (
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
)

// TestEngineRefused: folds and searches, which an engine does not do, are not done in silence without it.
func TestEngineRefused(t *testing.T) {
	var engine struct{ job.Engine }
	path := put(t, "d.csv", strings.Repeat("1,2,a\n2,1,b\n", 20))
	cv, tune := job.NewCVOptions(), job.NewTuneOptions()
	cv.Engine, tune.Engine = engine, engine
	if _, err := job.CrossValidate(t.Context(), path, cv); err == nil || !strings.Contains(err.Error(), "one process") {
		t.Errorf("folds on an engine: %v", err)
	}
	if _, err := job.Tune(t.Context(), path, tune); err == nil || !strings.Contains(err.Error(), "one process") {
		t.Errorf("a search on an engine: %v", err)
	}
}
