package kernelized

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// rowsPerCheck is how many instances pass between two looks at the context.
const rowsPerCheck = 1024

// Solve runs the perceptron on an operator alone, for labels y of +1 and -1,
// and returns the count of each instance. It makes no use of the field Kernel.
// Report.Evaluations is 0: the operator knows.
func (p Perceptron[T]) Solve(ctx context.Context, op gram.Operator, y []float64) ([]int, learn.Report, error) {
	start := time.Now()
	if err := errors.Join(p.checkPasses(), learn.CheckBinary(op.Len(), y, nil)); err != nil {
		return nil, learn.Report{}, err
	}
	counts, reports, err := p.solve(ctx, op, rowMatrix(y))
	if err != nil {
		return nil, learn.Report{}, err
	}
	report := reports[0]
	report.Elapsed = time.Since(start)
	return counts[0], report, nil
}

// problem is the state of one of the problems that are solved together.
type problem struct {
	y      []float64
	counts []int
	scores []float64 // Σ counts·y·K(·, i) for each instance i

	best   []int // the counts with the fewest errors so far
	fewest int
	made   int     // mistakes in this pass
	most   float64 // the largest K(x, x) of a mistake
	report learn.Report
}

// open reports whether the problem has yet to be separated.
func (p *problem) open() bool { return p.report.Status != learn.Converged }

// errs reports whether the separator so far errs on instance i.
func (p *problem) errs(i int) bool { return !(p.y[i]*p.scores[i] > 0) }

// learn adds instance i to the separator; row is K(i, ·).
func (p *problem) learn(i int, row []float64) {
	p.counts[i]++
	p.made++
	p.report.Mistakes++
	p.most = max(p.most, row[i])
	vmath.Axpy(p.scores, p.y[i], row)
}

// bound returns R²/γ² for the separator, which errs on no instance: γ is the
// least y(w·φ(x))/|w|, and R² the largest K(x, x) of the instances it is made of.
func (p *problem) bound() float64 {
	least, square := math.Inf(1), 0.0
	for i, y := range p.y {
		least = min(least, y*p.scores[i])
		square += float64(p.counts[i]) * y * p.scores[i]
	}
	return p.most * square / (least * least)
}

// keep remembers the counts if they err less than any before.
func (p *problem) keep() {
	errs := 0
	for i := range p.y {
		if p.errs(i) {
			errs++
		}
	}
	if errs < p.fewest {
		p.fewest = errs
		copy(p.best, p.counts)
	}
}

// solve runs the perceptron for several labellings of one sample at once. They
// see the instances in the same order, and each develops as it would alone.
func (p Perceptron[T]) solve(
	ctx context.Context, op gram.Operator, y *data.Matrix,
) ([][]int, []learn.Report, error) {
	n := op.Len()
	memory := 32 * float64(n) * float64(y.Rows)
	if err := p.Run.Reserve("the scores of the kernel perceptron", memory, "train on fewer rows"); err != nil {
		return nil, nil, err
	}
	problems := make([]*problem, y.Rows)
	for k := range problems {
		problems[k] = &problem{
			y: y.Row(k), counts: make([]int, n), scores: make([]float64, n), best: make([]int, n), fewest: n + 1,
			report: learn.Report{Status: learn.IterationLimit, MistakeBound: math.Inf(1)},
		}
	}
	if err := p.passes(ctx, op, problems); err != nil {
		return nil, nil, err
	}
	counts := make([][]int, len(problems))
	reports := make([]learn.Report, len(problems))
	for k, q := range problems {
		for _, c := range q.best {
			if c > 0 {
				q.report.Support++
			}
		}
		counts[k], reports[k] = q.best, q.report
	}
	return counts, reports, nil
}

// passes runs passes until every problem is separated or a limit is reached.
func (p Perceptron[T]) passes(ctx context.Context, op gram.Operator, problems []*problem) error {
	order := indices(op.Len())
	p.Run.Progress.Begin("train", int64(p.MaxPasses))
	defer p.Run.Progress.End()
	open := slices.Clone(problems)
	for pass := 0; pass < p.MaxPasses && len(open) > 0; pass++ {
		if p.Shuffle {
			seed.Reorder(order, p.Seed, pass)
		}
		err := onePass(ctx, op, open, order)
		if err != nil && !learn.Interrupted(ctx, err) {
			return err
		}
		for _, q := range open {
			q.keep()
			switch {
			case err != nil:
				q.report.Status = learn.Stopped(ctx)
			case q.made == 0:
				q.report.Status, q.report.MistakeBound = learn.Converged, q.bound()
				fallthrough
			default:
				q.report.Iterations++
				q.made = 0
			}
		}
		if err != nil {
			return nil
		}
		p.Run.Progress.Advance(int64(pass + 1))
		open = slices.DeleteFunc(open, func(q *problem) bool { return !q.open() })
	}
	return nil
}

// onePass shows every instance to every problem. A row of K is fetched when
// the first of them errs on its instance.
func onePass(ctx context.Context, op gram.Operator, problems []*problem, order []int) error {
	for k, i := range order {
		if k%rowsPerCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var row []float64
		for _, q := range problems {
			if !q.errs(i) {
				continue
			}
			if row == nil {
				var err error
				if row, err = op.Row(ctx, i); err != nil {
					return err
				}
			}
			q.learn(i, row)
		}
	}
	return nil
}
