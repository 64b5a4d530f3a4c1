package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// TestAutoMaps: of the maps that are offered the recipe's own is taken unless
// another is clearly better.
func TestAutoMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 1200
	wide, near := data.NewMatrix(n, 150), data.NewMatrix(n, 2)
	linear, ring := make([]string, n), make([]string, n)
	for i := range n {
		sum := 0.0
		for j := range wide.Row(i) {
			wide.Row(i)[j] = rng.NormFloat64()
			sum += wide.Row(i)[j]
		}
		linear[i] = map[bool]string{true: "above", false: "below"}[sum > 0]
		a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
		near.Row(i)[0], near.Row(i)[1] = a, b
		ring[i] = map[bool]string{true: "inside", false: "outside"}[a*a+b*b < 0.5]
	}
	fit := func(x *data.Matrix, y []string, gamma float64, maps []string, dims []int) (*model.Pipeline[data.Vector], model.Training) {
		t.Helper()
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: gamma}, 60)
		r.Auto = &model.Auto[data.Vector]{Maps: maps, Dims: dims}
		p, training, err := r.Fit(t.Context(), data.Labeled[data.Vector, string]{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		return p, training
	}
	// A hyperplane of many coordinates is lost on few landmarks.
	p, training := fit(wide, linear, 0.01, []string{model.MapFourier, model.MapNone}, []int{40, 60})
	if p.Kernel != nil || p.Map.Dim() != 150 {
		t.Errorf("a hyperplane in 150 coordinates: kernel %v and %d features of the maps %v", p.Kernel, p.Map.Dim(), training.Picked.Maps)
	}
	if got := training.Picked.Maps; len(got) != 3 || got[0].Name != model.MapF2 || got[0].Error != training.Picked.Dims[len(training.Picked.Dims)-1].Error {
		t.Errorf("tried were %v after %v", got, training.Picked.Dims)
	}
	// A circle is no hyperplane.
	p, training = fit(near, ring, 1, []string{model.MapNone}, nil)
	if p.Kernel == nil || len(training.Picked.Maps) != 2 {
		t.Errorf("a circle: kernel %v of the maps %v", p.Kernel, training.Picked.Maps)
	}
	// A map that is not for the rows is passed over.
	near.Row(0)[0] = math.MaxFloat64 / 8
	p, training = fit(near, ring, 1, []string{model.MapFourier}, nil)
	if p.Kernel == nil || len(training.Picked.Maps) > 2 {
		t.Errorf("a huge coordinate: maps %v", training.Picked.Maps)
	}

	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 60)
	r.Auto = &model.Auto[data.Vector]{Maps: []string{"magic"}}
	if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("an unknown map: %v", err)
	}
}
