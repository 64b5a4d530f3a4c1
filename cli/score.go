package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// score is what a model gets right on some rows: of classes or of numbers.
type score struct {
	*eval.Metrics
	*eval.Regression
	outliers bool // of a one-class machine: errors are outliers
}

// MarshalJSON writes the one that there is.
func (s *score) MarshalJSON() ([]byte, error) {
	if s.Regression != nil {
		return json.Marshal(s.Regression)
	}
	return json.Marshal(s.Metrics)
}

// weights returns what the weights of the rows come to, nil where they had none.
func (s *score) weights() *eval.Weights {
	if s.Regression != nil {
		return s.Regression.Weights
	}
	return s.Metrics.Weights
}

// rows returns how many rows were measured.
func (s *score) rows() int {
	if s.Regression != nil {
		return s.Regression.N
	}
	return s.Metrics.N
}

// String is the score for people.
func (s *score) String() string {
	by := ""
	if s.weights() != nil {
		by = ", by weight"
	}
	if s.outliers {
		return fmt.Sprintf("%s of %d rows are outliers%s", percent(s.Metrics.Error), s.Metrics.N, by)
	}
	if s.Regression == nil {
		return fmt.Sprintf("error %s on %d rows%s", percent(s.Metrics.Error), s.Metrics.N, by)
	}
	r2 := "not defined"
	if s.R2 != nil {
		r2 = fmt.Sprintf("%.4f", *s.R2)
	}
	return fmt.Sprintf("RMSE %.5g, MAE %.5g, R² %s on %d rows%s", s.RMSE, s.MAE, r2, s.Regression.N, by)
}

// scoreOn measures a model on rows.
func scoreOn[T any](ctx context.Context, a *app, ctl run.Control, p *model.Pipeline[T], in *dataset.Rows, d data.Labeled[T, string]) (*score, error) {
	ctl.Counter = nil
	var y []int
	if !p.Regresses() {
		var unknown []string
		y, unknown = classIndex(p.Classes, d.Y)
		if err := a.checkLabels(in.Name, p.Classes, y, unknown); err != nil {
			return nil, err
		}
	}
	scores, err := p.ScoreAll(ctx, ctl, d.X)
	if err != nil {
		return nil, err
	}
	if !p.Regresses() {
		m := eval.Measure{Weight: d.Weight}.Metrics(predicted(p, scores), y, p.Classes.Len())
		return &score{Metrics: &m}, nil
	}
	truth, err := dataset.Values(in.Name, d.Y)
	if err != nil {
		return nil, err
	}
	m, err := measureBy(d.Weight).Regression(scores.Data, truth)
	return &score{Regression: m}, err
}

// measureBy returns how to measure rows of the given weights.
func measureBy(weight []float64) eval.Measure {
	m := eval.NewMeasure()
	m.Weight = weight
	return m
}

// predicted returns the class of each row of scores.
func predicted[T any](p *model.Pipeline[T], scores *data.Matrix) []int {
	out := make([]int, scores.Rows)
	for i := range out {
		out[i] = p.Decide(scores.Row(i))
	}
	return out
}
