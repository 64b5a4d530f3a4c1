package job

import (
	"encoding/json"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// describe notes what was trained.
func (t *training[T]) describe(tr model.Training, picked *Picked) error {
	o, part := t.o, t.part.train
	o.warnStatus(tr, t.choices.traits)
	var err error
	t.pipeline.Trained, err = json.Marshal(map[string]any{
		"n": t.learnt(), "status": tr.Status, "objective": finiteOrNil(tr.Objective),
		"gap": finiteOrNil(tr.Gap), "seed": o.Seed,
		"weights": o.weighing(t.rows), "baseline": constantOf(part),
	})
	if err != nil {
		return err
	}
	m := model.NewModel(t.pipeline, t.part.encoding, model.Kind[T](t.kind))
	if t.header, err = m.Header(); err != nil {
		return err
	}
	out := &Trained{
		Model: m, Training: tr, Certificate: tr.Earned, Classes: m.Classes.Names, Dim: t.header.Map.Dim,
		Iterations: tr.Iterations,
		Kernel:     spec.Short(t.pipeline.KernelText()), Evaluations: tr.Evaluations, Learner: m.Learner,
		Map:    t.header.Map.Kind,
		Margin: ptr(tr.Margins.Min()), Margin95: ptr(tr.Margins.Quantile(0.05)), Mistakes: tr.Mistakes, Picked: picked,
		Scale: t.part.encoding.Scaled(), Seconds: tr.Elapsed.Seconds(), Status: tr.Status, Support: tr.Support,
		Task:   t.choices.Task,
		Trials: tr.Trials, Weights: o.weighing(t.rows), Metric: t.targets.unusual(), Streamed: t.streamed(tr),
	}
	if t.choices.traits.Kernel {
		out.Map = model.MapNone
	}
	if x, ok := any(t.part.x).(data.Source[data.Vector]); ok {
		out.Features = ptr(data.Dim(x))
	}
	if tr.Rank > 0 {
		out.Rank = &tr.Rank
	}
	if t.choices.regresses() {
		out.Margin, out.Margin95 = nil, nil
	}
	if tr.MistakeBound > 0 {
		out.Most = finiteOrNil(tr.MistakeBound)
	}
	if tr.C > 0 {
		out.C = &tr.C
	}
	if tr.Lambda > 0 {
		out.Lambda = &tr.Lambda
	}
	if tr.Objective != 0 || tr.Gap != 0 {
		out.Objective, out.Gap = finiteOrNil(tr.Objective), finiteOrNil(tr.Gap)
	}
	t.out = out
	t.out.Words = t.words()
	return nil
}

func ptr[V any](v V) *V { return &v }

// finiteOrNil is what JSON can say of a number: nothing of one that is not finite.
func finiteOrNil(v float64) *float64 {
	if v-v != 0 {
		return nil
	}
	return &v
}

// warnStatus tells of a learner that did not get to its end.
func (o *Options) warnStatus(tr model.Training, t model.Traits) {
	switch s := tr.Status; {
	case s == learn.Converged, s == learn.IterationLimit && t.Scheduled: // it takes so many steps and no more
	case s == learn.BelowTolerance:
		o.warn("this learner shows that no margin is above its tolerance: the classes are separable by less than that " +
			"or not at all; the model is the best so far")
	default:
		o.warn("the learner stopped at its %s; the model is the best so far (see --max-passes, --tolerance)", s)
	}
	if e := tr.Earned; e != nil && !e.Holds {
		o.warn("nothing could be certified: %s", e.Words)
	}
}

// expect sets the result beside what needs no model, and says what to expect of it
// on new rows.
func (t *training[T]) expect(m *Measured) (err error) {
	out, head := t.out, t.out.Model.Head
	score := out.Train
	if out.Test != nil {
		score = out.Test
	}
	out.Baseline, out.Tried = score.Baseline, out.Picked.tried()+max(1, len(out.Trials))
	t.o.warnBaseline(score)
	switch held := out.Training.HeldOut; {
	case t.choices.traits.Unsupervised:
	case out.Seen != nil && out.Seen.Others == nil: // nothing is known of new rows
	case out.Test != nil:
		known := truth{y: m.Truth, values: m.Values}
		out.Expected, err = known.expected(head, m.Scores, m.Weight, 1, testRows)
	case held != nil:
		known := truth{y: held.Y, values: held.Values}
		out.Expected, err = known.expected(head, held.Scores, held.Weight, out.Tried, heldOutRows)
		out.Expected.grow(t.growth)
	case t.choices.regresses():
		out.Expected = out.Picked.expectedNumbers(out.Map, out.Dim, out.Tried)
	}
	return err
}
