package model

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Pulls returns the score of one of the outputs for a row, as a sum over landmarks; see
// Pipeline.Pulls.
func (m *Model) Pulls(ctx context.Context, x *Encoded, row, output int) (*Pulls, error) {
	return m.rows.pulls(ctx, x, row, output)
}

// Similarities returns the cosines K(x, y)/√(K(x, x)·K(y, y)) of one row with all of
// others, in the kernel of the model; of a blend their mean over the parts by weight.
// A model without a kernel has that of the coordinates themselves.
func (m *Model) Similarities(ctx context.Context, ctl run.Control, x *Encoded, row int, others *Encoded) (
	[]float64, error) {
	return m.rows.similarities(ctx, ctl, x, row, others)
}

// Landmarks returns the landmarks or support vectors of a part of the model, from 0, of
// which a model that is no blend has one; nil where it has none.
func (m *Model) Landmarks(part int) *Encoded { return m.rows.landmarks(part) }

// PartCount returns how many pipelines a blend is of, 1 of a model that is none.
func (m *Model) PartCount() int { return m.rows.partCount() }

// Same reports whether two rows are one instance: no kernel tells them apart.
func (m *Model) Same(a *Encoded, i int, b *Encoded, j int) bool { return m.rows.same(a, i, b, j) }

// Pick returns some of the rows.
func (m *Model) Pick(x *Encoded, index []int) (*Encoded, error) { return m.rows.pick(x, index) }

func (m encoded[T]) parts() []Part[T] {
	if m.p.Parts != nil {
		return m.p.Parts
	}
	return []Part[T]{{1, m.p}}
}

func (m encoded[T]) partCount() int { return len(m.parts()) }

func (m encoded[T]) pulls(ctx context.Context, x *Encoded, row, output int) (*Pulls, error) {
	src, err := m.join([]*Encoded{x})
	if err != nil {
		return nil, err
	}
	return m.p.Pulls(ctx, src.At(row), output)
}

func (m encoded[T]) landmarks(part int) *Encoded {
	mapping := m.parts()[part].Map
	if v, ok := mapping.(Votes[T]); ok {
		mapping = v.Inner
	}
	z := landmarksOf(mapping)
	if z == nil {
		return nil
	}
	return &Encoded{rows: z.Dim(), x: z.Instances()}
}

func (m encoded[T]) same(a *Encoded, i int, b *Encoded, j int) bool {
	x, okX := a.x.(data.Source[T])
	y, okY := b.x.(data.Source[T])
	return okX && okY && columnerOf[T](m.e).equal(x.At(i), y.At(j))
}

func (m encoded[T]) pick(x *Encoded, index []int) (*Encoded, error) {
	src, err := m.join([]*Encoded{x})
	if err != nil {
		return nil, err
	}
	return &Encoded{rows: len(index), x: data.Source[T](data.Subset[T]{Of: src, Index: index})}, nil
}

// kernelOf returns the kernel of a pipeline, or that of the coordinates themselves.
func kernelOf[T any](p *Pipeline[T]) (kernel.Kernel[T], error) {
	if p.Kernel != nil {
		return p.Kernel, nil
	}
	if k, ok := any(kernel.Linear{}).(kernel.Kernel[T]); ok {
		return k, nil
	}
	return nil, fmt.Errorf("the model has no kernel to compare rows by")
}

func (m encoded[T]) similarities(ctx context.Context, ctl run.Control, x *Encoded, row int, others *Encoded) (
	[]float64, error) {
	one, err := m.join([]*Encoded{x})
	if err != nil {
		return nil, err
	}
	many, err := m.join([]*Encoded{others})
	if err != nil {
		return nil, err
	}
	out, all := make([]float64, many.Len()), 0.0
	for _, part := range m.parts() {
		all += part.Weight
	}
	for _, part := range m.parts() {
		k, err := kernelOf(part.Pipeline)
		if err != nil {
			return nil, err
		}
		if err := addCosines(ctx, ctl, out, part.Weight/all, k, one.At(row), many); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addCosines adds the cosines of x with all of y, times a weight.
func addCosines[T any](
	ctx context.Context, ctl run.Control, out []float64, weight float64, k kernel.Kernel[T], x T, y data.Source[T],
) error {
	columns, self, rows := gram.Bind(k, data.Source[T](data.Slice[T]{x})), kernel.Diag(k, x), feature.BlockRows(1)
	return par.For(ctx, ctl.Quiet(), "", par.Blocks(y.Len(), rows), func(i int) error {
		lo, hi := par.Range(i, y.Len(), rows)
		value := make([]float64, hi-lo)
		if err := columns.Tile(value, data.Range[T]{Of: y, Lo: lo, Hi: hi}, lo); err != nil {
			return err
		}
		ctl.Counter.Add(int64(hi - lo))
		for j, v := range value {
			out[lo+j] += float64(weight * cosine(v, self, kernel.Diag(k, y.At(lo+j))))
		}
		return nil
	})
}
