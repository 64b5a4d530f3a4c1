package job_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// explainer is a model of a file, and options to explain it.
func explainer(t *testing.T, path, kernel, mapped, learner string) (*model.Model, job.ExplainOptions) {
	t.Helper()
	o := job.TrainOptions{Options: job.NewOptions(), Effort: job.Least}
	if kernel+mapped+learner != "" {
		o.Options = chosen(t, kernel, mapped, learner)
	}
	e := job.NewExplainOptions()
	e.Repeats = 2
	return train(t, path, o).Model, e
}

func explained(t *testing.T, m *model.Model, path string, o job.ExplainOptions) *job.Explained {
	t.Helper()
	out, err := job.Explain(t.Context(), m, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExplainKinds: rows of all kinds, with and without labels, against their training
// data.
func TestExplainKinds(t *testing.T) {
	for name, path := range kinds(t) {
		kernel := map[string]string{"strings": "spectrum(k=2)", "sets": "jaccard"}[name]
		if kernel == "" {
			kernel = "rbf(gamma=1)"
		}
		m, o := explainer(t, path, kernel, "f2(dim=20)", "svm(C=1)")
		o.Rows, o.Against = []int{5, 2}, path
		got := explained(t, m, path, o)
		if len(got.Rows) != 2 || got.Rows[0].Row != 5 || got.Rows[1].Row != 2 {
			t.Fatalf("%s: rows %v", name, got.Rows)
		}
		if len(got.Importance) == 0 {
			t.Errorf("%s: there is no importance: %v", name, got.Notes)
		}
		for _, r := range got.Rows {
			if len(r.Similar) != 5 || r.Similar[0].Similarity < 1-1e-12 || r.Similar[0].Label != r.Label {
				t.Errorf("%s, row %d: itself is not the row most like it: %v", name, r.Row, r.Similar)
			}
			for _, l := range r.Landmarks {
				if l.Label == "" || l.Row == 0 {
					t.Errorf("%s, row %d: landmark %d is not found in the training data", name, r.Row, l.Landmark)
				}
			}
			if len(r.Columns) == 0 || r.Columns[0].Value == "" || r.Background.Rows == 0 {
				t.Errorf("%s, row %d: columns %v by %v", name, r.Row, r.Columns, r.Background)
			}
			if off := r.Sum.Bias + r.Sum.Rest + r.Sum.Pulls - r.Score; math.Abs(off) > 1e-9*(1+r.Sum.Size) {
				t.Errorf("%s, row %d: the sum %+v is off the score %v", name, r.Row, *r.Sum, r.Score)
			}
		}
	}
}

// TestExplainBlend: the model that kerf trains where nobody chooses anything, a blend
// perhaps.
func TestExplainBlend(t *testing.T) {
	path := circle(t, 300, 0.05)
	m, o := explainer(t, path, "", "", "")
	for _, m := range []*model.Model{m, blended(t, path)} {
		o.Rows, o.Against = []int{1, 300}, path
		got := explained(t, m, path, o)
		if len(got.Importance) != 2 || got.Importance[1].Low <= 0 {
			t.Errorf("importance is %v", got.Importance)
		}
		for _, r := range got.Rows {
			if r.Similar[0].Row != r.Row {
				t.Errorf("row %d: %v", r.Row, r.Similar)
			}
			if r.Sum == nil {
				continue
			}
			if off := r.Sum.Bias + r.Sum.Rest + r.Sum.Pulls - r.Score; math.Abs(off) > 1e-9*(1+r.Sum.Size) {
				t.Errorf("row %d: the sum %+v is off the score %v", r.Row, *r.Sum, r.Score)
			}
		}
	}
}

// blended is a blend of F2, F1 and Fourier features.
func blended(t *testing.T, path string) *model.Model {
	t.Helper()
	rows, err := dataset.Read(t.Context(), path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, scale.Standard, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*model.Pipeline[data.Vector]
	for _, m := range []model.Mapper[data.Vector]{model.NewF2[data.Vector](30), model.NewF1[data.Vector](20),
		model.NewFourier[data.Vector](30)} {
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.5}, 30)
		r.Map = m
		p, _, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	p, err := model.Blend(parts, []float64{0.5, 0.25, 0.25})
	if err != nil {
		t.Fatal(err)
	}
	return model.NewModel(p, e, model.Kind[data.Vector](spec.Vectors{}))
}

// TestExplainWeights: a row of weight 2 counts as two of them, one of weight 0 not at
// all, as far as the exchange does not depend on the order: by the loss.
func TestExplainWeights(t *testing.T) {
	content, err := os.ReadFile(circle(t, 60, 0.2))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	weighted, twice := []string{"w," + lines[0]}, []string{lines[0]}
	for i, l := range lines[1:] {
		weighted = append(weighted, fmt.Sprintf("%d,%s", i%3, l))
		for range i % 3 {
			twice = append(twice, l)
		}
	}
	path := put(t, "w.csv", strings.Join(weighted, "\n"))
	again := put(t, "twice.csv", strings.Join(twice, "\n"))
	m, o := explainer(t, again, "rbf(gamma=2)", "f2(dim=20)", "svm(C=1)")
	want := explained(t, m, again, o)
	o.Read.Weight = "w"
	got := explained(t, m, path, o)
	if math.Abs(got.Ranking.Loss-want.Ranking.Loss) > 1e-12 || got.Ranking.Rows != 40 {
		t.Errorf("loss %v of %d rows, want %v", got.Ranking.Loss, got.Ranking.Rows, want.Ranking.Loss)
	}
	for i, one := range got.Importance {
		if one.Column != want.Importance[i].Column && one.Low > want.Importance[i].High {
			t.Errorf("importance %v, want about %v", one, want.Importance[i])
		}
	}
}

// TestExplainRefuses: what cannot be explained is refused, and says why.
func TestExplainRefuses(t *testing.T) {
	path := circle(t, 60, 0)
	m, o := explainer(t, path, "rbf(gamma=2)", "f2(dim=20)", "svm(C=1)")
	bare := put(t, "bare.csv", "x1,x2\n0.5,0.5\n0.1,0.2\n")
	few := put(t, "few.csv", "x1,x2,label\n0.5,0.5,1\n0.1,0.2,1\n")
	lacking := put(t, "lacking.csv", "x1,label\n0.5,1\n")
	strange := put(t, "strange.csv", "x1,x2,label\n"+strings.Repeat("0.5,0.5,violet\n", 20))
	hole := put(t, "hole.csv", "x1,x2,label\n"+strings.Repeat("0.5,0.5,1\n", 20)+"1,1,\n")
	uneven := put(t, "u.txt", strings.Repeat("even\tabc\nodd\tabcd\n", 20))
	texts, _ := explainer(t, uneven, "spectrum(k=2)", "f2(dim=5)", "svm(C=1)")
	for _, c := range []struct {
		name string
		m    *model.Model
		path string
		set  func(o *job.ExplainOptions)
		want string
	}{
		{"no labels", m, bare, nil, "no labels"},
		{"few rows", m, few, nil, "at least 10"},
		{"column", m, lacking, nil, "lacks"},
		{"labels", m, strange, nil, "none of its labels"},
		{"missing label", m, hole, nil, "the label is missing"},
		{"lengths", texts, uneven, nil, "different lengths"},
		{"no such row", m, path, func(o *job.ExplainOptions) { o.Rows = []int{61} }, "has 60 rows"},
		{"row 0", m, path, func(o *job.ExplainOptions) { o.Rows = []int{0} }, "from 1"},
		{"metric", m, path, func(o *job.ExplainOptions) { o.Metric = "rmse" }, "is for numbers"},
		{"unknown metric", m, path, func(o *job.ExplainOptions) { o.Metric = "beauty" }, "unknown metric"},
		{"nothing", m, path, func(o *job.ExplainOptions) { o.Repeats = 0 }, "nothing to do"},
		{"repeats", m, path, func(o *job.ExplainOptions) { o.Repeats = -1 }, "repeats"},
		{"confidence", m, path, func(o *job.ExplainOptions) { o.Confidence = 1 }, "confidence"},
		{"against", m, path, func(o *job.ExplainOptions) { o.Against = path }, "name some by"},
		{"other file", m, path, func(o *job.ExplainOptions) { o.Rows, o.Against = []int{1}, lacking }, "lacks"},
		{"other kind", m, uneven, nil, ""},
	} {
		o := job.NewExplainOptions()
		if c.set != nil {
			c.set(&o)
		}
		_, err := job.Explain(t.Context(), c.m, c.path, o)
		var input *data.InputError
		var option *dataset.OptionError
		if err == nil || !errors.As(err, &input) && !errors.As(err, &option) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
	// Single rows need neither labels nor many rows, nor strings of one length.
	o.Rows = []int{1}
	for name, c := range map[string]struct {
		m    *model.Model
		path string
	}{"bare": {m, bare}, "few": {m, few}, "uneven": {texts, uneven}} {
		got := explained(t, c.m, c.path, o)
		if len(got.Rows) != 1 || len(got.Notes) != 1 || len(got.Importance) != 0 {
			t.Errorf("%s: %d rows, importance %v, notes %v", name, len(got.Rows), got.Importance, got.Notes)
		}
	}
}

// TestExplainSample: a sample of the rows is the same whatever the parts of a file, and
// the rows of the sample alone are measured.
func TestExplainSample(t *testing.T) {
	path := circle(t, 3000, 0.1)
	m, o := explainer(t, path, "rbf(gamma=2)", "f2(dim=20)", "svm(C=1)")
	o.Sample = 200
	notes := 0
	o.Note = func(string) { notes++ }
	got := explained(t, m, path, o)
	if got.Ranking.Rows != 200 || notes == 0 {
		t.Errorf("measured on %d rows with %d notes", got.Ranking.Rows, notes)
	}
	o.Run.Workers = 1
	if again := explained(t, m, path, o); !reflect.DeepEqual(again, got) {
		t.Error("one worker gives another result")
	}
	o.Seed++
	if other := explained(t, m, path, o); reflect.DeepEqual(other.Importance, got.Importance) {
		t.Error("another seed gives the same result")
	}
}

// TestExplainOneClass: a machine without labels counts how many rows it takes for
// outliers.
func TestExplainOneClass(t *testing.T) {
	path := circle(t, 120, 0)
	m, o := explainer(t, path, "rbf(gamma=2)", "", "one-class(nu=0.1)")
	o.Rows = []int{3}
	got := explained(t, m, path, o)
	if len(got.Importance) == 0 || got.Rows[0].Sum == nil {
		t.Errorf("importance %v, notes %v", got.Importance, got.Notes)
	}
}
