// Package model holds the pipeline that a training returns, and its file.
//
// A pipeline is a map into features and a linear separator a class. A kernel
// machine is one as well: its features are the similarities to its support
// vectors and its weights are their coefficients. So one form serves all
// learners, in memory and in files.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Pipeline is a trained model: instance → features → scores → label. It is
// immutable once built and safe for concurrent use.
//
// With two classes there is one separator, whose positive side is class 1; with
// more there is one a class, and the largest score wins.
type Pipeline[T any] struct {
	Kernel     kernel.Kernel[T] // nil where the features are the coordinates themselves
	Map        feature.Map[T]
	Classes    data.Classes
	Separators *data.Matrix // weights, one separator a row
	Bias       []float64    // weight of the constant coordinate, one a separator
	Unit       float64      // value of the constant coordinate; 0 where there is none
	Learner    string       // name of the learner, for people
	Schema     json.RawMessage
	Trained    json.RawMessage // what training reported, for people
}

// Validate reports parts that do not fit together.
func (p *Pipeline[T]) Validate() error {
	var faults []error
	k := p.Classes.Len()
	want := k
	if k == 2 {
		want = 1
	}
	if k < 2 {
		faults = append(faults, fmt.Errorf("there are %d classes and there must be at least 2", k))
	}
	if p.Map == nil || p.Separators == nil {
		return errors.Join(append(faults, errors.New("the map or the separators are missing"))...)
	}
	if p.Separators.Rows != want || len(p.Bias) != want {
		faults = append(faults, fmt.Errorf("there are %d separators and %d biases for %d classes", p.Separators.Rows, len(p.Bias), k))
	}
	if p.Separators.Cols != p.Map.Dim() {
		faults = append(faults, fmt.Errorf("the separators have %d weights and the map has %d features", p.Separators.Cols, p.Map.Dim()))
	}
	return errors.Join(faults...)
}

// Scores sets dst[c] to the score of class c. The label is the class with the
// largest score.
func (p *Pipeline[T]) Scores(dst []float64, x T) {
	features := make([]float64, p.Map.Dim())
	p.Map.MapTo(features, x)
	p.spread(dst, data.Dense(features...).DotWith)
}

// spread sets dst to the scores of all classes, given the inner product of the
// features with a separator's weights.
func (p *Pipeline[T]) spread(dst []float64, dot func(w []float64) float64) {
	for c := range p.Separators.Rows {
		dst[c] = dot(p.Separators.Row(c)) + p.Bias[c]*p.Unit
	}
	if p.Classes.Len() == 2 {
		dst[0], dst[1] = -dst[0], dst[0]
	}
}

// Predict returns the label of x.
func (p *Pipeline[T]) Predict(x T) string {
	scores := make([]float64, p.Classes.Len())
	p.Scores(scores, x)
	return p.Classes.Names[Best(scores)]
}

// Best returns the class with the largest score. Between two classes that tie
// the second wins, because Blum's separators call w·x ≥ 0 positive; among more
// the first wins.
func Best(scores []float64) int {
	if len(scores) == 2 && scores[1] >= scores[0] {
		return 1
	}
	best := 0
	for c, s := range scores {
		if s > scores[best] {
			best = c
		}
	}
	return best
}

// features maps all instances. Without a map they are the vectors themselves.
func (p *Pipeline[T]) features(ctx context.Context, ctl run.Control, x data.Source[T]) (data.Source[data.Vector], error) {
	if _, plain := any(p.Map).(feature.Identity); plain {
		return any(x).(data.Source[data.Vector]), nil
	}
	return feature.Apply(ctx, ctl, p.Map, x)
}

// scoreRows is how many instances are mapped and scored together.
const scoreRows = 84

// ScoreAll returns the scores of all instances of x, a row each, without
// keeping their features.
func (p *Pipeline[T]) ScoreAll(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	n := x.Len()
	out := data.NewMatrix(n, p.Classes.Len())
	err := par.For(ctx, ctl, "predict", par.Blocks(n, scoreRows), func(i int) error {
		lo, hi := par.Range(i, n, scoreRows)
		return p.scoreBlock(ctx, ctl, out, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// scoreBlock scores a few instances into the rows of out from first on. Without
// a map the separators meet the vectors as they are stored, dense or sparse.
func (p *Pipeline[T]) scoreBlock(ctx context.Context, ctl run.Control, out *data.Matrix, x data.Source[T], first int) error {
	vectors, ok := any(x).(data.Source[data.Vector])
	if _, plain := any(p.Map).(feature.Identity); plain && ok {
		for i := range vectors.Len() {
			p.spread(out.Row(first+i), vectors.At(i).DotWith)
		}
		return nil
	}
	ctl = ctl.Quiet()
	ctl.Workers = 1
	features, err := feature.Apply(ctx, ctl, p.Map, x)
	if err != nil {
		return err
	}
	for i := range x.Len() {
		p.spread(out.Row(first+i), features.At(i).DotWith)
	}
	return nil
}
