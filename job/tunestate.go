package job

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/learn"
)

// The parts of the state of a search.
const (
	keptTrials = iota // evaluations that are done
	keptFinal         // the training of the best candidate
	keptParts
)

// keptTrial is an evaluation that is done.
type keptTrial struct {
	score float64
	noted
}

// resume opens the file of the search's state and takes over what is there.
func (t *tuning[T]) resume(rest []int) error {
	path := t.o.Checkpoint
	if path == "" {
		return nil
	}
	key, err := t.key(rest)
	if err != nil {
		return err
	}
	c, err := openCheckpoint(path, key)
	if err != nil {
		return err
	}
	if t.kept, err = c.Split(learn.Mark("kerf tune"), keptParts); err != nil {
		return badInput(path, err.Error(), "remove it and begin anew")
	}
	t.known = map[note]keptTrial{}
	if state := t.kept.At(keptTrials).From; state != nil {
		if err := t.decode(state); err != nil {
			return badInput(path, err.Error(), "remove it and begin anew")
		}
	}
	return nil
}

// key tells the search from others.
func (t *tuning[T]) key(rest []int) ([]byte, error) {
	o, part := t.o, t.final.part
	k, err := t.worker.kind.Make(t.choices.kernel, part.train.X, o.Seed)
	if err != nil {
		return nil, err
	}
	r, err := recipe(&o.Options, t.choices, k, len(rest))
	if err != nil {
		return nil, err
	}
	key, err := keyOf(r, nil, t.worker.kind, part.train)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	// The rows of a fold are scaled by themselves, so that the scaled rows do not say
	// how they were.
	fmt.Fprintf(sum, "kerf tune 3: %s %d %d %v %s, %+v, ", o.Search, o.Trials, o.Folds, o.FoldsGiven, t.scale, t.space)
	if how := o.Read.Categories; how != "" && how != table.OneHot {
		fmt.Fprintf(sum, "categories %s, ", how)
	}
	sum.Write(key)
	return sum.Sum(nil), nil
}

// perTrial is how many numbers are kept of an evaluation.
const perTrial = 9

// encode writes the evaluations that are done, in an order of their own.
func (t *tuning[T]) encode() []byte {
	var rows [][]float64
	for n, m := range t.known {
		std := -1.0
		if m.std != nil {
			std = *m.std
		}
		rows = append(rows, []float64{float64(n.kernel), float64(n.way), n.factor, float64(n.dim), n.penalty, n.budget,
			m.score, std, m.seconds})
	}
	order.Stable(rows, slices.Compare[[]float64])
	w := learn.NewState(learn.Mark("trials"))
	w.List(slices.Concat(rows...))
	return w.Seal()
}

// decode reads them.
func (t *tuning[T]) decode(state []byte) error {
	r := learn.OpenState(state, learn.Mark("trials"))
	v := r.List(math.MaxInt)
	if r.Done() != nil || len(v)%perTrial != 0 {
		return learn.ErrState
	}
	for row := range slices.Chunk(v, perTrial) {
		n := note{candidate{kernel: int(row[0]), way: int(row[1]), factor: row[2], dim: int(row[3]), penalty: row[4]}, row[5]}
		m := keptTrial{score: row[6], noted: noted{seconds: row[8]}}
		if row[7] >= 0 {
			m.std = ptr(row[7])
		}
		t.known[n] = m
	}
	return nil
}

// recall reports the evaluations of a group of candidates where all of them are
// done. Where some are not, all are done anew: each starts from the one before.
func (t *tuning[T]) recall(group []candidate, budget float64, done func(int, float64, error)) bool {
	for _, c := range group {
		if _, ok := t.known[note{c, budget}]; !ok {
			return false
		}
	}
	for i, c := range group {
		m := t.known[note{c, budget}]
		t.notes[note{c, budget}] = m.noted
		done(i, m.score, nil)
	}
	return true
}

// keep notes an evaluation.
func (t *tuning[T]) keep(n note, m keptTrial) error {
	if t.kept == nil {
		return nil
	}
	t.known[n] = m
	t.unkept = t.kept.At(keptTrials).Keep(len(t.known), true, t.encode)
	return t.unkept
}

// finish writes the state at the end, due or not.
func (t *tuning[T]) finish() error {
	if t.kept == nil {
		return nil
	}
	return errors.Join(t.kept.Finish(keptTrials, nil), t.kept.Finish(keptFinal, nil))
}

// keepFinal returns the checkpoint of the training of the best candidate. Its
// states are headed by the key of that training: a search that was cut short by
// its time may end with another candidate when it goes on.
func (t *tuning[T]) keepFinal(key []byte) (learn.Checkpoint, error) {
	c := t.kept.At(keptFinal)
	save, from := c.Save, c.From
	c.Save = func(state []byte) error { return save(slices.Concat(key, state)) }
	c.From = nil
	if bytes.HasPrefix(from, key) {
		c.From = from[len(key):]
	}
	return c, nil
}
