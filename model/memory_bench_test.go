package model_test

import (
	"strconv"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// BenchmarkInMemory scores and maps 4,096 rows of 50 columns that are in memory by F2 of 1,000
// landmarks: what kerf predict and kerf map of a file can reach at most.
func BenchmarkInMemory(b *testing.B) {
	r := seed.Stream(13, seed.Generator, 0)
	x := data.NewMatrix(4096, 50)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	s := labeled{X: data.Range[data.Vector]{Of: x, Hi: 2000}}
	for i := range 2000 {
		s.Y = append(s.Y, strconv.FormatBool(x.Data[50*i] > 0))
	}
	recipe := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.01}, 1000)
	recipe.Learner = model.NewRidge()
	p, _, err := recipe.Fit(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"scores", func() error { _, err := p.ScoreAll(b.Context(), run.Control{}, x); return err }},
		{"features", func() error { _, err := feature.Apply(b.Context(), run.Control{}, p.Map, x); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*x.Rows), "µs/row")
		})
	}
}
