package certificate

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Grow is the recipe that finds about the least map F2 for which a claim can be
// certified, and certifies it.
//
// Fit puts the sample into a random order. The first instances are landmarks, as
// many as needed: with the same seed a map of m landmarks is the one of
// feature.F2 with Size m. The last are the fresh ones, half of the sample but at
// most Fresh. Up to 4,000 before them are the rehearsal: on them sizes are
// tried by growing by half and then by bisection, which costs no confidence
// because they are not the fresh ones. At the size, and the level, at which the
// rehearsal foresees success the map is tested on the fresh instances; where
// that fails the map grows by 15% and is tested again. Test k may err with
// probability Budget.Look(k), so all of them hold together.
//
// The cost is a constant times that of the last map: geometric growth.
type Grow[T any] struct {
	Kernel    kernel.Kernel[T]
	Claim     Claim
	Fresh     int               // fresh instances that Fit sets apart, at most; 0 for half of all
	Part      int               // of Test
	Most      int               // landmarks, at most; 0 for as many as the theorem asks for
	Tolerance float64           // of feature.F2
	Select    feature.Selection // how landmarks are chosen, up to 2,000 of them; empty for at random
	Atoms     bool              // instances that are the same are independent draws, and no copies: see Test
	Seed      uint64
	Run       run.Control
}

// NewGrow returns the recipe with as many fresh instances as there are, no more
// landmarks than the theorem asks for, and seed 1.
func NewGrow[T any](k kernel.Kernel[T], c Claim) Grow[T] {
	return Grow[T]{Kernel: k, Claim: c, Tolerance: feature.DefaultTolerance, Seed: 1}
}

// Validate reports every field that is out of range.
func (g Grow[T]) Validate() error {
	faults := []error{g.Claim.Validate(), feature.F2[T]{Kernel: g.Kernel, Size: 1, Tolerance: g.Tolerance}.Validate()}
	faults = append(faults, g.Select.Validate())
	if g.Fresh < 0 {
		faults = append(faults, fmt.Errorf("fresh is %d and must be at least 0", g.Fresh))
	}
	if g.Part < 0 {
		faults = append(faults, fmt.Errorf("part is %d and must be at least 0", g.Part))
	}
	if g.Most < 0 {
		faults = append(faults, fmt.Errorf("most is %d and must be at least 0", g.Most))
	}
	return errors.Join(faults...)
}

// Outcome is how growing ended.
type Outcome string

// The outcomes.
const (
	Certified      Outcome = "certified"                 // the claim holds for the map
	TooFewFresh    Outcome = "too few fresh instances"   // even a map that loses nothing could not be certified
	OutOfLandmarks Outcome = "out of landmarks to grow"  // the limit, or the end of the sample, was reached
	OutOfLooks     Outcome = "out of confidence to look" // too many tests failed
)

// Grown is a map with its certificate. It is immutable.
type Grown[T any] struct {
	Map         *feature.Orthogonal[T] `json:"-"` // of the last test, certified or not
	Certificate Certificate            `json:"certificate"`
	Outcome     Outcome                `json:"outcome"`
	// landmarks that the theorem asks for; 0 where it has nothing to say or the count does not fit
	Promised   int           `json:"promised"`
	Landmarks  int           `json:"landmarks"`  // landmarks of Map, dependent ones included
	Fresh      int           `json:"fresh"`      // fresh instances
	Needed     int           `json:"needed"`     // fresh instances without which nothing could be certified
	Rehearsals []Rehearsal   `json:"rehearsals"` // in the order in which they were tried
	Looks      []Certificate `json:"looks"`      // all tests on the fresh instances; the last is Certificate
}

// Rehearsal is a size that was tried on instances other than the fresh ones.
type Rehearsal struct {
	Landmarks int     `json:"landmarks"`
	Features  int     `json:"features"`
	Foreseen  float64 `json:"foreseen"` // what Bound would be
	Level     float64 `json:"level"`    // at which
}

// String says in a few sentences what theory promises, what was shown, and
// what to do where nothing was.
func (g *Grown[T]) String() string {
	text := g.Certificate.String()
	if g.Promised > 0 {
		text += fmt.Sprintf(" The theorem asks for %s; used: %d.", count(g.Promised, "landmark"), g.Landmarks)
	}
	switch g.Outcome {
	case TooFewFresh:
		text += fmt.Sprintf(" It takes at least %s, not %d: give more data, or ask for a larger error or less confidence.",
			count(g.Needed, "fresh instance"), g.Fresh)
	case OutOfLandmarks, OutOfLooks:
		text += " Nothing more can be shown from this sample: give more data, or ask for a larger margin or error."
	}
	return text
}

const (
	firstSize     = 16
	growth        = 1.5  // of sizes in rehearsal
	closeness     = 1.08 // ratio of sizes at which bisection ends
	regrowth      = 1.15 // of the map after a test that failed
	mostLooks     = 16
	caution       = 0.95 // part of ε that a rehearsal must foresee
	rehearsalMost = 4000 // instances that sizes are tried on: their Gram matrix is kept
)

// rehearsalLevels are the levels among which a rehearsal chooses.
func rehearsalLevels() []float64 {
	return []float64{0, 1. / 16, 3. / 32, 1. / 8, 3. / 16, 1. / 4, 3. / 8, 1. / 2, 1}
}

// Fit grows the map on x. Not to reach a certificate is an Outcome and no
// error; then Map has the largest size that was tried.
func (g Grow[T]) Fit(ctx context.Context, x data.Source[T]) (*Grown[T], error) {
	n := x.Len()
	fresh := n / 2
	if g.Fresh > 0 {
		fresh = min(fresh, g.Fresh)
	}
	if n > 0 && fresh < 1 {
		return nil, fmt.Errorf("%d instances cannot be divided into landmarks and fresh ones; at least 2 are needed", n)
	}
	order := seed.Choose(n, n, g.Seed, seed.Landmarks)
	return g.FitFresh(ctx, data.Subset[T]{Of: x, Index: order[:n-fresh]}, data.Subset[T]{Of: x, Index: order[n-fresh:]})
}

// FitFresh grows the map on instances in a random order, the first of which become
// landmarks, and tests it on fresh ones, which must have had no part in anything
// before: neither in the kernel nor in how instances are encoded.
func (g Grow[T]) FitFresh(ctx context.Context, x, fresh data.Source[T]) (*Grown[T], error) {
	f, err := g.begin(ctx, x, fresh)
	if err != nil {
		return nil, err
	}
	g.Run.Progress.Begin("grow", int64(f.most))
	defer g.Run.Progress.End()
	size, level, err := f.search(ctx)
	if err != nil {
		return nil, err
	}
	return f.result, f.climb(ctx, size, level)
}

// growing is the state of one Fit.
type growing[T any] struct {
	Grow[T]
	marks     data.Subset[T] // in the order in which they become landmarks
	most      int            // landmarks
	rehearsed int            // landmarks that leave the rehearsal alone
	fresh     *sample[T]
	rehearsal *sample[T]
	budget    Budget
	progress  run.Progress
	result    *Grown[T]
}

// begin divides the sample.
func (g Grow[T]) begin(ctx context.Context, x, fresh data.Source[T]) (*growing[T], error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	pool := x.Len()
	if pool < 1 || fresh.Len() < 1 {
		return nil, fmt.Errorf("there are %d instances for landmarks and %d fresh ones; at least 1 of each is needed", pool,
			fresh.Len())
	}
	part := partOf(g.Part, g.Run)
	n := float64(min(part, fresh.Len()))
	if err := g.Run.Reserve("the Gram matrices of fresh instances", 4*8*n*n, "use smaller parts of them"); err != nil {
		return nil, err
	}
	s, err := newSample(ctx, g.Run, g.Kernel, x, fresh, g.Atoms, part)
	if err != nil {
		return nil, err
	}
	rehearsal := min(fresh.Len(), part, rehearsalMost, pool/2)
	f := &growing[T]{
		Grow: g, marks: data.Subset[T]{Of: x, Index: counted(0, pool)}, rehearsed: pool - rehearsal, fresh: s,
		rehearsal: &sample[T]{
			kernel: g.Kernel, x: data.Subset[T]{Of: x, Index: counted(pool-rehearsal, pool)}, part: rehearsalMost,
		},
		budget:   Budget{Delta: 1 - g.Claim.Confidence},
		progress: g.Run.Progress,
		result:   &Grown[T]{Fresh: fresh.Len()},
	}
	if s.distinct != nil {
		f.result.Fresh = s.distinct.x.Len()
	}
	f.Run = g.Run.Quiet()
	f.most = pool
	if g.Claim.Keep <= 0.5 {
		// All pairs of classes together.
		k := g.Claim.classes()
		pairs := float64(k * (k - 1) / 2)
		promised, err := bound.Landmarks(g.Claim.Margin, g.Claim.Error/pairs, 1-(1-g.Claim.Confidence)/pairs)
		switch {
		case err == nil:
			f.result.Promised = promised
			f.most = min(f.most, promised)
		case !errors.Is(err, bound.ErrTooLarge):
			return nil, err
		}
	}
	if g.Most > 0 {
		f.most = min(pool, g.Most)
	}
	if err := f.arrange(ctx); err != nil {
		return nil, err
	}
	f.rehearsed = min(f.rehearsed, f.most)
	f.result.Needed = leastTrials(g.Claim.Error, f.budget.Look(1))
	return f, nil
}

// selectMost bounds the landmarks that are chosen by what those before explain,
// which takes 8 bytes each for every instance chosen among; more are random.
const selectMost = 2000

// arrange puts the instances that may become landmarks, the rehearsal aside, into
// the order in which the selection takes them.
func (f *growing[T]) arrange(ctx context.Context) error {
	if f.Select == "" || f.Select == feature.Uniform {
		return nil
	}
	from := f.marks.Index[:f.rehearsed]
	c := feature.NewChooser(f.Kernel, min(f.most, len(from), selectMost), f.Select)
	c.Tolerance, c.Seed, c.Run = f.Tolerance, f.Seed, f.Run
	chosen, err := c.Choose(ctx, data.Subset[T]{Of: f.marks.Of, Index: from})
	if err != nil {
		return err
	}
	taken, order := make([]bool, len(from)), []int(nil)
	for _, i := range chosen.Index {
		if !taken[i] {
			order = append(order, from[i])
		}
		taken[i] = true
	}
	for i, at := range from {
		if !taken[i] {
			order = append(order, at)
		}
	}
	copy(from, order)
	return nil
}

// search returns the least size at which the rehearsal foresees success, and
// the level; the largest size where it never does.
func (f *growing[T]) search(ctx context.Context) (size int, level float64, err error) {
	if f.result.Fresh < f.result.Needed || f.rehearsed < 1 {
		return f.most, -1, nil
	}
	failed, size := 0, min(firstSize, f.rehearsed)
	for {
		r, err := f.rehearse(ctx, size)
		if err != nil {
			return 0, 0, err
		}
		if r.Foreseen <= caution*f.Claim.Error {
			level = r.Level
			break
		}
		if size == f.rehearsed {
			return f.most, -1, nil
		}
		failed, size = size, min(f.rehearsed, int(growth*float64(size)))
	}
	// The rehearsal fails at failed and succeeds at size.
	for float64(size) > closeness*float64(failed) && size-failed > 1 {
		mid := failed + (size-failed)/2
		r, err := f.rehearse(ctx, mid)
		if err != nil {
			return 0, 0, err
		}
		if r.Foreseen <= caution*f.Claim.Error {
			size, level = mid, r.Level
		} else {
			failed = mid
		}
	}
	return size, level, nil
}

// climb tests on the fresh instances, from a size on, until a test succeeds.
// A negative level stands for none that is foreseen.
func (f *growing[T]) climb(ctx context.Context, size int, level float64) error {
	for k := 1; ; k++ {
		m, err := f.fit(ctx, size)
		if err != nil {
			return err
		}
		t := Test[T]{Claim: f.Claim, Levels: []float64{level}, Atoms: f.Atoms, Part: f.Part, Run: f.Run}
		if level < 0 {
			t.Levels = DefaultLevels()
		}
		c, err := t.certify(ctx, f.fresh, m, f.budget.Look(k), k)
		if err != nil {
			return err
		}
		r := f.result
		r.Map, r.Landmarks, r.Certificate, r.Looks = m, size, c, append(r.Looks, c)
		switch {
		case c.Holds:
			r.Outcome = Certified
		case r.Fresh < r.Needed:
			r.Outcome = TooFewFresh
		case size >= f.most:
			r.Outcome = OutOfLandmarks
		case k == mostLooks:
			r.Outcome = OutOfLooks
		}
		if r.Outcome != "" {
			return nil
		}
		size = min(f.most, int(regrowth*float64(size))+1)
		level = -1
		if size <= f.rehearsed {
			next, err := f.rehearse(ctx, size)
			if err != nil {
				return err
			}
			level = next.Level
		}
	}
}

// fit returns the map of the first landmarks.
func (f *growing[T]) fit(ctx context.Context, size int) (*feature.Orthogonal[T], error) {
	f.progress.Advance(int64(size))
	r := feature.F2[T]{Kernel: f.Kernel, Size: size, Tolerance: f.Tolerance, Seed: f.Seed, Run: f.Run}
	r.Run.Precision = run.Float64
	return r.FitTo(ctx, data.Subset[T]{Of: f.marks.Of, Index: f.marks.Index[:size]})
}

// rehearse foresees what a test of the first landmarks would show.
func (f *growing[T]) rehearse(ctx context.Context, size int) (Rehearsal, error) {
	m, err := f.fit(ctx, size)
	if err != nil {
		return Rehearsal{}, err
	}
	l, err := f.rehearsal.look(ctx, f.Run, m, f.Claim.Keep)
	if err != nil {
		return Rehearsal{}, err
	}
	delta := f.budget.Look(len(f.result.Looks) + 1)
	j := &judge[T]{look: l, claim: f.Claim, delta: delta, trials: f.result.Fresh,
		floor: f.Claim.Margin * f.Claim.Margin}
	best, err := j.choose(ctx, f.Run, rehearsalLevels())
	if err != nil {
		return Rehearsal{}, err
	}
	r := Rehearsal{Landmarks: size, Features: m.Dim(), Foreseen: best.bound, Level: best.level}
	f.result.Rehearsals = append(f.result.Rehearsals, r)
	return r, nil
}

// counted returns the numbers from a up to b.
func counted(a, b int) []int {
	out := make([]int, b-a)
	for i := range out {
		out[i] = a + i
	}
	return out
}
