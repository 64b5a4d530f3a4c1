package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// mixed is a table of numbers and categories with cells missing, a weight, a class of
// three and a number.
func mixed(t testing.TB, n int) string {
	t.Helper()
	rng := seed.Stream(9, seed.Generator, 0)
	var b strings.Builder
	b.WriteString("a,b,colour,w,class,value\n")
	for i := range n {
		x, y := 10+rng.NormFloat64(), rng.NormFloat64()
		colour, class := []string{"red", "green", "blue"}[rng.IntN(3)], "low"
		switch v := y + float64(len(colour))/4 + 0.3*rng.NormFloat64(); {
		case v > 1.6:
			class = "high"
		case v > 0.8:
			class = "mid"
		}
		cell := fmt.Sprintf("%.4f", x)
		if i%17 == 3 {
			cell = ""
		}
		fmt.Fprintf(&b, "%s,%.4f,%s,%d,%s,%.4f\n", cell, y, colour, i%3, class, 1000+3*y+x+rng.NormFloat64())
	}
	return put(t, "mixed.csv", b.String())
}

// scoresOf are what a model says of the rows of a file.
func scoresOf(t testing.TB, m *model.Model, path string) []float64 {
	t.Helper()
	var out []float64
	o := job.PredictOptions{Options: job.NewOptions(), Scores: true}
	if err := job.Predict(t.Context(), m, path, o, func(p *job.Predictions) error {
		for i, v := range p.Predictions {
			if number, ok := v.(float64); ok {
				out = append(out, number)
			} else {
				out = append(out, p.Scores[i]...)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Of a file whose rows are all in the sample, a stream has the landmarks of a training in
// memory, and at the same penalty its separators: to rounding of ridge, and of Newton's
// method to its tolerance.
func TestStreamIsTrainingInMemory(t *testing.T) {
	files := kinds(t)
	table := mixed(t, 600)
	tests := []struct {
		path, kernel, mapped, learner, target string
		weighted                              bool
		drop                                  []string
		near                                  float64
	}{
		{table, "rbf(gamma=0.3)", "f2(dim=30)", "ridge(lambda=0.1)", "class", false, []string{"value", "w"}, 1e-7},
		{table, "rbf(gamma=0.3)", "f2(dim=30)", "ridge(lambda=0.1)", "class", true, []string{"value"}, 1e-7},
		{table, "rbf(gamma=0.3)", "f2(dim=30)", "ridge(lambda=0.1)", "value", true, []string{"class"}, 1e-7},
		{table, "rbf(gamma=0.3)", "f2(dim=30)", "svm(C=2,tolerance=1e-11)", "class", true, []string{"value"}, 1e-4},
		{table, "rbf(gamma=0.3)", "f2(dim=30)", "svm(lambda=0.01,tolerance=1e-11)", "class", false, []string{"value"}, 1e-4},
		// Landmarks so alike that weights of similarities would cancel: features.
		{table, "rbf(gamma=0.0001)", "f2(dim=30)", "svm(C=2,tolerance=1e-11)", "class", false, []string{"value"}, 1e-4},
		{table, "rbf(gamma=0.3)", "fourier(dim=40)", "svm(C=2,tolerance=1e-11)", "class", false, []string{"value"}, 1e-4},
		{table, "linear", "none", "svm(C=2,tolerance=1e-11)", "class", false, []string{"value"}, 1e-4},
		{files["table"], "rbf(gamma=2)", "f2(dim=20)", "logistic(C=5,tolerance=1e-11)", "", false, nil, 1e-4},
		{table, "rbf(gamma=0.3)", "f2(dim=30)", "logistic(C=2,tolerance=1e-11)", "class", true, []string{"value"}, 1e-4},
		{table, "rbf(gamma=0.3)", "fourier(dim=40)", "logistic(lambda=0.01,tolerance=1e-11)", "class", false,
			[]string{"value"}, 1e-4},
		{files["table"], "rbf(gamma=2)", "f3(dim=20)", "ridge(lambda=0.1)", "", false, nil, 1e-7},
		{files["libsvm"], "rbf(gamma=2)", "f2(dim=20)", "ridge(lambda=0.1)", "", false, nil, 1e-7},
		{files["libsvm"], "rbf(gamma=2)", "f1(dim=20)", "svm(C=2,tolerance=1e-11)", "", false, nil, 1e-4},
		{files["strings"], "spectrum(k=2)", "f2(dim=20)", "svm(C=2,tolerance=1e-11)", "", false, nil, 1e-4},
		{files["sets"], "jaccard", "f2(dim=20)", "ridge(lambda=0.1)", "", false, nil, 1e-7},
		// Conjugate gradients stop at 1e-4 of the gradient they began with, in coordinates of condition below 10.
		{table, "rbf(gamma=0.3)", "none", "falkon(lambda=0.001,dim=30)", "class", true, []string{"value"}, 1e-3},
		{table, "rbf(gamma=0.3)", "none", "falkon(lambda=0.001,dim=30)", "value", true, []string{"class"}, 1e-3},
		{files["libsvm"], "rbf(gamma=2)", "none", "falkon(lambda=0.001,dim=20)", "", false, nil, 1e-3},
		{files["strings"], "spectrum(k=2)", "none", "falkon(lambda=0.001,dim=20)", "", false, nil, 1e-3},
	}
	for _, test := range tests {
		name := fmt.Sprint(test.path[strings.LastIndex(test.path, "/")+1:], " ", test.kernel, " ", test.learner)
		o := job.TrainOptions{Options: chosen(t, test.kernel, test.mapped, test.learner)}
		o.Read.Target, o.Read.Drop = test.target, test.drop
		if test.weighted {
			o.Read.Weight = "w"
		}
		want := train(t, test.path, o)
		o.Stream = true
		got := train(t, test.path, o)
		if got.Streamed == nil || want.Streamed != nil || got.N != want.N || got.Streamed.Rows != want.N ||
			got.Task != want.Task || fmt.Sprint(got.Classes) != fmt.Sprint(want.Classes) {
			t.Fatalf("%s: %d rows of %v, want %d of %v", name, got.N, got.Classes, want.N, want.Classes)
		}
		a, b := scoresOf(t, got.Model, test.path), scoresOf(t, want.Model, test.path)
		largest := 0.0
		for _, v := range b {
			largest = max(largest, math.Abs(v))
		}
		for i, v := range b {
			if !(math.Abs(a[i]-v) <= test.near*largest) {
				t.Fatalf("%s: score %d is %v, want %v", name, i, a[i], v)
			}
		}
		if math.Abs(got.Training.Objective-want.Training.Objective) > test.near*want.Training.Objective {
			t.Errorf("%s: the objective is %v, want %v", name, got.Training.Objective, want.Training.Objective)
		}
	}
}

// Models do not depend on the workers, nor on the parts in which the file is read, nor
// on how often it is read.
func TestStreamsAreTheSameBits(t *testing.T) {
	path := mixed(t, 3000)
	for _, learner := range []string{"ridge", "svm", "logistic", "falkon(dim=40)"} {
		mapped := "f2(dim=40)"
		if strings.HasPrefix(learner, "falkon") {
			mapped = "none"
		}
		var first []byte
		for _, workers := range []int{1, 2, 3} {
			for _, memory := range []int64{1 << 30, 1<<30 + 1<<20} {
				o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.3)", mapped, learner), Stream: true, Holdout: 0.2}
				o.Read.Target, o.Read.Drop = "class", []string{"value"}
				o.Run = run.Control{Workers: workers, Memory: memory}
				b := bytesOf(t, train(t, path, o).Model)
				if first == nil {
					first = b
				}
				if !bytes.Equal(b, first) {
					t.Fatalf("%s with %d workers and %d bytes: another model", learner, workers, memory)
				}
			}
		}
	}
}

// With nothing chosen, on more rows than the sample has, the test error is about that
// of memory.
func TestStreamOfManyRows(t *testing.T) {
	path := circle(t, 6000, 0.02)
	o := job.NewTrainOptions()
	o.Effort, o.Holdout = job.Least, 0.3
	want := train(t, path, o)
	o.Stream = true
	o.Run.Memory = 64 << 20 // a sample of about a thousand rows
	got := train(t, path, o)
	if got.Streamed.Sample >= got.Streamed.Rows || got.N+got.Test.Rows() != 6000 {
		t.Fatalf("a sample of %d of %d rows, %d tested", got.Streamed.Sample, got.N, got.Test.Rows())
	}
	// Both are of about 1800 rows, a deviation of 0.4% each.
	if math.Abs(got.Test.Loss()-want.Test.Loss()) > 0.015 {
		t.Errorf("error %v of the stream, %v of memory", got.Test.Loss(), want.Test.Loss())
	}
}

// The encoding of a sample is that of all rows.
func TestStreamEncodesAllRows(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,kind,y\n")
	for i := range 6000 {
		kind := "often"
		if i == 5999 {
			kind = "once"
		}
		x := fmt.Sprint(i % 100)
		if i == 5998 {
			x = ""
		}
		fmt.Fprintf(&b, "%s,%s,%d\n", x, kind, i%2)
	}
	path := put(t, "d.csv", b.String())
	o := job.TrainOptions{Options: chosen(t, "rbf", "f2(dim=900)", "ridge"), Stream: true}
	o.Run.Memory = 64 << 20
	got := train(t, path, o)
	o.Stream, o.Run.Memory = false, 0
	want := train(t, path, o)
	if got.Streamed.Sample >= 6000 {
		t.Fatal("all rows are in the sample")
	}
	for j, c := range want.Model.Encoding.Table.Columns {
		g := got.Model.Encoding.Table.Columns[j]
		if g.Kind != c.Kind || g.Indicator != c.Indicator || fmt.Sprint(g.Categories) != fmt.Sprint(c.Categories) ||
			!near(g.Mean, c.Mean) || !near(g.Center, c.Center) || !near(g.Spread, c.Spread) || g.Offset != c.Offset {
			t.Errorf("column %+v, want %+v", g, c)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	path := circle(t, 200, 0)
	option := func(change func(o *job.TrainOptions)) job.TrainOptions {
		o := job.NewTrainOptions()
		o.Stream = true
		change(&o)
		return o
	}
	for words, o := range map[string]job.TrainOptions{
		"needs all rows at once": option(func(o *job.TrainOptions) { o.Choices.Learner = call(t, "kernel-svm") }),
		"the loss hinge":         option(func(o *job.TrainOptions) { o.Choices.Learner = call(t, "svm(loss=hinge)") }),
		"does not go with error": option(func(o *job.TrainOptions) { o.Choices.Claim = &job.Claim{Error: 0.1} }),
		"with conformal":         option(func(o *job.TrainOptions) { o.Choices.Conformal = 0.2 }),
		"with categories":        option(func(o *job.TrainOptions) { o.Read.Categories = "target" }),
		"with effort":            option(func(o *job.TrainOptions) { o.Effort = job.Thorough }),
	} {
		var fault *dataset.OptionError
		if _, err := job.Train(t.Context(), path, o); !errors.As(err, &fault) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	var input *data.InputError
	var b strings.Builder
	b.WriteString("x,z,y\n")
	for i := range 6000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%100, i%7, i%2)
	}
	for bad, words := range map[string]string{
		"oops,1,1\n": `:6002:1: "oops" is not a number`, "inf,1,1\n": ":6002", "1,1,\n": ":6002",
		"1,1\n": ":6002", "1,1,rare\n": "",
	} {
		path := put(t, "d.csv", b.String()+bad)
		o := option(func(o *job.TrainOptions) {
			o.Options = chosen(t, "rbf", "f2(dim=900)", "ridge")
			o.Choices.Task = model.Classify
			o.Run.Memory = 64 << 20
		})
		_, err := job.Train(t.Context(), path, o)
		if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := job.Train(ctx, path, option(func(*job.TrainOptions) {})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A file that is too large for the memory is streamed, and that is said.
func TestLargeFilesAreStreamed(t *testing.T) {
	path := circle(t, 3000, 0.02)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	o := job.NewTrainOptions()
	o.Effort, o.Note = job.Least, func(text string) { notes = append(notes, text) }
	o.Run.Memory = 3*info.Size() - 1
	o.Choices = chosen(t, "rbf", "f2(dim=5)", "ridge").Choices
	o.Run.Memory = max(o.Run.Memory, 1)
	got, err := job.Train(t.Context(), path, o)
	if err == nil && got.Streamed == nil || len(notes) == 0 || !strings.Contains(strings.Join(notes, "\n"), "--stream") {
		t.Errorf("%v, notes %q", err, notes)
	}
}
