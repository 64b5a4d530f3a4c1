package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// Head is what comes after the features of a trained model: features → scores →
// label, or number. It is immutable once built and safe for concurrent use.
//
// With two classes there is one separator, whose positive side is class 1; with
// more there is one a class, and the largest score wins, or one a pair of
// classes (Pairs), and the class that wins most pairs does. A model of numbers
// has one separator, whose score is the number.
type Head struct {
	Task       Task // empty means Classify
	Classes    data.Classes
	Separators *data.Matrix // weights, one separator a row; nil in a blend, whose parts have theirs
	Bias       []float64    // weight of the constant coordinate, one a separator
	Unit       float64      // value of the constant coordinate; 0 where there is none
	// Pairs, of separators that stand for pairs of classes in the order of
	// learn.PairAt, are the first feature of each class and the number of features.
	Pairs []int
	// FirstWins, of Pairs, lets the first of the classes win that win most pairs, as
	// LIBSVM does; scores are the numbers of pairs alone. Otherwise the sums of the
	// separators' scores decide among them.
	FirstWins   bool
	Calibration *calibrate.Calibration
	Conformal   []calibrate.Conformal // prediction sets, or intervals, at some coverages
	Learner     string                // name of the learner, for people
	Trained     json.RawMessage       // what training reported, for people

	packed *packed // the separators, ready for products; nil in a head that was put together by hand
}

// Regresses reports whether the model predicts numbers.
func (p *Head) Regresses() bool { return p.Task == Regress }

// Outputs returns how many scores an instance has: one a class, or one.
func (p *Head) Outputs() int {
	if p.Regresses() {
		return 1
	}
	return p.Classes.Len()
}

// wanted returns how many separators the model must have.
func (p *Head) wanted() int {
	switch {
	case p.Regresses():
		return 1
	case p.Pairs != nil:
		return learn.Pairs(p.Classes.Len())
	}
	return learn.Separators(p.Classes.Len())
}

// validate reports parts that do not fit together, or a map of dim features.
func (p *Head) validate(dim int) error {
	faults := []error{p.validateOutputs()}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	k := p.Classes.Len()
	if p.Separators == nil {
		return errors.Join(append(faults, errMissing)...)
	}
	if want := p.wanted(); p.Separators.Rows != want || len(p.Bias) != want {
		fault("there are %d separators and %d biases for %d classes", p.Separators.Rows, len(p.Bias), k)
	}
	if p.FirstWins && p.Pairs == nil {
		fault("there are no pairs of classes that the first could win")
	}
	if p.Pairs != nil && !rising(p.Pairs, k, dim) {
		fault("the features are not divided among %d classes", k)
	}
	if p.Separators.Cols != dim {
		fault("the separators have %d weights and the map has %d features", p.Separators.Cols, dim)
	}
	return errors.Join(faults...)
}

// validateOutputs reports a task, classes, probabilities and sets that do not fit
// together.
func (p *Head) validateOutputs() error {
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

// products sets raw to the products of a vector with the separators, in time
// proportional to its stored coordinates.
func (p *Head) products(raw []float64, v data.Vector) {
	for c := range raw {
		raw[c] = v.DotWith(p.Separators.Row(c))
	}
}

// spread sets dst to the scores of all outputs, given the products of the
// features with the separators' weights, which it changes.
func (p *Head) spread(dst, raw []float64) {
	for c := range raw {
		raw[c] += p.Bias[c] * p.Unit
	}
	switch k := p.Classes.Len(); {
	case p.Regresses():
		dst[0] = raw[0]
	case p.Pairs != nil:
		tally(dst, raw, p.FirstWins)
	case k == 2:
		dst[0], dst[1] = -raw[0], raw[0]
	default:
		copy(dst, raw)
	}
}

// tally sets dst to the pairs that each class wins, plus less than a half by how
// much it wins them: so the vote decides, and the sum of scores in a tie. With first
// it is the pairs alone, and the first class that has as many wins.
func tally(dst, pairs []float64, first bool) {
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
	if first {
		return
	}
	for c, s := range sure {
		dst[c] += s / (2.5 * (math.Abs(s) + 1))
	}
}

// Decide returns the class of an instance with the given scores: that of the
// largest probability where there is a calibration, and else, or by the same
// order, that of the largest score.
func (p *Head) Decide(scores []float64) int {
	if c := p.Calibration; c != nil && c.Method != calibrate.Softmax {
		probabilities := make([]float64, len(scores))
		c.Probabilities(probabilities, scores)
		return Best(probabilities)
	}
	return Best(scores)
}

// Label returns the label of an instance with the given scores; of a model of
// numbers, the number as text.
func (p *Head) Label(scores []float64) string {
	if p.Regresses() {
		return strconv.FormatFloat(scores[0], 'g', -1, 64)
	}
	return p.Classes.Names[p.Decide(scores)]
}

// DecideAll returns the class of each row of scores.
func (p *Head) DecideAll(scores *data.Matrix) []int {
	out := make([]int, scores.Rows)
	for i := range out {
		out[i] = p.Decide(scores.Row(i))
	}
	return out
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

// take gives a head its separators, for a map of dim features. It reports those
// that do not go with what the head is.
func (p *Head) take(separators *data.Matrix, bias []float64, unit float64, pairs []int, dim int) error {
	if separators != nil && separators.Cols < dim {
		wide := data.NewMatrix(separators.Rows, dim)
		for i := range separators.Rows {
			copy(wide.Row(i), separators.Row(i))
		}
		separators = wide
	}
	p.Separators, p.Bias, p.Unit, p.Pairs, p.packed = separators, bias, unit, pairs, nil
	return p.validate(dim)
}

// errMissing reports a model that lacks a part.
var errMissing = errors.New("the map or the separators are missing")
