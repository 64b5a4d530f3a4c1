package model

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// Coverages are the coverages at which prediction sets and intervals are kept.
var Coverages = []float64{0.5, 0.8, 0.9, 0.95, 0.99}

// calibrate gives the pipeline its probabilities, from the scores of rows that
// had no part in a fit, and its prediction sets, from rows kept for that. Rows
// that are kept serve both, half each: sets must not have seen the calibration.
// Weights of rows count in the probabilities. In the sets they do not: a set
// holds its coverage for rows that come as those of the sample do, and not as
// they are weighted.
func (r Recipe[T]) calibrate(ctx context.Context, p *Pipeline[T], kept data.Labeled[T, int], held *heldOut) error {
	method := r.Calibrate
	if method == "" && len(kept.Y) > 0 {
		method = calibrate.Softmax // sets are sets of probable classes
	}
	if method == "" {
		return nil
	}
	if len(kept.Y) > 0 {
		first, second := data.SplitBy(kept.Y, 0.5, r.Seed+4)
		half := kept.Select(first)
		scores, err := p.ScoreAll(ctx, r.Run.Quiet(), half.X)
		if err != nil {
			return err
		}
		held, kept = &heldOut{scores: scores, y: half.Y, weight: half.Weight}, kept.Select(second)
	}
	if held == nil || len(held.y) == 0 {
		return nil
	}
	var err error
	weight := effective(held.weight)
	switch method {
	case calibrate.Sigmoid:
		platt := calibrate.NewPlatt()
		platt.Weight = weight
		p.Calibration, err = platt.Fit(ctx, held.scores, held.y)
	case calibrate.Steps:
		p.Calibration, err = calibrate.Isotonic{Weight: weight}.Fit(ctx, held.scores, held.y)
	default:
		p.Calibration, err = calibrate.Temperature{Weight: weight}.Fit(ctx, held.scores, held.y)
	}
	if err != nil || len(kept.Y) == 0 {
		return err
	}
	scores, err := p.ScoreAll(ctx, r.Run.Quiet(), kept.X)
	if err != nil {
		return err
	}
	probabilities := p.Calibration.All(scores)
	for _, coverage := range Coverages {
		c, err := calibrate.Split{Coverage: coverage, Kind: calibrate.Least}.Classes(probabilities, kept.Y)
		if err != nil {
			return err
		}
		p.Conformal = append(p.Conformal, *c)
	}
	return nil
}

// intervals gives the pipeline its intervals, from rows kept for that.
func (r Recipe[T]) intervals(ctx context.Context, p *Pipeline[T], kept data.Labeled[T, float64]) error {
	if len(kept.Y) == 0 {
		return nil
	}
	scores, err := p.ScoreAll(ctx, r.Run.Quiet(), kept.X)
	if err != nil {
		return err
	}
	for _, coverage := range Coverages {
		c, err := calibrate.Split{Coverage: coverage}.Values(scores.Data, kept.Y)
		if err != nil {
			return err
		}
		p.Conformal = append(p.Conformal, *c)
	}
	return nil
}
