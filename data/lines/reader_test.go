package lines_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/lines"
)

func readAll(text string, label file.Label) ([]string, []string, error) {
	return lines.NewReader(strings.NewReader(text), lines.Options{Name: "f", Label: label}).Read(context.Background(), 0)
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		label      file.Label
		x, labels  []string
	}{
		{"plain", "a b\nc\n", file.Unlabeled, []string{"a b", "c"}, nil},
		{"blanks stay", " a\t\n \t\n\n b\r\n", file.Unlabeled, []string{" a\t", " b"}, nil},
		{"no newline at the end", "a", file.Unlabeled, []string{"a"}, nil},
		{"first", "ham\tgo\tnow\n spam \t free\n", file.First, []string{"go\tnow", " free"}, []string{"ham", "spam"}},
		{"last", "go\tnow\tham\r\nfree\tspam\n", file.Last, []string{"go\tnow", "free"}, []string{"ham", "spam"}},
		{"empty text", "a\t\n", file.First, []string{""}, []string{"a"}},
		{"empty text, label last", "\ta\n", file.Last, []string{""}, []string{"a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x, labels, err := readAll(test.text, test.label)
			if err != nil || !slices.Equal(x, test.x) || !slices.Equal(labels, test.labels) ||
				(labels == nil) != (test.labels == nil) {
				t.Errorf("read %q %q %v", x, labels, err)
			}
		})
	}
}

func TestReadFaults(t *testing.T) {
	tests := []struct {
		name, text   string
		label        file.Label
		line, column int
		problem      string
	}{
		{"no tab", "a\tb\n\ncd e\n", file.First, 3, 5, "no tab"},
		{"no tab, last", "ab\n", file.Last, 1, 3, "no tab"},
		{"no label", "a\tb\n \tb\n", file.First, 2, 1, "no label before the tab"},
		{"no label, last", "a\tb\t \n", file.Last, 1, 5, "no label after the tab"},
		{"too long", "a\n" + strings.Repeat("a", file.MaxLine+1), file.Unlabeled, 2, 0, "longer than 8 MiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readAll(test.text, test.label)
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
		fmt.Fprintf(&text, "%d\tt%d\n\n", i%3, i)
	}
	for _, max := range []int{1, 7, 99, 100, 101} {
		r := lines.NewReader(iotest.OneByteReader(strings.NewReader(text.String())),
			lines.Options{Name: "f", Label: file.First})
		rows := 0
		for {
			x, labels, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			if err != nil || len(x) == 0 || len(x) > max || len(labels) != len(x) {
				t.Fatalf("%d rows, %d labels, %v", len(x), len(labels), err)
			}
			for i := range x {
				if x[i] != fmt.Sprintf("t%d", rows) || labels[i] != fmt.Sprint(rows%3) {
					t.Fatalf("row %d is %q with label %q", rows, x[i], labels[i])
				}
				rows++
			}
		}
		if _, _, err := r.Read(t.Context(), max); rows != 100 || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, rows, err)
		}
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	failing := iotest.ErrReader(errors.New("disk on fire"))
	r := lines.NewReader(io.MultiReader(strings.NewReader("a\n"), failing), lines.Options{Name: "f"})
	_, _, err := r.Read(t.Context(), 0)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	if _, _, again := r.Read(t.Context(), 0); again != err {
		t.Errorf("error %v, then %v", err, again)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := lines.NewReader(strings.NewReader("a\n"), lines.Options{}).Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, _, err := readAll(" \n\t\n", file.Unlabeled); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
}

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		head string
		want file.Label
	}{
		{"", file.Unlabeled},
		{"a\tb\n", file.Unlabeled},
		{"ham\ta\nspam\tb\nham\tc\nspam\td\n", file.First},
		{"ham\ta\nspam\tb\nham\tc\nspam\td\ncut", file.First},
		{"a\tham\nb\tspam\r\nc\tx\tham\n\nd\tspam\n", file.Last},
		{"ham\ta\nspam b\nham\tc\nspam\td\n", file.Unlabeled},
		{"\ta\n\tb\n\tc\n", file.Unlabeled},
		{"no tabs\nno tabs\n", file.Unlabeled},
	} {
		if got := lines.Detect([]byte(test.head)); got != test.want {
			t.Errorf("%q: %v, want %v", test.head, got, test.want)
		}
	}
}

func TestParseLabel(t *testing.T) {
	for _, l := range []file.Label{file.Unlabeled, file.First, file.Last} {
		if got, err := file.ParseLabel(l.String()); got != l || err != nil {
			t.Errorf("%v reads as %v, %v", l, got, err)
		}
	}
	if _, err := file.ParseLabel("middle"); err == nil || !strings.Contains(err.Error(), `"middle"`) {
		t.Errorf("error %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.StringMatching("[a-z \t\r]{0,5}[a-z]"), 1, 9).Draw(t, "x")
		labels := rapid.SliceOfN(rapid.StringMatching("[a-z]([a-z ]{0,3}[a-z])?"), len(x), len(x)).Draw(t, "labels")
		place := file.First
		if rapid.Bool().Draw(t, "no labels") {
			labels, place = nil, file.Unlabeled
		}
		var out strings.Builder
		if err := lines.Write(&out, data.Slice[string](x), labels); err != nil {
			t.Fatal(err)
		}
		y, back, err := readAll(out.String(), place)
		if err != nil || !slices.Equal(x, y) || !slices.Equal(labels, back) {
			t.Fatalf("wrote %q %q, read %q %q, %v", x, labels, y, back, err)
		}
	})
}

func TestWriteFaults(t *testing.T) {
	for _, c := range []struct{ x, labels []string }{
		{[]string{"a\nb"}, nil}, {[]string{"a\r"}, nil}, {[]string{" "}, nil}, {[]string{"a"}, []string{"a", "b"}},
		{[]string{"a"}, []string{""}}, {[]string{"a"}, []string{"a\tb"}}, {[]string{"a"}, []string{" a"}}, {[]string{"a"},
			[]string{"a\nb"}},
	} {
		if lines.Write(io.Discard, data.Slice[string](c.x), c.labels) == nil {
			t.Errorf("%q with labels %q was written", c.x, c.labels)
		}
	}
}

func TestRealFile(t *testing.T) {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(folder, "sms-spam.tsv.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("data set sms-spam.tsv.gz is not here; KERF_DATA names the folder of the data sets")
	}
	f, err := file.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	place := lines.Detect(f.Head())
	x, labels, err := lines.NewReader(f, lines.Options{Name: f.Name, Label: place}).Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	classes, _ := data.Encode(labels)
	if place != file.First || len(x) != 5574 || !slices.Equal(classes.Names, []string{"ham", "spam"}) ||
		x[1] != "Ok lar... Joking wif u oni..." {
		t.Errorf("label %v, %d rows, classes %q, second %q", place, len(x), classes.Names, x[1])
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"a\tb\nc\td\n", "a b\n\r\n c", "\ta\n", "a\t\n", "\x00\xff\n"} {
		f.Add(seed, byte(0))
		f.Add(seed, byte(1))
		f.Add(seed, byte(2))
	}
	f.Fuzz(func(t *testing.T, text string, how byte) {
		lines.Detect([]byte(text))
		place := file.Label(how % 3)
		x, labels, err := readAll(text, place)
		if err != nil {
			var input *data.InputError
			if err != io.EOF && (!errors.As(err, &input) || input.Line == 0) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		if len(x) == 0 || (labels == nil) != (place == file.Unlabeled) || labels != nil && len(labels) != len(x) {
			t.Fatalf("%d rows, %d labels", len(x), len(labels))
		}
		var out strings.Builder
		if err := lines.Write(&out, data.Slice[string](x), labels); err != nil {
			// A carriage return may end a text only where another followed it, or
			// a label did; a label may hold a tab where it stands last.
			if strings.Contains(text, "\r") || place == file.Last {
				return
			}
			t.Fatal(err)
		}
		if place == file.Last {
			place = file.First
		}
		y, back, err := readAll(out.String(), place)
		if err != nil || !slices.Equal(x, y) || !slices.Equal(labels, back) {
			t.Fatalf("wrote %q, read %q %q %v", out.String(), y, back, err)
		}
	})
}

func ExampleReader() {
	r := lines.NewReader(strings.NewReader("ham\tOk lar\nspam\tFree entry\n"), lines.Options{Label: file.First})
	x, labels, err := r.Read(context.Background(), 0)
	fmt.Printf("%q %q %v\n", x, labels, err)
	// Output: ["Ok lar" "Free entry"] ["ham" "spam"] <nil>
}
