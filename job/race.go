package job

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// arm is a way to a model: a view of the rows, a kernel, a map and a learner.
type arm struct {
	family string // what it is of: arms of one family and view differ in their width
	view   int
	name   string // for people
	stage  string // what progress says in its place; empty for the name
	recipe model.Recipe[data.Vector]
	whole  model.Learner // of the fit to all rows; nil for that of the recipe
	ridge  bool          // its penalties are μ of (K + μI)α = y, else those of the learner
	grid   []float64     // penalties, from that of the simplest model on
	from   int           // place in grid of the one that is tried first
	width  float64       // of the kernel, in median distances; 0 for none

	// learn makes the kernel from the rows that the arm is fitted to; nil for one
	// that is given.
	learn learnFunc

	// What the race found out.
	at     int          // place in grid of the best penalty
	loss   float64      // at that penalty, on the rows measured on: what arms are compared by
	told   float64      // loss by the criterion of choices, for people
	error  float64      // part of the rows, or the root of the mean square of numbers
	scores *data.Matrix // of these rows
	kernel kernel.Kernel[data.Vector]
	rows   int // that it was fitted to

	before     float64 // error in the first rung, 0 where it had none
	beforeRows int
}

// learnFunc makes a kernel from rows.
type learnFunc func(
	ctx context.Context, ctl run.Control, s model.Sample[data.Vector],
) (kernel.Kernel[data.Vector], error)

// penalty is the learner's own for a sample.
func (a *arm) penalty(v float64, s model.Sample[data.Vector]) float64 {
	if !a.ridge {
		return v
	}
	sum := float64(s.Len())
	if s.Weight != nil {
		sum = 0
		for _, w := range s.Weight {
			sum += w
		}
	}
	return v / 2 / max(sum, math.SmallestNonzeroFloat64)
}

// division says which rows of a sample arms are fitted to and which they are
// measured on.
type division struct{ fit, measure []int }

// rung is one or several divisions of the same rows.
type rung struct {
	parts  []division
	rows   int // fitted to
	sample int // measured on
}

func newRung(parts ...division) rung {
	r := rung{parts: parts}
	for _, d := range parts {
		r.rows = max(r.rows, len(d.fit))
		r.sample += len(d.measure)
	}
	return r
}

// Sizes up to which all rows are folded.
const (
	repeatedRows = 300  // that are folded several times over
	foldedRows   = 1000 // that are folded in the first rung
	repeats      = 3
	folds        = 5
	secondFolds  = 4
)

// divide returns the rungs of a race on a sample.
func divide(s model.Sample[data.Vector], size rungs, sd uint64) (first, second rung, err error) {
	n := s.Len()
	if n <= foldedRows {
		times := 1
		if n <= repeatedRows {
			times = repeats
		}
		both, err := folded(s, folds, times, sd)
		return both, both, err
	}
	spare := max(int(model.HeldOutPart*float64(n)), n-size.second) // that no arm is fitted to
	part := float64(min(size.measure, spare)) / float64(n)
	rest, held := s.Split(part, seed.Derive(sd, seed.SearchHeldOut))
	some := func(rows int) []int {
		if len(rest) <= rows {
			return rest
		}
		_, few := s.Select(rest).Split(float64(rows)/float64(len(rest)), seed.Derive(sd, seed.SearchSample))
		return selected(rest, few)
	}
	first = newRung(division{some(size.first), held})
	if n <= size.second+size.second/secondFolds {
		second, err = folded(s, secondFolds, 1, sd)
		return first, second, err
	}
	return first, newRung(division{some(size.second), held}), nil
}

// folded returns the divisions of a cross-validation.
func folded(s model.Sample[data.Vector], k, times int, sd uint64) (rung, error) {
	f := eval.Folds{K: max(2, min(k, s.Len())), Repeats: times, Seed: sd}
	all, err := f.Plain(s.Len())
	if s.Task != model.Regress {
		all, err = f.Stratified(s.Y)
	}
	if err != nil {
		return rung{}, err
	}
	var parts []division
	for _, d := range all {
		parts = append(parts, division{d.Train(), d.Test})
	}
	return newRung(parts...), nil
}

// measured returns the rows that a rung measures on, one after the other.
func measured(s model.Sample[data.Vector], r rung) model.Sample[data.Vector] {
	var index []int
	for _, d := range r.parts {
		index = append(index, d.measure...)
	}
	return s.Select(index)
}

// outputs is how many scores a row has.
func outputs(s model.Sample[data.Vector]) int {
	if s.Task == model.Regress {
		return 1
	}
	return s.Classes.Len()
}

// absent is the score of a class that the rows fitted to do not have.
const absent = -1

// place puts scores of some rows among those of all, by the names of classes.
func place(all *data.Matrix, first int, some *data.Matrix, of, among data.Classes) {
	for i := range some.Rows {
		row := all.Row(first + i)
		if of.Len() == among.Len() {
			copy(row, some.Row(i))
			continue
		}
		for j := range row {
			row[j] = absent
		}
		for c, v := range some.Row(i) {
			if j, ok := among.Index(of.Names[c]); ok {
				row[j] = v
			}
		}
	}
}

// judge compares scores of rows. Of numbers it goes by the criterion of choices, such as
// the root of the mean squared error. Of classes it adds the criterion, such as the part of the rows
// that are wrong, to the mean squared distance of the scores from +1 and -1, each as a part of
// what it is without a model: the first is what counts, the second says more of few rows. Where
// bySquares holds it is the second alone.
type judge struct {
	on          model.Sample[data.Vector]
	lost, apart float64 // without a model
	squared     bool    // by squares alone
}

// bySquares reports rows to choose on that are so few that a count of errors would choose by chance:
// of a hundred it moves in steps of a hundredth, and arms differ by less.
func bySquares(s model.Sample[data.Vector]) bool {
	return s.Task != model.Regress && s.Len() <= foldedRows && (s.By == "" || s.By == eval.ByError)
}

func newJudge(on model.Sample[data.Vector], squared bool) judge {
	j := judge{on: on, lost: 1, apart: 1, squared: squared}
	if on.Task == model.Regress {
		return j
	}
	share := make([]float64, on.Classes.Len())
	for _, c := range on.Y {
		share[c] += 1 / float64(len(on.Y))
	}
	flat := data.NewMatrix(on.Len(), len(share))
	for i := range flat.Rows {
		for c, p := range share {
			flat.Row(i)[c] = 2*p - 1
		}
	}
	j.lost, j.apart = max(on.Loss(flat), 1e-9), max(j.squares(flat), 1e-9)
	return j
}

// loss is what arms are compared by.
func (j judge) loss(scores *data.Matrix) float64 {
	if j.on.Task == model.Regress {
		return j.on.Loss(scores)
	}
	return j.both(scores, scores)
}

// both is the loss in classes whose squares are those of other scores.
func (j judge) both(scores, signs *data.Matrix) float64 {
	apart := j.squares(signs) / j.apart
	if j.squared {
		return apart
	}
	return j.on.Loss(scores)/j.lost + apart
}

// lossOf is loss for the scores of an arm. Those of an svm of pairs are votes, and say
// nothing of how far a row is from the others; those of a logistic model are log odds.
func (j judge) lossOf(a *arm, scores *data.Matrix) float64 {
	switch {
	case j.on.Task != model.Classify || a.ridge || a.family == linearKernel:
	case a.family == model.LearnerLogistic:
		return j.both(scores, odds(scores))
	default:
		return 2 * j.on.Loss(scores) / j.lost
	}
	return j.loss(scores)
}

// odds turns log odds s into the expected sign, tanh(s/2).
func odds(scores *data.Matrix) *data.Matrix {
	out := data.NewMatrix(scores.Rows, scores.Cols)
	for i, v := range scores.Data {
		out.Data[i] = math.Tanh(v / 2)
	}
	return out
}

// squares is the mean squared distance of scores from +1 of the class and -1 of others.
func (j judge) squares(scores *data.Matrix) float64 {
	sum, total := 0.0, 0.0
	for i, y := range j.on.Y {
		w := 1.0
		if j.on.Weight != nil {
			w = j.on.Weight[i]
		}
		total += w * float64(scores.Cols)
		for c, v := range scores.Row(i) {
			want := -1.0
			if c == y {
				want = 1
			}
			sum += w * (v - want) * (v - want)
		}
	}
	return sum / max(total, math.SmallestNonzeroFloat64)
}
