package sets_test

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
	"github.com/kerf-ml/kerf/data/sets"
)

func readAll(text string, label file.Label) (data.Slice[data.Set], []string, error) {
	return sets.NewReader(strings.NewReader(text), sets.Options{Name: "f", Label: label}).Read(context.Background(), 0)
}

// show writes sets down: items joined by commas.
func show(x data.Slice[data.Set]) []string {
	var all []string
	for _, s := range x {
		all = append(all, strings.Join(s, ","))
	}
	return all
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		label      file.Label
		x, labels  []string
	}{
		{"plain", "milk,bread\nwhole milk\n", file.Unlabeled, []string{"bread,milk", "whole milk"}, nil},
		{"blanks, empty items, duplicates", " b ,, a,b , \r\n\n \t\na", file.Unlabeled, []string{"a,b", "a"}, nil},
		{"empty set", ",\n , ,\n", file.Unlabeled, []string{"", ""}, nil},
		{"first", "x,b,a\n y ,a\nz\n", file.First, []string{"a,b", "a", ""}, []string{"x", "y", "z"}},
		{"last", "b,a,x\na, y \nz\n,z\n", file.Last, []string{"a,b", "a", "", ""}, []string{"x", "y", "z", "z"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x, labels, err := readAll(test.text, test.label)
			if err != nil || !slices.Equal(show(x), test.x) || !slices.Equal(labels, test.labels) ||
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
		{"first", "a,b\n\n ,b\n", file.First, 3, 1, "label is missing"},
		{"last", "a,b\na, b, \n", file.Last, 2, 6, "label is missing"},
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
		fmt.Fprintf(&text, "%d,t%d,all\n\n", i%3, i)
	}
	for _, max := range []int{1, 7, 99, 100, 101} {
		r := sets.NewReader(iotest.OneByteReader(strings.NewReader(text.String())),
			sets.Options{Name: "f", Label: file.First})
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
				if !slices.Equal(x[i], data.NewSet(fmt.Sprintf("t%d", rows), "all")) || labels[i] != fmt.Sprint(rows%3) {
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
	_, _, err := sets.NewReader(io.MultiReader(strings.NewReader("a\n"), failing),
		sets.Options{Name: "f"}).Read(t.Context(), 0)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := sets.NewReader(strings.NewReader("a\n"), sets.Options{}).Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, _, err := readAll(" \n\t\n", file.Unlabeled); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
}

func TestParseLabel(t *testing.T) {
	for name, want := range map[string]file.Label{"none": file.Unlabeled, "first": file.First, "last": file.Last} {
		if got, err := file.ParseLabel(name); got != want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := file.ParseLabel("middle"); err == nil || !strings.Contains(err.Error(), `"middle"`) {
		t.Errorf("error %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	item := rapid.StringMatching("[a-z]([a-z ]{0,3}[a-z])?")
	rapid.Check(t, func(t *rapid.T) {
		var x data.Slice[data.Set]
		var labels []string
		for range rapid.IntRange(1, 9).Draw(t, "rows") {
			x = append(x, data.NewSet(rapid.SliceOfN(item, 0, 5).Draw(t, "items")...))
			labels = append(labels, item.Draw(t, "label"))
		}
		place := file.First
		if rapid.Bool().Draw(t, "no labels") {
			labels, place = nil, file.Unlabeled
		}
		var out strings.Builder
		if err := sets.Write(&out, x, labels); err != nil {
			t.Fatal(err)
		}
		y, back, err := readAll(out.String(), place)
		if err != nil || !slices.Equal(show(x), show(y)) || !slices.Equal(labels, back) {
			t.Fatalf("wrote %q %q, read %q %q, %v", x, labels, y, back, err)
		}
	})
}

func TestWriteFaults(t *testing.T) {
	for _, c := range []struct {
		item   string
		labels []string
	}{
		{"", nil}, {" a", nil}, {"a,b", nil}, {"a\nb", nil}, {"a", []string{"a", "b"}}, {"a", []string{""}}, {"a",
			[]string{"a,b"}},
	} {
		if sets.Write(io.Discard, data.Slice[data.Set]{{c.item}}, c.labels) == nil {
			t.Errorf("%q with labels %q was written", c.item, c.labels)
		}
	}
}

func TestRealFile(t *testing.T) {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(folder, "groceries.baskets.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("data set groceries.baskets.gz is not here; KERF_DATA names the folder of the data sets")
	}
	f, err := file.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, labels, err := sets.NewReader(f, sets.Options{Name: f.Name}).Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	items := map[string]bool{}
	for _, s := range x {
		for _, item := range s {
			items[item] = true
		}
	}
	if len(x) != 9835 || labels != nil || len(items) != 169 {
		t.Errorf("%d rows, %d labels, %d items, want 9835, 0, 169", len(x), len(labels), len(items))
	}
}

func FuzzSets(f *testing.F) {
	for _, seed := range []string{"a,b\n c , a,,a\n", ",\n", "x\n\n,y", "\u00a0a\u00a0,b\n", "\x00,\xff\r\n"} {
		f.Add(seed, byte(0))
		f.Add(seed, byte(1))
		f.Add(seed, byte(2))
	}
	f.Fuzz(func(t *testing.T, text string, how byte) {
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
		for _, s := range x {
			if !s.Valid() {
				t.Fatalf("set %q", s)
			}
		}
		var out strings.Builder
		if err := sets.Write(&out, x, labels); err != nil {
			t.Fatal(err)
		}
		if place == file.Last {
			place = file.First
		}
		y, back, err := readAll(out.String(), place)
		if err != nil || !slices.Equal(show(x), show(y)) || !slices.Equal(labels, back) {
			t.Fatalf("wrote %q, read %q %q %v", out.String(), y, back, err)
		}
	})
}

func ExampleReader() {
	r := sets.NewReader(strings.NewReader("citrus fruit, margarine,citrus fruit\nwhole milk\n"), sets.Options{})
	x, _, err := r.Read(context.Background(), 0)
	fmt.Printf("%q %v\n", x, err)
	// Output: [["citrus fruit" "margarine"] ["whole milk"]] <nil>
}
