package run

import (
	"math"
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
	Total  func(total int64)              // the task is so many steps in all, as is known by now
	Near   func(part float64)             // about this part of the task is done, where its steps do not tell
	Read   func(bytes, size int64)        // so many bytes of a file are read; size is 0 where it is not known
	Limit  func(most time.Duration)       // the task under way ends after so much time from now, if not before
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

// gathering is how the time goes by that a number takes to fall: slowly first, and then by
// ever larger factors. Of ten fits of real data by conjugate gradients, by pairs of
// multipliers and by Newton's method, 0.25 to 1 would have done for one or the other.
const gathering = 0.6

// Approach calls Near, where it is set, for a task that ends when a number which
// began at first falls to goal, ever faster:
//
//	part = (log(first/now) / log(first/goal))^0.6
func (p Progress) Approach(first, now, goal float64) {
	if part := math.Log(first/now) / math.Log(first/goal); p.Near != nil && part > 0 { // false for NaN
		p.Near(min(math.Pow(part, gathering), 1))
	}
}

// Within calls Limit, where it is set and there is a limit.
func (p Progress) Within(most time.Duration) {
	if p.Limit != nil && most > 0 {
		p.Limit(most)
	}
}

// End calls Finish where it is set.
func (p Progress) End() {
	if p.Finish != nil {
		p.Finish()
	}
}
