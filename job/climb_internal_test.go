package job

import (
	"errors"
	"math"
	"slices"
	gotest "testing"
)

// climbed returns the places that are looked at, in turn.
func climbed(losses []float64, from, idle int) []int {
	c, out := newClimb(len(losses), from, idle), []int{}
	for i, more := c.next(); more; i, more = c.next() {
		c.note(i, losses[i])
		out = append(out, i)
	}
	return out
}

func TestClimb(t *gotest.T) {
	for name, c := range map[string]struct {
		losses     []float64
		from, idle int
		want       []int
	}{
		"up":                  {[]float64{9, 5, 3, 2, 4, 5}, 1, 1, []int{1, 2, 3, 4}},
		"down":                {[]float64{1, 2, 3, 4, 5, 6}, 3, 1, []int{3, 4, 2, 1, 0}},
		"there":               {[]float64{9, 5, 3, 4, 5}, 2, 1, []int{2, 3, 1}},
		"two worse":           {[]float64{5, 6, 7, 1}, 0, 2, []int{0, 1, 2}},
		"one worse":           {[]float64{5, 6, 4, 1}, 0, 2, []int{0, 1, 2, 3}},
		"hardly worse":        {[]float64{9, 1, 1.001, 0.9, 2, 1}, 1, 1, []int{1, 2, 3, 4}},
		"no numbers":          {[]float64{math.NaN(), math.NaN(), math.NaN()}, 1, 1, []int{1, 2, 0}},
		"a number at the end": {[]float64{3, math.Inf(1), math.Inf(1)}, 1, 1, []int{1, 2, 0}},
		"all":                 {[]float64{1, 2, 3, 4}, 0, 4, []int{0, 1, 2, 3}},
		"one":                 {[]float64{1}, 0, 1, []int{0}},
		"none":                {nil, 0, 1, []int{}},
	} {
		if got := climbed(c.losses, c.from, c.idle); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestChains sees that arms of a family and a view are tried by width from the first on, each from the penalty of the
// best before, and that one that fails ends nothing but its direction.
func TestChains(t *gotest.T) {
	of := func(family string, view int, width, loss float64) *arm {
		return &arm{family: family, view: view, width: width, loss: loss, at: int(10 * width)}
	}
	arms := []*arm{
		of("linear", 0, 0, 1), of("linear", 1, 0, 1),
		of("laplace", 0, 1, 5), of("laplace", 0, 2, 4), of("laplace", 0, 0.5, 6), of("laplace", 0, 4, 7),
		of("laplace", 0, 8, 8),
		of("laplace", 1, 1, 5), of("laplace", 1, 2, 9), of("laplace", 1, 0.5, 3),
	}
	chains := chainsOf(arms)
	if len(chains) != 4 {
		t.Fatalf("%d chains, want 4", len(chains))
	}
	var widths []float64
	for _, c := range chains {
		went := c.run(func(a *arm) error {
			widths = append(widths, a.width)
			if a.width == 2 && a.from != 10 {
				t.Errorf("width 2 begins at %d, want 10", a.from)
			}
			if a.width == 4 {
				return errors.New("not for these rows")
			}
			return nil
		})
		if slices.ContainsFunc(went, func(a *arm) bool { return a.width == 4 }) {
			t.Error("an arm that failed is among the others")
		}
	}
	if want := []float64{0, 0, 1, 2, 4, 1, 2, 0.5}; !slices.Equal(widths, want) {
		t.Errorf("widths %v, want %v", widths, want)
	}
}
