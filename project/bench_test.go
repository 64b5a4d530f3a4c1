package project_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

func BenchmarkFit(b *testing.B) {
	for _, recipe := range recipes(500, 1) {
		b.Run(recipe.Kind()+"/1000x500", func(b *testing.B) {
			for b.Loop() {
				fit(b, recipe, 1000)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	x, dst := normals(rand.New(rand.NewPCG(1, 1)), 1000), make([]float64, 500)
	for _, recipe := range recipes(500, 1) {
		p := fit(b, recipe, 1000)
		b.Run(recipe.Kind()+"/1000x500", func(b *testing.B) {
			for b.Loop() {
				p.Apply(dst, x)
			}
		})
	}
}

// BenchmarkMap projects 20,000 rows of 784 coordinates to 256.
func BenchmarkMap(b *testing.B) {
	const rows, in, out = 20000, 784, 256
	x := data.NewMatrix(rows, in)
	copy(x.Data, normals(rand.New(rand.NewPCG(1, 1)), rows*in))
	for _, recipe := range recipes(out, 1) {
		p := fit(b, recipe, in)
		b.Run(recipe.Kind()+"/float64/20000x784x256", func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Map(b.Context(), run.Control{}, x); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(recipe.Kind()+"/float32/20000x784x256", func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Map32(b.Context(), run.Control{}, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	sparse := &data.CSR{Cols: in}
	r := rand.New(rand.NewPCG(2, 2))
	for range rows {
		var index []int32
		var value []float64
		for i := range in {
			if r.IntN(50) == 0 {
				index, value = append(index, int32(i)), append(value, r.NormFloat64())
			}
		}
		sparse.Append(index, value)
	}
	for _, recipe := range recipes(out, 1) {
		p := fit(b, recipe, in)
		b.Run(recipe.Kind()+"/csr/20000x784x256", func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Map(b.Context(), run.Control{}, sparse); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
