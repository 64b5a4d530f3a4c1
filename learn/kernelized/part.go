package kernelized

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// part is the solution of one of several problems that make a model together.
type part struct {
	index  []int     // instances of the part that have a weight, in order
	weight []float64 // of each
	bias   float64
	report learn.Report // without Elapsed; Evaluations are those of this run
}

// split returns the parts that the checkpoint tells of, nil without one.
func (m machine[T]) split(n int) (*learn.Parts, error) {
	if !m.checkpoint.On() {
		return nil, nil
	}
	return m.checkpoint.Split(learn.Mark(m.name, []float64{float64(m.iterations)}), n)
}

// solvePart solves problem i of several, from where the one before it on a path
// has ended, or takes over what a checkpoint knows of it.
func (m machine[T]) solvePart(
	ctx context.Context, parts *learn.Parts, i int, x data.Source[T], d *dual, warm *warmth[T],
) (*part, error) {
	var mark uint64
	m.checkpoint = Checkpoint{}
	if parts != nil {
		mark = d.fingerprint("part", m.tolerance, m.shrinks)
		if state, ok := parts.Result(i); ok {
			return decodePart(state, mark, d.n)
		}
		m.checkpoint = parts.At(i)
	}
	s, err := m.solveFrom(ctx, x, d, warm, i)
	if err != nil {
		return nil, err
	}
	p := &part{}
	p.index, p.weight, p.bias = s.expansion(s.dual.levels(s.scores)[0], 1)
	p.report = s.report
	if parts != nil && p.report.Status.Ended() {
		return p, parts.Finish(i, p.encode(mark))
	}
	return p, nil
}

// encode writes the part for a checkpoint.
func (p *part) encode(mark uint64) []byte {
	w := learn.NewState(mark)
	w.Bytes([]byte(p.report.Status))
	w.Ints(p.report.Iterations)
	w.Floats(p.report.Objective, p.report.Gap, p.bias)
	w.List(p.weight)
	w.Ints(p.index...)
	return w.Seal()
}

// decodePart reads a part of n instances.
func decodePart(state []byte, mark uint64, n int) (*part, error) {
	r := learn.OpenState(state, mark)
	p := &part{report: learn.Report{Status: learn.Status(r.Bytes()), Iterations: r.Int(math.MaxInt)}}
	p.report.Objective, p.report.Gap, p.bias = r.Float(), r.Float(), r.Float()
	p.weight = r.List(n)
	last := -1
	for range p.weight {
		at := r.Int(n - 1)
		if at <= last {
			return nil, learn.ErrState
		}
		p.index, last = append(p.index, at), at
	}
	if err := r.Done(); err != nil {
		return nil, err
	}
	if vmath.Finite(p.weight) >= 0 || p.bias-p.bias != 0 {
		return nil, learn.ErrState
	}
	p.report.Support = len(p.index)
	return p, nil
}
