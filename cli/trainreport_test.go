package cli_test

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/internal/seed"
)

// seconds is the one part of a report that differs from run to run.
var seconds = regexp.MustCompile(`in [0-9.]+ s; status`)

// readPage returns a page that was written, after checking what all pages have in
// common: it asks for nothing from elsewhere, runs nothing, and its pictures are
// well formed and made of numbers.
func readPage(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for _, wrong := range []string{"<script", "http:", "https:", "url(", "@import", "<link", "<img", "NaN", "Inf",
		"ZgotmplZ", "%!", "<no value>"} {
		if i := strings.Index(page, wrong); i >= 0 {
			t.Errorf("the page has %s: …%.100s", wrong, page[max(0, i-50):])
		}
	}
	if !strings.HasPrefix(page, "<!DOCTYPE html>") || strings.Count(page, "</html>") != 1 {
		t.Error("the page is not whole")
	}
	if n := len(seconds.FindAllString(page, -1)); n != 1 {
		t.Errorf("the page says %d times how long training took", n)
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("a picture is not well formed: %v: %.200s", err, svg)
				break
			}
		}
	}
	return page
}

// wordsFile writes strings of two kinds.
func wordsFile(t *testing.T, path string, n int) string {
	t.Helper()
	r := seed.Stream(5, seed.Generator, uint64(n))
	var b strings.Builder
	b.WriteString("kind,text\n")
	for i := range n {
		letters := []string{"abc", "bcd"}[i%2]
		word := make([]byte, 12)
		for j := range word {
			word[j] = letters[r.IntN(3)]
		}
		fmt.Fprintf(&b, "%s,%s\n", []string{"low", "high"}[i%2], word)
	}
	return writeFile(t, path, []byte(b.String()))
}

// basketsFile writes sets without labels.
func basketsFile(t *testing.T, path string, n int) string {
	t.Helper()
	r := seed.Stream(6, seed.Generator, uint64(n))
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "milk,bread%d,item%d\n", r.IntN(3), r.IntN(5))
	}
	return writeFile(t, path, []byte(b.String()))
}

// TestReport: the page has the figures of the result, whatever was trained.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "rings", "--n", "900", "-o", in("rings.csv"))
	mustRun(t, "gen", "circle", "--n", "300", "--noise", "0.1", "-o", in("circle.csv"))
	mustRun(t, "gen", "circle", "--n", "200", "--noise", "0.1", "--seed", "9", "-o", in("test.csv"))
	three, numbers := threeFile(t, in("three.csv"), 300), numbersFile(t, in("numbers.csv"), 300)
	words, baskets := wordsFile(t, in("words.csv"), 200), basketsFile(t, in("b.baskets"), 200)
	mustRun(t, "gen", "baskets", "--n", "200", "-o", in("sets.csv"))
	for _, c := range []struct {
		name string
		args []string
		want []string // beside the figures
		not  []string
	}{
		{"certified", []string{in("rings.csv"), "--holdout", "0.3", "--error", "0.2"},
			[]string{"Certificate", "Promised by theory", "Certified", "Used", "ROC curve", "AUC", "Calibration",
				"γ ="}, []string{"--holdout"}},
		{"test file", []string{in("circle.csv"), "--test", in("test.csv")},
			[]string{"200 test rows of \u2068test.csv", "By C", "By the kernel", "Margins", "Confusion matrix",
				"Class by class", "predicted most wrongly"}, nil},
		{"seen rows", []string{in("circle.csv"), "--dim", "20"}, []string{"Training error",
			"300 training rows of \u2068circle.csv", "--holdout"}, []string{"test rows"}},
		{"three classes", []string{three, "--holdout", "0.3"}, []string{"fir", "oak", "yew", "Brier score"},
			[]string{"ROC curve", "Certificate"}},
		{"no probabilities", []string{three, "--holdout", "0.3", "--calibrate", "none"}, []string{"Confusion matrix"},
			[]string{"Brier score", "label&#39;s probability"}},
		{"numbers", []string{numbers, "--task", "regress", "--holdout", "0.3"},
			[]string{"Test RMSE", "Predicted and true", "Residuals", "R²",
				"By the number of features"}, []string{"Confusion matrix", "Margins"}},
		{"kernel machine", []string{in("circle.csv"), "--learner", "kernel-svm", "--holdout", "0.3"},
			[]string{"support vectors", "ROC curve"}, nil},
		{"boost", []string{three, "--learner", "boost", "--dim", "20"}, []string{"boost on"}, nil},
		{"one class of numbers", []string{in("circle.csv"), "--learner", "one-class", "--nu", "0.2", "--holdout", "0.3"},
			[]string{"Outliers among the test rows", "The strangest rows"}, []string{"Confusion matrix"}},
		{"strings", []string{words, "--as", "strings", "--target", "kind", "--holdout", "0.3"}, []string{"low", "high"}, nil},
		{"sets", []string{in("sets.csv"), "--as", "sets", "--holdout", "0.3"}, []string{"jaccard"}, nil},
		{"sets without labels", []string{baskets, "--learner", "one-class", "--nu", "0.2"},
			[]string{"Outliers among the training rows"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "report.html")
			o := mustObject(t, append(append([]string{"train"}, c.args...), "--report", path)...)
			if o["report"] != path {
				t.Errorf("the result says that the report is %v", o["report"])
			}
			page := readPage(t, path)
			want := append(c.want, html.EscapeString(fmt.Sprint(o["kernel"])), fmt.Sprint(o["learner"]),
				"status: "+fmt.Sprint(o["status"]), fmt.Sprint(number(o["dim"])), fmt.Sprint(number(o["iterations"])))
			want = append(want, figures(o)...)
			for _, w := range want {
				if !strings.Contains(page, w) {
					t.Errorf("the page lacks %q", w)
				}
			}
			for _, w := range c.not {
				if strings.Contains(page, w) {
					t.Errorf("the page has %q", w)
				}
			}
		})
	}
}

// figures returns the numbers of a result as a page writes them.
func figures(o map[string]any) []string {
	var out []string
	for _, part := range []string{"train", "test"} {
		s, ok := o[part].(map[string]any)
		if !ok {
			continue
		}
		if e, ok := s["error"]; ok {
			out = append(out, fmt.Sprintf("%.2f%%", 100*number(e)))
		} else if r, ok := s["rmse"]; ok {
			out = append(out, fmt.Sprintf("%.5g", number(r)), fmt.Sprintf("%.4f", number(s["r2"])))
		}
	}
	if o["objective"] != nil {
		out = append(out, fmt.Sprintf("objective %.6g, gap %.2g", number(o["objective"]), number(o["gap"])))
	}
	if o["C"] != nil {
		out = append(out, fmt.Sprintf("C = %v", o["C"]))
	}
	if e, ok := o["certificate"].(map[string]any); ok {
		out = append(out, fmt.Sprintf("%v landmarks", number(e["used"])))
	}
	n := fmt.Sprint(int64(number(o["kernel_evaluations"])))
	for i := len(n) - 3; i > 0; i -= 3 {
		n = n[:i] + "," + n[i:]
	}
	return append(out, n)
}

// TestReportHostileLabels: labels and texts are shown as they stand, and are
// never part of the page's own language.
func TestReportHostileLabels(t *testing.T) {
	dir := t.TempDir()
	labels := []string{
		`<script>alert(1)</script>`, `"it's" & <b>`, strings.Repeat("long ",
			2000), "\U0001F469\u200d\U0001F680", "\u202elived",
		`</title><img src=x onerror=alert(1)>`, `{{.Data}}`, "background: url(https://example.org)", "\x01\x7f",
	}
	r := seed.Stream(7, seed.Generator, 0)
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"x", "y", "label"})
	for i := range 360 {
		c := i % len(labels)
		_ = w.Write([]string{fmt.Sprint(float64(c) + r.NormFloat64()), fmt.Sprint(r.NormFloat64()), labels[c]})
	}
	w.Flush()
	// A name that is markup, too.
	data := writeFile(t, filepath.Join(dir, `a<img src=x>&'".csv`), []byte(b.String()))
	for _, pair := range []bool{false, true} {
		path := filepath.Join(dir, "report.html")
		args := []string{"train", data, "--dim", "20", "--C", "1", "--holdout", "0.5", "--report", path, "--quiet"}
		if pair { // two classes have a page with a name in other places
			var lines []string
			for i, line := range strings.Split(b.String(), "\n") {
				if i == 0 || strings.Contains(line, "script") || strings.Contains(line, "onerror") {
					lines = append(lines, line)
				}
			}
			args[1] = writeFile(t, filepath.Join(dir, "two.csv"), []byte(strings.Join(lines, "\n")+"\n"))
		}
		mustRun(t, args...)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := string(content)
		for _, wrong := range []string{"<script", "<img", "<b>", "\x01", "\x7f", strings.Repeat("long ", 41)} {
			if strings.Contains(page, wrong) {
				t.Errorf("the page has %q", wrong)
			}
		}
		want := []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;img src=x onerror=alert(1)&gt;"}
		if !pair {
			want = append(want, "\U0001F469\u200d\U0001F680", "{{.Data}}", "a&lt;img src=x&gt;&amp;")
		}
		for _, w := range want {
			if !strings.Contains(page, w) {
				t.Errorf("the page lacks %q", w)
			}
		}
	}
}

// TestReportIsTheSame: two runs, and any number of workers, write the same page
// but for the time that training took.
func TestReportIsTheSame(t *testing.T) {
	dir := t.TempDir()
	three := threeFile(t, filepath.Join(dir, "three.csv"), 300)
	numbers := numbersFile(t, filepath.Join(dir, "numbers.csv"), 300)
	for _, args := range [][]string{{"train", three, "--holdout", "0.3"}, {"train", numbers, "--task", "regress"}} {
		var first string
		for run, workers := range []string{"1", "1", "2", "3"} {
			path := filepath.Join(dir, "report.html")
			mustRun(t, append(args, "--workers", workers, "--quiet", "--report", path)...)
			page := seconds.ReplaceAllString(readPage(t, path), "")
			if run == 0 {
				first = page
			} else if page != first {
				t.Errorf("kerf %v: run %d with %s workers wrote another page", args, run, workers)
			}
		}
	}
}

// TestReportInterrupted: a run that is ended leaves no report, and not half of
// one.
func TestReportInterrupted(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.csv")
	mustRun(t, "gen", "circle", "--n", "40000", "--noise", "0.1", "-o", big)
	hit := false
	for _, after := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond} {
		hit = interrupted(t, after, dir, nil, "train", big, "--map", "f2", "--dim", "1500", "--report",
			filepath.Join(dir, "report.html"), "-o", filepath.Join(dir, "m.kerf")) || hit
	}
	if !hit {
		t.Error("the program was done before it was cancelled; give it more to do")
	}
}

// TestReportFlag: what cannot be written to is refused before training, and a
// report that was there stays when training fails.
func TestReportFlag(t *testing.T) {
	dir := t.TempDir()
	c := filepath.Join(dir, "c.csv")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	for _, args := range [][]string{
		{"--report", ""}, {"--report", "-"}, {"--report", dir}, {"--report", filepath.Join(dir, "none", "r.html")},
		{"--report", filepath.Join(dir, "x"), "-o", filepath.Join(dir, "x")},
	} {
		status, out, err := kerf(t, append([]string{"train", c}, args...)...)
		if fault := wrongFailure(out, err); status != 2 || fault != "" {
			t.Errorf("%v: exit status %d, %s", args, status, fault)
		}
	}
	old := writeFile(t, filepath.Join(dir, "old.html"), []byte("old"))
	if status, _, _ := kerf(t, "train", c, "--target", "nothing", "--report", old); status == 0 {
		t.Error("training on a missing column succeeded")
	}
	if content, err := os.ReadFile(old); err != nil || string(content) != "old" {
		t.Errorf("the old report is %q, %v", content, err)
	}
}

// TestTuneReport: the page has the trials of the result and its final model.
func TestTuneReport(t *testing.T) {
	dir := t.TempDir()
	c, path := filepath.Join(dir, "c.csv"), filepath.Join(dir, "report.html")
	mustRun(t, "gen", "circle", "--n", "200", "--noise", "0.1", "-o", c)
	o := mustObject(t, "tune", c, "--holdout", "0.3", "--trials", "12", "--report", path)
	if o["report"] != path {
		t.Errorf("the result says that the report is %v", o["report"])
	}
	best, final := o["best"].(map[string]any), o["test"].(map[string]any)
	page := readPage(t, path)
	for _, want := range []string{
		"Search for svm on", "The best candidates", "Confusion matrix", html.EscapeString(fmt.Sprint(best["kernel"])),
		fmt.Sprintf("%.2f%%", 100*number(best["error"])), fmt.Sprintf("%.2f%%", 100*number(final["error"])),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if status, out, err := kerf(t, "tune", c, "--report", dir); status != 2 || wrongFailure(out, err) != "" {
		t.Errorf("a folder as the report: exit status %d", status)
	}
}

// TestDemoReport: the page has the figures of the demo's table.
func TestDemoReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.html")
	o := mustObject(t, "demo", "-o", path)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), "<svg class=\"chart\""); n != 5 {
		t.Errorf("the page has %d charts", n)
	}
	for _, r := range o["results"].([]any) {
		r := r.(map[string]any)
		for _, want := range []string{fmt.Sprint(r["method"]), fmt.Sprintf("%.3f", number(r["margin"])),
			fmt.Sprintf("%.2f%%", 100*number(r["error"]))} {
			if !strings.Contains(string(content), want) {
				t.Errorf("the page lacks %q", want)
			}
		}
	}
}
