package kernelized

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// falkon is the state of a landmark kernel ridge problem. With the penalty
// μ = 2·Lambda the normal equations, divided by the sum W of the weights, are
//
//	H·α = KᵀCy/W,   H = KᵀCK/W + μ(K_mm + εI)
//
// The coordinates are β = RᵀLᵀα with L·Lᵀ = K_mm + εI and R·Rᵀ = LᵀL/m + μI, in
// which H becomes R⁻¹(L⁻¹KᵀCKL⁻ᵀ/W + μI)R⁻ᵀ, which is near I where the landmarks
// stand for the sample.
type falkon[T any] struct {
	recipe    Falkon[T]
	ctl       run.Control // quiet, with the counter
	counter   run.Counter
	counted   int64
	x         data.Source[T]
	y         *data.Matrix // a row a target
	weight    []float64    // nil for 1
	total     float64      // W
	squares   []float64    // Σ c_i·y_i²/W of each target
	least     float64      // of the penalties μ
	many      bool         // more than one penalty
	landmarks data.Source[T]
	block     *gram.Against[T]
	l, r      triangle
	far       *gram.Triangle // l and r where they are on a device
	farther   *gram.Triangle
	near      bool         // they are not to be there
	inner     *data.Matrix // LᵀL/m, lower triangle; nil once it has become r and is not needed again
	right     *data.Matrix // KᵀCy/W
	current   *data.Matrix // weights that the last penalty ended at, a row a target
	warm      bool         // whether they are better than 0
}

// newFalkon prepares to solve for f.Lambda, and for larger ones too where there
// are many.
func newFalkon[T any](f Falkon[T], d ridgeSample[T], many bool) (*falkon[T], error) {
	n, y := d.x.Len(), d.y
	p := &falkon[T]{recipe: f, x: d.x, y: y, weight: d.weight, total: float64(n), least: 2 * f.Lambda, many: many}
	p.ctl = f.Run.Quiet()
	p.ctl.Counter = &p.counter
	if p.weight != nil {
		p.total = 0
		for _, c := range p.weight {
			p.total += c
		}
	}
	if f.Centers != nil {
		p.landmarks = take(f.Centers, indices(f.Centers.Len()))
	} else {
		p.landmarks = take(d.x, p.draw(n))
	}
	m := p.landmarks.Len()
	if f.Start != nil && len(f.Start) != m {
		return nil, fmt.Errorf("falkon: there are %d landmarks and %d weights to start with; each landmark needs one", m,
			len(f.Start))
	}
	if i := vmath.Finite(f.Start); i >= 0 {
		return nil, fmt.Errorf("falkon: weight %d to start with is %v and must be a finite number", i, f.Start[i])
	}
	copies := 2.0
	if p.many {
		copies++
	}
	memory := 8 * float64(m) * (copies*float64(m) + float64(y.Rows)*(8+float64(n)/1024))
	if err := f.Run.Reserve("the preconditioner", memory, "take fewer landmarks"); err != nil {
		return nil, err
	}
	for k := range y.Rows {
		p.squares = append(p.squares, p.mean2(y.Row(k)))
	}
	if vmath.Finite(p.squares) >= 0 {
		return nil, fmt.Errorf("falkon: %w", errOverflow)
	}
	return p, nil
}

// draw returns the instances that are landmarks, among those of positive weight.
func (p *falkon[T]) draw(n int) []int {
	live := indices(n)
	if p.weight != nil {
		live = slices.DeleteFunc(live, func(i int) bool { return p.weight[i] == 0 })
	}
	chosen := seed.Choose(len(live), p.recipe.Landmarks, p.recipe.Seed, seed.Landmarks)
	for k, j := range chosen {
		chosen[k] = live[j]
	}
	return chosen
}

// indices returns 0 … n-1.
func indices(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// mean2 returns Σ c_i·y_i²/W.
func (p *falkon[T]) mean2(y []float64) float64 {
	sum := 0.0
	for i, v := range y {
		if p.weight != nil {
			sum += p.weight[i] * v * v
		} else {
			sum += v * v
		}
	}
	return sum / p.total
}

// prepare computes what all penalties share.
func (p *falkon[T]) prepare(ctx context.Context) error {
	p.block = gram.BindPrecision(p.recipe.Kernel, p.landmarks, p.ctl.Precision).Against(p.ctl, p.x)
	if err := p.factorAway(ctx); err != nil {
		return err
	}
	if p.far == nil {
		if err := p.factorHere(ctx); err != nil {
			return err
		}
	}
	right := data.NewMatrix(p.y.Rows, p.landmarks.Len())
	if err := p.block.ProductNormalMany(ctx, p.ctl, right, nil, p.y, p.weight); err != nil {
		return err
	}
	vmath.Scale(right.Data, 1/p.total)
	if vmath.Finite(right.Data) >= 0 {
		return fmt.Errorf("falkon: %w", errOverflow)
	}
	p.right = right
	return nil
}

// maxRaises is how often ε is raised by raise before a matrix is given up.
const (
	maxRaises = 12
	raise     = 8
)

// factorHere sets l to the factor of K_mm + εI and inner to LᵀL/m. Cholesky leaves what is above the
// diagonal, from which the rest is restored.
func (p *falkon[T]) factorHere(ctx context.Context) error {
	g, err := gram.Symmetric(ctx, p.ctl, p.recipe.Kernel, p.landmarks)
	if err != nil {
		return err
	}
	m, tried := g.Rows, false
	diag := make([]float64, m)
	for i := range diag {
		diag[i] = g.Row(i)[i]
	}
	err = p.raised(ctx, diag, func(epsilon float64) error {
		for i, v := range diag {
			g.Row(i)[i] = v + epsilon
			for j := 0; tried && j < i; j++ {
				g.Row(i)[j] = g.Row(j)[i]
			}
		}
		tried = true
		return linalg.Cholesky(ctx, p.ctl, g)
	})
	if err != nil {
		return err
	}
	for i := range m {
		clear(g.Row(i)[i+1:])
	}
	p.inner = data.NewMatrix(m, m)
	if err := linalg.SymRankT(ctx, p.ctl, 1/float64(m), g, 0, p.inner); err != nil {
		return err
	}
	l, err := packed(ctx, p.ctl, g)
	p.l = here{l}
	return err
}

// raised calls factor with the least ε of their sequence for which K_mm + εI is positive definite, and
// those below it; diag is the diagonal of K_mm.
func (p *falkon[T]) raised(ctx context.Context, diag []float64, factor func(epsilon float64) error) error {
	if least := slices.Min(diag); least < 0 {
		return fmt.Errorf("falkon: K(z, z) is %g for a landmark z; it must be at least 0, or K is no kernel", least)
	}
	epsilon := jitter(len(diag), slices.Max(diag), p.least, p.block.Precision())
	var fault *linalg.NotPositiveError
	var err error
	for range maxRaises {
		if err = factor(epsilon); !errors.As(err, &fault) {
			return err
		}
		epsilon *= raise
	}
	if ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("falkon: the kernel of the landmarks: %w; it may be no kernel", err)
}

// jitter returns ε for m landmarks with K(z, z) up to scale: what rounding may
// take off the eigenvalues of K_mm, m·2⁻⁵²·scale, and so much that an error u of
// the values of K, amplified by L⁻ᵀ to u²·m·scale²/ε, stays below the penalty μ.
func jitter(m int, scale, penalty float64, precision run.Precision) float64 {
	if !(scale > 0) {
		return 1 // K is zero
	}
	u := 0x1p-53
	if precision == run.Float32 {
		u = 0x1p-24
	}
	most := float64(m) * u * scale
	return max(float64(m)*0x1p-52*scale, min(most, float64(m)*u*u*scale*scale/penalty))
}

// refine factors the preconditioner of a penalty.
func (p *falkon[T]) refine(ctx context.Context, penalty float64) error {
	if p.far != nil {
		return p.refineAway(ctx, penalty)
	}
	r := p.inner
	if p.many {
		m := p.inner.Rows
		if before, ok := p.r.(here); ok {
			r = &data.Matrix{Rows: m, Cols: m, Data: before.value}
		} else {
			r = data.NewMatrix(m, m)
		}
		copy(r.Data, p.inner.Data)
	} else {
		p.inner = nil
	}
	for i := range r.Rows {
		r.Row(i)[i] += penalty
	}
	p.r = here{lowerOf(r.Data, r.Rows)}
	if err := p.refined(ctx, linalg.Cholesky(ctx, p.ctl, r)); err != nil {
		return err
	}
	l, err := packed(ctx, p.ctl, r)
	p.r = here{l}
	return err
}

func (p *falkon[T]) refined(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("falkon: the preconditioner: %w; raise lambda", err)
	}
	return err
}

// solve improves the weights for a penalty, from their present values where warm
// and from 0 where not, and reports.
func (p *falkon[T]) solve(
	ctx context.Context, weight *data.Matrix, report *learn.Report, lambda float64, warm bool,
) error {
	penalty := 2 * lambda
	if err := p.refine(ctx, penalty); err != nil {
		return err
	}
	b := clone(p.right)
	if err := p.intoBeta(ctx, b); err != nil {
		return err
	}
	s := &steps{b: b, r: clone(b), x: data.NewMatrix(weight.Rows, weight.Cols), tolerance: p.recipe.Tolerance}
	if warm && p.recipe.Checkpoint.From == nil {
		copy(s.x.Data, weight.Data)
		for _, l := range []triangle{p.l, p.r} {
			if err := l.mulTransposed(ctx, s.x); err != nil {
				return err
			}
		}
		w, err := p.mul(ctx, s.x, penalty)
		if err != nil {
			return err
		}
		vmath.Axpy(s.r.Data, -1, w.Data)
	}
	p.recipe.Run.Progress.Begin("train", int64(p.recipe.MaxIterations))
	defer p.recipe.Run.Progress.End()
	s.begin()
	keep, err := p.resume(s, report, lambda)
	if err != nil {
		return err
	}
	var failed error
	first := s.worst()
	for len(s.open) > 0 && report.Iterations < p.recipe.MaxIterations && failed == nil {
		var w *data.Matrix
		if w, failed = p.mul(ctx, s.directions(), penalty); failed == nil {
			s.step(w)
			report.Iterations++
			p.recipe.Run.Progress.Advance(int64(report.Iterations))
			p.recipe.Run.Progress.Approach(first, s.worst(), s.tolerance)
			if err := keep(); err != nil {
				return err
			}
		}
	}
	if failed != nil && ctx.Err() == nil {
		return failed
	}
	report.Status = learn.Converged
	if len(s.open) > 0 {
		report.Status = learn.IterationLimit
	}
	gradient := 0.0
	for k := range s.x.Rows {
		x, r := s.x.Row(k), s.r.Row(k)
		report.Objective += max(0, (p.squares[k]-vmath.Dot(x, s.b.Row(k))-vmath.Dot(x, r))/2)
		gradient += vmath.Dot(r, r)
	}
	report.Gradient = math.Sqrt(gradient)
	// Back to α even when ctx has ended: this is the best so far.
	for _, l := range []triangle{p.r, p.l} {
		if err := l.solve(context.WithoutCancel(ctx), p.ctl, s.x, true); err != nil {
			return err
		}
	}
	if vmath.Finite(s.x.Data) >= 0 {
		return fmt.Errorf("falkon: %w", errOverflow)
	}
	copy(weight.Data, s.x.Data)
	return failed
}

func clone(m *data.Matrix) *data.Matrix {
	return &data.Matrix{Rows: m.Rows, Cols: m.Cols, Data: slices.Clone(m.Data)}
}

// intoBeta replaces each row v by R⁻¹L⁻¹v.
func (p *falkon[T]) intoBeta(ctx context.Context, v *data.Matrix) error {
	if err := p.l.solve(ctx, p.ctl, v, false); err != nil {
		return err
	}
	return p.r.solve(ctx, p.ctl, v, false)
}

// mul returns the product of the problem's matrix in the coordinates β with each
// row of v.
func (p *falkon[T]) mul(ctx context.Context, v *data.Matrix, penalty float64) (*data.Matrix, error) {
	inner := clone(v)
	if err := p.r.solve(ctx, p.ctl, inner, true); err != nil {
		return nil, err
	}
	q := clone(inner)
	if err := p.l.solve(ctx, p.ctl, q, true); err != nil {
		return nil, err
	}
	w := data.NewMatrix(v.Rows, v.Cols)
	if err := p.block.ProductNormalMany(ctx, p.ctl, w, q, nil, p.weight); err != nil {
		return nil, err
	}
	vmath.Scale(w.Data, 1/p.total)
	if err := p.l.solve(ctx, p.ctl, w, false); err != nil {
		return nil, err
	}
	vmath.Axpy(w.Data, penalty, inner.Data)
	return w, p.r.solve(ctx, p.ctl, w, false)
}
