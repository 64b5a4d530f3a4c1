package boost_test

import (
	"context"
	bytesOf "encoding/binary"
	"errors"
	"hash/fnv"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/run"
)

// kept returns a checkpoint that adds each state to a list.
func kept(states *[][]byte) learn.Checkpoint {
	return learn.Checkpoint{Every: 1, Save: func(state []byte) error {
		*states = append(*states, state)
		return nil
	}}
}

// A fit that is ended after any state ends, gone on, with the same bits.
func TestCheckpoint(t *testing.T) {
	symmetric := boost.NewHalfspace()
	symmetric.Symmetric, symmetric.Batch = true, 5
	for name, weak := range map[string]boost.Weak{"stump": boost.NewStump(), "halfspace": boost.NewHalfspace(),
		"symmetric": symmetric} {
		for _, n := range []int{60, 2100} { // the second in two blocks
			d := rough(n, 5, 7, 3)
			a := boost.NewAdaBoost(weak)
			a.Rounds = 15
			want, r, err := a.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			r.Elapsed = 0
			var states [][]byte
			a.Checkpoint = kept(&states)
			if _, _, err := a.Fit(t.Context(), d); err != nil || len(states) < 3 {
				t.Fatalf("%s, %d rows: %v, %d states", name, n, err, len(states))
			}
			for k, state := range states {
				a.Run.Workers = 1 + k%3
				a.Checkpoint = learn.Checkpoint{From: state}
				got, q, err := a.Fit(t.Context(), d)
				q.Elapsed = 0
				if err != nil || !reflect.DeepEqual(got, want) || q != r {
					t.Fatalf("%s, %d rows: gone on from state %d: %v, %+v, want %+v", name, n, k, err, q, r)
				}
			}
			refused := func(what string, a boost.AdaBoost, state []byte) {
				t.Helper()
				a.Checkpoint = learn.Checkpoint{From: state}
				if _, _, err := a.Fit(t.Context(), d); !errors.Is(err, learn.ErrState) {
					t.Errorf("%s: %s: %v", name, what, err)
				}
			}
			state := states[1]
			refused("nothing", a, []byte{})
			refused("a state cut short", a, state[:len(state)-8])
			more := a
			more.Rounds++
			refused("the state of other rounds", more, state)
			more = a
			more.StopAtZero = true
			refused("the state of another recipe", more, state)
			d = rough(n+1, 5, 7, 3)
			refused("the state of another sample", a, state)
		}
	}
}

// TestCheckpointCancelled: the vote of a fit that goes on and is ended at once is
// that of the state.
func TestCheckpointCancelled(t *testing.T) {
	d := rough(80, 5, 7, 3)
	a := boost.NewAdaBoost(boost.NewHalfspace())
	a.Rounds = 6
	var states [][]byte
	a.Checkpoint = kept(&states)
	if _, _, err := a.Fit(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Checkpoint = learn.Checkpoint{From: states[2]}
	if _, r, err := a.Fit(ctx, d); err != nil || r.Status != learn.Cancelled {
		t.Errorf("%v, %+v", err, r)
	}
}

// forgetful is a weak learner whose finder keeps no state.
type forgetful struct{ boost.Stump }

func (f forgetful) Prepare(ctx context.Context, ctl run.Control, s *boost.Sample) (boost.Finder, error) {
	inner, err := f.Stump.Prepare(ctx, ctl, s)
	return struct{ boost.Finder }{inner}, err
}

func TestCheckpointRefused(t *testing.T) {
	a := boost.NewAdaBoost(forgetful{boost.NewStump()})
	a.Checkpoint = kept(new([][]byte))
	if _, _, err := a.Fit(t.Context(), rough(40, 3, 5, 1)); err == nil {
		t.Error("a weak learner without a state: no error")
	}
	a.Checkpoint.Every = 0
	if a.Validate() == nil {
		t.Error("a checkpoint every 0 rounds: no error")
	}
}

// FuzzState takes bytes as a state without its digest, which is added.
func FuzzState(f *testing.F) {
	d := rough(20, 3, 5, 1)
	recipe := func(halfspace bool) boost.AdaBoost {
		a := boost.NewAdaBoost(boost.NewStump())
		if halfspace {
			a = boost.NewAdaBoost(boost.NewHalfspace())
		}
		a.Rounds = 4
		return a
	}
	for _, halfspace := range []bool{false, true} {
		a := recipe(halfspace)
		var states [][]byte
		a.Checkpoint = kept(&states)
		if _, _, err := a.Fit(f.Context(), d); err != nil {
			f.Fatal(err)
		}
		for _, s := range states {
			f.Add(halfspace, s[:len(s)-8])
		}
	}
	f.Fuzz(func(t *testing.T, halfspace bool, body []byte) {
		h := fnv.New64a()
		h.Write(body)
		a := recipe(halfspace)
		a.Checkpoint.From = bytesOf.LittleEndian.AppendUint64(slices.Clone(body), h.Sum64())
		e, _, err := a.Fit(t.Context(), d)
		if err == nil && slices.ContainsFunc(e.Alpha, func(v float64) bool { return v-v != 0 }) {
			t.Errorf("weights %v", e.Alpha)
		}
	})
}
