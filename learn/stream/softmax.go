package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Softmax is multinomial logistic regression of three classes or more,
//
//	min_W  P(W) = ½Σ_k |w_k|² + C·Σ c·(log Σ_k exp(w_k·x) - w_y·x)
//
// with x and each w_k extended by the constant coordinate Unit and c the weight of a row, as
// linear.Softmax has it. A pass over the rows gives P and its gradient at a point, and P at
// some points between that and the last one. The Hessian, a matrix of (k·d)², is never written
// down: it is over the rows of Curvature, which stay in memory, and a step is found by
// conjugate gradients on these (docs/math/sums.md). Where a step raises P, the best of the
// points between is next, and the Hessian has a multiple of 1 added until steps lower P.
//
// Half the squared length of the gradient bounds how far P is above its optimum. Where that
// is at most Tolerance·P the fit ends, or where what the next step promises to lower P by
// is, with what a Hessian over so many rows may be off by. The smaller one is reported as
// the gap.
//
// Memory is the rows of Curvature with two numbers a class each, three matrices of d² and
// some of k·d, whatever the number of rows.
type Softmax struct {
	C         float64 // penalty of a unit of loss, positive
	Tolerance float64 // duality gap relative to the objective, at least 0
	MaxPasses int     // over the rows, at least 1
	Unit      float64 // value of the constant coordinate; 0 for none

	// Start are functions to begin with, one a class, with Bias the weight of the constant
	// coordinate: those of a sample of the rows save passes. Nil for 0.
	Start []*Function

	// Curvature is a uniform sample of the rows, or all of them, with their weights: some
	// for each coordinate at least. As many are used as there is memory for.
	Curvature *sums.Block

	Checkpoint learn.Checkpoint // a round is a block of rows
	Run        run.Control
}

// NewSoftmax returns the recipe with the defaults of NewNewton.
func NewSoftmax() Softmax { return Softmax{C: 1, Tolerance: 1e-3, MaxPasses: 20, Unit: 1} }

// Validate reports every field that is out of range.
func (s Softmax) Validate() error {
	const f = learn.Fields("softmax")
	var rows error
	if s.Curvature == nil || s.Curvature.Rows() == 0 {
		rows = errors.New("softmax: there are no rows to know the curvature by")
	}
	return errors.Join(rows, f.Positive("C", s.C), f.NotNegative("tolerance", s.Tolerance),
		f.AtLeast(1, "max passes", s.MaxPasses), f.NotNegative("unit", s.Unit), s.Checkpoint.Validate("softmax"))
}

// Fit returns a function a class, with Bias the weight of the constant coordinate. When ctx
// ends they are the best so far, and the status says so.
func (s Softmax) Fit(ctx context.Context, rows *Sample, classes int) ([]*Function, learn.Report, error) {
	began := time.Now()
	report := learn.Report{Status: learn.Converged}
	if err := errors.Join(s.Validate(), learn.Fields("softmax").AtLeast(3, "classes", classes)); err != nil {
		return nil, report, err
	}
	if s.Curvature.X.Cols != rows.Dim {
		panic("stream: rows of the curvature have other coordinates")
	}
	few, err := s.few(rows.Dim, classes)
	if err != nil {
		return nil, report, err
	}
	f := &softmaxFit{Softmax: s, rows: rows, classes: classes}
	if f.t, err = s.begin(rows.Dim, classes); err != nil {
		return nil, report, err
	}
	f.h = newCurved(s.Curvature, few, classes, s.Unit, s.C*rows.Weight, s.Run)
	err = f.h.at(ctx, f.matrix(f.t.w)) // G is that of the start, wherever a state goes on
	if err == nil {
		err = f.restore()
	}
	if err == nil {
		report.Status, err = f.run(ctx)
	}
	if err != nil && learn.Interrupted(ctx, err) {
		report.Status, err = learn.Stopped(ctx), nil
	}
	if err != nil {
		return nil, report, err
	}
	out := make([]*Function, classes)
	for k := range out {
		w := f.matrix(f.t.w).Row(k)
		out[k] = &Function{W: w[:rows.Dim], Bias: w[rows.Dim]}
	}
	if report.Iterations = f.passes; !math.IsInf(f.t.value, 1) {
		report.Objective, report.Gap = f.t.value, f.t.gap
	}
	report.Elapsed = time.Since(began)
	return out, report, nil
}

// few returns how many rows of the curvature there is memory for, by the budget alone.
func (s Softmax) few(dim, classes int) (int, error) {
	width, k := float64(dim+1), float64(classes)
	row := 8 * (2*width + 2*k) // twice while eigenvectors are sought
	ctl := s.Run
	ctl.Process = false
	rows := max(1, min(s.Curvature.Rows(), int(float64(ctl.Budget())/4/row)))
	bytes := float64(rows)*row + 8*(4*width*width+12*k*width+sums.BlockRows*(width+3*k))
	return rows, s.Run.Reserve(fmt.Sprintf("the softmax of so many features and %d classes", classes), bytes,
		"use a smaller --dim, or --learner ridge or svm")
}

// begin returns the classes' vectors, one after the other, at their start.
func (s Softmax) begin(dim, classes int) (*separation, error) {
	w := data.NewMatrix(classes, dim+1)
	if s.Start != nil && len(s.Start) != classes {
		return nil, fmt.Errorf("softmax: the start has %d functions and must have %d", len(s.Start), classes)
	}
	for k, f := range s.Start {
		copy(w.Row(k)[:dim], f.W)
		if s.Unit > 0 {
			w.Row(k)[dim] = f.Bias
		}
	}
	if vmath.Finite(w.Data) >= 0 {
		return nil, errors.New("softmax: the start has a weight that is not finite")
	}
	centre(w)
	return &separation{w: w.Data, p: make([]float64, len(w.Data)), value: math.Inf(1), gap: math.Inf(1)}, nil
}

// softmaxFit is a fit on its way. What is of one separator in Newton is of all classes here.
type softmaxFit struct {
	Softmax
	rows    *Sample
	classes int
	t       *separation
	h       *curved
	passes  int
	row     int            // of the pass to go on with
	sums    *sums.Gradient // so far; nil at the beginning of a pass
}

// matrix returns a vector with a row a class.
func (f *softmaxFit) matrix(v []float64) *data.Matrix {
	return &data.Matrix{Rows: f.classes, Cols: f.rows.Dim + 1, Data: v}
}

// run takes steps to the end.
func (f *softmaxFit) run(ctx context.Context) (learn.Status, error) {
	for !f.t.done {
		if f.passes >= f.MaxPasses {
			return learn.IterationLimit, nil
		}
		if err := f.pass(ctx); err != nil {
			return learn.IterationLimit, err
		}
		f.passes++
		g := f.sums
		f.sums, f.row = nil, 0
		if err := f.advance(ctx, g); err != nil {
			return learn.IterationLimit, err
		}
	}
	if f.t.stuck {
		return learn.IterationLimit, nil
	}
	return learn.Converged, nil
}

// pass sums over all rows at the end of the step.
func (f *softmaxFit) pass(ctx context.Context) error {
	if f.sums == nil {
		f.sums = sums.NewGradient(f.classes, f.rows.Dim+1, len(ahead))
	}
	p := &SoftmaxPass{C: f.C, Unit: f.Unit, Still: vmath.Dot(f.t.p, f.t.p) == 0}
	end, start := f.matrix(f.t.end()), f.matrix(f.t.w)
	for k := range f.classes {
		p.End, p.Start = append(p.End, end.Row(k)), append(p.Start, start.Row(k))
	}
	keep := func(next int) []byte { return f.state(next) }
	return f.rows.pass(ctx, f.Run, fmt.Sprintf("pass %d", f.passes+1), f.row, f.Checkpoint, keep,
		&Sums{Pass: &Pass{Dim: f.rows.Dim, Classes: f.classes, Softmax: p}, Gradient: f.sums})
}

// advance takes the step, or a part of it, and finds the next one.
func (f *softmaxFit) advance(ctx context.Context, g *sums.Gradient) error {
	moved, err := f.t.move(g.Value, g.Slope.Data, g.Ahead, f.Tolerance)
	if err != nil || f.t.done {
		return err
	}
	unseen := f.h.unseen()
	if !moved {
		f.h.damp = max(8*f.h.damp, unseen)
		return nil
	}
	if f.h.damp /= 4; f.h.damp < unseen/100 {
		f.h.damp = 0
	}
	if err := f.h.at(ctx, f.matrix(f.t.w)); err != nil {
		return err
	}
	decrement, err := f.h.solve(ctx, f.matrix(f.t.p), g.Slope)
	if err != nil {
		return err
	}
	f.settle(decrement)
	return nil
}

// settle ends the fit where what a step promises is within the tolerance. A promise with
// damping is less than that of the Hessian, and says nothing.
func (f *softmaxFit) settle(decrement float64) {
	if gap := max(0, decrement) * f.h.doubt(); f.h.damp == 0 && gap <= f.Tolerance*f.t.value {
		f.t.gap, f.t.done = min(f.t.gap, gap), true
		clear(f.t.p)
	}
}

// mark tells fits apart.
func (f *softmaxFit) mark() uint64 {
	lists := [][]float64{{f.C, f.Tolerance, float64(f.MaxPasses), f.Unit, float64(f.rows.Dim), float64(f.rows.Rows),
		f.rows.Weight, float64(f.classes), float64(f.h.x.Rows)}, f.h.values}
	for _, s := range f.Start {
		lists = append(lists, s.W, []float64{s.Bias})
	}
	return learn.Mark("stream softmax", lists...)
}

// state writes where the fit stands before a row of a pass.
func (f *softmaxFit) state(next int) []byte {
	w := learn.NewState(f.mark())
	w.Ints(f.passes, next)
	w.Floats(f.t.w...)
	w.Floats(f.t.p...)
	w.Floats(f.t.value, f.t.gap, f.h.damp)
	b, _ := f.sums.AppendBinary(nil)
	w.Bytes(b)
	return w.Seal()
}

// restore takes over the state of a fit that was ended.
func (f *softmaxFit) restore() error {
	if f.Checkpoint.From == nil {
		return nil
	}
	in := learn.OpenState(f.Checkpoint.From, f.mark())
	f.passes, f.row = in.Int(f.MaxPasses), in.Int(math.MaxInt)
	in.Floats(f.t.w)
	in.Floats(f.t.p)
	f.t.value, f.t.gap, f.h.damp = in.Float(), in.Float(), in.Float()
	f.sums = &sums.Gradient{}
	if f.sums.UnmarshalBinary(in.Bytes()) != nil || in.Done() != nil || f.row%sums.BlockRows != 0 ||
		!f.sums.Fits(sums.NewGradient(f.classes, f.rows.Dim+1, len(ahead))) {
		return learn.ErrState
	}
	return nil
}
