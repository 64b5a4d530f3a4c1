package report_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
)

// written returns a page after checking what all have in common: it asks for
// nothing from elsewhere, runs nothing, and is well formed.
func written(t *testing.T, d report.Document, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b, again strings.Builder
	if err := report.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if err := report.Write(&again, d); err != nil || again.String() != page {
		t.Errorf("the same document is another page: %v", err)
	}
	for _, wrong := range []string{"<script", "http:", "https:", "url(", "@import", "<link", "<img", "NaN", "Inf",
		"%!", "<nil>"} {
		if i := strings.Index(page, wrong); i >= 0 {
			t.Errorf("the page has %s: …%.100s", wrong, page[max(0, i-50):])
		}
	}
	body := strings.TrimSuffix(page[strings.Index(page, "<h1>"):], "</html>\n")
	if _, err := texts("<body>" + body + "</body>"); err != nil {
		t.Errorf("the page is not well formed: %v", err)
	}
	return page
}

// has checks which texts a page has.
func has(t *testing.T, page string, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page lacks %q", w)
		}
	}
	for _, w := range not {
		if strings.Contains(page, w) {
			t.Errorf("the page has %q", w)
		}
	}
}

// classified returns a page on n rows of k classes, of which every fifth is
// predicted as the class before its own.
func classified(t *testing.T, n, k int) report.TrainPage {
	t.Helper()
	p := report.TrainPage{
		Data: "d.csv", Learner: "svm", Trained: 1234, On: "t.csv", Test: true,
		Facts:    []report.Fact{{Name: "kernel", Value: "rbf(gamma=1)"}},
		Training: model.Training{Report: learn.Report{Status: learn.Converged, Elapsed: 1500 * time.Millisecond}},
		Said: eval.Said{
			Classes: k, Truth: make([]int, n), Predicted: make([]int, n), Scores: data.NewMatrix(n, k),
			Probabilities: data.NewMatrix(n, k),
		},
	}
	for c := range k {
		p.Classes = append(p.Classes, fmt.Sprintf("class %d", c))
	}
	for i := range n {
		truth := i % k
		said := truth
		if i%5 == 4 {
			said = (truth + k - 1) % k
		}
		p.Said.Truth[i], p.Said.Predicted[i] = truth, said
		for c := range k {
			p.Said.Scores.Row(i)[c], p.Said.Probabilities.Row(i)[c] = 0, 0.3/float64(k-1)
		}
		p.Said.Scores.Row(i)[said], p.Said.Probabilities.Row(i)[said] = 1+float64(i)/float64(n), 0.7
	}
	var err error
	if p.Classification, err = eval.NewMeasure().Classification(context.Background(), p.Said); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTrainClasses(t *testing.T) {
	p := classified(t, 100, 2)
	p.Training.C = 10
	p.Training.Trials = []model.Trial{{Penalty: 1, Error: 0.3}, {Penalty: 10, Error: 0.2}, {Penalty: 100, Error: 0.25}}
	p.Picked = &job.Picked{
		Kernels: []job.Option{{Name: "rbf(gamma=1)", Error: 0.2}, {Name: "rbf(gamma=2)", Error: 0.3}},
		Dims:    []job.Option{{Name: "64", Error: 0.2}, {Name: "128", Error: 0.2}},
	}
	p.Kernel, p.Dim = "rbf(gamma=1)", 64
	p.Training.Margins = margin.NewMargins([]float64{-0.1, 0.1, 0.2, 0.3})
	p.Margins = margin.NewMargins([]float64{-0.2, 0.1})
	d, err := p.Document()
	page := written(t, d, err)
	has(t, page, []string{
		"Test error", "20.00%", "with 95% confidence", "Measured on 100 test rows of \u2068t.csv",
		"1,234 rows in 1.50 s; status: converged",
		"By C", "taken: 10", "By the number of features", "By the kernel", "the number in rbf(gamma=…)", "Margins",
		"test rows, 2 of them",
		"ROC curve", "Calibration", "Confusion matrix", "Class by class", "Rows predicted most wrongly",
		"label&#39;s probability", "Brier score",
	}, []string{"Certificate", "has seen the rows", "RMSE", ">text<"})
	p.Test, p.Advice = false, "Use --holdout."
	p.Training.Earned = &model.Earned{
		Certificate: certificate.Certificate{Margin: 0.1, Error: 0.2, Confidence: 0.9}, Promised: 4321, Used: 12,
		Words: "too few rows",
	}
	p.Texts = make([]string, 100)
	p.Texts[99] = "the <last>\nrow"
	d, err = p.Document()
	has(t, written(t, d, err), []string{
		"Training error", "has seen the rows", "Use --holdout.", "Certificate", "4,321 landmarks", "too few rows",
		"12 landmarks",
		"certified for γ = 0.1", ">text<", "the &lt;last&gt; row",
	}, []string{"Test error"})
}

func TestTrainManyClasses(t *testing.T) {
	d, err := classified(t, 600, 40).Document()
	has(t, written(t, d, err), []string{"Most frequent confusions", "class 39", "Class by class"},
		[]string{"Confusion matrix", "ROC curve"})
	d, err = classified(t, 600, 120).Document()
	has(t, written(t, d, err), []string{"The 100 classes with the lowest F1 of 120."}, nil)
	d, err = classified(t, 600, 12).Document()
	has(t, written(t, d, err), []string{`class="heat upright"`, "predicted as class 3"}, nil)
	right := classified(t, 4, 2)
	d, err = right.Document()
	has(t, written(t, d, err), []string{"None: all are right."}, nil)
}

func TestTrainNumbers(t *testing.T) {
	p := report.TrainPage{Data: "d.csv", Learner: "ridge", On: "d.csv", Test: true, Rows: []int{}}
	for i := range 3000 {
		x := float64(i) / 100
		p.Truth, p.Predicted, p.Rows = append(p.Truth, x), append(p.Predicted, x+math.Sin(x)), append(p.Rows, 2*i+1)
	}
	var err error
	if p.Regression, err = eval.NewMeasure().Regression(p.Predicted, p.Truth); err != nil {
		t.Fatal(err)
	}
	d, err := p.Document()
	has(t, written(t, d, err), []string{"Test RMSE", "R²", "Predicted and true", "2,000 of 3,000 rows are shown",
		"Residuals", "exact", "residual"},
		[]string{"Confusion", "Margins"})
}

func TestTrainOutliers(t *testing.T) {
	said := eval.Said{Classes: 2, Truth: []int{1, 1, 1, 1}, Predicted: []int{1, 0, 1, 1}}
	c, err := eval.NewMeasure().Classification(context.Background(), said)
	if err != nil {
		t.Fatal(err)
	}
	d, err := report.TrainPage{Learner: "one-class", Classification: c, Scores: []float64{1, -0.5, 2, 3}}.Document()
	has(t, written(t, d, err), []string{"Outliers among the training rows", "25.00%", "The strangest rows", "-0.5",
		"outliers are below"},
		[]string{"Confusion", "Class by class", "Training error"})
}

// TestTrainOfLittle: what is left out is left out of the page, and lists that do
// not go together are refused.
func TestTrainOfLittle(t *testing.T) {
	d, err := report.TrainPage{}.Document()
	written(t, d, err)
	for name, spoil := range map[string]func(*report.TrainPage){
		"predicted":     func(p *report.TrainPage) { p.Said.Predicted = p.Said.Predicted[1:] },
		"names":         func(p *report.TrainPage) { p.Classes = p.Classes[1:] },
		"scores":        func(p *report.TrainPage) { p.Said.Scores = data.NewMatrix(1, 2) },
		"probabilities": func(p *report.TrainPage) { p.Said.Probabilities = data.NewMatrix(20, 1) },
		"rows":          func(p *report.TrainPage) { p.Rows = []int{1} },
		"texts":         func(p *report.TrainPage) { p.Texts = []string{"a"} },
		"class":         func(p *report.TrainPage) { p.Said.Truth[3] = 2 },
		"numbers":       func(p *report.TrainPage) { p.Truth = []float64{1} },
	} {
		p := classified(t, 20, 2)
		spoil(&p)
		if err := report.Train(&strings.Builder{}, p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTune(t *testing.T) {
	loss := func(v float64) *float64 { return &v }
	final := classified(t, 50, 3)
	p := report.TunePage{
		Data: "d.csv", Learner: "svm", Penalty: "C", Facts: []report.Fact{{Name: "search", Value: "halving"}}, Final: &final,
		Trials: []report.Trial{
			{Loss: loss(0.1), Spread: loss(0.01), Order: 3, Round: 2, Rows: 900, Kernel: "rbf(gamma=2)", Map: "f2",
				Dim: 100, Penalty: 10, Seconds: 0.5},
			{Loss: loss(0.2), Order: 1, Round: 1, Rows: 300, Kernel: "rbf(gamma=1)", Map: "f2", Dim: 64, Penalty: 1},
			{Loss: loss(0.4), Order: 2, Round: 1, Rows: 300, Kernel: "laplace(gamma=1)", Map: "f2", Dim: 128, Penalty: 100,
				Cut: true},
			{Kernel: "linear", Map: "none", Failure: "it <broke>"},
		},
	}
	d, err := p.Document()
	has(t, written(t, d, err), []string{
		"Search for svm on", "Test error", "As the search went on", "By C", "By the number of features",
		"By the width of rbf", "on 900 rows", "taken",
		"The best candidates", "10.00%", "1.00%", "cut short", "it &lt;broke&gt;", "Confusion matrix", "halving",
	}, []string{"By the width of laplace", "more."})
	p.Final, p.By, p.Penalty = nil, eval.ByRMSE, ""
	for range 40 {
		p.Trials = append(p.Trials, report.Trial{Kernel: "linear", Failure: "no"})
	}
	d, err = p.Document()
	has(t, written(t, d, err), []string{"Best RMSE", "C or lambda", "And 14 more."}, []string{"Test error", "10.00%"})
	d, err = report.TunePage{}.Document()
	written(t, d, err)
}

func TestDemo(t *testing.T) {
	grid := [][]float64{{-1, -1, -1}, {-1, 1, -1}, {-1, -1, -1}}
	p := report.DemoPage{
		Title: "Rings", Train: 1400, Test: 600, Kernel: "rbf(gamma=1)", Classes: []string{"in", "out"}, Reach: 2,
		Results:    []report.Method{{Name: "F2", Dim: 60, Error: 0.01, Margin: 0.2, Seconds: 0.1}},
		Points:     [][]report.Point{{{X: 0, Y: 0}}, {{X: 1, Y: 1}}},
		Boundaries: []report.Boundary{{Name: "round", Scores: grid}, {Name: "flat", Scores: [][]float64{{1, 1}, {1, 1}}}},
		Curves:     []report.Series{{Name: "F2", Kind: report.Joined, Points: []report.Point{{X: 2, Y: 0.5}, {X: 64}}}},
		Plan:       bound.Plan{Landmarks: 5598, Margin: 0.177, Error: 0.05, Confidence: 0.95},
	}
	has(t, written(t, p.Document(), nil), []string{"Rings", "1,400 points", "F2", "1.00%", "round",
		"All points are on one side.", "5,598 landmarks"}, nil)
	written(t, report.DemoPage{}.Document(), nil)
}
