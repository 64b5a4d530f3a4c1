package file_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// content is of so many bytes, no two parts of which are alike.
func content(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), i%97) + "\n")
	}
	return b.String()[:n]
}

// Whatever was read before, the stream is the same from its beginning.
func TestReplay(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 1<<18 - 1, 1 << 18, 1<<18 + 1, 1 << 20} {
		for _, most := range []int64{0, 1, 1 << 18, 1 << 19, 1 << 21} {
			for name, from := range map[string]io.Reader{"whole": strings.NewReader(content(n)),
				"halves": iotest.HalfReader(strings.NewReader(content(n))),
				"eof":    iotest.DataErrReader(strings.NewReader(content(n)))} {
				r, err := file.OpenReplay(t.Context(), "-", from)
				if err != nil {
					t.Fatal(err)
				}
				ended, err := r.Fill(most)
				if err != nil || ended && int64(n) > most+1<<18 || !ended && int64(n) < most {
					t.Fatalf("%d bytes %s, filled to %d: ended %v, %v", n, name, most, ended, err)
				}
				part := make([]byte, n/3)
				if _, err := io.ReadFull(r.Again(), part); err != nil && n > 2 {
					t.Fatal(err)
				}
				for _, again := range []io.Reader{iotest.OneByteReader(io.LimitReader(r.Again(), 300)), r.Again(), r.Again()} {
					got, err := io.ReadAll(again)
					if err != nil || !strings.HasPrefix(content(n), string(got)) || len(got) != n && len(got) != 300 {
						t.Fatalf("%d bytes %s: %d again, %v", n, name, len(got), err)
					}
				}
				if got, err := io.ReadAll(r.Last()); err != nil || string(got) != content(n) {
					t.Fatalf("%d bytes %s: %d at last, %v", n, name, len(got), err)
				}
				if got, err := io.ReadAll(r.Last()); err != nil || len(got) != 0 {
					t.Fatalf("%d bytes after the last, %v", len(got), err)
				}
			}
		}
	}
}

func TestReplayReadsOnAfterWhatIsKept(t *testing.T) {
	r, err := file.OpenReplay(t.Context(), "-", strings.NewReader(content(1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := r.Fill(1000); ended || err != nil {
		t.Fatal(ended, err)
	}
	if got, err := io.ReadAll(r.Last()); err != nil || string(got) != content(1<<20) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestReplayFaults(t *testing.T) {
	broken := errors.New("the cable is out")
	r, err := file.OpenReplay(t.Context(), "-", io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)))
	if err != nil {
		t.Fatal(err)
	}
	var input *data.InputError
	if _, err := r.Fill(10); !errors.As(err, &input) || !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := file.OpenReplay(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.As(err, &input) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close()
	if r, err = file.OpenReplay(ctx, "-", in); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Fill(10); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestReplayOfANamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	go func() { _ = os.WriteFile(path, packGzip(t, content(5000)), 0o600) }()
	r, err := file.OpenReplay(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if ended, err := r.Fill(1 << 20); err != nil || !ended || !r.Packed() || r.Name() != path {
		t.Errorf("ended %v, %v; packed %v, %s", ended, err, r.Packed(), r.Name())
	}
	if got, err := io.ReadAll(r.Again()); err != nil || !bytes.Equal(got, packGzip(t, content(5000))) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
