package job

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/model"
)

// Seen are test rows that also stand among the rows that were trained on, instance and label
// alike: what is right on them may be remembered and not learnt.
type Seen struct {
	Rows   int    `json:"rows"`
	Of     int    `json:"of"`     // test rows, without those of weight 0
	Others *Score `json:"others"` // on the other test rows; null where there are none
}

// String says how many they are, and what the others show.
func (s *Seen) String() string {
	text := fmt.Sprintf("%d of the %d test rows also stand among those trained on", s.Rows, s.Of)
	if s.Others == nil {
		return text + ": they say nothing about new rows"
	}
	return fmt.Sprintf("%s; without them %s", text, s.Others)
}

// findSeen finds the rows to test on that also stand among those to train on. Where a column
// is encoded by targets, rows to train on are encoded by those of other rows, and none is found.
func (t *training[T]) findSeen(ctx context.Context) error {
	v := t.tested
	if v == nil || t.choices.traits.Unsupervised || t.o.Read.Categories.OfTarget() {
		return nil
	}
	train := t.part.train
	there, err := t.digests(ctx, train.X, truth{y: train.Y, values: train.Values})
	if err != nil {
		return err
	}
	tested, err := t.digests(ctx, v.x, v.known)
	if err != nil {
		return err
	}
	known := make(map[uint64]bool, len(tested))
	for _, d := range tested {
		known[d] = false
	}
	for i, d := range there {
		if _, ok := known[d]; ok && (train.Weight == nil || train.Weight[i] > 0) {
			known[d] = true
		}
	}
	v.seen = make([]bool, len(tested))
	for i, d := range tested {
		v.seen[i] = known[d]
	}
	return nil
}

// digests are numbers for rows, alike for rows that are alike. That two others share
// one is as likely as to draw one of 2⁶⁴ numbers.
func (t *training[T]) digests(ctx context.Context, x data.Source[T], known truth) ([]uint64, error) {
	out := make([]uint64, x.Len())
	return out, par.For(ctx, t.o.Run.Quiet(), "", par.Blocks(len(out), dataset.PartRows), func(b int) error {
		lo, hi := par.Range(b, len(out), dataset.PartRows)
		for i := lo; i < hi; i++ {
			d := seed.DigestText(0, string(t.kind.Encode(data.Slice[T]{x.At(i)})))
			if known.values != nil {
				out[i] = seed.Digest(d, math.Float64bits(known.values[i]))
			} else {
				out[i] = seed.Digest(d, uint64(known.y[i])) // -1 is the class of no row that is trained on
			}
		}
		return nil
	})
}

// measureSeen measures the test rows that the model has not seen, where it has seen some.
func (t *training[T]) measureSeen(head *model.Head, m *Measured) (err error) {
	v, of := t.tested, 0
	var others []int
	for i, seen := range v.seen {
		if m.Weight != nil && !(m.Weight[i] > 0) {
			continue
		}
		if of++; !seen {
			others = append(others, i)
		}
	}
	if len(others) == of {
		return nil
	}
	s := &Seen{Rows: of - len(others), Of: of}
	t.out.Seen = s
	if len(others) == 0 {
		t.o.warn("%s: every test row also stands among the rows trained on, so the test says nothing about new rows; test "+
			"on others", v.rows.Name)
		return nil
	}
	known, scores := v.known.selected(others), data.NewMatrix(len(others), m.Scores.Cols)
	var weight []float64
	for k, i := range others {
		copy(scores.Row(k), m.Scores.Row(i))
	}
	if m.Weight != nil {
		weight = selected(m.Weight, others)
	}
	s.Others, err = known.score(head, scores, weight, constantOf(t.part.train))
	return err
}

// selected is what is true of some of the rows.
func (t truth) selected(index []int) truth {
	out := t
	if t.y != nil {
		out.y = selected(t.y, index)
	}
	if t.values != nil {
		out.values = selected(t.values, index)
	}
	return out
}
