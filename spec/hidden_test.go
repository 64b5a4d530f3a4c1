package spec_test

import (
	"fmt"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/spec"
)

// TestHidden: the kernel in text is the one of the recipe, and prints as what is read back.
func TestHidden(t *testing.T) {
	h := gen.Hidden{N: 40, Bits: 8, Seed: 5}
	x, _, err := h.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var points []data.Vector
	for i := range x.Rows {
		points = append(points, x.At(i))
	}
	for _, text := range []string{"hidden(bits=8,seed=5,own=0)", "hidden(bits=8,seed=5,own=0.25)"} {
		k, err := spec.Vectors{}.Kernel(text)
		if err != nil {
			t.Fatal(err)
		}
		kerftest.Kernel(t, k, points)
		if fmt.Sprint(k) != text {
			t.Errorf("%s came back as %v", text, k)
		}
		if text == "hidden(bits=8,seed=5,own=0)" {
			for i := range points {
				if k.Eval(points[0], points[i]) != h.Kernel().Eval(points[0], points[i]) {
					t.Errorf("row %d: another value", i)
				}
			}
		}
	}
	for _, text := range []string{"hidden(bits=7)", "hidden(bits=42)", "hidden(seed=-1)", "hidden(seed=0.5)",
		"hidden(own=1)", "hidden(own=-1)", "hidden(n=3)", "hidden(bits=0)"} {
		if _, err := spec.Parse(text); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
