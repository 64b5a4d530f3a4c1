package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/model"
)

// object is the result for machines.
func (t *trained[T]) object() any {
	tr := t.training
	o := map[string]any{
		"model": nil, "kernel": kernelName(t.pipeline.Kernel), "map": t.mapName(), "dim": t.header.Map.Dim, "rank": nil,
		"learner": t.pipeline.Learner, "task": t.flags.task, "n": t.train.rows(), "features": t.width(), "classes": t.pipeline.Classes.Names,
		"train": t.train, "test": nil, "margin": tr.Margins.Min(), "margin_95": tr.Margins.Quantile(0.05),
		"kernel_evaluations": tr.Evaluations, "objective": nil, "gap": nil, "support": tr.Support, "mistakes": tr.Mistakes,
		"iterations": tr.Iterations, "seconds": tr.Elapsed.Seconds(), "status": tr.Status, "C": nil, "lambda": nil, "trials": tr.Trials,
		"scale": t.scale(),
	}
	if t.flags.out != "" {
		o["model"] = t.flags.out
	}
	if t.flags.report != "" {
		o["report"] = t.flags.report
	}
	if w := weighingOf(t.input, &t.flags.inputFlags); w != nil {
		o["weights"] = w
	}
	if tr.Rank > 0 {
		o["rank"] = tr.Rank
	}
	if t.test != nil {
		o["test"] = t.test
	}
	if tr.Earned != nil {
		o["certificate"] = tr.Earned
	}
	if tr.Picked != nil {
		o["picked"] = tr.Picked
	}
	if t.separator != nil {
		o["separator_certificate"] = t.separator
	}
	if t.flags.regresses() {
		o["margin"], o["margin_95"] = nil, nil
	}
	if tr.C > 0 {
		o["C"] = tr.C
	}
	if tr.Lambda > 0 {
		o["lambda"] = tr.Lambda
	}
	if tr.Objective != 0 || tr.Gap != 0 {
		o["objective"], o["gap"] = tr.Objective, tr.Gap
	}
	return o
}

// width is the number of coordinates of vectors; null for other instances.
func (t *trained[T]) width() any {
	if x, ok := any(t.x).(data.Source[data.Vector]); ok {
		return data.Dim(x)
	}
	return nil
}

// mapName is the map as the user chose it. A kernel machine's features are its
// support vectors, but it was trained without a map.
func (t *trained[T]) mapName() string {
	if t.flags.machine {
		return model.MapNone
	}
	return t.header.Map.Kind
}

func (t *trained[T]) scale() scale.Kind { return t.encoding.Scaled() }

// print is the result for people.
func (t *trained[T]) print(w io.Writer) error {
	tr := t.training
	out := newFacts(w)
	out.add("data", "%s: %s", t.input.Name, t.encoding.Describe(t.x.Len(), t.x))
	out.addWeights(weighingOf(t.input, &t.flags.inputFlags))
	if !t.flags.regresses() {
		out.add("classes", "%d: %s", t.pipeline.Classes.Len(), quoted(t.pipeline.Classes.Names))
	}
	if t.scale() != scale.None {
		out.add("scale", "%s", t.scale())
	}
	out.add("kernel", "%s%s", kernelName(t.pipeline.Kernel), picked(t.flags.spec.Open() && t.pipeline.Kernel != nil, t.describeWidth()))
	out.add("map", "%s", t.describeMap())
	if maps := t.describeMaps(); maps != "" {
		out.add("maps tried", "%s", maps)
	}
	out.add("learner", "%s", t.describeLearner())
	out.add("train", "%s", t.train)
	if t.test != nil {
		out.add("test", "%s", t.test)
	}
	if len(tr.Margins) > 0 {
		out.add("margin", "%.3g; %.3g for 95%% of the rows", tr.Margins.Min(), tr.Margins.Quantile(0.05))
	}
	if e := tr.Earned; e != nil {
		t.printEarned(out, e)
	}
	if s := t.separator; s != nil {
		out.add("tested", "with %s confidence at most %s of all rows like these have a margin below %.3g", percent(s.Confidence), percent(s.Bound), s.Margin)
	}
	out.add("work", "%.2f s, %s kernel evaluations, %s after %d passes", tr.Elapsed.Seconds(), grouped(tr.Evaluations), tr.Status, tr.Iterations)
	if t.flags.out != "" {
		out.add("model", "written to %s", t.flags.out)
	} else {
		out.add("model", "not kept; -o FILE writes it")
	}
	if t.flags.report != "" {
		out.add("report", "written to %s", t.flags.report)
	}
	return out.flush()
}

// printEarned says what theory promised, what was certified, and what is used.
func (t *trained[T]) printEarned(out facts, e *model.Earned) {
	if e.Promised > 0 {
		out.add("promised", "%s landmarks suffice by theory for margin %.3g, error %.3g, confidence %s", grouped(int64(e.Promised)), e.Margin, e.Certificate.Error, percent(e.Confidence))
	}
	if e.Choice != nil {
		out.add("", "the margin was chosen on rows set apart, of which %s have less", percent(e.Choice.Noise))
	}
	if e.Holds {
		out.add("certified", "%s", e.Certificate)
	} else {
		out.add("certified", "nothing (%s): %s", e.Outcome, e.Words)
	}
	out.add("used", "%d landmarks", e.Used)
}

// describeWidth says how an open width was chosen.
func (t *trained[T]) describeWidth() string {
	if p := t.training.Picked; p != nil && len(p.Kernels) > 0 {
		return fmt.Sprintf("width: the best of %d on held-out rows, around the median distance", len(p.Kernels))
	}
	return "width: the median distance"
}

// describeDims says how the dimension was chosen.
func (t *trained[T]) describeDims() string {
	p := t.training.Picked
	switch {
	case t.flags.dimGiven || t.training.Earned != nil:
		return ""
	case p == nil || len(p.Dims) == 0:
		return " (dimension by default; see --dim)"
	}
	return fmt.Sprintf(" (dimension chosen by the error on held-out rows, %s)", t.describeOptions(p.Dims))
}

// describeOptions says how options did on held-out rows.
func (t *trained[T]) describeOptions(options []model.Option) string {
	var tried []string
	for _, o := range options {
		if t.flags.regresses() {
			tried = append(tried, fmt.Sprintf("%s: RMSE %.4g", o.Name, o.Error))
		} else {
			tried = append(tried, fmt.Sprintf("%s: %s", o.Name, percent(o.Error)))
		}
	}
	return strings.Join(tried, ", ")
}

// describeMaps says which maps were tried; empty where none were.
func (t *trained[T]) describeMaps() string {
	if p := t.training.Picked; p != nil && len(p.Maps) > 1 {
		return t.describeOptions(p.Maps) + " on held-out rows"
	}
	return ""
}

func (t *trained[T]) describeMap() string {
	if t.flags.machine {
		return fmt.Sprintf("none: %d support vectors of the kernel itself", t.pipeline.Map.Dim())
	}
	h := t.header.Map
	byDefault := t.describeDims()
	switch h.Kind {
	case model.MapNone:
		return fmt.Sprintf("none: the %d coordinates themselves", h.Dim)
	case model.MapF1:
		return fmt.Sprintf("f1: similarities to %d landmarks%s", h.Dim, byDefault)
	case model.MapF2:
		return fmt.Sprintf("f2: %d landmarks of rank %d%s", h.Drawn, h.Dim, byDefault)
	case model.MapMonomials:
		return fmt.Sprintf("monomials: all %d of %d coordinates", h.Dim, h.Width)
	case model.MapFourier, model.MapORF, model.MapSketch:
		return fmt.Sprintf("%s: %d features of %d coordinates%s", h.Kind, h.Dim, h.Width, byDefault)
	}
	return fmt.Sprintf("f3: %d landmarks of rank %d, projected to %d dimensions%s", h.Drawn, h.Landmarks, h.Dim, byDefault)
}

// price writes a price for people: as it was given, or, where it was divided by
// the mean weight, in a few digits.
func price(v float64) string {
	if text := fmt.Sprint(v); len(text) <= 10 {
		return text
	}
	return fmt.Sprintf("%.4g", v)
}

func (t *trained[T]) describeLearner() string {
	tr, f := t.training, t.flags
	text := f.learner
	if f.learner == model.LearnerSVM {
		text += " (" + f.loss + ")"
	}
	how := "chosen on held-out rows"
	if f.learner == model.LearnerRidge {
		how = "chosen by its leave-one-out error"
	}
	chosen := picked(f.c == 0 && f.lambda == 0, how)
	switch {
	case tr.C > 0:
		text += fmt.Sprintf(" with C = %s%s", price(tr.C), chosen)
	case tr.Lambda > 0:
		text += fmt.Sprintf(" with lambda = %v%s", tr.Lambda, chosen)
	}
	if tr.Objective != 0 || tr.Gap != 0 {
		text += fmt.Sprintf("; objective %.6g, gap %.2g", tr.Objective, tr.Gap)
	}
	if tr.Mistakes > 0 {
		text += fmt.Sprintf("; %d mistakes", tr.Mistakes)
	}
	if tr.Support > 0 {
		text += fmt.Sprintf("; %d support vectors", tr.Support)
	}
	return text
}
