package kernelized

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

const (
	// workingLeast and workingMost bound how many variables are solved for at a
	// time.
	workingLeast = 128
	workingMost  = 4096
	// rowsAtOnce is how many rows are in use at a time. It fixes the order of
	// sums, and how little memory suffices.
	rowsAtOnce = 256
	// singleFrom is from how many instances on the rows are computed in float32
	// at first. Below, all of K is cheap.
	singleFrom = 2048
	// updateBlock is how many scores one task of an update has.
	updateBlock = 2048
)

// smo solves a dual problem by decomposition, after some steps over all variables
// where these are few (sequence): rounds that choose a working set
// of the variables that violate the optimality conditions most (Joachims 1999),
// minimise over it by sequential minimal optimisation with second-order
// selection (Platt 1998; Fan, Chen and Lin 2005), with leaps in between where
// that is slow, and bring the scores of all
// instances up to date with the rows of the variables that changed. The rows of
// a round are computed together in tiles and kept in memory as far as it
// reaches.
//
// Every round lowers the objective, and the worst violating pair is in every
// set, so that it converges (Lin 2002). Variables at their bounds that do not
// violate the conditions cost nothing within a round. Where there are many, and half
// of the instances and more have stood firmly at their bounds for some rounds they are set aside:
// the rows of further rounds are over the others alone. Before the end their
// scores are brought up to date, and where one violates the conditions all come
// back.
type smo[T any] struct {
	kernel     kernel.Kernel[T]
	x          data.Source[T]
	tolerance  float64
	iterations int  // most steps
	shrinks    bool // sets instances aside
	checkpoint Checkpoint
	ctl        run.Control

	dual    *dual
	scores  []float64 // K·beta
	start   []float64 // those of the first weights, nil to compute them
	largest float64   // |K(x, x)| of all rounds so far
	state   progress
	rows    *rowStore[T]
	place   []int    // of each instance in rows, -1 where it is set aside; nil where none is
	dim     int      // coordinates of the instances, once it was asked for
	mark    uint64   // tells this problem from others in checkpoints
	squares *squares // where all of K is computed at once; nil where rows are, as they are called for
}

// progress is what the next round depends on, beside the variables and scores.
type progress struct {
	phase  phase
	steps  int
	rounds int
	set    []int // the working set of the last round
	shrunk shrinking
}

// phase is a stretch of the solution in one precision.
type phase uint8

const (
	begin  phase = iota // nothing is computed
	single              // rows are in float32
	double              // rows are in float64
)

// solve minimises and returns the report without Elapsed and Support.
//
// Where the kernel has a form and there are many instances the rows are at first
// in float32, until the violation is within the tolerance or within what
// float32 can tell. Unless the run asks for float32, the scores are then computed
// anew in float64 and the solution goes on with rows in float64 from there; most
// often nothing is left to do.
func (s *smo[T]) solve(ctx context.Context) (learn.Report, error) {
	s.ctl.Progress.Begin("train", 0)
	defer s.ctl.Progress.End()
	status, err := s.phases(ctx)
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return learn.Report{}, err
		}
		status = learn.Stopped(ctx)
	}
	if s.state.shrunk.active != nil {
		if err := s.complete(context.WithoutCancel(ctx)); err != nil {
			return learn.Report{}, err
		}
	}
	return learn.Report{
		Status:     status,
		Iterations: s.state.steps,
		Objective:  s.dual.objective(s.scores),
		Gap:        s.dual.gap(s.scores),
	}, nil
}

// phases runs the phases from the beginning or a checkpoint.
func (s *smo[T]) phases(ctx context.Context) (learn.Status, error) {
	s.scores = make([]float64, s.dual.n)
	if s.checkpoint.Save != nil || s.checkpoint.From != nil {
		s.mark = s.dual.fingerprint("rounds", s.tolerance, s.shrinks)
	}
	if s.checkpoint.From != nil {
		if err := s.decode(s.checkpoint.From); err != nil {
			return "", err
		}
	}
	return s.steps(ctx)
}

// steps takes all steps from where the state stands.
func (s *smo[T]) steps(ctx context.Context) (learn.Status, error) {
	_, form := kernel.FormOf(s.kernel)
	lasting := form && s.ctl.Precision == run.Float32
	rough := lasting || form && s.dual.n >= singleFrom
	switch {
	case s.state.phase == begin && s.start != nil:
		copy(s.scores, s.start)
		s.state.phase = double
		if rough {
			s.state.phase = single
		}
	case s.state.phase == begin && rough:
		if err := s.enter(ctx, single, run.Float32); err != nil {
			return "", err
		}
	}
	for s.state.phase == single {
		status, err := rounds(ctx, s, &s.rows.single, !lasting)
		if lasting || err != nil || status != learn.Converged {
			return status, err
		}
		if err := s.enter(ctx, double, run.Float64); err != nil {
			return "", err
		}
		if s.review() {
			s.state.phase = single
		}
	}
	s.rows.release()
	if s.state.phase != double {
		if err := s.enter(ctx, double, run.Float64); err != nil {
			return "", err
		}
	}
	return rounds(ctx, s, &s.rows.double, false)
}

// enter begins a phase.
func (s *smo[T]) enter(ctx context.Context, p phase, precision run.Precision) error {
	if err := s.rescore(ctx, precision); err != nil {
		return err
	}
	s.state.phase, s.state.set = p, nil
	return nil
}

// rowStore holds the rows that are in memory, in both precisions. Problems on
// the same instances may share it one after the other.
type rowStore[T any] struct {
	single  caches[T, float32]
	double  caches[T, float64]
	keep    bool        // the rows of a phase when it is over
	counter run.Counter // of evaluations
}

// caches are rows over all instances and over the active ones.
type caches[T any, F float32 | float64] struct {
	whole, narrow *gram.RowCache[T, F]
}

// release lets the rows of the first phase go.
func (r *rowStore[T]) release() {
	if !r.keep {
		r.single = caches[T, float32]{}
	}
}

// narrowed is told of a new active set. Rows over all instances stay in memory
// where there is room for every one of them.
func (r *rowStore[T]) narrowed() {
	r.single.narrowed()
	r.double.narrowed()
}

func (c *caches[T, F]) narrowed() {
	c.narrow = nil
	if c.whole != nil && c.whole.Limit() < c.whole.Len() {
		c.whole = nil
	}
}

// widened is told that all instances are active again.
func (r *rowStore[T]) widened() { r.single.narrow, r.double.narrow = nil, nil }

// of returns the rows over the active instances of a problem.
func (c *caches[T, F]) of(s *smo[T]) (*gram.RowCache[T, F], error) {
	cache := &c.whole
	if s.place != nil {
		cache = &c.narrow
	}
	if *cache == nil {
		x := s.sample()
		made, err := gram.NewRowCache[T, F](s.ctl, s.kernel, x, min(rowsAtOnce, x.Len()))
		if err != nil {
			return nil, err
		}
		*cache = made
	}
	return *cache, nil
}

// rescore computes the scores from the variables.
func (s *smo[T]) rescore(ctx context.Context, p run.Precision) error {
	beta := s.dual.beta()
	index, weight := nonZero(beta)
	if len(index) == 0 {
		clear(s.scores)
		return nil
	}
	scores := make([]float64, s.dual.n)
	c := gram.BindOn(s.ctl, s.kernel, data.Source[T](data.Subset[T]{Of: s.x, Index: index}), p)
	if err := c.Product(ctx, s.ctl.Quiet(), scores, s.x, weight); err != nil {
		return err
	}
	copy(s.scores, scores)
	return nil
}

// nonZero returns the places of the values other than 0, and those values.
func nonZero(v []float64) (index []int, value []float64) {
	for i, a := range v {
		if a != 0 {
			index, value = append(index, i), append(value, a)
		}
	}
	return index, value
}

// rounds runs rounds in the precision F until the violation is within the
// tolerance, or so small that the rounding of F could be all that is left of it.
// A rough solution goes a little further, so that it still is one when the
// scores are computed anew in float64.
func rounds[T any, F float32 | float64](
	ctx context.Context, s *smo[T], rows *caches[T, F], rough bool,
) (learn.Status, error) {
	d := s.dual
	most, widest := min(workingMost, len(d.b)), 0.0
	w := &round[T, F]{smo: s, inner: newInner[F](most), got: make([][]F, rowsAtOnce)}
	if s.squares != nil {
		defer s.squares.lend(w.inner)()
	}
	if err := w.away(ctx, rough); err != nil && ctx.Err() == nil {
		return "", err
	}
	for {
		seen, err := d.survey(context.WithoutCancel(ctx), s.ctl, s.scores, s.state.shrunk.active)
		if err != nil {
			return "", err
		}
		violation := d.violation(seen.up, seen.down)
		tolerance := s.tolerance
		whole := s.sequential() && s.squares == nil
		if rough && !whole {
			tolerance *= 0.9
		}
		tolerance = max(tolerance, noise[F](s))
		switch {
		case violation <= tolerance && s.place != nil && !rough:
			if err := s.complete(ctx); err != nil {
				return "", err
			}
			continue
		case violation <= tolerance:
			return learn.Converged, nil
		case s.state.steps >= s.iterations:
			return learn.IterationLimit, nil
		case ctx.Err() != nil:
			return learn.Stopped(ctx), nil
		}
		if s.shrinks {
			if err := s.shrink(context.WithoutCancel(ctx), seen); err != nil {
				return "", err
			}
		}
		if s.squares == nil {
			if w.cache, err = rows.of(s); err != nil {
				return "", err
			}
		}
		switch {
		case s.squares != nil:
			err = w.runAll(ctx, tolerance)
		case whole:
			err = w.sequence(ctx, tolerance)
		default:
			err = w.next(ctx, seen, sizeOf(len(d.b), seen.inside, most), max(0.1*violation, 0.5*tolerance))
		}
		if err != nil {
			return "", err
		}
		s.state.rounds++
		if err := s.save(); err != nil {
			return "", err
		}
		s.ctl.Progress.Advance(int64(s.state.steps))
		widest = max(widest, violation)
		s.ctl.Progress.Approach(widest, violation, tolerance)
	}
}

// next chooses a working set of so many variables and solves for them.
func (w *round[T, F]) next(ctx context.Context, seen survey, size int, tolerance float64) error {
	set, err := w.dual.choose(ctx, w.ctl, w.scores, seen, w.state.shrunk.active, w.state.set, size)
	if err != nil {
		return err
	}
	w.state.set, w.inner.rows = set, nil
	return w.run(ctx, tolerance)
}

// sizeOf returns how many variables the next working set has, of so many of which so many are inside their
// ranges: a sixteenth of all, or twice as many as are inside, so that those can be solved for together. Rounds
// get few then.
func sizeOf(variables, inside, most int) int {
	return min(most, max(workingLeast, variables/16, 2*inside))
}

// noise bounds the error of a score that comes from rounding K to F.
func noise[F float32 | float64, T any](s *smo[T]) float64 {
	sum := 0.0
	for _, b := range s.dual.b {
		sum += math.Abs(b)
	}
	unit := 0x1p-53
	if _, ok := any(F(0)).(float32); ok {
		unit = 0x1p-24
	}
	return sum * s.largest * unit
}

// round is the memory of rounds in the precision F.
type round[T any, F float32 | float64] struct {
	*smo[T]
	cache *gram.RowCache[T, F]
	inner *inner[F]
	got   [][]F
	diag  []float64 // of K, for steps over all variables
	whole bool      // all of K is in the inner problem
}

// run solves for the variables of the working set and updates the scores, with
// the rows of those that changed.
func (w *round[T, F]) run(ctx context.Context, tolerance float64) error {
	d, set, p := w.dual, w.state.set, w.inner
	if err := w.cache.Square(ctx, p.square(len(set)), w.each(set)); err != nil {
		return err
	}
	w.fill(set, func(k int) float64 { return float64(p.k[k*len(set)+k]) })
	steps := min(w.iterations-w.state.steps, 100*len(set))
	made := p.solve(ctx, w.ctl.Quiet(), d.ties != free, tolerance, steps)
	index, change := w.changes(set)
	scores := w.gather()
	if w.anew() && len(index) > 0 {
		if err := w.add(ctx, scores, index, change); err != nil {
			return err
		}
		index = nil
	}
	for len(index) > 0 {
		n := min(rowsAtOnce, len(index))
		if err := w.cache.Rows(ctx, w.got[:n], index[:n]); err != nil {
			return err
		}
		if err := w.update(ctx, scores, change[:n]); err != nil {
			return err
		}
		index, change = index[n:], change[n:]
	}
	// From here on nothing can fail: variables and scores change together.
	w.scatter(scores)
	for k, t := range set {
		d.b[t] = p.b[k]
	}
	w.state.steps += max(made, 1)
	return nil
}

// changes returns the places of the instances whose weight in the expansion
// changes, in order, and by how much.
func (w *round[T, F]) changes(set []int) (index []int, change []float64) {
	for k, t := range set {
		if delta := w.inner.b[k] - w.dual.b[t]; delta != 0 {
			// The second variable of an instance comes after all first ones.
			if place := w.at(t); len(index) == 0 || index[len(index)-1] < place {
				index, change = append(index, place), append(change, delta)
			} else if at, found := slices.BinarySearch(index, place); found {
				change[at] += delta
			} else {
				index, change = slices.Insert(index, at, place), slices.Insert(change, at, delta)
			}
		}
	}
	return index, change
}

// gather returns the scores of the active instances in memory of their own.
func (w *round[T, F]) gather() []float64 {
	if w.place == nil {
		return slices.Clone(w.scores)
	}
	active := w.state.shrunk.active
	scores := make([]float64, len(active))
	for k, i := range active {
		scores[k] = w.scores[i]
	}
	return scores
}

// scatter takes the scores of the active instances over.
func (w *round[T, F]) scatter(scores []float64) {
	if w.place == nil {
		w.scores = scores
		return
	}
	for k, i := range w.state.shrunk.active {
		w.scores[i] = scores[k]
	}
}

// each returns the place of each variable's instance.
func (w *round[T, F]) each(set []int) []int {
	index := make([]int, len(set))
	for k, t := range set {
		index[k] = w.at(t)
	}
	return index
}

// fill makes the inner problem of the working set, its matrix aside, of which it
// takes the diagonal.
func (w *round[T, F]) fill(set []int, diag func(k int) float64) {
	d, p, q := w.dual, w.inner, len(set)
	p.own, p.f, p.b, p.lo, p.hi = p.own[:q], p.f[:q], p.b[:q], p.lo[:q], p.hi[:q]
	p.canGrow, p.canFall = p.canGrow[:q], p.canFall[:q]
	second := q // where the second group begins
	for k, t := range set {
		p.own[k] = diag(k)
		w.largest = max(w.largest, math.Abs(p.own[k]))
		p.f[k], p.b[k], p.lo[k], p.hi[k] = d.slope(w.scores, t), d.b[t], d.lo[t], d.hi[t]
		p.mark(k)
		if d.group(t) == 1 {
			second = min(second, k)
		}
	}
	p.groups = append(p.groups[:0], extent{from: 0, to: second})
	if second < q {
		p.groups = append(p.groups, extent{from: second, to: q})
	}
}

// update adds the rows that were fetched to the scores, each times its change.
// The sum over the rows is in F, block by block; it is then added in float64.
func (w *round[T, F]) update(ctx context.Context, scores, change []float64) error {
	return par.For(ctx, w.ctl, "", par.Blocks(len(scores), updateBlock), func(i int) error {
		lo, hi := par.Range(i, len(scores), updateBlock)
		sum := make([]F, hi-lo)
		for k, a := range change {
			vmath.Axpy(sum, F(a), w.got[k][lo:hi])
		}
		for j, v := range sum {
			scores[lo+j] += float64(v)
		}
		return nil
	})
}
