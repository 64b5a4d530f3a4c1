package dataset_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

const people = "age,work,fit,class\n20,state,true,yes\n40,private,false,no\n?,private,true,yes\n60,,false,no\n"

type person struct {
	Years   *float64 `kerf:"age" json:"years"`
	Work    string   `json:"work,omitempty"`
	Fit     bool     `json:"fit"`
	Nothing string   `kerf:"-"`
	hidden  int
}

func TestRecordForms(t *testing.T) {
	e, rows := fit(t, "people.csv", people, scale.Standard, dataset.Options{})
	want, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	age := 40.0
	for _, c := range []struct {
		row    int
		record any
	}{
		{1, []string{"40", "private", "false", "no"}},
		{1, []string{" 40", "private\t", "false"}},
		{1, map[string]any{"age": 40, "work": "private", "fit": false, "class": "no"}},
		{1, map[string]any{"age": "40.0", "work": "private", "fit": "false", "other": []int{1}}},
		{1, map[string]string{"age": "4e1", "work": "private", "fit": "false"}},
		{1, map[string]any{"age": json.Number("40"), "work": "private", "fit": false}},
		{1, person{Years: &age, Work: "private", hidden: 1}},
		{1, &person{Years: &age, Work: "private"}},
		{2, map[string]any{"age": nil, "work": "private", "fit": true}},
		{2, person{Work: "private", Fit: true}},
		{2, []string{"NA", "private", "true"}},
		{3, map[string]any{"age": uint8(60), "work": "", "fit": false}},
	} {
		one, err := e.Record(c.record)
		if err != nil {
			t.Errorf("%v: %v", c.record, err)
			continue
		}
		got, err := dataset.Decode[data.Vector](e, one)
		if err != nil || !same(got.X.At(0), want.X.At(c.row)) {
			t.Errorf("%v is %v, want %v, %v", c.record, got.X, want.X.At(c.row), err)
		}
	}
	for _, c := range []struct {
		record any
		want   string
	}{
		{map[string]any{"age": 1, "work": "x"}, "lacks 1 column that training had: fit"},
		{map[string]any{"age": "old", "work": "x", "fit": true}, `"old" is not a number`},
		{map[string]any{"age": struct{}{}, "work": "x", "fit": true}, "no text, number or truth value"},
		{[]string{"1", "x"}, "2 columns and training had 4 columns, or 3 without the target"},
		{[]string{"\xff", "x", "true"}, "not UTF-8"},
		{"text", "a text is no row of the data that the model was trained on, a table; give its cells"},
		{data.Dense(1, 2), "a vector is no row"},
		{data.NewSet("a"), "a set is no row"},
		{7, "no map, struct or list of cells"},
		{nil, "no map, struct or list of cells"},
	} {
		one, err := e.Record(c.record)
		if err == nil {
			_, err = dataset.Decode[data.Vector](e, one)
		}
		var input *data.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.record, err, c.want)
		}
	}
}

// TestRecordLabels finds the target by its name, and by its place.
func TestRecordLabels(t *testing.T) {
	e, _ := fit(t, "people.csv", people, scale.None, dataset.Options{})
	for _, record := range []any{
		map[string]any{"age": 1, "work": "x", "fit": true, "class": "maybe"}, []string{"1", "x", "true", "maybe"},
	} {
		one, err := e.Record(record)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dataset.Decode[data.Vector](e, one)
		if err != nil || !reflect.DeepEqual(got.Y, []string{"maybe"}) {
			t.Errorf("%v: labels %v, %v", record, got.Y, err)
		}
	}
}

// TestRecordOfTexts takes strings and sets that stood in tables.
func TestRecordOfTexts(t *testing.T) {
	const messages = "id,text,class\n1,hello; you,ham\n2,win  money,spam\n"
	for _, c := range []struct {
		o       dataset.Options
		records []any
		want    any
	}{
		{dataset.Options{Kind: dataset.Strings}, []any{
			"hello; you", []string{"1", "hello; you", "ham"}, []string{"1", "hello; you"}, map[string]any{"text": "hello; you"},
		}, data.Slice[string]{"hello; you"}},
		{dataset.Options{Kind: dataset.Sets, Text: "text"}, []any{
			"hello; you", data.NewSet("you", "hello"), map[string]any{"text": "you,hello", "id": 5},
		}, data.Slice[data.Set]{data.NewSet("hello", "you")}},
		{dataset.Options{Kind: dataset.Sets}, []any{
			data.NewSet("id=1", "text=hello"), []string{"1", "hello", "ham"}, []string{"1", "hello"},
			map[string]any{"text": "hello", "id": 1, "class": "ham"}, map[string]any{"text": "hello", "id": "1"},
		}, data.Slice[data.Set]{data.NewSet("id=1", "text=hello")}},
	} {
		e, _ := fit(t, "messages.csv", messages, scale.None, c.o)
		for _, record := range c.records {
			one, err := e.Record(record)
			if err != nil {
				t.Errorf("%v: %v", record, err)
				continue
			}
			var got any
			if e.Kind == dataset.Strings {
				var d data.Labeled[string, string]
				d, err = dataset.Decode[string](e, one)
				got = d.X
			} else {
				var d data.Labeled[data.Set, string]
				d, err = dataset.Decode[data.Set](e, one)
				got = d.X
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v is %v, want %v, %v", record, got, c.want, err)
			}
		}
	}
	old, err := dataset.Parse([]byte(`{"format":"CSV","kind":"strings","column":2}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range []any{map[string]any{"text": "a"}, []string{"a", "b"}} {
		if rows, err := old.Record(record); err == nil {
			t.Errorf("%v is %v, though the columns are not known", record, rows)
		}
	}
}

// FuzzRecord compares maps with JSON Lines that hold the same, and asks of what
// training data in CSV make of them no more than that it is no panic.
func FuzzRecord(f *testing.F) {
	f.Add(`{"age": 20, "work": "state", "fit": true, "more": [1, 2.5, null]}`)
	f.Add(`{"age": null, "work": 5, "fit": "1e999", "class": "yes"}`)
	f.Add(`{"age": "?", "": "x", "age[1]": -0}`)
	lines := `{"age": 20, "work": "state", "fit": true, "class": "yes"}
{"age": 40, "work": "private", "fit": false, "class": "no"}
{"work": "private", "fit": true, "class": "yes", "x": [1, 2]}
`
	keyed, _ := fit(f, "people.jsonl", lines, scale.Standard, dataset.Options{Target: "class"})
	cells, _ := fit(f, "people.csv", people, scale.Standard, dataset.Options{})
	f.Fuzz(func(t *testing.T, text string) {
		var record map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		if d.Decode(&record) != nil || d.More() || record == nil {
			return
		}
		if one, err := cells.Record(record); err == nil {
			_, _ = dataset.Decode[data.Vector](cells, one)
		}
		line, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := decodeFile(t, keyed, string(line)+"\n")
		one, err := keyed.Record(record)
		var got data.Labeled[data.Vector, string]
		if err == nil {
			got, err = dataset.Decode[data.Vector](keyed, one)
		}
		var input *data.InputError
		if err != nil && !errors.As(err, &input) {
			t.Fatalf("%v is a %T", err, err)
		}
		if wantErr != nil {
			return // lists of texts are refused there, and columns of such names are strangers here
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !same(got.X.At(0), want.X.At(0)) || !reflect.DeepEqual(got.Y, want.Y) {
			t.Fatalf("%s is %v %q, in a file %v %q", line, got.X.At(0), got.Y, want.X.At(0), want.Y)
		}
	})
}

func decodeFile(t *testing.T, e *dataset.Encoding, content string) (out data.Labeled[data.Vector, string], err error) {
	err = e.Stream(t.Context(), "-", dataset.Options{Stdin: strings.NewReader(content)}, func(r *dataset.Rows) error {
		var err error
		out, err = dataset.Decode[data.Vector](e, r)
		return err
	})
	return out, err
}
