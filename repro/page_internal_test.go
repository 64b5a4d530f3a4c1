package repro

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/run"
)

// results are those of experiments at their quick size.
func results(t *testing.T, names ...string) []*Result {
	t.Helper()
	var out []*Result
	for _, name := range names {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Measure(t.Context(), run.Control{}, Params{Seed: 1}, true)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// some are results of the fastest experiments.
func some(t *testing.T) []*Result { return results(t, "perceptron", "online-to-batch", "boosting") }

func TestPage(t *testing.T) {
	all := some(t)
	all[1].Verdict = Fails
	var b bytes.Buffer
	if err := report.Write(&b, Page(all)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"2 of 3", "does not hold: From online to batch learning",
		"kerf repro perceptron --quick --seed 1", "perceptron.csv", "99.9% confidence"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(text, "<svg class=\"chart\""); n != 4 {
		t.Errorf("%d charts", n)
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "no data") || strings.Contains(text, "http") {
		t.Error("the page has NaN, an empty chart, or asks for something from elsewhere")
	}
}

func TestCSV(t *testing.T) {
	for _, r := range some(t) {
		var b bytes.Buffer
		if err := r.CSV(&b); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(lines) != len(r.Rows)+1 {
			t.Errorf("%s: %d lines for %d rows, %v", r.Name, len(lines), len(r.Rows), err)
		}
	}
}
