package file_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// TestScanner has lines that straddle the edges of the buffer.
func TestScanner(t *testing.T) {
	lines := []string{"", "a", "\ra", "b\r\r", " "}
	for _, n := range []int{-2, -1, 0, 1, 2} {
		lines = append(lines, strings.Repeat("x", file.HeadSize+n), strings.Repeat("y", 2*file.HeadSize+n))
	}
	for _, end := range []string{"\n", "\r\n"} {
		for _, last := range []string{"", "z", "z" + end} {
			text := strings.Join(lines, end) + end + last
			want := lines
			if last != "" {
				want = append(append([]string{}, lines...), "z")
			}
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)),
			} {
				s := file.NewScanner(r, "f")
				for i, line := range want {
					if end == "\n" {
						line = strings.TrimSuffix(line, "\r")
					}
					if got, err := s.Next(); err != nil || string(got) != line || s.Line() != i+1 {
						t.Fatalf("%s, end %q: line %d is %.20q, want %.20q, %v", name, end, s.Line(), got, line, err)
					}
				}
				if got, err := s.Next(); err != io.EOF {
					t.Errorf("%q after the end, %v", got, err)
				}
			}
		}
	}
}

func TestScannerFaults(t *testing.T) {
	s := file.NewScanner(strings.NewReader("a\n"+strings.Repeat("x", file.MaxLine)+"\n"+strings.Repeat("x",
		file.MaxLine+1)), "f")
	for range 2 {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Next()
	var input *data.InputError
	if !errors.As(err, &input) || input.Line != 3 {
		t.Errorf("error %v", err)
	}
	broken := errors.New("broken")
	_, err = file.NewScanner(iotest.ErrReader(broken), "f").Next()
	if !errors.As(err, &input) || !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestBatches(t *testing.T) {
	var b file.Batches
	left := 5
	next := func() error {
		if left == 0 {
			return io.EOF
		}
		left--
		return nil
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Read(ended, 2, next); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, want := range []int{2, 2, 1, 0, 0} {
		if n, err := b.Read(t.Context(), 2, next); n != want || (err == io.EOF) != (want == 0) {
			t.Errorf("%d rows, want %d, %v", n, want, err)
		}
	}
}

func TestLabelNames(t *testing.T) {
	for _, l := range []file.Label{file.Unlabeled, file.First, file.Last} {
		if got, err := file.ParseLabel(l.String()); got != l || err != nil {
			t.Errorf("%v is %v, %v", l, got, err)
		}
	}
	if _, err := file.ParseLabel("middle"); err == nil {
		t.Error("a label may be in the middle")
	}
}
