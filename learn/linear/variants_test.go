package linear_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

var (
	_ learn.Learner[data.Vector, float64, *linear.Separator] = linear.AveragedPerceptron{}
	_ learn.Learner[data.Vector, float64, *linear.Separator] = linear.MarginPerceptron{}
	_ learn.Learner[data.Vector, float64, *linear.Voted]     = linear.VotedPerceptron{}
	_ learn.Learner[data.Vector, float64, *linear.Separator] = linear.Pegasos{}
)

// made returns a set of package gen.
func made(t testing.TB, name string, o gen.Options) sample {
	t.Helper()
	x, labels, err := gen.Make(context.Background(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	d := sample{X: x, Y: make([]float64, len(labels))}
	for i, l := range labels {
		d.Y[i] = -1
		if l == "1" {
			d.Y[i] = 1
		}
	}
	return d
}

func TestVariantsConform(t *testing.T) {
	for name, o := range map[string]gen.Options{
		"halfspace": {N: 200, Seed: 1, Margin: 0.1, Dim: 5},
		"circle":    {N: 200, Seed: 1},
	} {
		d := made(t, name, o)
		t.Run("averaged/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewAveragedPerceptron(), d) })
		t.Run("voted/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewVotedPerceptron(), d) })
		t.Run("margin/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewMarginPerceptron(), d) })
		t.Run("pegasos/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewPegasos(), d) })
		t.Run("ridge/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewRidge(), d) })
		if name == "halfspace" {
			t.Run("program/"+name, func(t *testing.T) { kerftest.Learner(t, linear.NewProgram(), d) })
		}
	}
}

// Novikoff's bound for each variant on unit vectors with margin γ.
func TestVariantMistakes(t *testing.T) {
	for _, gamma := range []float64{0.3, 0.2, 0.1, 0.05, 0.02} {
		for _, shuffle := range []bool{false, true} {
			d := made(t, "halfspace", gen.Options{N: 2000, Seed: 3, Margin: gamma, Dim: 20})
			bound := 1 / (gamma * gamma)
			averaged := linear.NewAveragedPerceptron()
			averaged.Unit, averaged.MaxPasses, averaged.Shuffle = 0, 1000, shuffle
			_, a, err := averaged.Fit(t.Context(), d)
			if err != nil || a.Status != learn.Converged || float64(a.Mistakes) > bound {
				t.Errorf("γ=%v averaged: %v, %+v, bound %v", gamma, err, a, bound)
			}
			voted := linear.NewVotedPerceptron()
			voted.Unit, voted.MaxPasses, voted.Shuffle = 0, 1000, shuffle
			m, v, err := voted.Fit(t.Context(), d)
			if err != nil || v.Status != learn.Converged || float64(v.Mistakes) > bound || len(m.Votes) != v.Mistakes {
				t.Errorf("γ=%v voted: %v, %+v, bound %v", gamma, err, v, bound)
			}
			if a.Mistakes != v.Mistakes {
				t.Errorf("γ=%v: averaged made %d mistakes, voted %d on the same rows", gamma, a.Mistakes, v.Mistakes)
			}
			for _, part := range []float64{0, 0.5, 0.9} {
				recipe := linear.NewMarginPerceptron()
				recipe.Unit, recipe.Margin, recipe.MaxPasses, recipe.Shuffle = 0, part*gamma, 10000, shuffle
				s, r, err := recipe.Fit(t.Context(), d)
				if err != nil || r.Status != learn.Converged || float64(r.Mistakes) > recipe.Bound(gamma) {
					t.Errorf("γ=%v β=%v: %v, %+v, bound %v", gamma, recipe.Margin, err, r, recipe.Bound(gamma))
				}
				if least := marginOf(d, s); least < recipe.Margin*(1-1e-12) || least <= 0 {
					t.Errorf("γ=%v β=%v: margin %v", gamma, recipe.Margin, least)
				}
				if !shuffle {
					t.Logf("γ=%v β=%.3f: %d updates of at most %.0f", gamma, recipe.Margin, r.Mistakes, recipe.Bound(gamma))
				}
			}
		}
	}
}

// The mean of the weights and the vote, from their definitions with every
// separator written out.
func TestAveragedAndVotedOracle(t *testing.T) {
	for _, n := range []int{2, 7, 8, 9, 63, 64, 65, 300} {
		d := noisy(n, 4, 0.2, uint64(n))
		const unit, passes = 0.5, 3
		var all []linear.Separator
		var count []int
		w := linear.Separator{W: make([]float64, 4), Unit: unit}
		mean, seen := linear.Separator{W: make([]float64, 4), Unit: unit}, 0.0
		mistakes := 0
		for range passes {
			clean := true
			for i, y := range d.Y {
				if !(y*w.Score(d.X.At(i)) > 0) {
					w.W = append([]float64{}, w.W...)
					d.X.At(i).AddTo(w.W, y)
					w.Bias += y * unit
					all, count = append(all, w), append(count, 0)
					mistakes++
					clean = false
				}
				count[len(count)-1]++
				for j := range w.W {
					mean.W[j] += w.W[j]
				}
				mean.Bias += w.Bias
				seen++
			}
			if clean {
				break
			}
		}
		averaged := linear.AveragedPerceptron{MaxPasses: passes, Unit: unit}
		a, r, err := averaged.Fit(t.Context(), d)
		if err != nil || r.Mistakes != mistakes {
			t.Fatalf("n=%d: %v, %+v, want %d mistakes", n, err, r, mistakes)
		}
		for j := range mean.W {
			mean.W[j] /= seen
		}
		nearAll(t, "mean", append(a.W, a.Bias), append(mean.W, mean.Bias/seen), 1e-12)

		v, _, err := linear.VotedPerceptron{MaxPasses: passes, Unit: unit}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		nearAll(t, "last", append(v.Last(4).W, v.Last(4).Bias), append(w.W, w.Bias), 1e-12)
		test := noisy(50, 4, 0, 77)
		for i := range 50 {
			sum, total := 0, 0
			for k := range all {
				total += count[k]
				if all[k].Score(test.X.At(i)) >= 0 {
					sum += count[k]
				} else {
					sum -= count[k]
				}
			}
			if got := v.Score(test.X.At(i)); got != float64(sum)/float64(total) {
				t.Errorf("n=%d: vote %v, want %d/%d", n, got, sum, total)
			}
		}
	}
}

// On noisy rows the mean errs less than the last weights.
func TestAveragedHelps(t *testing.T) {
	d, test := noisy(2000, 10, 0.15, 5), noisy(2000, 10, 0.15, 5)
	averaged := linear.NewAveragedPerceptron()
	a, _, err := averaged.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	voted := linear.NewVotedPerceptron()
	voted.MaxPasses = 10
	v, _, err := voted.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(p learn.Predictor[data.Vector, float64]) int {
		n := 0
		for i, y := range test.Y {
			if p.Predict(test.X.At(i)) != y {
				n++
			}
		}
		return n
	}
	last := v.Last(10)
	if wrong(a) >= wrong(last) || wrong(a) > 360 {
		t.Errorf("mean errs on %d, vote on %d, last on %d of 2000", wrong(a), wrong(v), wrong(last))
	}
}

// TestAveragedWeights: a row of weight k is the row k times in succession, and one
// of weight k + ½ is looked at once more by half, with a mistake of half the size:
// as the definition has it, look by look.
func TestAveragedWeights(t *testing.T) {
	d := noisy(100, 3, 0.1, 4)
	for _, normalize := range []bool{false, true} {
		recipe := linear.AveragedPerceptron{MaxPasses: 5, Unit: 1, Normalize: normalize}
		kerftest.Weights(t, recipe, d, 1e-12)
	}
	recipe := linear.AveragedPerceptron{MaxPasses: 3}
	d.Weight = make([]float64, 100)
	w, sum, seen := make([]float64, 3), make([]float64, 3), 0.0
	for range 3 {
		for i := range d.Y {
			c := float64(i%9) / 2 // 0 to 4
			d.Weight[i] = c
			for ; c > 0; c-- {
				x, part := d.X.At(i), min(c, 1)
				if d.Y[i]*x.DotWith(w) <= 0 {
					x.AddTo(w, part*d.Y[i])
				}
				seen += part
				for j := range w {
					sum[j] += part * w[j]
				}
			}
		}
	}
	got, _, err := recipe.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for j := range sum {
		if want := sum[j] / seen; math.Abs(got.W[j]-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("coordinate %d is %v, want %v", j, got.W[j], want)
		}
	}
}

// Long and short rows are alike to the margin perceptron; rows of length 0 never
// come right, and the best pass is kept.
func TestMarginPerceptronKeepsBest(t *testing.T) {
	d := withMargin(100, 5, 0.1, 2)
	m := d.X.(*data.Matrix)
	for i := range m.Rows {
		for j := range m.Row(i) {
			m.Row(i)[j] *= math.Ldexp(1, i%40)
		}
	}
	recipe := linear.NewMarginPerceptron()
	recipe.Unit, recipe.Margin = 0, 0.05
	if _, r, err := recipe.Fit(t.Context(), d); err != nil || r.Status != learn.Converged ||
		float64(r.Mistakes) > recipe.Bound(0.1) {
		t.Errorf("%v, %+v", err, r)
	}
	clear(m.Row(7))
	recipe.MaxPasses = 50
	var first *linear.Separator
	for _, workers := range []int{1, 2, 3} {
		recipe.Run = run.Control{Workers: workers}
		s, r, err := recipe.Fit(t.Context(), d)
		if err != nil || r.Status != learn.IterationLimit || r.Iterations != 50 {
			t.Fatalf("%v, %+v", err, r)
		}
		if first == nil {
			first = s
		}
		if !reflect.DeepEqual(first, s) {
			t.Errorf("%d workers give other bits", workers)
		}
	}
	wrong := 0
	for i, y := range d.Y {
		if y*first.Score(d.X.At(i)) <= 0 {
			wrong++
		}
	}
	if wrong > 5 {
		t.Errorf("the best of 50 passes errs on %d of 100", wrong)
	}
}

func TestVariantsStop(t *testing.T) {
	d := noisy(500, 4, 0.3, 1)
	for name, fit := range map[string]func(ctx context.Context, progress run.Progress) (learn.Report, error){
		"averaged": func(ctx context.Context, progress run.Progress) (learn.Report, error) {
			p := linear.NewAveragedPerceptron()
			p.Run.Progress = progress
			_, r, err := p.Fit(ctx, d)
			return r, err
		},
		"voted": func(ctx context.Context, progress run.Progress) (learn.Report, error) {
			p := linear.NewVotedPerceptron()
			p.MaxPasses, p.Run.Progress = 10, progress
			_, r, err := p.Fit(ctx, d)
			return r, err
		},
		"margin": func(ctx context.Context, progress run.Progress) (learn.Report, error) {
			p := linear.NewMarginPerceptron()
			p.Run.Progress = progress
			_, r, err := p.Fit(ctx, d)
			return r, err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := fit(ctx, run.Progress{Step: func(done int64) {
			if done == 2 {
				cancel()
			}
		}})
		cancel()
		if err != nil || r.Status != learn.Cancelled || r.Iterations != 2 {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
}

func TestVariantFaults(t *testing.T) {
	for want, err := range map[string]error{
		"max passes is 0":         linear.AveragedPerceptron{}.Validate(),
		"unit is -1":              linear.VotedPerceptron{Unit: -1}.Validate(),
		"margin is 1":             linear.MarginPerceptron{Margin: 1}.Validate(),
		"margin is NaN":           linear.MarginPerceptron{Margin: math.NaN()}.Validate(),
		"lambda is 0":             linear.Pegasos{}.Validate(),
		"batch is 0":              linear.Pegasos{}.Validate(),
		"epochs is 0":             linear.Pegasos{}.Validate(),
		"save rows is 0":          linear.Pegasos{}.Validate(),
		"scale is 0 and shrunk":   (&linear.PegasosState{}).Validate(),
		"state has 1 weights and": (&linear.PegasosState{Scale: 1, Shrunk: 1, V: []float64{1}}).Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if b := (linear.MarginPerceptron{Margin: 0.2}).Bound(0.1); !math.IsInf(b, 1) {
		t.Errorf("bound below the margin asked for: %v", b)
	}
}

// corners are four points and the side they are on.
var corners = data.Labeled[data.Vector, float64]{
	X: data.Slice[data.Vector]{data.Dense(-1, 0), data.Dense(-1, 1), data.Dense(1, 0), data.Dense(1, 1)},
	Y: []float64{-1, -1, 1, 1},
}

func ExampleNewAveragedPerceptron() {
	recipe := linear.NewAveragedPerceptron()
	recipe.MaxPasses = 100
	separator, report, err := recipe.Fit(context.Background(), corners)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, separator.Predict(data.Dense(3, 1)), separator.Predict(data.Dense(-3, 1)))
	// Output: converged 1 -1
}

func ExampleNewVotedPerceptron() {
	recipe := linear.NewVotedPerceptron()
	recipe.MaxPasses = 100
	separator, report, err := recipe.Fit(context.Background(), corners)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, separator.Predict(data.Dense(3, 1)), separator.Predict(data.Dense(-3, 1)))
	// Output: converged 1 -1
}

func ExampleNewMarginPerceptron() {
	recipe := linear.NewMarginPerceptron()
	recipe.MaxPasses = 100
	separator, report, err := recipe.Fit(context.Background(), corners)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, separator.Predict(data.Dense(3, 1)), separator.Predict(data.Dense(-3, 1)))
	// Output: converged 1 -1
}
