package repro

import (
	"bytes"
	"context"
	"encoding/csv"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/run"
)

// once measures each experiment at its quick size when it is first asked for, with one worker.
var once = func() map[string]func() (*Result, error) {
	out := map[string]func() (*Result, error){}
	for _, e := range All() {
		out[e.Name] = sync.OnceValues(func() (*Result, error) {
			return e.Measure(context.Background(), run.Control{Workers: 1}, Params{Seed: 1}, true)
		})
	}
	return out
}()

// results are those of experiments at their quick size: copies, so that a test may change what they say.
func results(t *testing.T, names ...string) []*Result {
	t.Helper()
	var out []*Result
	for _, name := range names {
		if once[name] == nil {
			t.Fatalf("there is no experiment %q", name)
		}
		r, err := once[name]()
		if err != nil {
			t.Fatal(err)
		}
		own := *r
		own.Rows = slices.Clone(r.Rows)
		out = append(out, &own)
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
