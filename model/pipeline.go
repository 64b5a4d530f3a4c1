// Package model holds the pipeline that a training returns, and its file.
//
// A pipeline is a map into features and a linear separator a class. A kernel
// machine is one as well: its features are the similarities to its support
// vectors and its weights are their coefficients. So is a boosted model: its
// features are the votes of its rules. So one form serves all learners, in
// memory and in files.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/run"
)

// Pipeline is a trained model: instance → features → scores → label, or number.
// It is immutable once built and safe for concurrent use.
//
// With two classes there is one separator, whose positive side is class 1; with
// more there is one a class, and the largest score wins, or one a pair of
// classes (Pairs), and the class that wins most pairs does. A model of numbers
// has one separator, whose score is the number.
type Pipeline[T any] struct {
	Task        Task             // empty means Classify
	Kernel      kernel.Kernel[T] // nil where the features are the coordinates themselves
	Map         feature.Map[T]
	Classes     data.Classes
	Separators  *data.Matrix // weights, one separator a row
	Bias        []float64    // weight of the constant coordinate, one a separator
	Unit        float64      // value of the constant coordinate; 0 where there is none
	Pairs       []int        // of separators that stand for pairs of classes, in the order of learn.PairAt: the first feature of each class, and the number of features; else nil
	Calibration *calibrate.Calibration
	Conformal   []calibrate.Conformal // prediction sets, or intervals, at some coverages
	Learner     string                // name of the learner, for people
	Schema      json.RawMessage
	Trained     json.RawMessage // what training reported, for people

	packed *packed // the separators, ready for products; nil in a pipeline that was put together by hand
}

// Regresses reports whether the model predicts numbers.
func (p *Pipeline[T]) Regresses() bool { return p.Task == Regress }

// Outputs returns how many scores an instance has: one a class, or one.
func (p *Pipeline[T]) Outputs() int {
	if p.Regresses() {
		return 1
	}
	return p.Classes.Len()
}

// wanted returns how many separators the model must have.
func (p *Pipeline[T]) wanted() int {
	switch {
	case p.Regresses():
		return 1
	case p.Pairs != nil:
		return learn.Pairs(p.Classes.Len())
	}
	return learn.Separators(p.Classes.Len())
}

// Validate reports parts that do not fit together.
func (p *Pipeline[T]) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	k := p.Classes.Len()
	if p.Task != "" && p.Task != Classify && p.Task != Regress {
		fault("there is no task %q", p.Task)
	}
	if !p.Regresses() && k < 2 {
		fault("there are %d classes and there must be at least 2", k)
	}
	if p.Regresses() && (k > 0 || p.Pairs != nil || p.Calibration != nil) {
		fault("a model of numbers has no classes and no probabilities")
	}
	if p.Map == nil || p.Separators == nil {
		return errors.Join(append(faults, errors.New("the map or the separators are missing"))...)
	}
	if want := p.wanted(); p.Separators.Rows != want || len(p.Bias) != want {
		fault("there are %d separators and %d biases for %d classes", p.Separators.Rows, len(p.Bias), k)
	}
	if p.Pairs != nil && !rising(p.Pairs, k, p.Map.Dim()) {
		fault("the features are not divided among %d classes", k)
	}
	if p.Separators.Cols != p.Map.Dim() {
		fault("the separators have %d weights and the map has %d features", p.Separators.Cols, p.Map.Dim())
	}
	if c := p.Calibration; c != nil {
		faults = append(faults, c.Validate())
		if c.Classes != k {
			fault("the calibration is for %d classes and there are %d", c.Classes, k)
		}
	}
	for i := range p.Conformal {
		c := &p.Conformal[i]
		faults = append(faults, c.Validate())
		if (c.Kind == calibrate.Residual) != p.Regresses() {
			fault("conformal prediction by %s does not go with the task", c.Kind)
		}
		if !p.Regresses() && p.Calibration == nil {
			fault("prediction sets need probabilities")
		}
	}
	return errors.Join(faults...)
}

// Scores sets dst to the scores of x, one an output. The label is the class
// with the largest score, unless a calibration says otherwise: Decide.
func (p *Pipeline[T]) Scores(dst []float64, x T) {
	raw := make([]float64, p.Separators.Rows)
	if v, ok := any(x).(data.Vector); ok && isIdentity(p.Map) {
		p.products(raw, v)
	} else {
		features := make([]float64, p.Map.Dim())
		p.Map.MapTo(features, x)
		p.pack().mul(raw, features, 1)
	}
	p.spread(dst, raw)
}

// products sets raw to the products of a vector with the separators, in time
// proportional to its stored coordinates.
func (p *Pipeline[T]) products(raw []float64, v data.Vector) {
	for c := range raw {
		raw[c] = v.DotWith(p.Separators.Row(c))
	}
}

// spread sets dst to the scores of all outputs, given the products of the
// features with the separators' weights, which it changes.
func (p *Pipeline[T]) spread(dst, raw []float64) {
	for c := range raw {
		raw[c] += p.Bias[c] * p.Unit
	}
	switch k := p.Classes.Len(); {
	case p.Regresses():
		dst[0] = raw[0]
	case p.Pairs != nil:
		tally(dst, raw)
	case k == 2:
		dst[0], dst[1] = -raw[0], raw[0]
	default:
		copy(dst, raw)
	}
}

// tally sets dst to the pairs that each class wins, plus less than a half by how
// much it wins them: so the vote decides, and the sum of scores in a tie.
func tally(dst, pairs []float64) {
	k := len(dst)
	sure := make([]float64, k)
	clear(dst)
	for p, s := range pairs {
		i, j := learn.PairAt(p, k)
		sure[i] += s
		sure[j] -= s
		if s > 0 {
			dst[i]++
		} else {
			dst[j]++
		}
	}
	for c, s := range sure {
		dst[c] += s / (2.5 * (math.Abs(s) + 1))
	}
}

// Decide returns the class of an instance with the given scores: that of the
// largest probability where there is a calibration, and else, or by the same
// order, that of the largest score.
func (p *Pipeline[T]) Decide(scores []float64) int {
	if c := p.Calibration; c != nil && c.Method != calibrate.Softmax {
		probabilities := make([]float64, len(scores))
		c.Probabilities(probabilities, scores)
		return Best(probabilities)
	}
	return Best(scores)
}

// Predict returns the label of x; of a model of numbers, the number as text.
func (p *Pipeline[T]) Predict(x T) string {
	scores := make([]float64, p.Outputs())
	p.Scores(scores, x)
	if p.Regresses() {
		return strconv.FormatFloat(scores[0], 'g', -1, 64)
	}
	return p.Classes.Names[p.Decide(scores)]
}

// Value returns the number that a model of numbers predicts for x.
func (p *Pipeline[T]) Value(x T) float64 {
	scores := make([]float64, p.Outputs())
	p.Scores(scores, x)
	return scores[0]
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
	if isIdentity(p.Map) {
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
	out := data.NewMatrix(n, p.Outputs())
	err := par.For(ctx, ctl, "predict", par.Blocks(n, scoreRows), func(i int) error {
		lo, hi := par.Range(i, n, scoreRows)
		return p.scoreBlock(ctx, ctl, out, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// scoreBlock scores a few instances into the rows of out from first on.
func (p *Pipeline[T]) scoreBlock(ctx context.Context, ctl run.Control, out *data.Matrix, x data.Source[T], first int) error {
	raw := data.NewMatrix(x.Len(), p.Separators.Rows)
	if err := p.rawBlock(ctx, ctl, raw, x); err != nil {
		return err
	}
	for i := range x.Len() {
		p.spread(out.Row(first+i), raw.Row(i))
	}
	return nil
}

// rawBlock sets the rows of raw to the products of a few instances' features
// with the separators' weights. Without a map the separators meet the vectors as
// they are stored, dense or sparse.
func (p *Pipeline[T]) rawBlock(ctx context.Context, ctl run.Control, raw *data.Matrix, x data.Source[T]) error {
	if vectors, ok := any(x).(data.Source[data.Vector]); ok && isIdentity(p.Map) {
		for i := range vectors.Len() {
			p.products(raw.Row(i), vectors.At(i))
		}
		return nil
	}
	ctl = ctl.Quiet()
	ctl.Workers = 1
	features, err := feature.Apply(ctx, ctl, p.Map, x)
	if err != nil {
		return err
	}
	p.pack().mul(raw.Data, features.Data, x.Len())
	return nil
}

// rawAll returns the products of all instances' features with the separators'
// weights, without the biases.
func (p *Pipeline[T]) rawAll(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	n := x.Len()
	out := data.NewMatrix(n, p.Separators.Rows)
	err := par.For(ctx, ctl, "margins", par.Blocks(n, scoreRows), func(i int) error {
		lo, hi := par.Range(i, n, scoreRows)
		part := &data.Matrix{Rows: hi - lo, Cols: out.Cols, Data: out.Data[lo*out.Cols : hi*out.Cols]}
		return p.rawBlock(ctx, ctl, part, data.Range[T]{Of: x, Lo: lo, Hi: hi})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
