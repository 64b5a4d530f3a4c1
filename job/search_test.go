package job_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// directed writes rows of eight numbers, of which the target is a function of two
// directions, as a class or as a number.
func directed(t *testing.T, n int, classes bool, tail string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for range n {
		x := make([]float64, 8)
		for j := range x {
			x[j] = r.NormFloat64()
			fmt.Fprintf(&b, "%.6g,", x[j])
		}
		v := math.Sin(1.5*(x[0]+x[1])) * (x[2] - x[3])
		if classes {
			fmt.Fprintf(&b, "%s%s\n", []string{"low", "high"}[min(1, max(0, int(math.Ceil(v))))], tail)
		} else {
			fmt.Fprintf(&b, "%.6g%s\n", v, tail)
		}
	}
	path := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func searched(t *testing.T, path string, change func(*job.TrainOptions)) (*job.Trained, error) {
	t.Helper()
	o := job.NewTrainOptions()
	o.Holdout = 0.3
	if change != nil {
		change(&o)
	}
	return job.Train(context.Background(), path, o)
}

// TestSearch sees that a search beats the quick choice where directions matter, that its
// model is stored whole, and that it is the same for any number of workers.
func TestSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("a race has hundreds of fits")
	}
	for _, classes := range []bool{true, false} {
		path := directed(t, 450, classes, "")
		quick, err := searched(t, path, func(o *job.TrainOptions) { o.Effort = job.Quick })
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "m.kerf")
		best, err := searched(t, path, func(o *job.TrainOptions) { o.Output = out })
		if err != nil {
			t.Fatal(err)
		}
		loss := func(x *job.Trained) float64 {
			if classes {
				return x.Test.Metrics.Error
			}
			return x.Test.Regression.RMSE
		}
		if loss(best) > 0.8*loss(quick) {
			t.Errorf("classes %v: the search has %v and the quick choice %v", classes, loss(best), loss(quick))
		}
		if best.Words.Search == "" || best.Tried < 20 || best.Expected == nil {
			t.Errorf("classes %v: words %q, %d tried, expected %v", classes, best.Words.Search, best.Tried, best.Expected)
		}
		again, err := searched(t, path, func(o *job.TrainOptions) { o.Run.Workers = 3 })
		if err != nil || loss(again) != loss(best) || again.Kernel != best.Kernel {
			t.Errorf("classes %v: with three workers %v by %s, else %v by %s (%v)", classes, loss(again), again.Kernel,
				loss(best), best.Kernel, err)
		}
		m, err := model.Load(out)
		if err != nil {
			t.Fatal(err)
		}
		scored, err := job.Evaluate(context.Background(), m, path, job.NewOptions())
		if err != nil || scored == nil {
			t.Errorf("classes %v: the model cannot be evaluated: %v", classes, err)
		}
	}
}

// TestSearchMeets pairs the search with what may stand beside it.
func TestSearchMeets(t *testing.T) {
	if testing.Short() {
		t.Skip("a race has hundreds of fits")
	}
	path := directed(t, 60, true, "")
	for name, c := range map[string]struct {
		change func(*job.TrainOptions)
		fails  string
	}{
		"scale":     {change: func(o *job.TrainOptions) { o.Scale = "none" }},
		"balanced":  {change: func(o *job.TrainOptions) { o.Choices.Balanced = true }},
		"conformal": {change: func(o *job.TrainOptions) { o.Choices.Conformal = 0.3 }},
		"time":      {change: func(o *job.TrainOptions) { o.Time = time.Nanosecond }, fails: "--time"},
		"effort":    {change: func(o *job.TrainOptions) { o.Effort = "huge" }, fails: "huge"},
		"few rows":  {change: func(o *job.TrainOptions) { o.Holdout = 0.9 }},
		"target":    {change: func(o *job.TrainOptions) { o.Read.Target = "first"; o.Choices.Task = model.Regress }},
	} {
		got, err := searched(t, path, c.change)
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: the error is %v and must name %s", name, err, c.fails)
		case c.fails == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.fails == "" && got.Test == nil:
			t.Errorf("%s: there is no test", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := job.Train(ctx, path, job.NewTrainOptions()); err == nil {
		t.Error("a context that has ended is not noticed")
	}
}

// TestSearchRareClass learns a class of three rows beside others.
func TestSearchRareClass(t *testing.T) {
	path := directed(t, 100, true, "")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		b = append(b, []byte(fmt.Sprintf("9,9,9,9,9,9,9,%d,rare\n", 9+i))...)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := searched(t, path, func(o *job.TrainOptions) { o.Holdout = 0 })
	if err != nil || len(got.Classes) != 3 {
		t.Fatalf("classes %v (%v)", got, err)
	}
}

// TestSearchFewRows pairs rows so few that arms are compared by squares with what they may meet: a class of one
// row, many classes, weights, another criterion, categories of strings, numbers. It gives the same model for
// any number of workers, and an interval of the error around what the test shows.
func TestSearchFewRows(t *testing.T) {
	if testing.Short() {
		t.Skip("a race has hundreds of fits")
	}
	r := rand.New(rand.NewPCG(3, 3))
	rows := func(n int, line func(i int, x, y float64) string) string {
		var b strings.Builder
		for i := range n {
			x, y := r.NormFloat64(), r.NormFloat64()
			fmt.Fprintf(&b, "%.4g,%.4g,%s\n", x, y, line(i, x, y))
		}
		return b.String()
	}
	side := func(x, y float64) string {
		if x+y > 0 {
			return "up"
		}
		return "down"
	}
	for name, c := range map[string]struct {
		text   string
		change func(*job.TrainOptions)
	}{
		"one of a class": {text: rows(60, func(i int, x, y float64) string {
			if i == 7 {
				return "single"
			}
			return side(x, y)
		})},
		"many classes": {text: rows(75, func(i int, x, _ float64) string {
			return fmt.Sprintf("c%d", int(math.Round(2*x))+9)
		})},
		"weights": {text: rows(60, func(i int, x, y float64) string { return fmt.Sprintf("%d,%s", i%3, side(x, y)) }),
			change: func(o *job.TrainOptions) { o.Read.Weight = "3" }},
		"another criterion": {text: rows(60, func(_ int, x, y float64) string { return side(x, y) }),
			change: func(o *job.TrainOptions) { o.Choices.Metric = eval.ByLogLoss }},
		"class weights": {text: rows(60, func(_ int, x, y float64) string { return side(x, y) }),
			change: func(o *job.TrainOptions) { o.Choices.ClassWeight = map[string]float64{"up": 5} }},
		"strings": {text: rows(60, func(i int, x, y float64) string {
			return fmt.Sprintf("%s,%s", []string{"red", "green", "?"}[i%3], side(x, y))
		})},
		"numbers": {text: rows(60, func(_ int, x, y float64) string { return fmt.Sprintf("%.5g", x*y) })},
		"quick": {text: rows(60, func(_ int, x, y float64) string { return side(x, y) }),
			change: func(o *job.TrainOptions) { o.Effort = job.Quick }},
	} {
		path := filepath.Join(t.TempDir(), "few.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		by := func(workers int) (*job.Trained, string) {
			got, err := searched(t, path, func(o *job.TrainOptions) {
				o.Read.Target, o.Run.Workers = "last", workers
				if c.change != nil {
					c.change(o)
				}
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return got, fmt.Sprintf("%s, test %s", got.Kernel, got.Test)
		}
		got, one := by(1)
		if _, three := by(3); one != three {
			t.Errorf("%s: with one worker %s and with three %s", name, one, three)
		}
		if e := got.Expected; e == nil || !(*e.Low <= e.Value && e.Value <= *e.High) {
			t.Errorf("%s: expected %+v", name, got.Expected)
		}
	}
}

// TestSearchTestFile sees that rows of a file are tested on in the encoding that the
// search took, and that what is said of them is said once.
func TestSearchTestFile(t *testing.T) {
	var train, fresh strings.Builder
	r := rand.New(rand.NewPCG(5, 5))
	for range 80 {
		x, y := math.Exp(4*r.NormFloat64()), r.Float64() // a tail that quantiles suit
		label := []string{"no", "yes"}[min(1, max(0, int(math.Ceil(math.Log(x)))))]
		fmt.Fprintf(&train, "%.6g,%.6g,%s\n", x, y, label)
		fmt.Fprintf(&fresh, "%.6g,%.6g,%s.\n", x, y, label)
	}
	dir := t.TempDir()
	path, test := filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv")
	for name, text := range map[string]string{path: train.String(), test: fresh.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notes := 0
	got, err := searched(t, path, func(o *job.TrainOptions) {
		o.Holdout, o.Test = 0, test
		o.Note = func(text string) { notes += strings.Count(text, "test.csv") }
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Scale != "quantile" || notes != 1 || math.Abs(got.Test.Metrics.Error-got.Train.Metrics.Error) > 1e-12 {
		t.Errorf("scale %s, %d notes, error %v on the rows and %v on the same as a test", got.Scale, notes,
			got.Train.Metrics.Error, got.Test.Metrics.Error)
	}
}

// TestSearchMemory sees that a search ends in a model that fits into the budget, with fewer landmarks.
func TestSearchMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a race has hundreds of fits")
	}
	path := directed(t, 9000, true, "")
	out, err := searched(t, path, func(o *job.TrainOptions) { o.Effort, o.Run.Memory = job.Quick, 64<<20 })
	if err != nil {
		t.Fatal(err)
	}
	if out.Learner != model.LearnerFalkon || out.Support != 1024 {
		t.Errorf("%s with %d landmarks", out.Learner, out.Support)
	}
}
