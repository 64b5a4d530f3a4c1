package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestMargin: the curve of rings, for machines and for people.
func TestMargin(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "rings", "--n", "400", "-o", in("rings.csv"))
	var first string
	for _, workers := range []string{"1", "2", "3"} {
		text := mustRun(t, "margin", in("rings.csv"), "--kernel", "rbf(gamma=1)", "--json", "--quiet", "--workers", workers)
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("by %s workers: %s, by one: %s", workers, text, first)
		}
	}
	o, err := object(first)
	if err != nil {
		t.Fatal(err)
	}
	curve, ok := o["curve"].([]any)
	if !ok || len(curve) < 2 {
		t.Fatalf("the curve is %v", o["curve"])
	}
	last := -2.0
	for _, p := range curve {
		point := p.(map[string]any)
		if m, e := number(point["margin"]), number(point["error"]); !(m > last && m <= 1 && e >= 0 && e <= 1) {
			t.Errorf("a point of the curve is %v", point)
		}
		last = number(point["margin"])
	}
	if m := numberAt(t, o, "margin"); !(m > 0.02 && m < 1) {
		t.Errorf("the margin is %v", m)
	}
	if n, rows := numberAt(t, o, "n"), numberAt(t, o, "rows"); n != 400 || rows < 90 || rows > 110 {
		t.Errorf("%v rows of %v", rows, n)
	}
	if o := mustObject(t, "margin", in("rings.csv"), "--points", "5"); len(o["curve"].([]any)) > 5 {
		t.Errorf("%v has more than 5 points", o["curve"])
	}
	for _, says := range []string{"margin", "landmarks", "to plan with"} {
		if out := mustRun(t, "margin", in("rings.csv"), "--quiet"); !strings.Contains(out, says) {
			t.Errorf("nothing of %q: %s", says, out)
		}
	}
	threeFile(t, in("three.csv"), 150)
	if o := mustObject(t, "margin", in("three.csv")); !(numberAt(t, o, "margin") > 0) {
		t.Errorf("three classes have the margin %v", o["margin"])
	}
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "--dim", []string{"rings.csv", "--dim", "0"}},
		{2, "--error", []string{"rings.csv", "--error", "0"}},
		{2, "--error", []string{"rings.csv", "--error", "NaN"}},
		{2, "--confidence", []string{"rings.csv", "--confidence", "1"}},
		{2, "--points", []string{"rings.csv", "--points", "1"}},
		{3, "unknown kernel", []string{"rings.csv", "--kernel", "magic"}},
		{3, "no such file", []string{"missing.csv"}},
	} {
		wantFailure(t, c.status, c.says, append([]string{"margin", in(c.args[0])}, c.args[1:]...)...)
	}
	wantFailure(t, 3, "label", "margin", writeFile(t, in("one.csv"), []byte("x,label\n1,a\n2,a\n3,a\n")))
	if status, out, err := kerf(t, "margin", writeFile(t, in("few.csv"), []byte("x,label\n1,a\n2,b\n"))); status == 0 ||
		wrongFailure(out, err) != "" {
		t.Errorf("two rows: exit status %d: %s%s", status, out, err)
	}
}
