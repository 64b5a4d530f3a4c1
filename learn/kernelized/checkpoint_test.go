package kernelized_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// manyFit is a way to learn many classes; it returns all numbers of the model.
type manyFit func(s kernelized.SVM[data.Vector]) ([]float64, learn.Report, error)

// manyFits are the two ways, on a sample that takes some rounds.
func manyFits(n, classes int) map[string]manyFit {
	d := corners(n, classes, 3)
	return map[string]manyFit{
		"pairs": func(s kernelized.SVM[data.Vector]) ([]float64, learn.Report, error) {
			e, r, err := s.FitClasses(context.Background(), d, classes)
			if err != nil {
				return nil, r, err
			}
			return slices.Concat(e.Weight.Data, e.Bias), r, nil
		},
		"rest": func(s kernelized.SVM[data.Vector]) ([]float64, learn.Report, error) {
			e, r, err := s.FitRest(context.Background(), d, classes)
			if err != nil {
				return nil, r, err
			}
			return slices.Concat(e.Weight.Data, e.Bias), r, nil
		},
	}
}

func manySVM() kernelized.SVM[data.Vector] {
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.7})
	s.C, s.Tolerance = 30, 1e-6
	return s
}

// TestManyClassesResume ends a fit of many classes after each state, goes on from
// it with other workers, and finds the same bits.
func TestManyClassesResume(t *testing.T) {
	stop := errors.New("ended")
	for name, fit := range manyFits(240, 4) {
		want, reported, err := fit(manySVM())
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			var states [][]byte
			s := manySVM()
			s.Run.Workers = workers
			s.Checkpoint = kernelized.Checkpoint{Every: 1, Save: func(state []byte) error {
				states = append(states, state)
				return nil
			}}
			if _, _, err := fit(s); err != nil {
				t.Fatal(err)
			}
			if len(states) < 8 {
				t.Fatalf("%s: only %d states", name, len(states))
			}
			for k := 0; k < len(states); k += 1 + len(states)/16 {
				state, s := states[k], manySVM()
				s.Run.Workers = 1 + k%3
				s.Checkpoint = kernelized.Checkpoint{Every: 1, From: state, Save: func([]byte) error { return stop }}
				if _, _, err := fit(s); k+1 < len(states) && !errors.Is(err, stop) {
					t.Fatalf("%s: the error of Save is lost: %v", name, err)
				}
				s.Checkpoint = kernelized.Checkpoint{From: state}
				got, r, err := fit(s)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) || r.Iterations != reported.Iterations || r.Objective != reported.Objective ||
					r.Gap != reported.Gap || r.Support != reported.Support {
					t.Fatalf("%s, %d workers, resumed after state %d of %d: another result", name, workers, k+1, len(states))
				}
			}
			last := states[len(states)-1]
			if got := len(last); got > 240*16*4 {
				t.Errorf("%s: the last state takes %d bytes", name, got)
			}
			if workers == 1 {
				manyRefused(t, name, fit, states[len(states)/2])
			}
		}
	}
}

// manyRefused checks that a state is taken by its own problem alone.
func manyRefused(t *testing.T, name string, fit manyFit, state []byte) {
	t.Helper()
	for _, bad := range [][]byte{{}, {1, 2, 3}, state[:len(state)-8], state[8:],
		append(slices.Clone(state), make([]byte, 8)...)} {
		s := manySVM()
		s.Checkpoint.From = bad
		if _, _, err := fit(s); !errors.Is(err, learn.ErrState) {
			t.Errorf("%s: a damaged state: %v", name, err)
		}
	}
	for at := 0; at < len(state); at += 97 {
		s := manySVM()
		s.Checkpoint.From = slices.Clone(state)
		s.Checkpoint.From[at] ^= 4
		if _, _, err := fit(s); !errors.Is(err, learn.ErrState) {
			t.Fatalf("%s: byte %d changed: %v", name, at, err)
		}
	}
	for _, change := range []func(s *kernelized.SVM[data.Vector]){
		func(s *kernelized.SVM[data.Vector]) { s.C = 31 },
		func(s *kernelized.SVM[data.Vector]) { s.Tolerance = 1e-5 },
		func(s *kernelized.SVM[data.Vector]) { s.MaxIterations = 7 },
	} {
		s := manySVM()
		s.Checkpoint.From = state
		change(&s)
		if _, _, err := fit(s); !errors.Is(err, learn.ErrState) {
			t.Errorf("%s: the state of another problem: %v", name, err)
		}
	}
	for _, other := range []map[string]manyFit{manyFits(244, 4), manyFits(240, 3)} {
		s := manySVM()
		s.Checkpoint.From = state
		if _, _, err := other[name](s); !errors.Is(err, learn.ErrState) {
			t.Errorf("%s: the state of another sample: %v", name, err)
		}
	}
}

// TestManyClassesDue: states are put together when they are due, those of the
// running parts are then fresh, and the last is that of the end.
func TestManyClassesDue(t *testing.T) {
	for name, fit := range manyFits(200, 3) {
		want, _, err := fit(manySVM())
		if err != nil {
			t.Fatal(err)
		}
		asked, saved := 0, 0
		s := manySVM()
		s.Run.Workers = 2
		s.Checkpoint = kernelized.Checkpoint{Every: 1, Due: func() bool { asked++; return false },
			Save: func(state []byte) error {
				saved++
				s.Checkpoint.From = state
				return nil
			}}
		if _, _, err := fit(s); err != nil {
			t.Fatal(err)
		}
		if asked == 0 || saved != 1 {
			t.Errorf("%s: asked %d times and saved %d times, want once", name, asked, saved)
		}
		s.Checkpoint = kernelized.Checkpoint{From: s.Checkpoint.From}
		if got, r, err := fit(s); err != nil || !slices.Equal(got, want) || r.Evaluations != 0 {
			t.Errorf("%s: from the end: %v, %d evaluations", name, err, r.Evaluations)
		}
	}
}

// FuzzPart takes bytes as what a pair that is done has left, with the digest
// added, so that what lies behind it is reached.
func FuzzPart(f *testing.F) {
	seal := func(b []byte) []byte {
		h := fnv.New64a()
		h.Write(b)
		return binary.LittleEndian.AppendUint64(slices.Clone(b), h.Sum64())
	}
	fit := manyFits(12, 2)["pairs"]
	s := manySVM()
	s.Checkpoint = kernelized.Checkpoint{Every: 1, Save: func(state []byte) error {
		s.Checkpoint.From = state
		return nil
	}}
	if _, _, err := fit(s); err != nil {
		f.Fatal(err)
	}
	const head = 8 * 5 // version, mark, parts, stage, length
	whole := s.Checkpoint.From
	f.Add(whole[head : len(whole)-16])
	f.Fuzz(func(t *testing.T, body []byte) {
		part := seal(body[:len(body)&^7])
		state := binary.LittleEndian.AppendUint64(slices.Clone(whole[:head-8]), uint64(len(part)))
		s := manySVM()
		s.Checkpoint.From = seal(append(state, part...))
		got, _, err := fit(s)
		if err == nil && slices.ContainsFunc(got, func(v float64) bool { return v-v != 0 }) || err != nil &&
			!errors.Is(err, learn.ErrState) {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// stateFits are the learners that keep the state of steps, on a small sample of
// three classes; each returns the weights of its model.
func stateFits(n int) map[string]func(c kernelized.Checkpoint, workers int) ([]float64, learn.Report, error) {
	const classes = 3
	d := corners(n, classes, 5)
	k := kernel.Gaussian{Gamma: 0.7}
	return map[string]func(c kernelized.Checkpoint, workers int) ([]float64, learn.Report, error){
		"falkon": func(c kernelized.Checkpoint, workers int) ([]float64, learn.Report, error) {
			f := kernelized.NewFalkonClassifier[data.Vector](k)
			f.Landmarks, f.Lambda, f.Tolerance, f.Checkpoint, f.Run.Workers = 20, 1e-5, 1e-9, c, workers
			e, r, err := f.FitClasses(context.Background(), d, classes)
			if err != nil {
				return nil, r, err
			}
			return e.Weight.Data, r, nil
		},
		"sgd": func(c kernelized.Checkpoint, workers int) ([]float64, learn.Report, error) {
			s := kernelized.NewSGD[data.Vector](k)
			s.Steps, s.Lambda, s.Checkpoint, s.Run.Workers = 4500, 1e-3, c, workers
			e, r, err := s.FitClasses(context.Background(), d, classes)
			if err != nil {
				return nil, r, err
			}
			return e.Weight.Data, r, nil
		},
	}
}

// keepStates returns a checkpoint that adds each state to a list.
func keepStates(states *[][]byte) kernelized.Checkpoint {
	return kernelized.Checkpoint{Every: 1, Save: func(state []byte) error {
		*states = append(*states, state)
		return nil
	}}
}

// TestStepsResume: conjugate and stochastic gradients go on from any state to the
// same bits.
func TestStepsResume(t *testing.T) {
	for name, fit := range stateFits(130) {
		want, reported, err := fit(kernelized.Checkpoint{}, 2)
		if err != nil {
			t.Fatal(err)
		}
		var states [][]byte
		if _, _, err := fit(keepStates(&states), 1); err != nil || len(states) < 4 {
			t.Fatalf("%s: %v, %d states", name, err, len(states))
		}
		for k, state := range states {
			got, r, err := fit(kernelized.Checkpoint{From: state}, 1+k%3)
			if err != nil || !slices.Equal(got, want) || r.Iterations != reported.Iterations ||
				r.Objective != reported.Objective || r.Gap != reported.Gap || r.Status != reported.Status {
				t.Errorf("%s: gone on from state %d: %v, %+v, want %+v", name, k+1, err, r, reported)
			}
		}
		state := states[len(states)/2]
		for _, bad := range [][]byte{{}, state[:len(state)-8], append(slices.Clone(state), make([]byte, 8)...)} {
			if _, _, err := fit(kernelized.Checkpoint{From: bad}, 1); !errors.Is(err, learn.ErrState) {
				t.Errorf("%s: a damaged state: %v", name, err)
			}
		}
		if _, _, err := stateFits(133)[name](kernelized.Checkpoint{From: state}, 1); !errors.Is(err, learn.ErrState) {
			t.Errorf("%s: the state of another sample: %v", name, err)
		}
		stop := errors.New("ended")
		if _, _, err := fit(kernelized.Checkpoint{Every: 1, Save: func([]byte) error { return stop }},
			1); !errors.Is(err, stop) {
			t.Errorf("%s: the error of Save is lost: %v", name, err)
		}
	}
	f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: 1})
	f.Checkpoint.From = []byte{1}
	if _, err := f.Path(waves(20, 2, 1), 0.1); err == nil {
		t.Error("a checkpoint of several lambdas: no error")
	}
}

// FuzzSteps takes bytes as the state of falkon or of sgd without its digest,
// which is added.
func FuzzSteps(f *testing.F) {
	fits := stateFits(24)
	name := map[bool]string{true: "falkon", false: "sgd"}
	for falkon, which := range name {
		var states [][]byte
		if _, _, err := fits[which](keepStates(&states), 1); err != nil {
			f.Fatal(err)
		}
		f.Add(falkon, states[0][:len(states[0])-8])
	}
	f.Fuzz(func(t *testing.T, falkon bool, body []byte) {
		h := fnv.New64a()
		h.Write(body)
		state := binary.LittleEndian.AppendUint64(slices.Clone(body), h.Sum64())
		got, _, err := fits[name[falkon]](kernelized.Checkpoint{From: state}, 1)
		if err == nil && slices.ContainsFunc(got, func(v float64) bool { return v-v != 0 }) {
			t.Errorf("weights %v", got)
		}
	})
}
