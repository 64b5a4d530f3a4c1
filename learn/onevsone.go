package learn

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// OneVsOne learns many classes by a binary learner: for each pair of classes
// i < j it fits a separator of the rows of class i (+1) from those of class j
// (-1), on these rows alone, and predicts the class that wins most pairs (Knerr,
// Personnaz and Dreyfus 1990).
//
// The pairs are fitted in parallel, Run.Workers at a time, and the result is the
// same for any number of workers. Progress belongs in Run, which counts pairs; a
// Learner that reports its own would be heard from several goroutines at once.
// Cost: one fit of the Learner a pair, k(k-1)/2 of them, each on the rows of two
// classes.
type OneVsOne[T any, M Separator[T]] struct {
	Learner    Learner[T, float64, M]
	Classes    int        // at least 2
	Checkpoint Checkpoint // of all pairs, for a Learner that is a Keeper
	Run        run.Control
}

// Validate reports every fault of the recipe and of its Learner.
func (o OneVsOne[T, M]) Validate() error {
	return validateBinary("one versus one", o.Learner, o.Classes, o.Checkpoint)
}

// Fit learns from d, whose labels are class indices from 0 to Classes-1, each of
// which must occur. The report is the Merge of the pairs' reports with Elapsed
// the wall-clock time.
//
// When ctx ends while every pair has at least begun, the model is made of the
// best so far of each and the error is nil. When it ends before, there is no
// model: the report says Cancelled or TimeLimit and the error wraps the
// context's.
func (o OneVsOne[T, M]) Fit(ctx context.Context, d data.Labeled[T, int]) (*Voting[T, M], Report, error) {
	if err := o.Validate(); err != nil {
		return nil, Report{}, err
	}
	if err := CheckClasses(d.X.Len(), d.Y, d.Weight, o.Classes); err != nil {
		return nil, Report{}, err
	}
	members := Members(d.Y, o.Classes)
	all := each[T, M]{name: "one versus one", task: "pairs", learner: o.Learner, ctl: o.Run, checkpoint: o.Checkpoint,
		n: Pairs(o.Classes)}
	all.part = func(p int) (string, data.Labeled[T, float64]) {
		i, j := PairAt(p, o.Classes)
		index, y := Between(members, i, j)
		rows := d.Select(index)
		return fmt.Sprintf("class %d against class %d", i, j), data.Labeled[T, float64]{X: rows.X, Y: y, Weight: rows.Weight}
	}
	binary, report, err := all.fit(ctx)
	if err != nil {
		return nil, report, err
	}
	return &Voting[T, M]{classes: o.Classes, binary: binary}, report, nil
}

// Voting is a fitted model of many classes: a separator for each pair of them.
// It is immutable and safe for concurrent use.
type Voting[T any, M Scorer[T]] struct {
	classes int
	binary  []M
}

// NewVoting puts a model together from the separators of its pairs, in the order
// of PairAt. It keeps the slice.
func NewVoting[T any, M Scorer[T]](classes int, binary []M) (*Voting[T, M], error) {
	if classes < 2 || len(binary) != Pairs(classes) {
		return nil, fmt.Errorf("%d classes with %d separators; k classes, at least two, need k(k-1)/2", classes, len(binary))
	}
	return &Voting[T, M]{classes: classes, binary: binary}, nil
}

// Classes returns the number of classes.
func (v *Voting[T, M]) Classes() int { return v.classes }

// Binary returns the separators in the order of PairAt. The slice is the model's
// own.
func (v *Voting[T, M]) Binary() []M { return v.binary }

// Predict returns the class that wins most pairs, the smallest such class in a
// tie.
func (v *Voting[T, M]) Predict(x T) int {
	scores := make([]float64, len(v.binary))
	for p, b := range v.binary {
		scores[p] = b.Score(x)
	}
	return Vote(scores, v.classes)
}

// Pairs returns how many pairs the given number of classes have.
func Pairs(classes int) int { return classes * (classes - 1) / 2 }

// PairAt returns the classes of pair p, i < j, in the order (0, 1), (0, 2), …,
// (0, k-1), (1, 2), …
func PairAt(p, classes int) (i, j int) {
	for i = 0; p >= classes-1-i; i++ {
		p -= classes - 1 - i
	}
	return i, i + 1 + p
}

// Vote returns the class that wins most pairs, the smallest such class in a tie:
// pair (i, j) is won by i where its score is positive and by j elsewhere. The
// scores are in the order of PairAt.
func Vote(scores []float64, classes int) int {
	if len(scores) != Pairs(classes) {
		panic("learn: a vote needs one score a pair")
	}
	votes := make([]int, classes)
	p := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			if scores[p] > 0 {
				votes[i]++
			} else {
				votes[j]++
			}
			p++
		}
	}
	best := 0
	for k, v := range votes {
		if v > votes[best] {
			best = k
		}
	}
	return best
}

// Members returns the rows of each class, in order.
func Members(y []int, classes int) [][]int {
	members := make([][]int, classes)
	for i, c := range y {
		members[c] = append(members[c], i)
	}
	return members
}

// Between returns the rows of the classes i and j, in order, with labels +1 for
// i and -1 for j.
func Between(members [][]int, i, j int) (index []int, y []float64) {
	a, b := members[i], members[j]
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
			index, y, a = append(index, a[0]), append(y, 1), a[1:]
		} else {
			index, y, b = append(index, b[0]), append(y, -1), b[1:]
		}
	}
	return index, y
}
