package model

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
)

// LearnerNone is what a model that is a map alone has in the place of a learner.
const LearnerNone = "none"

// OfMap joins a map that a recipe fitted to the encoding that its instances were made by:
// a model that has features and predicts nothing. In its file it is a model of numbers
// whose weights are all 0.
func OfMap[T any](r Recipe[T], m feature.Map[T], e *dataset.Encoding, kind Kind[T]) (*Model, error) {
	p := &Pipeline[T]{Kernel: r.Kernel, Map: m, Head: Head{Task: Regress, Learner: LearnerNone}}
	if isRaw(r.Map) {
		p.Kernel = nil
	}
	if err := p.take(data.NewMatrix(1, m.Dim()), make([]float64, 1), 0, nil, m.Dim()); err != nil {
		return nil, err
	}
	return NewModel(p, e, kind), nil
}

// Predicts reports whether the model is more than a map into features.
func (p *Head) Predicts() bool { return p.Learner != LearnerNone }
