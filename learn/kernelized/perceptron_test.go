package kernelized_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

type sample = data.Labeled[data.Vector, float64]

// The recipe is a learner of binary problems.
var _ learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]] = kernelized.Perceptron[data.Vector]{}

// integers returns n rows of small integers, on which sums of products are
// exact, with labels that no separator through the origin fits.
func integers(n, d int) sample {
	rng := seed.Stream(1, seed.Generator, 0)
	m, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range n {
		for j := range m.Row(i) {
			m.Row(i)[j] = float64(rng.IntN(9) - 4)
		}
		y[i] = float64(1 - 2*rng.IntN(2))
	}
	y[0], y[n-1] = 1, -1
	return sample{X: m, Y: y}
}

// ring returns points inside (+1) and outside (-1) a circle.
func ring(n int) sample {
	rng := seed.Stream(2, seed.Generator, 0)
	m, y := data.NewMatrix(n, 2), make([]float64, n)
	for i := range n {
		r, a := 0.8*rng.Float64(), 2*math.Pi*rng.Float64()
		y[i] = 1
		if i%2 == 1 {
			r, y[i] = r+1.2, -1
		}
		m.Row(i)[0], m.Row(i)[1] = r*math.Cos(a), r*math.Sin(a)
	}
	return sample{X: m, Y: y}
}

// On the linear kernel it makes the mistakes of the linear perceptron, one by
// one: after every prefix of the first pass and after every number of passes.
func TestSameAsLinear(t *testing.T) {
	all := integers(33, 3)
	for _, shuffle := range []bool{false, true} {
		for n := 2; n <= 33; n++ {
			d := sample{X: data.Range[data.Vector]{Of: all.X, Hi: n}, Y: append([]float64{}, all.Y[:n]...)}
			d.Y[n-1] = -d.Y[0]
			for _, passes := range []int{1, 2, 3, 10} {
				p := kernelized.NewPerceptron[data.Vector](kernel.Linear{})
				p.MaxPasses, p.Shuffle, p.Seed = passes, shuffle, 7
				e, r, err := p.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				s, want, err := linear.Perceptron{MaxPasses: passes, Shuffle: shuffle, Seed: 7}.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				w := make([]float64, 3)
				for k, a := range e.Weight {
					e.Support.At(k).AddTo(w, a)
				}
				if r.Mistakes != want.Mistakes || r.Status != want.Status || r.Iterations != want.Iterations ||
					!reflect.DeepEqual(w, s.W) {
					t.Errorf("n=%d passes=%d: w=%v %+v, linear w=%v %+v", n, passes, w, r, s.W, want)
				}
			}
		}
	}
}

func TestRing(t *testing.T) {
	for _, n := range []int{2, 7, 8, 9, 31, 32, 33, 300} {
		d := ring(n)
		var counter run.Counter
		p := kernelized.NewPerceptron[data.Vector](kernel.Gaussian{Gamma: 1})
		p.Run.Counter = &counter
		e, r, err := p.Fit(t.Context(), d)
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("n=%d: %v, %+v", n, err, r)
		}
		if r.Support != len(e.Weight) || r.Support != e.Support.Len() || r.Mistakes < r.Support {
			t.Errorf("n=%d: %d weights, %d instances, %+v", n, len(e.Weight), e.Support.Len(), r)
		}
		// Rows stay in memory: each is computed once at most.
		if r.Evaluations != counter.Count() || r.Evaluations != int64(n*r.Support) {
			t.Errorf("n=%d: %d evaluations, counted %d, support %d", n, r.Evaluations, counter.Count(), r.Support)
		}
		for i, y := range d.Y {
			if e.Predict(d.X.At(i)) != y {
				t.Errorf("n=%d: row %d is on the wrong side", n, i)
			}
		}
		op, err := gram.NewRowCache[data.Vector, float64](run.Control{}, p.Kernel, d.X, 1)
		if err != nil {
			t.Fatal(err)
		}
		counts, solved, err := p.Solve(t.Context(), op, d.Y)
		if err != nil || solved.Mistakes != r.Mistakes || solved.Support != r.Support {
			t.Errorf("n=%d: on the operator: %v, %+v, want %+v", n, err, solved, r)
		}
		k := 0
		for i, c := range counts {
			if c > 0 {
				if e.Weight[k] != float64(c)*d.Y[i] {
					t.Errorf("n=%d: weight %v of a count of %d", n, e.Weight[k], c)
				}
				k++
			}
		}
	}
}

// All classes at once give what each gives alone.
func TestClasses(t *testing.T) {
	for _, classes := range []int{2, 3, 5} {
		d := ring(200)
		y := make([]int, 200)
		for i := range y {
			x := d.X.At(i).Value
			y[i] = int((math.Atan2(x[0], x[1])/math.Pi + 1) / 2 * float64(classes))
		}
		p := kernelized.NewPerceptron[data.Vector](kernel.Gaussian{Gamma: 2})
		p.MaxPasses = 20 // not always separated: the best so far counts as well
		m, r, err := p.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: y}, classes)
		if err != nil || m.Classes() != classes || r.Support != m.Support.Len() {
			t.Fatalf("%v, %+v", err, r)
		}
		mistakes := 0
		scores := make([]float64, classes)
		for k := range learn.Separators(classes) {
			class := learn.PositiveClass(k, classes)
			e, alone, err := p.Fit(t.Context(), sample{X: d.X, Y: learn.Against(nil, y, class)})
			if err != nil {
				t.Fatal(err)
			}
			mistakes += alone.Mistakes
			if got := m.Class(class); !reflect.DeepEqual(got, e) {
				t.Errorf("class %d of %d differs from the one fitted alone", class, classes)
			}
			for i := range 5 {
				m.Scores(scores, d.X.At(i))
				if want := e.Score(d.X.At(i)); math.Abs(scores[class]-want) > 1e-9 {
					t.Errorf("class %d: score %v, alone %v", class, scores[class], want)
				}
			}
		}
		if mistakes != r.Mistakes {
			t.Errorf("%d classes: %d mistakes, alone %d", classes, r.Mistakes, mistakes)
		}
		wrong := 0
		for i := range y {
			if m.Predict(d.X.At(i)) != y[i] {
				wrong++
			}
		}
		if wrong > 20 {
			t.Errorf("%d classes: %d of 200 wrong", classes, wrong)
		}
	}
}

func TestWorkers(t *testing.T) {
	var first *kernelized.Expansion[data.Vector]
	for _, workers := range []int{1, 2, 5} {
		p := kernelized.NewPerceptron[data.Vector](kernel.Gaussian{Gamma: 1})
		p.Run.Workers = workers
		e, _, err := p.Fit(t.Context(), ring(1000))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
		}
		if !reflect.DeepEqual(e, first) {
			t.Errorf("%d workers give another model", workers)
		}
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := kernelized.NewPerceptron[data.Vector](kernel.Linear{}) // does not separate
	p.Run.Progress.Step = func(done int64) {
		if done == 3 {
			cancel()
		}
	}
	e, r, err := p.Fit(ctx, ring(100))
	if err != nil || r.Status != learn.Cancelled || r.Iterations != 3 || len(e.Weight) == 0 {
		t.Errorf("%v, %+v", err, r)
	}
	e, r, err = p.Fit(ctx, ring(100))
	if err != nil || r.Status != learn.Cancelled || len(e.Weight) != 0 || e.Score(data.Dense(1)) != 0 {
		t.Errorf("cancelled before: %v, %+v", err, r)
	}
}

func TestFaults(t *testing.T) {
	err := kernelized.Perceptron[data.Vector]{Kernel: kernel.Gaussian{}}.Validate()
	if err == nil || !strings.Contains(err.Error(), "gamma") || !strings.Contains(err.Error(), "max passes is 0") {
		t.Errorf("faults: %v", err)
	}
	if err := (kernelized.Perceptron[string]{MaxPasses: 1}).Validate(); err == nil {
		t.Error("no kernel, no fault")
	}
	p := kernelized.NewPerceptron[data.Vector](kernel.Linear{})
	if _, _, err := p.Fit(t.Context(), sample{X: data.Slice[data.Vector]{data.Dense(1)},
		Y: []float64{1}}); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one row: %v", err)
	}
	if _, _, err := p.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: data.Slice[data.Vector]{}},
		3); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	if _, _, err := p.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: data.Slice[data.Vector]{}},
		1); err == nil {
		t.Error("one class: no error")
	}
	nan := func(x, y data.Vector) float64 { return math.NaN() }
	broken := kernelized.NewPerceptron[data.Vector](kernel.Func[data.Vector](nan))
	if _, _, err := broken.Fit(t.Context(), ring(9)); err == nil {
		t.Error("a kernel of NaN: no error")
	}
}

func ExampleNewPerceptron() {
	// A kernel on strings: how many letters they have in common.
	common := kernel.Func[string](func(x, y string) float64 {
		n := 0
		for _, c := range "abcdefghijklmnopqrstuvwxyz" {
			if strings.ContainsRune(x, c) && strings.ContainsRune(y, c) {
				n++
			}
		}
		return float64(n)
	})
	d := data.Labeled[string, float64]{X: data.Slice[string]{"kernel", "letter", "margin", "pair"},
		Y: []float64{1, 1, -1, -1}}
	e, report, err := kernelized.NewPerceptron[string](common).Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, e.Predict("better"), e.Predict("main"))
	// Output: converged 1 -1
}
