package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Search is the recipe that finds the best of many candidates: all points of a
// grid, or a random sample of a Space. With one round every candidate is
// evaluated in full. With R rounds it is successive halving: in round r = 1 … R
// each candidate that is left is evaluated with the budget
//
//	Keep^(R-r)   part of what a full evaluation costs, of rows for instance
//
// and the part Keep with the lowest scores, one at least, goes on. A round then
// costs about the same as every other, and the last has the full budget 1.
//
// Reference: Bergstra and Bengio 2012 for random search; Jamieson and Talwalkar
// 2016 for successive halving.
type Search[C any] struct {
	Rounds   int         // at least 1; default 1
	Keep     float64     // part that goes on to the next round, in (0, 1); default 1/3
	Parallel int         // candidates at a time, at least 1; default 1, because learners use all cores
	Control  run.Control // progress; counts groups of candidates in each round
}

// NewSearch returns the recipe with its defaults.
func NewSearch[C any]() Search[C] { return Search[C]{Rounds: 1, Keep: 1.0 / 3, Parallel: 1} }

// Validate reports every field that is out of range.
func (s Search[C]) Validate() error {
	var faults []error
	if s.Rounds < 1 || s.Rounds > 64 {
		faults = append(faults, fmt.Errorf("search: rounds is %d and must be from 1 to 64", s.Rounds))
	}
	if !(s.Keep > 0 && s.Keep < 1) {
		faults = append(faults, fmt.Errorf("search: keep is %v and must be above 0 and below 1", s.Keep))
	}
	if s.Parallel < 1 {
		faults = append(faults, fmt.Errorf("search: parallel is %d and must be at least 1", s.Parallel))
	}
	return errors.Join(faults...)
}

// Trial is one evaluation of a candidate.
type Trial[C any] struct {
	Candidate C        `json:"candidate"`
	Index     int      `json:"index"`  // of the candidate, from 0
	Round     int      `json:"round"`  // from 1
	Budget    float64  `json:"budget"` // in (0, 1]
	Score     *float64 `json:"score,omitempty"`
	Cut       bool     `json:"cut,omitempty"`   // time was up before the evaluation ended
	Error     string   `json:"error,omitempty"` // why there is no score
	Err       error    `json:"-"`
}

// Result is what a search found. It is immutable.
type Result[C any] struct {
	Best   Trial[C]     `json:"best"`
	Found  bool         `json:"found"`  // whether there is a best one
	Status learn.Status `json:"status"` // Converged where all rounds were done, else TimeLimit or Cancelled
	Trials []Trial[C]   `json:"trials"` // of each round in the order of evaluation
}

// Run evaluates candidates and returns the one with the lowest score of the last
// round that was reached, the first of them in a tie. Survivors are evaluated
// best first, so that a round that is cut short has at least seen the leader of
// the round before.
//
// A candidate whose evaluation fails, panics, or has a score that is not finite
// is recorded with its error and goes no further. When ctx ends, the best so far
// is returned with the status that says so and a nil error. An evaluation that
// was under way then is marked Cut, whatever it returned, and counts only where
// there is no other. It is an error if there is no candidate, if all failed, or
// if ctx ended before any had a score; then the result has the trials only.
//
// With Parallel at 1, or an evaluate that may be called from several goroutines
// at once and depends on nothing but its arguments, the result of a search that
// ran to its end is the same for any number of workers.
func (s Search[C]) Run(
	ctx context.Context, candidates []C, evaluate func(ctx context.Context, c C, budget float64) (float64, error),
) (Result[C], error) {
	alone := func(C, C) bool { return false }
	return s.RunGroups(ctx, candidates, alone, func(ctx context.Context, group []C, budget float64,
		done func(int, float64, error)) {
		score, err := evaluate(ctx, group[0], budget)
		done(0, score, err)
	})
}

// RunGroups is Run for candidates that share work: those of a round that are
// alike are evaluated together, as one group, and so can share what they have in
// common, such as a map of the rows, and start from each other's solutions. Alike
// must be an equivalence.
//
// Evaluate calls done(i, score, err) for each candidate of the group, in the order
// it likes, from its own goroutine. One that it leaves out failed, unless ctx has ended:
// then it was not begun. The group of the leader of the round before comes first;
// of a round that is cut short the best counts only where that leader was
// evaluated again.
func (s Search[C]) RunGroups(
	ctx context.Context, candidates []C, alike func(a, b C) bool,
	evaluate func(ctx context.Context, group []C, budget float64, done func(i int, score float64, err error)),
) (Result[C], error) {
	var out Result[C]
	if err := s.Validate(); err != nil {
		return out, err
	}
	if len(candidates) == 0 {
		return out, errors.New("search: there are no candidates and one is needed")
	}
	left := make([]int, len(candidates)) // the candidates of the round, best first
	for i := range left {
		left[i] = i
	}
	out.Status = learn.Converged
	for round := 1; round <= s.Rounds && len(left) > 0; round++ {
		trials, done := s.round(ctx, round, grouped(left, candidates, alike), candidates, evaluate)
		out.Trials = append(out.Trials, trials...)
		ranked := rank(trials)
		if len(ranked) > 0 {
			// A full evaluation of an earlier round is better than a cut one, and
			// its winner better than those it beat.
			again := func(t Trial[C]) bool { return t.Index == out.Best.Index && !t.Cut }
			if best := ranked[0]; !out.Found || !best.Cut && (done || slices.ContainsFunc(trials, again)) {
				out.Best, out.Found = best, true
			}
		}
		if !done {
			out.Status = learn.Stopped(ctx)
			break
		}
		keep := min(max(int(math.Ceil(float64(len(left))*s.Keep-1e-9)), 1), len(ranked))
		left = left[:0]
		for _, t := range ranked[:keep] {
			left = append(left, t.Index)
		}
	}
	if out.Found {
		return out, nil
	}
	if out.Status != learn.Converged {
		return out, fmt.Errorf("search: no candidate was evaluated before time was up: %w", ctx.Err())
	}
	return out, fmt.Errorf("search: all %d candidates failed, the first with: %w", len(candidates), out.Trials[0].Err)
}

// grouped divides the candidates that are left into groups of those that are
// alike, in the order of the first of each.
func grouped[C any](left []int, candidates []C, alike func(a, b C) bool) [][]int {
	var groups [][]int
	for _, i := range left {
		g := slices.IndexFunc(groups, func(g []int) bool { return alike(candidates[g[0]], candidates[i]) })
		if g < 0 {
			groups = append(groups, []int{i})
			continue
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// round evaluates the candidates that are left. It returns the evaluations that
// were begun and whether all of them came to their end.
func (s Search[C]) round(
	ctx context.Context, round int, groups [][]int, candidates []C,
	evaluate func(context.Context, []C, float64, func(int, float64, error)),
) ([]Trial[C], bool) {
	budget := math.Pow(s.Keep, float64(s.Rounds-round))
	trials := make([][]*Trial[C], len(groups))
	ctl := s.Control
	ctl.Workers = s.Parallel
	err := par.For(ctx, ctl, fmt.Sprintf("searching, round %d of %d", round, s.Rounds), len(groups), func(a int) error {
		group := make([]C, len(groups[a]))
		trials[a] = make([]*Trial[C], len(group))
		for k, i := range groups[a] {
			group[k] = candidates[i]
		}
		done := func(k int, score float64, err error) {
			t := &Trial[C]{Candidate: group[k], Index: groups[a][k], Round: round, Budget: budget, Cut: ctx.Err() != nil}
			if err == nil && (math.IsNaN(score) || math.IsInf(score, 0)) {
				err = fmt.Errorf("the score is %v and must be finite", score)
			}
			if err != nil {
				t.Err, t.Error = err, err.Error()
			} else {
				t.Score = &score
			}
			trials[a][k] = t
		}
		failed := guarded(ctx, group, budget, evaluate, done)
		for k, t := range trials[a] {
			if t == nil && (failed != nil || ctx.Err() == nil) {
				done(k, 0, cmp.Or(failed, errors.New("the candidate was not evaluated")))
			}
		}
		return nil
	})
	var begun []Trial[C]
	all := err == nil
	for _, group := range trials {
		all = all && group != nil
		for _, t := range group {
			if t != nil {
				begun = append(begun, *t)
			}
			all = all && t != nil && !t.Cut
		}
	}
	return begun, all
}

// guarded turns a panic of an evaluation into its error, so that one group does
// not end the search.
func guarded[C any](
	ctx context.Context, group []C, budget float64,
	evaluate func(context.Context, []C, float64, func(int, float64, error)), done func(int, float64, error),
) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the evaluation panicked: %v", p)
		}
	}()
	evaluate(ctx, group, budget, done)
	return nil
}

// rank returns the trials that have a score: those that ended before those that
// were cut, then by score, then by candidate.
func rank[C any](trials []Trial[C]) []Trial[C] {
	out := slices.DeleteFunc(slices.Clone(trials), func(t Trial[C]) bool { return t.Score == nil })
	order.Stable(out, func(a, b Trial[C]) int {
		if a.Cut != b.Cut {
			if b.Cut {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(*a.Score, *b.Score), cmp.Compare(a.Index, b.Index))
	})
	return out
}
