package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/run"
)

// long is text that is unpacked ahead.
func long(size int) []byte {
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, "%d,%d\n", rng.Uint64(), rng.IntN(10))
	}
	return b.Bytes()[:size]
}

func packedAs(t *testing.T, kind string, text []byte) string {
	t.Helper()
	if kind == "zst" {
		return write(t, "data.zst", packZstd(t, string(text)))
	}
	return write(t, "data.gz", packGzip(t, string(text)))
}

// settled waits until as many goroutines are left as there were.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
}

func TestAhead(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, size := range []int{1, 1 << 16, 1 << 18, 1<<18 + 1, 1<<19 - 1, 1 << 19, 3<<20 + 7} {
		text := long(size)
		for _, kind := range []string{"gz", "zst"} {
			path := packedAs(t, kind, text)
			f, err := file.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			told := int64(0)
			f.Tell(run.Progress{Read: func(bytes, _ int64) { told = bytes }})
			got, rng := []byte{}, rand.New(rand.NewPCG(1, 2))
			for buffer := make([]byte, 1<<19); err == nil; {
				var n int
				n, err = f.Read(buffer[:1+rng.IntN(len(buffer))])
				got = append(got, buffer[:n]...)
			}
			if err != io.EOF || !bytes.Equal(got, text) || f.Count() != int64(size) {
				t.Errorf("%s of %d bytes: read %d, counted %d, %v", kind, size, len(got), f.Count(), err)
			}
			if size > 1<<20 && told == 0 {
				t.Error("nothing was told of the bytes read")
			}
			if _, err := f.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("after the end %v", err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	settled(t, before)
}

// A file that is closed before its end leaves nothing behind.
func TestAheadClosed(t *testing.T) {
	before := runtime.NumGoroutine()
	path := packedAs(t, "gz", long(4<<20))
	for read := 0; read < 2<<20; read += 1<<18 + 5 {
		f, err := file.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, f, int64(read)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	settled(t, before)
}

// Damage far behind the beginning is reported where it is, and so is the end of a context.
func TestAheadFaults(t *testing.T) {
	text := long(4 << 20)
	path := packedAs(t, "gz", text)
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, all[:len(all)-1000], 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := file.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "truncated") || !bytes.HasPrefix(text, got) ||
		len(got) < len(text)*9/10 {
		t.Errorf("%d of %d bytes, then %v", len(got), len(text), err)
	}
	_ = f.Close()

	ctx, cancel := context.WithCancel(t.Context())
	if f, err = file.Open(ctx, packedAs(t, "zst", text), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, f, 1<<20); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, f); !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("after the end of the context %v", err)
	}
	_ = f.Close()
}

// A pipe whose writer waits does not keep Close waiting.
func TestAheadOfPipe(t *testing.T) {
	before := runtime.NumGoroutine()
	r, w := io.Pipe()
	all, err := os.ReadFile(packedAs(t, "gz", long(4<<20)))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = w.Write(all[:len(all)/2]) }()
	f, err := file.Open(t.Context(), "-", r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, f, 1<<20); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- f.Close() }()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("Close waits for the pipe")
	}
	_ = r.Close()
	settled(t, before)
}
