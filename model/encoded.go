package model

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/run"
)

// Encoded are rows of which a model has made its instances, ready to be scored
// together with others. It is immutable and safe for concurrent use.
type Encoded struct {
	rows int
	x    any // data.Source[T] of the model's instances
}

// NewEncoded returns instances that the encoding of a model has made already.
func NewEncoded[T any](x data.Source[T]) *Encoded { return &Encoded{rows: x.Len(), x: x} }

// Len returns the number of rows.
func (e *Encoded) Len() int { return e.rows }

// Encode makes instances of rows.
func (m *Model) Encode(r *dataset.Rows) (*Encoded, error) {
	x, err := m.rows.encode(r)
	if err != nil {
		return nil, err
	}
	return &Encoded{rows: r.Len(), x: x}, nil
}

// ScoreEncoded returns the scores of several parts, which this model has encoded, one
// after the other, as one product. The scores of a row are those that Scores gives it,
// bit for bit, whatever rows are beside it.
func (m *Model) ScoreEncoded(ctx context.Context, ctl run.Control, parts ...*Encoded) (*data.Matrix, error) {
	return m.rows.scoreEncoded(ctx, ctl, parts)
}

// FeaturesEncoded returns the features of parts, as ScoreEncoded does the scores.
func (m *Model) FeaturesEncoded(ctx context.Context, ctl run.Control, parts ...*Encoded) (*data.Matrix, error) {
	return m.rows.featuresEncoded(ctx, ctl, parts)
}

// Width returns how many coordinates the vectors have that the model looks at: one
// past the largest. It is 0 where instances are no vectors, or the map does not say.
func (m *Model) Width() int {
	if w := m.Encoding.Width(); w > 0 {
		return w
	}
	return m.rows.width()
}

func (m encoded[T]) encode(r *dataset.Rows) (any, error) {
	d, err := dataset.Decode[T](m.e, r)
	if err != nil {
		return nil, err
	}
	return d.X, nil
}

// join returns the instances of all parts as one source.
func (m encoded[T]) join(parts []*Encoded) (data.Source[T], error) {
	n := 0
	for _, part := range parts {
		if _, ok := part.x.(data.Source[T]); !ok {
			return nil, fmt.Errorf("rows that a model of another kind has encoded")
		}
		n += part.rows
	}
	if len(parts) == 1 {
		return parts[0].x.(data.Source[T]), nil
	}
	all := make(data.Slice[T], 0, n)
	for _, part := range parts {
		x := part.x.(data.Source[T])
		for i := range x.Len() {
			all = append(all, x.At(i))
		}
	}
	return all, nil
}

func (m encoded[T]) scoreEncoded(ctx context.Context, ctl run.Control, parts []*Encoded) (*data.Matrix, error) {
	x, err := m.join(parts)
	if err != nil {
		return nil, err
	}
	return m.p.ScoreAll(ctx, ctl, x)
}

func (m encoded[T]) featuresEncoded(ctx context.Context, ctl run.Control, parts []*Encoded) (*data.Matrix, error) {
	x, err := m.join(parts)
	if err != nil {
		return nil, err
	}
	return feature.Apply(ctx, ctl, m.p.Map, x)
}

func (m encoded[T]) width() int {
	if m.p.Parts == nil {
		return widthOf(m.p)
	}
	most := 0
	for _, part := range m.p.Parts {
		w := widthOf(part.Pipeline)
		if w == 0 {
			return 0
		}
		most = max(most, w)
	}
	return most
}

// widthOf returns the width of the vectors that a pipeline looks at, 0 where that is
// not known.
func widthOf[T any](p *Pipeline[T]) int {
	m := p.Map
	if v, ok := m.(Votes[T]); ok {
		m = v.Inner
	}
	if isIdentity(m) {
		return m.Dim()
	}
	if landmarks := landmarksOf(m); landmarks != nil {
		if x, ok := any(landmarks.Instances()).(data.Source[data.Vector]); ok {
			return data.Dim(x)
		}
	}
	if w, ok := m.(interface{ Width() int }); ok {
		return w.Width()
	}
	return 0
}
