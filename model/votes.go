package model

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/run"
)

// Votes is the map of a boosted model: the features of an instance, and then
// what each rule says of them.
type Votes[T any] struct {
	Inner feature.Map[T]
	Rules *boost.Votes
}

// Dim returns the number of rules.
func (m Votes[T]) Dim() int { return m.Rules.Dim() }

// MapTo writes the vote of each rule into dst.
func (m Votes[T]) MapTo(dst []float64, x T) {
	if v, ok := any(x).(data.Vector); ok && isIdentity(m.Inner) {
		m.Rules.MapTo(dst, v)
		return
	}
	features := make([]float64, m.Inner.Dim())
	m.Inner.MapTo(features, x)
	m.Rules.MapTo(dst, data.Vector{Value: features})
}

// MapBlock maps the instances of x into the rows of dst.
func (m Votes[T]) MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error {
	if v, ok := any(x).(data.Source[data.Vector]); ok && isIdentity(m.Inner) {
		return m.Rules.MapBlock(ctl, dst, v, first)
	}
	features := data.NewMatrix(x.Len(), m.Inner.Dim())
	if b, ok := m.Inner.(feature.Blocker[T]); ok {
		if err := b.MapBlock(ctl, features.Data, x, first); err != nil {
			return err
		}
	} else {
		for i := range x.Len() {
			m.Inner.MapTo(features.Row(i), x.At(i))
		}
	}
	return m.Rules.MapBlock(ctl, dst, features, first)
}

// unmapped reports a map whose features may be sparse.
func unmapped[T any](m feature.Map[T]) bool {
	_, sparse := m.(feature.Sparse[T])
	return sparse || isIdentity(m)
}

// isIdentity reports a map that leaves vectors as they are.
func isIdentity[T any](m feature.Map[T]) bool {
	_, plain := any(m).(feature.Identity)
	return plain
}
