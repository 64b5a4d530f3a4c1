package model

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Trial is one value that was tried on held-out rows.
type Trial struct {
	C     float64 `json:"C"`
	Error float64 `json:"error"`
}

const (
	chooseFewest    = 4000  // rows that the choice of C looks at, at least
	chooseMost      = 20000 // and at most
	chooseWork      = 1e7   // weights times rows, in between
	chooseFraction  = 0.25  // of the rows held out
	chooseTolerance = 1e-2
	choosePasses    = 200       // at least
	chooseVisits    = 4_000_000 // rows visited, for more passes over few rows
)

// chooseGrid are the values of C that are tried, in increasing order.
var chooseGrid = []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}

// chooseC returns the C with the smallest error on held-out rows, the smallest
// such C in a tie. It looks at a sample of the rows, with a loose tolerance. It
// stops early when three values in turn brought nothing, and at a value for
// which the learner does not get to its optimum in the passes it has: larger
// ones are harder still.
func (r Recipe[T]) chooseC(ctx context.Context, d data.Labeled[data.Vector, int], classes int) (float64, []Trial, error) {
	weights := data.Dim(d.X) * learn.Separators(classes)
	rows := int(min(max(chooseWork/float64(max(weights, 1)), chooseFewest), chooseMost))
	if d.X.Len() > rows {
		_, sample := data.SplitBy(d.Y, float64(rows)/float64(d.X.Len()), r.Seed)
		d = d.Select(sample)
	}
	rest, held := data.SplitBy(d.Y, chooseFraction, r.Seed+1)
	fit, test := d.Select(rest), d.Select(held)
	if len(held) == 0 || learn.CheckClasses(fit.X.Len(), fit.Y, classes) != nil {
		return r.C, nil, nil // too few rows to hold any out
	}
	r.Tolerance, r.MaxPasses = max(r.Tolerance, chooseTolerance), min(r.MaxPasses, max(choosePasses, chooseVisits/fit.X.Len()))
	best, idle := Trial{Error: 2}, 0
	var trials []Trial
	r.Run.Progress.Begin("choose C", int64(len(chooseGrid)))
	defer r.Run.Progress.End()
	quiet := r
	quiet.Run = r.Run.Quiet()
	for i, c := range chooseGrid {
		multi, report, err := quiet.separate(ctx, fit, classes, c)
		if err == nil && report.Status == learn.Cancelled {
			err = ctx.Err()
		}
		if err != nil {
			return 0, nil, err
		}
		if report.Status != learn.Converged && i > 0 {
			break
		}
		wrong := 0
		for j := range test.Y {
			if multi.Predict(test.X.At(j)) != test.Y[j] {
				wrong++
			}
		}
		trial := Trial{C: c, Error: float64(wrong) / float64(len(test.Y))}
		trials = append(trials, trial)
		r.Run.Progress.Advance(int64(i + 1))
		if trial.Error < best.Error {
			best, idle = trial, 0
		} else if idle++; idle == 3 {
			break
		}
	}
	return best.C, trials, nil
}
