package model_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

// keeping are the jobs of all learners that keep a state.
func keeping() []job {
	return slices.DeleteFunc(jobs(), func(j job) bool { return !j.traits().Keeps })
}

// long is the job's recipe with a few rounds to do.
func (j job) long(pairs bool) recipe {
	return j.recipe(args{"C": 50, "tolerance": 1e-6, "pairs": pairs})
}

const keptRows = 180

// TestEveryCheckpoint ends a training after some of its states and goes on from
// each with other workers: the model has the bytes of one that was never ended.
func TestEveryCheckpoint(t *testing.T) {
	stop := errors.New("ended")
	for i, j := range keeping() {
		for _, pairs := range []bool{true, false} {
			if !pairs && (j.learner != model.LearnerKernelSVM || j.classes < 3) {
				continue
			}
			r := j.long(pairs)
			p, reported := j.mustFit(t, r, keptRows)
			want := encode(t, p)
			var states [][]byte
			r.Run.Workers = 1 + i%3
			r.Checkpoint = learn.Checkpoint{Every: 1, Save: func(state []byte) error {
				states = append(states, state)
				return nil
			}}
			if p, _ := j.mustFit(t, r, keptRows); !bytes.Equal(encode(t, p), want) || len(states) == 0 {
				t.Fatalf("%s: with %d states another model", j, len(states))
			}
			for k := 0; k < len(states); k += 1 + len(states)/5 {
				r.Run.Workers = 1 + (i+k+1)%3
				r.Checkpoint = learn.Checkpoint{Every: 1, From: states[k], Save: func([]byte) error { return stop }}
				if _, _, err := j.fit(t.Context(), r, keptRows); k+1 < len(states) && !errors.Is(err, stop) {
					t.Fatalf("%s: the error of Save is lost: %v", j, err)
				}
				r.Checkpoint = learn.Checkpoint{From: states[k]}
				p, got := j.mustFit(t, r, keptRows)
				if !bytes.Equal(encode(t, p), want) || got.Objective != reported.Objective ||
					got.Iterations != reported.Iterations || got.Status != reported.Status {
					t.Fatalf("%s, pairs %v: gone on from state %d of %d, another model: %+v, want %+v",
						j, pairs, k+1, len(states), got.Report, reported.Report)
				}
			}
			j.wantRefused(t, r, states[len(states)/2])
		}
	}
}

// wantRefused checks that a state is for its own training alone.
func (j job) wantRefused(t *testing.T, r recipe, state []byte) {
	t.Helper()
	middle := slices.Clone(state)
	middle[len(middle)/2] ^= 1
	longer := append(slices.Clone(state), make([]byte, 8)...)
	for _, bad := range [][]byte{{}, {1, 2, 3}, state[:len(state)-8], state[:len(state)/2], longer, middle} {
		r.Checkpoint = learn.Checkpoint{From: bad}
		if _, _, err := j.fit(t.Context(), r, keptRows); !errors.Is(err, learn.ErrState) {
			t.Errorf("%s: a damaged state: %v", j, err)
		}
	}
	r.Checkpoint = learn.Checkpoint{From: state}
	if _, _, err := j.fit(t.Context(), r, keptRows+6); !errors.Is(err, learn.ErrState) {
		t.Errorf("%s: the state of another sample: %v", j, err)
	}
	other := job{learner: model.LearnerPegasos, kind: model.MapNone, task: model.Classify, classes: 2}
	if j.learner == other.learner {
		other.learner = model.LearnerKernelSVM
	}
	r = other.long(true)
	r.Checkpoint = learn.Checkpoint{From: state}
	if _, _, err := other.fit(t.Context(), r, keptRows); !errors.Is(err, learn.ErrState) {
		t.Errorf("%s: the state of another learner: %v", j, err)
	}
}

// TestCheckpointWithChoices: what comes before and after the learner is done
// again, a deadline that is far away changes nothing, and the bytes are the same.
func TestCheckpointWithChoices(t *testing.T) {
	for _, learner := range []string{model.LearnerKernelSVM, model.LearnerPegasos} {
		j := job{learner: learner, kind: model.MapNone, task: model.Classify, classes: 3, dense: true}
		r := j.long(true)
		r.Choose, r.Calibrate, r.Conformal = true, calibrate.Softmax, 0.2
		p, _ := j.mustFit(t, r, keptRows)
		want := encode(t, p)
		var states [][]byte
		r.Checkpoint = learn.Checkpoint{Every: 1, Save: func(state []byte) error {
			states = append(states, state)
			return nil
		}}
		j.mustFit(t, r, keptRows)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		r.Checkpoint = learn.Checkpoint{From: states[len(states)/2]}
		p, _, err := j.fit(ctx, r, keptRows)
		if err != nil || !bytes.Equal(encode(t, p), want) {
			t.Errorf("%s: another model (%v)", learner, err)
		}
	}
}

// TestCheckpointRefused: a learner that keeps no state says so, and who does.
func TestCheckpointRefused(t *testing.T) {
	keepers := strings.Join(model.LearnerNames(func(t model.Traits) bool { return t.Keeps }), ", ")
	for _, name := range model.LearnerNames(nil) {
		j := job{learner: name, kind: model.MapNone}
		r := j.recipe(nil)
		r.Checkpoint.From = []byte{1}
		err := r.Validate()
		if keeps := j.traits().Keeps; keeps != (err == nil) || !keeps && !strings.Contains(err.Error(), keepers) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
