package calibrate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/run"
)

// fitter is any of the three recipes.
type fitter interface {
	Fit(ctx context.Context, scores *data.Matrix, y []int) (*calibrate.Calibration, error)
}

func fitters(workers int) []fitter {
	platt := calibrate.NewPlatt()
	platt.Run.Workers = workers
	ctl := run.Control{Workers: workers}
	return []fitter{platt, calibrate.Isotonic{Run: ctl}, calibrate.Temperature{Run: ctl}}
}

// sample draws n rows of scores that are higher for the true class by lift.
func sample(seed uint64, n, classes int, lift float64) (*data.Matrix, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s, y := data.NewMatrix(n, classes), make([]int, n)
	for i := range y {
		y[i] = rng.IntN(classes)
		for k := range classes {
			s.Row(i)[k] = math.Round(10*rng.NormFloat64()) / 10
		}
		s.Row(i)[y[i]] += lift
	}
	return s, y
}

// plattLoss is the objective of Platt from its formula.
func plattLoss(s []float64, y []int, a, b float64) float64 {
	up := 0
	for _, c := range y {
		up += c
	}
	down, sum := len(y)-up, 0.0
	for i, v := range s {
		t := 1 / float64(down+2)
		if y[i] == 1 {
			t = float64(up+1) / float64(up+2)
		}
		p := 1 / (1 + math.Exp(-(a*v + b)))
		sum -= t*math.Log(p) + (1-t)*math.Log(1-p)
	}
	return sum
}

// TestPlattIsMinimal looks at the loss in all directions around the result, and
// that rows which a threshold separates have finite curves.
func TestPlattIsMinimal(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 2 + int(seed)*3
		s, y := make([]float64, n), make([]int, n)
		for i := range s {
			y[i] = i % 2
			s[i] = rng.NormFloat64() + float64(y[i])*float64(seed)/4
		}
		c, err := calibrate.NewPlatt().Fit(t.Context(), pair(s), y)
		if err != nil {
			t.Fatal(err)
		}
		a, b := c.Logistic[0].Slope, c.Logistic[0].Offset
		best := plattLoss(s, y, a, b)
		for step := 1e-4; step < 10; step *= 10 {
			for _, d := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
				at := a + step*d[0]
				if at < 0 {
					continue // the slope is kept from falling below 0
				}
				if other := plattLoss(s, y, at, b+step*d[1]); other < best-1e-11 {
					t.Fatalf("seed %d: loss %v at %v, %v and %v a step %v away", seed, best, a, b, other, step)
				}
			}
		}
	}
}

// TestScale: multiplying scores by a number divides the slope by it, also where
// squares of the scores overflow or vanish.
func TestScale(t *testing.T) {
	s, y := sample(3, 100, 2, 1)
	for _, f := range fitters(1) {
		want, err := f.Fit(t.Context(), s, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []float64{0x1p-900, 0x1p-20, 0x1p20, 0x1p950} { // exact, so that ties stay
			large := data.NewMatrix(s.Rows, s.Cols)
			for i, v := range s.Data {
				large.Data[i] = v * by
			}
			got, err := f.Fit(t.Context(), large, y)
			if err != nil {
				t.Fatal(err)
			}
			p, q := want.All(s), got.All(large)
			for i := range p.Data {
				near(t, "probability", q.Data[i], p.Data[i], 1e-7)
			}
		}
	}
}

// minMax is isotonic regression by its formula: the value at place i is
// max over a ≤ i of min over b ≥ i of the weighted mean of y from a to b.
func minMax(y, w []float64) []float64 {
	out := make([]float64, len(y))
	for i := range y {
		out[i] = math.Inf(-1)
		for a := 0; a <= i; a++ {
			least := math.Inf(1)
			for b := i; b < len(y); b++ {
				sum, weight := 0.0, 0.0
				for j := a; j <= b; j++ {
					sum += w[j] * y[j]
					weight += w[j]
				}
				least = min(least, sum/weight)
			}
			out[i] = max(out[i], least)
		}
	}
	return out
}

func TestIncreasingAgainstMinMax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		x, y, w := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(rapid.IntRange(-5, 5).Draw(t, "x"))
			y[i] = rapid.Float64Range(-3, 3).Draw(t, "y")
			w[i] = float64(rapid.IntRange(0, 3).Draw(t, "w"))
		}
		w[0] = 1
		f, err := calibrate.Increasing(x, y, w)
		if err != nil {
			t.Fatal(err)
		}
		// One place each, of the mean value and the whole weight.
		var places, values, weights []float64
		for _, p := range slices.Compact(slices.Sorted(slices.Values(x))) {
			sum, weight := 0.0, 0.0
			for i := range x {
				if x[i] == p {
					sum += w[i] * y[i]
					weight += w[i]
				}
			}
			if weight > 0 {
				places, values, weights = append(places, p), append(values, sum/weight), append(weights, weight)
			}
		}
		want := minMax(values, weights)
		for i, p := range places {
			if math.Abs(f.At(p)-want[i]) > 1e-12 {
				t.Fatalf("at %v: %v, want %v", p, f.At(p), want[i])
			}
		}
		before := math.Inf(-1)
		for at := -7.0; at < 7; at += 0.0625 {
			v := f.At(at)
			if v < before {
				t.Fatalf("falls from %v to %v at %v", before, v, at)
			}
			before = v
		}
		if f.At(-100) != want[0] && math.Abs(f.At(-100)-want[0]) > 1e-12 || math.IsNaN(f.At(math.NaN())) {
			t.Fatal("not constant outside")
		}
	})
}

// TestTemperatureIsMinimal compares the loss at the result with that at other
// temperatures.
func TestTemperatureIsMinimal(t *testing.T) {
	for _, classes := range []int{2, 3, 7} {
		for _, lift := range []float64{0.5, 2, 30} {
			s, y := sample(5, 300, classes, lift)
			c, err := calibrate.Temperature{}.Fit(t.Context(), s, y)
			if err != nil {
				t.Fatal(err)
			}
			loss := func(temperature float64) float64 {
				other := 1 / (float64(classes) * float64(len(y)+1))
				sum := 0.0
				for i := range y {
					total := 0.0
					for _, v := range s.Row(i) {
						total += math.Exp(v / temperature)
					}
					for k, v := range s.Row(i) {
						target := other
						if k == y[i] {
							target = 1 - other*float64(classes-1)
						}
						sum -= target * (v/temperature - math.Log(total))
					}
				}
				return sum
			}
			for _, by := range []float64{0.5, 0.99, 1.01, 2} {
				if a, b := loss(c.Temperature), loss(c.Temperature*by); !(a < b) {
					t.Errorf("%d classes, lift %v: loss %v at %v and %v at %v times that", classes, lift, a, c.Temperature, b, by)
				}
			}
			for i := range y {
				if calibrate.Argmax(s.Row(i)) != c.Predict(s.Row(i)) {
					t.Fatalf("another class for %v", s.Row(i))
				}
			}
		}
	}
}

// TestTemperatureOfNoUse has labels that contradict the scores: the order stays.
func TestTemperatureOfNoUse(t *testing.T) {
	s, y := sample(6, 200, 3, -5)
	c, err := calibrate.Temperature{}.Fit(t.Context(), s, y)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 3)
	c.Probabilities(p, []float64{-1, 2, 0})
	if !(p[1] > p[2] && p[2] > p[0]) || p[1]-p[0] > 1e-5 {
		t.Errorf("probabilities %v at temperature %v", p, c.Temperature)
	}
}

// TestTemperatureKeepsOrder has scores that differ by the last bit, at any
// temperature.
func TestTemperatureKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := calibrate.Calibration{Method: calibrate.Softmax, Classes: rapid.IntRange(2, 6).Draw(t, "classes")}
		c.Temperature = math.Exp(rapid.Float64Range(-600, 600).Draw(t, "log"))
		from := rapid.Float64Range(-1e3, 1e3).Draw(t, "from")
		row := make([]float64, c.Classes)
		for k := range row {
			row[k] = from
			for range rapid.IntRange(0, 2).Draw(t, "bits") {
				row[k] = math.Nextafter(row[k], 1e300)
			}
		}
		if got, want := c.Predict(row), calibrate.Argmax(row); got != want {
			t.Fatalf("predicts %d for %v, not %d", got, row, want)
		}
	})
}

// TestProbabilities holds for any scores: numbers from 0 to 1 that sum to 1; the
// prediction is their argmax; and for two classes it rises with the score.
func TestProbabilities(t *testing.T) {
	for _, classes := range []int{2, 3, 5} {
		s, y := sample(7, 120, classes, 1.5)
		for _, f := range fitters(1) {
			c, err := f.Fit(t.Context(), s, y)
			if err != nil || c.Validate() != nil {
				t.Fatal(err, c.Validate())
			}
			rapid.Check(t, func(t *rapid.T) {
				any := rapid.OneOf(rapid.Float64Range(-4, 4), rapid.Float64(),
					rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1e308, -1e308}))
				row := make([]float64, classes)
				for k := range row {
					row[k] = any.Draw(t, "score")
				}
				p := make([]float64, classes)
				c.Probabilities(p, row)
				sum := 0.0
				for _, v := range p {
					if !(v >= 0 && v <= 1) {
						t.Fatalf("%s: %v of %v", c.Method, p, row)
					}
					sum += v
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Fatalf("%s: %v sum to %v", c.Method, p, sum)
				}
				if got := c.Predict(row); got != calibrate.Argmax(p) || slices.Max(p) != p[got] ||
					slices.Contains(p[:got], p[got]) {
					t.Fatalf("%s: predicts %d for %v", c.Method, got, p)
				}
			})
		}
	}
}

// TestMonotone: with two classes the probability of class 1 never falls with
// the score, the prediction changes once at most, and Platt and Temperature
// keep the order strictly where rounding lets them.
func TestMonotone(t *testing.T) {
	for seed := range uint64(10) {
		s, y := sample(seed, 60, 2, float64(seed)-3)
		for _, f := range fitters(1) {
			c, err := f.Fit(t.Context(), s, y)
			if err != nil {
				t.Fatal(err)
			}
			before, class := 0.0, 0
			p := make([]float64, 2)
			for at := -20.0; at <= 20; at += 1.0 / 64 {
				row := []float64{-at, at}
				c.Probabilities(p, row)
				if p[1] < before {
					t.Fatalf("seed %d, %s: %v after %v at %v", seed, c.Method, p[1], before, at)
				}
				got := c.Predict(row)
				if got < class || (got == 1) != (p[1] > p[0]) {
					t.Fatalf("seed %d, %s: predicts %d for %v", seed, c.Method, got, p)
				}
				before, class = p[1], got
			}
		}
	}
}

// TestOddSamples has one row, one class, constant scores, and a class that is
// missing.
func TestOddSamples(t *testing.T) {
	for _, c := range []struct {
		name   string
		scores [][]float64
		y      []int
	}{
		{"one row", [][]float64{{-1, 1}}, []int{1}},
		{"one class", [][]float64{{-1, 1}, {1, -1}, {0, 0}}, []int{0, 0, 0}},
		{"constant", [][]float64{{1, 2}, {1, 2}, {1, 2}, {1, 2}}, []int{0, 1, 1, 1}},
		{"missing", [][]float64{{1, 2, 3}, {2, 2, 1}, {0, 1, 0}}, []int{2, 0, 0}},
		{"separated", [][]float64{{1, -1}, {1, -1}, {-1, 1}, {-1, 1}}, []int{0, 0, 1, 1}},
		{"wrong way", [][]float64{{1, -1}, {1, -1}, {-1, 1}, {-1, 1}}, []int{1, 1, 0, 0}},
		{"huge", [][]float64{{-1e300, 1e300}, {1e300, -1e300}}, []int{1, 0}},
		{"tiny", [][]float64{{-5e-324, 5e-324}, {5e-324, -5e-324}}, []int{1, 0}},
	} {
		for _, f := range fitters(1) {
			got, err := f.Fit(t.Context(), matrix(c.scores), c.y)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if err := got.Validate(); err != nil {
				t.Errorf("%s, %s: %v", c.name, got.Method, err)
			}
			for _, row := range c.scores {
				p := make([]float64, len(row))
				got.Probabilities(p, row)
				for _, v := range p {
					if !(v >= 0 && v <= 1) {
						t.Errorf("%s, %s: %v", c.name, got.Method, p)
					}
				}
			}
			if got.Method == calibrate.Sigmoid && c.name == "constant" {
				// The mean target: three rows of 4/5 and one of 1/3.
				near(t, "constant", got.Logistic[0].At(7), (3*0.8+1.0/3)/4, 1e-12)
			}
			if got.Method != calibrate.Softmax && c.name == "wrong way" && got.Predict([]float64{-9, 9}) != 0 {
				t.Errorf("%s: scores the wrong way round should say nothing", got.Method)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	good := matrix([][]float64{{1, 2}, {2, 1}})
	for _, f := range fitters(1) {
		if _, err := f.Fit(t.Context(), data.NewMatrix(0, 2), nil); !errors.Is(err, learn.ErrNoRows) {
			t.Errorf("no rows: %v", err)
		}
		for _, c := range []struct {
			s *data.Matrix
			y []int
		}{
			{good, []int{0}}, {good, []int{0, 2}}, {good, []int{-1, 0}}, {data.NewMatrix(1, 1), []int{0}},
			{matrix([][]float64{{math.NaN(), 0}}), []int{0}}, {matrix([][]float64{{math.Inf(1), 0}}), []int{0}},
		} {
			if _, err := f.Fit(t.Context(), c.s, c.y); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v with %v: %v", c.s.Data, c.y, err)
			}
		}
	}
	if _, err := (calibrate.Platt{}).Fit(t.Context(), good, []int{0, 1}); err == nil ||
		!strings.Contains(err.Error(), "tolerance") || !strings.Contains(err.Error(), "steps") {
		t.Errorf("zero recipe: %v", err)
	}
	for _, w := range [][]float64{{1}, {1, -1}, {0, 0}, {1, math.NaN()}} {
		if _, err := (calibrate.Isotonic{Weight: w}).Fit(t.Context(), good, []int{0, 1}); err == nil {
			t.Errorf("weights %v", w)
		}
	}
	if _, err := calibrate.Increasing([]float64{1}, nil, nil); err == nil {
		t.Error("lengths")
	}
	if _, err := calibrate.Increasing([]float64{math.NaN()}, []float64{1}, nil); err == nil {
		t.Error("NaN")
	}
}

func TestWorkersAndCancellation(t *testing.T) {
	s, y := sample(8, 9000, 4, 1)
	for m, f := range fitters(1) {
		want, err := f.Fit(t.Context(), s, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 3} {
			got, err := fitters(workers)[m].Fit(t.Context(), s, y)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers give something else: %v", want.Method, workers, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := f.Fit(ctx, s, y); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", want.Method, err)
		}
	}
}

// TestJSON: what is read back gives the same numbers, and damaged files are
// refused.
func TestJSON(t *testing.T) {
	for _, classes := range []int{2, 4} {
		s, y := sample(9, 80, classes, 1)
		for _, f := range fitters(1) {
			c, err := f.Fit(t.Context(), s, y)
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			back := new(calibrate.Calibration)
			if err := json.Unmarshal(b, back); err != nil || back.Validate() != nil || !reflect.DeepEqual(back, c) {
				t.Errorf("%s comes back as %+v", b, back)
			}
			if bytes.Contains(b, []byte("NaN")) {
				t.Errorf("%s", b)
			}
		}
	}
	for _, c := range []calibrate.Calibration{
		{}, {Method: calibrate.Sigmoid, Classes: 2}, {Method: calibrate.Steps, Classes: 3},
		{Method: calibrate.Softmax, Classes: 2},
		{Method: "other", Classes: 2}, {Method: calibrate.Softmax, Classes: 2, Temperature: math.NaN()},
		{Method: calibrate.Sigmoid, Classes: 2, Logistic: []calibrate.Curve{{Slope: -1}}},
		{Method: calibrate.Steps, Classes: 2, Isotonic: []calibrate.Points{{}}},
		{Method: calibrate.Steps, Classes: 2, Isotonic: []calibrate.Points{{X: []float64{1, 1}, Y: []float64{0, 1}}}},
		{Method: calibrate.Steps, Classes: 2, Isotonic: []calibrate.Points{{X: []float64{1, 2}, Y: []float64{1, 0}}}},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is let through", c)
		}
	}
}

// TestCalibrates draws labels from known probabilities and looks that each
// method finds them: the scores are twice the logarithm of the odds.
func TestCalibrates(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	n := 20_000
	s, y := data.NewMatrix(n, 2), make([]int, n)
	for i := range y {
		z := 2 * rng.NormFloat64() // logarithm of the odds
		if rng.Float64() < 1/(1+math.Exp(-z)) {
			y[i] = 1
		}
		s.Row(i)[0], s.Row(i)[1] = -z, z // softmax at temperature 1 has the odds of 2z
	}
	for _, f := range fitters(1) {
		c, err := f.Fit(t.Context(), s, y)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]float64, 2)
		for _, z := range []float64{-3, -1, 0, 0.5, 2} {
			c.Probabilities(p, []float64{-z, z})
			// Isotonic averages some hundred rows a step: a deviation of 0.02,
			// and this is three of them.
			near(t, string(c.Method), p[1], 1/(1+math.Exp(-z)), 0.06)
		}
	}
}
