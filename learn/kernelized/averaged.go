package kernelized

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// AveragedPerceptron runs the perceptron in the feature space of a kernel and
// returns the mean of the separators that it had after each instance it was
// shown (Freund and Schapire 1999), which does better than the last one on data
// that the kernel does not separate. FitVoted keeps all of them and lets them
// vote, for which they prove that after one pass over a random sample of n the
// chance of an error is at most 2/(n+1) times the expected mistakes in a pass
// over n+1 instances, R²/γ² where those are separated with margin γ.
//
// With a Margin an instance with y(w·φ(x)) ≤ Margin counts as a mistake (Krauth
// and Mézard 1987): where it converges, the last separator w has all instances
// Margin/|w| away.
//
// Weights are whole numbers: an instance of weight k is k instances.
//
// It stops when a pass had no mistake. The cost is that of Perceptron, with 2n
// additions a mistake.
type AveragedPerceptron[T any] struct {
	Kernel    kernel.Kernel[T]
	MaxPasses int     // passes over the instances, at least 1; default 10
	Margin    float64 // scores up to which count as mistakes, at least 0; default 0
	Shuffle   bool    // take the instances of each pass in random order, not as they stand; default true
	Seed      uint64  // of the orders
	Run       run.Control
}

// NewAveragedPerceptron returns the recipe with its defaults.
func NewAveragedPerceptron[T any](k kernel.Kernel[T]) AveragedPerceptron[T] {
	return AveragedPerceptron[T]{Kernel: k, MaxPasses: 10, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p AveragedPerceptron[T]) Validate() error {
	return checkPerceptron("averaged perceptron", p.Kernel, p.MaxPasses, p.Margin)
}

// checkPerceptron reports what perceptrons have in common.
func checkPerceptron[T any](name string, k kernel.Kernel[T], passes int, margin float64) error {
	f := learn.Fields(name)
	return errors.Join(checkKernel(name, k), f.AtLeast(1, "max passes", passes), f.NotNegative("margin", margin))
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses were made.
func (p AveragedPerceptron[T]) Fit(
	ctx context.Context, d data.Labeled[T, float64],
) (*Expansion[T], learn.Report, error) {
	return p.together().two(ctx, d)
}

// FitVoted is Fit with the vote of all separators in the place of their mean.
func (p AveragedPerceptron[T]) FitVoted(
	ctx context.Context, d data.Labeled[T, float64],
) (*Voted[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(p.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	d, err := learn.Repeated(p.Run, d)
	if err != nil {
		return nil, learn.Report{}, err
	}
	runs, report, err := p.passes(ctx, d.X, rowMatrix(d.Y), true)
	if err != nil {
		return nil, learn.Report{}, err
	}
	v := votedOf(p.Kernel, d.X, runs[0])
	report.Support, report.Elapsed = v.Support.Len(), time.Since(start)
	return v, report, nil
}

// FitClasses learns one separator a class against the rest, a single one for two
// classes, all in the same passes: a row of K serves every class that errs on
// its instance. Each is what Fit would have found.
//
// The report is the Merge of the separators' reports, but Support counts the
// instances that weigh in any class.
func (p AveragedPerceptron[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	return p.together().many(ctx, d, classes)
}

func (p AveragedPerceptron[T]) together() together[T] {
	return together[T]{
		name: "averaged perceptron", kernel: p.Kernel, faults: p.Validate(), whole: true, ctl: p.Run, train: p.train,
	}
}

// train returns the weights of the mean separators.
func (p AveragedPerceptron[T]) train(
	ctx context.Context, x data.Source[T], y *data.Matrix, _ []float64,
) (*data.Matrix, learn.Report, error) {
	runs, report, err := p.passes(ctx, x, y, false)
	if err != nil {
		return nil, report, err
	}
	weight := data.NewMatrix(y.Rows, y.Cols)
	for k, r := range runs {
		copy(weight.Row(k), r.mean())
	}
	return weight, report, nil
}

// averaging is the state of one of the problems that are solved together. An
// instance that is added when it is shown as the t-th is in the separators after
// t, t+1, … T instances: T+1-t of them.
type averaging struct {
	y        []float64
	scores   []float64
	counts   []float64 // mistakes on each instance
	late     []float64 // sum of their times t
	voting   bool      // whether to keep the mistakes
	mistakes []mistake
	shown    int // T
	made     int // mistakes in this pass
	report   learn.Report
}

// mistake is an addition of an instance at a time.
type mistake struct{ instance, time int }

// mean returns the weights of the mean separator.
func (a *averaging) mean() []float64 {
	weight := make([]float64, len(a.y))
	for i, c := range a.counts {
		if c > 0 {
			weight[i] = a.y[i] * (float64(a.shown+1)*c - a.late[i]) / float64(a.shown)
		}
	}
	return weight
}

// show shows instance i as the next one, and asks for its row of K where it is a
// mistake.
func (a *averaging) show(i int, margin float64, row func() ([]float64, error)) error {
	if a.y[i]*a.scores[i] > margin {
		a.shown++
		return nil
	}
	k, err := row()
	if err != nil {
		return err
	}
	a.shown++
	a.made++
	a.report.Mistakes++
	a.counts[i]++
	a.late[i] += float64(a.shown)
	if a.voting {
		a.mistakes = append(a.mistakes, mistake{i, a.shown})
	}
	vmath.Axpy(a.scores, a.y[i], k)
	return nil
}

// passes runs all problems, a row of y each.
func (p AveragedPerceptron[T]) passes(
	ctx context.Context, x data.Source[T], y *data.Matrix, voting bool,
) ([]*averaging, learn.Report, error) {
	n := x.Len()
	memory := 32 * float64(n) * float64(y.Rows)
	if voting {
		memory += 16 * float64(n) * float64(p.MaxPasses)
	}
	if err := p.Run.Reserve("the averaged perceptron", memory, "train on fewer rows, or in fewer passes"); err != nil {
		return nil, learn.Report{}, err
	}
	runs := make([]*averaging, y.Rows)
	for k := range runs {
		runs[k] = &averaging{
			y: y.Row(k), scores: make([]float64, n), counts: make([]float64, n), late: make([]float64, n), voting: voting,
			report: learn.Report{Status: learn.IterationLimit},
		}
	}
	evaluations, err := counted(p.Run, func(ctl run.Control) error {
		op, err := gram.NewRowCache[T, float64](ctl, p.Kernel, x, 1)
		if err != nil {
			return err
		}
		return p.show(ctx, op, runs)
	})
	if err != nil && !learn.Interrupted(ctx, err) {
		return nil, learn.Report{}, err
	}
	reports := make([]learn.Report, len(runs))
	for k, r := range runs {
		if err != nil && r.report.Status != learn.Converged {
			r.report.Status = learn.Stopped(ctx)
		}
		reports[k] = r.report
	}
	report := learn.Merge(reports...)
	report.Evaluations = evaluations
	return runs, report, nil
}

// show makes the passes until all problems have had one without a mistake.
func (p AveragedPerceptron[T]) show(ctx context.Context, op gram.Operator, runs []*averaging) error {
	order := indices(op.Len())
	p.Run.Progress.Begin("train", int64(p.MaxPasses))
	defer p.Run.Progress.End()
	for pass := range p.MaxPasses {
		if p.Shuffle {
			seed.Reorder(order, p.Seed, pass)
		}
		open := 0
		for step, i := range order {
			if step%rowsPerCheck == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			row := func() ([]float64, error) { return op.Row(ctx, i) } // a row just used is in memory
			for _, r := range runs {
				if r.report.Status == learn.Converged {
					continue
				}
				if err := r.show(i, p.Margin, row); err != nil {
					return err
				}
			}
		}
		for _, r := range runs {
			if r.report.Status == learn.Converged {
				continue
			}
			r.report.Iterations++
			if r.made == 0 {
				r.report.Status = learn.Converged
			} else {
				open++
			}
			r.made = 0
		}
		p.Run.Progress.Advance(int64(pass + 1))
		if open == 0 {
			break
		}
	}
	return nil
}
