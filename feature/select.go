package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Selection is a way to choose landmarks from a sample. The empty Selection is
// Uniform. docs/math/selection.md says what each promises.
type Selection string

// The selections. The last three look at the kernel: they evaluate it
// (landmarks+1)·pool times or a little more, and take landmarks that the ones
// before do not explain.
const (
	Uniform     Selection = "uniform"    // every instance alike, none twice
	Independent Selection = "iid"        // every instance alike in each draw, with replacement
	KMeans      Selection = "kmeans"     // by the squared distance to the nearest landmark: k-means++
	Greedy      Selection = "greedy"     // the instance farthest from the landmarks' span
	RPCholesky  Selection = "rpcholesky" // by the squared distance to the landmarks' span
)

// Selections are all selections.
var Selections = []Selection{Uniform, Independent, KMeans, Greedy, RPCholesky}

// Validate reports a name that is no selection.
func (s Selection) Validate() error {
	if s == "" || slices.Contains(Selections, s) {
		return nil
	}
	names := make([]string, len(Selections))
	for i, one := range Selections {
		names[i] = string(one)
	}
	return fmt.Errorf("selection is %q and must be one of %s", string(s), strings.Join(names, ", "))
}

// Chooser is the recipe of a choice of landmarks.
//
// Selections that look at the kernel choose among a pool of instances that is
// drawn uniformly from the sample, so that their cost does not grow with it.
// The others choose among all.
type Chooser[T any] struct {
	Kernel    kernel.Kernel[T]
	Select    Selection
	Size      int     // landmarks to choose; there may come fewer
	Pool      int     // instances to choose among; 0 means max(20·Size, 10,000)
	Block     int     // instances that RPCholesky proposes at once, 1 for one by one; 0 means Size/8, from 1 to 64
	Tolerance float64 // part of K(x,x) at which a squared distance counts as explained
	Seed      uint64
	Run       run.Control
}

// NewChooser returns the recipe with the default pool, block and tolerance, and
// seed 1.
func NewChooser[T any](k kernel.Kernel[T], size int, s Selection) Chooser[T] {
	return Chooser[T]{Kernel: k, Select: s, Size: size, Tolerance: DefaultTolerance, Seed: 1}
}

// Validate reports every field that is out of range.
func (r Chooser[T]) Validate() error {
	faults := []error{validate(r.Kernel, r.Size), r.Select.Validate(), validatePool(r.Pool)}
	if r.Block < 0 {
		faults = append(faults, fmt.Errorf("block is %d and must be at least 1, or 0 for the default", r.Block))
	}
	if !(r.Tolerance >= 0 && r.Tolerance < 1) {
		faults = append(faults, fmt.Errorf("tolerance is %v and must be at least 0 and below 1", r.Tolerance))
	}
	return errors.Join(faults...)
}

func validatePool(pool int) error {
	if pool < 0 {
		return fmt.Errorf("pool is %d and must be at least 1, or 0 for the default", pool)
	}
	return nil
}

// Chosen is a choice of landmarks.
type Chosen struct {
	Index       []int // of the landmarks in the sample, in the order in which they were chosen
	Pool        []int // of the instances that were chosen among, increasing; nil means all
	Evaluations int64 // of the kernel

	// Residual is the part of the pool that the landmarks leave unexplained:
	// the mean squared distance to the nearest landmark for KMeans, to their
	// span for Greedy and RPCholesky, relative to the mean of K(x,x). It is 0
	// for the selections that do not look.
	Residual float64

	// Factor is for Greedy and RPCholesky the partial Cholesky factor of the
	// pool's Gram matrix, transposed: a row a landmark and a column an instance
	// of the pool. The inner product of two columns is that of the projections
	// of the two instances onto the landmarks' span. The columns of landmarks
	// are an upper triangle. It is nil for others.
	Factor *data.Matrix
}

// Choose chooses landmarks from x. Those of Uniform are Draw's. There are fewer
// than Size where x has fewer instances or where these explain all others to
// within Tolerance; Independent alone may choose an instance twice.
//
// Selections that look return a *NotPSDError where a squared distance shows
// that K is no kernel, and an error where K(x,x) is 0 for all of the pool.
// Greedy and RPCholesky hold 8·pool·Size bytes.
func (r Chooser[T]) Choose(ctx context.Context, x data.Source[T]) (Chosen, error) {
	if err := r.Validate(); err != nil {
		return Chosen{}, err
	}
	n := x.Len()
	if n == 0 {
		return Chosen{}, errors.New("no data to draw landmarks from")
	}
	switch r.Select {
	case "", Uniform:
		return Chosen{Index: seed.Choose(n, r.Size, r.Seed, seed.Landmarks)}, ctx.Err()
	case Independent:
		if err := r.Run.Reserve("so many landmarks", 8*float64(r.Size), "draw fewer"); err != nil {
			return Chosen{}, err
		}
		return Chosen{Index: independent(n, r.Size, r.Seed)}, ctx.Err()
	}
	counter := new(run.Counter)
	defer func() { r.Run.Counter.Add(counter.Count()) }()
	ctl := r.Run.Quiet().Share(1) // the budget is asked for once, not once a landmark
	ctl.Counter = counter
	c := Chosen{Pool: r.pool(n)}
	from := x
	if c.Pool != nil {
		from = data.Subset[T]{Of: x, Index: c.Pool}
	}
	r.Size = min(r.Size, from.Len())
	r.Run.Progress.Begin("landmarks", int64(r.Size))
	defer r.Run.Progress.End()
	if err := r.look(ctx, ctl, from, &c); err != nil {
		return Chosen{}, r.explain(err, c)
	}
	if c.Pool != nil {
		for i, p := range c.Index {
			c.Index[i] = c.Pool[p]
		}
	}
	c.Evaluations = counter.Count()
	return c, nil
}

// look chooses from the pool; Index then counts in it.
func (r Chooser[T]) look(ctx context.Context, ctl run.Control, pool data.Source[T], c *Chosen) error {
	diag, err := diagonal(ctx, ctl, r.Kernel, pool)
	if err != nil {
		return err
	}
	limit := newLimits(diag, r.Tolerance, r.Size)
	if !slices.ContainsFunc(diag, func(d float64) bool { return d != 0 }) {
		return errors.New("K(x,x) is 0 for every instance: the kernel sees nothing in this data")
	}
	if math.IsInf(4*vmath.Sum(diag), 0) {
		return errors.New("the sum of K(x,x) over the data is too large a number: scale the data or the kernel")
	}
	for i, d := range diag {
		if err := limit.check(d/limit.scale[i], "K(x,x) is negative"); err != nil {
			return err
		}
	}
	bound := gram.Bind(r.Kernel, pool)
	if r.Select == KMeans {
		return r.dSquared(ctx, ctl, bound, diag, limit, c)
	}
	f, err := newPartial(ctl, bound, diag, limit, r.Size)
	if err != nil {
		return err
	}
	if r.Select == Greedy {
		err = f.greedy(ctx, ctl, r.Run.Progress)
	} else {
		err = f.random(ctx, ctl, r.Run.Progress, r.block(), seed.Stream(r.Seed, seed.Landmarks, lookBlock))
	}
	if err != nil {
		return err
	}
	c.Index, c.Factor, c.Residual = f.pivot, f.transposed(), f.residual()
	return nil
}

// lookBlock is the block of the stream of landmarks that selections which look
// draw from. Pools come from block 0, as the landmarks of Uniform do;
// independent draws have a block of their own.
const (
	lookBlock uint64 = iota + 1
	independentBlock
)

// defaultPool is the least pool.
const defaultPool = 10_000

// pool returns the indices to choose among, nil for all n.
func (r Chooser[T]) pool(n int) []int {
	pool := r.Pool
	if pool == 0 {
		pool = max(20*min(r.Size, n), defaultPool)
	}
	if pool >= n {
		return nil
	}
	index := seed.Choose(n, pool, r.Seed, seed.Landmarks)
	slices.Sort(index)
	return index
}

// block returns how many instances RPCholesky proposes at once.
func (r Chooser[T]) block() int {
	if r.Block > 0 {
		return r.Block
	}
	return max(1, min(64, r.Size/8))
}

// landmarks returns the chosen instances.
func (r Chooser[T]) landmarks(ctx context.Context, x data.Source[T]) (data.Source[T], error) {
	c, err := r.Choose(ctx, x)
	if err != nil {
		return nil, err
	}
	z := make(data.Slice[T], len(c.Index))
	for i, p := range c.Index {
		z[i] = x.At(p)
	}
	return z, nil
}

// explain adds to an error what the caller knows and the pool does not.
func (r Chooser[T]) explain(err error, c Chosen) error {
	err = renumber(err, c.Pool, c.Pool)
	var fault *NotPSDError
	if errors.As(err, &fault) {
		return fmt.Errorf("landmarks by %s need a kernel, uniform and iid do not: %w", r.Select, err)
	}
	return err
}

// independent returns size indices below n, each drawn uniformly from all.
func independent(n, size int, s uint64) []int {
	rng := seed.Stream(s, seed.Landmarks, independentBlock)
	index := make([]int, size)
	for i := range index {
		index[i] = rng.IntN(n)
	}
	return index
}

// selectRows is how many instances of the pool are one piece of work.
const selectRows = 512

// diagonal returns K(x_i, x_i).
func diagonal[T any](ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T]) ([]float64, error) {
	n := x.Len()
	diag := make([]float64, n)
	err := par.For(ctx, ctl, "", par.Blocks(n, selectRows), func(b int) error {
		lo, hi := par.Range(b, n, selectRows)
		for i := lo; i < hi; i++ {
			diag[i] = kernel.Diag(k, x.At(i))
			if diag[i]-diag[i] != 0 {
				return &gram.ValueError{Row: i, Col: i, Value: diag[i]}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ctl.Counter.Add(int64(n))
	return diag, nil
}

// similarities returns K(x_q, x_i) for the given q and all i of the pool, a row
// for each q: the columns of the pool's Gram matrix, which is symmetric.
func similarities[T any](
	ctx context.Context, ctl run.Control, pool *gram.Columns[T], index []int,
) (*data.Matrix, error) {
	m, err := pool.Block(ctx, ctl, data.Subset[T]{Of: pool.Instances(), Index: index})
	return m, renumber(err, index, nil)
}

// renumber replaces the row and the column of a value that is no number by what
// stands there in rows and cols; nil leaves them.
func renumber(err error, rows, cols []int) error {
	var value *gram.ValueError
	if !errors.As(err, &value) {
		return err
	}
	moved := *value
	if rows != nil {
		moved.Row = rows[moved.Row]
	}
	if cols != nil {
		moved.Col = cols[moved.Col]
	}
	return &moved
}

// limits are the parts of K(x,x) at which something is decided about a squared
// distance.
type limits struct {
	scale []float64 // what it is measured by, for each instance
	stop  float64   // at most this counts as explained
	slack float64   // less than minus this is no rounding
}

// newLimits returns the limits for so many landmarks. A step changes a squared
// distance by a rounding of a few 2⁻⁵² of K(x,x); one that was set to 0 when it
// fell to stop may be overdrawn by as much.
func newLimits(diag []float64, tolerance float64, size int) limits {
	l := limits{scale: linalg.Scales(diag), stop: max(tolerance, 8*0x1p-52*float64(size+1))}
	l.slack = max(1e-10, 2*l.stop)
	return l
}

// clamp returns a squared distance, 0 where it counts as explained.
func (l limits) clamp(d, scale float64) float64 {
	if d > scale*l.stop {
		return d
	}
	return 0
}

// check returns an error where the smallest squared distance, over its scale, is
// negative beyond rounding.
func (l limits) check(least float64, what string) error {
	if !(least >= -l.slack) {
		return &NotPSDError{Value: least, What: what}
	}
	return nil
}
