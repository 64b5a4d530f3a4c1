package pipe

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// jobs are what can be asked for.
var jobs = map[string]func(s *server, ctx context.Context, a *asked, o job.TrainOptions) (
	map[string]any, []part, error){
	"train": (*server).train, "map": (*server).fitMap, "open": (*server).open,
	"predict": (*server).predict, "features": (*server).features, "explain": (*server).explain,
}

// train trains a model and returns its file.
func (s *server) train(ctx context.Context, a *asked, o job.TrainOptions) (map[string]any, []part, error) {
	rows, err := a.take(o.Run)
	if err != nil {
		return nil, nil, err
	}
	if a.writesOut(rows, o) {
		if rows, err = rows.WrittenOut(ctx, o.Run); err != nil {
			return nil, nil, err
		}
	}
	t, err := job.TrainRows(ctx, rows, o)
	if err != nil {
		return nil, nil, err
	}
	return written(t.Model, map[string]any{"trained": t})
}

// writesOut reports whether whole weights are written out as rows. They are not where TrainRows
// has to say what is wrong: with a label by its row, a class without weight, or a learner that
// takes no weights.
func (a *asked) writesOut(rows *dataset.Rows, o job.TrainOptions) bool {
	t, ok := model.TraitsOf(o.Choices.Learner.Name)
	if ok && !t.Weights || rows.CheckLabels() != nil {
		return false
	}
	if a.Labels == nil || rows.Weights == nil {
		return true
	}
	weighed := map[string]bool{}
	for _, label := range rows.LiveLabels() {
		weighed[label] = true
	}
	return len(weighed) == len(a.Labels)
}

// fitMap fits a map and returns its file.
func (s *server) fitMap(ctx context.Context, a *asked, o job.TrainOptions) (map[string]any, []part, error) {
	rows, err := a.take(o.Run)
	if err != nil {
		return nil, nil, err
	}
	m, err := job.FitMapRows(ctx, rows, o.Options)
	if err != nil {
		return nil, nil, err
	}
	return written(m.Model, map[string]any{"rows": m.Rows})
}

// take makes rows of the frames, which it lets go.
func (a *asked) take(ctl run.Control) (*dataset.Rows, error) {
	rows, err := a.rows(a.frames, ctl)
	a.frames = nil
	return rows, err
}

// written returns the file of a model beside what it is.
func written(m *model.Model, head map[string]any) (map[string]any, []part, error) {
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return nil, nil, err
	}
	head["model"] = describe(m)
	return head, []part{{name: "model", bytes: file.Bytes()}}, nil
}

// described is what a client needs to know of a model.
type described struct {
	Task       model.Task `json:"task"`
	Learner    string     `json:"learner"`
	Classes    []string   `json:"classes"`
	Dim        int        `json:"dim"`
	Kind       string     `json:"kind"`
	Format     string     `json:"format"`
	Width      int        `json:"width"` // coordinates, 0 where there are none or any number
	Columns    []string   `json:"columns"`
	Calibrated bool       `json:"calibrated"`
	Coverages  []float64  `json:"coverages"` // of the prediction sets, or intervals, that it has
	Kernel     string     `json:"kernel"`
	Map        string     `json:"map"`
}

func describe(m *model.Model) described {
	d := described{
		Task: m.Task, Learner: m.Learner, Classes: m.Classes.Names, Dim: m.Dim(), Kind: string(m.Encoding.Kind),
		Format: m.Encoding.Format, Calibrated: m.Calibration != nil, Columns: []string{},
		Coverages: []float64{},
	}
	for _, c := range m.Conformal {
		d.Coverages = append(d.Coverages, c.Coverage)
	}
	if d.Task == "" {
		d.Task = model.Classify
	}
	if !m.Encoding.HasColumns() {
		d.Width = m.Width()
	}
	for _, c := range m.Encoding.RowColumns() {
		d.Columns = append(d.Columns, c.Name)
	}
	if h, err := m.Header(); err == nil {
		d.Kernel, d.Map = h.Kernel, h.Map.Kind
	}
	return d
}

// find returns the model of a request, which is kept under its name.
func (s *server) find(a *asked) (*model.Model, error) {
	if p, ok := a.frames["model"]; ok {
		f, err := model.Decode(p.bytes)
		if err != nil {
			return nil, err
		}
		f.AllowExec = a.Exec
		m, err := f.Model()
		if err != nil {
			return nil, err
		}
		s.models[a.Model] = m
		delete(a.frames, "model")
	}
	if m := s.models[a.Model]; m != nil {
		return m, nil
	}
	return nil, fault("there is no model %q", data.ClipMiddle(a.Model, 60))
}

// open reads a model and says what it is.
func (s *server) open(_ context.Context, a *asked, _ job.TrainOptions) (map[string]any, []part, error) {
	m, err := s.find(a)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"model": describe(m)}, nil, nil
}

// given returns the model of a request and the rows in the form that it takes.
func (s *server) given(a *asked, o *job.TrainOptions) (*model.Model, *dataset.Rows, error) {
	m, err := s.find(a)
	if err != nil {
		return nil, nil, err
	}
	rows, err := a.take(o.Run)
	if err != nil {
		return nil, nil, err
	}
	if err := rows.Fits(m.Encoding, m.Width()); err != nil {
		return nil, nil, err
	}
	if rows, err = m.Encoding.Given(rows); err != nil {
		return nil, nil, err
	}
	if n := m.Encoding.Unseen(rows); n > 0 && o.Warn != nil {
		o.Warn(fmt.Sprintf("%s: %d cells hold categories that training did not have; they count as missing", rowsName, n))
	}
	return m, rows, nil
}

// predict returns the classes of rows by number, their scores, and probabilities where
// these are asked for; of a model of numbers the scores are the numbers.
func (s *server) predict(ctx context.Context, a *asked, o job.TrainOptions) (map[string]any, []part, error) {
	m, rows, err := s.given(a, &o)
	if err != nil {
		return nil, nil, err
	}
	say := job.PredictOptions{Options: o.Options, Proba: a.Proba, Coverage: a.Coverage}
	if err := say.Check(m, "the model"); err != nil {
		return nil, nil, err
	}
	scores, err := m.Scores(ctx, o.Run, rows)
	if err != nil {
		return nil, nil, err
	}
	parts := []part{{name: "scores", array: scores}}
	if !m.Regresses() {
		codes := data.NewMatrix(scores.Rows, 1)
		for i, c := range m.DecideAll(scores) {
			codes.Data[i] = float64(c)
		}
		parts = append(parts, part{name: "codes", array: codes})
	}
	if a.Proba {
		all := data.NewMatrix(scores.Rows, scores.Cols)
		for i := range all.Rows {
			m.Calibration.Probabilities(all.Row(i), scores.Row(i))
		}
		parts = append(parts, part{name: "probabilities", array: all})
	}
	if a.Coverage > 0 {
		parts = append(parts, part{name: "sets", array: setsOf(m, scores, a.Coverage)})
	}
	return map[string]any{}, parts, nil
}

// setsOf returns the prediction sets of rows, 1 for each class that is in, or of numbers
// the ends of the intervals.
func setsOf(m *model.Model, scores *data.Matrix, coverage float64) *data.Matrix {
	at := slices.IndexFunc(m.Conformal, func(c calibrate.Conformal) bool { return c.Coverage == coverage })
	c := &m.Conformal[at]
	if m.Regresses() {
		out := data.NewMatrix(scores.Rows, 2)
		for i := range out.Rows {
			out.Row(i)[0], out.Row(i)[1] = c.Interval(scores.Row(i)[0])
		}
		return out
	}
	out := data.NewMatrix(scores.Rows, scores.Cols)
	probabilities := make([]float64, scores.Cols)
	for i := range out.Rows {
		m.Calibration.Probabilities(probabilities, scores.Row(i))
		for _, k := range c.Set(probabilities) {
			out.Row(i)[k] = 1
		}
	}
	return out
}

// explain says why rows are predicted as they are, or, where they have labels, which of
// their columns matter.
func (s *server) explain(ctx context.Context, a *asked, o job.TrainOptions) (map[string]any, []part, error) {
	others, err := a.takeOthers(o.Run)
	if err != nil {
		return nil, nil, err
	}
	labelled := a.frames["y"].array != nil
	m, rows, err := s.given(a, &o)
	if err != nil {
		return nil, nil, err
	}
	if others != nil {
		if err := others.Fits(m.Encoding, m.Width()); err != nil {
			return nil, nil, err
		}
		if others, err = m.Encoding.Given(others); err != nil {
			return nil, nil, err
		}
	}
	e := job.NewExplainOptions()
	e.Options = o.Options
	if a.Nearest != nil {
		e.Nearest = *a.Nearest
	}
	if labelled {
		e.Metric, e.Columns = a.Metric, 0
		if a.Repeats > 0 {
			e.Repeats = a.Repeats
		}
	} else {
		e.Repeats = 0
		for i := range rows.Len() {
			e.Rows = append(e.Rows, i+1)
		}
	}
	told, err := job.ExplainRows(ctx, m, rows, others, e)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"explained": told}, nil, nil
}

// takeOthers makes rows of the frames whose names begin with others, nil where there are
// none.
func (a *asked) takeOthers(ctl run.Control) (*dataset.Rows, error) {
	if a.Others == nil {
		return nil, nil
	}
	const begins = "others."
	own := frames{}
	for name, p := range a.frames {
		if rest, ok := strings.CutPrefix(name, begins); ok {
			own[rest] = p
			delete(a.frames, name)
		}
	}
	return (&Request{Rows: a.Others, Labels: a.OtherLabels}).rows(own, ctl)
}

// features returns the features of rows.
func (s *server) features(ctx context.Context, a *asked, o job.TrainOptions) (map[string]any, []part, error) {
	m, rows, err := s.given(a, &o)
	if err != nil {
		return nil, nil, err
	}
	bytes := 8 * float64(rows.Len()) * float64(m.Dim())
	if err := o.Run.Reserve("the features", bytes, "map fewer rows at a time"); err != nil {
		return nil, nil, err
	}
	x, err := m.Features(ctx, o.Run, rows)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{}, []part{{name: "features", array: x}}, nil
}
