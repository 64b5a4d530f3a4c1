package margin_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

func ExampleSample() {
	x := data.Slice[data.Vector]{data.Dense(3, 4), data.Dense(-1, 0), data.Dense(0, -2), data.Dense(4, -3)}
	y := []float64{1, -1, -1, 1}
	m, err := margin.Sample(context.Background(), run.Control{}, []float64{1, 1}, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("separated by margin %.3f\n", m.Min())
	fmt.Printf("error at margin 0.5: %.2f\n", m.ErrorAt(0.5))
	fmt.Printf("median margin %.3f\n", m.Quantile(0.5))
	// Output:
	// separated by margin 0.141
	// error at margin 0.5: 0.25
	// median margin 0.707
}

// A separator with a bias: x ≥ 2 on the line, with an additional coordinate 1.
func ExampleSeparator() {
	s := margin.Separator{W: []float64{1}, Bias: -2, Unit: 1}
	fmt.Printf("score %.0f, margin %.3f\n", s.Score(data.Dense(3)), s.Of(data.Dense(3), 1))
	// Output: score 1, margin 0.141
}

func ExampleNewPairwise() {
	p, err := margin.NewPairwise([]margin.Separator{
		{W: []float64{1, 0}}, {W: []float64{0, 1}}, {W: []float64{-1, -1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", p.Of(data.Dense(2, 0), 0))
	// Output: 0.707
}
