package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// packed is a text by gzip.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lines of a table of two classes.
func tableLines(lo, hi int) string {
	var b strings.Builder
	b.WriteString("x,kind,label\n")
	for i := lo; i < hi; i++ {
		fmt.Fprintf(&b, "%d.5,k%d,%s\n", i, i%3, []string{"no", "yes"}[i%2])
	}
	return b.String()
}

// A folder, a pattern and one file with the same rows are the same data set, read whole,
// part by part and surveyed.
func TestFilesAreOneDataSet(t *testing.T) {
	dir := folder(t, map[string]string{"b.csv": tableLines(100, 150), "a.csv": tableLines(0, 100), ".hidden": "?",
		"_SUCCESS": "", "c.csv.gz": packed(t, tableLines(150, 300))})
	one := write(t, "one.csv", tableLines(0, 300))
	want, err := dataset.Read(t.Context(), one, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(want, nil, scale.Standard, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := dataset.Decode[data.Vector](e, want)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got *dataset.Rows, from int) {
		t.Helper()
		d, err := dataset.Decode[data.Vector](e, got)
		if err != nil || !slices.Equal(d.Y, x.Y[from:from+got.Len()]) {
			t.Fatalf("%s: labels %v, %v", what, d.Y, err)
		}
		for i := range got.Len() {
			if d.X.At(i).Distance2(x.X.At(from+i)) != 0 {
				t.Fatalf("%s: row %d is another", what, from+i)
			}
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "*.csv*"), one} {
		rows, err := dataset.Read(t.Context(), path, dataset.Options{})
		if err != nil || rows.Len() != 300 {
			t.Fatalf("%s: %v", path, err)
		}
		check(path, rows, 0)
		sample, err := dataset.Survey(t.Context(), path, dataset.Options{}, dataset.Sampling{Rows: 1000, Needed: true})
		if err != nil || sample.Len() != 300 || sample.Surveyed().Rows != 300 {
			t.Fatalf("%s: %v", path, err)
		}
		check(path, sample, 0)
		seen := 0
		err = e.Stream(t.Context(), path, dataset.Options{}, func(r *dataset.Rows) error {
			check(path, r, seen)
			seen += r.Len()
			return nil
		})
		if err != nil || seen != 300 {
			t.Fatalf("%s: %d rows, %v", path, seen, err)
		}
	}
}

// What is wrong with one of several files says which one.
func TestFilesThatDoNotGoTogether(t *testing.T) {
	good, cut := tableLines(0, 30), packed(t, tableLines(0, 3000))
	for _, test := range []struct{ name, content, words string }{
		{"b.csv", "x,kind,other\n1,a,b\n2,a,c\n", `b.csv:1: column 3 is "other" and that of`},
		{"b.csv", "kind,x,label\na,1,b\nc,2,b\n", `b.csv:1: column 1 is "kind"`},
		{"b.csv", "x,label\n1,b\n2,c\n", "b.csv:1: the table has 2 columns"},
		{"b.csv", "1,a,no\n2,a,yes\n", "b.csv:1: the table has no header"},
		{"b.csv", "", "b.csv: is empty"},
		{"b.csv", "x,kind,label\n1,a\n", "b.csv:2: "},
		{"b.csv", "1 1:2\n2 1:3\n", "b.csv:1: this is LIBSVM data"},
		{"b.csv.gz", cut[:len(cut)/2], "b.csv.gz: ends in the middle"},
		{"b.csv", "x,kind,label\n1,a,no\n2,b,\n", "b.csv:3: the label is missing"},
	} {
		dir := folder(t, map[string]string{"a.csv": good, test.name: test.content})
		_, first := dataset.Read(t.Context(), dir, dataset.Options{})
		_, second := dataset.Survey(t.Context(), dir, dataset.Options{}, dataset.Sampling{Rows: 100, Needed: true})
		for _, err := range []error{first, second} {
			var input *data.InputError
			if err == nil && strings.Contains(test.words, "missing") {
				continue // whoever needs the labels says so
			}
			if !errors.As(err, &input) || !strings.Contains(err.Error(), test.words) {
				t.Errorf("%q: %v", test.content, err)
			}
		}
	}
	empty, nested := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(nested, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, words := range map[string]string{empty: "no files", nested: "holds a folder",
		empty + "/*.csv": "no file matches", empty + "/[.csv": "is no pattern", empty + "/none.csv": "no such file"} {
		if _, err := dataset.Read(t.Context(), path, dataset.Options{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", path, err)
		}
	}
	two := folder(t, map[string]string{"a.csv": good, "b.csv": good})
	var option *dataset.OptionError
	if _, err := dataset.Read(t.Context(), two, dataset.Options{Labels: "y"}); !errors.As(err, &option) {
		t.Errorf("labels of two files: %v", err)
	}
}

// A sample is uniform over all rows, of any kind of data, and knows how many there are.
func TestSurvey(t *testing.T) {
	var vectors, lines strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&vectors, "%d %d:1\n", i%2, i+1)
		fmt.Fprintf(&lines, "%d\tword%d\n", i%2, i)
	}
	for _, path := range []string{write(t, "t.csv", tableLines(0, 5000)), write(t, "v.libsvm", vectors.String()),
		write(t, "s.txt", lines.String())} {
		var first *dataset.Rows
		for _, seed := range []uint64{1, 1, 2} {
			r, err := dataset.Survey(t.Context(), path, dataset.Options{}, dataset.Sampling{Rows: 100, Seed: seed, Needed: true,
				Keep: func(row int) bool { return row%10 != 0 }})
			if err != nil {
				t.Fatal(err)
			}
			names, rows, weights, ok := r.Surveyed().Labels()
			if r.Len() != 100 || r.Surveyed().Rows != 4500 || r.Surveyed().File != 5000 || !ok || len(names) != 2 ||
				rows[0]+rows[1] != 4500 || weights[0]+weights[1] != 4500 {
				t.Fatalf("%s: %d rows of %+v, %v", path, r.Len(), r.Surveyed(), rows)
			}
			if first != nil && slices.Equal(r.Labels, first.Labels) != (seed == 1) {
				t.Errorf("%s: seed %d draws the labels %v, seed 1 %v", path, seed, r.Labels, first.Labels)
			}
			if first == nil {
				first = r
			}
		}
	}
}
