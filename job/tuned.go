package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// Tuned is what came of a search.
type Tuned struct {
	Baseline *Baseline      `json:"baseline"` // of the final model
	Best     TuneTrial      `json:"best"`
	Dim      int            `json:"dim"` // of the final model
	Fits     int            `json:"fits"`
	Folds    int            `json:"folds"`
	Learner  string         `json:"learner"`
	Maps     int            `json:"maps"`
	Metric   eval.Criterion `json:"metric,omitempty"` // of the losses; empty for the error, or the RMSE
	Output   *string        `json:"model"`            // file
	N        int            `json:"n"`
	Scale    scale.Kind     `json:"scale"`
	Report   string         `json:"report,omitempty"` // file that the caller wrote a report to
	Search   Search         `json:"search"`
	Seconds  float64        `json:"seconds"`
	Status   learn.Status   `json:"status"`
	Task     model.Task     `json:"task"`
	Test     *Score         `json:"test"`
	Train    *Score         `json:"train"`
	Trials   []TuneTrial    `json:"trials"` // from the best on: those of later rounds first, those that failed last
	Weights  *Weighing      `json:"weights,omitempty"`

	Final     *Trained `json:"-"` // the model that was trained of the best
	File      string   `json:"-"` // name of the data's file
	FileRows  int      `json:"-"`
	UsedRows  int      `json:"-"` // of the search, at most
	OneSplit  bool     `json:"-"` // whether candidates are tested on a quarter of the rows once
	Penalized string   `json:"-"` // what the penalty is called that was searched; empty for none
}

// TuneTrial is one candidate on some of the rows.
type TuneTrial struct {
	Kernel  string // on all rows of the search; in a trial the width is that of the rows trained on
	Map     string
	Dim     *int     // nil for none asked for
	C       *float64 // nil for none
	Lambda  *float64
	Loss    *float64 // by Metric; nil where it failed
	Std     *float64 // over the folds; nil for one
	Seconds float64
	Round   int
	Rows    int
	Order   int    // place among all evaluations, from 1
	Failure string // why there is no loss
	Cut     bool   // whether time was up before it ended

	by       eval.Criterion
	measured bool
}

// MarshalJSON writes the loss by its name: error, rmse, 1-auc and so on.
func (t TuneTrial) MarshalJSON() ([]byte, error) {
	loss := cmp.Or(string(t.by), string(eval.ByError))
	if t.by == eval.ByAUC || t.by == eval.ByF1 {
		loss = "1-" + loss
	}
	out := map[string]any{"kernel": t.Kernel, "map": t.Map, "dim": t.Dim, loss: t.Loss, "round": t.Round, "rows": t.Rows}
	if t.C != nil {
		out["C"] = t.C
	}
	if t.Lambda != nil {
		out["lambda"] = t.Lambda
	}
	if t.measured {
		out["std"], out["seconds"] = t.Std, t.Seconds
	}
	if t.Failure != "" {
		out["error_message"] = t.Failure
	}
	if t.Cut {
		out["cut"] = true
	}
	return json.Marshal(out)
}

// kernelOf is what a candidate's kernel is called on all rows of the search. In
// a trial the width comes from the rows that were trained on.
func (t *tuning[T]) kernelOf(c candidate) string {
	if model.RawMap(t.space.maps[c.way], nil) && !t.choices.traits.Kernel {
		return linearKernel
	}
	k, err := makeKernel(t.worker.kind, t.space, c, t.medians, t.o.Seed)
	if err != nil {
		return t.space.kernels[c.kernel].String()
	}
	return kernelName(k)
}

// describe is what became of a candidate.
func (t *tuning[T]) describe(r eval.Trial[candidate]) TuneTrial {
	c := r.Candidate
	out := TuneTrial{
		Kernel: t.kernelOf(c), Map: t.space.maps[c.way], Loss: r.Score, Round: r.Round, Failure: r.Error, Cut: r.Cut,
		Rows: int(math.Round(r.Budget * float64(len(t.index)))), by: t.targets.by,
	}
	s := c.choices(t.choices, t.space)
	if d := s.dim(); d > 0 {
		out.Dim = &d
	}
	if v, ok := s.Learner.Args["C"].(float64); ok {
		out.C = &v
	} else if v, ok := s.Learner.Args["lambda"].(float64); ok {
		out.Lambda = &v
	}
	if n, ok := t.notes[note{c, r.Budget}]; ok && r.Score != nil {
		out.Std, out.Seconds, out.measured = n.std, n.seconds, true
	}
	return out
}

// ranked returns the trials from the best on.
func (t *tuning[T]) ranked() []eval.Trial[candidate] {
	worth := func(t eval.Trial[candidate]) int {
		switch {
		case t.Score == nil:
			return 2
		case t.Cut:
			return 1
		}
		return 0
	}
	out := slices.Clone(t.result.Trials)
	order.Stable(out, func(a, b eval.Trial[candidate]) int {
		if bad := cmp.Compare(worth(a), worth(b)); bad != 0 || a.Score == nil {
			return bad
		}
		return cmp.Or(cmp.Compare(b.Round, a.Round), cmp.Compare(*a.Score, *b.Score), cmp.Compare(a.Index, b.Index))
	})
	return out
}

// oneSplit reports whether candidates are tested on a quarter of the rows once.
func (t *tuning[T]) oneSplit() bool { return t.large && !t.o.FoldsGiven }

// tuned gathers the result.
func (t *tuning[T]) tuned() *Tuned {
	final := t.final.out
	out := &Tuned{
		Baseline: final.Baseline,
		Best:     t.describe(t.result.Best), Dim: t.final.pipeline.Map.Dim(), Fits: t.fits, Folds: t.o.Folds,
		Learner: t.choices.Learner.Name,
		Maps:    t.maps, Output: final.Output, N: final.N, Scale: t.scale, Search: t.o.Search, Status: t.result.Status,
		Task: t.choices.Task, Metric: t.targets.unusual(),
		Test: final.Test, Train: final.Train, Trials: []TuneTrial{}, Weights: final.Weights, Final: final, File: t.rows.Name,
		FileRows: t.rows.Len(), UsedRows: len(t.index), OneSplit: t.oneSplit(), Penalized: t.space.penalty,
	}
	if out.OneSplit {
		out.Folds = 1
	}
	order := map[[2]int]int{}
	for i, r := range t.result.Trials {
		order[[2]int{r.Index, r.Round}] = i + 1
	}
	for _, r := range t.ranked() {
		trial := t.describe(r)
		trial.Order = order[[2]int{r.Index, r.Round}]
		out.Trials = append(out.Trials, trial)
	}
	return out
}

// Words say for people how was searched.
func (t *Tuned) Words() string {
	how := fmt.Sprintf("%d folds", t.Folds)
	if t.OneSplit {
		how = "a quarter of them to test on"
	}
	end := "done"
	if t.Status != learn.Converged {
		end = string(t.Status)
	}
	return fmt.Sprintf("%s: %d evaluations (%d fits, %d maps) on up to %d rows, %s; %s",
		t.Search, len(t.Trials), t.Fits, t.Maps, t.UsedRows, how, end)
}
