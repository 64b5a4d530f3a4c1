package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

const (
	// maxTarget is the largest target: sums of squares up to it are finite.
	maxTarget = 1e140
	// sparseShare is the part of stored coordinates below which rows are
	// multiplied as they are stored: dense products are that much faster.
	sparseShare = 1.0 / 16
	// freeLeverage is how far a leverage must stay below 1, relative to the
	// numbers it is computed from. Nearer, the difference is rounding.
	freeLeverage = 1e-12
)

// ridgeProblem is a checked sample with its means. Row i of the centred problem
// is x̃ = √c·(x/scale - mean), its target ỹ = √c·(y/unit - level); without an
// intercept mean and level are 0. Both scales are powers of two, so that they
// round nothing, and keep all sums far from overflow.
type ridgeProblem struct {
	ctl       run.Control
	intercept bool
	rows      []data.Vector
	dim       int
	sparse    bool
	scale     float64 // at least the longest row
	root      []float64
	total     float64 // Σ c
	counted   int     // rows with c > 0
	mean      []float64
	y         *data.Matrix // n×K, ỹ
	unit      float64
	level     []float64
}

// problem checks and centres a sample.
func (r Ridge) problem(
	ctx context.Context, x data.Source[data.Vector], y *data.Matrix, weight []float64,
) (*ridgeProblem, error) {
	n := x.Len()
	if n == 0 && y.Rows == 0 {
		return nil, learn.ErrNoRows
	}
	if y.Rows != n || y.Cols < 1 {
		return nil, fmt.Errorf("ridge: there are %d rows and %d×%d targets; each row needs at least one target", n, y.Rows,
			y.Cols)
	}
	if len(y.Data) != y.Rows*y.Cols {
		return nil, fmt.Errorf("ridge: the %d×%d targets hold %d numbers", y.Rows, y.Cols, len(y.Data))
	}
	if err := learn.CheckWeights(n, weight); err != nil {
		return nil, err
	}
	if err := r.Run.Reserve("the targets", 8*float64(n)*float64(y.Cols), "fit fewer targets at a time"); err != nil {
		return nil, err
	}
	s, err := gatherRows(ctx, r.Run, x, 0)
	if err != nil {
		return nil, err
	}
	p := &ridgeProblem{ctl: r.Run, intercept: r.Intercept, rows: s.rows, dim: s.dim}
	p.weigh(weight)
	longest, stored := 0.0, 0
	for i, x := range s.rows {
		longest = max(longest, s.norm[i])
		stored += len(x.Value)
	}
	p.sparse = float64(stored) < sparseShare*float64(n)*float64(s.dim)
	p.scale = powerOfTwo(math.Sqrt(longest))
	p.centre()
	return p, p.centreTargets(y)
}

// powerOfTwo returns the least power of two above a whose inverse is finite, 1
// for 0.
func powerOfTwo(a float64) float64 {
	if a == 0 {
		return 1
	}
	_, e := math.Frexp(a)
	return math.Ldexp(1, max(e, -1000))
}

// weigh sets the roots of the weights and their sum.
func (p *ridgeProblem) weigh(weight []float64) {
	p.root = make([]float64, len(p.rows))
	for i := range p.root {
		c := 1.0
		if weight != nil {
			c = weight[i]
		}
		p.root[i] = math.Sqrt(c)
		p.total += c
		if c > 0 {
			p.counted++
		}
	}
}

// centre finds the weighted mean of the rows: sums over blocks, merged in order.
func (p *ridgeProblem) centre() {
	p.mean = make([]float64, p.dim)
	if !p.intercept {
		return
	}
	n := len(p.rows)
	part := make([]float64, p.dim)
	for lo := 0; lo < n; lo += blockRows {
		clear(part)
		for i := lo; i < min(lo+blockRows, n); i++ {
			p.rows[i].AddTo(part, p.root[i]*p.root[i]/p.total/p.scale)
		}
		for j, v := range part {
			p.mean[j] += v
		}
	}
}

// centreTargets checks, copies and centres the targets.
func (p *ridgeProblem) centreTargets(y *data.Matrix) error {
	largest := 0.0
	for i := range y.Rows {
		for k, v := range y.Row(i) {
			if !(math.Abs(v) <= maxTarget) {
				return &learn.DataError{Row: i, Problem: fmt.Sprintf("target %d is %v and must be a number of at most %v", k+1,
					v, maxTarget)}
			}
			largest = max(largest, math.Abs(v))
		}
	}
	p.unit = powerOfTwo(largest)
	p.level = make([]float64, y.Cols)
	if p.intercept {
		for i := range y.Rows {
			c := p.root[i] * p.root[i] / p.total
			for k, v := range y.Row(i) {
				p.level[k] += c * (v / p.unit)
			}
		}
	}
	p.y = data.NewMatrix(y.Rows, y.Cols)
	for i := range y.Rows {
		for k, v := range y.Row(i) {
			p.y.Row(i)[k] = p.root[i] * (v/p.unit - p.level[k])
		}
	}
	return nil
}

// fill writes x̃ of row i.
func (p *ridgeProblem) fill(dst []float64, i int) {
	p.rows[i].CopyTo(dst)
	a := p.root[i]
	for j, m := range p.mean {
		dst[j] = a * (dst[j]/p.scale - m)
	}
}

// leverage is the part of row i's leverage that the intercept has.
func (p *ridgeProblem) leverage(i int) float64 {
	if !p.intercept {
		return 0
	}
	return p.root[i] * p.root[i] / p.total
}

// penalty returns λ for the rows as they are scaled.
func (p *ridgeProblem) penalty(lambda float64) float64 { return lambda / p.scale / p.scale }

// path solves for all penalties, on the smaller side.
func (p *ridgeProblem) path(ctx context.Context, lambdas []float64) ([]RidgeStep, error) {
	size := float64(len(lambdas)) * float64(p.y.Cols) * float64(p.dim)
	if err := p.ctl.Reserve("the weights", 8*size, "take fewer lambdas or targets"); err != nil {
		return nil, err
	}
	steps := make([]*tally, len(lambdas))
	for l, lambda := range lambdas {
		steps[l] = &tally{lambda: lambda, penalty: p.penalty(lambda), loo: make([]float64, p.y.Cols),
			rss: make([]float64, p.y.Cols)}
	}
	var err error
	if len(p.rows) < p.dim {
		err = p.dual(ctx, steps)
	} else {
		err = p.primal(ctx, steps)
	}
	if err != nil {
		return nil, err
	}
	out := make([]RidgeStep, len(steps))
	for l, t := range steps {
		out[l] = p.step(t)
	}
	return out, nil
}

// tally gathers what is known of one λ, in the units of the scaled problem.
type tally struct {
	lambda, penalty float64
	loo, rss        []float64    // Σ ẽ²/(1-h)² and Σ ẽ² of each target
	freedom         float64      // Σ h
	w               *data.Matrix // d×K
}

// reset empties the tally.
func (t *tally) reset() {
	clear(t.loo)
	clear(t.rss)
	t.freedom, t.w = 0, nil
}

// row adds a row with residuals e, already weighted, and 1 - h = free, which
// is rounding up to floor.
func (t *tally) row(e []float64, free, floor, root float64) {
	t.freedom += 1 - free
	if root == 0 {
		return
	}
	for k, v := range e {
		t.rss[k] += v * v
		if free > floor {
			t.loo[k] += (v / free) * (v / free)
		} else {
			t.loo[k] = math.Inf(1)
		}
	}
}

// step puts the figures into the units of the data.
func (p *ridgeProblem) step(t *tally) RidgeStep {
	s := RidgeStep{Lambda: t.lambda, Freedom: t.freedom}
	targets := float64(p.y.Cols)
	for k := range p.level {
		w := make([]float64, p.dim)
		shift, length := 0.0, 0.0
		for j := range w {
			v := t.w.Row(j)[k]
			shift += v * p.mean[j]
			w[j] = v / p.scale * p.unit
			length += w[j] * w[j]
		}
		s.Models = append(s.Models, &Regressor{W: w, Bias: (p.level[k] - shift) * p.unit})
		e := t.loo[k] / p.total * p.unit * p.unit
		s.Errors = append(s.Errors, e)
		s.LOO += e / targets
		s.GCV += t.rss[k] / p.total * p.unit * p.unit / targets
		s.Objective += t.rss[k]*p.unit*p.unit + t.lambda*length
	}
	free := 1 - t.freedom/float64(p.counted)
	if free > freeLeverage {
		s.GCV /= free * free
	} else {
		s.GCV = math.Inf(1)
	}
	return s
}

// eachRow calls f for blocks of rows on several cores.
func (p *ridgeProblem) eachRow(ctx context.Context, lo, hi int, f func(i int)) error {
	return par.For(ctx, p.ctl, "", par.Blocks(hi-lo, fillRows), func(b int) error {
		first, last := par.Range(b, hi-lo, fillRows)
		for i := lo + first; i < lo+last; i++ {
			f(i)
		}
		return nil
	})
}
