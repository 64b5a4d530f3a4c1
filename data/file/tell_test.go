package file_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/run"
)

// TestTell: a file tells how many bytes of it were read as it lies on disk, packed or
// not, of its size; of a stream it tells the bytes alone.
func TestTell(t *testing.T) {
	text := strings.Repeat("1,2,3\n", 1<<20)
	packed := packGzip(t, text)
	for name, c := range map[string]struct {
		path string
		in   io.Reader
		size int64
		read int64 // in the end, at least
	}{
		"plain":  {path: write(t, "a.csv", []byte(text)), size: int64(len(text)), read: int64(len(text)) - 1<<18},
		"packed": {path: write(t, "a.csv.gz", packed), size: int64(len(packed))},
		"stream": {path: "-", in: bytes.NewBufferString(text), read: int64(len(text)) - 1<<18},
	} {
		f, err := file.Open(t.Context(), c.path, c.in)
		if err != nil {
			t.Fatal(err)
		}
		calls, last := 0, int64(-1)
		f.Tell(run.Progress{Read: func(bytes, size int64) {
			calls++
			if size != c.size || bytes <= last || size > 0 && bytes > size {
				t.Errorf("%s: %d bytes of %d after %d of %d", name, bytes, size, last, c.size)
			}
			last = bytes
		}})
		if _, err := io.Copy(io.Discard, f); err != nil {
			t.Error(err)
		}
		if last < c.read || calls == 0 {
			t.Errorf("%s: %d calls, the last of %d bytes", name, calls, last)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLeft: of a file that lies on disk as it is, it is known how much is left.
func TestLeft(t *testing.T) {
	text := strings.Repeat("1,2,3\n", 1<<16)
	for _, c := range []struct {
		path  string
		known bool
	}{{write(t, "a.csv", []byte(text)), true}, {write(t, "a.csv.gz", packGzip(t, text)), false}, {"-", false}} {
		f, err := file.Open(t.Context(), c.path, bytes.NewBufferString(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, f, 1000); err != nil {
			t.Error(err)
		}
		if left, known := f.Left(); known != c.known || known && left > int64(len(text))-1000 {
			t.Errorf("%s: %d bytes left, %v", c.path, left, known)
		}
		if _, err := io.Copy(io.Discard, f); err != nil {
			t.Error(err)
		}
		if left, known := f.Left(); known {
			t.Errorf("%s: %d bytes left in the end", c.path, left)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
