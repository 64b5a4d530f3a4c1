package kernelized

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// SGD is stochastic gradient descent for soft SVM with kernels and without a
// bias,
//
//	min over w  (Lambda/2)·|w|² + (1/m) Σ max(0, 1 - y_i(w·φ(x_i)))
//
// (Shalev-Shwartz and Ben-David 2014, section 16.3, equation 16.5; SoftSVM has
// Lambda where this has Lambda/2). It keeps β with w = Σ β_j φ(x_j)/(Lambda·t);
// step t chooses i at random and adds y_i to β_i where y_i(w·φ(x_i)) < 1. The
// model is the average of w over all steps, which is that of the same descent in
// the feature space (lemma 16.3). After T steps its objective is in expectation
// within R²(1 + ln T)/(2·Lambda·T) of the least, where K(x, x) ≤ R²; the proof is
// in docs/math/samples.md.
//
// The instances may have weights, to which their chances of being chosen are
// proportional: an instance of weight k counts as k instances.
//
// Cost: a row of K for each step that changes β, n kernel evaluations unless it
// is still in memory, and 2n additions.
type SGD[T any] struct {
	Kernel    kernel.Kernel[T]
	Lambda    float64 // penalty of |w|²/2, positive; default 1e-3
	Steps     int     // T, at least 1; default 100,000
	Tolerance float64 // of the duality gap, at which to stop before Steps, at least 0; default 1e-3
	Seed      uint64  // of the choices

	// Checkpoint keeps the state: 32 bytes an instance and separator. A round is
	// 1000 steps.
	Checkpoint Checkpoint

	Run run.Control
}

// NewSGD returns the recipe with its defaults.
func NewSGD[T any](k kernel.Kernel[T]) SGD[T] {
	return SGD[T]{Kernel: k, Lambda: 1e-3, Steps: 100_000, Tolerance: 1e-3}
}

// Validate reports every field that is out of range.
func (s SGD[T]) Validate() error {
	const f = learn.Fields("kernel sgd")
	return errors.Join(checkKernel("kernel sgd", s.Kernel), f.Positive("lambda", s.Lambda), f.AtLeast(1, "steps", s.Steps),
		f.NotNegative("tolerance", s.Tolerance), s.Checkpoint.Validate("kernel sgd"))
}

// Fit learns from d. In the report Iterations counts steps, Mistakes those that
// changed β, Objective is the value of the problem as above at the returned
// model and Gap how far above the least that can be where K is a kernel. The gap
// is looked at every m steps; the status is Converged when it was within
// Tolerance and IterationLimit when all Steps were taken.
func (s SGD[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	return s.together().two(ctx, d)
}

// FitClasses learns one separator a class against the rest, a single one for two
// classes, all with the same choices of instances: a row of K serves every class
// whose β changes. Each is what Fit would have found.
//
// The report is the Merge of the separators' reports, but Support counts the
// instances that weigh in any class.
func (s SGD[T]) FitClasses(
	ctx context.Context, d data.Labeled[T, int], classes int,
) (*MultiExpansion[T], learn.Report, error) {
	return s.together().many(ctx, d, classes)
}

func (s SGD[T]) together() together[T] {
	return together[T]{name: "kernel sgd", kernel: s.Kernel, faults: s.Validate(), ctl: s.Run, train: s.descend}
}

// descent is the state of one of the problems that are solved together. With
// H_t = 1 + 1/2 + … + 1/t, an addition to β in step t is in the iterates of all
// later steps s, divided by Lambda·s; so the sum of all iterates up to T is
// (H_T·β - late)/Lambda, where late gathers the additions times H_t.
type descent struct {
	y                  []float64
	beta, late         []float64
	scores, lateScores []float64 // those of Σ β_j φ(x_j) and Σ late_j φ(x_j) on each instance
	done               bool
	report             learn.Report
}

// descend runs all problems, a row of y each, and returns the weights of the
// averages, a row each.
func (s SGD[T]) descend(ctx context.Context, x data.Source[T], y *data.Matrix, weight []float64) (
	*data.Matrix, learn.Report, error,
) {
	n := x.Len()
	weight = learn.Weights(n, weight)
	if err := s.Run.Reserve("the scores of kernel sgd", 40*float64(n)*float64(y.Rows), "train on fewer rows"); err != nil {
		return nil, learn.Report{}, err
	}
	problems := make([]*descent, y.Rows)
	for k := range problems {
		part := func() []float64 { return make([]float64, n) }
		problems[k] = &descent{y: y.Row(k), beta: part(), late: part(), scores: part(), lateScores: part()}
	}
	evaluations, failed := counted(s.Run, func(ctl run.Control) error {
		op, err := gram.NewRowCache[T, float64](ctl, s.Kernel, x, 1)
		if err != nil {
			return err
		}
		return s.steps(ctx, op, problems, weight)
	})
	if failed != nil && !learn.Interrupted(ctx, failed) {
		return nil, learn.Report{}, failed
	}
	out := data.NewMatrix(y.Rows, n)
	reports := make([]learn.Report, y.Rows)
	for k, p := range problems {
		if failed != nil && !p.done {
			p.report.Status = learn.Stopped(ctx)
		}
		reports[k] = p.report
		h := harmonic(p.report.Iterations)
		for i := range n {
			out.Row(k)[i] = p.average(p.beta[i], p.late[i], h, s.Lambda)
		}
	}
	if vmath.Finite(out.Data) >= 0 {
		return nil, learn.Report{}, fmt.Errorf("kernel sgd: %w", errOverflow)
	}
	report := learn.Merge(reports...)
	report.Evaluations = evaluations
	return out, report, nil
}

// harmonic returns H_t, summed in order.
func harmonic(t int) float64 {
	h := 0.0
	for s := 1; s <= t; s++ {
		h += 1 / float64(s)
	}
	return h
}

// average returns a weight or score of the average of the iterates so far.
func (p *descent) average(sum, late, h, lambda float64) float64 {
	if p.report.Iterations == 0 {
		return 0
	}
	return (h*sum - late) / (lambda * float64(p.report.Iterations))
}

// steps descends until every problem is done.
func (s SGD[T]) steps(ctx context.Context, op gram.Operator, problems []*descent, weight []float64) error {
	n := op.Len()
	choose := newChooser(weight, s.Seed)
	keep, t, err := s.resume(problems, weight)
	if err != nil {
		return err
	}
	choose.skip(t)
	s.Run.Progress.Begin("train", int64(s.Steps))
	defer s.Run.Progress.End()
	h, open := harmonic(t), len(problems)
	for _, p := range problems {
		if p.done {
			open--
		}
	}
	var failed error
	for t < s.Steps && open > 0 {
		if t%rowsPerCheck == 0 {
			if failed = ctx.Err(); failed != nil {
				break
			}
			s.Run.Progress.Advance(int64(t))
		}
		t++
		h += 1 / float64(t)
		i := choose.next()
		var row []float64
		for _, p := range problems {
			if p.done {
				continue
			}
			p.report.Iterations = t
			if !(p.y[i]*p.scores[i] < s.Lambda*float64(t)) {
				continue
			}
			if row == nil {
				if row, failed = op.Row(ctx, i); failed != nil {
					break
				}
			}
			p.add(i, row, h)
		}
		if failed != nil {
			break
		}
		if t%n == 0 || t == s.Steps {
			for _, p := range problems {
				if !p.done {
					p.measure(weight, choose.total, s.Lambda, h)
				}
				if !p.done && p.report.Gap <= s.Tolerance {
					p.done, p.report.Status = true, learn.Converged
					open--
				}
			}
		}
		if failed = keep(t, open == 0 || t == s.Steps); failed != nil {
			break
		}
	}
	for _, p := range problems {
		if p.done {
			continue
		}
		p.measure(weight, choose.total, s.Lambda, h)
		p.report.Status = learn.IterationLimit
	}
	return failed
}

// add adds y_i to β_i; row is K(x_i, ·).
func (p *descent) add(i int, row []float64, h float64) {
	p.report.Mistakes++
	p.beta[i] += p.y[i]
	p.late[i] += p.y[i] * h
	vmath.Axpy(p.scores, p.y[i], row)
	vmath.Axpy(p.lateScores, p.y[i]*h, row)
}

// measure sets objective and gap at the average of the iterates. Its weights
// a_i·y_i/Lambda are a point of the dual
//
//	max over a  Σ a_i - |Σ a_i y_i φ(x_i)|²/(2·Lambda),   0 ≤ a_i ≤ c_i/W
//
// as soon as they are shrunk to fit its ranges; the best such multiple is taken.
func (p *descent) measure(weight []float64, total, lambda, h float64) {
	norm, loss, sum, shrink := 0.0, 0.0, 0.0, math.Inf(1)
	for i, c := range weight {
		a := p.average(p.beta[i], p.late[i], h, lambda)
		f := p.average(p.scores[i], p.lateScores[i], h, lambda)
		norm += a * f
		loss += c * max(0, 1-p.y[i]*f)
		if a *= p.y[i]; a > 0 {
			sum += a
			shrink = min(shrink, c/(total*lambda*a))
		}
	}
	norm = max(0, norm)
	objective := lambda*norm/2 + loss/total
	dual := 0.0
	if norm > 0 && sum > 0 {
		scale := min(shrink, sum/norm)
		dual = max(0, lambda*scale*(sum-scale*norm/2))
	}
	p.report.Objective, p.report.Gap = objective, max(0, objective-dual)
}

// chooser draws instances with chances proportional to their weights.
type chooser struct {
	ends  []float64 // sums of the weights up to and with each instance
	total float64
	float func() float64
}

func newChooser(weight []float64, s uint64) *chooser {
	c := &chooser{ends: make([]float64, len(weight)), float: seed.Stream(s, seed.Shuffle, 0).Float64}
	for i, w := range weight {
		c.total += w
		c.ends[i] = c.total
	}
	return c
}

// skip passes over draws.
func (c *chooser) skip(draws int) {
	for range draws {
		c.float()
	}
}

func (c *chooser) next() int {
	at := c.float() * c.total
	i := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > at })
	for i == len(c.ends) || i > 0 && c.ends[i] == c.ends[i-1] { // at was rounded up to the total, or weights are 0
		i--
	}
	return i
}
