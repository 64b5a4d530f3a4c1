package serve

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// The outputs of a model, by name.
const (
	outLabel         = "label"
	outValue         = "value"
	outScores        = "scores"
	outProbabilities = "probabilities"
	outSet           = "set"
	outFeatures      = "features"
	outClasses       = "classes"
	outWhy           = "why"
)

// outputNames lists the outputs that some model has.
var outputNames = []string{outLabel, outValue, outScores, outProbabilities, outSet, outFeatures, outClasses, outWhy}

// wanted is what a request wants to know of its rows.
type wanted struct {
	outputs  []string // none for the label or value
	coverage float64  // of prediction sets; 0 for the default
}

// defaultCoverage is that of prediction sets where none is named.
const defaultCoverage = 0.9

// parseCoverage reads the coverage of prediction sets, 0 where there is none.
func parseCoverage(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !slices.Contains(model.Coverages, v) {
		return 0, badRequest("coverage is %s and must be one of %v", clip(text), model.Coverages)
	}
	return v, nil
}

// outputs returns the outputs that the model has, the default first.
func (e *edition) outputs() []string {
	out := []string{outLabel, outScores}
	if e.Regresses() {
		out = []string{outValue}
	}
	if e.Calibration != nil && e.Learner != model.LearnerOneClass {
		out = append(out, outProbabilities)
	}
	if len(e.Conformal) > 0 {
		out = append(out, outSet)
	}
	out = append(out, outFeatures)
	if !e.Regresses() {
		out = append(out, outClasses)
	}
	return append(out, outWhy)
}

// options checks what is wanted, fills in the default, and returns it as kerf predict
// knows it.
func (e *edition) options(w *wanted) (*job.PredictOptions, error) {
	if len(w.outputs) == 0 {
		w.outputs = e.gives[:1]
	}
	o := &job.PredictOptions{Scores: w.has(outScores), Proba: w.has(outProbabilities)}
	if w.has(outSet) {
		if o.Coverage = w.coverage; o.Coverage == 0 {
			o.Coverage = defaultCoverage
		}
		w.coverage = o.Coverage
	}
	for i, name := range w.outputs {
		switch {
		case !slices.Contains(outputNames, name):
			return nil, badRequest("there is no output %q; this model has %s", clip(name), strings.Join(e.gives, ", "))
		case slices.Contains(w.outputs[:i], name):
			return nil, badRequest("output %s is asked for twice", name)
		}
	}
	if _, err := o.Say(e.Model, &data.Matrix{Cols: e.Outputs()}); err != nil {
		return nil, err
	}
	for _, name := range w.outputs {
		if !slices.Contains(e.gives, name) {
			return nil, unfit("model %s has no %s; it has %s", e.name, name, strings.Join(e.gives, ", "))
		}
	}
	return o, nil
}

// has reports whether an output is wanted.
func (w *wanted) has(name string) bool { return slices.Contains(w.outputs, name) }

// answer is what a model says of a request's rows.
type answer struct {
	of       *edition
	rows     int
	wanted   wanted
	said     *job.Predictions
	features *data.Matrix // nil where they are not wanted
	why      []*explain.Row
}

// answer computes what is wanted of the rows.
func (s *Server) answer(ctx context.Context, e *edition, parts []*model.Encoded, w wanted) (*answer, error) {
	o, err := e.options(&w)
	if err != nil {
		return nil, err
	}
	out := &answer{of: e, wanted: w}
	for _, part := range parts {
		out.rows += part.Len()
	}
	if w.has(outFeatures) {
		if out.features, err = e.FeaturesEncoded(ctx, s.o.Run, parts...); err != nil {
			return nil, err
		}
	}
	if w.has(outWhy) {
		if out.why, err = s.why(ctx, e, parts); err != nil {
			return nil, err
		}
	}
	scores, err := e.batch.do(ctx, parts)
	if err != nil {
		return nil, err
	}
	s.count.predicted(e.name, out.rows)
	out.said, err = o.Say(e.Model, scores)
	return out, err
}

// column describes an input or output as the protocol does: -1 stands for the rows.
type column struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// output describes an output of the model.
func (e *edition) output(name string) column {
	k := int64(e.Outputs())
	switch name {
	case outLabel, outWhy:
		return column{name, typeBytes, []int64{-1}}
	case outValue:
		return column{name, typeFP64, []int64{-1}}
	case outSet:
		if e.Regresses() {
			return column{name, typeFP64, []int64{-1, 2}}
		}
		return column{name, typeBool, []int64{-1, k}}
	case outFeatures:
		return column{name, typeFP64, []int64{-1, int64(e.Dim())}}
	case outClasses:
		return column{name, typeBytes, []int64{k}}
	}
	return column{name, typeFP64, []int64{-1, k}}
}

// tensor returns an output of an answer.
func (a *answer) tensor(name string) *tensor {
	is := a.of.output(name)
	t := &tensor{name: name, datatype: is.Datatype, shape: is.Shape}
	if t.shape[0] < 0 {
		t.shape = slices.Clone(t.shape)
		t.shape[0] = int64(a.rows)
	}
	flat := func(rows [][]float64) {
		t.numbers = make([]float64, 0, len(rows)*a.of.Outputs())
		for _, row := range rows {
			t.numbers = append(t.numbers, row...)
		}
	}
	switch name {
	case outLabel:
		for _, p := range a.said.Predictions {
			t.texts = append(t.texts, p.(string))
		}
	case outValue:
		for _, p := range a.said.Predictions {
			t.numbers = append(t.numbers, p.(float64))
		}
	case outScores:
		flat(a.said.Scores)
	case outProbabilities:
		flat(a.said.Probabilities)
	case outFeatures:
		t.numbers = a.features.Data
	case outClasses:
		t.texts = a.said.Classes
	case outWhy:
		t.texts = a.whyTexts()
	case outSet:
		if a.of.Regresses() {
			flat(a.said.Intervals)
			break
		}
		t.numbers = make([]float64, 0, a.rows*len(a.said.Classes))
		for _, set := range a.said.Sets {
			for _, class := range a.said.Classes {
				in := 0.0
				if slices.Contains(set, class) {
					in = 1
				}
				t.numbers = append(t.numbers, in)
			}
		}
	}
	return t
}

// clip shortens a text to what fits a message.
func clip(s string) string { return data.Clip(s, 60) }
