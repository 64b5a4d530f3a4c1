package engine

import (
	"fmt"
	"time"

	"github.com/kerf-ml/kerf/job"
)

// Times are how long the parts of a job took, by the clocks of who worked on them.
type Times struct {
	Do    job.Do
	Units int

	Submit  time.Duration // until the first unit was begun
	Work    time.Duration // from there until the last was done
	InUnits time.Duration // sum over the units
	Merge   time.Duration // from there until the last group was merged
	End     time.Duration // until the engine said that the job is done
	Collect time.Duration // to read the results and add them up here
}

// String is the same for people.
func (t Times) String() string {
	return fmt.Sprintf("job %s: %d units; submit %.2f work %.2f in units %.2f merge %.2f end %.2f collect %.2f seconds",
		t.Do, t.Units, t.Submit.Seconds(), t.Work.Seconds(), t.InUnits.Seconds(), t.Merge.Seconds(), t.End.Seconds(),
		t.Collect.Seconds())
}

// timing is what Times are made of.
type timing struct {
	begun, ended             time.Time // of the pipeline
	first, last, mergedUntil time.Time
	inUnits                  time.Duration
}

// unit takes in a unit.
func (t *timing) unit(s *settled) {
	if t.first.IsZero() || s.Began.Before(t.first) {
		t.first = s.Began
	}
	if s.Ended.After(t.last) {
		t.last = s.Ended
	}
	t.inUnits += s.Ended.Sub(s.Began)
}

// group takes in units that were merged.
func (t *timing) group(s *settled) {
	if s.Ended.After(t.mergedUntil) {
		t.mergedUntil = s.Ended
	}
}

// times returns what a job took that ends now. Results of an earlier run count as nothing.
func (t *timing) times(do job.Do, units int) Times {
	from := func(a, b time.Time) time.Duration { return max(0, b.Sub(a)) }
	out := Times{Do: do, Units: units, Submit: from(t.begun, t.first), Work: from(t.first, t.last), InUnits: t.inUnits,
		Collect: time.Since(t.ended)}
	last := t.last
	if !t.mergedUntil.IsZero() {
		out.Merge, last = from(t.last, t.mergedUntil), t.mergedUntil
	}
	out.End = from(last, t.ended)
	return out
}
