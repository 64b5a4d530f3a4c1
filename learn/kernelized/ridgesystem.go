package kernelized

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// ridgeSystem is the system (SGS + μI)·β = Sy of Ridge for conjugate gradients, for
// one μ after another.
type ridgeSystem[T any] struct {
	ctl    run.Control // of the fit
	square *gram.Square[T]
	near   *nystrom
	root   []float64    // the diagonal of S
	total  float64      // W
	mu     float64      // 2·Lambda·W
	b      *data.Matrix // Sy, a row a target
	norm   []float64    // |b| of each
	beta   *data.Matrix // the solution of the last μ, 0 before the first
	warm   bool
}

// descend is solve by conjugate gradients.
func (r Ridge[T]) descend(ctx context.Context, d ridgeSample[T], kept *ridgeKept[T]) (*ridgeSolution, error) {
	if kept == nil {
		kept = &ridgeKept[T]{}
	}
	if kept.system == nil {
		system, err := newRidgeSystem(r, d)
		if err != nil {
			return nil, err
		}
		kept.system = system
	}
	p := kept.system
	s := &ridgeSolution{weight: data.NewMatrix(d.y.Rows, d.x.Len())}
	evaluations, err := counted(r.Run, func(ctl run.Control) error { return p.next(ctx, ctl, r, d, s) })
	s.report.Evaluations, s.report.Support = evaluations, d.support()
	if err != nil && !learn.Interrupted(ctx, err) {
		return nil, err
	}
	if err != nil {
		s.report.Status = learn.Stopped(ctx)
	}
	scaleColumns(s.weight, p.beta, p.root)
	if !p.warm {
		s.report.Support = 0
	}
	return s, nil
}

// newRidgeSystem makes room for the vectors and the preconditioner.
func newRidgeSystem[T any](r Ridge[T], d ridgeSample[T]) (*ridgeSystem[T], error) {
	n, targets, rank := float64(d.x.Len()), float64(d.y.Rows), float64(r.rank(d.support()))
	// Of vectors there are some twelve, and sixteen partial sums of a product; of r×r
	// matrices four in the factorisation of K_rr.
	memory := 8 * (n*targets*30 + n*rank + n*64 + 4*rank*rank)
	if err := r.Run.Reserve("kernel ridge", memory, "train on fewer rows, or lower the rank"); err != nil {
		return nil, err
	}
	p := &ridgeSystem[T]{b: data.NewMatrix(d.y.Rows, d.x.Len()), beta: data.NewMatrix(d.y.Rows, d.x.Len())}
	p.total, p.root = d.roots()
	scaleColumns(p.b, d.y, p.root)
	for k := range p.b.Rows {
		p.norm = append(p.norm, norm2(p.b.Row(k)))
	}
	if vmath.Finite(p.norm) >= 0 {
		return nil, fmt.Errorf("kernel ridge: %w", errOverflow)
	}
	return p, nil
}

// The rank of the preconditioner that is taken where none is given: with 10·√n
// landmarks it costs as much as a hundred steps of a single target.
const (
	rankRoot = 10
	rankPart = 4
	rankMost = 2000
)

// rank returns how many landmarks to draw of n instances that have weight.
func (r Ridge[T]) rank(n int) int {
	rank := r.Rank
	if rank == 0 {
		rank = min(int(rankRoot*math.Sqrt(float64(n))), n/rankPart, rankMost)
	}
	return max(1, min(rank, n))
}

// prepare computes what all penalties share, but for K.
func (p *ridgeSystem[T]) prepare(ctx context.Context, r Ridge[T], d ridgeSample[T]) error {
	live := indices(d.x.Len())
	if d.weight != nil {
		live = slices.DeleteFunc(live, func(i int) bool { return d.weight[i] == 0 })
	}
	landmarks := seed.Choose(len(live), r.rank(len(live)), r.Seed, seed.Landmarks)
	for k, j := range landmarks {
		landmarks[k] = live[j]
	}
	slices.Sort(landmarks)
	near, err := newNystrom(ctx, p.ctl.Quiet(), r.Kernel, d.x, landmarks, p.root)
	if err != nil {
		return err
	}
	p.square = gram.NewSquare(p.ctl, r.Kernel, d.x)
	p.near = near
	return nil
}

// Constants of the work of a solution: they bear on what is said of the time left alone.
const (
	pairWork   = 200 // of a value of K
	squareWork = 130 // of one that stands for two
	usualSteps = 25
	pairStep   = 10  // of a value of K that is kept, in a step
	outputStep = 0.5 // of that, for each target
)

// next solves for the recipe's penalty from the solution before, and reports. When
// ctx ends beta is the best so far.
func (p *ridgeSystem[T]) next(
	ctx context.Context, ctl run.Control, r Ridge[T], d ridgeSample[T], solution *ridgeSolution,
) error {
	p.ctl = ctl
	report := &solution.report
	n := float64(d.x.Len())
	rank := float64(r.rank(d.x.Len()))
	prepare, values := n*rank*(rank+pairWork), n*n*squareWork
	steps := usualSteps * n * n * (pairStep + outputStep*float64(d.y.Rows))
	stages := r.Run.Progress.Divide("train", prepare+values+steps)
	defer stages.End()
	if p.near == nil {
		stages.Next("landmarks", prepare)
		if err := p.prepare(ctx, r, d); err != nil {
			return err
		}
	}
	p.mu = 2 * r.Lambda * p.total
	stages.Next("", values)
	if err := p.square.Fill(ctx, p.ctl); err != nil {
		return err
	}
	if !p.square.Kept() {
		steps = usualSteps * values
	}
	if err := p.near.refine(ctx, p.ctl.Quiet(), p.mu); err != nil {
		return err
	}
	s, err := p.begin(ctx, r)
	if err != nil {
		return err
	}
	stages.Next("steps", steps)
	r.Run.Progress.Begin("", int64(r.MaxIterations))
	defer r.Run.Progress.End()
	first := p.worst(s)
	s.stepped = func() {
		r.Run.Progress.Advance(int64(s.steps))
		r.Run.Progress.Approach(first, p.worst(s), r.Tolerance)
	}
	failed := s.run(ctx)
	if failed != nil && !learn.Interrupted(ctx, failed) {
		return failed
	}
	report.Iterations, report.Status = s.steps, learn.IterationLimit
	if failed == nil && s.converged() {
		report.Status = learn.Converged
	}
	p.objective(s, r.Lambda, report)
	if vmath.Finite(s.x.Data) >= 0 || vmath.Finite([]float64{report.Objective, report.Gap}) >= 0 {
		return fmt.Errorf("kernel ridge: %w", errOverflow)
	}
	copy(p.beta.Data, s.x.Data)
	p.warm = p.warm || s.steps > 0
	if failed == nil {
		solution.scores = p.scores(s, d.y)
	}
	return failed
}

// begin sets out from the solution before where that is nearer than 0.
func (p *ridgeSystem[T]) begin(ctx context.Context, r Ridge[T]) (*conjugate, error) {
	s := &conjugate{system: p, limit: r.MaxIterations, x: clone(p.beta), r: clone(p.b), goal: make([]float64, p.b.Rows)}
	for k := range s.goal {
		s.goal[k] = r.Tolerance * p.norm[k]
	}
	if !p.warm {
		return s, nil
	}
	left, err := p.residual(ctx, p.beta, indices(p.b.Rows))
	if err != nil {
		return nil, err
	}
	for k := range s.goal {
		if norm2(left.Row(k)) < p.norm[k] {
			copy(s.r.Row(k), left.Row(k))
		} else {
			clear(s.x.Row(k))
		}
	}
	return s, nil
}

// worst returns the largest residual relative to its right-hand side.
func (p *ridgeSystem[T]) worst(s *conjugate) float64 {
	most := 0.0
	for k, norm := range p.norm {
		if norm > 0 {
			most = max(most, norm2(s.r.Row(k))/norm)
		}
	}
	return most
}

// objective adds up the value of the problem and the bound of its gap. With the
// residual ρ, SGSβ = Sy - ρ - μβ: so |w|² = β·(Sy - ρ - μβ), the residuals of the
// regression are (ρ + μβ)/√c, and the gap is at most |ρ|²/2W.
func (p *ridgeSystem[T]) objective(s *conjugate, lambda float64, report *learn.Report) {
	for k := range s.x.Rows {
		square, loss, gap := 0.0, 0.0, 0.0
		b, x, r := p.b.Row(k), s.x.Row(k), s.r.Row(k)
		for i, rho := range r {
			miss := rho + p.mu*x[i]
			square += x[i] * (b[i] - miss)
			loss += miss * miss
			gap += rho * rho
		}
		report.Objective += lambda*square + loss/(2*p.total)
		report.Gap += gap / (2 * p.total)
	}
}

// scores returns what the model says of its own instances without a further product with
// G: by (SGS + μI)·β = Sy - ρ it is Gα = y - S⁻¹(ρ + μβ). Instances of no weight are not
// in the system; where there are any there is nothing.
func (p *ridgeSystem[T]) scores(s *conjugate, y *data.Matrix) *data.Matrix {
	if slices.Contains(p.root, 0) {
		return nil
	}
	out := data.NewMatrix(y.Cols, y.Rows)
	for k := range y.Rows {
		beta, rho := s.x.Row(k), s.r.Row(k)
		for i, v := range y.Row(k) {
			out.Row(i)[k] = v - (rho[i]+p.mu*beta[i])/p.root[i]
		}
	}
	return out
}

// product returns (SGS + μI)·v for each row of v.
func (p *ridgeSystem[T]) product(ctx context.Context, v *data.Matrix) (*data.Matrix, error) {
	scaled, w := data.NewMatrix(v.Rows, v.Cols), data.NewMatrix(v.Rows, v.Cols)
	scaleColumns(scaled, v, p.root)
	if err := p.square.Product(ctx, p.ctl, w, scaled); err != nil {
		return nil, err
	}
	scaleColumns(w, w, p.root)
	vmath.Axpy(w.Data, p.mu, v.Data)
	return w, nil
}

func (p *ridgeSystem[T]) precondition(ctx context.Context, v *data.Matrix) (*data.Matrix, error) {
	return p.near.solve(ctx, p.ctl.Quiet(), v)
}

// residual is b - (SGS + μI)·x, in which large terms cancel.
func (p *ridgeSystem[T]) residual(ctx context.Context, x *data.Matrix, index []int) (*data.Matrix, error) {
	scaled, w := data.NewMatrix(x.Rows, x.Cols), data.NewMatrix(x.Rows, x.Cols)
	scaleColumns(scaled, x, p.root)
	if err := p.square.ProductWide(ctx, p.ctl, w, scaled); err != nil {
		return nil, err
	}
	for i, k := range index {
		row := w.Row(i)
		for j, b := range p.b.Row(k) {
			row[j] = b - p.root[j]*row[j] - p.mu*x.Row(i)[j]
		}
	}
	return w, nil
}
