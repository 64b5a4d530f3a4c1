package stream

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

const (
	// newtonFolds is into how many parts the rows are divided to choose C.
	newtonFolds = 5

	// reach is how many times as large, or as small, as the one that sums were taken with another C
	// may be for a step to say what comes of it.
	reach = 10.5

	// nearest is by how much of the objective a step may promise to lower it where C is chosen.
	nearest = 0.02

	// mostChanges bounds how often C changes: each time may cost a pass.
	mostChanges = 3
)

// Choice is what one C came to.
type Choice struct {
	C    float64
	Loss float64 // mean loss of rows that are held out, summed over separators; +Inf where there is no function
}

// choose goes to the C of least loss on folds, where that is less than the loss at the one in use by
// more than the tolerance: from the gradients of folds g_f at w, with the Hessian H of the losses of all
// rows, the functions that the other folds give are at
//
//	w + p,   (I + C·H)·p = -(w + C·K/(K-1)·Σ_{h≠f} g_h)
//
// about, with the other folds weighed as all K are, and fold f has there
//
//	losses + g_f·p + ½ p·(H/K)·p
//
// (docs/math/sums.md). That holds near a minimum: as long as the step promises to lower the objective by
// more than a part of it, nothing is chosen. What is known of the losses is then that of the C chosen, and of
// where steps lead too. Nothing is read again for it; where C changes the steps are longer, and may take
// another pass.
func (n *newton) choose(ctx context.Context, all []*separation, at *progress) error {
	own, near, err := n.compare(ctx, all, at, n.c)
	if err != nil || !near {
		return err
	}
	n.choices = n.choices[:0]
	best := own
	for _, c := range slices.Sorted(slices.Values(n.candidates())) {
		one := own
		if c != n.c {
			if one, _, err = n.compare(ctx, all, at, c); err != nil {
				return err
			}
		}
		n.choices = append(n.choices, one)
		if one.Loss < best.Loss {
			best = one
		}
	}
	if n.changes++; !(best.Loss < own.Loss*(1-n.Tolerance)) {
		n.chooses = false // it stays
		return nil
	}
	n.chooses = n.changes < mostChanges
	times := best.C / n.c
	n.c = best.C
	for k, t := range all {
		t.weigh(at.sums[k], times, n.Tolerance)
	}
	return nil
}

// compare returns what a C comes to, and whether the minimum at that C is near.
func (n *newton) compare(ctx context.Context, all []*separation, at *progress, c float64) (Choice, bool, error) {
	loss, promises, value := 0.0, 0.0, 0.0
	for k, t := range all {
		change, promise, err := n.heldOut(ctx, t, at.sums[k], at.folds[k], c/n.c)
		if err != nil {
			return Choice{}, false, err
		}
		loss += (at.sums[k].Value + change) / n.c
		promises, value = promises+promise, value+t.value
	}
	return Choice{c, loss / n.weight}, promises <= nearest*value, nil
}

// candidates are the values of C that a step can tell of.
func (n *newton) candidates() []float64 {
	out := []float64{n.c}
	for _, c := range n.Cs {
		if c != n.c && c < reach*n.c && n.c < reach*c && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// heldOut returns by how much the losses of rows that are held out, at a C that is so many times the one
// in use, differ from those at the point, and by how much the step of all rows promises to lower the objective:
// +Inf where that C has no step.
func (n *newton) heldOut(
	ctx context.Context, t *separation, q *sums.Quadratic, folds *sums.Gradient, times float64,
) (change, promise float64, err error) {
	h := data.NewMatrix(q.Hessian.Rows, q.Hessian.Cols)
	copy(h.Data, q.Hessian.Data)
	switch err := regularise(ctx, n.Run.Quiet(), h, times/t.part); {
	case errors.Is(err, errCurvature):
		return math.Inf(1), math.Inf(1), nil
	case err != nil:
		return 0, 0, err
	}
	all := make([]float64, len(t.w))
	for f := range newtonFolds {
		vmath.Axpy(all, 1, folds.Slope.Row(f))
	}
	const others = float64(newtonFolds) / (newtonFolds - 1)
	slope, p := make([]float64, len(t.w)), make([]float64, len(t.w))
	step := func(weight func(j int) float64) { // by the gradient of losses weighed so
		for j, w := range t.w {
			slope[j] = w + times*weight(j)
			p[j] = -slope[j]
		}
		solve(p, h)
	}
	for f := range newtonFolds {
		own := folds.Slope.Row(f)
		step(func(j int) float64 { return others * (all[j] - own[j]) })
		bent := -vmath.Dot(p, slope) - vmath.Dot(p, p) // p·times·H·p
		change += vmath.Dot(own, p) + bent/(2*times*newtonFolds)
	}
	step(func(j int) float64 { return all[j] })
	return change, -vmath.Dot(p, slope) / 2, nil
}

// weigh has losses count so many times as much as they did.
func (t *separation) weigh(q *sums.Quadratic, times, tolerance float64) {
	q.Value *= times
	vmath.Scale(q.Ahead, times)
	for j, w := range t.w {
		q.Gradient[j] = w + times*(q.Gradient[j]-w)
		vmath.Scale(q.Hessian.Row(j)[:j+1], times)
	}
	t.value = vmath.Dot(t.w, t.w)/2 + q.Value
	t.gap = vmath.Dot(q.Gradient, q.Gradient) / 2
	t.done, t.stuck = t.gap <= tolerance*max(t.value, math.SmallestNonzeroFloat64), false
}

// regularise makes I + times·H of the lower triangle H and takes it apart.
func regularise(ctx context.Context, ctl run.Control, h *data.Matrix, times float64) error {
	largest := 0.0
	for j := range h.Rows {
		vmath.Scale(h.Row(j)[:j+1], times)
		largest = max(largest, h.Row(j)[j])
	}
	for j := range h.Rows {
		h.Row(j)[j] += 1 + 1e-14*largest*float64(h.Rows)
	}
	err := linalg.Cholesky(ctx, ctl, h)
	var indefinite *linalg.NotPositiveError
	if errors.As(err, &indefinite) {
		return errCurvature
	}
	return err
}

var errCurvature = errors.New("the curvature is not finite, or too uneven; scale the data down, or use a smaller C")
