// Package metric learns which directions of vectors matter.
//
// A kernel of a distance, K(x, y) = k(|x - y|), takes all coordinates alike. Given
// a function f that a kernel machine has learnt, the average of ∇f·∇fᵀ over the
// rows says along which directions f changes at all (Radhakrishnan, Beaglehole,
// Pandit and Belkin 2024, recursive feature machines): with its root M as a metric,
// d_M(x, y)² = (x - y)ᵀ·M·(x - y), the machine is learnt again, a few times. The
// result is a kernel like any other, kernel.Learned.
package metric

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// Recipe says how to learn a metric.
//
// The kernel is exp(-(d/ℓ)^Q) of the Euclidean distance, or with Taxi exp(-d/ℓ) of
// Σ|x_j - y_j|, the product over the coordinates. ℓ is Length times the median
// distance, which every round keeps: a metric says what counts, not how far is far.
// A round fits kernel ridge to three quarters of the rows and looks at the rest at
// a few lengths and penalties around those of the round before.
type Recipe struct {
	Taxi    bool    // Σ|x_j - y_j| in the place of the Euclidean distance
	Q       float64 // exponent, above 0 and at most 2; that of Taxi is 1
	Full    bool    // any metric, not a diagonal one alone; not with Taxi
	Length  float64 // of the kernel in median distances, to begin with
	Penalty float64 // μ of (K + μI)α = y, to begin with
	Rounds  int     // at most
	Rows    int     // that gradients are averaged over, at most
	Seed    uint64
	Run     run.Control
}

// New returns the recipe of a full metric of the Gaussian kernel.
func New() Recipe {
	return Recipe{Q: 2, Full: true, Length: 1, Penalty: 0.1, Rounds: 4, Rows: 1500, Seed: 1}
}

// Validate reports every field that is out of range.
func (r Recipe) Validate() error {
	const fields = learn.Fields("metric")
	faults := []error{fields.Positive("length", r.Length), fields.Positive("penalty", r.Penalty),
		fields.AtLeast(1, "rounds", r.Rounds), fields.AtLeast(1, "rows", r.Rows)}
	if !(r.Q > 0 && r.Q <= 2) || r.Taxi && r.Q != 1 {
		faults = append(faults, fmt.Errorf("metric: q is %v and must be above 0 and at most 2, and 1 for taxi", r.Q))
	}
	if r.Taxi && r.Full {
		faults = append(faults, errors.New("metric: full is not for taxi, whose metric is diagonal"))
	}
	return errors.Join(faults...)
}

// Result is a metric that was learnt.
type Result struct {
	Kernel  kernel.Kernel[data.Vector] // kernel.Learned, or the plain kernel where no metric was better
	Penalty float64                    // μ that was best beside it
	Losses  []float64                  // mean squared error on held-out rows: plain, then after each round
	Best    int                        // round of Kernel, 0 for the plain one
}

// heldOutPart is the part of the rows that rounds are compared on.
const heldOutPart = 0.25

// Steps around the length and the penalty of the round before.
var (
	lengthSteps  = []float64{1, 0.7, 1.4}
	penaltySteps = []float64{1, 0.1, 10}
)

// gainless is how many rounds in turn may bring nothing before it stops.
const gainless = 2

// Learn learns a metric of the rows of x, of which column k of y is a target: a
// number, or +1 and -1 for a class. Past some thousand rows give a sample. Its cost
// is that of three to five fits of kernel ridge a round, n³/3 operations each in float32, and of
// Rows·n·d for each target, with Taxi of that many additions.
func (r Recipe) Learn(ctx context.Context, x data.Source[data.Vector], y *data.Matrix) (*Result, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if x.Len() != y.Rows || x.Len() < 8 {
		return nil, fmt.Errorf("metric: there are %d rows and %d targets; it takes as many of both, at least 8",
			x.Len(), y.Rows)
	}
	l := newLearning(r, x, y)
	out := &Result{}
	best, err := l.look(ctx, r.Length, r.Penalty)
	if err != nil {
		return nil, err
	}
	out.Losses = []float64{best.loss}
	out.Kernel, out.Penalty = l.kernelAt(best.length), best.penalty
	at, idle := best, 0
	for round := 1; round <= r.Rounds && idle < gainless; round++ {
		ok, err := l.turn(ctx, at)
		if err != nil {
			return nil, err
		}
		if !ok {
			break // f is constant: no direction matters more than another
		}
		if at, err = l.look(ctx, at.length, at.penalty); err != nil {
			return nil, err
		}
		out.Losses = append(out.Losses, at.loss)
		idle++
		if at.loss < best.loss {
			best, idle = at, 0
			out.Best, out.Penalty, out.Kernel = round, at.penalty, l.kernelAt(at.length)
		}
	}
	return out, nil
}

// learning is the state of Learn.
type learning struct {
	Recipe
	x, z   *data.Matrix // rows as they are, and in the coordinates of the metric
	y      *data.Matrix
	fit    []int
	held   []int
	unit   float64 // median distance
	metric *kernel.Metric
}

func newLearning(r Recipe, x data.Source[data.Vector], y *data.Matrix) *learning {
	r.Run.Precision = run.Float32
	l := &learning{Recipe: r, x: data.NewMatrix(x.Len(), data.Dim(x)), y: y}
	for i := range l.x.Rows {
		x.At(i).CopyTo(l.x.Row(i))
	}
	l.z = l.x
	l.unit = l.median()
	l.fit, l.held = data.Split(x.Len(), heldOutPart, seed.Derive(r.Seed, seed.MetricHeldOut))
	return l
}

// median is the median distance in the coordinates of the metric.
func (l *learning) median() float64 {
	if l.Taxi {
		return kernel.MedianTaxi(l.z, l.Seed)
	}
	return kernel.MedianDistance(l.z, l.Seed)
}

// plain returns the kernel of a length in median distances.
func (l *learning) plain(length float64) kernel.Kernel[data.Vector] {
	width := length * l.unit
	switch {
	case l.Taxi:
		return kernel.Laplacian{Gamma: 1 / width}
	case l.Q == 2:
		return kernel.Gaussian{Gamma: 1 / width / width}
	}
	return kernel.StretchedKernel{Q: l.Q, Length: width}
}

// kernelAt returns the kernel of a length in the metric so far.
func (l *learning) kernelAt(length float64) kernel.Kernel[data.Vector] {
	if l.metric == nil {
		return l.plain(length)
	}
	return kernel.Learned{Of: l.plain(length), Metric: l.metric}
}

// place is a length, a penalty, and what came of them.
type place struct {
	length, penalty float64
	loss            float64
	model           *kernelized.MultiExpansion[data.Vector]
}

// look tries lengths, then penalties at the best of them, in one direction and where that is no better in the other.
func (l *learning) look(ctx context.Context, length, penalty float64) (place, error) {
	best := place{loss: math.Inf(1), length: length, penalty: penalty}
	var at *fits
	for i, s := range lengthSteps {
		if i > 1 && best.length != length {
			break
		}
		f, err := l.fits(ctx, length*s)
		if err != nil {
			return best, err
		}
		better, err := f.try(ctx, &best, penalty)
		if err != nil {
			return best, err
		}
		if better || at == nil {
			at = f
		}
	}
	for i, s := range penaltySteps[1:] {
		if i > 0 && best.penalty != penalty {
			break
		}
		if _, err := at.try(ctx, &best, penalty*s); err != nil {
			return best, err
		}
	}
	if best.model == nil {
		return best, errors.New("metric: no fit has a finite error; scale the rows and targets")
	}
	return best, nil
}

// fits are fits at a length, which share K.
type fits struct {
	*learning
	length float64
	path   learn.Path[*kernelized.MultiExpansion[data.Vector]]
	known  *data.Matrix // K of the held-out rows and those fitted to
}

// fits begins fits at a length.
func (l *learning) fits(ctx context.Context, length float64) (*fits, error) {
	f := &fits{learning: l, length: length}
	s := kernelized.NewRidge(l.plain(length))
	s.Run = l.Run
	z := data.Subset[data.Vector]{Of: l.z, Index: l.fit}
	y := data.NewMatrix(len(l.fit), l.y.Cols)
	for i, j := range l.fit {
		copy(y.Row(i), l.y.Row(j))
	}
	var err error
	if f.path, err = s.OutputsPath(z, y, nil); err != nil {
		return nil, err
	}
	held := data.Subset[data.Vector]{Of: l.z, Index: l.held}
	f.known, err = gram.BindOn[data.Vector](l.Run, s.Kernel, z, l.Run.Precision).Block(ctx, l.Run, held)
	return f, err
}

// try fits at a penalty and keeps it if it is the best.
func (f *fits) try(ctx context.Context, best *place, penalty float64) (bool, error) {
	m, _, err := f.path.Next(ctx, penalty/2/float64(len(f.fit)))
	if err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	loss, err := f.loss(ctx, m)
	if err != nil || !(loss < best.loss) {
		return false, err
	}
	*best = place{f.length, penalty, loss, m}
	return true, nil
}

// loss is the mean squared error on the held-out rows.
func (f *fits) loss(ctx context.Context, m *kernelized.MultiExpansion[data.Vector]) (float64, error) {
	scores, err := f.scores(ctx, m)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, j := range f.held {
		for k, v := range f.y.Row(j) {
			d := scores.Row(i)[k] - v
			sum += d * d
		}
	}
	return sum / float64(len(f.held)*f.y.Cols), nil
}

// scores are those of the held-out rows.
func (f *fits) scores(ctx context.Context, m *kernelized.MultiExpansion[data.Vector]) (*data.Matrix, error) {
	if m.Weight.Rows < f.known.Cols { // rows of weight 0 are not in it
		return m.ScoresAll(ctx, f.Run, data.Subset[data.Vector]{Of: f.z, Index: f.held})
	}
	out := data.NewMatrix(len(f.held), m.Classes())
	return out, linalg.Mul(ctx, f.Run.Quiet(), 1, f.known, m.Weight, 0, out)
}

// turn takes the metric of the gradients at a place; false where they are all zero.
func (l *learning) turn(ctx context.Context, at place) (bool, error) {
	rows := make([]int, min(l.Rows, len(l.fit))) // spread over all, which may be in some order
	for i := range rows {
		rows[i] = l.fit[i*len(l.fit)/len(rows)]
	}
	g, err := l.gradients(ctx, at, rows)
	if err != nil {
		return false, err
	}
	next, err := l.rooted(ctx, g)
	if err != nil || next == nil {
		return false, err
	}
	z := data.NewMatrix(l.x.Rows, l.x.Cols)
	for i := range z.Rows {
		next.Of(l.x.At(i)).CopyTo(z.Row(i))
	}
	l.z = z
	if m := l.median(); m > 0 && m-m == 0 && m != l.unit { // back to the median distance of the rows as they are
		next = next.Times(l.unit / m)
		for i := range z.Rows {
			next.Of(l.x.At(i)).CopyTo(z.Row(i))
		}
	}
	l.metric = next
	return true, nil
}

// rooted returns the metric T of the mean G of ∇f·∇fᵀ: M = √G and M = TᵀT, so that T
// is the fourth root of G; nil where G is zero. With Taxi coordinate j counts by the
// root of G_jj, the mean size of its derivative.
func (l *learning) rooted(ctx context.Context, g *data.Matrix) (*kernel.Metric, error) {
	if !l.Full {
		scale, top := make([]float64, len(g.Data)), 0.0
		for j, v := range g.Data {
			scale[j] = math.Sqrt(max(0, v))
			if !l.Taxi {
				scale[j] = math.Sqrt(scale[j])
			}
			top = max(top, scale[j])
		}
		if !(top > 0) || math.IsInf(top, 0) {
			return nil, nil
		}
		for j := range scale {
			scale[j] /= top
		}
		return kernel.NewDiagonal(scale), nil
	}
	values, vectors, err := linalg.Eigen(ctx, l.Run.Quiet(), g)
	if err != nil {
		return nil, err
	}
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	if !(top > 0) || math.IsInf(top, 0) {
		return nil, nil
	}
	d := g.Rows
	scaled, t := data.NewMatrix(d, d), data.NewMatrix(d, d)
	for i := range d {
		for j := range d {
			scaled.Row(i)[j] = vectors.Row(i)[j] * math.Pow(max(0, values[j])/top, 0.25)
		}
	}
	if err := linalg.MulT(ctx, l.Run.Quiet(), 1, scaled, vectors, 0, t); err != nil {
		return nil, err
	}
	return kernel.NewMetric(t), nil
}
