package job_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// lines writes rows of three numbers and a label by them.
func lines(t *testing.T, n int, label func(x []float64, noise float64) string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	for range n {
		x := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		fmt.Fprintf(&b, "%.5g,%.5g,%.5g,%s\n", x[0], x[1], x[2], label(x, r.NormFloat64()))
	}
	path := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rarely is 1 in about a thirtieth of the rows.
func rarely(x []float64, noise float64) string {
	if x[0]+x[1]+0.5*noise > 2.8 {
		return "1"
	}
	return "0"
}

// TestSearchLinear: where nothing but a linear model is to be found it is found, of numbers too.
func TestSearchLinear(t *testing.T) {
	path := lines(t, 120, func(x []float64, noise float64) string { return fmt.Sprintf("%.5g", x[0]-2*x[1]+0.3*noise) })
	out, err := searched(t, path, func(o *job.TrainOptions) { o.Single = true })
	if err != nil {
		t.Fatal(err)
	}
	if out.Test.R2 == nil || *out.Test.R2 < 0.97 {
		t.Errorf("R² %v, want at least 0.97 where 0.98 is to be had", out.Test.R2)
	}
}

// TestMetric: choices go by each criterion that is for the task, and by no other.
func TestMetric(t *testing.T) {
	two := lines(t, 150, func(x []float64, noise float64) string { return fmt.Sprint(x[0]*x[1]+0.2*noise > 0) })
	many := lines(t, 150, func(x []float64, _ float64) string { return "abc"[:1+int(min(max(x[0]+1, 0), 2))] })
	numbers := lines(t, 150, func(x []float64, noise float64) string { return fmt.Sprintf("%.5g", x[0]*x[1]+0.1*noise) })
	for _, by := range eval.Criteria {
		for path, regress := range map[string]bool{two: false, many: false, numbers: true} {
			for _, effort := range []job.Effort{job.Quick, job.Normal} {
				if effort == job.Normal && by != eval.ByF1 && (testing.Short() || by != eval.ByMAE) {
					continue // what a race does is the same for all but F1
				}
				out, err := searched(t, path, func(o *job.TrainOptions) { o.Choices.Metric, o.Effort = by, effort })
				if regress != by.OfNumbers() && path != numbers { // labels that are no numbers
					if err == nil {
						t.Errorf("%s of texts: no error", by)
					}
					continue
				}
				if err != nil && !regress {
					t.Errorf("%s: %v", by, err)
				}
				if regress && !by.OfNumbers() { // 150 different labels are no classes
					if err == nil {
						t.Errorf("%s of numbers: no error", by)
					}
					continue
				}
				if err == nil && by != eval.ByError && by != eval.ByRMSE && out.Metric != by {
					t.Errorf("%s: went by %q", by, out.Metric)
				}
			}
		}
	}
	for _, c := range []struct {
		task model.Task
		by   eval.Criterion
		want string
	}{
		{model.Classify, eval.ByRMSE, "rmse is for numbers, and the task is to classify"},
		{model.Regress, eval.ByAUC, "auc is for classes, and the task is to regress"},
		{"", "nonsense", `unknown metric "nonsense"`},
	} {
		path := map[model.Task]string{model.Classify: two}[c.task]
		if path == "" {
			path = numbers
		}
		_, err := searched(t, path, func(o *job.TrainOptions) { o.Choices.Task, o.Choices.Metric = c.task, c.by })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %s", c.by, c.task, err, c.want)
		}
	}
	_, err := searched(t, two, func(o *job.TrainOptions) {
		o.Choices.Metric, o.Choices.Learner = eval.ByAUC, spec.Call{Name: model.LearnerOneClass}
	})
	if err == nil || !strings.Contains(err.Error(), "makes none") {
		t.Errorf("auc of one-class: %v", err)
	}
}

// TestRareClass: choices go by the AUC where one of two classes is rare, and it is said.
func TestRareClass(t *testing.T) {
	path := lines(t, 600, rarely)
	var notes []string
	out, err := searched(t, path, func(o *job.TrainOptions) {
		o.Effort, o.Note = job.Least, func(text string) { notes = append(notes, text) }
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Metric != eval.ByAUC || !strings.Contains(strings.Join(notes, "\n"), "choices go by the AUC") {
		t.Errorf("metric %q, notes %q", out.Metric, notes)
	}
	out, err = searched(t, path, func(o *job.TrainOptions) { o.Effort, o.Choices.Metric = job.Least, eval.ByError })
	if err != nil || out.Metric != "" {
		t.Errorf("asked for the error: metric %q, %v", out.Metric, err)
	}
	// Of many frequent rows a balanced model says more often that one is rare.
	plain, err := searched(t, path, func(o *job.TrainOptions) { o.Effort, o.Choices.Metric = job.Least, eval.ByError })
	if err != nil {
		t.Fatal(err)
	}
	even, err := searched(t, path, func(o *job.TrainOptions) { o.Effort, o.Choices.Metric = job.Least, eval.ByBalanced })
	if err != nil {
		t.Fatal(err)
	}
	if even.Test.BalancedAccuracy < plain.Test.BalancedAccuracy {
		t.Errorf("balanced accuracy %v by --metric balanced, %v by the error", even.Test.BalancedAccuracy,
			plain.Test.BalancedAccuracy)
	}
}

// TestTuneMetric: a search of candidates goes by the criterion, and names it.
func TestTuneMetric(t *testing.T) {
	o := job.NewTuneOptions()
	o.Trials, o.Choices.Metric = 6, eval.ByAUC
	out, err := job.Tune(context.Background(), lines(t, 300, rarely), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(out)
	if err != nil || !strings.Contains(string(text), `"1-auc":`) || !strings.Contains(string(text), `"metric":"auc"`) {
		t.Errorf("%v: %s", err, text)
	}
	if out.Best.Loss == nil || *out.Best.Loss > 0.2 {
		t.Errorf("1 - AUC of the best: %v, want at most 0.2", out.Best.Loss)
	}
}
