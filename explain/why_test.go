package explain_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/model"
)

// models are kinds of rows, maps and learners, and what their rows must have: landmarks
// whose pulls add up, landmarks alone, or none.
var models = []struct {
	kind, kernel, mapped, learner string
	pulls                         string
}{
	{"table", "rbf(gamma=0.3)", "f1(dim=20)", "svm(C=1)", "sum"},
	{"table", "rbf(gamma=0.3)", "f2(dim=20)", "svm(C=1)", "sum"},
	{"table", "rbf(gamma=0.3)", "f3(dim=8)", "logistic(C=1)", "sum"},
	{"table", "rbf(gamma=0.3)", "f2(dim=20,repair=clip)", "svm(C=1)", "sum"},
	{"table", "rbf(gamma=0.3)", "lift(dim=20)", "ridge", "sum"},
	{"table", "rbf(gamma=0.3)", "f2(dim=20)", "boost", "landmarks"},
	{"table", "rbf(gamma=0.3)", "", "kernel-svm(C=1)", "sum"},
	{"table", "rbf(gamma=0.3)", "", "kernel-perceptron", "sum"},
	{"table", "rbf(gamma=0.3)", "", "centroid", "sum"},
	{"table", "rbf(gamma=0.3)", "fourier(dim=40)", "svm(C=1)", "none"},
	{"table", "poly(degree=2)", "sketch(dim=64)", "svm(C=1)", "none"},
	{"table", "", "none", "svm(C=1)", "none"},
	{"libsvm", "laplace(gamma=0.3)", "f2(dim=20)", "svm(C=1)", "sum"},
	{"libsvm", "", "none", "logistic(C=1)", "none"},
	{"strings", "spectrum(k=2)", "f2(dim=20)", "svm(C=1)", "sum"},
	{"strings", "degree(d=3)", "", "kernel-svm(C=1)", "sum"},
	{"strings", "spectrum(k=2)", "explicit", "svm(C=1)", "none"},
	{"uneven", "spectrum(k=2)", "f1(dim=20)", "svm(C=1)", "sum"},
	{"sets", "jaccard", "f2(dim=15)", "svm(C=1)", "sum"},
	{"sets", "intersection", "", "kernel-svm(C=1)", "sum"},
	{"many", "rbf(gamma=0.3)", "f1(dim=20)", "svm(C=1)", "sum"},
	{"many", "rbf(gamma=0.3)", "f2(dim=20)", "logistic(C=1)", "sum"},
	{"many", "rbf(gamma=0.3)", "", "kernel-svm(C=1)", "sum"},
	{"many", "rbf(gamma=0.3)", "", "kernel-svm(C=1,pairs=false)", "sum"},
	{"numbers", "rbf(gamma=0.3)", "f2(dim=20)", "ridge", "sum"},
	{"numbers", "rbf(gamma=0.3)", "", "svr(C=1)", "sum"},
	{"numbers", "rbf(gamma=0.3)", "", "kernel-ridge", "sum"},
	{"numbers", "", "none", "ridge", "none"},
}

// TestRows: of all rows of all models, the pulls add up to the score, and the score is
// that of a prediction.
func TestRows(t *testing.T) {
	files := kinds(t)
	for _, c := range models {
		t.Run(strings.Join([]string{c.kind, c.mapped, c.learner}, " "), func(t *testing.T) {
			m := trained(t, files[c.kind], c.kernel, c.mapped, c.learner)
			rows, x := read(t, m, files[c.kind])
			scores, err := m.Scores(t.Context(), explain.NewWhy(m).Run, rows)
			if err != nil {
				t.Fatal(err)
			}
			why := explain.NewWhy(m)
			why.Cells = 5
			for i := range rows.Len() {
				got, err := why.Row(t.Context(), rows, x, i)
				if err != nil {
					t.Fatal(err)
				}
				want := m.Prediction(scores.Row(i))
				if text := fmt.Sprint(got.Prediction); text != want.Label && !m.Regresses() {
					t.Fatalf("row %d is called %s, want %s", i+1, text, want.Label)
				}
				checkPulls(t, m, got, c.pulls)
				if (c.kind == "uneven" || c.mapped == "explicit") != (len(got.Columns) == 0) {
					t.Errorf("row %d has %d columns", i+1, len(got.Columns))
				}
			}
		})
	}
}

func checkPulls(t *testing.T, m *model.Model, got *explain.Row, want string) {
	t.Helper()
	if (want == "none") != (len(got.Landmarks) == 0) || (want == "sum") != (got.Sum != nil) {
		t.Fatalf("row %d has %d landmarks and the sum %v, want %s", got.Row, len(got.Landmarks), got.Sum, want)
	}
	if want != "sum" && len(got.Notes) == 0 {
		t.Errorf("row %d does not say why it has no pulls", got.Row)
	}
	if want != "sum" {
		return
	}
	s := got.Sum
	// n terms of a size that may cancel: what is strongest bounds them, and each is the
	// sum of as many products.
	n, largest := float64(s.Landmarks), math.Abs(*got.Strongest[0].Pull)
	tolerance := 4 * n * n * 0x1p-53 * (largest + math.Abs(s.Score) + math.Abs(s.Bias) + 1)
	if off := math.Abs(s.Bias + s.Rest + s.Pulls - s.Score); off > tolerance*1e3 {
		t.Errorf("row %d: bias %v + rest %v + pulls %v is off its score %v by %v", got.Row, s.Bias, s.Rest, s.Pulls, s.Score,
			off)
	}
	if off := math.Abs(s.Score - got.Score); m.Pairs == nil && off > 1e-9*(1+largest) {
		t.Errorf("row %d: the sum is of %v and the score is %v", got.Row, s.Score, got.Score)
	}
	for k, l := range got.Landmarks {
		if l.Similarity > 1 || k > 0 && l.Similarity > got.Landmarks[k-1].Similarity {
			t.Errorf("row %d: landmark %d has similarity %v", got.Row, k, l.Similarity)
		}
	}
}

// TestChanges: what a column did is the score less the mean of the scores of rows whose
// cell is that of a background row, written out as records.
func TestChanges(t *testing.T) {
	path := put(t, "t.csv", mixed(60, 2))
	m := trained(t, path, "rbf(gamma=0.3)", "f2(dim=20)", "svm(C=1)")
	rows, x := read(t, m, path)
	titles, cells, err := rows.Cells([]string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	why := explain.NewWhy(m)
	why.Background, why.From = x, "rows"
	for _, i := range []int{0, 7, 59} {
		got, err := why.Row(t.Context(), rows, x, i)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Columns) != 5 || got.Background.Rows != 60 {
			t.Fatalf("row %d: %d columns, background %v", i, len(got.Columns), got.Background)
		}
		class, _ := m.Classes.Index(got.Prediction.(string))
		for _, c := range got.Columns {
			j := 0
			for titles[j] != c.Column {
				j++
			}
			if c.Value != cells[i][j] {
				t.Errorf("row %d, %s: value %q, want %q", i, c.Column, c.Value, cells[i][j])
			}
			mean := 0.0
			for b := range cells {
				record := append([]string(nil), cells[i]...)
				record[j] = cells[b][j]
				said, err := m.Predict(record)
				if err != nil {
					t.Fatal(err)
				}
				mean += said.Scores[class] / float64(len(cells))
			}
			if want := got.Score - mean; math.Abs(c.Change-want) > 1e-12 {
				t.Errorf("row %d, %s: change %v, want %v", i, c.Column, c.Change, want)
			}
		}
	}
}
