package linear

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Constants of Newton's method, found by trial on problems of 270×13 to
// 200000×1000: they bear on the time and not on what counts as converged.
const (
	loosest      = 0.1  // most that conjugate gradients may leave of the residual
	tightest     = 1e-3 // least
	wholeStep    = 0.5  // a step of 1 is taken where it leaves at most this part of the slope
	searchRounds = 40   // evaluations of an exact line search
	stepsOfCG    = 200  // products of one direction, at most
)

// A point is a weight vector with what is known of the objective there.
//
// The objective is P(w) = ½|w|² + Σ c·ℓ. With α = -c·ℓ' and v = Σ α·y·x the
// gradient is g = w - v. Each row's loss and its conjugate touch at α, so that
// P(w) - D(α) = ½|w|² - w·v + ½|v|² = ½|g|²: the length of the gradient is a
// duality gap. A loss that is smoothed adds the excess of what is meant.
type point struct {
	w, g   []float64
	f, h   []float64 // score of each row, and c·ℓ'' there
	value  float64   // the objective
	meant  float64   // the objective that is meant, where the loss is smoothed
	excess float64   // what smoothing adds to the gap
	loss   curve     // that these are of
}

func newPoint(dim, rows int) *point {
	return &point{w: make([]float64, dim), g: make([]float64, dim), f: make([]float64, rows), h: make([]float64, rows)}
}

// gap returns how far meant can be above its optimum.
func (p *point) gap() float64 { return vmath.Dot(p.g, p.g)/2 + p.excess }

// A task is one problem on the way to its optimum.
type task struct {
	now, next *point
	p         []float64 // the step from now to next

	done   bool
	stuck  bool    // rounding leaves nothing to gain
	forced float64 // what conjugate gradients may leave of the residual
	steps  int     // products that the last direction took
	most   int     // that one may take, 0 for any number

	r, z, d, q []float64 // of conjugate gradients
	rz, goal   float64
}

func newTask(dim, rows int) *task {
	t := &task{now: newPoint(dim, rows), next: newPoint(dim, rows), forced: loosest}
	for _, v := range []*[]float64{&t.p, &t.r, &t.z, &t.d, &t.q} {
		*v = make([]float64, dim)
	}
	return t
}

// An objective is what Newton's method lowers, for several tasks on the same
// rows at once. Each method is a pass over the rows, or less.
type objective interface {
	// evaluate fills in everything at the points' w.
	evaluate(ctx context.Context, tasks []*task, at func(*task) *point) error
	// multiply sets each q to the Hessian at now times d.
	multiply(ctx context.Context, tasks []*task) error
	// prepare makes solve fit the Hessian at now, where it does no longer.
	prepare(ctx context.Context, tasks []*task) error
	// solve sets z to M⁻¹·r for an M near the Hessian.
	solve(t *task)
	// search returns the length of the step from now to next, which have been
	// evaluated, at which the objective is least.
	search(t *task) float64
	// refine brings the objective nearer to what is meant for all tasks that
	// are not done, and reports whether it did so; they are evaluated again.
	refine(tasks []*task, tolerance float64) bool
}

// newton minimises smooth convex functions by Newton's method with directions
// from preconditioned conjugate gradients and, where a whole step does not do,
// an exact line search. It converges from any point, since the functions are
// strongly convex, and quadratically near the optimum (Dembo, Eisenstat and
// Steihaug 1982; for the squared hinge loss finitely, Keerthi and DeCoste 2005).
type newton struct {
	tolerance float64 // gap relative to the objective
	passes    int     // most passes over the rows
	ctl       run.Control
}

// run lowers all tasks, whose now has been evaluated. It returns the passes it
// took and the status Converged, IterationLimit, TimeLimit or Cancelled.
func (n newton) run(ctx context.Context, o objective, tasks []*task) (int, learn.Status) {
	passes, first := 0, n.excess(tasks)
	for {
		live := n.live(tasks)
		if len(live) == 0 {
			return passes, status(tasks)
		}
		if passes >= n.passes {
			return passes, learn.IterationLimit
		}
		if o.refine(live, n.tolerance) {
			if err := o.evaluate(ctx, live, (*task).current); err != nil {
				return passes, ended(ctx)
			}
			passes++
			continue
		}
		took, err := n.step(ctx, o, live, n.passes-passes, func(took int) { n.ctl.Progress.Advance(int64(passes + took)) })
		passes += took
		if err != nil {
			return passes, ended(ctx)
		}
		n.ctl.Progress.Advance(int64(passes))
		n.ctl.Progress.Approach(first, n.excess(tasks), 1)
	}
}

// excess is the geometric mean over the tasks of how many times their gap is what the
// tolerance allows, 1 for one that is within it.
func (n newton) excess(tasks []*task) float64 {
	sum := 0.0
	for _, t := range tasks {
		allowed := n.tolerance * max(t.now.meant, math.SmallestNonzeroFloat64)
		if gap := t.now.gap(); !t.done && gap > allowed && allowed > 0 {
			sum += math.Log(gap / allowed)
		}
	}
	return math.Exp(sum / float64(max(len(tasks), 1)))
}

// ended returns the status of a run whose pass failed: that of the context or,
// where numbers are too large to go on, IterationLimit.
func ended(ctx context.Context) learn.Status {
	if ctx.Err() == nil {
		return learn.IterationLimit
	}
	return learn.Stopped(ctx)
}

// status returns Converged unless rounding stopped a task before.
func status(tasks []*task) learn.Status {
	for _, t := range tasks {
		if t.stuck {
			return learn.IterationLimit
		}
	}
	return learn.Converged
}

func (t *task) current() *point { return t.now }
func (t *task) ahead() *point   { return t.next }

// live marks the tasks that are within the tolerance and returns the others.
func (n newton) live(tasks []*task) []*task {
	var live []*task
	for _, t := range tasks {
		if !t.done && within(t.now.gap(), t.now.meant, n.tolerance) {
			t.done, t.stuck = true, false
		}
		if !t.done {
			live = append(live, t)
		}
	}
	return live
}

// within reports whether a gap is within the tolerance of an objective. The
// smallest positive number stands in for an objective of 0.
func within(gap, objective, tolerance float64) bool {
	return gap <= tolerance*max(objective, math.SmallestNonzeroFloat64)
}

// step takes one step in each task.
func (n newton) step(ctx context.Context, o objective, live []*task, room int, tell func(passes int)) (int, error) {
	if err := o.prepare(ctx, live); err != nil {
		return 0, err
	}
	tell(0)
	passes, err := n.directions(ctx, o, live, room, tell)
	if err != nil {
		return passes, err
	}
	for _, t := range live {
		for j, a := range t.now.w {
			t.next.w[j] = a + t.p[j]
		}
	}
	if err := o.evaluate(ctx, live, (*task).ahead); err != nil {
		return passes, err
	}
	passes++
	var short []*task
	for _, t := range live {
		if !t.whole() {
			short = append(short, t)
		}
	}
	if len(short) > 0 {
		for _, t := range short {
			length := o.search(t)
			vmath.Scale(t.p, length)
			for j, a := range t.now.w {
				t.next.w[j] = a + t.p[j]
			}
		}
		if err := o.evaluate(ctx, short, (*task).ahead); err != nil {
			return passes, err
		}
		passes++
	}
	for _, t := range live {
		t.advance()
	}
	return passes, nil
}

// whole reports whether the step of 1 is as good as any: the slope along it has
// fallen, and the objective with it.
func (t *task) whole() bool {
	before, after := vmath.Dot(t.now.g, t.p), vmath.Dot(t.next.g, t.p)
	return math.Abs(after) <= wholeStep*math.Abs(before) && t.next.value <= t.now.value
}

// advance makes next the current point, where that is a gain, and says how
// exact the next direction should be: the more, the better the last one was
// (Eisenstat and Walker 1996).
func (t *task) advance() {
	before, after := vmath.Dot(t.now.g, t.now.g), vmath.Dot(t.next.g, t.next.g)
	if t.next.value < t.now.value || t.next.value <= t.now.value+roundingOf(t.now.value) && after < before {
		t.now, t.next = t.next, t.now
		t.forced = min(loosest, max(tightest, math.Sqrt(after/before)))
		return
	}
	t.done, t.stuck = true, true
}

// roundingOf returns how far two evaluations of an objective can differ by
// rounding alone.
func roundingOf(value float64) float64 { return 1e-12 * math.Abs(value) }

// directions finds the step p of each task by conjugate gradients on H·p = -g,
// all tasks in step with each other so that they share the passes.
func (n newton) directions(
	ctx context.Context, o objective, live []*task, room int, tell func(passes int),
) (int, error) {
	if err := n.each(ctx, live, func(t *task) { t.begin(o) }); err != nil {
		return 0, err
	}
	passes := 0
	for ; passes < min(stepsOfCG, max(room-1, 1)); passes++ {
		var open []*task
		for _, t := range live {
			if t.rz > t.goal && (t.most == 0 || t.steps < t.most) {
				open = append(open, t)
			}
		}
		if len(open) == 0 {
			break
		}
		if err := o.multiply(ctx, open); err != nil {
			return passes, err
		}
		if err := n.each(ctx, open, func(t *task) { t.conjugate(o, n.tolerance) }); err != nil {
			return passes, err
		}
		tell(passes + 1)
	}
	return passes, nil
}

// each calls f for every task, on several cores.
func (n newton) each(ctx context.Context, tasks []*task, f func(*task)) error {
	return par.For(ctx, n.ctl, "", len(tasks), func(k int) error {
		f(tasks[k])
		return nil
	})
}

// begin sets up conjugate gradients from p = 0.
func (t *task) begin(o objective) {
	clear(t.p)
	for j, a := range t.now.g {
		t.r[j] = -a
	}
	o.solve(t)
	copy(t.d, t.z)
	t.rz = vmath.Dot(t.r, t.z)
	t.goal = t.rz * t.forced * t.forced
	t.steps = 0
}

// conjugate takes one step of conjugate gradients with q = H·d.
func (t *task) conjugate(o objective, tolerance float64) {
	t.steps++
	curvature := vmath.Dot(t.d, t.q)
	if !(curvature > 0) || math.IsInf(curvature, 1) || !(t.rz > 0) {
		t.rz = 0 // singular to rounding: p is as good as can be had
		return
	}
	a := t.rz / curvature
	vmath.Axpy(t.p, a, t.d)
	vmath.Axpy(t.r, -a, t.q)
	if left := vmath.Dot(t.r, t.r); left <= tolerance*t.now.meant/4 {
		// Half of the gap that is allowed: the quadratic is solved.
		t.rz = 0
		return
	}
	o.solve(t)
	next := vmath.Dot(t.r, t.z)
	b := next / t.rz
	t.rz = next
	for j, z := range t.z {
		t.d[j] = z + b*t.d[j]
	}
}
