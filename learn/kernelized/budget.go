package kernelized

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// BudgetPerceptron is the perceptron in the feature space of a kernel that keeps
// at most Budget instances: a mistake that would be one more takes the place of
// one drawn at random (Cavallanti, Cesa-Bianchi and Gentile 2007). In expectation
// its mistakes are bounded in terms of the hinge loss of any separator whose
// length is at most of the order of √(Budget/ln Budget). Below the budget it is
// the perceptron itself. Weights are whole numbers: an instance of weight k is k
// instances.
//
// The model is the separator at the end of the pass with the fewest mistakes. An
// instance may be in it more than once.
//
// Cost: Budget + 256 kernel evaluations for each instance of a pass, in tiles,
// and the memory of 256·(Budget + 256) of them, whatever the size of the sample.
// learn.OneVsRest makes many classes of it.
type BudgetPerceptron[T any] struct {
	Kernel    kernel.Kernel[T]
	Budget    int     // instances kept, at least 1; default 1000
	MaxPasses int     // passes over the instances, at least 1; default 10
	Margin    float64 // scores up to which count as mistakes, at least 0; default 0
	Shuffle   bool    // take the instances of each pass in random order, not as they stand; default true
	Seed      uint64  // of the orders and of what is dropped
	Run       run.Control
}

// NewBudgetPerceptron returns the recipe with its defaults.
func NewBudgetPerceptron[T any](k kernel.Kernel[T]) BudgetPerceptron[T] {
	return BudgetPerceptron[T]{Kernel: k, Budget: 1000, MaxPasses: 10, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p BudgetPerceptron[T]) Validate() error {
	const name = "budget perceptron"
	return errors.Join(checkPerceptron(name, p.Kernel, p.MaxPasses, p.Margin),
		learn.Fields(name).AtLeast(1, "budget", p.Budget))
}

// budgetChunk is how many instances are scored together.
const budgetChunk = 256

// budgeted is the state of a run.
type budgeted[T any] struct {
	recipe  BudgetPerceptron[T]
	ctl     run.Control
	d       data.Labeled[T, float64]
	support []int // rows of the sample, of weight y each
	drop    *rand.Rand
	made    int // mistakes in this pass
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses did not suffice.
func (p BudgetPerceptron[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(p.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	d, err := learn.Repeated(p.Run, d)
	if err != nil {
		return nil, learn.Report{}, err
	}
	n := d.X.Len()
	if err := p.Run.Reserve("the budget perceptron", 8*budgetChunk*(budgetChunk+float64(min(p.Budget, n*p.MaxPasses))),
		"take a smaller budget"); err != nil {
		return nil, learn.Report{}, err
	}
	var counter run.Counter
	b := &budgeted[T]{recipe: p, ctl: p.Run.Quiet(), d: d, drop: seed.Stream(p.Seed, seed.Landmarks, 0)}
	b.ctl.Counter = &counter
	best, report, err := b.passes(ctx)
	p.Run.Counter.Add(counter.Count())
	if err != nil {
		return nil, learn.Report{}, err
	}
	e := &Expansion[T]{Kernel: p.Kernel, Support: take(d.X, best), Weight: make([]float64, len(best))}
	for k, i := range best {
		e.Weight[k] = d.Y[i]
	}
	report.Support, report.Evaluations, report.Elapsed = len(best), counter.Count(), time.Since(start)
	return e, report, nil
}

// passes runs all passes and returns the support at the end of the best.
func (b *budgeted[T]) passes(ctx context.Context) ([]int, learn.Report, error) {
	p, n := b.recipe, b.d.X.Len()
	report := learn.Report{Status: learn.IterationLimit}
	order := indices(n)
	p.Run.Progress.Begin("train", int64(p.MaxPasses))
	defer p.Run.Progress.End()
	var best []int
	fewest := n + 1
	for pass := range p.MaxPasses {
		if p.Shuffle {
			seed.Reorder(order, p.Seed, pass)
		}
		b.made = 0
		var err error
		for lo := 0; lo < n && err == nil; lo += budgetChunk {
			if err = ctx.Err(); err == nil {
				err = b.chunk(ctx, order[lo:min(lo+budgetChunk, n)])
			}
		}
		report.Mistakes += b.made
		if err != nil && !learn.Interrupted(ctx, err) {
			return nil, report, err
		}
		if err != nil {
			report.Status = learn.Stopped(ctx)
			if best == nil { // not one pass is complete
				best = b.support
			}
			return best, report, nil
		}
		report.Iterations++
		if b.made < fewest {
			fewest, best = b.made, slices.Clone(b.support)
		}
		p.Run.Progress.Advance(int64(pass + 1))
		if b.made == 0 {
			report.Status = learn.Converged
			break
		}
	}
	return best, report, nil
}

// chunk shows a few instances one after the other. The values of K between them
// and the support, and among them, are computed at once; scores holds the scores
// of all of them by the separator so far.
func (b *budgeted[T]) chunk(ctx context.Context, rows []int) error {
	p, q := b.recipe, len(rows)
	x := data.Source[T](data.Subset[T]{Of: b.d.X, Index: rows})
	columns := gram.Bind(p.Kernel, x)
	old, err := columns.Block(ctx, b.ctl, data.Subset[T]{Of: b.d.X, Index: slices.Clone(b.support)})
	if err != nil {
		return err
	}
	own, err := columns.Block(ctx, b.ctl, x)
	if err != nil {
		return err
	}
	scores := make([]float64, q)
	values := make([][]float64, len(b.support)) // of each kept instance with the chunk
	for k, i := range b.support {
		values[k] = old.Row(k)
		vmath.Axpy(scores, b.d.Y[i], values[k])
	}
	for j, i := range rows {
		if b.d.Y[i]*scores[j] > p.Margin {
			continue
		}
		b.made++
		if len(b.support) < p.Budget {
			b.support, values = append(b.support, i), append(values, own.Row(j))
		} else {
			k := b.drop.IntN(p.Budget)
			vmath.Axpy(scores, -b.d.Y[b.support[k]], values[k])
			b.support[k], values[k] = i, own.Row(j)
		}
		vmath.Axpy(scores, b.d.Y[i], own.Row(j))
	}
	return nil
}
