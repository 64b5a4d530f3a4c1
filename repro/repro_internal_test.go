package repro

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/run"
)

// full asks for experiments at their default size: go test ./repro -run Hold -args -full
var full = flag.Bool("full", false, "experiments at their default size, for minutes")

// TestHold runs every experiment at its quick size: all claims hold.
func TestHold(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var r *Result
			if *full {
				var err error
				if r, err = e.Measure(t.Context(), run.Control{}, Params{Seed: 1}, false); err != nil {
					t.Fatal(err)
				}
			} else {
				r = results(t, e.Name)[0]
			}
			for _, row := range r.Rows {
				if row.Verdict != Holds && row.Verdict != Shown {
					t.Errorf("%s at %v: measured %v, promised %s %v: %s", row.What, row.At, row.Measured, row.Relation,
						*row.Promised, row.Verdict)
				}
			}
			t.Logf("%d rows in %.1f s", len(r.Rows), r.Seconds)
			whole(t, r)
		})
	}
}

// whole checks that a result says all that a page needs.
func whole(t *testing.T, r *Result) {
	promises := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Promised != nil })
	if promises != (r.Verdict != Shown) || len(r.Rows) == 0 || len(r.Figures) == 0 {
		t.Errorf("verdict %q, %d rows, %d figures", r.Verdict, len(r.Rows), len(r.Figures))
	}
	for _, f := range r.Figures {
		if f.Title == "" || f.X.Label == "" || f.Y.Label == "" || f.Note == "" || len(f.Series) == 0 {
			t.Errorf("figure %+v lacks a title, a label, a remark or series", f)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// TestFalsified tells each experiment a lie about what is promised. It must see
// through it.
func TestFalsified(t *testing.T) {
	if testing.Short() {
		t.Skip("every experiment once more")
	}
	seen := 0
	for _, e := range All() {
		if e.falsify == 0 {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			r, err := e.Measure(t.Context(), run.Control{}, Params{Seed: 1, falsify: e.falsify}, true)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != Fails {
				t.Errorf("with %v of what is promised the verdict is %q", e.falsify, r.Verdict)
			}
		})
		seen++
	}
	if seen < 10 {
		t.Errorf("only %d of %d experiments can be told a lie", seen, len(All()))
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	for _, e := range All() {
		if testing.Short() && e.Name != "perceptron" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			one := results(t, e.Name)[0]
			three, err := e.Measure(t.Context(), run.Control{Workers: 3}, Params{Seed: 1}, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*Result{one, three} {
				r.Seconds, r.Params.ctl = 0, run.Control{}
				for i, row := range r.Rows {
					if row.Time {
						r.Rows[i].Measured = Measured{}
					}
				}
			}
			if !reflect.DeepEqual(one, three) {
				t.Error("results differ between one and three workers")
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range All() {
		if _, err := e.Measure(ctx, run.Control{}, Params{Seed: 1}, false); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// TestTable checks what the list of experiments says of itself.
func TestTable(t *testing.T) {
	var seen []string
	for _, e := range All() {
		if slices.Contains(seen, e.Name) || e.Name != strings.ToLower(e.Name) || strings.ContainsAny(e.Name, " _") {
			t.Errorf("name %q", e.Name)
		}
		seen = append(seen, e.Name)
		if e.Title == "" || e.Claim == "" || e.Where == "" || e.Method == "" {
			t.Errorf("%s does not explain itself", e.Name)
		}
		var takes []Name
		for _, p := range e.Takes {
			takes = append(takes, p.Name)
			if p.What == "" {
				t.Errorf("%s does not say what --%s is", e.Name, p.Name)
			}
		}
		for _, name := range names {
			if slices.Contains(takes, name) != (e.Full.list(name) != "") {
				t.Errorf("%s: --%s is taken or has a value, not both", e.Name, name)
			}
		}
	}
}

// TestRefused gives each experiment what it cannot use.
func TestRefused(t *testing.T) {
	bad := map[Name]Params{
		Margin: {Margin: []float64{1.5}}, Error: {Error: []float64{-1}}, Dim: {Dim: []int{0}}, N: {N: []int{-3}},
	}
	good := map[Name]Params{
		Margin: {Margin: []float64{0.5}}, Error: {Error: []float64{0.2}}, Dim: {Dim: []int{20}}, N: {N: []int{50}},
	}
	for _, e := range All() {
		for _, name := range names {
			if err := e.Check(bad[name], true); err == nil || !strings.Contains(err.Error(), "--"+string(name)) {
				t.Errorf("%s takes a bad --%s: %v", e.Name, name, err)
			}
			err := e.Check(good[name], true)
			if e.Full.list(name) == "" && (err == nil || !strings.Contains(err.Error(), "takes no --"+string(name))) {
				t.Errorf("%s does not refuse --%s: %v", e.Name, name, err)
			}
		}
	}
	if _, err := Find("nothing"); err == nil || !strings.Contains(err.Error(), "perceptron") {
		t.Errorf("an unknown name: %v", err)
	}
}
