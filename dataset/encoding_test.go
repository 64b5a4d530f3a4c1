package dataset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
)

// again returns an encoding as it is after it was stored.
func again(t testing.TB, e *dataset.Encoding) *dataset.Encoding {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := dataset.Parse(text)
	if err != nil || !reflect.DeepEqual(back, e) {
		t.Fatalf("%s, %v", text, err)
	}
	return back
}

// fit reads a file and fits an encoding to it.
func fit(t testing.TB, name, content string, s scale.Kind, o dataset.Options) (*dataset.Encoding, *dataset.Rows) {
	t.Helper()
	rows, err := dataset.Read(t.Context(), write(t, name, content), o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return again(t, e), rows
}

// TestStored reads encodings as earlier versions wrote them.
func TestStored(t *testing.T) {
	for _, text := range []string{
		`{"format":"LIBSVM","kind":"vectors"}`,
		`{"format":"CSV","kind":"strings","column":2,"weight":"w"}`,
		`{"format":"sets","kind":"sets"}`,
		`{"format":"NPY","kind":"vectors","scaling":{"kind":"standard","center":[1],"spread":[2]}}`,
		`{"format":"CSV","kind":"vectors","table":{"columns":[{"name":"a","kind":"number","offset":0,"size":1,` +
			`"mean":1,"center":0,"spread":1},{"name":"y","kind":"target","offset":1,"size":0,"mean":0,"center":0,` +
			`"spread":0}],"target":1,"width":1,"header":true,"comma":",","scale":"none"}}`,
	} {
		e, err := dataset.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if back, err := json.Marshal(e); err != nil || string(back) != text {
			t.Errorf("%s, want %s, %v", back, text, err)
		}
	}
	for _, text := range []string{
		``, `[]`, `{"format":"CSV","kind":"vectors"}`, `{"format":"CSV","kind":"vectors","table":{"target":3}}`,
		`{"format":"NPY","kind":"vectors","scaling":{"kind":"weird"}}`,
	} {
		if e, err := dataset.Parse([]byte(text)); err == nil {
			t.Errorf("%s is %+v", text, e)
		}
	}
}

func TestStream(t *testing.T) {
	e, rows := fit(t, "a.csv", "x,w,y\n1,2,u\n3,0,v\n", scale.Standard, dataset.Options{Weight: "w"})
	if got := rows.Live(); !reflect.DeepEqual(got, []int{0}) || !reflect.DeepEqual(rows.LiveLabels(), []string{"u"}) {
		t.Errorf("live rows %v, %v", got, rows.LiveLabels())
	}
	other := write(t, "b.csv", "y,x,more\nv,3,?\nu,1,?\n")
	n := 0
	err := e.Stream(t.Context(), other, dataset.Options{}, func(r *dataset.Rows) error {
		d, err := dataset.Decode[data.Vector](e, r)
		if err != nil {
			return err
		}
		w, err := e.WeightsOf(r, dataset.Options{})
		if err != nil || w != nil || !reflect.DeepEqual(d.Y, []string{"v", "u"}) || d.X.At(0).Value[0] != 1 {
			t.Errorf("%v, labels %v, weights %v, %v", d.X.At(0), d.Y, w, err)
		}
		n += r.Len()
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
	err = e.Stream(t.Context(), write(t, "c.libsvm", "1 1:1\n"), dataset.Options{}, nil)
	if err == nil || !strings.Contains(err.Error(), "this is LIBSVM data and the model was trained on CSV data") {
		t.Error(err)
	}
}

func TestWrongType(t *testing.T) {
	e, rows := fit(t, "a.csv", "x,y\n1,u\n3,v\n", scale.None, dataset.Options{})
	if _, err := dataset.Decode[string](e, rows); err == nil {
		t.Error("vectors are strings")
	}
}

func TestOptionErrors(t *testing.T) {
	const table = "a,b,y\nr,s,u\nt,q,v\n"
	for _, c := range []struct {
		name, content string
		scale         scale.Kind
		o             dataset.Options
		want          string
	}{
		{"a.csv", table, scale.Standard, dataset.Options{Kind: dataset.Strings},
			"--scale standard is for numbers; strings are taken as they stand"},
		{"a.csv", table, scale.None, dataset.Options{Kind: dataset.Strings, Text: "z"}, `--text: there is no column "z"`},
		{"a.txt", "r\ns\n", scale.None, dataset.Options{Target: "z"},
			`--target: place of the label is "z" and must be first, last or none`},
		{"a.libsvm", "1 1:1\n", scale.None, dataset.Options{Weight: "w"}, "--weight is for tables;"},
		{"a.libsvm", "1 9999:1\n", scale.Range, dataset.Options{},
			"--scale range would fill the zeros of sparse data, 10000 values for each that is stored; use --scale none"},
	} {
		rows, err := dataset.Read(t.Context(), write(t, c.name, c.content), c.o)
		if err == nil {
			_, err = dataset.Fit(rows, nil, c.scale, c.o)
		}
		var option *dataset.OptionError
		if !errors.As(err, &option) {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		if got := option.Text(func(name string) string { return "--" + name }); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if strings.Contains(err.Error(), "--") {
			t.Errorf("%q names flags", err)
		}
	}
}

// TestFitDecode checks that statistics of the target which the rows of an index have
// are those of others, and that further rows have those of the encoding.
func TestFitDecode(t *testing.T) {
	var b strings.Builder
	b.WriteString("city,y\n")
	for i := range 300 {
		fmt.Fprintf(&b, "c%d,%d\n", i*i%97%60, i%7)
	}
	index := make([]int, 0, 200)
	for i := range 200 {
		index = append(index, i)
	}
	for _, numbers := range []bool{false, true} {
		o := dataset.Options{Categories: table.ByTarget, Numbers: numbers, Seed: 3}
		rows, err := dataset.Read(t.Context(), write(t, "a.csv", b.String()), o)
		if err != nil {
			t.Fatal(err)
		}
		e, d, err := dataset.FitDecode[data.Vector](rows, index, scale.Standard, o)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := dataset.Fit(rows, index, scale.Standard, o)
		if err != nil || !reflect.DeepEqual(plain, e) {
			t.Fatalf("Fit and FitDecode are two: %v", err)
		}
		new, err := dataset.Decode[data.Vector](again(t, e), rows)
		if err != nil || !reflect.DeepEqual(new.Y, d.Y) {
			t.Fatal(err)
		}
		other := 0
		for i := range 300 {
			if !same(d.X.At(i), new.X.At(i)) {
				other++
			}
		}
		if other != 200 {
			t.Errorf("%d rows are encoded for training, want 200", other)
		}
	}
	_, rows := fit(t, "a.libsvm", "1 1:1\n2 1:2\n", scale.None, dataset.Options{})
	if _, err := dataset.Fit(rows, nil, scale.None, dataset.Options{Categories: table.ByTarget}); err == nil {
		t.Error("statistics of no table")
	}
}
