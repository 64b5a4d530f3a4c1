package linear

import (
	"context"
	"math"
)

// Constants of the smoothed hinge loss, found by trial: they bear on the time
// and not on what counts as converged.
const (
	widestBand = 2.5   // the width to begin with, which has m = 0 in it
	narrowest  = 1e-10 // the least width
	bandShare  = 0.3   // a width is left when the rest of the gap is this part of the excess
	bandGoal   = 0.5   // part of the allowed gap that the excess should have in the end
	bandMost   = 4.0   // most that a width is divided by at once
	bandLeast  = 1.5   // and least

	bandRows    = 4.0  // rows in the band of a part, as a multiple of the coordinates
	levelRows   = 6    // rows of the least part, as a multiple of the coordinates
	levelFewest = 512  // and at least
	levelRatio  = 5.0  // each part has so many times the rows of the one before
	levelGap    = 0.05 // gap of the fit to a part and a band, relative to its objective
	bandRounds  = 8    // times that the width for given weights is made better
	levelPasses = 200  // most passes of it
)

// refine narrows the band of a smoothed hinge loss once it is what keeps the
// gap open. The excess is about the number of rows in the band times its width,
// so that it falls with the square of the width.
func (p *primal) refine(tasks []*task, tolerance float64) bool {
	s, smooth := p.loss.(smoothHinge)
	if !smooth {
		return false
	}
	ratio := 1.0
	for _, t := range tasks {
		if rest := t.now.gap() - t.now.excess; !t.stuck && rest > t.now.excess*bandShare {
			return false
		}
		if t.now.excess > 0 {
			ratio = min(ratio, bandGoal*tolerance*t.now.meant/t.now.excess)
		}
	}
	h := s.h * min(max(math.Sqrt(ratio), 1.0/bandMost), 1.0/bandLeast)
	if !(h > narrowest) {
		return false
	}
	p.loss = smoothHinge{h}
	return true
}

// rise trains the hinge loss on random parts of the rows that grow until all are
// next, and on each with a band that narrows as far as the tolerance asks for
// and there are rows to fill it: rows in the band are what the Hessian is a sum
// over, and with fewer than a few for each coordinate the part says nothing
// about the whole. Each fit begins where the one before ended.
func (f *primalFit) rise(ctx context.Context, n newton) {
	h := widestBand
	for _, size := range levels(len(f.p.rows), f.p.dim) {
		part, err := f.part(size)
		if err != nil {
			continue // there is no memory for a part; all rows do as well
		}
		for k, t := range f.tasks {
			copy(part.tasks[k].now.w, t.now.w)
			part.p.model[k].factor = f.p.model[k].factor
		}
		least, goal, ok := part.narrow(ctx, n, h)
		for k, t := range part.tasks {
			copy(f.tasks[k].now.w, t.now.w)
			f.p.model[k].factor = part.p.model[k].factor
		}
		h = min(least, max(goal, least/levelRatio)) // as many rows in the band of the next part
		f.p.loss = smoothHinge{h}
		if !ok {
			return
		}
	}
}

// levels returns the sizes of the parts.
func levels(rows, dim int) []int {
	var sizes []int
	least := max(levelRows*dim, levelFewest)
	for size := float64(rows) / levelRatio; size >= float64(least); size /= levelRatio {
		sizes = append([]int{int(size)}, sizes...)
	}
	return sizes
}

// narrow lowers the smoothed objective with bands from h on. It returns the
// least of them and that which the tolerance asks for, and false if ctx ended on
// the way.
func (f *primalFit) narrow(ctx context.Context, n newton, h float64) (least, goal float64, done bool) {
	for {
		f.p.loss = smoothed{smoothHinge{h}}
		if f.p.evaluate(ctx, f.tasks, (*task).current) != nil {
			return h, h, false
		}
		f.adopt()
		newton{tolerance: levelGap, passes: min(levelPasses, n.passes), ctl: n.ctl.Quiet()}.run(ctx, f.p, f.tasks)
		f.reopen()
		goal, filled := f.bands(h, n.tolerance)
		next := max(goal, filled, h/bandMost)
		if next > h/bandLeast {
			return h, goal, true
		}
		h = next
	}
}

// suit narrows the band to one that suits the weights that the tasks begin with,
// which have been evaluated, and evaluates them again.
func (f *primalFit) suit(ctx context.Context, tolerance float64) error {
	h := widestBand
	for range bandRounds {
		goal, filled := f.bands(h, tolerance)
		next := max(goal, filled)
		if next > h/bandLeast {
			break
		}
		h = next
	}
	f.p.loss = smoothHinge{h}
	return f.p.evaluate(ctx, f.tasks, (*task).current)
}

// bands returns the width at which the excess is what the tolerance leaves for
// it, and that at which the band has bandRows for each coordinate, both from
// what they are with h.
func (f *primalFit) bands(h, tolerance float64) (goal, filled float64) {
	s, ratio := smoothHinge{h}, 1.0
	fewest := len(f.p.rows)
	for k, t := range f.tasks {
		meant, excess, in := squared(t.now.w)/2, 0.0, 0
		for i, score := range t.now.f {
			m := f.p.label[k][i] * score
			meant += f.p.penalty[i] * s.meant(m)
			if e := s.excess(m); e > 0 && f.p.penalty[i] > 0 {
				excess += f.p.penalty[i] * e
				in++
			}
		}
		if r := bandGoal * tolerance * meant / excess; r < ratio { // false for NaN
			ratio = r
		}
		fewest = min(fewest, in)
	}
	return h * math.Sqrt(ratio), h * bandRows * float64(f.p.dim+1) / float64(max(fewest, 1))
}
