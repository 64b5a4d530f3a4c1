package kernelized

import (
	"context"
	"slices"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
)

const (
	// sequenceMost is up to how many variables a solution begins with steps over
	// all of them.
	sequenceMost = 4096
	// stepsPerSave is how many of them make a round, after which the state may be
	// saved.
	stepsPerSave = 256
	// diagBlock is how many elements of the diagonal one task computes.
	diagBlock = 256
	// sequenceRows is how many rows are computed at a time.
	sequenceRows = 16
)

// sequential reports whether the next round takes steps over all variables: the
// first few rounds on one group of few variables, unless they begin with those of
// another penalty.
func (s *smo[T]) sequential() bool {
	d := s.dual
	return s.start == nil && s.place == nil && len(s.state.set) == 0 && s.state.steps < sequenceSteps(d.n) &&
		d.ties == all && len(d.b) == d.n && d.n <= sequenceMost
}

// sequenceSteps returns how many such steps n variables are worth. What takes more
// is faster by working sets.
func sequenceSteps(n int) int { return n/5 + 1 }

// sequence takes steps of two variables out of all, with rows of K as they are
// called for: the method of Fan, Chen and Lin (2005) without decomposition, ties
// broken as LIBSVM does, so that the steps are its steps but for rounding. Small
// problems that are easy end here, where it ends.
func (w *round[T, F]) sequence(ctx context.Context, tolerance float64) error {
	d, p := w.dual, w.inner
	if p.rows == nil {
		diag := make([]float64, d.n)
		err := par.For(ctx, w.ctl.Quiet(), "", par.Blocks(d.n, diagBlock), func(b int) error {
			lo, hi := par.Range(b, d.n, diagBlock)
			for i := lo; i < hi; i++ {
				diag[i] = float64(F(kernel.Diag(w.kernel, w.x.At(i))))
			}
			return nil
		})
		if err != nil {
			return err
		}
		w.ctl.Counter.Add(int64(d.n))
		p.rows, w.diag = make([][]F, d.n), diag
	}
	w.fill(slices.Collect(d.variables(nil)), func(i int) float64 { return w.diag[i] })
	p.follow(-1, -1, 0)
	g, done := &p.groups[0], 0
	var err error
	for most := min(w.iterations, sequenceSteps(d.n), w.state.steps+stepsPerSave) - w.state.steps; done < most; done++ {
		if !(g.top-g.bottom > tolerance) {
			break
		}
		if err = w.fetch(ctx, g.best); err != nil {
			break
		}
		j, _, bend := p.partner(*g)
		if j < 0 {
			break
		}
		if err = w.fetch(ctx, j, g.best); err != nil {
			break
		}
		p.step(g.best, j, bend)
	}
	for t, b := range p.b {
		d.b[t] = b
		w.scores[t] = -p.f[t] - d.e[t]
	}
	w.state.steps += max(done, 1)
	return err
}

// fetch sees to it that the rows are at hand until the next call. With one that
// is not in memory it computes those of the variables that violate the conditions
// most and will be called for before long: many rows at a time take little more
// than one.
func (w *round[T, F]) fetch(ctx context.Context, index ...int) error {
	p := w.inner
	if !w.cache.Holds(index[0]) {
		grow, fall := top{size: sequenceRows / 2}, top{size: sequenceRows / 2}
		for t, f := range p.f {
			switch {
			case w.cache.Holds(t) || slices.Contains(index, t):
			case p.canGrow[t] == 0:
				grow.offer(ranked{t, f})
			case p.canFall[t] == 0:
				fall.offer(ranked{t, -f})
			}
		}
		for _, r := range append(grow.heap, fall.heap...) {
			index = append(index, r.t)
		}
	}
	got := w.got[:len(index)]
	if err := w.cache.Rows(ctx, got, index); err != nil {
		return err
	}
	for k, t := range index {
		p.rows[t] = got[k]
	}
	return nil
}
