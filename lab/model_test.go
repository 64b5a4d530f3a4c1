package lab_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/lab"
	"github.com/kerf-ml/kerf/model"
)

// trained trains a model on a file of some text.
func trained(t *testing.T, name, text string, change func(*job.TrainOptions)) *lab.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := job.NewTrainOptions()
	o.Effort = job.Least
	if change != nil {
		change(&o)
	}
	got, err := job.Train(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	m := &lab.Model{Name: name + ".kerf", Model: got.Model, On: name}
	if m.Evaluated, err = job.Evaluate(t.Context(), got.Model, path, job.NewOptions()); err != nil {
		t.Fatal(err)
	}
	return m
}

// houses is a table of numbers and categories, of two classes.
func houses() string {
	var b strings.Builder
	b.WriteString("rooms,town,area,sold\n")
	for i := range 200 {
		sold := "no"
		if i%9 > 3 {
			sold = "yes"
		}
		fmt.Fprintf(&b, "%d,%s,%g,%s\n", i%9, []string{"Rome", "Oslo", "Lima"}[i%3], float64(i%23)/2, sold)
	}
	return b.String()
}

// tried sends a row to the form.
func tried(t *testing.T, m *lab.Model, body string) (int, map[string]any) {
	t.Helper()
	o := lab.NewOptions()
	o.Model = m
	w := send(handler(t, o), "POST", "/api/try", body, "Content-Type", "application/json")
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return w.Code, out
}

// TestTry asks models of every form about rows.
func TestTry(t *testing.T) {
	var texts, sets, sparse, values strings.Builder
	values.WriteString("a,b,price\n")
	for i := range 120 {
		fmt.Fprintf(&texts, "%s\t%s\n", []string{"ham", "spam"}[i%2], []string{"see you at noon",
			"win a prize now"}[i%2]+fmt.Sprintf(" %d", i))
		fmt.Fprintf(&sets, "%s,milk,i%d,%s\n", []string{"no", "yes"}[i%2], i%7, []string{"tea", "wine"}[i%2])
		fmt.Fprintf(&sparse, "%d %d:1 %d:0.5\n", i%2, i%2+1, i%20+5)
		fmt.Fprintf(&values, "%d,%d,%g\n", i%7, i%11, float64(i%7)*2+0.5)
	}
	for _, c := range []struct {
		name, text, body string
		change           func(*job.TrainOptions)
		status           int
		want             any
	}{
		{"h.csv", houses(), `{"columns": {"rooms": 8, "town": "Rome", "area": 3}}`, nil, 200, "yes"},
		{"h.csv", houses(), `{"columns": {"rooms": 1, "town": null}}`, nil, 200, "no"},
		{"h.csv", houses(), `{"columns": {"rooms": 8, "town": "Atlantis", "area": 3}}`, nil, 200, "yes"},
		{"h.csv", houses(), `{"columns": {"rooms": [1]}}`, nil, 422, nil},
		{"h.csv", houses(), `{"text": "1,2"}`, nil, 400, nil},
		{"s.tsv", texts.String(), `{"text": "win a prize now"}`, nil, 200, "spam"},
		{"b.baskets", sets.String(), `{"text": "wine, milk"}`, func(o *job.TrainOptions) { o.Read.Kind = "sets" },
			200, "yes"},
		{"x.libsvm", sparse.String(), `{"text": "1:1 6:0.5"}`, nil, 200, "0"},
		{"x.libsvm", sparse.String(), `{"text": "6:1 1:0.5"}`, nil, 400, nil},
		{"x.libsvm", sparse.String(), `{"text": "6:NaN"}`, nil, 400, nil},
		{"v.csv", values.String(), `{"columns": {"a": 3, "b": 5}}`,
			func(o *job.TrainOptions) { o.Choices.Task = model.Regress }, 200, 6.5},
	} {
		m := trained(t, c.name, c.text, c.change)
		status, got := tried(t, m, c.body)
		if status != c.status {
			t.Errorf("%s %s: status %d: %v", c.name, c.body, status, got)
			continue
		}
		if v, ok := got["prediction"].(float64); ok {
			if want := c.want.(float64); v < want-1 || v > want+1 {
				t.Errorf("%s %s: %v, want about %v", c.name, c.body, v, want)
			}
		} else if status == 200 && got["prediction"] != c.want {
			t.Errorf("%s %s: %v, want %v", c.name, c.body, got["prediction"], c.want)
		}
	}
}

// TestDocument writes the report of a model with and without labelled rows.
func TestDocument(t *testing.T) {
	m := trained(t, "h.csv", houses(), nil)
	o := lab.NewOptions()
	o.Model = m
	w := send(handler(t, o), "GET", "/report", "")
	for _, part := range []string{"Model h.csv.kerf", "What is inside", "kernel", "On h.csv", "accuracy"} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the report lacks %q", part)
		}
	}
	if p := w.Header().Get("Content-Security-Policy"); strings.Contains(p, "script-src") || !strings.Contains(p,
		"default-src 'none'") {
		t.Errorf("policy %s", p)
	}
	o.Model = &lab.Model{Name: m.Name, Model: m.Model}
	if w := send(handler(t, o), "GET", "/report", ""); !strings.Contains(w.Body.String(), "--test") {
		t.Error("the report does not say how to measure the model")
	}
	w = send(handler(t, o), "GET", "/api/model", "")
	for _, part := range []string{`"form":"columns"`, `"name":"rooms","number":true`,
		`"categories":["Lima","Oslo","Rome"]`} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s lacks %s", w.Body, part)
		}
	}
}
