package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

func TestSearchAll(t *testing.T) {
	score := map[string]float64{"a": 3, "b": 1, "c": 2, "d": 1}
	var tasks []string
	var steps []int64
	s := eval.NewSearch[string]()
	s.Control.Progress = run.Progress{
		Start: func(task string, total int64) { tasks = append(tasks, fmt.Sprint(task, " ", total)) },
		Step:  func(done int64) { steps = append(steps, done) },
	}
	r, err := s.Run(t.Context(), []string{"a", "bad", "b", "panic", "nan", "c", "d"},
		func(_ context.Context, c string, budget float64) (float64, error) {
			if budget != 1 {
				t.Errorf("budget %v", budget)
			}
			switch c {
			case "bad":
				return 0, errors.New("does not fit")
			case "panic":
				panic("oh")
			case "nan":
				return math.NaN(), nil
			}
			return score[c], nil
		})
	if err != nil || !r.Found || r.Best.Candidate != "b" || r.Best.Index != 2 || *r.Best.Score != 1 ||
		r.Status != learn.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(r.Trials) != 7 || r.Trials[1].Error != "does not fit" || !strings.Contains(r.Trials[3].Error, "oh") ||
		r.Trials[4].Err == nil || r.Trials[4].Score != nil {
		t.Errorf("%+v", r.Trials)
	}
	if !slices.Equal(tasks, []string{"searching, round 1 of 1 7"}) || !slices.Equal(steps, []int64{1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("progress %v, %v", tasks, steps)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// TestHalving compares with halving written out: who is in each round, with
// which budget, and the winner.
func TestHalving(t *testing.T) {
	quality := func(c int, budget float64) float64 {
		rng := rand.New(rand.NewPCG(uint64(c), 5))
		return float64((c*7)%27) + (1-budget)*10*rng.NormFloat64()
	}
	var candidates []int
	for c := range 27 {
		candidates = append(candidates, c)
	}
	for _, parallel := range []int{1, 2, 3} {
		s := eval.Search[int]{Rounds: 3, Keep: 1.0 / 3, Parallel: parallel}
		r, err := s.Run(t.Context(), candidates, func(_ context.Context, c int, budget float64) (float64,
			error) {
			return quality(c, budget), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		left, at := slices.Clone(candidates), 0
		for round, budget := range []float64{1.0 / 9, 1.0 / 3, 1} {
			for _, c := range left {
				if got := r.Trials[at]; got.Candidate != c || got.Round != round+1 || math.Abs(got.Budget-budget) > 1e-15 ||
					*got.Score != quality(c, got.Budget) {
					t.Fatalf("trial %d is %+v", at, got)
				}
				at++
			}
			b := r.Trials[at-1].Budget
			slices.SortStableFunc(left, func(a, c int) int {
				if quality(a, b) < quality(c, b) {
					return -1
				}
				return 1
			})
			if round < 2 {
				left = left[:len(left)/3]
			}
		}
		if at != len(r.Trials) || r.Best.Candidate != left[0] || r.Best.Budget != 1 {
			t.Errorf("%d trials, best %+v, want %d", len(r.Trials), r.Best, left[0])
		}
	}
}

func TestHalvingFew(t *testing.T) {
	s := eval.Search[int]{Rounds: 5, Keep: 0.5, Parallel: 1}
	r, err := s.Run(t.Context(), []int{7}, func(_ context.Context, c int, b float64) (float64, error) { return b, nil })
	if err != nil || len(r.Trials) != 5 || r.Best.Budget != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	// All fail in the second round: the leader of the first stays.
	r, err = s.Run(t.Context(), []int{1, 2, 3}, func(_ context.Context, c int, b float64) (float64, error) {
		if b > 0.1 {
			return 0, errors.New("too large")
		}
		return float64(-c), nil
	})
	if err != nil || r.Best.Candidate != 3 || r.Best.Round != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSearchStops has a context that ends in the third evaluation, which
// returns the lowest score but was cut.
func TestSearchStops(t *testing.T) {
	for _, c := range []struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		want learn.Status
	}{
		{context.WithCancel, learn.Cancelled},
		{func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			return late{ctx}, func() { cancel(context.DeadlineExceeded) }
		}, learn.TimeLimit},
	} {
		ctx, cancel := c.end(t.Context())
		r, err := eval.NewSearch[int]().Run(ctx, []int{5, 4, 3, 2},
			func(_ context.Context, v int, _ float64) (float64, error) {
				if v == 3 {
					cancel()
				}
				return float64(v), nil
			})
		if err != nil || r.Best.Candidate != 4 || r.Status != c.want || len(r.Trials) != 3 || !r.Trials[2].Cut {
			t.Errorf("%+v, %v", r, err)
		}
		// Nothing but a cut evaluation is better than nothing.
		ctx, cancel = c.end(t.Context())
		r, err = eval.NewSearch[int]().Run(ctx, []int{5, 4}, func(_ context.Context, v int, _ float64) (float64, error) {
			cancel()
			return float64(v), nil
		})
		if err != nil || r.Best.Candidate != 5 || !r.Best.Cut || r.Status != c.want {
			t.Errorf("%+v, %v", r, err)
		}
		r, err = eval.NewSearch[int]().Run(ctx, []int{5},
			func(context.Context, int, float64) (float64, error) { return 0, nil })
		if err == nil || r.Found || r.Status != c.want || !errors.Is(err, ctx.Err()) {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// late is a context that says its deadline has passed once it was cancelled.
type late struct{ context.Context }

func (l late) Err() error {
	if l.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func TestSearchBadInput(t *testing.T) {
	none := func(context.Context, int, float64) (float64, error) { return 0, errors.New("never") }
	if _, err := eval.NewSearch[int]().Run(t.Context(), nil, none); err == nil {
		t.Error("no candidates")
	}
	r, err := eval.NewSearch[int]().Run(t.Context(), []int{1, 2}, none)
	if err == nil || r.Found || len(r.Trials) != 2 || !strings.Contains(err.Error(), "never") {
		t.Errorf("%+v, %v", r, err)
	}
	err = eval.Search[int]{}.Validate()
	for _, field := range []string{"rounds", "keep", "parallel"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v does not name %s", err, field)
		}
	}
}

func TestSpace(t *testing.T) {
	if got := eval.Linear(1, 3).Grid(5); !reflect.DeepEqual(got, []float64{1, 1.5, 2, 2.5, 3}) {
		t.Errorf("linear %v", got)
	}
	for i, v := range eval.Log(1e-3, 1e3).Grid(7) {
		near(t, "log", v/math.Pow(10, float64(i-3)), 1, 1e-14)
	}
	if got := (eval.Range{Low: 1, High: 8, Log: true, Whole: true}).Grid(4); !reflect.DeepEqual(got,
		[]float64{1, 2, 4, 8}) {
		t.Errorf("whole %v", got)
	}
	if got := eval.Linear(1, 3).Grid(1); !reflect.DeepEqual(got, []float64{2}) {
		t.Errorf("one %v", got)
	}
	s := eval.Space{eval.Linear(0, 1), eval.Log(1, 4)}
	grid, err := s.Grid(2, 3)
	if err != nil || len(grid) != 6 || !reflect.DeepEqual(grid[1][:1], []float64{0}) || math.Abs(grid[1][1]-2) > 1e-15 ||
		grid[5][0] != 1 || grid[5][1] != 4 {
		t.Errorf("%v, %v", grid, err)
	}
	few, _ := s.Sample(3, 7)
	many, err := s.Sample(4000, 7)
	if err != nil || !reflect.DeepEqual(few, many[:3]) {
		t.Errorf("a larger sample does not begin with a smaller one: %v", err)
	}
	// Half of the points are below the middle of each scale: 2000 with a
	// deviation of 32, and this is five of them.
	below := [2]int{}
	for _, p := range many {
		for j, middle := range []float64{0.5, 2} {
			if p[j] < middle {
				below[j]++
			}
			if p[j] < s[j].Low || p[j] > s[j].High {
				t.Fatalf("%v is outside", p)
			}
		}
	}
	for _, b := range below {
		near(t, "points below the middle", float64(b), 2000, 160)
	}
}

func TestSpaceBadInput(t *testing.T) {
	for _, r := range []eval.Range{eval.Linear(2, 1), eval.Log(0, 1), eval.Log(-1, 1), eval.Linear(math.NaN(), 1),
		eval.Linear(0, math.Inf(1)), eval.Linear(math.Inf(-1), 0), {Low: 0.5, High: 3, Whole: true}} {
		if _, err := (eval.Space{r}).Sample(1, 1); err == nil {
			t.Errorf("%+v is let through", r)
		}
	}
	s := eval.Space{eval.Linear(0, 1), eval.Linear(0, 1)}
	for _, steps := range [][]int{{1}, {0, 1}, {1001, 1000}} {
		if _, err := s.Grid(steps...); err == nil {
			t.Errorf("steps %v", steps)
		}
	}
	if _, err := s.Sample(-1, 1); err == nil {
		t.Error("-1 points")
	}
}

// TestSearchGroups: those that are alike come together, the leader's group first,
// and whoever is left out has failed.
func TestSearchGroups(t *testing.T) {
	s := eval.NewSearch[int]()
	s.Rounds, s.Keep = 2, 0.5
	var calls [][]int
	r, err := s.RunGroups(t.Context(), []int{10, 20, 11, 21, 12, 30}, func(a, b int) bool { return a/10 == b/10 },
		func(_ context.Context, group []int, _ float64, done func(int, float64, error)) {
			calls = append(calls, slices.Clone(group))
			for i := len(group) - 1; i >= 0; i-- { // in the order it likes
				switch group[i] {
				case 12:
					done(i, 0, errors.New("bad"))
				case 30: // left out
				default:
					done(i, float64(-group[i]), nil)
				}
			}
		})
	if err != nil || r.Best.Candidate != 21 || r.Best.Round != 2 || r.Status != learn.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	if want := [][]int{{10, 11, 12}, {20, 21}, {30}, {21, 20}, {11}}; !reflect.DeepEqual(calls, want) {
		t.Errorf("groups %v, want %v", calls, want)
	}
	if len(r.Trials) != 9 || r.Trials[2].Error != "bad" || !strings.Contains(r.Trials[5].Error, "not evaluated") {
		t.Errorf("%+v", r.Trials)
	}
}

// TestSearchGroupsCut: a round that is cut before its leader was evaluated again
// changes nothing, and one that is cut after it counts.
func TestSearchGroupsCut(t *testing.T) {
	for _, first := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		s := eval.NewSearch[int]()
		s.Rounds, s.Keep = 2, 0.9
		r, err := s.RunGroups(ctx, []int{0, 1}, func(int, int) bool { return true },
			func(ctx context.Context, group []int, budget float64, done func(int, float64, error)) {
				if budget < 1 {
					done(slices.Index(group, 0), 1, nil)
					done(slices.Index(group, 1), 2, nil)
					return
				}
				done(slices.Index(group, first), 3, nil)
				cancel()
			})
		cancel()
		want := map[int]int{0: 2, 1: 1}[first] // the round of the best
		if err != nil || r.Status != learn.Cancelled || r.Best.Candidate != 0 || r.Best.Round != want {
			t.Errorf("%d first: %+v, %v", first, r.Best, err)
		}
		if len(r.Trials) != 3 {
			t.Errorf("%d first: %d trials: what was not begun is no trial", first, len(r.Trials))
		}
	}
}
