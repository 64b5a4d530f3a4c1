package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// hang is how long a fit whose context has ended may take before it counts as one
// that does not look at it. It is generous: machines may be busy.
const hang = 60 * time.Second

// noise is a sample that has nothing to be learnt: n points with classes, or numbers,
// at random.
func noise(n, classes int, task model.Task) model.Sample[data.Vector] {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x, labels, values := data.NewMatrix(n, 5), make([]string, n), make([]float64, n)
	for i := range n {
		for j := range x.Cols {
			x.Row(i)[j] = rng.NormFloat64()
		}
		labels[i], values[i] = fmt.Sprint(i%classes), rng.NormFloat64()
	}
	if task == model.Regress {
		return model.Numbers(data.Labeled[data.Vector, float64]{X: x, Y: values})
	}
	return model.Labels(data.Labeled[data.Vector, string]{X: x, Y: labels})
}

// endless returns a learner with limits that it does not reach.
func endless(t *testing.T, name string) model.Learner {
	t.Helper()
	plain, err := model.NewLearner[data.Vector](name, nil)
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]any{}
	for field, v := range map[string]any{"max_passes": 1 << 40, "rounds": 1 << 40, "steps": 1 << 40, "epochs": 1 << 40,
		"max_steps": 1 << 40, "max_iterations": 1 << 40, "tolerance": 1e-15, "C": 1e6} {
		if model.Accepts(plain, field) {
			args[field] = v
		}
	}
	l, err := model.NewLearner[data.Vector](name, args)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ended calls fit with a context that ends soon after the first report of its learner
// or map, and checks that there was one and that the call returns.
func ended(t *testing.T, stage string, fit func(ctx context.Context, p run.Progress) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	within, reports := false, 0
	report := func() {
		if within {
			reports++
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}
	progress := run.Progress{
		Start: func(task string, _ int64) { within = within || task == stage; report() },
		Step:  func(int64) { report() },
	}
	done := make(chan error, 1)
	go func() { done <- fit(ctx, progress) }()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(hang):
		t.Fatalf("it did not end in %v", hang)
	}
	if reports < 2 { // the stage itself, and something in it
		t.Errorf("%d reports of %s", reports, stage)
	}
}

// TestLearnersEnd: every learner reports what it does, and stops when it is told to,
// however far its limits are, with two classes and with many.
func TestLearnersEnd(t *testing.T) {
	for _, l := range model.Learners[data.Vector]() {
		for _, classes := range []int{2, 40} {
			traits := l.Traits()
			task := model.Classify
			if !traits.Can(task) {
				task = model.Regress
			}
			if classes > 2 && (task == model.Regress || traits.Unsupervised || l.Name() == model.LearnerNuSVM) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", l.Name(), classes), func(t *testing.T) {
				ended(t, "train", func(ctx context.Context, p run.Progress) error {
					r := model.Recipe[data.Vector]{Kernel: kernel.Gaussian{Gamma: 100}, Learner: endless(t, l.Name()), Seed: 1,
						Map: model.None[data.Vector]{}, Run: run.Control{Workers: 2, Progress: p}}
					if !traits.Kernel {
						r.Map = model.NewF2[data.Vector](50)
					}
					_, training, err := r.FitSample(ctx, noise(400, classes, task))
					if err == nil && training.Status == learn.TimeLimit {
						t.Error("a time limit that nobody set")
					}
					return err
				})
			})
		}
	}
}

// TestMapsEnd: every map reports what it does, and stops when it is told to.
func TestMapsEnd(t *testing.T) {
	for _, name := range model.MapNames() {
		if slices.Contains([]string{model.MapNone, model.MapExplicit, model.MapPowers}, name) {
			continue // there is nothing to do, or it is for strings and sets, or for a single coordinate
		}
		t.Run(name, func(t *testing.T) {
			m, err := model.NewMapper[data.Vector](name, nil)
			if err != nil {
				t.Fatal(err)
			}
			k := kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 1})
			if name == model.MapMonomials || name == model.MapSketch {
				k = kernel.Polynomial{Degree: 2, Coef: 1, Gamma: 1}
			}
			if model.SizedMap(name) {
				m = model.Resize(m, 512)
			}
			ended(t, "map", func(ctx context.Context, p run.Progress) error {
				r := model.Recipe[data.Vector]{Kernel: k, Learner: model.NewPegasos(), Seed: 1, Map: m,
					Run: run.Control{Workers: 2, Progress: p}}
				_, _, err := r.FitSample(ctx, noise(3000, 2, model.Classify))
				return err
			})
		})
	}
}
