package model

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/learn/linear"
)

// fitMapped maps the instances and trains separators of the features.
func (r Recipe[T]) fitMapped(ctx context.Context, p *Pipeline[T], d data.Labeled[T, int]) (Training, *heldOut, error) {
	var t Training
	features, err := r.mapAll(ctx, p, d, &t)
	if err != nil {
		return t, nil, err
	}
	mapped := data.Labeled[data.Vector, int]{X: features, Y: d.Y, Weight: d.Weight}
	weights := data.Dim(features) * learn.Separators(p.Classes.Len())
	rows := int(min(max(chooseWork/float64(max(weights, 1)), chooseFewest), chooseMost))
	var chosen choice
	prices := r.pricesFor(d.Weight)
	if chosen.price = prices[0]; len(prices) > 1 || r.Calibrate != "" {
		quick := r.quick(min(rows, len(d.Y)))
		chosen, err = chooseLabels(ctx, r.Run, prices, mapped, rows, r.Seed, r.Learner != LearnerPegasos, quick.headPath(p.Classes, data.Dim(features)))
		if err != nil {
			return t, nil, err
		}
	}
	t.charge(r.traits().Price, chosen)
	r.start = chosen.best.separators()
	head, report, err := r.head(ctx, p.Classes, mapped, data.Dim(features), chosen.price)
	t.Report = report
	if err != nil {
		return t, nil, err
	}
	if v, ok := any(head.Map).(Votes[data.Vector]); ok {
		p.Map = Votes[T]{Inner: p.Map, Rules: v.Rules}
	}
	p.Unit = head.Unit
	p.set(head.Separators, head.Bias)
	t.Margins, err = head.linearMargins(context.WithoutCancel(ctx), r.Run.Quiet(), mapped)
	return t, chosen.held, err
}

// mapAll fits the map of the recipe, or grows it to its claim, and maps all
// instances.
func (r Recipe[T]) mapAll(ctx context.Context, p *Pipeline[T], d data.Labeled[T, int], t *Training) (data.Source[data.Vector], error) {
	var err error
	if r.Claim != nil {
		p.Map, t.Earned, err = r.growMap(ctx, p.Classes, d)
	} else {
		p.Map, err = r.fitMap(ctx, d.X)
	}
	if err != nil {
		return nil, err
	}
	t.Rank = rankOf(p.Map)
	if r.Map == MapNone {
		p.Kernel = nil
	}
	features, err := p.features(ctx, r.Run, d.X)
	if err != nil {
		return nil, err
	}
	weights := 8 * float64(data.Dim(features)) * float64(3*learn.Separators(max(p.Classes.Len(), 2))+2)
	return features, r.Run.Reserve("a separator of so many coordinates", weights, "renumber the coordinates from 1 without gaps, or map the data by a kernel")
}

// charge notes the price that was used.
func (t *Training) charge(kind string, c choice) {
	switch kind {
	case priceC:
		t.C = c.price
	case priceLambda:
		t.Lambda = c.price
	}
	if len(c.trials) > 1 {
		t.Trials = c.trials
	}
}

// head trains separators of vectors and returns them as a pipeline of its own.
func (r Recipe[T]) head(ctx context.Context, classes data.Classes, d data.Labeled[data.Vector, int], width int, price float64) (*Pipeline[data.Vector], learn.Report, error) {
	p := &Pipeline[data.Vector]{Task: Classify, Classes: classes, Map: feature.Identity{Width: width}, Learner: r.Learner}
	var err error
	if d.Weight, err = r.weights(classes, d.Y, d.Weight); err != nil {
		return nil, learn.Report{}, err
	}
	if r.Learner == LearnerBoost || r.Learner == LearnerBoostHalfspace {
		return r.boosted(ctx, p, d)
	}
	separators, report, err := r.separate(ctx, d, classes.Len(), price)
	if err != nil {
		return nil, report, err
	}
	p.adopt(separators)
	return p, report, nil
}

// separate trains a separator a class, one for two classes.
func (r Recipe[T]) separate(ctx context.Context, d data.Labeled[data.Vector, int], classes int, price float64) ([]*linear.Separator, learn.Report, error) {
	path, err := r.classPath(ctx, d, classes)
	if err == nil && path != nil && r.start != nil {
		err = path.StartFrom(r.start)
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	if path != nil {
		return separators(path.Next(ctx, price))
	}
	if r.Learner == LearnerRidge {
		l := linear.NewRidge()
		l.Lambda, l.Run = r.Lambda, r.Run
		if r.Choose {
			l.Lambdas = ridgeLambdas(total(d.Weight, d.X.Len()))
		}
		return separators(l.FitClasses(ctx, d, classes))
	}
	binary, err := r.binary(price, d.X.Len(), classes)
	if err != nil {
		return nil, learn.Report{}, err
	}
	ovr := learn.OneVsRest[data.Vector, *linear.Separator]{Classes: classes, Learner: binary, Checkpoint: r.Checkpoint, Run: r.Run}
	if classes == 2 {
		ovr.Run = r.Run.Quiet()
	}
	return separators(ovr.Fit(ctx, d))
}

// separators takes the separators out of a model of many classes.
func separators(m *learn.Multi[data.Vector, *linear.Separator], report learn.Report, err error) ([]*linear.Separator, learn.Report, error) {
	if err != nil {
		return nil, report, err
	}
	return m.Binary(), report, nil
}

// binary returns the learner of two classes that has nothing better for more.
func (r Recipe[T]) binary(price float64, rows, classes int) (learn.Learner[data.Vector, float64, *linear.Separator], error) {
	inner := r.Run
	if classes > 2 {
		inner = inner.Quiet() // the classes are what is counted then
		inner.Workers = 1
	}
	switch r.Learner {
	case LearnerPerceptron:
		l := linear.NewPerceptron()
		l.MaxPasses, l.Unit, l.Seed, l.Run = r.MaxPasses, r.Unit, r.Seed, inner
		return l, nil
	case LearnerAveragedPerceptron:
		l := linear.NewAveragedPerceptron()
		l.MaxPasses, l.Unit, l.Seed, l.Run = min(r.MaxPasses, averagedPasses), r.Unit, r.Seed, inner
		return l, nil
	case LearnerPegasos:
		l := linear.NewPegasos()
		l.Lambda, l.Unit, l.Seed, l.Run = linear.PegasosLambda(price, max(rows, 1)), r.Unit, r.Seed, inner
		l.SaveRows = pegasosRows
		return l, nil
	case LearnerHardMargin:
		l := linear.NewHardMargin()
		l.Unit, l.Run = r.Unit, inner
		return l, nil
	case LearnerProgram:
		l := linear.NewProgram()
		l.Unit, l.Run = r.Unit, inner
		return l, nil
	}
	return nil, fmt.Errorf("%s is no learner of features", r.Learner)
}

// pegasosRows is how many rows of Pegasos lie between two states, if they are due.
const pegasosRows = 10_000

// averagedPasses bounds the passes of the averaged perceptron, whose mean gets
// no better with many.
const averagedPasses = 50

// ridgeLambdas are the values among which ridge chooses by its leave-one-out
// error, for rows whose weights sum to n: a grid of factors of 2 would change
// little.
func ridgeLambdas(n float64) []float64 {
	var out []float64
	for e := -10.0; e <= 1; e += 0.5 {
		out = append(out, n*math.Pow(10, e))
	}
	return out
}

// boosted trains votes of rules, one ensemble a class.
func (r Recipe[T]) boosted(ctx context.Context, p *Pipeline[data.Vector], d data.Labeled[data.Vector, int]) (*Pipeline[data.Vector], learn.Report, error) {
	classes := p.Classes.Len()
	var weak boost.Weak = boost.NewStump()
	if r.Learner == LearnerBoostHalfspace {
		h := boost.NewHalfspace()
		h.Seed = r.Seed
		weak = h
	}
	l := boost.NewAdaBoost(weak)
	l.Rounds, l.Run = r.Rounds, r.Run
	if classes > 2 {
		l.Run = l.Run.Quiet()
		l.Run.Workers = 1
	}
	ovr := learn.OneVsRest[data.Vector, *boost.Ensemble]{Classes: classes, Learner: l, Checkpoint: r.Checkpoint, Run: r.Run}
	if classes == 2 {
		ovr.Run = r.Run.Quiet()
	}
	multi, report, err := ovr.Fit(ctx, d)
	if err != nil {
		return nil, report, err
	}
	rules, weights, err := joinVotes(multi.Binary())
	if err != nil {
		return nil, report, err
	}
	p.Map = Votes[data.Vector]{Inner: p.Map, Rules: rules}
	p.set(weights, make([]float64, weights.Rows))
	return p, report, nil
}

// joinVotes puts the rules of several ensembles together and returns the weight
// of each rule in each of them.
func joinVotes(ensembles []*boost.Ensemble) (*boost.Votes, *data.Matrix, error) {
	total, width := 0, 0
	for _, e := range ensembles {
		total += len(e.Alpha)
		width = max(width, e.Votes.Width())
	}
	weights := data.NewMatrix(len(ensembles), total)
	var cuts []boost.Cut
	var bias []float64
	var planes []float64
	at := 0
	for i, e := range ensembles {
		copy(weights.Row(i)[at:], e.Alpha)
		at += len(e.Alpha)
		if c := e.Votes.Cuts(); c != nil || len(e.Alpha) == 0 {
			cuts = append(cuts, c...)
			continue
		}
		w, b := e.Votes.Halfspaces()
		planes, bias = append(planes, w.Data...), append(bias, b...)
	}
	if len(bias) > 0 {
		rules, err := boost.NewVotes(&data.Matrix{Rows: len(bias), Cols: width, Data: planes}, bias)
		return rules, weights, err
	}
	rules, err := boost.NewCuts(width, cuts)
	return rules, weights, err
}

// regressMapped maps the instances and fits a linear function of the features.
func (r Recipe[T]) regressMapped(ctx context.Context, p *Pipeline[T], d data.Labeled[T, float64]) (Training, error) {
	var t Training
	features, err := r.mapAll(ctx, p, data.Labeled[T, int]{X: d.X}, &t)
	if err != nil {
		return t, err
	}
	l := linear.NewRidge()
	l.Lambda, l.Run = r.Lambda, r.Run
	if r.Choose {
		l.Lambdas = ridgeLambdas(total(d.Weight, d.X.Len()))
	}
	targets := &data.Matrix{Rows: len(d.Y), Cols: 1, Data: d.Y}
	steps, err := l.LeaveOneOut(ctx, features, targets, d.Weight)
	if err != nil {
		return t, err
	}
	best := linear.BestRidge(steps)
	t.Report = learn.Report{Status: learn.Converged, Iterations: 1, Objective: best.Objective}
	t.Lambda = best.Lambda
	f := best.Models[0]
	weights := data.NewMatrix(1, p.Map.Dim())
	copy(weights.Row(0), f.W)
	p.Unit = 1
	p.set(weights, []float64{f.Bias})
	return t, nil
}
