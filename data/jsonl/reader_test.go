package jsonl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/jsonl"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

var _ table.Sink = (*table.Builder)(nil)

func readAll(text, target string) (*table.Table, error) {
	b := table.NewBuilder(table.Options{Name: "f", Target: target})
	if _, err := jsonl.NewReader(strings.NewReader(text), "f", b).Read(context.Background(), 0); err != nil {
		return nil, err
	}
	return b.Table()
}

// show writes a table down: the header, then the rows, - for missing.
func show(t *table.Table) []string {
	all := []string{strings.Join(t.Header, " ")}
	for i := range t.Len() {
		var row []string
		for j := range t.Cols() {
			cell, ok := t.Cell(i, j)
			if !ok {
				cell = "-"
			}
			row = append(row, cell)
		}
		all = append(all, strings.Join(row, " "))
	}
	return all
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"flat", `{"a": 1, "b": "x", "c": true, "d": null}` + "\n" + `{"a": -2.50, "b": "y", "c": false, "d": 3}`,
			[]string{"a b c d", "1 x 1 -", "-2.5 y 0 3"}},
		{"missing and late keys", "{\"a\":1}\r\n\n  {\"b\":2,\"a\":3}\n{}\n{\"c\":\"z\"}\n",
			[]string{"a b c", "1 - -", "3 2 -", "- - -", "- - z"}},
		{"arrays", `{"x":[1,null,3],"y":"a"}` + "\n" + `{"x":[],"y":"b"}` + "\n" + `{"x":[4,5,6,7],"y":"c"}`,
			[]string{"x[1] x[2] x[3] y x[4]", "1 - 3 a -", "- - - b -", "4 5 6 c 7"}},
		{"escapes", `{"a b":"\u00e9\n\"?"}`, []string{"a b", "é\n\"?"}},
		{"strings that are numbers", `{"a":"01","b":"NA"}`, []string{"a b", "01 NA"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab, err := readAll(c.text, "none")
			if err != nil || !slices.Equal(show(tab), c.want) {
				t.Fatalf("read %q, %v, want %q", show(tab), err, c.want)
			}
		})
	}
	tab, err := readAll("\n{\"y\": true, \"x\": 1}\n\n{\"x\": 2, \"y\": false}\n", "y")
	if err != nil || !slices.Equal(tab.Labels(), []string{"true", "false"}) || !slices.Equal(tab.Lines, []int{2, 4}) {
		t.Errorf("labels %q, lines %v, %v", tab.Labels(), tab.Lines, err)
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		line, column int
		problem      string
	}{
		{"array", "{\"a\":1}\n[1,2]\n", 2, 1, "no JSON object"},
		{"number", "1\n", 1, 1, "no JSON object"},
		{"nested", `{"a":1,"b":{"c":2}}`, 1, 12, `value of "b" is an object`},
		{"array of arrays", `{"a":[[1]]}`, 1, 7, `array "a" holds something else`},
		{"array of strings", `{"a":[1,"x"]}`, 1, 11, `array "a" holds something else`},
		{"array of objects", `{"a":[{}]}`, 1, 7, `array "a" holds something else`},
		{"twice", `{"a":1,"a":2}`, 1, 12, `two values for "a"`},
		{"twice, null", `{"a":null,"a":2}`, 1, 15, `two values for "a"`},
		{"too large", `{"a":1e999}`, 1, 10, "too large"},
		{"over several lines", "{\n\"a\": 1\n}\n", 1, 2, "ends in the middle"},
		{"cut", `{"a":`, 1, 0, "ends in the middle"},
		{"two objects", `{"a":1}{"a":2}`, 1, 8, "something after the object"},
		{"no quotes", `{a:1}`, 1, 0, "no JSON"},
		{"comma", `{"a":1,}`, 1, 0, "no JSON"},
		{"word", `{"a":NaN}`, 1, 0, "no JSON"},
		{"garbage after", `{"a":1} x`, 1, 0, "something after the object"},
		{"too long", "{}\n" + strings.Repeat(" ", file.MaxLine+1), 2, 0, "longer than 8 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readAll(c.text, "none")
			var input *data.InputError
			if !errors.As(err, &input) || input.File != "f" || input.Line != c.line || c.column > 0 &&
				input.Column != c.column ||
				!strings.Contains(input.Problem, c.problem) || input.Advice == "" {
				t.Errorf("error %v, want line %d, column %d, %q", err, c.line, c.column, c.problem)
			}
		})
	}
}

func TestReadInParts(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "{\"i\": %d, \"y\": \"c%d\"}\n\n", i, i%3)
	}
	for _, max := range []int{1, 7, 99, 100, 101} {
		b := table.NewBuilder(table.Options{Name: "f"})
		r := jsonl.NewReader(iotest.OneByteReader(strings.NewReader(text.String())), "f", b)
		rows := 0
		for {
			n, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			tab, tableErr := b.Table()
			if err != nil || tableErr != nil || n == 0 || n > max || tab.Len() != n {
				t.Fatalf("%d rows, %v, %v", n, err, tableErr)
			}
			for i, label := range tab.Labels() {
				if cell, _ := tab.Cell(i, 0); cell != fmt.Sprint(rows) || label != fmt.Sprintf("c%d", rows%3) {
					t.Fatalf("row %d is %q with label %q", rows, cell, label)
				}
				rows++
			}
		}
		if _, err := r.Read(t.Context(), max); rows != 100 || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, rows, err)
		}
	}
}

// TestSchema trains on one file and encodes another, in parts, one of which lacks
// a key throughout.
func TestSchema(t *testing.T) {
	train, err := readAll(`{"x":1,"c":"a","y":"p"}`+"\n"+`{"x":3,"c":"b","y":"n"}`, "y")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Fit(train, nil, scale.None)
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder(s.Options("g"))
	r := jsonl.NewReader(strings.NewReader(`{"c":"b"}`+"\n"+`{"x":7,"z":1,"c":"a"}`), "g", b)
	var all []float64
	for {
		if _, err := r.Read(t.Context(), 1); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		tab, err := b.Table()
		if err != nil {
			t.Fatal(err)
		}
		x, labels, err := s.Encode(tab)
		if err != nil || labels[0] != "" {
			t.Fatalf("labels %q, %v", labels, err)
		}
		all = append(all, x.(*data.Matrix).Data...)
	}
	if !slices.Equal(all, []float64{2, 0, 1, 7, 1, 0}) {
		t.Errorf("encoded as %v", all)
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	sink := func() table.Sink { return table.NewBuilder(table.Options{}) }
	_, err := jsonl.NewReader(io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(errors.New("disk on fire"))), "f",
		sink()).Read(t.Context(), 0)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := jsonl.NewReader(strings.NewReader("{}\n"), "f", sink()).Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := jsonl.NewReader(strings.NewReader(" \n\n"), "f", sink()).Read(t.Context(), 0); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
}

// FuzzJSONL compares what is read with what encoding/json makes of each line.
func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{
		"{\"a\": 1, \"b\": \"x\"}\n{\"b\": null, \"c\": [1, 2.5, null]}\n", "{}\n", `{"a":{"b":1}}`, `{"a":1,"a":2}`,
		`{"a[1]":1,"a":[2]}`, `{"":true}`, "{\"a\":\"\\ud800\xff\"}", `{"a":1e999}`, "[1]", "{\n}",
	} {
		f.Add(seed, "none")
	}
	f.Add(`{"a":true,"b":false}`, "b")
	f.Fuzz(func(t *testing.T, text, target string) {
		tab, err := readAll(text, target)
		if err != nil {
			var input *data.InputError
			if err != io.EOF && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		row := 0
		lines := strings.Split(text, "\n")
		for _, line := range tab.Lines {
			var object map[string]any
			if err := json.Unmarshal([]byte(strings.TrimSuffix(lines[line-1], "\r")), &object); err != nil {
				t.Fatalf("line %d was taken: %v", line, err)
			}
			cells := 0
			for j, name := range tab.Header {
				cell, ok := tab.Cell(row, j)
				if v, isText := object[name].(string); ok && isText && cell != v {
					t.Fatalf("cell %q, want %q", cell, v)
				}
				if ok {
					cells++
				}
			}
			if cells == 0 && len(object) > 0 {
				for _, v := range object {
					switch v := v.(type) {
					case float64, bool:
						t.Fatalf("line %d lost %v", line, v)
					}
				}
			}
			row++
		}
		s, err := table.Fit(tab, nil, scale.None)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Encode(tab); err != nil {
			t.Fatal(err)
		}
	})
}

func ExampleReader() {
	b := table.NewBuilder(table.Options{Name: "x.jsonl", Target: "label"})
	r := jsonl.NewReader(strings.NewReader(`{"age": 39, "label": "a"}`+"\n"+`{"age": 40, "label": "b"}`), "x.jsonl", b)
	n, err := r.Read(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	tab, err := b.Table()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n, tab.Header, tab.Labels())
	// Output: 2 [age label] [a b]
}
