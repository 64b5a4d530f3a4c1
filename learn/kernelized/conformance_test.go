package kernelized_test

import (
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// TestConformance learns which strings hold more a than b, by a kernel that
// counts both.
func TestConformance(t *testing.T) {
	counts := kernel.Func[string](func(x, y string) float64 {
		return float64(strings.Count(x, "a")*strings.Count(y, "a") + strings.Count(x, "b")*strings.Count(y, "b"))
	})
	var d data.Labeled[string, float64]
	var words data.Slice[string]
	for a := range 8 {
		for b := range 8 {
			if a != b {
				words = append(words, strings.Repeat("a", a)+strings.Repeat("b", b))
				d.Y = append(d.Y, map[bool]float64{true: 1, false: -1}[a > b])
			}
		}
	}
	d.X = words
	kerftest.Learner(t, kernelized.NewPerceptron[string](counts), d)
}
