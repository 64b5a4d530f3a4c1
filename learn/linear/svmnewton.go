package linear

import (
	"context"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Constants of the start from a part of the rows, or of the penalties, found by
// trial.
const (
	headPart      = 10   // one row in so many
	headLeast     = 8    // but no more than one in so many, or none are tried
	headTolerance = 1e-3 // of the fit to them
	headPasses    = 200

	climbPasses    = 100 // least number of passes that leaves some for smaller penalties
	climbTolerance = 1.0 // of the fits to smaller penalties
)

// A primalFit is one run of Newton's method on problems that share their rows.
type primalFit struct {
	p       *primal
	tasks   []*task
	reports []learn.Report
	alpha   [][]float64 // of a task that descent has finished; nil for the others
}

// separator returns that of task k.
func (f *primalFit) separator(k int) *Separator {
	w := f.tasks[k].now.w
	return &Separator{W: append([]float64{}, w[:f.p.dim]...), Bias: w[f.p.dim], Unit: f.p.unit}
}

// dual returns α = -c·ℓ'(m) of task k, which is feasible whatever w is, or the α
// that descent has made of it.
func (f *primalFit) dual(k int) []float64 {
	if f.alpha[k] != nil {
		return f.alpha[k]
	}
	alpha, now := make([]float64, len(f.p.rows)), f.tasks[k].now
	for i, score := range now.f {
		_, slope, _ := now.loss.at(f.p.label[k][i] * score)
		alpha[i] = -f.p.penalty[i] * slope
	}
	return alpha
}

// curve returns the loss that the primal method lowers.
func (s SVM) curve() curve {
	if s.Loss == SquaredHinge {
		return squaredHinge{}
	}
	return smoothHinge{widestBand}
}

// fitNewton trains a machine for each column of labels. A start that is not nil
// is a dual point, which says where w begins.
func (s SVM) fitNewton(ctx context.Context, x *sample, label, start [][]float64) (*primalFit, error) {
	f, err := newPrimalFit(x, penalties(s.C, x.weight, len(x.rows)), label, s.curve(), s.Seed, s.Run)
	if err != nil {
		return nil, err
	}
	warm := false
	for k, alpha := range start {
		if alpha != nil {
			f.begin(k, alpha)
			warm = true
		}
	}
	return f, s.runNewton(ctx, f, !warm)
}

// runNewton trains all tasks: those with the hinge loss as far as a band does
// well, and from there by descent.
func (s SVM) runNewton(ctx context.Context, f *primalFit, cold bool) error {
	n := newton{tolerance: s.Tolerance, passes: s.MaxPasses, ctl: s.Run}
	if s.Loss == Hinge {
		n.tolerance = max(n.tolerance, bandTolerance)
	}
	clear(f.alpha)
	if err := f.run(ctx, n, cold); err != nil || s.Loss != Hinge {
		return err
	}
	return s.finish(ctx, f)
}

func newPrimalFit(
	x *sample, penalty []float64, label [][]float64, loss curve, s uint64, ctl run.Control,
) (*primalFit, error) {
	if err := ctl.Reserve("Newton's method on so many rows and coordinates",
		bytesOfPrimal(len(x.rows), x.dim, len(label)), "train by descent, or map to fewer features"); err != nil {
		return nil, err
	}
	p := newPrimal(x, penalty, len(label), s, ctl)
	return &primalFit{p: p, tasks: p.tasks(label, loss), alpha: make([][]float64, len(label))}, nil
}

// begin puts task k at w = Σ α·y·x, with α brought into what is feasible.
func (f *primalFit) begin(k int, alpha []float64) {
	_, hinge := f.p.loss.(smoothHinge)
	limit := 0.0 // see machine.limit
	for _, c := range f.p.penalty {
		limit += 2 * c
	}
	w := f.tasks[k].now.w
	for i, a := range alpha {
		if !(a > 0) { // true for NaN
			continue
		}
		if hinge {
			a = min(a, f.p.penalty[i])
		}
		f.p.addRow(w, i, min(a, limit)*f.p.label[k][i])
	}
}

// run trains all tasks and fills in the reports. It starts from a part of the
// rows where the tasks stand at 0 and there are many.
func (f *primalFit) run(ctx context.Context, n newton, cold bool) error {
	n.ctl.Progress.Begin("train", int64(n.passes))
	defer n.ctl.Progress.End()
	passes := 0
	_, hinge := f.p.loss.(smoothHinge)
	if cold && hinge {
		f.rise(ctx, n)
	} else if cold {
		begun, err := f.head(ctx, n)
		if err != nil {
			return err
		}
		if !begun {
			passes = f.climb(ctx, n)
		}
	}
	// One pass that is not cancelled, so that what is reported is true of w.
	if err := f.p.evaluate(context.WithoutCancel(ctx), f.tasks, (*task).current); err != nil {
		return err
	}
	if hinge && !cold && ctx.Err() == nil {
		if err := f.suit(context.WithoutCancel(ctx), n.tolerance); err != nil {
			return err
		}
		passes++
	}
	f.adopt()
	n.passes = max(1, n.passes-passes)
	more, status := n.run(ctx, f.p, f.tasks)
	passes += more + 1
	f.conclude(n, passes, status)
	return nil
}

// conclude writes the reports.
func (f *primalFit) conclude(n newton, passes int, status learn.Status) {
	f.reports = make([]learn.Report, len(f.tasks))
	for k, t := range f.tasks {
		r := learn.Report{Status: status, Iterations: passes, Objective: t.now.meant, Gap: t.now.gap(),
			Gradient: norm(t.now.g)}
		if within(r.Gap, r.Objective, n.tolerance) {
			r.Status = learn.Converged
		} else if status == learn.Converged {
			r.Status = learn.IterationLimit
		}
		for _, a := range f.dual(k) {
			if a > 0 {
				r.Support++
			}
		}
		f.reports[k] = r
	}
}

// climb trains with a hundredth and a tenth of the penalties first, to a gap as
// large as the objective. Rows leave the wrong side in fewer steps so than from
// w = 0 at once. It returns the passes it took.
func (f *primalFit) climb(ctx context.Context, n newton) int {
	passes, whole := 0, f.p.penalty
	for _, part := range climbParts {
		if n.passes < climbPasses || ctx.Err() != nil {
			break
		}
		f.p.penalty = penalties(part, whole, len(whole))
		if f.p.evaluate(ctx, f.tasks, (*task).current) != nil {
			break
		}
		took, _ := newton{tolerance: climbTolerance, passes: n.passes / 4, ctl: n.ctl.Quiet()}.run(ctx, f.p, f.tasks)
		passes += took + 1
		f.reopen()
	}
	f.p.penalty = whole
	return passes
}

// climbParts are the parts of the penalties to begin with.
var climbParts = []float64{0.01, 0.1}

// head trains on a random part of the rows and takes over the weights and what
// stands in for the Hessians. It does nothing and reports false where that part would be too
// small to say much.
func (f *primalFit) head(ctx context.Context, n newton) (bool, error) {
	rows := len(f.p.rows)
	part := max(rows/headPart, sampleSize(rows, f.p.dim))
	if f.p.diagonal || part > rows/headLeast {
		return false, nil
	}
	sub, err := f.part(part)
	if err != nil {
		return false, err
	}
	if sub.p.evaluate(ctx, sub.tasks, (*task).current) != nil {
		return false, nil
	}
	newton{tolerance: max(n.tolerance, headTolerance), passes: headPasses, ctl: n.ctl.Quiet()}.run(ctx, sub.p, sub.tasks)
	for k, t := range sub.tasks {
		copy(f.tasks[k].now.w, t.now.w)
		f.p.model[k].factor = sub.p.model[k].factor
	}
	f.p.loss = sub.p.loss
	return true, nil
}

// part returns the same problems on so many random rows, which stand for all.
func (f *primalFit) part(size int) (*primalFit, error) {
	rows := len(f.p.rows)
	chosen := seed.Choose(rows, size, f.p.seed, seed.Sketch)
	slices.Sort(chosen)
	x := &sample{rows: make([]data.Vector, size), unit: f.p.unit, dim: f.p.dim}
	penalty := make([]float64, size)
	label := make([][]float64, len(f.p.label))
	for k := range label {
		label[k] = make([]float64, size)
	}
	for j, i := range chosen {
		x.rows[j] = f.p.rows[i]
		penalty[j] = f.p.penalty[i] * float64(rows) / float64(size)
		for k := range label {
			label[k][j] = f.p.label[k][i]
		}
	}
	return newPrimalFit(x, penalty, label, f.p.loss, f.p.seed, f.p.ctl)
}

// adopt takes models that were made for other rows as made for these.
func (f *primalFit) adopt() {
	for k, t := range f.tasks {
		if m := f.p.model[k]; m.factor != nil && m.h == nil {
			m.h = append([]float64{}, t.now.h...)
		}
	}
}

// reopen lets all tasks go on.
func (f *primalFit) reopen() {
	for _, t := range f.tasks {
		t.done, t.stuck, t.forced = false, false, loosest
	}
}
