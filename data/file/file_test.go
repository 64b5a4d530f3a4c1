package file_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

const table = "1,2,a\n3,4,b\n"

// packedBzip2 is the table above, packed by the program bzip2.
var packedBzip2 = []byte("" +
	"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x7d\xd7\x2c\x8f\x00\x00\x03\x59\x00\x00\x10\x00\x04\x3c\x00" +
	"\x30\x00\x20\x00\x31\x0c\x08\x21\xa1\x9a\x81\xd2\x10\x4a\xfc\x5d\xc9\x14\xe1\x42\x41\xf7\x5c\xb2\x3c")

func packGzip(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packZstd(t testing.TB, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(text), nil)
}

// write makes a file and returns its path.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll opens and reads a file.
func readAll(ctx context.Context, path string, stdin io.Reader) (string, error) {
	f, err := file.Open(ctx, path, stdin, isBinary)
	if err != nil {
		return "", err
	}
	head := string(f.Head())
	all, err := io.ReadAll(f)
	if err == nil && !strings.HasPrefix(string(all), head) {
		err = errors.New("the head is not the beginning")
	}
	return string(all), errors.Join(err, f.Close())
}

func TestOpen(t *testing.T) {
	long := strings.Repeat(table, 100_000) // longer than the head and all buffers
	tests := []struct {
		name    string
		content []byte
		want    string
	}{
		{"plain.csv", []byte(table), table},
		{"long.csv", []byte(long), long},
		{"mark.csv", []byte("\xef\xbb\xbf" + table), table},
		{"a.gz", packGzip(t, table), table},
		{"wrong ending.csv", packGzip(t, table), table},
		{"long.gz", packGzip(t, long), long},
		{"mark.gz", packGzip(t, "\xef\xbb\xbf"+long), long},
		{"two members.gz", append(packGzip(t, table), packGzip(t, table)...), table + table},
		{"a.bz2", packedBzip2, table},
		{"a.zst", packZstd(t, table), table},
		{"long.zst", packZstd(t, long), long},
		{"text that begins like bzip2", []byte("BZh9,1\n"), "BZh9,1\n"},
		{"accents.csv", []byte("caf\u00e9,1\n"), "caf\u00e9,1\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readAll(t.Context(), write(t, test.name, test.content), nil)
			if err != nil || got != test.want {
				t.Errorf("file: %d bytes, %v", len(got), err)
			}
			got, err = readAll(t.Context(), "-", iotest.HalfReader(bytes.NewReader(test.content)))
			if err != nil || got != test.want {
				t.Errorf("standard input: %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	random := make([]byte, 200_000)
	for i := range random {
		random[i] = byte('a' + (i*i+i/7)%26)
	}
	packed, packedZstd := packGzip(t, string(random)), packZstd(t, string(random))
	damaged := bytes.Clone(packed)
	damaged[len(damaged)-5] ^= 0xff
	tests := []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "is empty"},
		{"blank", []byte(" \n\n"), "is empty"},
		{"empty.gz", packGzip(t, ""), "is empty"},
		{"only a mark", []byte("\xef\xbb\xbf"), "is empty"},
		{"nul", []byte("a,b\n\x00,1\n"), "looks binary, not text"},
		{"control", []byte("\x01\x02\x03\x04abc\n"), "looks binary, not text"},
		{"packed twice", packGzip(t, string(packGzip(t, table))), "looks binary, not text"},
		{"utf16", []byte("\xff\xfea\x00,\x00b\x00\n\x00"), "is UTF-16 text"},
		{"utf16 big", []byte("\xfe\xff\x00a\x00,\x00b\x00\n"), "is UTF-16 text"},
		{"latin1", []byte("1,2\ncaf\xe9,1\n"), "byte 0xe9 is not UTF-8"},
		{"cut character", []byte("1,2\ncaf\xc3"), "byte 0xc3 is not UTF-8"},
		{"header.gz", packed[:5], "ends in the middle of its gzip data: the file is truncated"},
		{"half.gz", packed[:len(packed)/2], "ends in the middle of its gzip data: the file is truncated"},
		{"trailer.gz", packed[:len(packed)-3], "ends in the middle of its gzip data: the file is truncated"},
		{"damaged.gz", damaged, "has damaged gzip data"},
		{"half.bz2", packedBzip2[:len(packedBzip2)/2], "ends in the middle of its bzip2 data: the file is truncated"},
		{"half.zst", packedZstd[:len(packedZstd)/2], "ends in the middle of its zstd data: the file is truncated"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.name, test.content)
			_, err := readAll(t.Context(), path, nil)
			checkInput(t, err, path, test.want)
			_, err = readAll(t.Context(), "-", bytes.NewReader(test.content))
			checkInput(t, err, "standard input", test.want)
		})
	}
}

func checkInput(t *testing.T, err error, name, want string) {
	t.Helper()
	var input *data.InputError
	if !errors.As(err, &input) || input.File != name || !strings.Contains(input.Problem, want) {
		t.Errorf("error %v, want %s: %s", err, name, want)
	}
}

func TestCannotOpen(t *testing.T) {
	folder := t.TempDir()
	_, err := file.Open(t.Context(), filepath.Join(folder, "none"), nil)
	checkInput(t, err, filepath.Join(folder, "none"), "there is no such file")
	_, err = file.Open(t.Context(), folder, nil)
	checkInput(t, err, folder, "is a folder")
	_, err = file.Open(t.Context(), "", nil)
	checkInput(t, err, "", "empty")
	_, err = file.Open(t.Context(), "-", nil)
	checkInput(t, err, "standard input", "is empty")
	_, err = file.Open(t.Context(), "-", iotest.ErrReader(errors.New("disk on fire")))
	checkInput(t, err, "standard input", "cannot be read: disk on fire")
	inside := filepath.Join(write(t, "plain", []byte(table)), "x")
	_, err = file.Open(t.Context(), inside, nil)
	checkInput(t, err, inside, "cannot be opened")

	if os.Getuid() == 0 {
		t.Log("permissions do not bind root")
		return
	}
	locked := write(t, "locked", []byte(table))
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	_, err = file.Open(t.Context(), locked, nil)
	checkInput(t, err, locked, "permission denied")
}

func TestMaxLine(t *testing.T) {
	fits := strings.Repeat("a", file.MaxLine)
	if got, err := readAll(t.Context(), "-", strings.NewReader("x\n"+fits+"\ny\n")); err != nil ||
		len(got) != len(fits)+5 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	_, err := readAll(t.Context(), "-", strings.NewReader("x\n"+fits+"a\ny\n"))
	checkInput(t, err, "standard input", "longer than 8 MiB")
	var input *data.InputError
	if errors.As(err, &input); input.Line != 2 {
		t.Errorf("line %d, want 2", input.Line)
	}
}

// TestCancelWaiting cancels a read that nothing else would end.
func TestCancelWaiting(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if _, err := io.WriteString(w, table); err != nil {
		t.Fatal(err)
	}
	checkPrompt(t, func(ctx context.Context) error {
		_, err := file.Open(ctx, "-", r)
		return err
	})
}

func checkPrompt(t *testing.T, open func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	if err := open(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestCancelRegular(t *testing.T) {
	path := write(t, "long.gz", packGzip(t, strings.Repeat(table, 200_000)))
	ctx, cancel := context.WithCancel(t.Context())
	f, err := file.Open(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cancel()
	// What was read from the disk before may still come.
	if _, err := io.Copy(io.Discard, f); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := file.Open(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(table))
	f.Add(packGzip(f, table))
	f.Add(packZstd(f, table))
	f.Add(packedBzip2)
	f.Add([]byte("\xef\xbb\xbf1 2:3\n"))
	f.Add([]byte("\xff\xfea\x00"))
	for _, content := range binaries {
		f.Add([]byte(content))
	}
	f.Add([]byte("> label=1\nACGT\n"))
	f.Add([]byte("{\"a\": 1}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		checkError := func(err error) bool {
			var input *data.InputError
			if err != nil && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return err == nil
		}
		in, err := file.Open(t.Context(), "-", bytes.NewReader(content), isBinary)
		if !checkError(err) {
			return
		}
		defer in.Close()
		// A bomb may hold far more than the test has time for.
		all, err := io.ReadAll(io.LimitReader(in, 1<<22))
		if checkError(err) && !bytes.HasPrefix(all, in.Head()) {
			t.Fatal("the head is not the beginning")
		}
		head := in.Head()
		if len(head) == 0 || !isBinary(head) && bytes.IndexByte(head, 0) >= 0 {
			t.Fatalf("head %q was accepted", head)
		}
	})
}
