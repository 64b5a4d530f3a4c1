package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// trained has a training file of each form of rows that batches are for.
var trained = map[string]string{
	"table.csv": "a,b,c,y\n1,x,2.5,p\n2,z,?,q\n3,x,-1,p\n?,w,7,q\n5,z,0,p\n6,x,1,q\n",
	"table.jsonl": `{"a":1,"b":"x","c":2.5,"y":"p"}` + "\n" + `{"a":2,"b":"z","y":"q"}` + "\n" +
		`{"b":"x","c":-1,"y":"p"}` + "\n",
	"bare.csv":    "1,x,2.5,p\n2,z,4,q\n3,x,-1,p\n4,w,7,q\n",
	"numbers.csv": "a,b,c\n1,2,3\n4,5,7\n9,2,1\n",
}

// instances returns what rows are as instances, as text.
func instances(e *dataset.Encoding, rows *dataset.Rows, err error) (string, error) {
	if err != nil {
		return "", err
	}
	d, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		return "", err
	}
	text := ""
	for i := range d.X.Len() {
		text += fmt.Sprint(d.X.At(i), d.Y, "\n")
	}
	return text, nil
}

// TestBatch holds batches of random records to Records with a map each.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []any{nil, 1.0, 2.5, math.Copysign(0, -1), 1e300, "x", "z", "?", "", " 3 ", "new", true, false,
		math.NaN(), math.Inf(1)}
	for name, text := range trained {
		e, _ := fit(t, name, text, scale.Standard, dataset.Options{})
		names := []string{"a", "b", "c", "y", "other", "column 1", "column 2", "column 3"}
		for range 400 {
			var records []any
			b := dataset.NewBatch()
			for range 1 + rng.IntN(4) {
				record := map[string]any{}
				b.Row(0)
				for _, name := range names {
					if rng.IntN(8) == 0 {
						continue
					}
					v := values[rng.IntN(len(values))]
					if rng.IntN(3) > 0 {
						v = values[rng.IntN(4)]
					}
					record[name] = v
					switch col := b.Column(name); v := v.(type) {
					case float64:
						b.Number(col, v)
					case string:
						b.Text(col, v)
					case bool:
						b.Bool(col, v)
					}
				}
				records = append(records, record)
			}
			rows, err := e.Records(records...)
			want, wantErr := instances(e, rows, err)
			rows, err = e.Batch(b)
			got, gotErr := instances(e, rows, err)
			if got != want || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("%s: %v: %q, %v, want %q, %v", name, records, got, gotErr, want, wantErr)
			}
		}
	}
}

// TestDense holds rows of numbers to Records with a list each.
func TestDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	files := map[string]string{"rows.libsvm": "+1 1:1 3:2\n-1 2:1\n+1 0:2\n"}
	for name, text := range trained {
		files[name] = text
	}
	for name, text := range files {
		e, _ := fit(t, name, text, scale.None, dataset.Options{})
		for range 200 {
			x := data.NewMatrix(1+rng.IntN(4), 1+rng.IntN(4))
			var lists, cells []any
			gone := false
			for i := range x.Rows {
				row, texts := x.Row(i), make([]string, x.Cols)
				for j := range row {
					row[j] = float64(rng.IntN(4)) - 1
					texts[j] = fmt.Sprint(row[j])
					if e.HasColumns() && rng.IntN(9) == 0 {
						row[j], texts[j], gone = math.NaN(), "", true
					}
				}
				lists, cells = append(lists, append([]float64(nil), row...)), append(cells, texts)
			}
			if gone {
				lists = cells
			}
			rows, err := e.Records(lists...)
			want, wantErr := instances(e, rows, err)
			rows, err = e.Dense(x, 0)
			got, gotErr := instances(e, rows, err)
			if got != want || (gotErr == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v: %q, %v, want %q, %v", name, x, got, gotErr, want, wantErr)
			}
		}
	}
	e, _ := fit(t, "rows.libsvm", files["rows.libsvm"], scale.None, dataset.Options{})
	rows, err := e.Dense(&data.Matrix{Rows: 1, Cols: 2, Data: []float64{0, 5}}, 1)
	want := fmt.Sprint(data.Vector{Index: []int32{2}, Value: []float64{5}}, []string(nil), "\n")
	if got, err := instances(e, rows, err); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		if _, err := e.Dense(&data.Matrix{Rows: 1, Cols: 1, Data: []float64{v}}, 1); err == nil {
			t.Errorf("%v is taken", v)
		}
	}
}
