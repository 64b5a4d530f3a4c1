package lab

import (
	"encoding/json"
	"slices"
	"sync"
)

// memory keeps what was computed last, by what it depends on: of a slider's state most is
// as it was the moment before. What is kept is immutable.
type memory struct {
	mu  sync.Mutex
	all []remembered // the newest last
}

type remembered struct {
	key   string
	value any
}

// mostKept is how many results are kept.
const mostKept = 64

// recall returns what is kept under a key, or computes and keeps it. Two that ask at the
// same time may both compute it, to the same bits.
func recall[V any](l *Lab, key string, compute func() (V, error)) (V, error) {
	m := &l.known
	m.mu.Lock()
	for i, r := range m.all {
		if v, ok := r.value.(V); ok && r.key == key {
			m.all = append(slices.Delete(m.all, i, i+1), r)
			m.mu.Unlock()
			return v, nil
		}
	}
	m.mu.Unlock()
	v, err := compute()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all = append(m.all, remembered{key, v}); len(m.all) > mostKept {
		m.all = slices.Delete(m.all, 0, 1)
	}
	return v, nil
}

// sideKey is what a Side or the growth depends on: points, kernel and landmarks.
func (q *problem) sideKey(name string) string {
	return q.State.keyOf(name)
}

// planKey is what the plan depends on: points and kernel.
func (q *problem) planKey() string {
	s := *q.State
	s.Dim, s.Select = 0, ""
	return s.keyOf("plan")
}

// keyOf returns a text of the state without what has no part in points, kernel and
// landmarks.
func (s State) keyOf(name string) string {
	s.Map, s.Learner, s.Penalty, s.Bias, s.Project, s.Cells, s.Error, s.Confidence = name, "", 0, false, 0, 0, 0, 0
	b, _ := json.Marshal(s) // of plain values, which were validated
	return string(b)
}
