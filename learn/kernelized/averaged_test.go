package kernelized_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

type binaryLearner = learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]]

var (
	_ binaryLearner                = kernelized.AveragedPerceptron[data.Vector]{}
	_ binaryLearner                = kernelized.BudgetPerceptron[data.Vector]{}
	_ learn.Separator[data.Vector] = (*kernelized.Voted[data.Vector])(nil)
)

// shuffled returns the order of a pass; orders follow from each other.
func shuffled(order []int, s uint64, pass int) {
	rng := seed.Stream(s, seed.Shuffle, uint64(pass))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}

// walk runs the perceptron from its definition and hands over the weights after
// every instance that is shown. It returns the passes made.
func walk(g [][]float64, y []float64, passes int, margin float64, s uint64, after func(weight []float64)) int {
	weight, order := make([]float64, len(y)), make([]int, len(y))
	for i := range order {
		order[i] = i
	}
	for pass := range passes {
		shuffled(order, s, pass)
		made := 0
		for _, i := range order {
			score := 0.0
			for j, a := range weight {
				score += a * g[i][j]
			}
			if y[i]*score <= margin {
				weight[i] += y[i]
				made++
			}
			after(weight)
		}
		if made == 0 {
			return pass + 1
		}
	}
	return passes
}

func TestAveragedAgainstDefinition(t *testing.T) {
	d := integers(33, 3) // scores are exact
	for _, margin := range []float64{0, 2.5} {
		p := kernelized.NewAveragedPerceptron[data.Vector](kernel.Linear{})
		p.MaxPasses, p.Margin, p.Seed = 4, margin, 5
		e, report, err := p.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := p.FitVoted(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		g := gramOf(p.Kernel, d.X, d.X)
		sum, shown := make([]float64, 33), 0
		votes := make([]float64, 33) // for each instance
		passes := walk(g, d.Y, 4, margin, 5, func(weight []float64) {
			shown++
			for i, a := range weight {
				sum[i] += a
			}
			for i := range votes {
				score := 0.0
				for j, a := range weight {
					score += a * g[i][j]
				}
				if score >= 0 {
					votes[i]++
				} else {
					votes[i]--
				}
			}
		})
		if report.Iterations != passes || report.Status != learn.IterationLimit {
			t.Errorf("%+v after %d passes", report, passes)
		}
		for i := range d.Y {
			score := 0.0
			for j, a := range sum {
				score += a * g[i][j]
			}
			isNear(t, "score", e.Score(d.X.At(i)), score/float64(shown), 1e-11)
			isNear(t, "vote", v.Score(d.X.At(i)), votes[i]/float64(shown), 1e-15)
		}
	}
}

// Where it converges with a margin, the last separator has it.
func TestAveragedConverges(t *testing.T) {
	d := ring(120)
	p := kernelized.NewAveragedPerceptron[data.Vector](kernel.Gaussian{Gamma: 1})
	p.MaxPasses, p.Margin = 1000, 1
	e, report, err := p.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if report.Status != learn.Converged || report.Support != len(e.Weight) || report.Mistakes < report.Support {
		t.Errorf("%+v", report)
	}
	for i, y := range d.Y {
		if e.Predict(d.X.At(i)) != y {
			t.Errorf("row %d is not learnt", i)
		}
	}
}

func TestAveragedClassesAndWorkers(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := sectors(90, classes)
		p := kernelized.NewAveragedPerceptron[data.Vector](kernel.Gaussian{Gamma: 2})
		p.MaxPasses = 6
		var first []float64
		for _, workers := range []int{1, 2, 3} {
			p.Run.Workers = workers
			m, _, err := p.FitClasses(t.Context(), d, classes)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = m.Weight.Data
				checkOneVsRest(t, m, d, classes, func(d sample) (*kernelized.Expansion[data.Vector], error) {
					e, _, err := p.Fit(t.Context(), d)
					return e, err
				})
			}
			if !slices.Equal(first, m.Weight.Data) {
				t.Fatalf("%d workers give other bits", workers)
			}
		}
	}
}

func TestAveragedConformance(t *testing.T) {
	kerftest.Learner(t, kernelized.NewAveragedPerceptron[data.Vector](kernel.Gaussian{Gamma: 1}), ring(150))
}

func TestPerceptronRefusals(t *testing.T) {
	a := kernelized.AveragedPerceptron[data.Vector]{Margin: -1}.Validate()
	b := kernelized.BudgetPerceptron[data.Vector]{Margin: math.Inf(1)}.Validate()
	for _, part := range []string{"kernel is missing", "max passes is 0", "margin is "} {
		for _, err := range []error{a, b} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
	}
	if !strings.Contains(b.Error(), "budget is 0") {
		t.Errorf("%q does not say that the budget is 0", b)
	}
}

// Within its budget it is the perceptron.
func TestBudgetIsPerceptron(t *testing.T) {
	d := ring(600) // more than two chunks
	k := kernel.Gaussian{Gamma: 1}
	p := kernelized.NewPerceptron[data.Vector](k)
	p.Seed = 3
	plain, plainReport, err := p.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	b := kernelized.NewBudgetPerceptron[data.Vector](k)
	b.MaxPasses, b.Budget, b.Seed = 1000, 10_000, 3
	e, report, err := b.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if report.Mistakes != plainReport.Mistakes || report.Iterations != plainReport.Iterations ||
		report.Status != learn.Converged {
		t.Errorf("%+v, perceptron %+v", report, plainReport)
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), plain.Score(d.X.At(i)), 1e-12)
	}
}

// The definition: a mistake beyond the budget takes the place of a random one.
func TestBudgetAgainstDefinition(t *testing.T) {
	d := integers(600, 3) // scores are exact
	const budget, passes = 20, 3
	b := kernelized.NewBudgetPerceptron[data.Vector](kernel.Linear{})
	b.Budget, b.MaxPasses, b.Seed = budget, passes, 8
	e, report, err := b.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	drop := seed.Stream(8, seed.Landmarks, 0)
	order, kept, best := make([]int, 600), []int{}, []int{}
	for i := range order {
		order[i] = i
	}
	fewest, all := 601, 0
	for pass := range passes {
		shuffled(order, 8, pass)
		made := 0
		for _, i := range order {
			score := 0.0
			for _, j := range kept {
				score += d.Y[j] * d.X.At(j).Dot(d.X.At(i))
			}
			if d.Y[i]*score > 0 {
				continue
			}
			made++
			if len(kept) < budget {
				kept = append(kept, i)
			} else {
				kept[drop.IntN(budget)] = i
			}
		}
		all += made
		if made < fewest {
			fewest, best = made, slices.Clone(kept)
		}
	}
	if report.Mistakes != all || report.Support != len(best) || report.Status != learn.IterationLimit {
		t.Errorf("%+v, want %d mistakes", report, all)
	}
	for k, i := range best {
		if e.Weight[k] != d.Y[i] || !slices.Equal(e.Support.At(k).Value, d.X.At(i).Value) {
			t.Fatalf("instance %d kept is another", k)
		}
	}
	for _, workers := range []int{1, 2, 3} {
		b.Run.Workers = workers
		if again, _, err := b.Fit(t.Context(), d); err != nil || !slices.Equal(again.Weight, e.Weight) {
			t.Fatalf("%d workers give another model: %v", workers, err)
		}
	}
}

func TestBudgetConformance(t *testing.T) {
	kerftest.Learner(t, kernelized.NewBudgetPerceptron[data.Vector](kernel.Gaussian{Gamma: 1}), ring(150))
	small := kernelized.NewBudgetPerceptron[data.Vector](kernel.Gaussian{Gamma: 1})
	small.Budget = 10
	kerftest.Learner(t, small, ring(150))
}

func TestBudgetCancelled(t *testing.T) {
	b := kernelized.NewBudgetPerceptron[data.Vector](kernel.Linear{})
	b.MaxPasses = 1000
	ctx, cancel := context.WithCancel(t.Context())
	b.Run.Progress.Step = func(done int64) {
		if done == 2 {
			cancel()
		}
	}
	e, report, err := b.Fit(ctx, integers(300, 3))
	if err != nil || report.Status != learn.Cancelled || report.Iterations != 2 || len(e.Weight) == 0 {
		t.Errorf("%v %+v", err, report)
	}
}
