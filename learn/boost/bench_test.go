package boost_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/run"
)

// smooth returns n rows of d normal coordinates, whose labels follow a product
// and a sum of some of them.
func smooth(n, d int, s uint64) binary {
	rng := rand.New(rand.NewPCG(s, 2))
	m, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	for i := range y {
		x := m.Row(i)
		y[i] = -1
		if x[0]*x[1%d]+x[2%d]+0.3*x[3%d] > 0 {
			y[i] = 1
		}
	}
	return binary{X: m, Y: y}
}

func BenchmarkStumps(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("n=20000/d=20/rounds=100/workers=%d", workers), func(b *testing.B) {
			d := smooth(20000, 20, 1)
			a := boost.NewAdaBoost(boost.NewStump())
			a.Run = run.Control{Workers: workers}
			for b.Loop() {
				e, _, err := a.Fit(context.Background(), d)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(e.History[len(e.History)-1].TrainError, "error")
			}
		})
	}
}

func BenchmarkScoreAll(b *testing.B) {
	d := smooth(20000, 20, 1)
	for name, weak := range map[string]boost.Weak{"stump": boost.NewStump(), "halfspace": boost.NewHalfspace()} {
		b.Run(name, func(b *testing.B) {
			e, _, err := boost.NewAdaBoost(weak).Fit(context.Background(), d)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := e.ScoreAll(context.Background(), run.Control{}, d.X); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHalfspaces(b *testing.B) {
	x, labels := gen.Halfspace(gen.Options{N: 20000, Dim: 20, Margin: 0.1, Seed: 1})
	d := binary{X: x, Y: make([]float64, len(labels))}
	for i, l := range labels {
		d.Y[i] = -1
		if l == "1" {
			d.Y[i] = 1
		}
	}
	for b.Loop() {
		e, _, err := boost.NewAdaBoost(boost.NewHalfspace()).Fit(context.Background(), d)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(e.History[len(e.History)-1].TrainError, "error")
	}
}
