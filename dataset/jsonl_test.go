package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// objects are rows as JSON Lines and as CSV. With late keys some columns come first in later
// rows.
func objects(n int, late bool) (lines, cells string) {
	var a, b strings.Builder
	b.WriteString("x,z,kind,seen,y\n")
	for i := range n {
		x, z, kind, seen := float64(i*i%101)/8, fmt.Sprint(i%13), "k"+fmt.Sprint(i%3), i%2
		if fmt.Fprintf(&a, `{"x": %v`, x); i%7 == 3 {
			z = ""
		} else {
			fmt.Fprintf(&a, `, "z": %s`, z)
		}
		if !late || i > n/2 {
			fmt.Fprintf(&a, `, "kind": "%s"`, kind)
		}
		fmt.Fprintf(&a, `, "seen": %v, "y": "c%d"}`+"\n", seen == 1, i%2)
		fmt.Fprintf(&b, "%v,%s,%s,%d,c%d\n", x, z, kind, seen, i%2)
	}
	return a.String(), b.String()
}

// encodingOf is the encoding by a survey, and its JSON without the name of the format.
func encodingOf(t *testing.T, path string, kind scale.Kind, o dataset.Options) *dataset.Encoding {
	t.Helper()
	r, err := dataset.Survey(t.Context(), path, o, dataset.Sampling{Rows: 300, Seed: 1, Needed: true, Quantiles: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(r, nil, kind, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// JSON Lines are surveyed and read part by part as the same rows of CSV are.
func TestJSONLinesInParts(t *testing.T) {
	lines, cells := objects(9000, false)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, lines)
	_ = z.Close()
	table := write(t, "t.csv", cells)
	for _, path := range []string{write(t, "t.jsonl", lines), write(t, "t.jsonl.gz", packed.String()), "-"} {
		for _, kind := range []scale.Kind{scale.Standard, scale.Robust, scale.Quantile} {
			o := dataset.Options{Stdin: strings.NewReader(lines)}
			got, want := encodingOf(t, path, kind, o), encodingOf(t, table, kind, dataset.Options{})
			if !reflect.DeepEqual(got.Table, want.Table) {
				t.Fatalf("%s, %s: %+v, want %+v", path, kind, got.Table, want.Table)
			}
			o.Stdin = strings.NewReader(lines)
			parts, rows := 0, 0
			var all, csv [][]float64
			use := func(e *dataset.Encoding, to *[][]float64) func(r *dataset.Rows) error {
				return func(r *dataset.Rows) error {
					d, err := dataset.Decode[data.Vector](e, r)
					if err != nil {
						return err
					}
					parts, rows = parts+1, rows+r.Len()
					for i := range d.X.Len() {
						row := make([]float64, e.Table.Width)
						d.X.At(i).CopyTo(row)
						*to = append(*to, row)
					}
					return nil
				}
			}
			if err := got.Stream(t.Context(), path, o, use(got, &all)); err != nil || rows != 9000 || parts < 3 {
				t.Fatalf("%s: %d rows in %d parts, %v", path, rows, parts, err)
			}
			if err := want.Stream(t.Context(), table, dataset.Options{}, use(want, &csv)); err != nil ||
				!reflect.DeepEqual(all, csv) {
				t.Fatalf("%s: rows are others than of CSV; %v", path, err)
			}
		}
	}
}

// A key that comes first in a later row is a column as in memory, be it the target, by its
// place or by its name, or one that is to be left out.
func TestLateKeys(t *testing.T) {
	lines, _ := objects(2000, true)
	path := write(t, "late.jsonl", strings.ReplaceAll(lines, `, "y"`, `, "class"`))
	for name, c := range map[string]struct {
		path string
		o    dataset.Options
	}{
		"found":  {path, dataset.Options{}},
		"named":  {path, dataset.Options{Target: "class"}},
		"drop":   {path, dataset.Options{Target: "class", Drop: []string{"kind"}}},
		"target": {path, dataset.Options{Target: "kind", Unlabeled: true}},
	} {
		whole, err := dataset.Recognise(t.Context(), c.path, c.o, false)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := dataset.Survey(t.Context(), c.path, c.o, dataset.Sampling{Rows: 3000, Seed: 1})
		if err != nil {
			t.Fatal(name, err)
		}
		if !reflect.DeepEqual(got.Labels, whole.Labels) {
			t.Fatalf("%s: other labels", name)
		}
		if name == "target" {
			continue // whose rows have no label in the beginning
		}
		a, errA := dataset.Fit(got, nil, scale.Standard, c.o)
		b, errB := dataset.Fit(whole, nil, scale.Standard, c.o)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(name, err)
		}
		columns := func(e *dataset.Encoding) map[string]string {
			out := map[string]string{}
			for _, c := range e.Table.Columns {
				out[c.Name] = fmt.Sprint(c.Kind, c.Size, c.Indicator, c.Categories)
			}
			return out
		}
		if !reflect.DeepEqual(columns(a), columns(b)) || a.Table.Width != b.Table.Width {
			t.Errorf("%s: %v, want %v", name, columns(a), columns(b))
		}
		few, err := dataset.Survey(t.Context(), c.path, c.o, dataset.Sampling{Rows: 1, Seed: 1})
		if err != nil || few.Len() != 1 {
			t.Fatal(name, err)
		}
	}
}

// Faults name their line, however late it is, and a column that no row has is refused.
func TestJSONLinesFaults(t *testing.T) {
	lines, _ := objects(5000, false)
	for add, want := range map[string]string{
		`{"x": 1, "y": ` + "\n":                    "f.jsonl:5001:",
		`{"x": {"a": 1}, "y": "c0"}` + "\n":        "f.jsonl:5001:",
		`{"x": "many", "y": "c0"}` + "\n":          "f.jsonl:5001:1: \"many\" is not a number",
		`{"x": 1, "x": 2, "y": "c0"}` + "\n":       "two values",
		`{"x": 1}` + "\n":                          "f.jsonl:5001: the label is missing",
		"\n\n" + `{"x": 1, "y": "c0"} more` + "\n": "f.jsonl:5003:",
	} {
		path := write(t, "f.jsonl", lines+add)
		r, err := dataset.Survey(t.Context(), path, dataset.Options{}, dataset.Sampling{Rows: 100, Needed: true})
		if err == nil {
			_, err = dataset.Fit(r, nil, scale.Standard, dataset.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", add, err, want)
		}
	}
	path := write(t, "g.jsonl", lines)
	for _, o := range []dataset.Options{{Target: "none such"}, {Drop: []string{"none such"}}, {Weight: "none such"}} {
		_, err := dataset.Survey(t.Context(), path, o, dataset.Sampling{Rows: 100})
		if err == nil || !strings.Contains(err.Error(), "none such") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	more := folder(t, map[string]string{"a.jsonl": lines, "b.jsonl": `{"x": 1, "w": 2, "y": "c1"}` + "\n"})
	if _, err := dataset.Survey(t.Context(), more, dataset.Options{}, dataset.Sampling{Rows: 100}); err == nil ||
		!strings.Contains(err.Error(), "b.jsonl:1: the table has 3 columns") {
		t.Errorf("another file has other keys: %v", err)
	}
}

// Quantiles of parts that were sent and merged are within their bound of those of all rows.
func TestPartialQuantiles(t *testing.T) {
	lines, _ := objects(3000, false)
	path := write(t, "p.jsonl", lines)
	all := &dataset.Partial{}
	for k := range 3 {
		p, err := dataset.SurveyPart(t.Context(), path, dataset.Options{Piece: &dataset.Piece{Row: 3000 * k, Rows: 3000}},
			dataset.Sampling{Rows: 200, Seed: 1, Quantiles: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		one := &dataset.Partial{}
		if err := one.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			all = one
		} else if err := all.Merge(one); err != nil {
			t.Fatal(err)
		}
	}
	r, _, err := all.End(path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.Fit(r, nil, scale.Robust, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := encodingOf(t, path, scale.Robust, dataset.Options{})
	// Numbers are eighths that lie close: a rank is 1% off at most, three of them.
	if a, b := got.Table.Columns[0], want.Table.Columns[0]; a.Center-b.Center > 0.375 || b.Center-a.Center > 0.375 ||
		a.Spread-b.Spread > 0.375 || b.Spread-a.Spread > 0.375 {
		t.Errorf("%+v, want %+v", a, b)
	}
}
