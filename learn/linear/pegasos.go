package linear

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Pegasos trains the soft-margin support vector machine on rows that come one
// after the other and need not fit in memory. With c the weight of a row it
// lowers
//
//	P(w) = λ/2·|w|² + (1/n)·Σ c·max(0, 1 - y(w·x))
//
// by steps on batches of k rows (Shalev-Shwartz, Singer, Srebro, Cotter 2011):
// step t is
//
//	w ← (1 - 1/t)·w + 1/(λ·t·k)·Σ c·y·x   over rows of the batch with y(w·x) < 1
//
// followed, with Project, by scaling w to |w| ≤ √(c/λ), where the optimum is,
// with c the largest weight so far. SVM's C is 1/(n·λ): see PegasosLambda. The n
// rows are counted whatever their weights, so that a row of weight k is k rows at
// the same C and not at the same λ.
//
// With Average the result is the mean of all iterates, that of step t weighted
// by t: its expected P is within O(1/(λ·t)) of the optimum after t steps
// (Lacoste-Julien, Schmidt, Bach 2012). There is no test of convergence: all
// Epochs are run, and the status is then IterationLimit.
//
// Cost: O(stored coordinates) a row, since w is kept as a number times a
// vector; memory O(d). The vector is multiplied out O(1/√λ) times at most, O(d)
// each, while steps are still so long that projections undo them. Steps follow
// one another on one core.
type Pegasos struct {
	Lambda   float64 // λ, above 0; default 1e-4
	Batch    int     // rows a step, at least 1; default 1
	Epochs   int     // passes over the rows, at least 1; default 10
	Average  bool    // return the mean of the iterates, not the last; default true
	Project  bool    // keep |w| to where the optimum is; default true
	Unit     float64 // value of the constant coordinate; default 1, 0 for none
	Shuffle  bool    // Fit takes the rows of each epoch in random order; default true
	Seed     uint64  // of the orders
	SaveRows int     // rows between two calls of Save, at least 1; default 1e6

	// Save is called about every SaveRows rows and after each epoch with the
	// state to resume from, which it must not keep but may encode. Nil saves
	// nothing. An error ends the fit and comes back.
	Save func(*PegasosState) error

	// Checkpoint does the same for Fit, of which SaveRows rows are a round, as
	// the rest of an epoch is. Its state takes 16 bytes a coordinate.
	Checkpoint learn.Checkpoint

	Run run.Control
}

// NewPegasos returns the recipe with its defaults.
func NewPegasos() Pegasos {
	return Pegasos{Lambda: 1e-4, Batch: 1, Epochs: 10, Average: true, Project: true, Unit: 1, Shuffle: true, SaveRows: 1e6}
}

// PegasosLambda returns λ = 1/(n·C), for which P is the objective of SVM with
// penalty C on n rows, divided by n·C.
func PegasosLambda(c float64, n int) float64 { return 1 / (c * float64(n)) }

// Validate reports every field that is out of range.
func (p Pegasos) Validate() error {
	const f = learn.Fields("pegasos")
	return errors.Join(f.Positive("lambda", p.Lambda), f.NotNegative("unit", p.Unit), p.Checkpoint.Validate("pegasos"),
		f.AtLeast(1, "batch", p.Batch), f.AtLeast(1, "epochs", p.Epochs), f.AtLeast(1, "save rows", p.SaveRows))
}

// Chunk is some rows of a stream.
type Chunk = data.Labeled[data.Vector, float64]

// Stream gives the rows of an epoch, counted from 0, chunk after chunk. How they
// are cut into chunks does not matter; a chunk may be overwritten once the next
// is asked for. To resume, it must give the same rows again. An error ends the
// fit.
type Stream func(epoch int) iter.Seq2[Chunk, error]

// Fit learns from rows in memory. Objective is P at the result.
func (p Pegasos) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Separator, learn.Report, error) {
	began := time.Now()
	if err := p.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := gather(ctx, p.Run, d, p.Unit)
	if learn.Interrupted(ctx, err) {
		return untrained(ctx, d, p.Unit, began)
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	state := NewPegasosState()
	if p.Checkpoint.On() {
		if state, err = p.resume(p.mark(d.Y, d.Weight), s.dim); err != nil {
			return nil, learn.Report{}, err
		}
	}
	separator, report, err := p.FitStream(ctx, state, p.Rows(d))
	if err != nil {
		return nil, report, err
	}
	separator.W = append(separator.W, make([]float64, s.dim-len(separator.W))...)
	w := &weights{w: separator.W, bias: separator.Bias}
	report.Objective = p.objective(s, w)
	report.Elapsed = time.Since(began)
	return separator, report, nil
}

// Rows returns the stream that Fit learns from: the rows of d, in random order
// with Shuffle. With FitStream it makes a fit that can be resumed.
func (p Pegasos) Rows(d data.Labeled[data.Vector, float64]) Stream {
	return func(epoch int) iter.Seq2[Chunk, error] {
		if err := learn.CheckWeights(d.X.Len(), d.Weight); err != nil {
			return func(yield func(Chunk, error) bool) { yield(Chunk{}, err) }
		}
		order := identity(d.X.Len())
		if p.Shuffle {
			seed.Reorder(order, p.Seed, epoch)
		}
		return func(yield func(Chunk, error) bool) { yield(d.Select(order), nil) }
	}
}

// objective is P(w), by sums over blocks merged in order.
func (p Pegasos) objective(s *sample, w *weights) float64 {
	n := len(s.rows)
	loss := make([]float64, par.Blocks(n, blockRows))
	err := par.For(context.Background(), p.Run.Quiet(), "", len(loss), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			h := max(0, 1-s.y[i]*s.score(w, i))
			if s.weight != nil {
				h *= s.weight[i]
			}
			loss[b] += h
		}
		return nil
	})
	if err != nil {
		panic("linear: " + err.Error())
	}
	total := 0.0
	for _, l := range loss {
		total += l
	}
	return p.Lambda/2*w.length2() + total/float64(n)
}

// FitStream learns from a stream, starting at the state, which it moves on:
// NewPegasosState for a fresh start. When ctx ends the state is that after the
// last whole batch, the separator its own, and a later call with the same
// recipe, state and stream ends with the same bits as one that was never
// stopped. So it is on an error of the stream or of a row.
//
// The separator has as many weights as were seen coordinates. Objective is an
// estimate of P: the mean loss of each row of the last epoch just before it was
// learnt from, with |w| at the end. Iterations counts the epochs of all calls.
func (p Pegasos) FitStream(ctx context.Context, state *PegasosState, stream Stream) (*Separator, learn.Report, error) {
	began := time.Now()
	if err := errors.Join(p.Validate(), state.Validate()); err != nil {
		return nil, learn.Report{}, err
	}
	report := learn.Report{Status: learn.IterationLimit}
	p.Run.Progress.Begin("train", int64(p.Epochs))
	defer p.Run.Progress.End()
	for state.Epoch < p.Epochs {
		err := p.epoch(ctx, state, stream)
		if learn.Interrupted(ctx, err) {
			report.Status = learn.Stopped(ctx)
			break
		}
		if err != nil {
			return nil, learn.Report{}, err
		}
		p.Run.Progress.Advance(int64(state.Epoch))
	}
	w := state.last()
	if p.Average {
		w = state.mean()
	}
	if vmath.Finite(w.w) >= 0 || w.bias-w.bias != 0 {
		return nil, learn.Report{}, errPegasosOverflow
	}
	report.Iterations = state.Epoch
	report.Objective = p.Lambda/2*w.length2() + state.meanLoss()
	report.Elapsed = time.Since(began)
	return w.separator(p.Unit), report, nil
}

// epoch goes on with the epoch that the state is in, to its end.
func (p Pegasos) epoch(ctx context.Context, state *PegasosState, stream Stream) error {
	b := &batch{recipe: p, state: state}
	row, saved := int64(0), state.Row
	for c, err := range stream(state.Epoch) {
		if err != nil {
			return err
		}
		n := c.X.Len()
		if len(c.Y) != n || c.Weight != nil && len(c.Weight) != n {
			return fmt.Errorf("pegasos: a chunk has %d rows, %d labels and %d weights; each row needs one", n, len(c.Y),
				len(c.Weight))
		}
		for i := max(0, int(min(state.Row-row, int64(n)))); i < n; i++ {
			if i%rowsPerCheck == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			weight := 1.0
			if c.Weight != nil {
				weight = c.Weight[i]
			}
			if err := b.add(c.X.At(i), c.Y[i], weight, row+int64(i)); err != nil {
				return err
			}
			if p.Save != nil && state.Row-saved >= int64(p.SaveRows) {
				saved = state.Row
				if err := p.Save(state); err != nil {
					return err
				}
			}
		}
		row += int64(n)
		b.own()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if row < state.Row {
		return fmt.Errorf("pegasos: epoch %d has %d rows and the state is past row %d; resume with the same stream",
			state.Epoch+1, row, state.Row)
	}
	if err := b.step(); err != nil {
		return err
	}
	if err := state.endEpoch(); err != nil {
		return err
	}
	if p.Save != nil {
		return p.Save(state)
	}
	return nil
}

// batch gathers the rows of one step. Until the step, the state is as it was.
type batch struct {
	recipe             Pegasos
	state              *PegasosState
	rows               int
	loss, largest      float64
	positive, negative int64
	wrong              []data.Vector // rows with y(w·x) < 1
	factor             []float64     // their c·y
	owned              int           // how many of them are copies
}

// add takes a row into the batch, and makes the step when it is full.
func (b *batch) add(x data.Vector, y, weight float64, row int64) error {
	_, err := learn.CheckVector(int(row), x)
	switch {
	case y != 1 && y != -1:
		return &learn.DataError{Row: int(row), Problem: fmt.Sprintf("label is %v and must be +1 or -1", y)}
	case err != nil:
		return err
	}
	if err := learn.CheckWeight(int(row), weight); err != nil {
		return err
	}
	s := b.state
	margin := y * s.Scale * (x.DotWith(s.V) + s.Bias*b.recipe.Unit)
	if margin < 1 {
		b.loss += weight * (1 - margin)
		b.wrong, b.factor = append(b.wrong, x), append(b.factor, weight*y)
	}
	b.largest = max(b.largest, weight)
	if y > 0 {
		b.positive++
	} else {
		b.negative++
	}
	if b.rows++; b.rows == b.recipe.Batch {
		return b.step()
	}
	return nil
}

// own copies the rows that outlive their chunk.
func (b *batch) own() {
	for ; b.owned < len(b.wrong); b.owned++ {
		x := &b.wrong[b.owned]
		*x = data.Vector{Index: slices.Clone(x.Index), Value: slices.Clone(x.Value)}
	}
}

// step makes the step of the batch and empties it.
func (b *batch) step() error {
	if b.rows == 0 {
		return nil
	}
	p, s := b.recipe, b.state
	dim := len(s.V)
	for _, x := range b.wrong {
		dim = max(dim, x.Dim())
	}
	if dim > len(s.V) {
		if err := p.Run.Reserve("the weights", 16*float64(dim), "hash the coordinates to fewer"); err != nil {
			return err
		}
		s.V, s.Sum = grown(s.V, dim), grown(s.Sum, dim)
	}
	s.Step++
	t := float64(s.Step)
	if s.Step > 1 { // the first step forgets w, which is 0
		s.Scale *= 1 - 1/t
	}
	for i, x := range b.wrong {
		s.add(x, b.factor[i]/(p.Lambda*t*float64(b.rows)*s.Scale), p.Unit)
	}
	s.MaxWeight = max(s.MaxWeight, b.largest)
	if length := s.Scale * math.Sqrt(s.Norm2); p.Project && length > math.Sqrt(s.MaxWeight/p.Lambda) && s.MaxWeight > 0 {
		shrink := math.Sqrt(s.MaxWeight/p.Lambda) / length
		s.Scale *= shrink
		s.Shrunk *= shrink
	}
	s.Spread += t * s.Scale
	s.Total += t
	if s.Scale < leastScale || s.Shrunk < leastShrunk {
		s.rescale()
	}
	s.Row += int64(b.rows)
	s.Loss += b.loss
	s.Positive += b.positive
	s.Negative += b.negative
	*b = batch{recipe: p, state: s, wrong: b.wrong[:0], factor: b.factor[:0]}
	if s.Norm2-s.Norm2 != 0 || s.Spread-s.Spread != 0 {
		return errPegasosOverflow
	}
	return nil
}

var errPegasosOverflow = errors.New("pegasos: the weights overflow; scale the data down or raise lambda")

// grown returns v with zeros up to a dimension, and room for more.
func grown(v []float64, dim int) []float64 {
	return append(v, make([]float64, dim-len(v))...)
}
