package linear_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

// kept returns a checkpoint that adds each state to a list.
func kept(states *[][]byte) learn.Checkpoint {
	return learn.Checkpoint{Every: 1, Save: func(state []byte) error {
		*states = append(*states, state)
		return nil
	}}
}

// A fit that is ended after any state ends, gone on, with the same bits.
func TestPegasosCheckpoint(t *testing.T) {
	d := noisy(150, 4, 0.2, 1)
	for _, batch := range []int{1, 8} {
		p := linear.NewPegasos()
		p.Epochs, p.Batch, p.SaveRows = 3, batch, 11
		want, r, err := p.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		var states [][]byte
		p.Checkpoint = kept(&states)
		if _, _, err := p.Fit(t.Context(), d); err != nil || len(states) < 30 {
			t.Fatalf("%v, %d states", err, len(states))
		}
		for k, state := range states {
			p.Checkpoint = learn.Checkpoint{From: state}
			got, q, err := p.Fit(t.Context(), d)
			q.Elapsed = 0
			if err != nil || !reflect.DeepEqual(got, want) || q != r {
				t.Fatalf("gone on from state %d: %v, %+v, want %+v", k, err, q, r)
			}
		}
		state := states[len(states)/2]
		for _, bad := range [][]byte{{}, {1}, state[:len(state)-8], append(slices.Clone(state), make([]byte, 8)...)} {
			p.Checkpoint.From = bad
			if _, _, err := p.Fit(t.Context(), d); !errors.Is(err, learn.ErrState) {
				t.Errorf("a damaged state: %v", err)
			}
		}
		for _, change := range []func(p *linear.Pegasos){
			func(p *linear.Pegasos) { p.Lambda *= 2 },
			func(p *linear.Pegasos) { p.Seed++ }, func(p *linear.Pegasos) { p.Epochs++ },
			func(p *linear.Pegasos) { p.Shuffle = false },
			func(p *linear.Pegasos) { p.Unit = 0 }, func(p *linear.Pegasos) { p.Batch++ },
		} {
			q := p
			change(&q)
			q.Checkpoint = learn.Checkpoint{From: state}
			if _, _, err := q.Fit(t.Context(), d); !errors.Is(err, learn.ErrState) {
				t.Errorf("the state of another recipe: %v", err)
			}
		}
	}
	stop := errors.New("ended")
	p := linear.NewPegasos()
	p.Checkpoint = learn.Checkpoint{Every: 1, Save: func([]byte) error { return stop }}
	if _, _, err := p.Fit(t.Context(), d); !errors.Is(err, stop) {
		t.Errorf("the error of Save is lost: %v", err)
	}
	p.Checkpoint.Every = 0
	if p.Validate() == nil {
		t.Error("a checkpoint every 0 rounds: no error")
	}
}

// TestOneVsRestCheckpoint: the same of many classes, with other workers.
func TestOneVsRestCheckpoint(t *testing.T) {
	const classes = 4
	x := noisy(200, 4, 0.2, 1).X
	d := data.Labeled[data.Vector, int]{X: x, Y: make([]int, x.Len())}
	for i := range d.Y {
		d.Y[i] = i % classes
	}
	p := linear.NewPegasos()
	p.Epochs, p.SaveRows = 3, 40
	o := learn.OneVsRest[data.Vector, *linear.Separator]{Learner: p, Classes: classes}
	want, r, err := o.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, due := range []int{1, 5} { // each, or every fifth state
		var states [][]byte
		asked := 0
		o.Run.Workers = 1 + due%3
		o.Checkpoint = kept(&states)
		o.Checkpoint.Due = func() bool { asked++; return asked%due == 0 }
		if _, _, err := o.Fit(t.Context(), d); err != nil || len(states) < 4 {
			t.Fatalf("%v, %d states", err, len(states))
		}
		for k, state := range states {
			o.Run.Workers = 1 + k%3
			o.Checkpoint = learn.Checkpoint{From: state}
			got, q, err := o.Fit(t.Context(), d)
			if err != nil || !reflect.DeepEqual(got, want) || q.Objective != r.Objective || q.Iterations != r.Iterations {
				t.Fatalf("gone on from state %d: %v, %+v, want %+v", k, err, q, r)
			}
		}
		o.Checkpoint.From = states[0][:len(states[0])-8]
		if _, _, err := o.Fit(t.Context(), d); !errors.Is(err, learn.ErrState) {
			t.Errorf("a damaged state: %v", err)
		}
	}
	o.Learner = linear.NewPerceptron()
	if o.Validate() == nil {
		t.Error("a learner without a state: no error")
	}
}

// FuzzPegasosState takes bytes as a state without its digest, which is added.
func FuzzPegasosState(f *testing.F) {
	d := noisy(30, 3, 0.2, 1)
	p := linear.NewPegasos()
	p.Epochs, p.SaveRows = 2, 7
	var states [][]byte
	p.Checkpoint = kept(&states)
	if _, _, err := p.Fit(f.Context(), d); err != nil {
		f.Fatal(err)
	}
	for _, s := range states {
		f.Add(s[:len(s)-8])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h := fnv.New64a()
		h.Write(body)
		p := p
		p.Checkpoint = learn.Checkpoint{From: binary.LittleEndian.AppendUint64(slices.Clone(body), h.Sum64())}
		s, _, err := p.Fit(t.Context(), d)
		if err == nil && slices.ContainsFunc(s.W, func(v float64) bool { return v-v != 0 }) {
			t.Errorf("weights %v", s.W)
		}
	})
}
