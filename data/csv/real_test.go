package csv_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// openReal opens one of the public data sets, and skips the test without them.
func openReal(t *testing.T, name string) *file.File {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", name)
	}
	f, err := file.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestRealFiles(t *testing.T) {
	tests := []struct {
		name    string
		header  bool
		comma   rune
		target  string
		rows    int
		summary string
		sparse  bool
	}{
		{"adult.csv.gz", false, ',', "last", 32561, "14 columns: 6 numbers, 8 categories → 108 coordinates", true},
		{"california.csv.gz", true, ',', "medianHouseValue", 20640, "8 columns: 8 numbers → 8 coordinates", false},
		{"covtype20k.csv.gz", false, ',', "", 20000,
			"54 columns: 52 numbers → 52 coordinates; ignored: column 21 (constant), column 29 (constant)", false},
		{"house-votes.csv.gz", false, ',', "first", 435, "16 columns: 16 categories → 48 coordinates", true},
		{"sonar.csv.gz", false, ',', "61", 208, "60 columns: 60 numbers → 60 coordinates", false},
		{"kin40k.csv.gz", false, ',', "", 40000, "8 columns: 8 numbers → 8 coordinates", false},
		{"concrete.csv.gz", false, ',', "", 1030, "8 columns: 8 numbers → 8 coordinates", false},
		{"kin40k-test-mask.csv.gz", false, ',', "none", 40000, "10 columns: 10 numbers → 10 coordinates", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := openReal(t, test.name)
			r, err := csv.NewReader(f, table.Options{Name: f.Name, Target: test.target})
			if err != nil {
				t.Fatal(err)
			}
			if (r.Header() != nil) != test.header || r.Comma() != test.comma {
				t.Fatalf("header %q, comma %q", r.Header(), r.Comma())
			}
			tab, err := r.Read(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if tab.Len() != test.rows {
				t.Fatalf("%d rows, want %d", tab.Len(), test.rows)
			}
			s, err := table.Fit(tab, nil, scale.Standard)
			if err != nil {
				t.Fatal(err)
			}
			if s.Summary() != test.summary {
				t.Errorf("summary %q, want %q", s.Summary(), test.summary)
			}
			x, labels, err := s.Encode(tab)
			if err != nil {
				t.Fatal(err)
			}
			if _, sparse := x.(*data.CSR); sparse != test.sparse || x.Len() != test.rows || data.Dim(x) != s.Width {
				t.Errorf("encoded as %T of %d × %d", x, x.Len(), data.Dim(x))
			}
			if (labels == nil) != (test.target == "none") {
				t.Errorf("%d labels", len(labels))
			}
			if n, err := s.Unseen(tab); n != 0 || err != nil {
				t.Errorf("unseen %d, %v", n, err)
			}
		})
	}
}

func TestRealAdultTest(t *testing.T) {
	f := openReal(t, "adult.csv.gz")
	r, err := csv.NewReader(f, table.Options{Name: f.Name})
	if err != nil {
		t.Fatal(err)
	}
	train, err := r.Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Fit(train, nil, scale.Range)
	if err != nil {
		t.Fatal(err)
	}
	g := openReal(t, "adult.t.csv.gz")
	r, err = csv.NewReader(g, s.Options(g.Name))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for {
		tab, err := r.Read(t.Context(), 1000)
		if err != nil {
			break
		}
		x, labels, err := s.Encode(tab)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.(*data.CSR).Validate(); err != nil {
			t.Fatal(err)
		}
		for _, label := range labels {
			if label != "<=50K." && label != ">50K." {
				t.Fatalf("label %q", label)
			}
		}
		rows += tab.Len()
	}
	if rows != 16281 {
		t.Errorf("%d rows, want 16281", rows)
	}
}

func TestRealZoo(t *testing.T) {
	f := openReal(t, "zoo.csv.gz")
	_, err := csv.NewReader(f, table.Options{Name: "zoo.csv", Header: table.Present})
	var input *data.InputError
	if !errors.As(err, &input) || input.Line != 2 || !strings.Contains(err.Error(), "18 cells") ||
		!strings.Contains(err.Error(), "names 16") || !strings.Contains(err.Error(), "--header skip") {
		t.Fatalf("error %v", err)
	}
	f = openReal(t, "zoo.csv.gz")
	r, err := csv.NewReader(f, table.Options{Name: "zoo.csv"})
	if err != nil || r.OddHeader() != 16 {
		t.Fatalf("%d names that do not fit, error %v", r.OddHeader(), err)
	}
	tab, err := r.Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Fit(tab, nil, scale.None)
	if err != nil {
		t.Fatal(err)
	}
	if want := "17 columns: 16 numbers → 16 coordinates; ignored: column 1 (different in nearly every row)"; s.Summary() !=
		want || tab.Len() != 101 {
		t.Errorf("%d rows, summary %q, want %q", tab.Len(), s.Summary(), want)
	}
}

func TestRealTexts(t *testing.T) {
	tests := []struct {
		name       string
		comma      rune
		rows, cols int
		row        int
		cell       string
		words      bool
	}{
		{"splice-dna.csv.gz", ',', 3190, 3, 0, "CCAGCTGCATCACAGGAGGCCAGCGAGCAGGTCTGTTCCAAGGGCCTTCGAGCCAGTCTG", false},
		{"sms-spam.tsv.gz", '\t', 5574, 2, 1, "Ok lar... Joking wif u oni...", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := openReal(t, test.name)
			r, err := csv.NewReader(f, table.Options{Name: f.Name, Target: "first", Verbatim: true})
			if err != nil {
				t.Fatal(err)
			}
			tab, err := r.Read(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.Header() != nil || r.Comma() != test.comma || tab.Len() != test.rows || tab.Cols() != test.cols {
				t.Fatalf("header %q, comma %q, %d × %d", r.Header(), r.Comma(), tab.Len(), tab.Cols())
			}
			if cell, ok := tab.Cell(test.row, test.cols-1); cell != test.cell || !ok {
				t.Errorf("cell %q", cell)
			}
			s, err := table.Fit(tab, nil, scale.None)
			if (err == nil) != test.words || test.words && (len(s.Blocks()) != 1 || !s.Blocks()[0].Text) {
				t.Errorf("free texts are words and others no coordinates: %v", err)
			}
		})
	}
}
