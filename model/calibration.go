package model

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
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
func (r Recipe[T]) calibrate(
	ctx context.Context, p *Pipeline[T], kept Sample[T], keptScores *data.Matrix, held *HeldOut,
) error {
	method := r.Calibrate
	if method == "" && kept.Len() > 0 {
		method = calibrate.Softmax // sets are sets of probable classes
	}
	if method == "" {
		return nil
	}
	var setRows []int
	if kept.Len() > 0 {
		var half []int
		half, setRows = kept.Split(0.5, seed.Derive(r.Seed, seed.Calibration))
		some := kept.Select(half)
		held = &HeldOut{Scores: rowsOf(keptScores, half), Y: some.Y, Weight: some.Weight}
	}
	if held == nil || len(held.Y) == 0 {
		return nil
	}
	var err error
	weight := effective(held.Weight)
	switch method {
	case calibrate.Sigmoid:
		platt := calibrate.NewPlatt()
		platt.Weight = weight
		p.Calibration, err = platt.Fit(ctx, held.Scores, held.Y)
	case calibrate.Steps:
		p.Calibration, err = calibrate.Isotonic{Weight: weight}.Fit(ctx, held.Scores, held.Y)
	default:
		p.Calibration, err = calibrate.Temperature{Weight: weight}.Fit(ctx, held.Scores, held.Y)
	}
	if err != nil || len(setRows) == 0 {
		return err
	}
	probabilities, y := p.Calibration.All(rowsOf(keptScores, setRows)), pick(kept.Y, setRows)
	for _, coverage := range Coverages {
		c, err := calibrate.Split{Coverage: coverage, Kind: calibrate.Least}.Classes(probabilities, y)
		if err != nil {
			return err
		}
		p.Conformal = append(p.Conformal, *c)
	}
	return nil
}

// intervals gives the head its intervals, from the scores and numbers of rows kept
// for that.
func (p *Head) intervals(scores *data.Matrix, values []float64) error {
	if scores == nil {
		return nil
	}
	for _, coverage := range Coverages {
		c, err := calibrate.Split{Coverage: coverage}.Values(scores.Data, values)
		if err != nil {
			return err
		}
		p.Conformal = append(p.Conformal, *c)
	}
	return nil
}

// rowsOf returns some rows of a matrix.
func rowsOf(m *data.Matrix, index []int) *data.Matrix {
	out := data.NewMatrix(len(index), m.Cols)
	for i, j := range index {
		copy(out.Row(i), m.Row(j))
	}
	return out
}
