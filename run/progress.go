package run

import (
	"math"
	"sync"
	"time"
)

// Progress is a set of optional functions that are told how far a run is. They
// are called from one goroutine at a time, never concurrently.
//
// Tasks may lie within each other: one that starts before the last has ended is a
// part of it, namely the step under way, or as many steps as Share said before.
type Progress struct {
	Start  func(task string, total int64) // a task begins; total is 0 where it is not known
	Step   func(done int64)               // so many of total are done
	Share  func(units int64)              // the next task within this one is so many of total, and not one
	Near   func(part float64)             // about this part of the task is done, where its steps do not tell
	Finish func()                         // the task has ended
}

// Begin calls Start where it is set.
func (p Progress) Begin(task string, total int64) {
	if p.Start != nil {
		p.Start(task, total)
	}
}

// Advance calls Step where it is set.
func (p Progress) Advance(done int64) {
	if p.Step != nil {
		p.Step(done)
	}
}

// Part begins a task within the one under way that is so many units of it.
func (p Progress) Part(task string, units, total int64) {
	if p.Share != nil {
		p.Share(units)
	}
	p.Begin(task, total)
}

// Approach calls Near, where it is set, for a task that ends when a number which
// began at first falls to goal, and that falls by about the same factor each step:
//
//	part = log(first/now) / log(first/goal)
func (p Progress) Approach(first, now, goal float64) {
	if part := math.Log(first/now) / math.Log(first/goal); p.Near != nil && part > 0 { // false for NaN
		p.Near(min(part, 1))
	}
}

// End calls Finish where it is set.
func (p Progress) End() {
	if p.Finish != nil {
		p.Finish()
	}
}

// Stages is the progress of work in parts whose sizes are known about: one task,
// in which Next begins one part after another.
type Stages struct {
	p     Progress
	done  int64
	size  int64 // of the part under way; 0 for none
	total int64
}

// Divide begins a task of the given size, in any unit. Parts of sizes are shares of it.
func (p Progress) Divide(task string, size float64) *Stages {
	s := &Stages{p: p, total: units(size)}
	p.Begin(task, s.total)
	return s
}

// units is a size as a whole number of at least 1.
func units(size float64) int64 {
	if !(size >= 1) {
		return 1
	}
	return int64(min(size, 1<<62))
}

// Next ends the part under way and begins another one.
func (s *Stages) Next(task string, size float64) {
	s.leave()
	s.size = units(size)
	s.p.Part(task, s.size, 0)
}

// Last ends the part under way and begins the last one, whose size is known better by
// now: where it is smaller than what was left for it, the task is so much nearer to its
// end.
func (s *Stages) Last(task string, size float64) {
	s.leave()
	done := float64(s.done) / (float64(s.done) + max(size, 1))
	s.done = max(s.done, min(int64(done*float64(s.total)), s.total-1))
	s.p.Advance(s.done)
	s.Next(task, float64(s.total-s.done))
}

// leave ends the part under way.
func (s *Stages) leave() {
	if s.size > 0 {
		s.p.End()
		s.done = min(s.done+s.size, s.total)
		s.size = 0
		s.p.Advance(s.done)
	}
}

// End ends the task.
func (s *Stages) End() {
	s.leave()
	s.p.End()
}

// Meter follows tasks and says how far the outermost one is, and how long it will
// still take at the pace it had so far. Between two reports it takes the pace as
// given. It is safe for concurrent use.
type Meter struct {
	now func() time.Time

	mu    sync.Mutex
	stack []level
	begun time.Time // of the outermost task
	known float64   // part of it that is known to be done
	at    time.Time // when that became known
	end   float64   // where the step under way ends
}

// level is a task under way.
type level struct {
	task        string
	total, done int64
	share       int64   // steps that the next task within this one is
	near        float64 // part that is done, where steps do not tell
}

// NewMeter returns a meter that goes by the given clock.
func NewMeter(now func() time.Time) *Meter { return &Meter{now: now} }

// Progress returns what tells the meter.
func (m *Meter) Progress() Progress {
	return Progress{
		Start: func(task string, total int64) {
			m.tell(func() {
				if len(m.stack) == 0 {
					m.begun, m.at, m.known, m.end = m.now(), m.now(), 0, 0
				}
				m.stack = append(m.stack, level{task: task, total: total, share: 1})
			})
		},
		Step: func(done int64) {
			m.tell(func() {
				if l := m.top(); l != nil {
					l.done, l.share = done, 1
				}
				if m.part(0) == m.known { // it was known before its time
					m.at = m.now()
				}
			})
		},
		Share: func(units int64) {
			m.tell(func() {
				if l := m.top(); l != nil {
					l.share = units
				}
			})
		},
		Near: func(part float64) {
			m.tell(func() {
				if l := m.top(); l != nil {
					l.near = part
				}
			})
		},
		Finish: func() { m.tell(func() { m.stack = m.stack[:max(0, len(m.stack)-1)] }) },
	}
}

func (m *Meter) top() *level {
	if len(m.stack) == 0 {
		return nil
	}
	return &m.stack[len(m.stack)-1]
}

// tell changes the stack and notes how far the outermost task has come. What is
// known never falls: a task that begins anew within a step does not undo it.
func (m *Meter) tell(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	if part := m.part(0); part > m.known {
		m.known, m.at = part, m.now()
	}
	m.end = max(m.known, m.part(1))
}

// part returns the part of the outermost task that is done, with the innermost step
// under way counted as so much.
func (m *Meter) part(step float64) float64 {
	for i := len(m.stack) - 1; i >= 0; i-- {
		l := m.stack[i]
		switch {
		case l.near > 0:
			step = l.near + step*(1-l.near)/2 // it may end at any step from here on
		case l.total > 0:
			step = min((float64(l.done)+float64(l.share)*step)/float64(l.total), 1)
		}
	}
	return min(step, 1)
}

// Sight is what a meter shows.
type Sight struct {
	Task    string        // the innermost one that has a name; empty where nothing is under way
	Within  string        // the outermost one
	Part    float64       // of the outermost task that is done, about
	Elapsed time.Duration // since it began
	Left    time.Duration // that it will take, about; negative where that is not known
}

// Limits of what is said about the time left.
const (
	leastSeen = 0.005 // part of a task that must be done before its pace says anything
	mostGuess = 0.9   // of a step under way that may be taken for done by the clock alone
)

// Look returns where the run is.
func (m *Meter) Look() Sight {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Sight{Left: -1}
	if len(m.stack) == 0 {
		return s
	}
	s.Within = m.stack[0].task
	for _, l := range m.stack {
		if l.task != "" {
			s.Task = l.task
		}
	}
	now := m.now()
	s.Elapsed, s.Part = now.Sub(m.begun), m.known
	spent := m.at.Sub(m.begun)
	if m.known < leastSeen || spent <= 0 {
		return s
	}
	pace := m.known / float64(spent)
	s.Part = min(m.known+pace*float64(now.Sub(m.at)), m.known+mostGuess*(m.end-m.known))
	s.Left = time.Duration(float64(s.Elapsed) * (1 - s.Part) / s.Part)
	return s
}
