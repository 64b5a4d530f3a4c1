package dataset_test

import (
	"bufio"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// realPath returns the path of a public data set, and skips the test without it.
func realPath(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", name)
	}
	return path
}

// rawLines returns the lines of a packed text that are not blank.
func rawLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for s := bufio.NewScanner(z); s.Scan(); {
		if strings.TrimSpace(s.Text()) != "" {
			out = append(out, s.Text())
		}
	}
	return out
}

// same reports whether two instances are the same bits in the same form.
func same(a, b any) bool {
	v, isVector := a.(data.Vector)
	w, _ := b.(data.Vector)
	if !isVector {
		return reflect.DeepEqual(a, b)
	}
	if v.IsSparse() != w.IsSparse() || len(v.Value) != len(w.Value) || v.IsSparse() &&
		!reflect.DeepEqual(v.Index, w.Index) {
		return false
	}
	for i := range v.Value {
		if math.Float64bits(v.Value[i]) != math.Float64bits(w.Value[i]) {
			return false
		}
	}
	return true
}

// checkRecords fits an encoding to a file and compares some of its rows, one at a
// time and in one go, with those that records make.
func checkRecords[T any](t *testing.T, path string, s scale.Kind, o dataset.Options, raw []any) {
	t.Helper()
	rows, err := dataset.Read(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, s, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := dataset.Decode[T](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) != want.X.Len() {
		t.Fatalf("%d raw records for %d rows", len(raw), want.X.Len())
	}
	e = again(t, e)
	check := func(got data.Labeled[T, string], at, row int) {
		t.Helper()
		if !same(got.X.At(at), want.X.At(row)) {
			t.Fatalf("row %d: record %v is %v, in the file %v", row, raw[row], got.X.At(at), want.X.At(row))
		}
	}
	step := len(raw)/200 + 1
	var some []any
	for i := 0; i < len(raw); i += step {
		one, err := e.Record(raw[i])
		if err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
		got, err := dataset.Decode[T](e, one)
		if err != nil || got.X.Len() != 1 {
			t.Fatalf("row %d: %v", i, err)
		}
		check(got, 0, i)
		some = append(some, raw[i])
	}
	many, err := e.Records(some...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.Decode[T](e, many)
	if err != nil || got.X.Len() != len(some) {
		t.Fatal(err)
	}
	for k := range some {
		check(got, k, k*step)
	}
}

// rawCells returns the records of a packed CSV file, by the standard library.
func rawCells(t *testing.T, path string) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.Join(rawLines(t, path), "\n")))
	r.TrimLeadingSpace = true
	all, err := r.ReadAll()
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return all
}

func TestRealTables(t *testing.T) {
	for _, c := range []struct {
		name, target string
		at           int // of the target
		scale        scale.Kind
	}{
		{"adult.csv.gz", "", 14, scale.Standard},
		{"house-votes.csv.gz", "first", 0, scale.None},
		{"concrete.csv.gz", "", 8, scale.Range},
		{"sonar.csv.gz", "", 60, scale.Standard},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := realPath(t, c.name)
			var whole, bare []any
			for _, record := range rawCells(t, path) {
				whole = append(whole, record)
				bare = append(bare, append(append([]string{}, record[:c.at]...), record[c.at+1:]...))
			}
			o := dataset.Options{Target: c.target}
			checkRecords[data.Vector](t, path, c.scale, o, whole)
			checkRecords[data.Vector](t, path, c.scale, o, bare)
		})
	}
}

func TestRealTableByName(t *testing.T) {
	path := realPath(t, "california.csv.gz")
	all := rawCells(t, path)
	var texts, numbers []any
	for _, record := range all[1:] {
		text, number := map[string]any{"a column that nobody knows": "x"}, map[string]any{}
		for j, name := range all[0] {
			text[name] = record[j]
			v, err := strconv.ParseFloat(record[j], 64)
			if err != nil {
				t.Fatal(err)
			}
			number[name] = v
		}
		delete(number, "medianHouseValue")
		texts, numbers = append(texts, text), append(numbers, number)
	}
	o := dataset.Options{Target: "medianHouseValue"}
	checkRecords[data.Vector](t, path, scale.Standard, o, texts)
	checkRecords[data.Vector](t, path, scale.Standard, o, numbers)
}

func TestRealVectors(t *testing.T) {
	path := realPath(t, "heart.libsvm.gz")
	var dense, sparse []any
	for _, line := range rawLines(t, path) {
		row := make([]float64, 14)
		v := data.Vector{Index: []int32{}}
		for _, pair := range strings.Fields(line)[1:] {
			index, value, _ := strings.Cut(pair, ":")
			j, _ := strconv.Atoi(index)
			x, _ := strconv.ParseFloat(value, 64)
			row[j] = x
			v.Index, v.Value = append(v.Index, int32(j)), append(v.Value, x)
		}
		dense, sparse = append(dense, row), append(sparse, v)
	}
	for _, s := range []scale.Kind{scale.None, scale.Range} {
		checkRecords[data.Vector](t, path, s, dataset.Options{}, dense)
		checkRecords[data.Vector](t, path, s, dataset.Options{}, sparse)
	}
}

func TestRealStrings(t *testing.T) {
	path := realPath(t, "celegans-acceptor.fasta.gz")
	var raw []any
	for _, line := range rawLines(t, path) {
		if line[0] == '>' {
			raw = append(raw, "")
		} else {
			raw[len(raw)-1] = raw[len(raw)-1].(string) + line
		}
	}
	checkRecords[string](t, path, scale.None, dataset.Options{}, raw)

	path = realPath(t, "sms-spam.tsv.gz")
	raw = nil
	for _, line := range rawLines(t, path) {
		_, text, _ := strings.Cut(line, "\t")
		raw = append(raw, text)
	}
	checkRecords[string](t, path, scale.None, dataset.Options{Kind: dataset.Strings}, raw)
}

func TestRealSets(t *testing.T) {
	path := realPath(t, "groceries.baskets.gz")
	var items, lines []any
	for _, line := range rawLines(t, path) {
		items, lines = append(items, strings.Split(line, ",")), append(lines, line)
	}
	o := dataset.Options{Target: "none"}
	checkRecords[data.Set](t, path, scale.None, o, items)
	checkRecords[data.Set](t, path, scale.None, o, lines)

	path = realPath(t, "house-votes.csv.gz")
	var cells []any
	for _, record := range rawCells(t, path) {
		cells = append(cells, record)
	}
	checkRecords[data.Set](t, path, scale.None, dataset.Options{Kind: dataset.Sets, Target: "first"}, cells)
}
