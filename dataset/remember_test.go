package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
)

// streamed fits an encoding to a file and returns the instances and labels of another
// one, read by the encoding alone, in text.
func streamed[T any](t *testing.T, train, other, ending string, o dataset.Options) (x, labels []string, err error) {
	t.Helper()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"+ending), filepath.Join(dir, "b"+ending)
	for path, text := range map[string]string{first: train, second: other} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := dataset.Read(t.Context(), first, o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, scale.None, o)
	if err != nil {
		t.Fatal(err)
	}
	e = again(t, e)
	err = e.Stream(t.Context(), second, dataset.Options{}, func(r *dataset.Rows) error {
		d, err := dataset.Decode[T](e, r)
		if err != nil {
			return err
		}
		labels = append(labels, d.Y...)
		for i := range d.X.Len() {
			x = append(x, fmt.Sprint(d.X.At(i)))
		}
		return nil
	})
	return x, labels, err
}

// TestStreamRemembers: further files are read as the training data were, without
// being told again where labels stand and which columns count.
func TestStreamRemembers(t *testing.T) {
	sets := func(o dataset.Options) dataset.Options { o.Kind = dataset.Sets; return o }
	for _, c := range []struct {
		name, train, other, ending string
		o                          dataset.Options
		want, labels               string
	}{
		{"sets without labels", "a,b\nc,b,a\n", "b,a\na\n", ".baskets", sets(dataset.Options{Target: "none"}),
			"[a b] [a]", ""},
		{"sets with labels", "x,a,b\ny,b,a,c\n", "x,b\ny,a\n", ".baskets", sets(dataset.Options{}), "[b] [a]", "x y"},
		{"sets with the label last", "a,b,x\nb,a,c,y\n", "b,x\na,y\n", ".baskets", sets(dataset.Options{Target: "last"}),
			"[b] [a]", "x y"},
		{"rows as sets", "l,p,q\nx,1,2\ny,3,4\n", "l,p,q\nx,5,6\n", ".csv", sets(dataset.Options{Target: "first"}),
			"[p=5 q=6]", "x"},
		{"rows in another order", "l,p,q\nx,1,2\ny,3,4\n", "q,l,p\n6,x,5\n", ".csv",
			sets(dataset.Options{Target: "first"}), "[p=5 q=6]", "x"},
		{"rows with another column", "l,p,q\nx,1,2\ny,3,4\n", "l,p,z,q\nx,5,7,6\n", ".csv",
			sets(dataset.Options{Target: "l"}), "[p=5 q=6]", "x"},
		{"rows without the label", "l,p,q\nx,1,2\ny,3,4\n", "p,q\n5,6\n", ".csv", sets(dataset.Options{Target: "l"}),
			"[p=5 q=6]", ""},
		{"rows without a column", "l,p,q\nx,1,2\ny,3,4\n", "l,p,q\nx,5,6\n", ".csv",
			sets(dataset.Options{Target: "l", Drop: []string{"q"}}), "[p=5]", "x"},
		{"rows without names", "x,a,b\ny,c,d\n", "x,e,f\n", ".csv", sets(dataset.Options{Target: "first"}),
			"[2=e 3=f]", "x"},
		{"rows without names or the label", "a,b,x\nc,d,y\n", "e,f\n", ".csv", sets(dataset.Options{}), "[1=e 2=f]", ""},
		{"texts in another order", "l,text\nx,aa\ny,bb\n", "text,l\ncc,x\n", ".csv",
			dataset.Options{Kind: dataset.Strings, Target: "l", Header: table.Present}, "cc", "x"},
		{"texts alone", "l,n,text\nx,1,aa\ny,2,bb\n", "n,text\n3,cc\n", ".csv",
			dataset.Options{Kind: dataset.Strings, Target: "l", Header: table.Present}, "cc", ""},
	} {
		read := streamed[data.Set]
		if c.o.Kind == dataset.Strings {
			read = streamed[string]
		}
		got, labels, err := read(t, c.train, c.other, c.ending, c.o)
		if err != nil || strings.Join(got, " ") != c.want || strings.Join(labels, " ") != c.labels {
			t.Errorf("%s: %v labelled %v (%v), want %s labelled %s", c.name, got, labels, err, c.want, c.labels)
		}
	}
	// Without names the other columns would be taken for those before them.
	got, _, err := streamed[data.Set](t, "x,a,b\ny,c,d\n", "e,f\n", ".csv", sets(dataset.Options{Target: "first"}))
	if err == nil {
		t.Errorf("without the label that came first: %v", got)
	}
}

// TestRecordsWithoutNames: of a table without a header columns are called by their
// numbers; others are ignored, and one that is not there is said.
func TestRecordsWithoutNames(t *testing.T) {
	for _, target := range []string{"first", "last"} {
		path := filepath.Join(t.TempDir(), "d.csv")
		if err := os.WriteFile(path, []byte("1,2,3\n4,5,6\n7,8,9\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o := dataset.Options{Target: target}
		rows, err := dataset.Read(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		e, err := dataset.Fit(rows, nil, scale.None, o)
		if err != nil {
			t.Fatal(err)
		}
		record, want := map[string]any{"column 2": 5, "other": 1}, []float64{5, 6}
		if record["column 3"] = 6; target == "last" {
			delete(record, "column 3")
			record["column 1"], want = 4, []float64{4, 5}
		}
		one, err := e.Record(record)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := dataset.Decode[data.Vector](e, one); err != nil || !slices.Equal(d.X.At(0).Value, want) {
			t.Errorf("%s: %v, %v, want %v", target, d.X, err, want)
		}
		delete(record, "column 2")
		if _, err := e.Record(record); err == nil || !strings.Contains(err.Error(), "column 2") {
			t.Errorf("%s: a record without a column: %v", target, err)
		}
	}
}
