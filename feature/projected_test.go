package feature_test

import (
	"fmt"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/project"
)

// TestProjected is conformance, for every kind of projection.
func TestProjected(t *testing.T) {
	for _, kind := range project.Kinds() {
		recipe, err := project.Recall(kind, 5, 3)
		check(t, err)
		a, err := recipe.Fit(4)
		check(t, err)
		m, err := feature.NewProjected(a)
		check(t, err)
		for _, n := range []int{1, 83, 84, 85} {
			kerftest.Map[data.Vector](t, m, points(n, 4, 2))
		}
		if m.Dim() != 5 || m.Projection() != a {
			t.Errorf("%s: %d dimensions", kind, m.Dim())
		}
	}
	if _, err := feature.NewProjected(nil); err == nil {
		t.Error("no projection was taken")
	}
}

func ExampleNewProjected() {
	a, err := project.Sign{Dim: 2, Seed: 1}.Fit(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := feature.NewProjected(a)
	fmt.Println(m.Dim(), err)
	// Output: 2 <nil>
}
