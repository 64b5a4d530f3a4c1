package file_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// binaries are beginnings of files of each binary format; the last two are no
// more than that.
var binaries = map[file.Format]string{
	file.NPY:     "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n\xff\xfe\x00",
	file.IDX:     "\x00\x00\x08\x01\x00\x00\x00\x02\x07\xff",
	file.Parquet: "PAR1\x15\x04\x15\x00\xffPAR1",
}

func TestBinaryFormats(t *testing.T) {
	for want, content := range binaries {
		content += strings.Repeat("\x00\xff\xfe", 100_000) // no text, and longer than the head
		for name, packed := range map[string][]byte{"x": []byte(content), "x.csv": []byte(content), "x.gz": packGzip(t, content), "x.zst": packZstd(t, content)} {
			path := write(t, name, packed)
			f, err := file.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatalf("%v as %s: %v", want, name, err)
			}
			if got, err := f.Format(); got != want || err != nil || !got.IsBinary() {
				t.Errorf("%v as %s: %v, %v", want, name, got, err)
			}
			if all, err := f.Bytes(int64(len(content))); err != nil || string(all) != content {
				t.Errorf("%v as %s: %d bytes, %v", want, name, len(all), err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if all, err := readAll(t.Context(), path, nil); err != nil || all != content {
				t.Errorf("%v as %s: read %d bytes, %v", want, name, len(all), err)
			}
		}
		packed := packGzip(t, content)
		cut := write(t, "cut.gz", packed[:len(packed)-3])
		f, err := file.Open(t.Context(), cut, nil)
		if err == nil {
			_, err = io.ReadAll(f)
		}
		checkInput(t, err, cut, "truncated")
	}
}

func TestBytesLimit(t *testing.T) {
	for _, limit := range []int64{0, 1, int64(len(table)) - 1} {
		f, err := file.Open(t.Context(), "-", strings.NewReader(table))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Bytes(limit)
		var input *data.InputError
		if !errors.As(err, &input) || input.Advice == "" {
			t.Errorf("limit %d: error %v", limit, err)
		}
	}
}

func TestNotBinary(t *testing.T) {
	for _, content := range []string{
		"\x93NUMP", "\x00\x00\x07\x01\x00\x00\x00\x02", "\x00\x00\x08\x00", "\x00\x00\x08\x02\x00\x00\x00\x02", "PAR2\x15\x00",
	} {
		if f, err := file.Open(t.Context(), "-", strings.NewReader(content)); err == nil {
			t.Errorf("%q was opened as %v", content, f)
		}
	}
}

func TestTextFormats(t *testing.T) {
	tests := []struct {
		name, content string
		want          file.Format // 0 for an error
	}{
		{"x", "PAR1,y\n1,2\n", file.CSV},
		{"x", "{\"a\": 1, \"b\": 2}\n{}\n", file.JSONL},
		{"x.csv", "\n  { \"a\": 1}\n", file.JSONL},
		{"x", "{}\n", file.JSONL},
		{"x", "{\n\"a\": 1\n}\n", file.JSONL},
		{"x", "{a},{b}\n{c},{d}\n", file.CSV},
		{"x", "> label=1\nACGT\nAC\n", file.FASTA},
		{"x.csv", "\n>a, b\n\nac gt*\n", file.FASTA},
		{"x", ">a\n>b\nAC\n", file.FASTA},
		{"x", ">50K,1,2\n<=50K,3,4\n", file.CSV},
		{"x.txt", ">50K\n<=50K\n", file.Lines},
		{"x.txt.gz", "some words\nand more\n", file.Lines},
		{"x.txt", "a,b\nc,d\n", file.CSV},
		{"x", "citrus fruit,milk\nmilk\n", 0},
		{"x.baskets", "citrus fruit,milk\nmilk\n", file.Sets},
		{"x.sets.gz", "citrus fruit,milk\nmilk,bread\n", file.Sets},
	}
	for _, test := range tests {
		f, err := file.Open(t.Context(), write(t, test.name, []byte(test.content)), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Format()
		if got != test.want || (err == nil) != (test.want != 0) || got.IsBinary() {
			t.Errorf("%s with %q: %v, %v, want %v", test.name, test.content, got, err, test.want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFormatNames(t *testing.T) {
	seen := map[string]bool{}
	for f := file.CSV; f <= file.Parquet; f++ {
		if name := f.String(); name == "" || seen[name] || name == file.Format(0).String() {
			t.Errorf("format %d is %q", f, name)
		}
		seen[f.String()] = true
	}
	if file.Format(-1).String() != "unknown format" || file.Format(99).String() != "unknown format" {
		t.Error("a format that there is not has a name")
	}
}
