package model_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/model"
)

// TestFixedAndChosenPenalties: a penalty that is given is used as it is; otherwise
// the one with the smallest error of those tried is, and the trials are told.
func TestFixedAndChosenPenalties(t *testing.T) {
	for _, j := range jobs() {
		traits := j.traits()
		if !j.dense || j.classes == 3 || j.kind == model.MapF2 {
			continue
		}
		given := args{"C": 0.37, "lambda": 0.0037}
		_, fixed := j.mustFit(t, j.recipe(given), 120)
		if traits.Penalty == model.PenaltyC && fixed.C != 0.37 || len(fixed.Trials) > 0 ||
			traits.Penalty == model.PenaltyLambda && fixed.Lambda != 0.0037 {
			t.Errorf("%s: C is %v and lambda %v after %d trials", j, fixed.C, fixed.Lambda, len(fixed.Trials))
		}
		_, chosen := j.mustFit(t, j.choosing(given), 120)
		if traits.Penalty == "" {
			if len(chosen.Trials) > 0 {
				t.Errorf("%s has no penalty and tried %v", j, chosen.Trials)
			}
			continue
		}
		penalty := chosen.C
		if traits.Penalty == model.PenaltyLambda {
			penalty = chosen.Lambda
		}
		if len(chosen.Trials) < 2 {
			t.Errorf("%s: %d trials", j, len(chosen.Trials))
			continue
		}
		best := slices.MinFunc(chosen.Trials, func(a, b model.Trial) int { // the first in a tie
			switch {
			case a.Error < b.Error:
				return -1
			case a.Error > b.Error:
				return 1
			}
			return 0
		})
		if penalty != best.Penalty {
			t.Errorf("%s: the penalty is %v, and %v was the best of %v", j, penalty, best.Penalty, chosen.Trials)
		}
	}
}
