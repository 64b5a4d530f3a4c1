package cli_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestHardMarginClaimsNoMore: 12 points on the line with labels in turn are
// separated under a Gaussian kernel, which is strictly positive definite, by a
// margin of about 1e-10: lp finds a separator. That hard-margin finds none above
// its tolerance is no proof that there is none.
func TestHardMarginClaimsNoMore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "i.csv")
	mustRun(t, "gen", "interleaved", "--n", "12", "-o", file)
	args := []string{"train", file, "--scale", "none", "--kernel", "rbf(gamma=0.5)", "--map", "f2", "--dim", "12"}
	if o := mustObject(t, append(args, "--learner", "lp")...); numberAt(t, o, "train.error") != 0 {
		t.Errorf("lp finds no separator: %v", o)
	}
	status, stdout, stderr := kerf(t, append(args, "--learner", "hard-margin")...)
	if status != 0 || !strings.Contains(stdout, "below tolerance") || !strings.Contains(stderr, "separable by less") ||
		strings.Contains(stdout+stderr, "not separable") || strings.Contains(stderr, "cannot be separated") {
		t.Errorf("%d\n%s%s", status, stdout, stderr)
	}
}

// TestHardMarginIsThePrintedMargin: rows of lengths from 0.05 to 20 around two
// directions. The margin that is printed is the one that is maximised.
func TestHardMarginIsThePrintedMargin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h.csv")
	lengthen(t, file, 100)
	args := []string{"train", file, "--scale", "none", "--kernel", "linear", "--learner"}
	angle := mustObject(t, append(args, "hard-margin(unit=0)")...)
	distance := mustObject(t, append(args, "hard-margin(unit=0,normalize=false)")...)
	if a, d := numberAt(t, angle, "margin"), numberAt(t, distance, "margin"); !(a > 1.01*d) || a < 0.2 {
		t.Errorf("margin %v, and %v where the distance is maximised", a, d)
	}
}

// TestPerceptronOfThePapers: data of margin γ, rows of any length: without a
// constant coordinate and with rows of length 1 there are at most 1/γ² mistakes,
// as kerf plan says, and the bound that is printed is above what it counts.
func TestPerceptronOfThePapers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h.csv")
	lengthen(t, file, 2000)
	most := numberAt(t, mustObject(t, "plan", "--margin", "0.2", "--error", "0.1", "--confidence", "0.9"),
		"perceptron_mistakes")
	args := []string{"train", file, "--scale", "none", "--kernel", "linear", "--learner"}
	for _, learner := range []string{"perceptron", "averaged-perceptron"} {
		for seed := range 3 {
			call := append(args, learner+"(unit=0,normalize=true)", "--seed", strconv.Itoa(seed))
			o := mustObject(t, call...)
			n, bound := numberAt(t, o, "mistakes"), numberAt(t, o, "mistake_bound")
			if o["status"] != "converged" || n > most || bound < most-1 {
				t.Errorf("%s: %v mistakes of at most %v, printed %v, %v", learner, n, most, bound, o["status"])
			}
		}
	}
	for _, c := range [][2]string{
		{"perceptron(unit=0,normalize=true)", "with the margin γ found on rows of length 1\n"},
		{"perceptron", "at most R²/γ² = "}, {"perceptron", "with a constant coordinate of 1\n"},
		{"kernel-perceptron", "found on rows of length at most R;"},
	} {
		if text := mustRun(t, append(args, c[0])...); !strings.Contains(text, c[1]) {
			t.Errorf("%s: no %q in\n%s", c[0], c[1], text)
		}
	}
}

// lengthen writes n rows of margin 0.2 with lengths from 0.05 to 20.
func lengthen(t *testing.T, file string, n int) {
	t.Helper()
	text := mustRun(t, "gen", "halfspace", "--n", strconv.Itoa(n), "--margin", "0.2", "--dim", "8")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] {
		length := []float64{0.05, 0.3, 1, 4, 20}[i%5]
		for j, cell := range row[:8] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			row[j] = strconv.FormatFloat(v*length, 'g', -1, 64)
		}
	}
	var out strings.Builder
	if err := csv.NewWriter(&out).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
