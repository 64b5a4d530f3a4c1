package cli

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// part is some rows to train on and others to test on, all encoded in the way
// that the first ask for.
type part[T any] struct {
	encoding    *dataset.Encoding
	train, test data.Labeled[T, string]
}

// encodePart encodes the rows, looking at those to train on alone.
func encodePart[T any](in *dataset.Rows, train, test []int, scaled scale.Kind, flags *inputFlags) (part[T], error) {
	var none part[T]
	e, err := fitEncoding(in, train, scaled, flags)
	if err != nil {
		return none, err
	}
	x, labels, err := decode[T](e, in)
	if err != nil {
		return none, err
	}
	if labels == nil {
		labels = make([]string, x.Len()) // the one-class machine needs none
	}
	all := data.Labeled[T, string]{X: x, Y: labels, Weight: in.Weights}
	return part[T]{encoding: e, train: all.Select(train), test: all.Select(test)}, nil
}

// tested is a model and how it did on rows that it was not trained on.
type tested[T any] struct {
	pipeline *model.Pipeline[T]
	training model.Training
	score    *score
	unknown  []string // labels that the rows to train on did not have, the first few
}

// testPart trains on the one rows and tests on the others. When ctx ends, its
// error comes back.
func testPart[T any](ctx context.Context, r model.Recipe[T], f *learnerFlags, in *dataset.Rows, p part[T]) (tested[T], error) {
	var out tested[T]
	var err error
	if out.pipeline, out.training, err = fitRecipe(ctx, r, f.regresses(), p.train, in); err != nil {
		return out, err
	}
	if err := ctx.Err(); err != nil {
		return out, err // the best so far is no measure of the recipe
	}
	ctl := r.Run
	ctl.Counter = nil
	scores, err := out.pipeline.ScoreAll(ctx, ctl, p.test.X)
	if err != nil {
		return out, err
	}
	if f.regresses() {
		out.score, err = regressionScore(scores, in, p.test)
		return out, err
	}
	y := repeated(1, len(p.test.Y)) // inliers, all of them
	if f.learner != model.LearnerOneClass {
		y, out.unknown = classIndex(out.pipeline.Classes, p.test.Y)
	}
	m := measureBy(p.test.Weight).Metrics(predicted(out.pipeline, scores), y, out.pipeline.Classes.Len())
	out.score = &score{Metrics: &m}
	return out, nil
}

// scoreOf measures a trial on the rows that it was scored on.
func scoreOf[T any](m model.Scored, f *learnerFlags, in *dataset.Rows, test data.Labeled[T, string]) (*score, error) {
	if f.regresses() {
		return regressionScore(m.Scores, in, test)
	}
	y, _ := classIndex(m.Classes, test.Y)
	decided := make([]int, len(y))
	for i := range decided {
		decided[i] = model.Best(m.Scores.Row(i))
	}
	metrics := measureBy(test.Weight).Metrics(decided, y, m.Classes.Len())
	return &score{Metrics: &metrics}, nil
}

func regressionScore[T any](scores *data.Matrix, in *dataset.Rows, test data.Labeled[T, string]) (*score, error) {
	truth, err := dataset.Values(in.Name, test.Y)
	if err != nil {
		return nil, err
	}
	m, err := measureBy(test.Weight).Regression(scores.Data, truth)
	return &score{Regression: m}, err
}

// ticker is the progress of a task of few and long steps. The work inside a step
// shows that time passes, so that people see a line every few seconds and not
// one every few minutes.
type ticker struct {
	run.Progress
	done *int64
}

func newTicker(p run.Progress) ticker {
	done := new(int64)
	return ticker{done: done, Progress: run.Progress{
		Start:  func(task string, n int64) { *done = 0; p.Begin(task, n) },
		Step:   func(n int64) { *done = n; p.Advance(n) },
		Finish: p.End,
	}}
}

// inner returns the progress of the work inside a step.
func (t ticker) inner() run.Progress {
	return run.Progress{Step: func(int64) { t.Progress.Step(*t.done) }}
}
