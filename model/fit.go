package model

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// Labels of what a one-class machine predicts.
const (
	Outlier = "outlier"
	Inlier  = "inlier"
)

// OneClasses are the classes that a one-class machine tells apart.
func OneClasses() data.Classes { return data.NewClasses([]string{Outlier, Inlier}) }

// SampleError reports a sample that does not go with the recipe.
type SampleError struct{ Problem string }

func (e *SampleError) Error() string { return e.Problem }

// Fit trains a pipeline on labelled instances. The labels may be any strings;
// there must be two different ones at least, but for the one-class machine,
// which does not look at them and predicts Inlier or Outlier. Rows may have
// weights where the learner takes them: see Traits. When ctx ends
// while the learner runs, the result is the best so far and the status says so;
// before that the context's error comes back.
func (r Recipe[T]) Fit(ctx context.Context, d data.Labeled[T, string]) (*Pipeline[T], Training, error) {
	return r.FitSample(ctx, Labels(d))
}

// FitValues trains a pipeline that predicts numbers. Rows may have weights.
func (r Recipe[T]) FitValues(ctx context.Context, d data.Labeled[T, float64]) (*Pipeline[T], Training, error) {
	return r.FitSample(ctx, Numbers(d))
}

// FitSample trains a pipeline on a sample of classes or of numbers.
func (r Recipe[T]) FitSample(ctx context.Context, s Sample[T]) (*Pipeline[T], Training, error) {
	r, s, err := r.ready(s)
	if err != nil {
		return nil, Training{}, err
	}
	begun, counter, outer := time.Now(), &run.Counter{}, r.Run.Counter
	r.Run.Counter = counter
	p, t, err := r.fit(r.undivided(ctx), s)
	if err != nil {
		return nil, t, err
	}
	t.Map = r.Map.Name()
	t.Evaluations = counter.Count()
	outer.Add(t.Evaluations)
	t.Elapsed = time.Since(begun)
	return p, t, p.Validate()
}

// Check reports what keeps the recipe from being fitted to a sample.
func (r Recipe[T]) Check(s Sample[T]) error {
	_, _, err := r.ready(s)
	return err
}

// ready reports what keeps the recipe from being fitted to a sample, and returns
// both without the rows of weight 0.
func (r Recipe[T]) ready(s Sample[T]) (Recipe[T], Sample[T], error) {
	if err := r.Validate(); err != nil {
		return r, s, err
	}
	t, name := r.Learner.Traits(), r.Learner.Name()
	weighs := r.ClassWeight != nil || r.Balanced
	switch {
	case !t.Can(s.Task):
		return r, s, fmt.Errorf("%s cannot %s", name, s.Task)
	case weighs && (s.Task == Regress || t.Unsupervised):
		return r, s, fmt.Errorf("%s learns no classes that could have weights", name)
	case (s.Weight != nil || weighs) && !t.Weights:
		takers := LearnerNames(func(t Traits) bool { return t.Weights })
		return r, s, fmt.Errorf("%s takes no weights; these learners do: %s", name, strings.Join(takers, ", "))
	}
	if err := s.check(); err != nil {
		return r, s, err
	}
	if t.Unsupervised {
		s.Classes, s.Y = OneClasses(), nil
	} else if err := s.checkClasses(); err != nil {
		return r, s, err
	}
	if err := r.Claim.check(s.Len()); err != nil {
		return r, s, err
	}
	if index := s.live(); index != nil {
		r.Claim = r.Claim.among(index)
		s = s.Select(index)
	}
	return r, s, nil
}

// fit trains on rows that all count.
func (r Recipe[T]) fit(ctx context.Context, s Sample[T]) (*Pipeline[T], Training, error) {
	p := &Pipeline[T]{Kernel: r.Kernel, Head: Head{Task: s.Task, Classes: s.Classes, Learner: r.Learner.Name()}}
	rest, held := whole(s.Len()), []int(nil)
	if r.Conformal > 0 {
		rest, held = s.Split(r.Conformal, seed.Derive(r.Seed, seed.Conformal))
	}
	fitted, kept := s, s.Select(held)
	if len(held) > 0 {
		fitted = s.Select(rest)
	}
	if l, ok := r.Learner.(Settler); ok && s.Task == Regress {
		r.Learner = l.Settle(fitted.Values, fitted.Weight)
	}
	var t Training
	var scored *HeldOut
	var err error
	size := r.work(fitted, float64(fitted.Len()))
	stages := r.Run.Progress.Divide("fit", size.total())
	defer stages.End()
	if r.Learner.Traits().Kernel {
		scored, err = r.fitMachine(ctx, p, fitted, &t, size, stages)
	} else {
		scored, err = r.fitMapped(ctx, p, fitted, &t, size, stages)
	}
	if err != nil {
		return nil, t, err
	}
	t.Kept, t.HeldOut = kept.Len(), scored
	stages.Next("calibrate", 0)
	return p, t, r.finish(after(ctx), p, &t, kept, scored, rest, held)
}

// finish gives the pipeline its probabilities and sets, and puts the scores of all
// rows together.
func (r Recipe[T]) finish(
	ctx context.Context, p *Pipeline[T], t *Training, kept Sample[T], scored *HeldOut, rest, held []int,
) error {
	var keptScores *data.Matrix
	if kept.Len() > 0 {
		var err error
		if keptScores, err = p.ScoreAll(ctx, r.Run, kept.X); err != nil {
			return err
		}
		all := data.NewMatrix(len(rest)+len(held), p.Outputs())
		for i, j := range rest {
			copy(all.Row(j), t.Scores.Row(i))
		}
		for i, j := range held {
			copy(all.Row(j), keptScores.Row(i))
		}
		t.Scores = all
	}
	if p.Regresses() {
		return p.intervals(keptScores, kept.Values)
	}
	if r.Learner.Traits().Unsupervised {
		return nil
	}
	return r.calibrate(ctx, p, kept, keptScores, scored)
}

func whole(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// fitMachine trains in the kernel's own space. The pipeline's features are the
// similarities to the support.
func (r Recipe[T]) fitMachine(
	ctx context.Context, p *Pipeline[T], s Sample[T], t *Training, size work, stages *run.Stages,
) (*HeldOut, error) {
	stages.Next("choose", size.choose)
	chosen, err := choosePenalty(ctx, r, s, chooseFewest)
	if err != nil {
		return nil, err
	}
	t.charge(r.Learner, chosen)
	size.learn *= cmp.Or(chosen.slow, 1)
	stages.Left(size.learn + size.score)
	stages.Next("train", size.learn)
	f, report, err := fitAt(ctx, r, s, chosen.penalty, nil)
	t.Report = report
	if err != nil {
		return nil, err
	}
	p.Map = f.Map
	if err := p.take(f.Separators, f.Bias, f.Unit, f.Pairs, p.Map.Dim()); err != nil {
		return nil, unsound(r.Learner, err)
	}
	stages.Next("score", size.score)
	ctl := r.Run
	ctl.Counter = nil
	return chosen.held, score(after(ctx), ctl, t, p, s, f.Scores, f.Places)
}

// fitMapped maps the instances and trains separators of the features.
func (r Recipe[T]) fitMapped(
	ctx context.Context, p *Pipeline[T], s Sample[T], t *Training, size work, stages *run.Stages,
) (*HeldOut, error) {
	features, err := r.mapAll(ctx, p, s, t, size, stages)
	if err != nil {
		return nil, err
	}
	mapped := withX(s, features)
	separators := learn.Separators(max(s.Classes.Len(), 2))
	stages.Next("choose", size.choose)
	chosen, err := choosePenalty(ctx, r, mapped, chooseRows(float64(data.Dim(features)), float64(separators)))
	if err != nil {
		return nil, err
	}
	t.charge(r.Learner, chosen)
	size.learn *= cmp.Or(chosen.slow, 1)
	stages.Left(size.learn + size.score)
	stages.Next("train", size.learn)
	f, report, err := fitAt(ctx, r, mapped, chosen.penalty, chosen.best.separators())
	t.Report = report
	if err != nil {
		return nil, err
	}
	if f.Lambda > 0 {
		t.Lambda = f.Lambda
	}
	head, err := headOf(s, features, r.Learner, unmapped(p.Map), f)
	if err != nil {
		return nil, err
	}
	if v, ok := f.Map.(Votes[data.Vector]); ok {
		p.Map = Votes[T]{Inner: p.Map, Rules: v.Rules}
	}
	if err := p.take(head.Separators, f.Bias, f.Unit, f.Pairs, p.Map.Dim()); err != nil {
		return nil, unsound(r.Learner, err)
	}
	stages.Next("score", size.score)
	return chosen.held, score(after(ctx), r.Run, t, head, mapped, nil, nil)
}

// headOf returns a pipeline of features that are there already.
func headOf[T any](s Sample[T], features data.Source[data.Vector], l Learner, raw bool,
	f Fitted[data.Vector]) (*Pipeline[data.Vector], error) {
	p := &Pipeline[data.Vector]{Head: Head{Task: s.Task, Classes: s.Classes, Learner: l.Name()}}
	switch width := data.Dim(features); {
	case f.Map != nil:
		p.Map = f.Map
	case raw:
		p.Map = feature.Identity{Width: width}
	default:
		p.Map = given{width}
	}
	if err := p.take(f.Separators, f.Bias, f.Unit, f.Pairs, p.Map.Dim()); err != nil {
		return nil, unsound(l, err)
	}
	return p, nil
}

// sound reports a learner that returned a map where it must not, or none where it
// must.
func sound[T any](l Learner, f Fitted[T]) error {
	_, votes := any(f.Map).(Votes[data.Vector])
	switch kernel := l.Traits().Kernel; {
	case kernel && f.Map == nil:
		return unsound(l, errMissing)
	case !kernel && f.Map != nil && !votes:
		return unsound(l, fmt.Errorf("a map %T of the features, which are mapped already", f.Map))
	}
	return nil
}

// unsound reports what a learner returned.
func unsound(l Learner, err error) error {
	return fmt.Errorf("%s returned what is no model of the sample: %w", l.Name(), err)
}

// fitAt fits the learner at a penalty.
func fitAt[T, U any](
	ctx context.Context, r Recipe[T], s Sample[U], penalty float64, start []*linear.Separator,
) (Fitted[U], learn.Report, error) {
	p, err := problem(r, s)
	if err != nil {
		return Fitted[U]{}, learn.Report{}, err
	}
	p.Start = start
	f, report, err := at(r.Learner, penalty).(Fitter[U]).Fit(ctx, p)
	if err == nil {
		err = sound(r.Learner, f)
	}
	return f, report, err
}

// score notes the scores of the rows that were fitted, and of classes the margins. What the
// separators say of the rows is nil where it is not known; at are then the places of the support
// among them, nil where it is all of them.
func score[U any](
	ctx context.Context, ctl run.Control, t *Training, p *Pipeline[U], s Sample[U], raw *data.Matrix, at []int,
) (err error) {
	classes := s.Task == Classify && s.Y != nil
	var margins []float64
	if at == nil {
		at = whole(s.Len())
	}
	switch {
	case raw != nil && raw.Rows == s.Len() && p.Map.Dim() == len(at):
		t.Scores, margins = p.supportScores(s.X, s.Y, raw, at)
	case classes:
		t.Scores, margins, err = p.ScoreMargins(ctx, ctl, s.X, s.Y)
	default:
		t.Scores, err = p.ScoreAll(ctx, ctl, s.X)
	}
	if classes {
		t.Margins = margin.NewMargins(margins)
	}
	return err
}

// applier maps the sample that a map was fitted to, once at most.
type applier = func(ctx context.Context, ctl run.Control) (data.Source[data.Vector], error)

// mapAll fits the map of the recipe, or grows it to its claim, and maps all
// instances.
func (r Recipe[T]) mapAll(
	ctx context.Context, p *Pipeline[T], s Sample[T], t *Training, size work, stages *run.Stages,
) (data.Source[data.Vector], error) {
	var err error
	var apply applier = func(ctx context.Context, ctl run.Control) (data.Source[data.Vector], error) {
		return p.features(ctx, ctl, s.X)
	}
	stages.Next("find the map", size.fitMap)
	m, applies := r.Map.(interface {
		fitApply(ctx context.Context, p Problem[T]) (feature.Map[T], applier, error)
	})
	switch {
	case r.Claim != nil:
		p.Map, t.Earned, err = r.growMap(ctx, s)
	case applies:
		p.Map, apply, err = m.fitApply(ctx, r.mapProblem(s.X))
	default:
		p.Map, err = r.Map.Fit(ctx, r.mapProblem(s.X))
	}
	if err != nil {
		return nil, err
	}
	t.Rank = rankOf(p.Map)
	if isRaw(r.Map) {
		p.Kernel = nil
	}
	stages.Next("map", size.mapAll)
	features, err := apply(ctx, r.Run)
	if err != nil {
		return nil, err
	}
	weights := 8 * float64(data.Dim(features)) * float64(3*learn.Separators(max(s.Classes.Len(), 2))+2)
	return features, r.Run.Reserve("a separator of so many coordinates", weights,
		"renumber the coordinates from 1 without gaps, or map the data by a kernel")
}

// FitMap fits the map of the recipe alone. It uses no labels.
func (r Recipe[T]) FitMap(ctx context.Context, x data.Source[T]) (feature.Map[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return r.Map.Fit(ctx, r.mapProblem(x))
}

// rankOf returns the rank of the landmarks' Gram matrix, 0 where none is
// factorised.
func rankOf[T any](m feature.Map[T]) int {
	switch m := m.(type) {
	case *feature.Orthogonal[T]:
		return m.Dim()
	case *feature.Compressed[T]:
		return m.Orthogonal().Dim()
	case *feature.Spectral[T]:
		return m.Dim()
	}
	return 0
}

// charge notes the penalty that was used.
func (t *Training) charge(l Learner, c choice) {
	switch l.Traits().Penalty {
	case PenaltyC:
		t.C = c.penalty
	case PenaltyLambda:
		t.Lambda = c.penalty
	}
	if len(c.trials) > 1 {
		t.Trials = c.trials
	}
}
