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

// Two separators of the same instances: one is right on all by little, the
// other wrong on one in five but right on the rest by much.
func ExampleNewCurve() {
	careful := margin.NewMargins([]float64{0.05, 0.06, 0.07, 0.08, 0.09})
	bold := margin.NewMargins([]float64{-0.2, 0.4, 0.5, 0.5, 0.6})
	c, err := margin.NewCurve(careful, bold)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range c.Points(4) {
		fmt.Printf("margin %.2f: error %.1f\n", p.Margin, p.Error)
	}
	plan, err := c.Recommend(0.3, 0.9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("plan with margin %.2f and noise %.1f: %d landmarks for error 0.3\n", plan.Margin, plan.Noise,
		plan.Landmarks)
	// Output:
	// margin 0.00: error 0.0
	// margin 0.05: error 0.0
	// margin 0.40: error 0.2
	// margin 0.60: error 0.8
	// plan with margin 0.40 and noise 0.2: 548 landmarks for error 0.3
}
