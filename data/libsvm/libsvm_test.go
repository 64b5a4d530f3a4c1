package libsvm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/libsvm"
)

func readAll(t testing.TB, text string) (*data.CSR, []string, error) {
	t.Helper()
	x, labels, err := libsvm.NewReader(strings.NewReader(text), "f").Read(t.Context(), 0)
	if err == nil {
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	return x, labels, err
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		ptr        []int
		index      []int32
		value      []float64
		labels     []string
	}{
		{"plain", "+1 1:0.5 3:-2\n-1 2:1e-3\n", []int{0, 2, 3}, []int32{1, 3, 2}, []float64{0.5, -2, 1e-3},
			[]string{"+1", "-1"}},
		{"no newline at the end", "a 0:1", []int{0, 1}, []int32{0}, []float64{1}, []string{"a"}},
		{"CRLF, blanks, blank lines", "\r\n a\t1:1  2:2 \r\n \t\r\n\nb 7:3\r\n", []int{0, 2, 3}, []int32{1, 2, 7},
			[]float64{1, 2, 3}, []string{"a", "b"}},
		{"comments", "# a b 1:2\n1 1:2 # 3:4 x\n2#x 1:1\n", []int{0, 1, 2}, []int32{1, 1}, []float64{2, 1},
			[]string{"1", "2#x"}},
		{"only a label", "1\n2 5:5\n3\n", []int{0, 0, 1, 1}, []int32{5}, []float64{5}, []string{"1", "2", "3"}},
		{"no labels", "1:1\n2:2 3:3\n", []int{0, 1, 3}, []int32{1, 2, 3}, []float64{1, 2, 3}, nil},
		{"qid", "1 qid:3 1:1\n2 qid:x 2:1\n", []int{0, 1, 2}, []int32{1, 2}, []float64{1, 1}, []string{"1", "2"}},
		{"zeros", "1 1:0 2:-0.0 3:1 4:1e-999\n", []int{0, 1}, []int32{3}, []float64{1}, []string{"1"}},
		{"many labels a line", "1,3 1:1\n", []int{0, 1}, []int32{1}, []float64{1}, []string{"1,3"}},
		{"largest index", "1 2147483646:1\n", []int{0, 1}, []int32{2147483646}, []float64{1}, []string{"1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x, labels, err := readAll(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(x.Ptr, test.ptr) || !slices.Equal(x.Index, test.index) || !slices.Equal(x.Value, test.value) ||
				!slices.Equal(labels, test.labels) {
				t.Errorf("read %v %q", x, labels)
			}
			if (labels == nil) != (test.labels == nil) {
				t.Errorf("labels %v", labels)
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
		{"no pair", "1 1:1\n1 2:2 x 3:3\n", 2, 7, `found "x"`},
		{"index", "1 a:1\n", 1, 3, `"a" is not an index`},
		{"no index", "1 :1\n", 1, 3, `"" is not an index`},
		{"negative index", "1 -1:1\n", 1, 3, "not an index"},
		{"index too large", "1 2147483647:1\n", 1, 3, "too large"},
		{"index far too large", "1 99999999999999999999999:1\n", 1, 3, "too large"},
		{"twice", "1 2:1 2:1\n", 1, 7, "twice"},
		{"order", "1 2:1 1:1\n", 1, 7, "index 1 comes after index 2"},
		{"order after zero", "1 2:0 2:1\n", 1, 7, "twice"},
		{"value", "\n\n1 1:1 2:abc\n", 3, 7, `"abc" is not a number`},
		{"no value", "1 1:\n", 1, 3, `"" is not a number`},
		{"hexadecimal", "1 1:0x1p4\n", 1, 3, "not a number"},
		{"NaN", "1 1:nan\n", 1, 3, "not a number that kerf can use"},
		{"Inf", "1 1:1 2:-Inf\n", 1, 7, "not a number that kerf can use"},
		{"overflow", "1 1:1e999\n", 1, 3, "too large"},
		{"two colons", "1 1:2:3\n", 1, 3, `"2:3" is not a number`},
		{"label gone", "1 1:1\n1:1\n", 2, 1, "no label and line 1 has one"},
		{"label comes", "\n1:1\n1 1:1\n", 3, 1, "has a label and line 2 has none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readAll(t, test.text)
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
		fmt.Fprintf(&text, "%d %d:1\n\n", i, i)
	}
	for _, max := range []int{1, 7, 99, 100, 101} {
		r := libsvm.NewReader(iotest.OneByteReader(strings.NewReader(text.String())), "f")
		rows := 0
		for {
			x, labels, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			if err != nil || x.Len() == 0 || x.Len() > max || len(labels) != x.Len() {
				t.Fatalf("%v rows, %d labels, %v", x, len(labels), err)
			}
			for i := range labels {
				if labels[i] != fmt.Sprint(rows) || x.At(i).Index[0] != int32(rows) {
					t.Fatalf("row %d has label %s", rows, labels[i])
				}
				rows++
			}
		}
		if _, _, err := r.Read(t.Context(), max); rows != 100 || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, rows, err)
		}
	}
}

func TestLongLine(t *testing.T) {
	var text strings.Builder
	text.WriteString("long")
	for i := range 50000 {
		fmt.Fprintf(&text, " %d:%d", i, i+1)
	}
	text.WriteString("\nshort 1:1\n")
	x, labels, err := readAll(t, text.String())
	if err != nil || x.Len() != 2 || x.Ptr[1] != 50000 || !slices.Equal(labels, []string{"long", "short"}) {
		t.Fatalf("%d rows, labels %q, %v", x.Len(), labels, err)
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	failing := iotest.ErrReader(errors.New("disk on fire"))
	_, _, err := libsvm.NewReader(io.MultiReader(strings.NewReader("1 1:1\n"), failing), "f").Read(t.Context(), 0)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := libsvm.NewReader(strings.NewReader("1 1:1\n"), "f").Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, _, err := readAll(t, " \n# nothing\n"); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
}

func TestWriteFaults(t *testing.T) {
	x := data.Slice[data.Vector]{data.Dense(1, 2)}
	for _, label := range []string{"", "a b", "a:b", "#a", "a\nb", "a\tb"} {
		if err := libsvm.Write(io.Discard, x, []string{label}); err == nil {
			t.Errorf("label %q was written", label)
		}
	}
	if err := libsvm.Write(io.Discard, x, []string{"a", "b"}); err == nil {
		t.Error("two labels for one instance")
	}
	if err := libsvm.Write(io.Discard, data.Slice[data.Vector]{data.Dense(math.Inf(1))}, nil); err == nil {
		t.Error("an infinity was written")
	}
}

// TestRoundTrip writes dense and sparse vectors and compares coordinate by
// coordinate what comes back.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 9).Draw(t, "rows")
		finite := rapid.Float64().Filter(func(v float64) bool { return v-v == 0 })
		var x data.Slice[data.Vector]
		var labels []string
		for range rows {
			v := data.Dense(rapid.SliceOfN(finite, 0, 9).Draw(t, "value")...)
			if rapid.Bool().Draw(t, "sparse") {
				index := rapid.SliceOfNDistinct(rapid.Int32Range(0, libsvm.MaxIndex), len(v.Value), len(v.Value), rapid.ID).Draw(t,
					"index")
				slices.Sort(index)
				v, _ = data.Sparse(index, v.Value)
			}
			x = append(x, v)
			labels = append(labels, rapid.StringMatching(`[a-z0-9+.,-][a-z#]{0,3}`).Draw(t, "label"))
		}
		if rapid.Bool().Draw(t, "no labels") {
			labels = nil
		}
		var out bytes.Buffer
		if err := libsvm.Write(&out, x, labels); err != nil {
			t.Fatal(err)
		}
		back, backLabels, err := libsvm.NewReader(&out, "f").Read(context.Background(), 0)
		if err != nil || back.Len() != rows || !slices.Equal(labels, backLabels) {
			t.Fatalf("%v, labels %q, want %q", err, backLabels, labels)
		}
		for i, v := range x {
			data.Walk(v, back.At(i), func(j int, a, b float64) {
				if a != b {
					t.Fatalf("row %d, coordinate %d: wrote %v, read %v", i, j, a, b)
				}
			})
		}
	})
}

func TestRealFiles(t *testing.T) {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	tests := []struct {
		name       string
		rows, cols int
		classes    int
	}{
		{"a9a.libsvm.gz", 32561, 124, 2},
		{"heart.libsvm.gz", 270, 14, 2},
		{"ijcnn1.libsvm.gz", 49990, 23, 2},
		{"svmguide1.libsvm.gz", 3089, 5, 2},
		{"letter.t.libsvm.gz", 5000, 17, 26},
		{"news20.libsvm.gz", 15935, 62062, 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(folder, test.name)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", test.name)
			}
			f, err := file.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			x, labels, err := libsvm.NewReader(f, f.Name).Read(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			classes, _ := data.Encode(labels)
			if x.Validate() != nil || x.Len() != test.rows || x.Cols != test.cols || classes.Len() != test.classes {
				t.Errorf("%d × %d, classes %q", x.Len(), x.Cols, classes.Names)
			}
		})
	}
}

func FuzzLIBSVM(f *testing.F) {
	for _, seed := range []string{
		"+1 1:0.5 3:-2 # c\n-1 2:1e-3\n", "1:1\n", "1\n2 5:5\n", "1 qid:3 1:1\r\n", "1 2:1 1:1\n", "1 1:nan\n", "x " +
			"1:1e999", "\x00", "1 1:0x1p4\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, labels, err := readAll(t, text)
		if err != nil {
			var input *data.InputError
			if err != io.EOF && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		if x.Len() == 0 || labels != nil && len(labels) != x.Len() {
			t.Fatalf("%d rows, %d labels", x.Len(), len(labels))
		}
		var out strings.Builder
		if err := libsvm.Write(&out, x, labels); err != nil {
			t.Fatal(err)
		}
		back, backLabels, err := readAll(t, out.String())
		if err != nil || !slices.Equal(x.Ptr, back.Ptr) || !slices.Equal(x.Index, back.Index) ||
			!slices.Equal(x.Value, back.Value) || !slices.Equal(labels, backLabels) {
			t.Fatalf("wrote %q, read %v %q %v", out.String(), back, backLabels, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	for i := range 10000 {
		fmt.Fprintf(&text, "+1 %d:0.5 %d:-2.25 %d:1\n", i, i+3, i+7)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := libsvm.NewReader(bytes.NewReader(text.Bytes()), "f").Read(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
}
