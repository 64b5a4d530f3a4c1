package report

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
)

// TestHistogram against counting column by column.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.IntRange(0, 80), 1, 50).Draw(t, "values")
		values := make([]float64, len(whole))
		for i, v := range whole {
			values[i] = float64(v)
		}
		got := histogram(values, 0, 80, 8)
		for b := range 8 {
			n := 0
			for _, v := range whole {
				if v >= 10*b && v < 10*b+10 || b == 7 && v == 80 {
					n++
				}
			}
			if want := float64(n) / float64(len(whole)); math.Abs(got[b]-want) > 1e-12 {
				t.Fatalf("column %d has %v, want %v", b, got[b], want)
			}
		}
	})
	if got := histogram(nil, 0, 1, 3); !slices.Equal(got, []float64{0, 0, 0}) {
		t.Errorf("of nothing: %v", got)
	}
	if got := histogram([]float64{math.NaN(), math.Inf(-1), math.Inf(1), 1}, 0, 2, 2); !slices.Equal(got,
		[]float64{0.25, 0.5}) {
		t.Errorf("of numbers outside: %v", got)
	}
}

// TestROC: the area under the corners is the AUC, and the curve never falls.
func TestROC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := append([]int{0, 1, -1}, rapid.SliceOfN(rapid.IntRange(-1, 1), 0, 40).Draw(t, "truth")...)
		scores := data.NewMatrix(len(truth), 2)
		var s []float64
		var positive []bool
		for i, c := range truth {
			v := float64(rapid.IntRange(-5, 5).Draw(t, "score"))
			copy(scores.Row(i), []float64{-v, v})
			if c >= 0 {
				s, positive = append(s, v), append(positive, c == 1)
			}
		}
		points := roc(eval.Said{Truth: truth, Scores: scores})
		area := 0.0
		for i := 1; i < len(points); i++ {
			p, q := points[i-1], points[i]
			if q.X < p.X || q.Y < p.Y {
				t.Fatalf("the curve falls from %v to %v", p, q)
			}
			area += (q.X - p.X) * (p.Y + q.Y) / 2
		}
		if points[0] != (Point{}) || points[len(points)-1] != (Point{X: 1, Y: 1}) {
			t.Fatalf("the curve is from %v to %v", points[0], points[len(points)-1])
		}
		if want := eval.AUC(s, positive); math.Abs(area-want) > 1e-12 {
			t.Fatalf("the area is %v, the AUC %v", area, want)
		}
	})
	if roc(eval.Said{Truth: []int{1, -1}, Scores: data.NewMatrix(2, 2)}) != nil {
		t.Error("there is a curve of one class")
	}
}

// TestContour: the line of x² + y² - 1 is the circle, closed, and that of values
// of one sign is none.
func TestContour(t *testing.T) {
	const n, reach = 61, 1.5
	place := func(i int) float64 { return reach * (2*float64(i)/(n-1) - 1) }
	grid := make([][]float64, n)
	for r := range grid {
		grid[r] = make([]float64, n)
		for c := range grid[r] {
			grid[r][c] = place(r)*place(r) + place(c)*place(c) - 1
		}
	}
	length := 0.0
	line := contour(grid, reach)
	for i := 0; i+1 < len(line); i++ {
		p, q := line[i], line[i+1]
		if math.IsNaN(p.X) {
			continue
		}
		// A chord of a square h wide is off by h²/8 at most, and so is a crossing.
		if h := 2 * reach / (n - 1); math.Abs(math.Hypot(p.X, p.Y)-1) > h*h/4 {
			t.Fatalf("%v is not on the circle", p)
		}
		if !math.IsNaN(q.X) {
			length += math.Hypot(p.X-q.X, p.Y-q.Y)
		}
	}
	if math.Abs(length-2*math.Pi) > 0.01 {
		t.Errorf("the line is %v long", length)
	}
	for _, g := range [][][]float64{nil, {{1}}, {{1, 2}, {3, 4}}, {{1, 2, 3}, {4}}, {{math.NaN(), 1}, {1, 1}}} {
		if got := contour(g, 1); got != nil {
			t.Errorf("%v has the line %v", g, got)
		}
	}
}

func TestKernelAxis(t *testing.T) {
	for _, c := range []struct {
		names []string
		label string
		want  []float64
	}{
		{[]string{"rbf(gamma=0.12)", "rbf(gamma=0.125)", "rbf(gamma=12)"}, "the number in rbf(gamma=…)",
			[]float64{0.12, 0.125, 12}},
		{[]string{"rbf(gamma=1e-05)", "rbf(gamma=2e-05)"}, "the number in rbf(gamma=…)", []float64{1e-5, 2e-5}},
		{[]string{"normalize(rbf(gamma=2))", "normalize(rbf(gamma=3))"}, "the number in normalize(rbf(gamma=…))",
			[]float64{2, 3}},
		{[]string{"rbf(gamma=1)", "laplace(gamma=1)"}, "number of the kernel tried", []float64{1, 2}},
		{[]string{"linear", "linear"}, "number of the kernel tried", []float64{1, 2}},
		{[]string{"", "1"}, "number of the kernel tried", []float64{1, 2}},
		{nil, "number of the kernel tried", []float64{}},
	} {
		label, got := kernelAxis(c.names)
		if label != c.label || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q at %v, want %q at %v", c.names, label, got, c.label, c.want)
		}
	}
}

func TestEvenly(t *testing.T) {
	for _, c := range []struct {
		n, most int
		want    []int
	}{{0, 3, []int{}}, {2, 3, []int{0, 1}}, {3, 3, []int{0, 1, 2}}, {7, 3, []int{0, 2, 4}}} {
		if got := evenly(c.n, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.most, c.n, got, c.want)
		}
	}
}
