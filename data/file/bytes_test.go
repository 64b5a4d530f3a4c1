package file_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// binaries are beginnings of files of binary formats.
var binaries = []string{
	"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n\xff\xfe\x00",
	"\x00\x00\x08\x01\x00\x00\x00\x02\x07\xff",
	"PAR1\x15\x04\x15\x00\xffPAR1",
}

// isBinary says that content begins as one of them does.
func isBinary(head []byte) bool {
	return slices.ContainsFunc(binaries, func(b string) bool { return bytes.HasPrefix(head, []byte(b[:5])) })
}

func TestBinaryFormats(t *testing.T) {
	for _, want := range binaries {
		content := want + strings.Repeat("\x00\xff\xfe", 100_000) // no text, and longer than the head
		for name, packed := range map[string][]byte{"x": []byte(content), "x.csv": []byte(content),
			"x.gz": packGzip(t, content), "x.zst": packZstd(t, content)} {
			path := write(t, name, packed)
			f, err := file.Open(t.Context(), path, nil, isBinary)
			if err != nil {
				t.Fatalf("%.4q as %s: %v", want, name, err)
			}
			if all, err := f.Bytes(int64(len(content))); err != nil || string(all) != content {
				t.Errorf("%.4q as %s: %d bytes, %v", want, name, len(all), err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if all, err := readAll(t.Context(), path, nil); err != nil || all != content {
				t.Errorf("%.4q as %s: read %d bytes, %v", want, name, len(all), err)
			}
		}
		packed := packGzip(t, content)
		cut := write(t, "cut.gz", packed[:len(packed)-3])
		f, err := file.Open(t.Context(), cut, nil, isBinary)
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
		"\x93NUM", "\x00\x00\x07\x01\x00\x00\x00\x02", "\x00\x00\x08\x00", "\x00\x00\x08\x02\x00\x00\x00\x02", "PAR2\x15\x00",
	} {
		if f, err := file.Open(t.Context(), "-", strings.NewReader(content), isBinary); err == nil {
			t.Errorf("%q was opened as %v", content, f)
		}
	}
}
