package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// call is a job on a file, which both doors take.
type call struct {
	job, data string

	model           string // read by predict, eval and map, written by train; map without one is fitted
	as, target      string
	weight, weights string
	text, drop      string
	test            string
	kernel, task    string
	learner         string
	penalty         float64 // C or lambda of the learner; 0 for none
	dim             int     // of the map f2; 0 for a learner without a map
}

// result is what came of a call.
type result struct {
	object   map[string]any // as in JSON
	lines    []string       // of predict, as they are printed
	features [][]float64    // of map
	labels   []string       // of map
}

// penaltyName returns what the penalty of a learner is called.
func penaltyName(learner string) string {
	if strings.Contains(learner, "ridge") {
		return "lambda"
	}
	return "C"
}

// tight is the tolerance of learners that are compared.
const tight = 1e-9

// args returns the command line of a call.
func (c call) args(out string) []string {
	args := []string{c.job}
	if c.job == "certificate" {
		args = []string{"train", "--error", "0.3", "--margin", "0.2"}
	}
	flag := func(name, value string) {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	trains := false
	switch c.job {
	case "predict", "eval":
		args = append(args, c.model, c.data)
	case "map":
		if c.model == "" {
			args = append(args, "--fit", c.data)
		} else {
			args = append(args, c.model, c.data)
		}
		flag("output", out)
	case "cv":
		args, trains = append(args, c.data, "--folds", "3"), true
	case "tune":
		args, trains = append(args, c.data, "--folds", "2", "--trials", "2", "--search", "random"), true
	case "train", "certificate":
		args, trains = append(args, c.data), true
		flag("output", c.model)
	default:
		args = append(args, c.data)
	}
	if c.model == "" || trains {
		flag("as", c.as)
		flag("text", c.text)
		flag("drop", c.drop)
		flag("kernel", c.kernel)
	}
	flag("target", c.target)
	flag("weight", c.weight)
	flag("weights", c.weights)
	flag("test", c.test)
	if trains {
		flag("task", c.task)
		flag("learner", c.learner)
		if c.learner != "" {
			flag("tolerance", strconv.FormatFloat(tight, 'g', -1, 64))
		}
		flag("calibrate", "none")
		if c.penalty > 0 {
			flag(penaltyName(c.learner), fmt.Sprint(c.penalty))
		}
	}
	if c.dim > 0 && (trains && c.job != "certificate" || c.job == "map" && c.model == "") {
		args = append(args, "--map", "f2", "--dim", fmt.Sprint(c.dim))
	}
	return args
}

// commandLine runs a call as a program would be.
func (w *world) commandLine(c call) (result, int, string) {
	out := ""
	if c.job == "map" {
		out = filepath.Join(w.dir, "features.csv")
	}
	args := c.args(out)
	status, text, fault := kerf(w, append(args, "--json", "--quiet")...)
	if status != 0 {
		if wrong := wrongFailure(text, fault); wrong != "" {
			w.Errorf("kerf %s: %s", strings.Join(args, " "), wrong)
		}
		return result{}, status, fault
	}
	var r result
	var err error
	if r.object, err = object(text); err != nil {
		w.Fatal(err)
	}
	switch c.job {
	case "predict":
		r.lines = strings.Split(strings.TrimSuffix(mustRun(w, append(args, "--scores")...), "\n"), "\n")
	case "map":
		delete(r.object, "output")
		r.features, r.labels = w.readFeatures(out)
	}
	return r, 0, ""
}

// readFeatures reads what map wrote.
func (w *world) readFeatures(path string) (features [][]float64, labels []string) {
	w.Helper()
	f, err := os.Open(path)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		w.Fatal(err)
	}
	width := len(all[0])
	if all[0][width-1] == "label" {
		width--
	}
	for _, line := range all[1:] {
		values, ok := cellNumbers(line[:width])
		if !ok {
			w.Fatalf("a feature of %q is no number", line)
		}
		if features = append(features, values); width < len(line) {
			labels = append(labels, line[width])
		}
	}
	return features, labels
}

// options returns a call's options of every job.
func (c call) options() job.Options {
	o := job.NewOptions()
	o.Read = dataset.Options{Kind: dataset.Kind(c.as), Target: c.target, Text: c.text, Weight: c.weight,
		Weights: c.weights}
	if c.drop != "" {
		o.Read.Drop = []string{c.drop}
	}
	o.Choices.Kernel, o.Choices.Task, o.Choices.Calibrate = c.kernel, model.Task(c.task), ""
	if c.learner != "" {
		o.Choices.Learner = spec.Call{Name: c.learner, Args: map[string]any{}}
		if l, err := model.NewLearner[string](c.learner, nil); err == nil && model.Accepts(l, "tolerance") {
			o.Choices.Learner.Args["tolerance"] = tight
		}
		if c.penalty > 0 {
			o.Choices.Learner.Args[penaltyName(c.learner)] = c.penalty
		}
	}
	if c.dim > 0 && c.job != "certificate" {
		o.Choices.Map = spec.Call{Name: "f2", Args: map[string]any{"dim": c.dim}}
	}
	return o
}

// program runs a call as a Go program would.
func (w *world) program(c call) (result, error) {
	var r result
	var out any
	ctx, o := w.Context(), c.options()
	train := job.TrainOptions{Options: o, Output: c.model, Test: c.test, Effort: job.Least}
	load := func() *model.Model {
		m, err := model.Load(c.model)
		if err != nil {
			w.Fatal(err)
		}
		return m
	}
	gather := func(x *data.Matrix, labels []string) error {
		for i := range x.Rows {
			r.features = append(r.features, append([]float64{}, x.Row(i)...))
		}
		r.labels = append(r.labels, labels...)
		return nil
	}
	var err error
	switch c.job {
	case "train":
		out, err = job.Train(ctx, c.data, train)
	case "certificate":
		train.Choices.Claim = &job.Claim{Error: 0.3, Confidence: 0.95, Margin: 0.2}
		out, err = job.Train(ctx, c.data, train)
	case "cv":
		out, err = job.CrossValidate(ctx, c.data, job.CVOptions{Options: o, Folds: 3, Repeats: 1})
	case "tune":
		t := job.NewTuneOptions()
		t.TrainOptions, t.Search, t.Trials, t.Folds, t.FoldsGiven = train, job.Random, 2, 2, true
		out, err = job.Tune(ctx, c.data, t)
	case "margin":
		m := job.NewMarginOptions()
		m.Options = o
		out, err = job.FindMargin(ctx, c.data, m)
	case "check":
		k := job.NewCheckOptions()
		k.Options = o
		out, err = job.Check(ctx, c.data, k)
	case "eval":
		out, err = job.Evaluate(ctx, load(), c.data, o)
	case "predict":
		all := &job.Predictions{Predictions: []any{}}
		m := load()
		err = job.Predict(ctx, m, c.data, job.PredictOptions{Options: o}, func(p *job.Predictions) error {
			all.Classes = p.Classes
			all.Append(p)
			return nil
		})
		out = all
		if err == nil {
			err = job.Predict(ctx, m, c.data, job.PredictOptions{Options: o, Scores: true}, func(p *job.Predictions) error {
				for i := range p.Predictions {
					r.lines = append(r.lines, p.Line(i))
				}
				return nil
			})
		}
	case "map":
		if c.model != "" {
			out, err = job.MapFeatures(ctx, load(), c.data, o, gather)
			break
		}
		var f *job.FittedMap
		if f, err = job.FitMap(ctx, c.data, o); err == nil {
			out, err = map[string]any{"rows": f.Rows, "dim": f.Dim}, f.Each(ctx, gather)
		}
	}
	if err != nil {
		return r, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		w.Fatal(err)
	}
	if r.object, err = object(string(text)); err != nil {
		w.Fatal(err)
	}
	delete(r.object, "output")
	return r, nil
}

// classOf returns the exit status that a Go program's error stands for.
func classOf(err error) int {
	var (
		option *dataset.OptionError
		input  *data.InputError
		sample *model.SampleError
	)
	switch {
	case errors.As(err, &option):
		return 2
	case errors.As(err, &input), errors.As(err, &sample), errors.Is(err, learn.ErrOneClass):
		return 3
	}
	return 1
}

// do runs a call through the cell's door. What comes through the door of Go must be
// what comes from the command line, times aside.
func (w *world) do(c call) result {
	w.Helper()
	r, status, fault := w.commandLine(c)
	if status != 0 {
		w.Fatalf("kerf %s: exit status %d: %s", strings.Join(c.args(""), " "), status, fault)
	}
	if w.door == "command line" {
		return r
	}
	mine, err := w.program(c)
	if err != nil {
		w.Fatalf("%s in Go: %v", strings.Join(c.args(""), " "), err)
	}
	times := []string{"seconds", "train_seconds"}
	if a, b := without(mine.object, times...), without(r.object, times...); !reflect.DeepEqual(a, b) {
		w.Errorf("%s in Go is %v and on the command line %v", c.job, a, b)
	}
	if !reflect.DeepEqual(mine.lines, r.lines) || !reflect.DeepEqual(mine.features, r.features) ||
		!reflect.DeepEqual(mine.labels, r.labels) {
		w.Errorf("%s in Go gives other rows than the command line", c.job)
	}
	return mine
}

// refuses checks that a call is refused through the cell's door.
func (w *world) refuses(c call, status int, says string) {
	w.Helper()
	if w.door == "command line" {
		_, got, text := w.commandLine(c)
		if got != status || !strings.Contains(text, says) {
			w.Errorf("kerf %s: exit status %d: %s; want %d: … %s …", strings.Join(c.args(""), " "), got, text, status,
				says)
		}
		return
	}
	_, err := w.program(c)
	if err == nil {
		w.Errorf("%s in Go is not refused; want: … %s …", c.job, says)
	} else if classOf(err) != status || !strings.Contains(err.Error(), says) {
		w.Errorf("%s in Go: %T %v; want one of exit status %d: … %s …", c.job, err, err, status, says)
	}
}
