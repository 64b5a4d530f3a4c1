package learn_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/learn"
)

// TestState: what is written is read, bit for bit, and nothing else is.
func TestState(t *testing.T) {
	w := learn.NewState(7)
	w.Ints(3, 0)
	w.Floats(math.Inf(-1), math.Copysign(0, -1))
	w.List([]float64{1, 2, 3})
	w.List(nil)
	for n := range 18 {
		w.Bytes(make([]byte, n))
	}
	b := w.Seal()
	read := func(b []byte, mark uint64) error {
		r := learn.OpenState(b, mark)
		if r.Int(3) != 3 || r.Int(0) != 0 || r.Float() != math.Inf(-1) || !math.Signbit(r.Float()) ||
			!slices.Equal(r.List(3), []float64{1, 2, 3}) || r.List(9) != nil {
			return learn.ErrState
		}
		for n := range 18 {
			if len(r.Bytes()) != n {
				return learn.ErrState
			}
		}
		return r.Done()
	}
	if err := read(b, 7); err != nil {
		t.Fatal(err)
	}
	if read(b, 8) == nil {
		t.Error("the state of another problem: no error")
	}
	for n := range b {
		if read(b[:n], 7) == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
		damaged := slices.Clone(b)
		damaged[n] ^= 1
		if read(damaged, 7) == nil {
			t.Errorf("byte %d changed: no error", n)
		}
	}
	r := learn.OpenState(b, 7)
	if r.Int(2); !errors.Is(r.Done(), learn.ErrState) || r.Word() != 0 || r.Bytes() != nil {
		t.Error("a number out of range: no error")
	}
	if r := learn.OpenState(b, 7); r.Done() == nil {
		t.Error("a state that was not read: no error")
	}
}

func TestMark(t *testing.T) {
	marks := []uint64{
		learn.Mark("a"), learn.Mark("b"), learn.Mark("a", nil), learn.Mark("a", nil, nil), learn.Mark("a", []float64{1}),
		learn.Mark("a", []float64{1}, []float64{2}), learn.Mark("a", []float64{1, 2}), learn.Mark("a", []float64{2, 1}),
	}
	slices.Sort(marks)
	if len(slices.Compact(marks)) != 8 {
		t.Errorf("problems have the same mark: %v", marks)
	}
}

// TestParts: a part that has not left a state since the last time of the whole is
// asked for one, and the whole has what each left last.
func TestParts(t *testing.T) {
	due, saved := false, []byte(nil)
	c := learn.Checkpoint{Every: 1, Due: func() bool { return due },
		Save: func(state []byte) error { saved = state; return nil }}
	p, err := c.Split(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.At(0), p.At(1)
	if a.From != nil || !a.Due() || !b.Due() {
		t.Error("parts that left nothing are not asked")
	}
	if err := a.Save([]byte("a1")); err != nil || saved != nil || a.Due() || !b.Due() {
		t.Errorf("%v, saved %q", err, saved)
	}
	due = true
	if err := b.Save([]byte("b1")); err != nil || saved == nil {
		t.Errorf("%v, saved %q", err, saved)
	}
	due = false
	if !a.Due() || !b.Due() {
		t.Error("parts are not asked after the whole was handed over")
	}
	q, err := learn.Checkpoint{From: saved}.Split(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(q.At(0).From) + string(q.At(1).From) + string(q.At(2).From); got != "a1b1" {
		t.Errorf("the parts are %q", got)
	}
	for i := range 3 {
		saved = nil
		if err := p.Finish(i, nil); err != nil || (saved != nil) != (i == 2) {
			t.Errorf("part %d done: %v, saved %q", i, err, saved)
		}
	}
	if q, err = (learn.Checkpoint{From: saved}).Split(1, 3); err != nil {
		t.Fatal(err)
	}
	if state, ok := q.Result(1); !ok || string(state) != "b1" {
		t.Errorf("the result is %q, %v", state, ok)
	}
	for _, n := range []int{2, 4} {
		if _, err := (learn.Checkpoint{From: saved}).Split(1, n); !errors.Is(err, learn.ErrState) {
			t.Errorf("%d parts: %v", n, err)
		}
	}
}

// FuzzParts takes bytes as the state of some parts without its digest, which is
// added.
func FuzzParts(f *testing.F) {
	w := learn.NewState(1)
	w.Ints(3, 0, 1)
	w.Bytes([]byte("running"))
	w.Ints(2)
	w.Bytes([]byte("done"))
	b := w.Seal()
	f.Add(b[:len(b)-8])
	f.Fuzz(func(t *testing.T, body []byte) {
		h := fnv.New64a()
		h.Write(body)
		p, err := learn.Checkpoint{From: binary.LittleEndian.AppendUint64(slices.Clone(body), h.Sum64())}.Split(1, 3)
		if err != nil {
			if !errors.Is(err, learn.ErrState) {
				t.Error(err)
			}
			return
		}
		for i := range 3 {
			p.Result(i)
			p.At(i)
		}
	})
}
