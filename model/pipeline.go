// Package model holds the pipeline that a training returns, and its file.
//
// A pipeline is a map into features and a linear separator a class. A kernel
// machine is one as well: its features are the similarities to its support
// vectors and its weights are their coefficients. So is a boosted model: its
// features are the votes of its rules. So one form serves all learners, in
// memory and in files. A blend is several pipelines whose scores are added up.
package model

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Pipeline is a trained model of instances of type T: instance → features →
// scores → label, or number. It is immutable once built and safe for concurrent
// use.
type Pipeline[T any] struct {
	Kernel kernel.Kernel[T] // nil where the features are the coordinates themselves, and in a blend
	Map    feature.Map[T]
	Parts  []Part[T] // of a blend, else nil
	Head

	folded *folded[T] // the separators by similarities to landmarks, where that is cheaper; else nil
}

// NewPipeline puts a pipeline together of parts that come from elsewhere than a
// training. It reports those that do not fit together.
func NewPipeline[T any](k kernel.Kernel[T], m feature.Map[T], h Head) (*Pipeline[T], error) {
	p := &Pipeline[T]{Kernel: k, Map: m, Head: h}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, p.take(p.Separators, p.Bias, p.Unit, p.Pairs, m.Dim())
}

// take gives the pipeline its separators, for its map.
func (p *Pipeline[T]) take(separators *data.Matrix, bias []float64, unit float64, pairs []int, dim int) error {
	p.folded = nil
	if err := p.Head.take(separators, bias, unit, pairs, dim); err != nil {
		return err
	}
	if _, sparse := p.Map.(feature.Sparse[T]); !sparse && !isIdentity(p.Map) {
		p.packed = p.pack()
	}
	p.folded = p.fold()
	return nil
}

// Validate reports parts that do not fit together.
func (p *Pipeline[T]) Validate() error {
	if p.Map == nil {
		return errMissing
	}
	if p.Parts != nil {
		return p.validateParts()
	}
	return p.validate(p.Map.Dim())
}

// Scores sets dst to the scores of x, one an output. The label is the class
// with the largest score, unless a calibration says otherwise: Decide.
func (p *Pipeline[T]) Scores(dst []float64, x T) {
	raw := make([]float64, len(p.Bias))
	p.raw(raw, x)
	p.spread(dst, raw)
}

// raw sets dst to the products of the features of x with the separators' weights.
func (p *Pipeline[T]) raw(dst []float64, x T) {
	if p.Parts != nil {
		one := make([]float64, len(dst))
		clear(dst)
		for _, part := range p.Parts {
			part.raw(one, x)
			part.addTo(dst, one)
		}
		return
	}
	if p.folded != nil {
		p.folded.one(dst, x)
		return
	}
	if v, ok := any(x).(data.Vector); ok && isIdentity(p.Map) {
		p.products(dst, v)
		return
	}
	if m, ok := p.Map.(feature.Sparse[T]); ok {
		row := make([]data.Vector, 1)
		m.MapSparseBlock(row, data.Slice[T]{x})
		p.products(dst, row[0])
		return
	}
	features := make([]float64, p.Map.Dim())
	p.Map.MapTo(features, x)
	p.pack().mul(dst, features, 1)
}

// Predict returns the label of x; of a model of numbers, the number as text.
func (p *Pipeline[T]) Predict(x T) string {
	scores := make([]float64, p.Outputs())
	p.Scores(scores, x)
	return p.Label(scores)
}

// Value returns the number that a model of numbers predicts for x.
func (p *Pipeline[T]) Value(x T) float64 {
	scores := make([]float64, p.Outputs())
	p.Scores(scores, x)
	return scores[0]
}

// features maps all instances. Without a map they are the vectors themselves.
func (p *Pipeline[T]) features(
	ctx context.Context, ctl run.Control, x data.Source[T],
) (data.Source[data.Vector], error) {
	if isIdentity(p.Map) {
		return any(x).(data.Source[data.Vector]), nil
	}
	if m, ok := p.Map.(feature.Sparse[T]); ok {
		return feature.ApplySparse(ctx, ctl, m, x)
	}
	return feature.Apply(ctx, ctl, p.Map, x)
}

// scoreRows is how many instances are mapped and scored together.
const scoreRows = 84

// ScoreAll returns the scores of all instances of x, a row each, without
// keeping their features.
func (p *Pipeline[T]) ScoreAll(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	out := data.NewMatrix(x.Len(), p.Outputs())
	err := p.blocks(ctx, ctl, "predict", x, nil, func(first int, raw *data.Matrix, _ []float64) {
		for i := range raw.Rows {
			p.spread(out.Row(first+i), raw.Row(i))
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// blocks maps the instances, a few together, and hands over the products of their
// features with the separators' weights, without the biases, and, where lengths is
// not nil, their squared lengths. Each instance is mapped once; blocks are used by
// several goroutines at a time, and raw may be changed.
func (p *Pipeline[T]) blocks(
	ctx context.Context, ctl run.Control, task string, x data.Source[T], lengths lengthsOf[T],
	use func(first int, raw *data.Matrix, squares []float64),
) error {
	n, rows := x.Len(), scoreRows
	if _, sparse := p.Map.(feature.Sparse[T]); !sparse {
		rows = min(rows, feature.BlockRows(p.Map.Dim()))
	}
	return par.For(ctx, ctl, task, par.Blocks(n, rows), func(i int) error {
		lo, hi := par.Range(i, n, rows)
		raw, block := data.NewMatrix(hi-lo, len(p.Bias)), data.Range[T]{Of: x, Lo: lo, Hi: hi}
		features, err := p.rawBlock(ctx, ctl, raw, block, lengths != nil)
		if err != nil {
			return Moved(err, lo)
		}
		for i := range raw.Rows {
			for c, v := range raw.Row(i) {
				if v += p.Bias[c] * p.Unit; v-v != 0 {
					return &learn.DataError{Row: lo + i, Problem: "its score is not finite; the row is too large for the model " +
						"(scale the data), or the model itself is at fault"}
				}
			}
		}
		var squares []float64
		if lengths != nil {
			squares = make([]float64, hi-lo)
			lengths(squares, block, features)
		}
		use(lo, raw, squares)
		return nil
	})
}

// Moved adds to the row that an error of mapping or scoring is about, for rows that
// are a part of others; any other error stays as it is.
func Moved(err error, by int) error {
	var value *gram.ValueError
	var wide *feature.RowError
	var row *learn.DataError
	switch {
	case errors.As(err, &value):
		return &gram.ValueError{Row: value.Row + by, Col: value.Col, Value: value.Value}
	case errors.As(err, &wide):
		return &feature.RowError{Row: wide.Row + by, Problem: wide.Problem}
	case errors.As(err, &row):
		return &learn.DataError{Row: row.Row + by, Problem: row.Problem}
	}
	return err
}

// RowOf returns the row that an error of mapping or scoring is about, from 0; false for
// any other error.
func RowOf(err error) (int, bool) {
	var value *gram.ValueError
	var wide *feature.RowError
	var row *learn.DataError
	switch {
	case errors.As(err, &value):
		return value.Row, true
	case errors.As(err, &wide):
		return wide.Row, true
	case errors.As(err, &row):
		return row.Row, true
	}
	return 0, false
}

// lengthsOf sets dst to the squared lengths of a few instances, given their
// features; of a blend those of each part.
type lengthsOf[T any] func(dst []float64, x data.Source[T], features []data.Source[data.Vector])

// rawBlock sets the rows of raw to the products of a few instances' features
// with the separators' weights, and returns the features where they are wanted, of a blend
// those of each part. Without a map the separators meet the vectors as they are stored, dense or
// sparse.
func (p *Pipeline[T]) rawBlock(
	ctx context.Context, ctl run.Control, raw *data.Matrix, x data.Source[T], wanted bool,
) ([]data.Source[data.Vector], error) {
	if p.Parts != nil {
		return p.rawBlockOfParts(ctx, ctl, raw, x, wanted)
	}
	if vectors, ok := any(x).(data.Source[data.Vector]); ok && isIdentity(p.Map) {
		for i := range vectors.Len() {
			p.products(raw.Row(i), vectors.At(i))
		}
		return []data.Source[data.Vector]{vectors}, nil
	}
	ctl = ctl.Quiet()
	ctl.Workers = 1
	if p.folded != nil {
		return p.folded.block(ctx, ctl, raw, x, wanted)
	}
	if m, ok := p.Map.(feature.Sparse[T]); ok {
		features, err := feature.ApplySparse(ctx, ctl, m, x)
		if err != nil {
			return nil, err
		}
		for i := range features.Len() {
			p.products(raw.Row(i), features.At(i))
		}
		return []data.Source[data.Vector]{features}, nil
	}
	features, err := p.featureBlock(ctx, ctl, x)
	if err != nil {
		return nil, err
	}
	p.pack().mul(raw.Data, features.Data, x.Len())
	return []data.Source[data.Vector]{features}, nil
}

// featureBlock returns the features of a few instances, where they lie if they are given as a matrix.
func (p *Pipeline[T]) featureBlock(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	if g, ok := any(p.Map).(given); ok {
		if rows, ok := any(x).(data.Range[data.Vector]); ok {
			if m, ok := rows.Of.(*data.Matrix); ok && m.Cols == g.width {
				return &data.Matrix{Rows: rows.Len(), Cols: m.Cols, Data: m.Data[rows.Lo*m.Cols : rows.Hi*m.Cols]}, nil
			}
		}
	}
	return feature.Apply(ctx, ctl, p.Map, x)
}

// given is the map of features that are there already, dense.
type given struct{ width int }

// Dim returns the number of features.
func (g given) Dim() int { return g.width }

// MapTo copies them.
func (g given) MapTo(dst []float64, x data.Vector) { x.CopyTo(dst) }
