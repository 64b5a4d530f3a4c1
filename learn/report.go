package learn

import (
	"context"
	"errors"
	"math"
)

// Stopped returns the status of a fit whose context has ended: TimeLimit if
// its deadline has passed, Cancelled otherwise.
func Stopped(ctx context.Context) Status {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimeLimit
	}
	return Cancelled
}

// Interrupted reports whether err is that of a context which has ended.
func Interrupted(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// Ended reports whether a fit came to its own end and was not stopped from
// outside.
func (s Status) Ended() bool { return s != Cancelled && s != TimeLimit }

// severity orders the ways to end, the best first.
var severity = map[Status]int{
	Converged:      0,
	BelowTolerance: 1,
	IterationLimit: 2,
	TimeLimit:      3,
	Cancelled:      4,
}

// Merge returns the report of several independent fits as one: the worst
// status, in the order converged, below tolerance, iteration limit, time limit,
// cancelled, and the sums of all numbers. Objective and Gap so become those of
// the joint problem, whose objective is the sum of the parts: the joint optimum
// is within Gap, and Gap/Objective is at most the largest relative gap of a
// part, and Gradient, the one number that is not a sum, is the length of the
// joint gradient. Support counts an instance once a part that gives it weight.
// Elapsed is computing time; the caller of parallel fits replaces it.
//
// Without reports it is the zero Report.
func Merge(reports ...Report) Report {
	var m Report
	for i, r := range reports {
		if i == 0 || severity[r.Status] > severity[m.Status] {
			m.Status = r.Status
		}
		m.Iterations += r.Iterations
		m.Objective += r.Objective
		m.Gap += r.Gap
		m.Gradient = math.Hypot(m.Gradient, r.Gradient)
		m.Mistakes += r.Mistakes
		m.MistakeBound += r.MistakeBound
		m.Support += r.Support
		m.Evaluations += r.Evaluations
		m.Elapsed += r.Elapsed
	}
	return m
}
