package cli_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/bound"
)

// TestPlanSaysTheSame: every count of the JSON object is in the table too, each
// with a line on what it assumes.
func TestPlanSaysTheSame(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "--margin", "0.1", "--error", "0.05", "--confidence", "0.99"},
		{"plan", "--margin", "1", "--error", "0.5", "--confidence", "0.5", "--noise", "0.5"},
	} {
		text := mustRun(t, args...)
		var got map[string]float64
		if err := json.Unmarshal([]byte(mustRun(t, append(args, "--json")...)), &got); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"landmarks", "f1_dim", "f2_dim", "f3_landmarks", "f3_dim", "jl_dim",
			"perceptron_mistakes", "perceptron_sample", "perceptron_streak", "perceptron_sure_sample",
			"weak_learner_tries", "weak_learner_sample", "boosting_rounds", "boosting_tries",
			"margin_sample", "f2_sample", "corollary2_landmarks", "corollary2_dim",
			"separable_landmarks", "separable_dim", "separable_sample"} {
			n, ok := got[key]
			if !ok || n < 1 {
				t.Errorf("%v: %s is %v, %v", args, key, n, ok)
			}
			if number := regexp.MustCompile(`\b` + strconv.FormatFloat(n, 'f', 0, 64) + `\b`); !number.MatchString(text) {
				t.Errorf("%v: the table does not have %s, which is %.0f:\n%s", args, key, n, text)
			}
		}
		for line := range strings.Lines(text) {
			if digits := regexp.MustCompile(`^\d`).MatchString(line); digits &&
				len(regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)) != 3 {
				t.Errorf("%v: not a number, a name and an assumption: %q", args, line)
			}
		}
	}
}

// TestPlanPast53: counts above 2⁵³ are printed in three digits, are numbers in
// JSON, and never 0.
func TestPlanPast53(t *testing.T) {
	for _, c := range []struct{ margin, mistakes string }{{"0.001", "1000000"}, {"1e-9", `1e\+18`}, {"1e-40", `1e\+80`}} {
		args := []string{"plan", "--margin", c.margin, "--error", "0.05", "--confidence", "0.99"}
		text := mustRun(t, args...)
		for _, line := range []string{`^\d\.\d+e\+\d+ +landmarks for a sample without error .*\(ours,`,
			`^` + c.mistakes + ` +mistakes`, `^\S+ +landmarks for an F3 of small error .*\(corollary 2\)`} {
			if !regexp.MustCompile(`(?m)` + line).MatchString(text) {
				t.Errorf("no %q in\n%s", line, text)
			}
		}
		for key, v := range mustObject(t, args...) {
			if n, ok := v.(float64); !ok || n == 0 && key != "noise" {
				t.Errorf("margin %s: %s is %v", c.margin, key, v)
			}
		}
	}
	// Past all numbers.
	wantFailure(t, 2, "the count does not fit", "plan", "--margin", "1e-300", "--error", "0.05", "--confidence", "0.99")
	b := mustObject(t, "plan", "--dim", "100000000", "--margin", "0.001", "--confidence", "0.9")
	if n := numberAt(t, b, "f3_landmarks"); b["f3"] != nil && n == 0 {
		t.Errorf("F3 of no landmarks: %v", b)
	}
}

func TestPlanBudget(t *testing.T) {
	get := func(args ...string) bound.Budget {
		t.Helper()
		var b bound.Budget
		if err := json.Unmarshal([]byte(mustRun(t, append(args, "--json")...)), &b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	// 16,737 landmarks were planned for error 0.05: they buy just that.
	b := get("plan", "--dim", "16737", "--margin", "0.1", "--confidence", "0.99")
	if b.F2 == nil || *b.F2 > 0.05 || *b.F2 < 0.04999 || b.Unknown != bound.UnknownError {
		t.Errorf("error bought: %+v", b)
	}
	b = get("plan", "--dim", "16737", "--error", "0.05", "--confidence", "0.99")
	if b.F2 == nil || *b.F2 > 0.1 || *b.F2 < 0.0999 || b.Unknown != bound.UnknownMargin {
		t.Errorf("margin bought: %+v", b)
	}
	b = get("plan", "--dim", "16737", "--margin", "0.1", "--error", "0.05")
	if b.F2 == nil || *b.F2 < 0.99 || *b.F2 > 0.9901 || b.Unknown != bound.UnknownConfidence {
		t.Errorf("confidence bought: %+v", b)
	}
	b = get("plan", "--dim", "16737", "--margin", "0.1", "--confidence", "0.99", "--noise", "0.1")
	if b.F2 == nil || *b.F2 > 0.145+1e-12 || *b.F2 < 0.1449 {
		t.Errorf("error bought under noise: %+v", b)
	}

	text := mustRun(t, "plan", "--dim", "16737", "--margin", "0.1", "--confidence", "0.99")
	for _, want := range []string{
		`^16737 features, margin 0\.1, confidence 0\.99, noise 0: what error they buy\n`,
		`(?m)^0\.05 +with F2 +16737 landmarks`,
		`(?m)^none +with F3 +nothing is promised`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	text = mustRun(t, "plan", "--dim", "1000000", "--margin", "0.1", "--error", "0.05")
	if !regexp.MustCompile(`(?m)^above 0\.9999 +with F3 +\d+ landmarks`).MatchString(text) {
		t.Errorf("got\n%s", text)
	}
	text = mustRun(t, "plan", "--dim", "100000", "--error", "0.05", "--confidence", "0.99")
	if !strings.Contains(text, "smallest margin") {
		t.Errorf("got\n%s", text)
	}
}

func TestPlanBudgetRefuses(t *testing.T) {
	for _, c := range []struct {
		says string
		args []string
	}{
		{"with --dim give two", []string{"plan", "--dim", "100"}},
		{"with --dim give two", []string{"plan", "--dim", "100", "--margin", "0.1"}},
		{"with --dim give two", []string{"plan", "--dim", "100", "--margin", "0.1", "--error", "0.1", "--confidence", "0.9"}},
		{"dim is 0", []string{"plan", "--dim", "0", "--margin", "0.1", "--error", "0.1"}},
		{"dim is -5", []string{"plan", "--dim", "-5", "--margin", "0.1", "--error", "0.1"}},
		{"margin is 2", []string{"plan", "--dim", "100", "--margin", "2", "--error", "0.1"}},
		{"confidence is NaN", []string{"plan", "--dim", "100", "--confidence", "NaN", "--error", "0.1"}},
		{"noise is 1", []string{"plan", "--dim", "100", "--confidence", "0.9", "--error", "0.1", "--noise", "1"}},
		{"invalid argument", []string{"plan", "--dim", "1.5", "--confidence", "0.9", "--error", "0.1"}},
	} {
		wantFailure(t, 2, c.says, c.args...)
	}
}
