package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// TestBlock compares a block with its kernel on vectors that were cut by hand, dense
// and sparse, shorter and longer than the block.
func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const from, to = 2, 5
	k := kernel.Block{From: from, To: to, Of: kernel.Gaussian{Gamma: 0.5}}
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	var all, cut []data.Vector
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 9} {
		v, part := make([]float64, n), make([]float64, to-from)
		var index []int32
		var value []float64
		for j := range v {
			if rng.IntN(3) > 0 {
				v[j] = rng.NormFloat64()
				index, value = append(index, int32(j)), append(value, v[j])
			}
			if j >= from && j < to {
				part[j-from] = v[j]
			}
		}
		all = append(all, data.Dense(v...), data.Vector{Index: append([]int32{}, index...), Value: value})
		cut = append(cut, data.Dense(part...), data.Dense(part...))
	}
	get, of, ok := kernel.VectorsOf[data.Vector](k)
	for i, x := range all {
		for j, y := range all {
			want := k.Of.Eval(cut[i], cut[j])
			for name, got := range map[string]float64{
				"Eval": k.Eval(x, y), "Prepare": k.Prepare(y)(x), "Vectors": of.Eval(get(x), get(y)),
			} {
				if got-want > 1e-15 || want-got > 1e-15 || !ok { // exp of sums of at most three terms
					t.Fatalf("%s of %v and %v is %v, want %v", name, x, y, got, want)
				}
			}
		}
		if k.Diag(x) != 1 {
			t.Errorf("K(x, x) is %v", k.Diag(x))
		}
	}
	for _, bad := range []kernel.Block{{From: -1, To: 2, Of: k.Of}, {From: 2, To: 2, Of: k.Of}, {To: 1}} {
		if bad.Validate() == nil {
			t.Errorf("%v is valid", bad)
		}
	}
}
