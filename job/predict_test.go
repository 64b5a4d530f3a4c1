package job_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// trained are models of each kind and task, saved, with the file that they were
// trained on and how it is read.
type trained struct {
	path, data string
	m          *model.Model
	as         []string
}

func trainedOfAll(t *testing.T) map[string]trained {
	t.Helper()
	out := map[string]trained{}
	files := kinds(t)
	files["numbers"] = wave(t, 90)
	for name, path := range files {
		o := quickly()
		o.Choices.Conformal = 0.3
		o.Output = filepath.Join(t.TempDir(), "m.kerf")
		var as []string
		switch name {
		case "numbers":
			o.Choices.Task = model.Regress
		case "strings":
			o.Read.Kind, as = dataset.Strings, []string{"--as", "strings"}
		case "table": // with three classes
			o.Choices.Learner = call(t, "logistic(C=10)")
		}
		train(t, path, o)
		m, err := model.Load(o.Output)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = trained{o.Output, path, m, as}
	}
	return out
}

// TestPredictLines: a line is what the program prints, whatever is asked for.
func TestPredictLines(t *testing.T) {
	for name, c := range trainedOfAll(t) {
		for flags, o := range map[string]job.PredictOptions{
			"": {}, "--scores": {Scores: true}, "--proba": {Proba: true}, "--set 0.9": {Coverage: 0.9},
			"--scores --set 0.95": {Scores: true, Coverage: 0.95}, "--proba --set 0.9": {Proba: true, Coverage: 0.9},
		} {
			o.Options = job.NewOptions()
			if name == "numbers" && o.Proba {
				if err := o.Check(c.m, c.path); err == nil {
					t.Error("numbers have no probabilities")
				}
				continue
			}
			if err := o.Check(c.m, c.path); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(linesOf(t, c.m, c.data, o), "\n") + "\n"
			want := kerf(t, append([]string{"predict", c.path, c.data}, strings.Fields(flags)...)...)
			if got != want {
				t.Errorf("%s %s: the job gives\n%.200s\nthe program\n%.200s", name, flags, got, want)
			}
		}
	}
}

// TestPredictJSON: the parts put together are what the program prints.
func TestPredictJSON(t *testing.T) {
	for name, c := range trainedOfAll(t) {
		o := job.PredictOptions{Options: job.NewOptions(), Scores: true, Coverage: 0.9}
		all := &job.Predictions{Predictions: []any{}, Classes: c.m.Classes.Names, Coverage: 0.9}
		err := job.Predict(t.Context(), c.m, c.data, o, func(p *job.Predictions) error { all.Append(p); return nil })
		if err != nil {
			t.Fatal(err)
		}
		wantKeys(t, object(t, all), "predictions")
		wantSameJSON(t, all, "predict", c.path, c.data, "--scores", "--set", "0.9")
		if n := len(all.Predictions); n != 90 || name == "numbers" && len(all.Intervals) != n {
			t.Errorf("%s: %d predictions, %d intervals", name, n, len(all.Intervals))
		}
	}
}

// TestPredictRefuses: what the model does not have is said.
func TestPredictRefuses(t *testing.T) {
	path := circle(t, 60, 0)
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=1)", "f2(dim=5)", "svm(C=1)")}
	o.Choices.Calibrate = ""
	m := train(t, path, o).Model
	for _, p := range []job.PredictOptions{{Proba: true}, {Coverage: 0.9}} {
		err := job.Predict(t.Context(), m, path, p, func(*job.Predictions) error { return nil })
		if err == nil || p.Check(m, "m.kerf") == nil || !strings.Contains(p.Check(m, "m.kerf").Error(), "m.kerf") {
			t.Errorf("%+v: %v, %v", p, err, p.Check(m, "m.kerf"))
		}
	}
	stop := fmt.Errorf("stop")
	err := job.Predict(t.Context(), m, path, job.PredictOptions{}, func(*job.Predictions) error { return stop })
	if err != stop {
		t.Errorf("the error of the caller is %v", err)
	}
}

// TestEvaluate: errors, the confusion and the RMSE by their definitions.
func TestEvaluate(t *testing.T) {
	for name, c := range trainedOfAll(t) {
		o := job.NewOptions()
		got, err := job.Evaluate(t.Context(), c.m, c.data, o)
		if err != nil {
			t.Fatal(err)
		}
		wantSameJSON(t, got, "eval", c.path, c.data)
		rows, err := dataset.Read(t.Context(), c.data, dataset.Options{Kind: c.m.Encoding.Kind})
		if err != nil {
			t.Fatal(err)
		}
		lines := linesOf(t, c.m, c.data, job.PredictOptions{Options: o})
		if name == "numbers" {
			square, absolute := 0.0, 0.0
			values, err := rows.Values(nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range lines {
				v, _ := strconv.ParseFloat(line, 64)
				square += (v - values[i]) * (v - values[i])
				absolute += math.Abs(v - values[i])
			}
			n := float64(len(lines))
			if !near(got.Numbers.RMSE, math.Sqrt(square/n)) || !near(got.Numbers.MAE, absolute/n) || got.Classes != nil {
				t.Errorf("%+v, want an RMSE of %v", got.Numbers, math.Sqrt(square/n))
			}
			wantKeys(t, object(t, got), "rmse", "r2")
			continue
		}
		k := len(c.m.Classes.Names)
		confusion, wrong := make([][]int, k), 0.0
		for i := range confusion {
			confusion[i] = make([]int, k)
		}
		for i, line := range lines {
			is, _ := c.m.Classes.Index(rows.Labels[i])
			said, _ := c.m.Classes.Index(line)
			if confusion[is][said]++; is != said {
				wrong++
			}
		}
		if e := got.Classes; !near(e.Error, wrong/float64(len(lines))) || fmt.Sprint(e.Confusion) != fmt.Sprint(confusion) {
			t.Errorf("%s: error %v and %v, want %v", name, e.Error, e.Confusion, confusion)
		}
		wantKeys(t, object(t, got), "error", "accuracy", "confusion", "margins")
	}
}

// sameLabel reports whether two labels are the same text, or the same number.
func sameLabel(a, b string) bool {
	x, wrong := strconv.ParseFloat(a, 64)
	y, bad := strconv.ParseFloat(b, 64)
	return a == b || wrong == nil && bad == nil && x == y
}

// TestMapFeatures: the separators of the features are the model's scores.
func TestMapFeatures(t *testing.T) {
	for name, c := range trainedOfAll(t) {
		rows, err := dataset.Read(t.Context(), c.data, dataset.Options{Kind: c.m.Encoding.Kind})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := c.m.Scores(t.Context(), run.Control{}, rows)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		use := func(f *data.Matrix, labels []string) error {
			for i := range f.Rows {
				sum := c.m.Bias[0] * c.m.Unit
				for j, v := range f.Row(i) {
					sum += v * c.m.Separators.Row(0)[j]
				}
				if row := scores.Row(at); !near(sum, row[len(row)-1]) || !sameLabel(labels[i], rows.Labels[at]) {
					t.Fatalf("%s, row %d: %v of the features, the score is %v", name, at, sum, row)
				}
				at++
			}
			return nil
		}
		got, err := job.MapFeatures(t.Context(), c.m, c.data, job.NewOptions(), use)
		if err != nil || got.Rows != 90 || at != 90 || got.Dim != c.m.Separators.Cols {
			t.Errorf("%s: %+v after %d rows, %v", name, got, at, err)
		}
		out := filepath.Join(t.TempDir(), "f.csv")
		wantSameJSON(t, got, "map", c.path, c.data, "-o", out)
		wantKeys(t, object(t, got), "rows", "dim")
	}
}

// TestFitMap: the features are those of the recipe's map.
func TestFitMap(t *testing.T) {
	path := circle(t, 70, 0)
	for _, mapped := range []string{"f1(dim=12)", "f2(dim=12,select=kmeans)", "f3(dim=6)", "fourier(dim=8)"} {
		o := chosen(t, "rbf(gamma=1)", mapped, "")
		got, err := job.FitMap(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := dataset.Read(t.Context(), path, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := dataset.Fit(rows, nil, scale.None, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Decode[data.Vector](e, rows)
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.Vectors{}.Kernel("rbf(gamma=1)")
		if err != nil {
			t.Fatal(err)
		}
		r := model.NewRecipe(k, 0)
		if r.Map, err = model.NewMapper[data.Vector](call(t, mapped).Name, call(t, mapped).Args); err != nil {
			t.Fatal(err)
		}
		m, err := r.FitMap(t.Context(), d.X)
		if err != nil {
			t.Fatal(err)
		}
		at, want := 0, make([]float64, m.Dim())
		err = got.Each(t.Context(), func(f *data.Matrix, labels []string) error {
			for i := range f.Rows {
				m.MapTo(want, d.X.At(at))
				if !slices.EqualFunc(f.Row(i), want, near) || labels[i] != rows.Labels[at] {
					t.Fatalf("%s, row %d: %v, want %v", mapped, at, f.Row(i), want)
				}
				at++
			}
			return nil
		})
		if err != nil || at != 70 || got.Rows != 70 || got.Dim != m.Dim() {
			t.Errorf("%s: %d rows of %d features, %v", mapped, at, got.Dim, err)
		}
	}
}
