package margin_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/margin"
)

func TestDraw(t *testing.T) {
	// Margins 0.01, 0.02, … 0.4, and one in ten on the wrong side.
	var values []float64
	for k := 1; k <= 40; k++ {
		values = append(values, float64(k)/100)
		if k%10 == 0 {
			values = append(values, -0.1)
		}
	}
	c, err := margin.NewCurve(margin.NewMargins(values))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
error
100% ┤                                         ▂▄▆▆███████████
     │                                     ▂▄▆████████████████
     │                                ▂▂▄▆████████████████████
     │                            ▂▄▆█████████████████████████
     │                        ▂▄▆█████████████████████████████
 50% ┤                   ▂▄▆▆█████████████████████████████████
     │               ▂▄▆██████████████████████████████████████
     │          ▂▂▄▆██████████████████████████████████████████
     │      ▂▄▆███████████████████████████████████████████████
     │  ▂▄▆███████████████████████████████████████████████████
     │████████████████████████████████████████████████████████
  0% └───────────▲────────────────────────────────────────────
      0                         0.25                       0.5 margin
`, "\n")
	if got := c.Draw(0.1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c, err = margin.NewCurve(margin.Margins{0.003, 0.003, 0.003})
	if err != nil {
		t.Fatal(err)
	}
	want = strings.TrimPrefix(`
error
100% ┤                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
 50% ┤                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
     │                                  ██████████████████████
  0% └────────────────────────────────────────────────────────
      0                        0.0025                    0.005 margin
`, "\n")
	if got := c.Draw(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDrawFits: 14 lines of at most 70 columns whatever the curve, none with
// spaces at its end, and an error that is neither 0 nor 1 looks like neither.
func TestDrawFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 300).Draw(t, "margins")
		scale := rapid.SampledFrom([]float64{1, 0.9, 1e-3, 1e-300, 5e-324, 0}).Draw(t, "scale")
		for i := range values {
			values[i] *= scale
		}
		c, err := margin.NewCurve(margin.NewMargins(values))
		if err != nil {
			t.Fatal(err)
		}
		fits(t, c.Draw(rapid.Float64().Draw(t, "mark"), math.NaN()))
	})
	var zero margin.Curve
	fits(t, zero.Draw(0.5))
	many := make(margin.Margins, 1000)
	for i := range many {
		many[i] = 0.5
	}
	many[0] = -0.5
	c, err := margin.NewCurve(many)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(c.Draw(), "\n"); !strings.Contains(lines[11], "▁▁▁") || strings.Contains(lines[10], "▁") {
		t.Errorf("one error in a thousand looks like this:\n%s", c.Draw())
	}
}

func fits(t rapid.TB, picture string) {
	t.Helper()
	lines := strings.Split(picture, "\n")
	if len(lines) != 15 || lines[14] != "" {
		t.Fatalf("%d lines:\n%s", len(lines)-1, picture)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 70 || strings.HasSuffix(line, " ") {
			t.Fatalf("the line %q has %d columns", line, utf8.RuneCountInString(line))
		}
	}
}
