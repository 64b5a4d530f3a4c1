package gram_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
)

// TestRepair checks each change of the spectrum against its definition.
func TestRepair(t *testing.T) {
	n := 30
	x := mixture(n, 4)
	g := data.NewMatrix(n, n)
	for i := range n {
		for j := range n {
			g.Data[i*n+j] = kernel.Sigmoid{Gamma: 1, Coef: -1}.Eval(x[i], x[j])
		}
	}
	before, err := gram.CheckMatrix(g, gram.NewCheckOptions())
	if err != nil || before.PSD {
		t.Fatalf("%v, %v", before.PSD, err)
	}
	for _, c := range []struct {
		name   string
		repair func(*data.Matrix) (*data.Matrix, error)
		f      func(lambda float64) float64
	}{
		{"clip", gram.Clip, func(l float64) float64 { return max(0, l) }},
		{"flip", gram.Flip, math.Abs},
		{"shift", gram.Shift, func(l float64) float64 { return l - before.MinEigenvalue() }},
	} {
		out, err := c.repair(g)
		if err != nil {
			t.Fatal(err)
		}
		v, err := gram.CheckMatrix(out, gram.NewCheckOptions())
		if err != nil || !v.Legal() || v.Asymmetry != 0 {
			t.Fatalf("%s: %v, %v, asymmetry %v", c.name, v.Witness, err, v.Asymmetry)
		}
		sum, want := 0.0, 0.0
		for i, l := range before.Spectrum {
			sum += v.Spectrum[i] * v.Spectrum[i]
			want += c.f(l) * c.f(l)
		}
		if math.Abs(sum-want) > 1e-10*want {
			t.Errorf("%s: Σλ² is %v, want %v", c.name, sum, want)
		}
		again, err := c.repair(out)
		if err != nil {
			t.Fatal(err)
		}
		for i := range again.Data {
			if math.Abs(again.Data[i]-out.Data[i]) > 1e-12*before.MaxEigenvalue() {
				t.Fatalf("%s changes what it has repaired", c.name)
			}
		}
	}
	if _, err := gram.Clip(data.NewMatrix(2, 3)); err == nil {
		t.Error("a matrix that is not square passes")
	}
	if out, err := gram.Flip(data.NewMatrix(0, 0)); err != nil || out.Rows != 0 {
		t.Errorf("empty: %v, %v", out, err)
	}
}
