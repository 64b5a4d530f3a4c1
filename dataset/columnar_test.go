package dataset_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
)

// TestColumnar writes vectors and labels in the formats of columns, and reads the
// same back, all at once, in parts, and through gzip.
func TestColumnar(t *testing.T) {
	const rows = 500
	x := data.NewMatrix(rows, 3)
	labels := make([]string, rows)
	for i := range rows {
		x.Data[3*i], x.Data[3*i+1], x.Data[3*i+2] = float64(i), float64(i%7)/3, float64(i*i%11)
		labels[i] = fmt.Sprint("c", i%3)
	}
	for _, ending := range []string{".parquet", ".arrow", ".feather", ".arrows"} {
		open, err := dataset.WriterFor("x" + ending)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := open(&out, "f", run.Control{})
		if err := errors.Join(w.Write(x, labels), w.Close()); err != nil {
			t.Fatal(err)
		}
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		if _, err := z.Write(out.Bytes()); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{"x" + ending: out.String(), "x" + ending + ".gz": zipped.String()} {
			e, all := fit(t, name, content, scale.None, dataset.Options{Target: "label"})
			got, err := dataset.Decode[data.Vector](e, all)
			if err != nil || !slices.Equal(got.Y, labels) || got.X.Len() != rows {
				t.Fatalf("%s: %v", name, err)
			}
			var parts []string
			err = e.Stream(t.Context(), write(t, name, content), dataset.Options{}, func(r *dataset.Rows) error {
				part, err := dataset.Decode[data.Vector](e, r)
				for i := range part.X.Len() {
					if !slices.Equal(part.X.At(i).Value, got.X.At(len(parts)+i).Value) {
						t.Fatalf("%s: row %d differs in a part", name, len(parts)+i)
					}
				}
				parts = append(parts, part.Y...)
				return err
			})
			if err != nil || !slices.Equal(parts, labels) {
				t.Errorf("%s in parts: %d labels, %v", name, len(parts), err)
			}
		}
	}
}
