package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/dataset"
)

// write makes a file and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFormats(t *testing.T) {
	noText := strings.Repeat("\x00\xff\xfe", 100_000) // longer than the head
	tests := []struct {
		name, content string
		want          string // empty for an error
	}{
		{"x", "1,2\n3,4\n", "CSV"},
		{"x", "1\t2\n3\t4\n", "CSV"},
		{"x", "a;b\n1;2\n", "CSV"},
		{"x.libsvm", "1,2\n3,4\n", "CSV"},
		{"x", "1\n2\n3\n", "CSV"},
		{"x.libsvm.gz", "1\n2\n3\n", "LIBSVM"},
		{"x.csv", "a\nb\n", "CSV"},
		{"x", "a\nb\n", ""},
		{"x", "some words\nand more\n", ""},
		{"x", "+1 1:1 2:0.5\n-1 3:1\n", "LIBSVM"},
		{"x.csv", "+1 1:1 2:0.5\n-1 3:1\n", "LIBSVM"},
		{"x", "# remark, with comma\n1 1:1\n2\n2 qid:1 5:5 # c\n", "LIBSVM"},
		{"x", "1,3 1:1\n2 5:5\n", "LIBSVM"},
		{"x", "1:1 2:2\n3:3\n", "LIBSVM"},
		{"x.svm", "1 1:abc\n", "LIBSVM"},
		{"x", "2024-01-01 12:30,5\n2024-01-01 12:31,6\n", "CSV"},
		{"x", "PAR1,y\n1,2\n", "CSV"},
		{"x", "{\"a\": 1, \"b\": 2}\n{}\n", "JSON Lines"},
		{"x.csv", "\n  { \"a\": 1}\n", "JSON Lines"},
		{"x", "{}\n", "JSON Lines"},
		{"x", "{\n\"a\": 1\n}\n", "JSON Lines"},
		{"x", "{a},{b}\n{c},{d}\n", "CSV"},
		{"x", "> label=1\nACGT\nAC\n", "FASTA"},
		{"x.csv", "\n>a, b\n\nac gt*\n", "FASTA"},
		{"x", ">a\n>b\nAC\n", "FASTA"},
		{"x", ">50K,1,2\n<=50K,3,4\n", "CSV"},
		{"x.txt", ">50K\n<=50K\n", "lines of text"},
		{"x.txt.gz", "some words\nand more\n", "lines of text"},
		{"x.txt", "a,b\nc,d\n", "CSV"},
		{"x", "citrus fruit,milk\nmilk\n", ""},
		{"x.baskets", "citrus fruit,milk\nmilk\n", "sets"},
		{"x.sets.gz", "citrus fruit,milk\nmilk,bread\n", "sets"},
		{"x", "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n" + noText, "NPY"},
		{"x.csv", "\x00\x00\x08\x01\x00\x00\x00\x02\x07\xff" + noText, "IDX"},
		{"x.txt", "PAR1\x15\x04\x15\x00\xffPAR1" + noText, "Parquet"},
		{"x.txt", "ARROW1\x00\x00\xff\xff\xff\xff" + noText, "Arrow"},
		{"x.txt", "FEA1\x00\x00" + noText, "Arrow"},
	}
	for _, test := range tests {
		f, err := file.Open(t.Context(), write(t, test.name, test.content), nil, dataset.IsBinary)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dataset.FormatOf(f)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %.50q: %q, %v, want %q", test.name, test.content, got, err, test.want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNotBinary(t *testing.T) {
	for _, content := range []string{
		"\x93NUMP\x00", "\x00\x00\x07\x01\x00\x00\x00\x02", "\x00\x00\x08\x00", "\x00\x00\x08\x02\x00\x00\x00\x02",
		"PAR2\x15\x00",
	} {
		if f, err := file.Open(t.Context(), "-", strings.NewReader(content), dataset.IsBinary); err == nil {
			t.Errorf("%q was opened as %v", content, f)
		}
	}
}
