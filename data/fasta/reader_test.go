package fasta_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/fasta"
	"github.com/kerf-ml/kerf/data/file"
)

func readAll(text string) ([]string, []string, error) {
	return fasta.NewReader(strings.NewReader(text), "f").Read(context.Background(), 0)
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		x, labels  []string
	}{
		{"marked", "> a=1, label=-1, b\nACGT\n>label=+1\nac\n", []string{"ACGT", "ac"}, []string{"-1", "+1"}},
		{"wrapped", ">x|label=1|y\r\nAC\r\n\r\nG T\n  N*-.\n", []string{"ACGTN*-."}, []string{"1"}},
		{"header is the label", ">  donor site \nAC\n>b,c\nG", []string{"AC", "G"}, []string{"donor site", "b,c"}},
		{"end of a longer word", ">nolabel=3\nA\n", []string{"A"}, []string{"nolabel=3"}},
		{"longer word, then the mark", ">nolabel=3;label=4\nA\n", []string{"A"}, []string{"4"}},
		{"remarks", "; remark\n>label=1\n;A\nC\n", []string{"C"}, []string{"1"}},
		{"label with an equals sign", ">label=a=b\nA\n", []string{"A"}, []string{"a=b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x, labels, err := readAll(test.text)
			if err != nil || !slices.Equal(x, test.x) || !slices.Equal(labels, test.labels) {
				t.Errorf("read %q %q %v", x, labels, err)
			}
		})
	}
}

func TestReadFaults(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		problem      string
	}{
		{"no header", "\nACGT\n", 2, 1, "something else than a header"},
		{"no sequence", ">a\n>b\nA\n", 1, 0, "no sequence"},
		{"no sequence at the end", ">a\nA\n>b\n\n", 3, 0, "no sequence"},
		{"digit", ">a\nAC\nAC1\n", 3, 3, `'1' is no part of a sequence`},
		{"empty label", ">a label= b\nA\n", 1, 4, "label is missing"},
		{"empty header", ">a\nA\n> \nA\n", 3, 1, "label is missing"},
		{"label gone", ">label=1\nA\n>b\nA\n", 3, 1, "no label= and that in line 1 has one"},
		{"label comes", ">a\nA\n>b label=1\nA\n", 3, 4, "has label= and that in line 1 has none"},
		{"too long", ">a\n" + strings.Repeat("A", file.MaxLine+1), 2, 0, "longer than 8 MiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readAll(test.text)
			var input *data.InputError
			if !errors.As(err, &input) {
				t.Fatalf("error %v", err)
			}
			if input.File != "f" || input.Line != test.line || input.Column != test.column ||
				!strings.Contains(input.Problem, test.problem) || input.Advice == "" {
				t.Errorf("error %v, want line %d, column %d, %q", err, test.line, test.column, test.problem)
			}
		})
	}
}

func TestReadInParts(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, ">label=%d\n%s\n%s\n\n", i%3, strings.Repeat("A", i), "C")
	}
	for _, max := range []int{1, 7, 99, 100, 101} {
		r := fasta.NewReader(iotest.OneByteReader(strings.NewReader(text.String())), "f")
		rows := 0
		for {
			x, labels, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			if err != nil || len(x) == 0 || len(x) > max || len(labels) != len(x) {
				t.Fatalf("%d rows, %d labels, %v", len(x), len(labels), err)
			}
			for i := range x {
				if len(x[i]) != rows+1 || labels[i] != fmt.Sprint(rows%3) {
					t.Fatalf("row %d is %q with label %q", rows, x[i], labels[i])
				}
				rows++
			}
		}
		if _, _, err := r.Read(t.Context(), max); rows != 100 || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, rows, err)
		}
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	failing := iotest.ErrReader(errors.New("disk on fire"))
	_, _, err := fasta.NewReader(io.MultiReader(strings.NewReader(">a\nA\n"), failing), "f").Read(t.Context(), 0)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := fasta.NewReader(strings.NewReader(">a\nA\n"), "f").Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, _, err := readAll(" \n; remark\n"); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.StringMatching("[A-Za-z*.-]{1,9}"), 1, 9).Draw(t, "x")
		labels := rapid.SliceOfN(rapid.StringMatching("[a-z0-9+>=-]{1,3}"), len(x), len(x)).Draw(t, "labels")
		var out strings.Builder
		if err := fasta.Write(&out, data.Slice[string](x), labels); err != nil {
			t.Fatal(err)
		}
		y, back, err := readAll(out.String())
		if err != nil || !slices.Equal(x, y) || !slices.Equal(labels, back) {
			t.Fatalf("wrote %q %q, read %q %q, %v", x, labels, y, back, err)
		}
	})
}

func TestWriteFaults(t *testing.T) {
	for _, c := range []struct{ x, labels []string }{
		{[]string{""}, []string{"a"}}, {[]string{"A C"}, []string{"a"}}, {[]string{"A1"}, []string{"a"}},
		{[]string{"A"}, nil}, {[]string{"A"}, []string{""}}, {[]string{"A"}, []string{"a b"}}, {[]string{"A"},
			[]string{"a,b"}},
	} {
		if fasta.Write(io.Discard, data.Slice[string](c.x), c.labels) == nil {
			t.Errorf("%q with labels %q was written", c.x, c.labels)
		}
	}
}

func TestRealFile(t *testing.T) {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(folder, "celegans-acceptor.fasta.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("data set celegans-acceptor.fasta.gz is not here; KERF_DATA names the folder of the data sets")
	}
	f, err := file.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !fasta.Begins(f.Head()) {
		t.Fatalf("%s is not recognised", f.Name)
	}
	r := fasta.NewReader(f, f.Name)
	rows, positive := 0, 0
	for {
		x, labels, err := r.Read(t.Context(), 4096)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if len(x[i]) != 398 || labels[i] != "-1" && labels[i] != "1" && labels[i] != "+1" {
				t.Fatalf("row %d: %d letters, label %q", rows, len(x[i]), labels[i])
			}
			rows++
			if labels[i] != "-1" {
				positive++
			}
		}
	}
	if share := float64(positive) / float64(rows); rows != 100_000 || share < 0.03 || share > 0.036 {
		t.Errorf("%d rows, %v positive, want 100000 and 3.3%%", rows, share)
	}
}

func FuzzFASTA(f *testing.F) {
	for _, seed := range []string{
		"> a=1, label=-1\nACGT\nac\n>label=+1\nN*-.\n", ">a\nA\n>b\nC", ";r\n>x " +
			"label=\nA", ">\nA\n", ">a\n>b\n", "ACGT", ">nolabel=1\r\nA\r\n", ">label=\xff\nA1\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, labels, err := readAll(text)
		if err != nil {
			var input *data.InputError
			if err != io.EOF && (!errors.As(err, &input) || input.Line == 0) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		if len(x) == 0 || len(labels) != len(x) {
			t.Fatalf("%d rows, %d labels", len(x), len(labels))
		}
		var out strings.Builder
		if err := fasta.Write(&out, data.Slice[string](x), labels); err != nil {
			if strings.Contains(err.Error(), "label") {
				return // whole headers may hold what marked labels may not
			}
			t.Fatal(err)
		}
		y, back, err := readAll(out.String())
		if err != nil || !slices.Equal(x, y) || !slices.Equal(labels, back) {
			t.Fatalf("wrote %q, read %q %q %v", out.String(), y, back, err)
		}
	})
}

func ExampleReader() {
	r := fasta.NewReader(strings.NewReader("> strand=+, label=-1\nGAAAT\nATT\n"), "x.fasta")
	x, labels, err := r.Read(context.Background(), 0)
	fmt.Printf("%q %q %v\n", x, labels, err)
	// Output: ["GAAATATT"] ["-1"] <nil>
}
