package linear_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// withMargin returns n vectors of length 1 in d dimensions, each at distance
// gamma or more from the plane through the origin that separates the labels.
func withMargin(n, d int, gamma float64, s uint64) sample {
	rng := seed.Stream(s, seed.Generator, 2)
	m, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range n {
		y[i] = float64(1 - 2*(i%2))
		row := m.Row(i)
		along := gamma + (1-gamma)*rng.Float64()*rng.Float64()
		rest := 0.0
		for j := 1; j < d; j++ {
			row[j] = rng.NormFloat64()
			rest += row[j] * row[j]
		}
		for j := 1; j < d; j++ {
			row[j] *= math.Sqrt((1 - along*along) / rest)
		}
		row[0] = y[i] * along
	}
	return sample{X: m, Y: y}
}

func TestPerceptronMistakeBound(t *testing.T) {
	for _, gamma := range []float64{0.3, 0.2, 0.1, 0.05} {
		for _, n := range []int{2, 7, 8, 9, 31, 32, 33, 1000} {
			for _, shuffle := range []bool{false, true} {
				recipe := linear.NewPerceptron()
				recipe.Unit, recipe.Shuffle = 0, shuffle
				d := withMargin(n, 10, gamma, uint64(n))
				s, r, err := recipe.Fit(t.Context(), d)
				if err != nil || r.Status != learn.Converged {
					t.Fatalf("γ=%v n=%d: %v, %+v", gamma, n, err, r)
				}
				if bound := 1 / (gamma * gamma); float64(r.Mistakes) > bound {
					t.Errorf("γ=%v n=%d: %d mistakes, bound %v", gamma, n, r.Mistakes, bound)
				}
				// The margin found is no larger than the largest, and rows have length 1.
				found := marginOf(d, s)
				near(t, "bound", r.MistakeBound*found*found, 1, 1e-9)
				if float64(r.Mistakes) > r.MistakeBound {
					t.Errorf("γ=%v n=%d: %d mistakes, bound %v", gamma, n, r.Mistakes, r.MistakeBound)
				}
				for i, y := range d.Y {
					if s.Predict(d.X.At(i)) != y {
						t.Fatalf("γ=%v n=%d: row %d is on the wrong side", gamma, n, i)
					}
				}
			}
		}
	}
}

// Rows of any length behave as rows of length 1 under Normalize.
func TestPerceptronNormalize(t *testing.T) {
	d := withMargin(200, 6, 0.1, 1)
	long := data.NewMatrix(200, 6)
	for i := range 200 {
		d.X.At(i).AddTo(long.Row(i), float64(int(1)<<(i%20))) // a power of two: no rounding
	}
	recipe := linear.NewPerceptron()
	recipe.Unit, recipe.Normalize = 0, true
	s, r, err := recipe.Fit(t.Context(), sample{X: long, Y: d.Y})
	if err != nil || r.Status != learn.Converged || r.Mistakes > 100 {
		t.Fatalf("%v, %+v", err, r)
	}
	for i, y := range d.Y {
		if s.Predict(long.At(i)) != y {
			t.Errorf("row %d is on the wrong side", i)
		}
	}
}

func TestPerceptronByHand(t *testing.T) {
	// In order: row 0 errs at w=0, row 1 errs at w=(2,1), row 2 errs at
	// w=(2,1)-(1,2)=(1,-1), giving (0,0); then (2,1), (1,-1), (0,0) again.
	d := sample{X: data.Slice[data.Vector]{data.Dense(2, 1), data.Dense(1, 2), data.Dense(-1, 1)}, Y: []float64{1, -1, 1}}
	recipe := linear.Perceptron{MaxPasses: 2}
	s, r, err := recipe.Fit(t.Context(), d)
	if err != nil || r.Status != learn.IterationLimit || r.Mistakes != 6 || r.Iterations != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	if s.W[0] != 0 || s.W[1] != 0 || s.Predict(data.Dense(5)) != 1 {
		t.Errorf("w = %v, want 0, which is positive everywhere", s.W)
	}
}

// Of two runs that end early the longer is never worse: the best is kept.
func TestPerceptronKeepsBest(t *testing.T) {
	d := noisy(300, 4, 0.2, 3)
	last := 301
	for passes := 1; passes <= 40; passes++ {
		recipe := linear.NewPerceptron()
		recipe.MaxPasses = passes
		s, r, err := recipe.Fit(t.Context(), d)
		if err != nil || r.Status != learn.IterationLimit {
			t.Fatalf("%v, %+v", err, r)
		}
		errs := 0
		for i, y := range d.Y {
			if y*s.Score(d.X.At(i)) <= 0 {
				errs++
			}
		}
		if errs > last {
			t.Errorf("%d passes: %d errors, one pass less: %d", passes, errs, last)
		}
		last = errs
	}
}

func TestPerceptronSameProblem(t *testing.T) {
	d := noisy(600, 5, 0.1, 2)
	recipe := linear.NewPerceptron()
	recipe.MaxPasses = 5
	var first *linear.Separator
	for _, workers := range []int{1, 2, 5} {
		recipe.Run = run.Control{Workers: workers}
		for form, d := range map[string]sample{"dense": d, "sparse": sparse(d)} {
			s, _, err := recipe.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = s
			}
			for j := range s.W {
				if math.Abs(s.W[j]-first.W[j]) > 1e-9 {
					t.Errorf("%d workers, %s: w = %v, want %v", workers, form, s.W, first.W)
				}
			}
		}
	}
	a, _, _ := recipe.Fit(t.Context(), d)
	recipe.Run.Workers = 1
	if b, _, _ := recipe.Fit(t.Context(), d); !reflect.DeepEqual(a, b) {
		t.Errorf("five workers give %v, one gives %v", a, b)
	}
}

func TestPerceptronStops(t *testing.T) {
	d := noisy(500, 4, 0.3, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	recipe := linear.NewPerceptron()
	recipe.Run.Progress.Step = func(done int64) {
		if done == 2 {
			cancel()
		}
	}
	if s, r, err := recipe.Fit(ctx, d); err != nil || r.Status != learn.Cancelled || r.Iterations != 2 || s.W[0] == 0 {
		t.Errorf("%v, %+v", err, r)
	}
	if s, r, err := recipe.Fit(ctx, d); err != nil || r.Status != learn.Cancelled || len(s.W) != 4 {
		t.Errorf("cancelled before: %v, %+v", err, r)
	}
}

func TestPerceptronFaults(t *testing.T) {
	err := linear.Perceptron{Unit: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "max passes is 0") || !strings.Contains(err.Error(), "unit is -1") {
		t.Errorf("faults: %v", err)
	}
	_, _, err = linear.NewPerceptron().Fit(t.Context(), sample{X: data.Slice[data.Vector]{data.Dense(1)}, Y: []float64{1}})
	if !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one row: %v", err)
	}
}

func TestSeparator(t *testing.T) {
	s := linear.Separator{W: []float64{1, -2}, Bias: 3, Unit: 0.5}
	x, err := data.Sparse([]int32{1, 9}, []float64{1, 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x     data.Vector
		score float64
		label float64
	}{
		{data.Dense(), 1.5, 1}, {data.Dense(1, 1), 0.5, 1}, {data.Dense(0.5, 1), 0, 1}, {data.Dense(0, 1), -0.5, -1},
		{x, -0.5, -1},
	} {
		if s.Score(c.x) != c.score || s.Predict(c.x) != c.label {
			t.Errorf("%v: score %v, label %v", c.x, s.Score(c.x), s.Predict(c.x))
		}
	}
}

func ExampleNewSVM() {
	d := data.Labeled[data.Vector, float64]{
		X: data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(0, 1), data.Dense(2, 0), data.Dense(2, 1)},
		Y: []float64{-1, -1, 1, 1},
	}
	recipe := linear.NewSVM()
	recipe.C = 10
	separator, report, err := recipe.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, separator.Predict(data.Dense(3, 3)), separator.Predict(data.Dense(-1, 0)))
	// Output: converged 1 -1
}

func ExampleNewPerceptron() {
	d := data.Labeled[data.Vector, float64]{
		X: data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(0, 1), data.Dense(2, 0), data.Dense(2, 1)},
		Y: []float64{-1, -1, 1, 1},
	}
	separator, report, err := linear.NewPerceptron().Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, separator.Predict(data.Dense(3, 3)), separator.Predict(data.Dense(-1, 0)))
	// Output: converged 1 -1
}
