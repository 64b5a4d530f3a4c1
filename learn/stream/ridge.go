package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Ridge is regularised least squares, for targets y and weights c of the rows
//
//	min_{w,b}  Σ c·(w·x + b - y)² + λ|w|²
//
// as linear.Ridge has it, in one pass. The sums of products are kept for Folds parts of
// the rows; λ is the one with the least squared error on each part of the functions that
// the others give, and the weights then follow from the sums over all rows
// (docs/math/sums.md). They are those of linear.Ridge at the same λ, to rounding.
//
// Where Dims are given, so is how many of the first coordinates the functions are of: sums of
// these are parts of the sums of all, and no row is read again.
//
// Memory is Folds + 3 matrices of d², whatever the number of rows; time n·d² for the
// pass and d³/3 for each λ and fold.
type Ridge struct {
	Lambdas   []float64 // values of λ to choose among, each above 0; at least one
	Relative  bool      // Lambdas are of a unit of weight: λ is one of them times the sum of the rows' weights
	Intercept bool      // fit b
	Centred   bool      // b is the mean of the targets, which w is fitted about; not with Intercept
	Folds     int       // parts, at least 2 where there are several Lambdas or Dims
	Dims      []int     // numbers of first coordinates to choose among, increasing; nil for all coordinates
	Seed      uint64    // that divides rows into folds

	// Shift and Level are about the means of the rows and of the targets, of a sample for
	// instance: the nearer, the fewer digits are lost. Nil for 0.
	Shift, Level []float64

	Checkpoint learn.Checkpoint // a round is a block of rows
	Run        run.Control
}

// Validate reports every field that is out of range.
func (r Ridge) Validate() error {
	const f = learn.Fields("ridge")
	faults := []error{f.AtLeast(1, "number of lambdas", len(r.Lambdas)), r.Checkpoint.Validate("ridge")}
	for _, l := range r.Lambdas {
		faults = append(faults, f.Positive("lambda", l))
	}
	if r.chooses() {
		faults = append(faults, f.AtLeast(2, "folds", r.Folds))
	}
	if r.Centred && r.Intercept {
		faults = append(faults, errors.New("ridge: b is fitted or the mean of the targets, not both"))
	}
	for i, d := range r.Dims {
		faults = append(faults, f.AtLeast(1, "dim", d))
		if i > 0 && d <= r.Dims[i-1] {
			faults = append(faults, errors.New("ridge: dims are not increasing"))
		}
	}
	return errors.Join(faults...)
}

// chooses reports whether there is anything to choose.
func (r Ridge) chooses() bool { return len(r.Lambdas) > 1 || len(r.Dims) > 1 }

// Step is what one λ came to.
type Step struct {
	Lambda float64
	Dim    int     // first coordinates
	Error  float64 // mean squared error on rows held out, over targets; +Inf where there is no function
}

// RidgeFit is what a Ridge found.
type RidgeFit struct {
	Lambda    float64
	Dim       int         // first coordinates that the functions are of
	Steps     []Step      // where there are several Lambdas or Dims
	Models    []*Function // one a target
	Objective float64
	Residual  float64 // Σ c·(f(x) - y)², over targets
	Rows      int
	Weight    float64 // sum of the weights
}

// Fit learns numbers, or classes against the rest where classes is at least 2.
func (r Ridge) Fit(ctx context.Context, s *Sample, classes int) (*RidgeFit, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	targets := 1
	if classes >= 2 {
		targets = learn.Separators(classes)
	}
	for _, d := range r.Dims {
		if d > s.Dim {
			return nil, fmt.Errorf("ridge: %d of %d coordinates cannot be chosen", d, s.Dim)
		}
	}
	folds := 1
	if r.chooses() {
		folds = max(2, r.Folds)
	}
	matrices := float64(folds+3)*sums.ProductsBytes(s.Dim, targets) + 8*2*float64(sums.BlockRows*s.Dim)
	if n := len(r.Dims); n > 1 {
		matrices += float64(folds+1) * sums.ProductsBytes(r.Dims[n-2], targets)
	}
	if err := r.Run.Reserve("sums of products of so many features", matrices, "use a smaller --dim"); err != nil {
		return nil, err
	}
	parts, err := r.gather(ctx, s, classes, targets, folds)
	if err != nil {
		return nil, err
	}
	return r.solve(ctx, parts, s.Dim, targets)
}

// gather is the pass.
func (r Ridge) gather(ctx context.Context, s *Sample, classes, targets, folds int) ([]*sums.Products, error) {
	parts := make([]*sums.Products, folds)
	for f := range parts {
		parts[f] = sums.NewProducts(s.Dim, targets, r.Shift, r.Level)
	}
	mark := learn.Mark("stream ridge", r.Lambdas, r.Shift, r.Level,
		[]float64{float64(s.Dim), float64(s.Rows), s.Weight, float64(targets), float64(folds)})
	from, err := r.restore(parts, mark)
	if err != nil {
		return nil, err
	}
	keep := func(next int) []byte {
		w := learn.NewState(mark)
		w.Ints(next)
		for _, p := range parts {
			b, _ := p.AppendBinary(nil)
			w.Bytes(b)
		}
		return w.Seal()
	}
	pass := &Pass{Dim: s.Dim, Classes: classes, Ridge: &RidgePass{Targets: targets, Folds: folds, Seed: r.Seed,
		Shift: r.Shift, Level: r.Level}}
	err = s.pass(ctx, r.Run, "sums of products", from, r.Checkpoint, keep, &Sums{Pass: pass, Products: parts})
	return parts, err
}

// restore takes over the state of a fit that was ended, and returns the row to go on
// from.
func (r Ridge) restore(parts []*sums.Products, mark uint64) (from int, err error) {
	if r.Checkpoint.From == nil {
		return 0, nil
	}
	in := learn.OpenState(r.Checkpoint.From, mark)
	from = in.Int(math.MaxInt)
	for _, p := range parts {
		dim, targets := p.Dim(), p.Targets()
		if err := p.UnmarshalBinary(in.Bytes()); err != nil || p.Dim() != dim || p.Targets() != targets {
			return 0, learn.ErrState
		}
	}
	if in.Done() != nil || from%sums.BlockRows != 0 {
		return 0, learn.ErrState
	}
	return from, nil
}

// foldOf returns the fold of a row by its number.
func foldOf(sd uint64, row, folds int) int {
	return int(seed.Hash(sd, seed.StreamFolds, uint64(row)) % uint64(folds))
}

// solve chooses λ and returns the functions.
func (r Ridge) solve(ctx context.Context, parts []*sums.Products, dim, targets int) (*RidgeFit, error) {
	all := sums.NewProducts(dim, targets, r.Shift, r.Level)
	for _, p := range parts {
		if err := all.Merge(p); err != nil {
			return nil, err
		}
	}
	if all.Rows == 0 {
		return nil, learn.ErrNoRows
	}
	if !(all.Weight > 0) || vmath.Finite(all.Gram.Data) >= 0 || vmath.Finite(all.Cross.Data) >= 0 ||
		vmath.Finite(all.Squares) >= 0 {
		return nil, errors.New("ridge: a sum is not finite; scale the data down")
	}
	if r.Relative {
		r.Lambdas = slices.Clone(r.Lambdas)
		vmath.Scale(r.Lambdas, all.Weight)
	}
	fit := &RidgeFit{Lambda: r.Lambdas[0], Dim: dim, Rows: all.Rows, Weight: all.Weight}
	if n := len(r.Dims); n > 0 {
		fit.Dim = r.Dims[n-1]
	}
	if r.chooses() {
		var err error
		if fit.Steps, err = r.tryDims(ctx, parts, all); err != nil {
			return nil, err
		}
		fit.choose()
	}
	if fit.Dim < dim {
		all = all.Leading(fit.Dim)
	}
	var err error
	if fit.Models, err = r.functions(ctx, all, fit.Lambda); err != nil {
		return nil, err
	}
	for k, m := range fit.Models {
		rss := all.Residual(k, m.W, m.Bias)
		fit.Residual += rss
		fit.Objective += rss + fit.Lambda*vmath.Dot(m.W, m.W)
	}
	return fit, nil
}

// tryAll measures each λ on each part by the functions of the others. A part of fewer
// rows has a λ that is smaller in proportion, so that the penalty of a row is the same.
func (r Ridge) tryAll(ctx context.Context, parts []*sums.Products, all *sums.Products) ([]Step, error) {
	steps := make([]Step, len(r.Lambdas))
	for l, lambda := range r.Lambdas {
		steps[l].Lambda, steps[l].Dim = lambda, all.Dim()
	}
	r.Run.Progress.Begin("choose lambda", int64(len(parts)*len(steps)))
	defer r.Run.Progress.End()
	for f, held := range parts {
		if held.Rows == 0 || !(held.Weight > 0) {
			continue
		}
		rest := sums.NewProducts(all.Dim(), all.Targets(), r.Shift, r.Level)
		for g, p := range parts {
			if g != f {
				if err := rest.Merge(p); err != nil {
					return nil, err
				}
			}
		}
		if !(rest.Weight > 0) {
			continue
		}
		for l := range steps {
			models, err := r.functions(ctx, rest, steps[l].Lambda*(rest.Weight/all.Weight))
			var indefinite *linalg.NotPositiveError
			if errors.As(err, &indefinite) {
				steps[l].Error = math.Inf(1)
				continue
			}
			if err != nil {
				return nil, err
			}
			for k, m := range models {
				steps[l].Error += held.Residual(k, m.W, m.Bias) / all.Weight / float64(len(models))
			}
			r.Run.Progress.Advance(int64(f*len(steps) + l + 1))
		}
	}
	return steps, nil
}

// functions solves (G + λI)·w = b about the means for all targets.
func (r Ridge) functions(ctx context.Context, p *sums.Products, lambda float64) ([]*Function, error) {
	d := p.Dim()
	g, b := data.NewMatrix(d, d), data.NewMatrix(p.Targets(), d)
	copy(g.Data, p.Gram.Data)
	mean := make([]float64, d) // about the shift
	if r.Intercept {
		vmath.Axpy(mean, 1/p.Weight, p.X)
	} else {
		r.unshift(g, p)
	}
	for j := range d {
		row := g.Row(j)[:j+1]
		vmath.Axpy(row, -p.Weight*mean[j], mean[:j+1])
		row[j] += lambda
		for k := range b.Rows {
			switch b.Row(k)[j] = p.Cross.Row(j)[k]; {
			case r.Intercept:
				b.Row(k)[j] -= mean[j] * p.Y[k]
			case r.Centred: // Σ c·x·(y-ȳ) is the same of rows about any shift
				b.Row(k)[j] -= p.X[j] * (p.Y[k] / p.Weight)
			default:
				b.Row(k)[j] += p.Level[k]*p.X[j] + p.Shift[j]*(p.Y[k]+p.Weight*p.Level[k])
			}
		}
	}
	ctl := r.Run.Quiet()
	if err := linalg.Cholesky(ctx, ctl, g); err != nil {
		return nil, r.singular(err)
	}
	out := make([]*Function, b.Rows)
	for k := range out {
		m := &Function{W: b.Row(k)}
		solve(m.W, g)
		if vmath.Finite(m.W) >= 0 {
			return nil, errors.New("ridge: a weight is not finite; scale the data down, or use a larger lambda")
		}
		switch {
		case r.Intercept:
			m.Bias = p.Level[k] + p.Y[k]/p.Weight - vmath.Dot(mean, m.W) - vmath.Dot(p.Shift, m.W)
		case r.Centred:
			m.Bias = p.Level[k] + p.Y[k]/p.Weight
		}
		out[k] = m
	}
	return out, nil
}

// unshift makes of products about the shift those about 0.
func (r Ridge) unshift(g *data.Matrix, p *sums.Products) {
	for i := range g.Rows {
		for j := range i + 1 {
			g.Row(i)[j] += p.Shift[i]*p.X[j] + p.X[i]*p.Shift[j] + p.Weight*p.Shift[i]*p.Shift[j]
		}
	}
}

// singular says what to do about sums that leave λ no weight.
func (r Ridge) singular(err error) error {
	var indefinite *linalg.NotPositiveError
	if errors.As(err, &indefinite) {
		return fmt.Errorf("ridge: the features are dependent to rounding (%w); use a larger lambda", err)
	}
	return err
}

// solve replaces z by the solution of L·Lᵀ·z = z.
func solve(z []float64, l *data.Matrix) {
	for j := range z {
		row := l.Row(j)
		z[j] = (z[j] - vmath.Dot(row[:j], z[:j])) / row[j]
	}
	for j := len(z) - 1; j >= 0; j-- {
		row := l.Row(j)
		z[j] /= row[j]
		vmath.Axpy(z[:j], -z[j], row[:j])
	}
}
