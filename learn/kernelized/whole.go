package kernelized

import (
	"context"
	"slices"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
)

const (
	// wholeMost is up to how many instances all of K is computed, 8 MiB, which takes less than to
	// find out which rows are called for and to start on each anew.
	wholeMost = 1024
	// wholeThin is the same for up to wholeDim coordinates, where values of K are cheap beside the
	// steps: below it rows are in float64 from the beginning.
	wholeThin, wholeDim = singleFrom - 1, 128
)

// squares is memory for K of problems that are solved one after the other by each worker, or
// K itself where all have the same instances.
type squares struct {
	single, double sync.Pool
	same           bool
	known          any // K of the instances, where they are the same
}

// lend gives an inner problem memory that was given back, if there is any, and returns a
// function that takes it back.
func (s *squares) lend(p any) func() {
	if s.same {
		return func() {}
	}
	switch p := p.(type) {
	case *inner[float32]:
		return lend(&s.single, p)
	case *inner[float64]:
		return lend(&s.double, p)
	}
	return func() {}
}

func lend[F float32 | float64](pool *sync.Pool, p *inner[F]) func() {
	if k, ok := pool.Get().(*[]F); ok {
		p.k = *k
	}
	return func() {
		k := p.k
		p.k = nil
		pool.Put(&k)
	}
}

// small reports whether all of K is computed at once: a form makes that cheap.
func (s *smo[T]) small() bool {
	_, form := kernel.FormOf(s.kernel)
	if !form || s.dual.n > wholeThin || len(s.dual.b) != s.dual.n {
		return false
	}
	x, vectors := any(s.x).(data.Source[data.Vector])
	return s.dual.n <= wholeMost || vectors && data.Dim(x) <= wholeDim
}

// runAll solves for all variables, with all of K.
func (w *round[T, F]) runAll(ctx context.Context, tolerance float64) error {
	d, p := w.dual, w.inner
	set := slices.Collect(d.variables(nil))
	if k, ok := w.squares.known.([]F); ok {
		p.k, w.whole = k, true
	}
	if !w.whole {
		if err := gram.Within(ctx, w.ctl.Quiet(), w.kernel, w.x, p.square(len(set))); err != nil {
			return err
		}
		if w.whole = true; w.squares.same {
			w.squares.known = p.k
		}
	}
	w.fill(set, func(k int) float64 { return float64(p.k[k*len(set)+k]) })
	steps := min(w.iterations-w.state.steps, 2*leapAfter*len(set)) // after which the state may be saved
	made := p.solve(ctx, w.ctl.Quiet(), d.ties != free, tolerance, steps)
	for t, b := range p.b {
		d.b[t] = b
		w.scores[t] = -p.f[t] - d.e[t]
	}
	w.state.steps += max(made, 1)
	return nil
}
