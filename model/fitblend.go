package model

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/run"
)

// FitBlend fits several recipes to one sample and blends them: the scores are
// Σ weight_i·scores_i. Probabilities are calibrated on held, the scores of rows that
// such a blend was not fitted to; nil for none. Calibrate, Conformal, Seed and Run
// are those of the first recipe; nothing is chosen and nothing certified. The report
// is that of the first recipe too, with the work and the time of all.
func FitBlend[T any](
	ctx context.Context, recipes []Recipe[T], weight []float64, s Sample[T], held *HeldOut,
) (*Pipeline[T], Training, error) {
	if len(recipes) == 0 || len(recipes) != len(weight) {
		return nil, Training{}, fmt.Errorf("there are %d recipes to blend and %d weights", len(recipes), len(weight))
	}
	lead := recipes[0]
	if lead.Claim != nil {
		return nil, Training{}, errors.New("a blend cannot be certified; fit a single recipe")
	}
	lead, s, err := lead.ready(s)
	if err != nil {
		return nil, Training{}, err
	}
	begun, counter, outer := time.Now(), &run.Counter{}, lead.Run.Counter
	rest, kept := whole(s.Len()), []int(nil)
	if lead.Conformal > 0 {
		rest, kept = s.Split(lead.Conformal, seed.Derive(lead.Seed, seed.Conformal))
	}
	fitted := s
	if len(kept) > 0 {
		fitted = s.Select(rest)
	}
	var total, scoring float64
	for _, r := range recipes {
		total += r.Work(fitted)
		scoring += r.work(fitted, float64(fitted.Len())).score
	}
	if len(recipes) > 1 {
		total += scoring
	}
	stages := lead.Run.Progress.Divide("fit", total)
	defer stages.End()
	var t Training
	parts := make([]*Pipeline[T], len(recipes))
	for i, r := range recipes {
		r.Calibrate, r.Conformal, r.Choose, r.Run.Counter = "", 0, false, counter
		stages.Next("", r.Work(fitted))
		p, one, err := r.FitSample(ctx, fitted)
		if err != nil {
			return nil, t, err
		}
		if parts[i] = p; i == 0 {
			t = one
		}
	}
	p := parts[0]
	if len(parts) > 1 {
		if p, err = Blend(parts, weight); err != nil {
			return nil, t, err
		}
		stages.Next("score", scoring)
		if err := score(after(ctx), lead.Run, &t, p, fitted, nil, nil); err != nil {
			return nil, t, err
		}
	}
	t.Kept, t.HeldOut = len(kept), held
	if err := lead.finish(after(ctx), p, &t, s.Select(kept), held, rest, kept); err != nil {
		return nil, t, err
	}
	t.Evaluations, t.Elapsed = counter.Count(), time.Since(begun)
	outer.Add(t.Evaluations)
	return p, t, p.Validate()
}

// Blended returns the weighted sum of scores.
func Blended(scores []*data.Matrix, weight []float64) *data.Matrix {
	out := data.NewMatrix(scores[0].Rows, scores[0].Cols)
	for i, m := range scores {
		for j, v := range m.Data {
			out.Data[j] += weight[i] * v
		}
	}
	return out
}
