package linear_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

var _ learn.Learner[data.Vector, float64, *linear.Separator] = linear.Program{}

// programOracle is the optimum t by gonum's simplex method: the dual program in
// standard form from the vertex α = 1 on row 0.
func programOracle(d sample, unit float64) (float64, error) {
	n, dim := len(d.Y), data.Dim(d.X)
	if unit > 0 {
		dim++
	}
	a := mat.NewDense(dim+1, n+2*dim, nil)
	c, b := make([]float64, n+2*dim), make([]float64, dim+1)
	row := make([]float64, dim)
	for i, y := range d.Y {
		d.X.At(i).CopyTo(row)
		if unit > 0 {
			row[dim-1] = unit
		}
		for j, v := range row {
			a.Set(j, i, y*v)
		}
		a.Set(dim, i, 1)
	}
	basis := []int{0}
	for j := range dim {
		a.Set(j, n+j, -1)
		a.Set(j, n+dim+j, 1)
		c[n+j], c[n+dim+j] = 1, 1
		if a.At(j, 0) >= 0 {
			basis = append(basis, n+j)
		} else {
			basis = append(basis, n+dim+j)
		}
	}
	b[dim] = 1
	t, _, err := lp.Simplex(c, a, b, 1e-12, basis)
	return t, err
}

// checkProgram verifies what Prove says on the data and returns the margin.
func checkProgram(
	t interface{ Errorf(string, ...any) }, d sample, s *linear.Separator, c linear.Certificate, status learn.Status,
) {
	alpha, sum := make([]float64, len(d.Y)), 0.0
	for k, i := range c.Row {
		alpha[i] = c.Alpha[k]
		sum += c.Alpha[k]
		if c.Alpha[k] < 0 {
			t.Errorf("α = %v", c.Alpha[k])
		}
	}
	p := combined(d, alpha, s.Unit)
	bound, largest := math.Abs(p.Bias), math.Abs(s.Bias)
	for j, a := range p.W {
		bound += math.Abs(a)
		largest = max(largest, math.Abs(s.W[j]))
	}
	if math.Abs(sum-1) > 1e-12 || math.Abs(bound-c.Bound) > 1e-9*max(bound, 1e-3) {
		t.Errorf("Σα = %v, bound %v and the proof says %v", sum, bound, c.Bound)
	}
	least := math.Inf(1)
	for i, y := range d.Y {
		least = min(least, y*s.Score(d.X.At(i)))
	}
	switch status {
	case learn.Converged:
		if !(least > 0.999999) || math.Abs(least/largest-c.Margin) > 1e-9*c.Margin || c.Margin < (1-2e-6)*bound {
			t.Errorf("least y(w·x) is %v, margin %v, the proof says %v of %v", least, least/largest, c.Margin, bound)
		}
	case learn.BelowTolerance:
		if least > 1e-9 {
			t.Errorf("below tolerance, but the least y(w·x) is %v", least)
		}
	default:
		t.Errorf("status %q", status)
	}
}

func TestProgramAgainstGonum(t *testing.T) {
	separated := 0
	for _, n := range []int{2, 3, 7, 8, 9, 20, 33, 65} {
		for _, dim := range []int{1, 2, 5, 9, 17} {
			for _, unit := range []float64{0, 1} {
				for _, flip := range []float64{0, 0.2} {
					d := noisy(n, dim, flip, uint64(n*100+dim))
					recipe := linear.NewProgram()
					recipe.Unit = unit
					s, c, r, err := recipe.Prove(t.Context(), d)
					if err != nil {
						t.Fatal(err)
					}
					checkProgram(t, d, s, c, r.Status)
					if r.Status == learn.Converged {
						separated++
					}
					want, err := programOracle(d, unit)
					if err != nil {
						t.Logf("n=%d d=%d: gonum says %v", n, dim, err)
						continue
					}
					if math.Abs(want-c.Bound) > 1e-7 {
						t.Errorf("n=%d d=%d unit=%v flip=%v: bound %v, gonum %v", n, dim, unit, flip, c.Bound, want)
					}
				}
			}
		}
	}
	if separated < 20 {
		t.Errorf("only %d of the samples were separable", separated)
	}
}

// Small whole numbers, repeated rows and zero coordinates make every step a tie.
func TestProgramDegenerate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, dim := rapid.IntRange(2, 30).Draw(rt, "n"), rapid.IntRange(1, 8).Draw(rt, "d")
		m, y := data.NewMatrix(n, dim), make([]float64, n)
		for i := range m.Data {
			m.Data[i] = float64(rapid.IntRange(-1, 1).Draw(rt, "x"))
		}
		for i := range y {
			y[i] = float64(2*rapid.IntRange(0, 1).Draw(rt, "y") - 1)
		}
		y[0], y[1] = 1, -1
		d := sample{X: m, Y: y}
		recipe := linear.NewProgram()
		recipe.Unit = float64(rapid.IntRange(0, 1).Draw(rt, "unit"))
		s, c, r, err := recipe.Prove(t.Context(), d)
		if err != nil {
			rt.Fatal(err)
		}
		checkProgram(rt, d, s, c, r.Status)
		hard := linear.NewHardMargin()
		hard.Unit = recipe.Unit
		if _, q, err := hard.Fit(t.Context(), d); err != nil || q.Status != r.Status && q.Status != learn.IterationLimit {
			rt.Errorf("program says %q, hard margin %q, %v", r.Status, q.Status, err)
		}
	})
}

// Scales far apart and far from 1 do not hide a separator.
func TestProgramScales(t *testing.T) {
	for _, scale := range []float64{1e-130, 1e-9, 1, 1e9, 1e130} {
		d := withMargin(60, 4, 0.05, 3)
		m := d.X.(*data.Matrix)
		for i := range m.Data {
			m.Data[i] *= scale
		}
		for i := range m.Rows {
			m.Row(i)[0] *= 1e-6 // the coordinate that tells the classes apart
		}
		recipe := linear.NewProgram()
		recipe.Unit = 0
		s, c, r, err := recipe.Prove(t.Context(), d)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("scale %v: %v, %+v", scale, err, r)
		}
		checkProgram(t, d, s, c, r.Status)
	}
}

// Rows without coordinates, of the smallest numbers there are, and of one
// coordinate.
func TestProgramEdges(t *testing.T) {
	for name, c := range map[string]struct {
		x      data.Slice[data.Vector]
		unit   float64
		status learn.Status
	}{
		"empty rows":           {data.Slice[data.Vector]{{}, {}}, 0, learn.BelowTolerance},
		"empty rows, unit":     {data.Slice[data.Vector]{{}, {}}, 1, learn.BelowTolerance},
		"smallest":             {data.Slice[data.Vector]{data.Dense(5e-324), data.Dense(-5e-324)}, 0, learn.Converged},
		"one coordinate":       {data.Slice[data.Vector]{data.Dense(3), data.Dense(2)}, 0, learn.BelowTolerance},
		"one coordinate, unit": {data.Slice[data.Vector]{data.Dense(3), data.Dense(2)}, 1, learn.Converged},
		"a row of zeros":       {data.Slice[data.Vector]{data.Dense(1, 0), data.Dense(0, 0)}, 0, learn.BelowTolerance},
	} {
		recipe := linear.NewProgram()
		recipe.Unit = c.unit
		s, r, err := recipe.Fit(t.Context(), sample{X: c.x, Y: []float64{1, -1}})
		if err != nil || r.Status != c.status || r.Gap-r.Gap != 0 || r.Objective-r.Objective != 0 {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		for _, a := range append(s.W, s.Bias) {
			if a-a != 0 {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

func TestProgramLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("a second or two")
	}
	for _, c := range []struct {
		n, d int
		flip float64
	}{{5000, 30, 0}, {300, 200, 0}, {300, 200, 0.5}, {2000, 60, 0.01}} {
		d := noisy(c.n, c.d, c.flip, 5)
		var first *linear.Separator
		for _, workers := range []int{1, 3} {
			recipe := linear.NewProgram()
			recipe.Run = run.Control{Workers: workers}
			s, proof, r, err := recipe.Prove(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			checkProgram(t, d, s, proof, r.Status)
			t.Logf("%d×%d: %s in %d steps, %v", c.n, c.d, r.Status, r.Iterations, r.Elapsed)
			if first == nil {
				first = s
			}
			if !reflect.DeepEqual(first, s) {
				t.Errorf("%d workers give other bits", workers)
			}
		}
	}
}

func TestProgramFeasible(t *testing.T) {
	d := withMargin(500, 20, 0.02, 9)
	recipe := linear.NewProgram()
	_, whole, err := recipe.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	recipe.Feasible = true
	s, r, err := recipe.Fit(t.Context(), d)
	if err != nil || r.Status != learn.Converged || r.Iterations > whole.Iterations {
		t.Fatalf("%v, %+v, all the way %+v", err, r, whole)
	}
	for i, y := range d.Y {
		if y*s.Score(d.X.At(i)) < 1-1e-9 {
			t.Errorf("row %d: y(w·x) = %v", i, y*s.Score(d.X.At(i)))
		}
	}
}

func TestProgramStops(t *testing.T) {
	d := noisy(200, 30, 0, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	recipe := linear.NewProgram()
	recipe.Run.Progress.Step = func(done int64) {
		if done == 5 {
			cancel()
		}
	}
	if s, r, err := recipe.Fit(ctx, d); err != nil || r.Status != learn.Cancelled || r.Iterations != 5 || len(s.W) != 30 {
		t.Errorf("%v, %+v", err, r)
	}
	if s, r, err := recipe.Fit(ctx, d); err != nil || r.Status != learn.Cancelled || r.Gap-r.Gap != 0 || s.W[0] != 0 {
		t.Errorf("cancelled before: %v, %+v", err, r)
	}
	recipe = linear.NewProgram()
	recipe.MaxSteps = 3
	if _, r, err := recipe.Fit(t.Context(), d); err != nil || r.Status != learn.IterationLimit || r.Iterations != 3 {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestProgramFaults(t *testing.T) {
	err := linear.Program{Zero: -1, Tolerance: math.NaN(), Unit: -2}.Validate()
	for _, want := range []string{"zero is -1", "tolerance is NaN", "max steps is 0", "unit is -2"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("faults: %v", err)
		}
	}
	rng := seed.Stream(1, seed.Generator, 0)
	m := data.NewMatrix(2, linear.ProgramLimit)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	_, _, err = linear.NewProgram().Fit(t.Context(), sample{X: m, Y: []float64{1, -1}})
	if err == nil || !strings.Contains(err.Error(), "hard-margin") {
		t.Errorf("too many coordinates: %v", err)
	}
}

func ExampleNewProgram() {
	d := data.Labeled[data.Vector, float64]{
		X: data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(1, 1), data.Dense(0, 1), data.Dense(1, 0)},
		Y: []float64{-1, -1, 1, 1},
	}
	_, report, err := linear.NewProgram().Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status)
	// Output: below tolerance
}
