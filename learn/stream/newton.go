package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Newton separates classes, each from the rest where there are more than two,
//
//	min_w  P(w) = ½|w|² + C·Σ c·ℓ(y(w·x))
//
// with x and w extended by the constant coordinate Unit and c the weight of a row, as
// linear.SVM and linear.Logistic have it, by Newton's method over sums. A pass over the
// rows gives P, its gradient and Hessian at a point, and P at some points between that
// and the last one. Where the step lowers P enough its end is the next point, and the
// next step is known without another pass; otherwise the best of the points between is.
//
// The Hessian is over a part of the rows, drawn by their numbers, about HessianRows that
// have curvature for each coordinate: with a hundred the error of a step falls to a tenth, and far beyond
// that no pass is saved (docs/math/sums.md). Half the squared length of the gradient
// bounds how far P is above its optimum, and what the next step promises to lower it by is
// about that; the fit ends where one of them is at most Tolerance·P, and reports it as the
// gap. Of a promise δ about δ(1/HessianRows + δ/P) is left after the step: by the rows that
// the Hessian is over, and by the change of the Hessian on the way. Where twice that is within
// the tolerance the step is taken, and no pass looks at its end; gap and objective are then
// by that estimate.
//
// Where there are several Cs, the first passes choose among those near the one in use, by losses on folds
// (see choose). That takes all classes at a time; where there is no memory for these, C stays.
//
// Memory is two matrices of d² for each class, or for as many classes at a time as
// there is room for, which take passes of their own.
type Newton struct {
	Loss      Loss
	C         float64   // penalty of a unit of loss, positive
	Cs        []float64 // values of C to choose among by sums over folds, beginning with C; nil for C alone
	Tolerance float64   // duality gap relative to the objective, at least 0
	MaxPasses int       // over the rows, of each group of classes, at least 1
	Unit      float64   // value of the constant coordinate; 0 for none
	Seed      uint64

	// Start are functions to begin with, one a separator, with Bias the weight of the
	// constant coordinate: those of a sample of the rows save passes. Nil for 0.
	Start []*Function

	// Active is about which part of the rows has curvature, of each separator: where that is
	// small, the Hessian is over more rows. Nil for 1.
	Active []float64

	Checkpoint learn.Checkpoint // a round is a block of rows
	Run        run.Control
}

// HessianRows is how many rows for each coordinate the Hessian is over.
const HessianRows = 100.0

// ahead are the parts of a step at whose ends P is known beside that of the whole step.
var ahead = []float64{0.5, 0.25, 0.1, 0.03, 0.01}

// NewNewton returns the recipe with the defaults of a linear SVM.
func NewNewton(loss Loss) Newton {
	return Newton{Loss: loss, C: 1, Tolerance: 1e-3, MaxPasses: 20, Unit: 1}
}

// Validate reports every field that is out of range.
func (n Newton) Validate() error {
	const f = learn.Fields("newton")
	var loss error
	if n.Loss > Logistic {
		loss = fmt.Errorf("newton: there is no %s", n.Loss)
	}
	for _, c := range n.Cs {
		loss = errors.Join(loss, f.Positive("C", c))
	}
	return errors.Join(loss, f.Positive("C", n.C), f.NotNegative("tolerance", n.Tolerance),
		f.AtLeast(1, "max passes", n.MaxPasses), f.NotNegative("unit", n.Unit), n.Checkpoint.Validate("newton"))
}

// separation is one class against the rest on the way to its optimum.
type separation struct {
	class int       // that is positive
	w, p  []float64 // the point, and the step from it that the next pass looks at
	value float64   // P(w); +Inf before it is known
	gap   float64   // at w
	done  bool
	stuck bool
	part  float64 // of the rows that the Hessian is over
}

// NewtonFit is what a Newton found.
type NewtonFit struct {
	C       float64
	Choices []Choice    // where there are several Cs: what those came to that were compared last
	Models  []*Function // one a separator, with Bias the weight of the constant coordinate
}

// newton is a fit on the way.
type newton struct {
	Newton

	c       float64 // in use
	weight  float64 // of all rows
	chooses bool    // passes sum up what C is chosen by
	changes int     // how often it was
	choices []Choice
}

// Fit returns a function a separator. When ctx ends they are the best so far, and the status says so.
func (n Newton) Fit(ctx context.Context, s *Sample, classes int) (*NewtonFit, learn.Report, error) {
	if err := errors.Join(n.Validate(), learn.Fields("newton").AtLeast(2, "classes", classes)); err != nil {
		return nil, learn.Report{}, err
	}
	fit := &newton{Newton: n, c: n.C, weight: s.Weight}
	models, report, err := fit.fit(ctx, s, classes)
	if err != nil {
		return nil, report, err
	}
	return &NewtonFit{fit.c, fit.choices, models}, report, nil
}

func (n *newton) fit(ctx context.Context, s *Sample, classes int) ([]*Function, learn.Report, error) {
	began := time.Now()
	all, err := n.begin(s, classes)
	if err != nil {
		return nil, learn.Report{}, err
	}
	group, err := n.group(s.Dim, len(all))
	if err != nil {
		return nil, learn.Report{}, err
	}
	report := learn.Report{Status: learn.Converged}
	from, err := n.restore(s, all, group)
	if err != nil {
		return nil, report, err
	}
	for lo := from.group * group; lo < len(all); lo += group {
		passes, status, err := n.run(ctx, s, classes, all, lo, min(lo+group, len(all)), from)
		from = progress{group: lo/group + 1}
		report.Iterations += passes
		if err != nil {
			return nil, report, err
		}
		if status != learn.Converged {
			report.Status = status
		}
		if ctx.Err() != nil {
			break
		}
	}
	out := make([]*Function, len(all))
	for k, t := range all {
		out[k] = &Function{W: t.w[:s.Dim], Bias: t.w[s.Dim]}
		if !math.IsInf(t.value, 1) {
			report.Objective += t.value
			report.Gap += t.gap
		}
	}
	report.Elapsed = time.Since(began)
	return out, report, nil
}

// begin returns the separations at their start.
func (n Newton) begin(s *Sample, classes int) ([]*separation, error) {
	all := make([]*separation, learn.Separators(classes))
	if n.Start != nil && len(n.Start) != len(all) {
		return nil, fmt.Errorf("newton: the start has %d functions and must have %d", len(n.Start), len(all))
	}
	if n.Active != nil && len(n.Active) != len(all) {
		return nil, fmt.Errorf("newton: there are %d parts of active rows and must be %d", len(n.Active), len(all))
	}
	for k := range all {
		t := &separation{class: learn.PositiveClass(k, classes), w: make([]float64, s.Dim+1), p: make([]float64, s.Dim+1),
			value: math.Inf(1), gap: math.Inf(1), part: partOf(n.Active, k, s.Dim, s.Rows)}
		if n.Start != nil {
			copy(t.w[:s.Dim], n.Start[k].W)
			if t.w[s.Dim] = n.Start[k].Bias; n.Unit == 0 {
				t.w[s.Dim] = 0
			}
		}
		if vmath.Finite(t.w) >= 0 {
			return nil, errors.New("newton: the start has a weight that is not finite")
		}
		all[k] = t
	}
	return all, nil
}

// group returns how many classes there is memory for at a time, by the budget alone, and settles whether C is
// chosen.
func (n *newton) group(dim, tasks int) (int, error) {
	folds := 0
	if len(n.Cs) > 0 {
		folds = newtonFolds
	}
	one := 2.5*sums.QuadraticBytes(dim+1) + separatorScratch(dim, folds)
	rows := newtonScratch(dim)
	if err := n.Run.Reserve("sums of losses of so many features", one+rows, "use a smaller --dim"); err != nil {
		return 0, err
	}
	ctl := n.Run
	ctl.Process = false
	most := float64(ctl.Budget()) / 4
	n.chooses = len(n.Cs) > 0 && float64(tasks)*one+sums.QuadraticBytes(dim+1) <= most
	return max(1, min(tasks, int(most/one))), nil
}

// progress says where a fit stands: group, pass and row, with what the pass has summed up.
type progress struct {
	group, passes, row int
	sums               []*sums.Quadratic
	folds              []*sums.Gradient // of each part of the rows, a row each; nil where nothing is chosen
}

// run lowers the separations lo to hi-1, which are a group.
func (n *newton) run(
	ctx context.Context, s *Sample, classes int, all []*separation, lo, hi int, from progress,
) (int, learn.Status, error) {
	passes := from.passes
	for {
		var live []*separation
		for _, t := range all[lo:hi] {
			if !t.done {
				live = append(live, t)
			}
		}
		switch {
		case len(live) == 0:
			for _, t := range all[lo:hi] {
				if t.stuck {
					return passes, learn.IterationLimit, nil
				}
			}
			return passes, learn.Converged, nil
		case passes >= n.MaxPasses:
			return passes, learn.IterationLimit, nil
		}
		at := &progress{from.group, passes, from.row, from.sums, from.folds}
		err := n.pass(ctx, s, classes, all, live, at)
		from.row, from.sums, from.folds = 0, nil, nil
		if learn.Interrupted(ctx, err) {
			return passes, learn.Stopped(ctx), nil
		}
		if err != nil {
			return passes, learn.IterationLimit, err
		}
		passes++
		err = n.advance(ctx, live, at)
		if learn.Interrupted(ctx, err) {
			return passes, learn.Stopped(ctx), nil
		}
		if err != nil {
			return passes, learn.IterationLimit, err
		}
	}
}

// partOf is the part of so many rows that the Hessian of separator k is over.
func partOf(active []float64, k, dim, rows int) float64 {
	live := float64(max(rows, 1))
	if active != nil {
		live *= max(active[k], 0)
	}
	return min(1, HessianRows*float64(dim+1)/max(live, 1))
}

// pass sums over all rows at the ends of the steps.
func (n *newton) pass(ctx context.Context, s *Sample, classes int, tasks, live []*separation, at *progress) error {
	p := &NewtonPass{Loss: n.Loss, C: n.c, Unit: n.Unit, Seed: n.Seed}
	if n.chooses = n.chooses && len(live) == len(tasks); n.chooses {
		p.Folds = newtonFolds
	}
	for _, t := range live {
		p.Classes, p.Ends, p.Starts = append(p.Classes, t.class), append(p.Ends, t.end()), append(p.Starts, slices.Clone(t.w))
		p.Still, p.Parts = append(p.Still, vmath.Dot(t.p, t.p) == 0), append(p.Parts, t.part)
	}
	all := NewSums(&Pass{Dim: s.Dim, Classes: classes, Similar: s.Basis != nil, Newton: p}, s.Basis)
	if at.sums != nil {
		all.Quadratics, all.Folds = at.sums, at.folds
	}
	at.sums, at.folds = all.Quadratics, all.Folds
	keep := func(next int) []byte {
		return n.state(s, tasks, progress{at.group, at.passes, next, at.sums, at.folds})
	}
	return s.pass(ctx, n.Run, fmt.Sprintf("pass %d", at.passes+1), at.row, n.Checkpoint, keep, all)
}

// advance takes the steps, or a part of each, and finds the next ones.
func (n *newton) advance(ctx context.Context, live []*separation, at *progress) error {
	moved := make([]bool, len(live))
	err := par.For(ctx, n.Run.Quiet(), "", len(live), func(k int) (err error) {
		q := at.sums[k]
		moved[k], err = live[k].move(q.Value, q.Gradient, q.Ahead, n.Tolerance)
		return err
	})
	if err != nil {
		return err
	}
	if n.chooses && !slices.Contains(moved, false) {
		if err := n.choose(ctx, live, at); err != nil {
			return err
		}
	}
	return par.For(ctx, n.Run.Quiet(), "", len(live), func(k int) error {
		if t := live[k]; moved[k] && !t.done {
			return n.step(ctx, t, at.sums[k])
		}
		return nil
	})
}

// move goes to the end of the step, of which the sums of losses are known, or back from it,
// and reports which. It adds to the gradient that of ½|w|².
func (t *separation) move(losses float64, gradient, between []float64, tolerance float64) (bool, error) {
	end := t.end()
	value := vmath.Dot(end, end)/2 + losses
	if value-value != 0 || vmath.Finite(gradient) >= 0 {
		return false, errors.New("a sum of losses is not finite; scale the data down")
	}
	if value > t.value+1e-12*math.Abs(t.value) {
		t.back(between)
		return false, nil
	}
	stalled := value >= t.value
	vmath.Axpy(gradient, 1, end)
	copy(t.w, end)
	gap := vmath.Dot(gradient, gradient) / 2
	stalled = stalled && gap >= t.gap
	t.value, t.gap = value, gap
	t.done = gap <= tolerance*max(value, math.SmallestNonzeroFloat64)
	if stalled && !t.done { // rounding leaves nothing to gain
		t.done, t.stuck = true, true
	}
	return true, nil
}

// end is where the step leads.
func (t *separation) end() []float64 {
	end := make([]float64, len(t.w))
	for j, a := range t.w {
		end[j] = a + t.p[j]
	}
	return end
}

// step finds the step from t.w by the Hessian, which it takes apart.
func (n *newton) step(ctx context.Context, t *separation, q *sums.Quadratic) error {
	h, gradient := q.Hessian, q.Gradient
	ctl := n.Run.Quiet()
	ctl.Workers = 1 // the classes are in parallel
	if err := regularise(ctx, ctl, h, 1/t.part); err != nil {
		return err
	}
	for j, g := range gradient {
		t.p[j] = -g
	}
	solve(t.p, h)
	decrement := -vmath.Dot(t.p, gradient) / 2
	left := 2 * decrement * (1/HessianRows + decrement/max(t.value, math.SmallestNonzeroFloat64))
	switch goal := n.Tolerance * t.value; {
	case decrement <= goal:
		t.gap, t.done = max(0, decrement), true
		clear(t.p)
	case left <= goal:
		vmath.Axpy(t.w, 1, t.p)
		t.value, t.gap, t.done = t.value-decrement, left, true
		clear(t.p)
	}
	return nil
}

// back goes to the best point before the end of a step that did not lower P. The next
// pass looks at that point itself.
func (t *separation) back(losses []float64) {
	best, least := 0.0, t.value
	for l, part := range ahead {
		half := 0.0
		for j, a := range t.w {
			half += (a + part*t.p[j]) * (a + part*t.p[j]) / 2
		}
		if v := half + losses[l]; v < least {
			best, least = part, v
		}
	}
	if best == 0 {
		if best = ahead[len(ahead)-1] / 10; vmath.Dot(t.p, t.p) <= 1e-24*vmath.Dot(t.w, t.w) {
			t.done, t.stuck = true, true
			clear(t.p)
			return
		}
	}
	vmath.Scale(t.p, best)
}
