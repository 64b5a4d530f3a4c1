package boost_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/run"
)

var weaks = map[string]boost.Weak{"stump": boost.NewStump(), "halfspace": boost.NewHalfspace()}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name string
		o    gen.Options
	}{
		{"halfspace", gen.Options{N: 200, Seed: 1, Margin: 0.1, Dim: 5}},
		{"circle", gen.Options{N: 200, Seed: 1}}, {"moons", gen.Options{N: 65, Seed: 1}},
	} {
		d := made(t, c.name, c.o)
		for name, weak := range weaks {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				a := boost.NewAdaBoost(weak)
				a.Rounds = 25
				kerftest.Learner(t, a, d)
			})
		}
	}
}

// The training error is at most Π 2√(ε(1-ε)), that at most exp(-2·Σ edge²), and
// both are what the model does.
func TestErrorIsWithinTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		d := rough(n, rapid.IntRange(1, 5).Draw(t, "d"), rapid.IntRange(2, 9).Draw(t, "values"),
			rapid.Uint64().Draw(t, "seed"))
		weight := make([]float64, n)
		total := 0.0
		for i := range weight {
			weight[i] = rapid.Float64Range(0.01, 3).Draw(t, "weight")
			total += weight[i]
		}
		name := rapid.SampledFrom([]string{"stump", "halfspace"}).Draw(t, "weak")
		a := boost.NewAdaBoost(weaks[name])
		a.Rounds, d.Weight = 30, weight
		e, report, err := a.Fit(context.Background(), d)
		if errors.Is(err, boost.ErrConstant) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		edges, product := 0.0, 1.0
		for k, r := range e.History {
			edges += r.Edge * r.Edge
			product *= 2 * math.Sqrt(r.Error*(1-r.Error))
			if r.TrainError > r.Bound || r.Bound > math.Exp(-2*edges)*(1+1e-12) || math.Abs(r.Bound-product) > 1e-12 ||
				!(r.Edge > 0) {
				t.Fatalf("round %d: %+v", k, r)
			}
		}
		if len(e.Alpha) == 0 {
			return
		}
		wrong, loss := 0.0, 0.0
		for i, y := range d.Y {
			x := d.X.At(i)
			if e.Predict(x) != y {
				wrong += weight[i] / total
			}
			loss += weight[i] / total * math.Exp(-y*e.Score(x))
		}
		last := e.History[len(e.History)-1]
		if math.Abs(wrong-last.TrainError) > 1e-12 {
			t.Fatalf("error %v by the history and %v by the model", last.TrainError, wrong)
		}
		// The mean of exp(-y·score) is the product of the bound.
		if last.Error > 0 && math.Abs(loss-report.Objective) > 1e-9*loss {
			t.Fatalf("loss %v, objective %v", loss, report.Objective)
		}
	})
}

// A row of weight k is k rows, and one of weight 0 is none, bit for bit.
func TestWeightIsRepetition(t *testing.T) {
	for name, weak := range weaks {
		for s := range uint64(8) {
			d := rough(70, 4, 6, s)
			weight := make([]float64, 70)
			var index []int
			for i := range weight {
				weight[i] = float64((i*5 + int(s)) % 4)
				for range int(weight[i]) {
					index = append(index, i)
				}
			}
			a := boost.NewAdaBoost(weak)
			a.Rounds = 40
			repeated := fit(t, a, d.Select(index))
			d.Weight = weight
			same(t, fmt.Sprint(name, s), repeated, fit(t, a, d))
			for i := range weight {
				weight[i] *= 0.3 // weights that are not whole mean the same
			}
			e := fit(t, a, d)
			if math.Abs(e.History[0].Error-repeated.History[0].Error) > 1e-12 {
				t.Errorf("%s: scaled weights: %v and %v", name, e.History[0], repeated.History[0])
			}
		}
	}
}

func TestWorkers(t *testing.T) {
	for _, n := range []int{2, 2047, 2048, 2049, 5000} {
		d := smooth(n, 9, 5)
		d.Y[0], d.Y[1] = 1, -1
		for name, weak := range weaks {
			a := boost.NewAdaBoost(weak)
			a.Rounds = 20
			a.Run.Workers = 1
			one := fit(t, a, d)
			for _, workers := range []int{2, 3} {
				a.Run.Workers = workers
				same(t, fmt.Sprint(name, n, workers), one, fit(t, a, d))
			}
		}
	}
}

func TestOrderOfRows(t *testing.T) {
	d := smooth(500, 3, 3)
	other := make([]int, 500)
	for i := range other {
		other[i] = (i*7 + 3) % 500
	}
	for name, weak := range weaks {
		a := boost.NewAdaBoost(weak)
		a.Rounds = 30
		same(t, name, fit(t, a, d), fit(t, a, d.Select(other)))
	}
}

// after ends a fit when so many rounds are done.
func after(rounds int64) (context.Context, run.Progress) {
	ctx, cancel := context.WithCancel(context.Background())
	return ctx, run.Progress{Step: func(done int64) {
		if done == rounds {
			cancel()
		}
	}}
}

func TestCancelled(t *testing.T) {
	d := smooth(300, 4, 2)
	for name, weak := range weaks {
		a := boost.NewAdaBoost(weak)
		a.Rounds = 50
		all := fit(t, a, d)
		ctx, progress := after(5)
		a.Run.Progress = progress
		e, report, err := a.Fit(ctx, d)
		if err != nil || report.Status != learn.Cancelled || report.Iterations != 5 || len(e.Alpha) != 5 {
			t.Fatalf("%s: %+v, %v", name, report, err)
		}
		for k := range 5 {
			if e.History[k] != all.History[k] || e.Alpha[k] != all.Alpha[k] {
				t.Errorf("%s: round %d is not that of the whole fit", name, k)
			}
		}
	}
}

func TestStopAtZero(t *testing.T) {
	d := made(t, "halfspace", gen.Options{N: 100, Seed: 1, Margin: 0.2, Dim: 3})
	a := boost.NewAdaBoost(boost.NewStump())
	a.Rounds = 2000
	a.StopAtZero = true
	e, report, err := a.Fit(context.Background(), d)
	if err != nil || report.Status != learn.Converged || len(e.History) == 2000 {
		t.Fatalf("%+v %v", report, err)
	}
	for k, r := range e.History {
		if (r.TrainError == 0) != (k == len(e.History)-1) {
			t.Fatalf("round %d of %d: %+v", k, len(e.History), r)
		}
	}
	a.StopAtZero, a.Rounds = false, len(e.History)+10
	if more := fit(t, a, d); len(more.History) != len(e.History)+10 {
		t.Errorf("%d rounds", len(more.History))
	}
}

// Of xor's four corners no cut is better than chance.
func TestNoEdge(t *testing.T) {
	d := binary{
		X: data.Slice[data.Vector]{data.Dense(-1, -1), data.Dense(-1, 1), data.Dense(1, -1), data.Dense(1, 1)},
		Y: []float64{1, -1, -1, 1},
	}
	e, report, err := boost.NewAdaBoost(boost.NewStump()).Fit(context.Background(), d)
	if err != nil || report.Status != learn.BelowTolerance || len(e.Alpha) != 0 {
		t.Fatalf("%+v %+v %v", e, report, err)
	}
}

func TestOneVsRest(t *testing.T) {
	const n = 600
	m, y := data.NewMatrix(n, 2), make([]int, n)
	for i := range n {
		y[i] = i % 3
		angle := 2*math.Pi/3*float64(y[i]) + 0.9*math.Sin(float64(i))
		copy(m.Row(i), []float64{math.Cos(angle), math.Sin(angle)})
	}
	for name, weak := range weaks {
		o := learn.OneVsRest[data.Vector, *boost.Ensemble]{Learner: boost.NewAdaBoost(weak), Classes: 3}
		e, _, err := o.Fit(context.Background(), data.Labeled[data.Vector, int]{X: m, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i := range n {
			if e.Predict(m.At(i)) != y[i] {
				wrong++
			}
		}
		if wrong > n/50 {
			t.Errorf("%s: %d of %d wrong", name, wrong, n)
		}
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	good := rough(10, 2, 5, 1)
	for name, weak := range weaks {
		a := boost.NewAdaBoost(weak)
		refuse := func(what string, d binary, want string) {
			t.Helper()
			if _, _, err := a.Fit(ctx, d); err == nil || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		refuse("one row", binary{X: data.Slice[data.Vector]{data.Dense(1)}, Y: []float64{1}}, "same label")
		refuse("no coordinates", binary{X: data.NewMatrix(2, 0), Y: []float64{1, -1}}, "alike")
		refuse("zeros", binary{X: data.NewMatrix(2, 3), Y: []float64{1, -1}}, "alike")
		bad := data.NewMatrix(2, 2)
		bad.Data[3] = math.NaN()
		refuse("NaN", binary{X: bad, Y: []float64{1, -1}}, "coordinate 1 is NaN")
		bad.Data[3] = 1e200
		refuse("overflow", binary{X: bad, Y: []float64{1, -1}}, "scale the data down")
		weighted := good
		weighted.Weight = []float64{1, 2}
		refuse("two weights", weighted, "2 weights for 10 rows")
		weighted.Weight = make([]float64, 10)
		refuse("no weight", weighted, "all weights are 0")
		weighted.Weight[0] = 1
		refuse("weight on one class", weighted, "same label")
		a.Run.Memory = 16
		refuse("memory", good, "memory")
	}
	constant := binary{X: data.Slice[data.Vector]{data.Dense(3, -2), data.Dense(3, -2)}, Y: []float64{1, -1}}
	if _, _, err := boost.NewAdaBoost(boost.NewStump()).Fit(ctx, constant); !errors.Is(err, boost.ErrConstant) {
		t.Errorf("constant coordinates: %v", err)
	}
	err := boost.AdaBoost{}.Validate()
	for _, want := range []string{"weak learner is missing", "rounds is 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// other is a weak learner from outside the package: always the first coordinate.
type other struct{ rule boost.Rule }

func (other) Validate() error { return nil }

func (o other) Prepare(context.Context, run.Control, *boost.Sample) (boost.Finder, error) {
	return o, nil
}

func (o other) Find(context.Context, boost.Weights) (boost.Found, error) {
	return boost.Found{Rule: o.rule, OK: true}, nil
}

func TestOwnWeakLearner(t *testing.T) {
	d := smooth(100, 3, 9)
	e, report, err := boost.NewAdaBoost(other{boost.Rule{W: []float64{0, 0, 1}}}).Fit(context.Background(), d)
	// The same rule again has error 1/2 by the new weights: one round.
	if err != nil || len(e.Alpha) > 2 || len(e.Alpha) < 1 || report.Status != learn.BelowTolerance {
		t.Errorf("%+v %v, %d rules", report, err, len(e.Alpha))
	}
	for _, bad := range []boost.Rule{
		{W: []float64{1}}, {W: []float64{0, 0, math.NaN()}}, {W: []float64{0, 0, 1}, Bias: math.Inf(1)},
		{Cut: boost.Cut{Feature: 3, Sign: 1}}, {Cut: boost.Cut{Feature: -1, Sign: 1}},
		{Cut: boost.Cut{Sign: 2}}, {Cut: boost.Cut{Sign: 1, Threshold: math.NaN()}},
	} {
		if _, _, err := boost.NewAdaBoost(other{bad}).Fit(context.Background(), d); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
}
