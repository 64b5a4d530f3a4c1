package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Once separates classes as Newton does,
//
//	min_w  P(w) = ½|w|² + C·Σ c·ℓ(y(w·x))
//
// to within a little, in a single pass over rows of which nobody knows how many there
// are. In the place of the loss of a row stands its expansion to the second order at the
// point v that was the best when the row came,
//
//	q(w) = ℓ + ℓ'·x·(w - v) + ½ℓ”·(x·(w - v))²
//
// so that P is a quadratic whose matrix and vector are sums. Whenever there are half as
// many rows again as at the last time, its minimum is the next v. The first v is that of
// Start. Errors of v fall with the rows that it is of, those of an expansion with their
// square: the result is off the minimum by less than the minimum is off that of other rows
// (docs/math/sums.md). That holds of rows that come in no order; of sorted ones it does not.
//
// Memory is a matrix of d² for each class and one more.
type Once struct {
	Loss Loss
	C    float64 // penalty of a unit of loss, positive
	Rate float64 // λ; where it is positive C = 1/(λ·Σc) in the place of C
	Unit float64 // value of the constant coordinate; 0 for none
	Seed uint64

	// Start are functions to begin with, one a separator, with Bias the weight of the
	// constant coordinate: the minimum over Known rows, with a C of theirs that is larger
	// by First/Known. Nil for 0.
	Start []*Function
	Known int

	Active []float64 // as Newton has it

	// Guard, where it is not nil, are rows on which the loss may not rise by more than a
	// tenth from point to point: a step that leads further is cut short. It bounds what
	// expansions far from where they hold can do. They are rows of the stream.
	Guard *sums.Block

	Checkpoint learn.Checkpoint // a round is a block of rows
	Run        run.Control
}

// First is how many rows are expanded about a start of so many known rows.
func First(known int) int {
	blocks := (max(known, 1) + sums.BlockRows - 1) / sums.BlockRows
	return (blocks + (blocks+1)/2) * sums.BlockRows
}

// Validate reports every field that is out of range.
func (o Once) Validate() error {
	const f = learn.Fields("once")
	var loss, c error
	if o.Loss > Logistic {
		loss = fmt.Errorf("once: there is no %s", o.Loss)
	}
	if !(o.Rate > 0) {
		c = f.Positive("C", o.C)
	}
	return errors.Join(loss, c, f.NotNegative("rate", o.Rate), f.NotNegative("unit", o.Unit),
		f.AtLeast(0, "known rows", o.Known), o.Checkpoint.Validate("once"))
}

// expansion is a sum of losses of one class against the rest, expanded.
type expansion struct {
	class int       // that is positive
	v     []float64 // where rows are expanded
	sum   *sums.Quadratic
}

// stage says where a pass stands.
type stage struct {
	rows, from, to int // read; of this point
	weight         float64
}

// OnceFit is what a Once found.
type OnceFit struct {
	Models []*Function // one a separator, with Bias the weight of the constant coordinate
	Rows   int
	Weight float64 // sum of the weights
	C      float64
	Points int // at which rows were expanded
}

// Fit returns a function a separator. It has none before the pass is over, and returns the
// context's error.
func (o Once) Fit(ctx context.Context, s *Sample, classes int) (*OnceFit, learn.Report, error) {
	began := time.Now()
	report := learn.Report{Status: learn.Converged, Iterations: 1}
	if err := errors.Join(o.Validate(), learn.Fields("once").AtLeast(2, "classes", classes)); err != nil {
		return nil, report, err
	}
	width, n := s.Dim+1, learn.Separators(classes)
	if err := o.reserve(n, width); err != nil {
		return nil, report, err
	}
	all, err := o.begin(s, classes)
	if err != nil {
		return nil, report, err
	}
	at := &stage{to: First(o.Known)}
	if err := o.restore(s, all, at); err != nil {
		return nil, report, err
	}
	points, err := o.pass(ctx, s, all, at)
	if err == nil && at.rows == 0 {
		err = learn.ErrNoRows
	}
	if err == nil {
		err = o.solve(ctx, all, at, 1)
	}
	if err != nil {
		return nil, report, err
	}
	fit := &OnceFit{Rows: at.rows, Weight: at.weight, C: o.c(at, 1), Points: points}
	for _, t := range all {
		fit.Models = append(fit.Models, &Function{W: t.v[:s.Dim], Bias: t.v[s.Dim]})
	}
	report.Elapsed = time.Since(began)
	return fit, report, nil
}

// reserve reports sums of n separators that do not fit in memory.
func (o Once) reserve(n, width int) error {
	bytes := float64(n+1)*sums.QuadraticBytes(width) + 8*3*float64(sums.BlockRows*width)
	return o.Run.Reserve(fmt.Sprintf("sums of losses of so many features for %d separators in one pass", n), bytes,
		"use a smaller --dim, --learner ridge, which has one matrix for all classes, or a file, which is read again")
}

// pass adds all rows, and moves the points on the way. It returns how many there were.
func (o Once) pass(ctx context.Context, s *Sample, all []*expansion, at *stage) (points int, err error) {
	width, n := s.Dim+1, len(all)
	work := &onceScratch{x: data.NewMatrix(sums.BlockRows, width), chosen: data.NewMatrix(sums.BlockRows, width),
		points: data.NewMatrix(n, width), score: data.NewMatrix(sums.BlockRows, n)}
	work.take(all)
	o.Run.Progress.Begin("sums of losses", 0)
	defer o.Run.Progress.End()
	points = 1
	err = s.Each(ctx, at.rows, func(b *sums.Block) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at.rows >= at.to {
			if err := o.solve(ctx, all, at, float64(at.rows+at.rows/2)/float64(at.rows)); err != nil {
				return err
			}
			at.from, at.to = at.rows, max(at.rows+at.rows/2/sums.BlockRows*sums.BlockRows, at.rows+sums.BlockRows)
			points++
			work.take(all)
		}
		if err := o.add(ctx, all, at, b, work); err != nil {
			return err
		}
		o.Run.Progress.Advance(int64(at.rows))
		if b.Rows() < sums.BlockRows {
			return nil
		}
		return o.Checkpoint.Keep(at.rows/sums.BlockRows, false, func() []byte { return o.state(s, all, at) })
	})
	return points, err
}

// begin returns the expansions of no rows about the start.
func (o Once) begin(s *Sample, classes int) ([]*expansion, error) {
	from, err := Newton{Start: o.Start, Unit: o.Unit, Active: o.Active}.begin(s, classes)
	if err != nil {
		return nil, err
	}
	all := make([]*expansion, len(from))
	for k, t := range from {
		all[k] = &expansion{class: t.class, v: t.w, sum: sums.NewQuadratic(s.Dim+1, 0)}
	}
	return all, nil
}

// onceScratch is what adding a block needs beside the sums.
type onceScratch struct {
	x, chosen, points, score *data.Matrix
}

// take takes over the points.
func (w *onceScratch) take(all []*expansion) {
	for k, t := range all {
		copy(w.points.Row(k), t.v)
	}
}

// add adds the expansions of the rows of a block. The gradient of a sum is that at 0.
func (o Once) add(ctx context.Context, all []*expansion, at *stage, b *sums.Block, w *onceScratch) error {
	rows, width, ctl := b.Rows(), w.x.Cols, o.Run.Quiet()
	x := &data.Matrix{Rows: rows, Cols: width, Data: w.x.Data[:rows*width]}
	for i := range rows {
		copy(x.Row(i), b.X.Row(i))
		x.Row(i)[width-1] = o.Unit
	}
	score := &data.Matrix{Rows: rows, Cols: len(all), Data: w.score.Data[:rows*len(all)]}
	if err := linalg.MulT(context.WithoutCancel(ctx), ctl, 1, x, w.points, 0, score); err != nil {
		return err
	}
	chance := chances(o.Seed, b)
	slope, bend := make([]float64, rows), make([]float64, 0, rows)
	for k, t := range all {
		bend = bend[:0]
		part := partOf(o.Active, k, width-1, at.to-at.from)
		for i := range rows {
			y, c := -1.0, 1.0
			if b.Y[i] == t.class {
				y = 1
			}
			if b.Weight != nil {
				c = b.Weight[i]
			}
			_, first, second := o.Loss.at(y * score.Row(i)[k])
			slope[i] = c * y * first
			if chance[i] <= part && second > 0 && c > 0 {
				curvature := c * second / part
				slope[i] -= curvature * score.Row(i)[k]
				copy(w.chosen.Row(len(bend)), x.Row(i))
				bend = append(bend, curvature)
			}
		}
		if err := t.sum.Slopes(ctx, ctl, x, slope); err != nil {
			return err
		}
		few := &data.Matrix{Rows: len(bend), Cols: width, Data: w.chosen.Data[:len(bend)*width]}
		if err := t.sum.Bend(ctx, ctl, few, bend); err != nil {
			return err
		}
	}
	at.rows += rows
	for i := range rows {
		if b.Weight != nil {
			at.weight += b.Weight[i]
		} else {
			at.weight++
		}
	}
	return nil
}

// c is the C of the rows so far, as if there were so many times as many.
func (o Once) c(at *stage, times float64) float64 {
	if o.Rate > 0 {
		return 1 / (o.Rate * at.weight)
	}
	return o.C * times
}

// solve moves the points to the minimum of the expansions.
func (o Once) solve(ctx context.Context, all []*expansion, at *stage, times float64) error {
	c := o.c(at, times)
	for _, t := range all {
		h, z := data.NewMatrix(len(t.v), len(t.v)), make([]float64, len(t.v))
		vmath.Axpy(h.Data, c, t.sum.Hessian.Data)
		vmath.Axpy(z, -c, t.sum.Gradient)
		largest := 0.0
		for j := range h.Rows {
			largest = max(largest, h.Row(j)[j])
		}
		for j := range h.Rows {
			h.Row(j)[j] += 1 + 1e-14*largest*float64(h.Rows)
		}
		if largest-largest != 0 || vmath.Finite(z) >= 0 {
			return errors.New("a sum of losses is not finite; scale the data down")
		}
		if err := linalg.Cholesky(ctx, o.Run.Quiet(), h); err != nil {
			var indefinite *linalg.NotPositiveError
			if errors.As(err, &indefinite) {
				return errors.New("the curvature is not finite, or too uneven; scale the data down, or use a smaller C")
			}
			return err
		}
		solve(z, h)
		if vmath.Finite(z) >= 0 {
			return errors.New("a weight is not finite; scale the data down, or use a smaller C")
		}
		o.move(t, z, c*at.weight)
	}
	return nil
}

// steps are the parts of a step that are tried.
var steps = []float64{1, 0.5, 0.25, 0.1, 0.03, 0.01, 0}

// move goes to z, or as far as the guard allows. C is that of all rows together.
func (o Once) move(t *expansion, z []float64, c float64) {
	if o.Guard == nil {
		copy(t.v, z)
		return
	}
	before := o.guarded(t.class, t.v, c)
	next := make([]float64, len(z))
	for _, part := range steps {
		for j, v := range t.v {
			next[j] = v + part*(z[j]-v)
		}
		if part == 1 {
			copy(next, z)
		}
		if o.guarded(t.class, next, c) <= 1.1*before {
			break
		}
	}
	copy(t.v, next)
}

// guarded is P at v over the guard, for a unit of C and of weight.
func (o Once) guarded(class int, v []float64, c float64) float64 {
	sum, weight, dim := 0.0, 0.0, len(v)-1
	for i := range o.Guard.Rows() {
		y, w := -1.0, 1.0
		if o.Guard.Y[i] == class {
			y = 1
		}
		if o.Guard.Weight != nil {
			w = o.Guard.Weight[i]
		}
		sum += w * o.Loss.value(y*(vmath.Dot(o.Guard.X.Row(i), v[:dim])+v[dim]*o.Unit))
		weight += w
	}
	return sum/max(weight, math.SmallestNonzeroFloat64) + vmath.Dot(v, v)/2/c
}

// mark tells fits apart.
func (o Once) mark(s *Sample, tasks int) uint64 {
	lists := [][]float64{{float64(o.Loss), o.C, o.Rate, o.Unit, float64(o.Seed), float64(o.Known), float64(s.Dim),
		float64(tasks)}}
	lists = append(lists, o.Active)
	for _, f := range o.Start {
		lists = append(lists, f.W, []float64{f.Bias})
	}
	return learn.Mark("stream once", lists...)
}

// state writes where a pass stands.
func (o Once) state(s *Sample, all []*expansion, at *stage) []byte {
	w := learn.NewState(o.mark(s, len(all)))
	w.Ints(at.rows, at.from, at.to)
	w.Floats(at.weight)
	for _, t := range all {
		w.Floats(t.v...)
		b, _ := t.sum.AppendBinary(nil)
		w.Bytes(b)
	}
	return w.Seal()
}

// restore takes over the state of a pass that was ended.
func (o Once) restore(s *Sample, all []*expansion, at *stage) error {
	if o.Checkpoint.From == nil {
		return nil
	}
	in := learn.OpenState(o.Checkpoint.From, o.mark(s, len(all)))
	at.rows, at.from, at.to = in.Int(math.MaxInt), in.Int(math.MaxInt), in.Int(math.MaxInt)
	at.weight = in.Float()
	for _, t := range all {
		in.Floats(t.v)
		if t.sum.UnmarshalBinary(in.Bytes()) != nil || len(t.sum.Gradient) != s.Dim+1 || len(t.sum.Ahead) != 0 {
			return learn.ErrState
		}
	}
	if in.Done() != nil || at.rows%sums.BlockRows != 0 || at.from > at.rows || at.to <= at.from {
		return learn.ErrState
	}
	return nil
}
