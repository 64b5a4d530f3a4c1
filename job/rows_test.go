package job_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

// TestTrainRows compares a model of a table that a program has with that of its file.
func TestTrainRows(t *testing.T) {
	var a, b []float64
	var labels, jobs []string
	text := "a,b,job,y\n"
	for i := range 120 {
		u, v := float64(i*37%101)/50-1, float64(i*53%97)/48-1
		a, b, jobs = append(a, u), append(b, v), append(jobs, []string{"smith", "clerk", "nurse"}[i%3])
		labels = append(labels, map[bool]string{true: "in", false: "out"}[u*u+v*v < 0.5])
		text += strconv.FormatFloat(u, 'g', -1, 64) + "," + strconv.FormatFloat(v, 'g', -1, 64) + "," + jobs[i] + "," +
			labels[i] + "\n"
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := dataset.OfTable("X", []dataset.GivenColumn{
		{Name: "a", Numbers: a}, {Name: "b", Numbers: b}, {Name: "job", Texts: jobs},
	}, run.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Beside(labels, nil); err != nil {
		t.Fatal(err)
	}
	for _, effort := range []job.Effort{job.Quick, job.Normal} {
		o := job.NewTrainOptions()
		o.Effort = effort
		want, err := job.Train(context.Background(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := job.TrainRows(context.Background(), rows, o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Kernel != want.Kernel || got.Dim != want.Dim || got.Map != want.Map || got.Train.Error != want.Train.Error {
			t.Errorf("%s: %s %s %d and %s %s %d", effort, got.Kernel, got.Map, got.Dim, want.Kernel, want.Map, want.Dim)
		}
		one := map[string]any{"a": 0.1, "b": 0.2, "job": "clerk"}
		p, err := got.Model.Predict(one)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := want.Model.Predict(one); err != nil || !slices.Equal(p.Scores, q.Scores) {
			t.Errorf("%s: %v and %v: %v", effort, p, q, err)
		}
	}
	o := job.NewTrainOptions()
	o.Stream = true
	if _, err := job.TrainRows(context.Background(), rows, o); err == nil {
		t.Error("rows in memory are streamed")
	}
	o = job.NewTrainOptions()
	o.Choices.Learner.Name, rows.Weights = "perceptron", make([]float64, rows.Len())
	if _, err := job.TrainRows(context.Background(), rows, o); err == nil || !strings.Contains(err.Error(), "weights") {
		t.Error(err)
	}
}

// TestFitMapRows fits a map whose model has features and predicts nothing.
func TestFitMapRows(t *testing.T) {
	x := data.NewMatrix(30, 2)
	for i := range x.Data {
		x.Data[i] = float64(i * 29 % 31)
	}
	rows, err := dataset.OfMatrix("X", x)
	if err != nil {
		t.Fatal(err)
	}
	f, err := job.FitMapRows(context.Background(), rows, job.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	if f.Dim != f.Model.Dim() || f.Rows != 30 || f.Model.Predicts() {
		t.Errorf("%d features of %d rows", f.Dim, f.Rows)
	}
	path := filepath.Join(t.TempDir(), "m.kerf")
	if err := f.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	var po job.PredictOptions
	if err := po.Check(f.Model, path); err == nil || !strings.Contains(err.Error(), "predicts nothing") {
		t.Error(err)
	}
}
