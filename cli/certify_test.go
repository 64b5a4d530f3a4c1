package cli_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrainToACertificate: instead of a dimension an error is asked for, and what
// comes back says that it holds.
func TestTrainToACertificate(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "rings", "--n", "1500", "-o", in("rings.csv"))
	o := mustObject(t, "train", in("rings.csv"), "--kernel", "rbf(gamma=1)", "--error", "0.1", "--margin", "0.2",
		"--holdout", "0.2", "-o", in("m.kerf"))
	c, ok := o["certificate"].(map[string]any)
	if !ok {
		t.Fatalf("there is no certificate: %v", o)
	}
	if c["holds"] != true || c["outcome"] != "certified" || c["margin"] != 0.2 || number(c["bound"]) > 0.1 ||
		number(c["confidence"]) < 0.95 {
		t.Errorf("the certificate is %v", c)
	}
	if !(number(c["used"]) >= 1 && number(c["used"]) < number(c["promised"])) ||
		number(o["dim"]) != number(c["features"]) {
		t.Errorf("used %v of %v, dim %v and %v", c["used"], c["promised"], o["dim"], c["features"])
	}
	if e := numberAt(t, o, "test.error"); e > 0.05 {
		t.Errorf("the error is %v", e)
	}
	if s, ok := o["separator_certificate"].(map[string]any); !ok || !(number(s["bound"]) > 0) {
		t.Errorf("of the separator is certified: %v", o["separator_certificate"])
	}
	for _, says := range []string{"promised", "certified", "used"} {
		if out := mustRun(t, "train", in("rings.csv"), "--kernel", "rbf(gamma=1)", "--error", "0.1", "--margin", "0.2",
			"--quiet"); !strings.Contains(out, says) {
			t.Errorf("nothing of %q: %s", says, out)
		}
	}
	// Without a margin one is chosen and told.
	o = mustObject(t, "train", in("rings.csv"), "--kernel", "rbf(gamma=1)", "--error", "0.2", "--confidence", "0.9")
	if m, err := find(o, "certificate.choice.margin"); err != nil || !(number(m) > 0) {
		t.Errorf("the margin was chosen as %v (%v)", m, err)
	}
	// Without an error there is no certificate.
	if o := mustObject(t, "train", in("rings.csv"), "--dim", "20"); o["certificate"] != nil {
		t.Errorf("nobody asked for the certificate %v", o["certificate"])
	}
}

// TestTrainF3ToACertificate has points on a line that is 800 widths of the kernel
// long. F2 needs more dimensions there than keep the margin through a projection,
// whose number does not depend on the data: F3 is certified with fewer.
func TestTrainF3ToACertificate(t *testing.T) {
	if testing.Short() {
		t.Skip("grows maps to thousands of landmarks")
	}
	line := filepath.Join(t.TempDir(), "line.csv")
	rng := rand.New(rand.NewPCG(1, 1))
	var rows strings.Builder
	rows.WriteString("x,label\n")
	for range 4000 {
		x := 800 * rng.Float64()
		fmt.Fprintf(&rows, "%.4f,%d\n", x, int(x/10)%2)
	}
	writeFile(t, line, []byte(rows.String()))
	o := mustObject(t, "train", line, "--map", "f3", "--kernel", "rbf(gamma=1)", "--learner", "averaged-perceptron",
		"--error", "0.02", "--confidence", "0.9", "--margin", "0.9")
	c, ok := o["certificate"].(map[string]any)
	if !ok {
		t.Fatalf("there is no certificate: %v", o)
	}
	if c["holds"] != true || c["outcome"] != "certified" || c["projected"] != true || number(c["bound"]) > 0.02 ||
		number(c["confidence"]) != 0.9 {
		t.Errorf("the certificate is %v", c)
	}
	if number(o["dim"]) != number(c["features"]) || number(o["dim"]) >= number(c["used"]) {
		t.Errorf("dim %v, %v of them, from %v landmarks", o["dim"], c["features"], c["used"])
	}
	// Where F2 does with fewer, that is said.
	mustRun(t, "gen", "rings", "--n", "1500", "-o", line)
	wantFailure(t, 1, "use map f2", "train", line, "--map", "f3", "--kernel", "rbf(gamma=1)", "--error", "0.1",
		"--margin", "0.5")
}

func TestCertificateFlags(t *testing.T) {
	dir := t.TempDir()
	c := filepath.Join(dir, "c.csv")
	mustRun(t, "gen", "rings", "--n", "60", "-o", c)
	for _, f := range []struct {
		says string
		args []string
	}{
		{"--error", []string{"--error", "0"}},
		{"--error", []string{"--error", "1"}},
		{"--error", []string{"--error", "NaN"}},
		{"--confidence", []string{"--error", "0.1", "--confidence", "1"}},
		{"--confidence", []string{"--confidence", "0.9"}},
		{"--margin", []string{"--margin", "0.1"}},
		{"--margin", []string{"--error", "0.1", "--margin", "0"}},
		{"--margin", []string{"--error", "0.1", "--margin", "1.1"}},
		{"--dim", []string{"--error", "0.1", "--dim", "5"}},
		{"--error", []string{"--error", "0.1", "--map", "f1"}},
		{"--error", []string{"--error", "0.1", "--map", "none"}},
		{"--error", []string{"--error", "0.1", "--kernel", "linear"}},
		{"--error", []string{"--error", "0.1", "--learner", "kernel-svm"}},
		{"--error", []string{"--error", "0.1", "--task", "regress"}},
		{"--repair", []string{"--error", "0.1", "--repair", "clip"}},
	} {
		wantFailure(t, 2, f.says, append([]string{"train", c}, f.args...)...)
	}
}
