package model_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// TestNoWayPastEncoding: a model of rows opens with its encoding alone, and one of
// instances without.
func TestNoWayPastEncoding(t *testing.T) {
	for _, name := range []string{"table", "numbers", "strings"} {
		f, err := model.ReadFile(filepath.Join("testdata", "old", name+".kerf"))
		if err != nil {
			t.Fatal(err)
		}
		_, vectors := model.Open(f, model.Kind[data.Vector](spec.Vectors{}))
		_, texts := model.Open(f, model.Kind[string](spec.Strings{}))
		_, own := model.Open(f, model.Kind[city](model.Own[city]{Type: f.Header.Instances}))
		for _, err := range []error{vectors, texts, own} {
			if !errors.Is(err, model.ErrEncoded) {
				t.Errorf("%s, without its encoding: %v", name, err)
			}
		}
	}
	p, _, err := model.NewRecipe[city](nearby, 9).Fit(t.Context(), cities())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.kerf")
	kind := model.Own[city]{Type: "city", Kernels: []kernel.Named[city]{nearby}}
	if err := model.Save(path, p, model.Kind[city](kind)); err != nil {
		t.Fatal(err)
	}
	if m, err := model.Load(path); !errors.Is(err, model.ErrPlain) || m != nil {
		t.Errorf("a model of cities as one of rows: %v", err)
	}
}

// TestModelFile: a model of rows is the same after saving and loading.
func TestModelFile(t *testing.T) {
	path := filepath.Join("testdata", "old", "table.csv")
	rows, err := dataset.Read(t.Context(), path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, scale.Standard, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.2}, 20).Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	m := model.NewModel(p, e, model.Kind[data.Vector](spec.Vectors{}))
	saved := filepath.Join(t.TempDir(), "m.kerf")
	if err := m.Save(saved); err != nil {
		t.Fatal(err)
	}
	loaded, err := model.Load(saved)
	if err != nil {
		t.Fatal(err)
	}
	var before, after bytes.Buffer
	if err := errors.Join(m.Write(&before), loaded.Write(&after)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Error("the file of the loaded model is another")
	}
	scores := make([]float64, p.Outputs())
	for i := range rows.Len() {
		p.Scores(scores, d.X.At(i))
		got, err := loaded.Scores(t.Context(), run.Control{}, rows)
		if err != nil || !bytes.Equal(bits(got.Row(i)), bits(scores)) {
			t.Fatalf("row %d scores %v (%v), want %v", i, got.Row(i), err, scores)
		}
	}
}

func bits(v []float64) []byte {
	var out []byte
	for _, x := range v {
		out = strconv.AppendUint(append(out, ' '), math.Float64bits(x), 16)
	}
	return out
}

// oldTolerance is for scores of another CPU: sums of some dozen terms, whose sizes
// are below 100, in another order.
const oldTolerance = 1e-11

// wantLine checks a prediction against a line that was printed.
func wantLine(t *testing.T, name string, row int, got model.Prediction, line string, numbers bool) {
	t.Helper()
	fields := strings.Split(line, "\t")
	if !numbers {
		if got.Label != fields[0] {
			t.Errorf("%s, row %d: %s, was %s", name, row+1, got.Label, fields[0])
		}
		fields = fields[1:]
	}
	for i, s := range got.Scores {
		want, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || math.Abs(s-want) > oldTolerance {
			t.Errorf("%s, row %d: score %v, was %s", name, row+1, s, fields[i])
		}
	}
}

// oldRecords are the rows of a file as records.
func oldRecords(t *testing.T, name, text string) (out []any) {
	t.Helper()
	if name == "table.csv" || name == "blend.csv" {
		all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range all[1:] {
			out = append(out, row)
		}
		return out
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name == "strings.txt" {
			_, text, _ := strings.Cut(line, "\t")
			out = append(out, text)
			continue
		}
		v := make([]float64, 4)
		for _, pair := range strings.Fields(line)[1:] {
			index, value, _ := strings.Cut(pair, ":")
			j, wrong := strconv.Atoi(index)
			x, bad := strconv.ParseFloat(value, 64)
			if wrong != nil || bad != nil {
				t.Fatal(wrong, bad)
			}
			v[j] = x
		}
		out = append(out, v)
	}
	return out
}

// TestOldFiles: models that an earlier kerf wrote load, and predict what they did
// then, of files and of records.
func TestOldFiles(t *testing.T) {
	for file, format := range map[string]byte{
		"table.csv": 1, "numbers.libsvm": 1, "strings.txt": 1, "blend.csv": 2, "pairs.libsvm": 3,
	} {
		name := strings.TrimSuffix(file, filepath.Ext(file))
		in := func(name string) string { return filepath.Join("testdata", "old", name) }
		m, err := model.Load(in(name + ".kerf"))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(in(name + ".kerf")); err != nil || b[8] != format {
			t.Fatalf("%s: it is of format %d and not %d: %v", name, b[8], format, err)
		}
		printed, wrong := os.ReadFile(in(name + ".want"))
		text, bad := os.ReadFile(in(file))
		if err := errors.Join(wrong, bad); err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(printed), "\n"), "\n")
		row := 0
		err = m.Encoding.Stream(t.Context(), in(file), dataset.Options{}, func(r *dataset.Rows) error {
			scores, err := m.Scores(t.Context(), run.Control{}, r)
			if err != nil {
				return err
			}
			for i := range scores.Rows {
				wantLine(t, file, row, m.Prediction(scores.Row(i)), want[row], m.Regresses())
				row++
			}
			return nil
		})
		if err != nil || row != len(want) {
			t.Fatalf("%s: %d rows of %d, %v", file, row, len(want), err)
		}
		for i, r := range oldRecords(t, file, string(text)) {
			p, err := m.Predict(r)
			if err != nil {
				t.Fatalf("%s, row %d: %v", file, i+1, err)
			}
			wantLine(t, file, i, p, want[i], m.Regresses())
		}
	}
}
