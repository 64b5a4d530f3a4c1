package dataset_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
)

// written reads what a file of the name and content has.
func written(t *testing.T, name, content string, o dataset.Options) *dataset.Rows {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := dataset.Read(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// coded fits an encoding to some rows and returns the vectors that it makes of others.
func coded(t *testing.T, fitted, rows *dataset.Rows) [][]float64 {
	t.Helper()
	e, err := dataset.Fit(fitted, nil, scale.Standard, dataset.Options{Target: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = e.Given(rows); err != nil {
		t.Fatal(err)
	}
	x, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]float64, x.X.Len())
	for i := range out {
		out[i] = make([]float64, data.Dim(x.X))
		x.X.At(i).CopyTo(out[i])
	}
	return out
}

func sameVectors(a, b [][]float64) bool {
	return slices.EqualFunc(a, b, func(p, q []float64) bool { return slices.Equal(p, q) })
}

// TestOfTable compares a table of a program with the CSV file of the same cells.
func TestOfTable(t *testing.T) {
	nan := math.NaN()
	given, err := dataset.OfTable("X", []dataset.GivenColumn{
		{Name: "age", Numbers: []float64{20, 31.5, nan, 48, 70, 22, 35, 41}},
		{Name: "job", Texts: []string{"smith", "clerk", "smith", "", "nurse", "clerk", "clerk", "smith"}},
	}, run.Control{})
	if err != nil {
		t.Fatal(err)
	}
	file := written(t, "a.csv", "age,job\n20,smith\n31.5,clerk\n,smith\n48,\n70,nurse\n22,clerk\n35,clerk\n41,smith\n",
		dataset.Options{Target: "none"})
	if err := given.Settle(dataset.Options{}); err != nil || given.Kind != dataset.Vectors {
		t.Fatal(err, given.Kind)
	}
	want := coded(t, file, file)
	if !sameVectors(coded(t, given, given), want) || !sameVectors(coded(t, file, given), want) {
		t.Error("the vectors of a table differ from those of its file")
	}
}

// TestOfMatrix compares a matrix with tables and sparse data of the same numbers.
func TestOfMatrix(t *testing.T) {
	x := &data.Matrix{Rows: 4, Cols: 2, Data: []float64{1, 0, 0, 2.5, 3, -1, 0, 0}}
	given, err := dataset.OfMatrix("X", x)
	if err != nil {
		t.Fatal(err)
	}
	if !given.Measured() || given.HasNumbers() {
		t.Error("a matrix is measured, and no table")
	}
	table := written(t, "a.csv", "a,b\n1,0\n0,2.5\n3,-1\n0,0\n", dataset.Options{Target: "none"})
	if !sameVectors(coded(t, table, given), coded(t, table, table)) {
		t.Error("numbers by position are not those of the table")
	}
	sparse := written(t, "a.libsvm", "1 1:1\n1 2:2.5\n1 1:3 2:-1\n1\n", dataset.Options{})
	if !sameVectors(coded(t, sparse, given), coded(t, sparse, sparse)) {
		t.Error("columns of a matrix are not indices from 1")
	}
	csr := &data.CSR{Cols: 2, Ptr: []int{0, 1, 2, 4, 4}, Index: []int32{0, 1, 0, 1}, Value: []float64{1, 2.5, 3, -1}}
	thin, err := dataset.OfSparse("X", csr)
	if err != nil {
		t.Fatal(err)
	}
	if !sameVectors(coded(t, sparse, thin), coded(t, sparse, sparse)) ||
		!sameVectors(coded(t, given, thin), coded(t, given, given)) {
		t.Error("sparse rows are not those of the file, or of the matrix")
	}
	e, err := dataset.Fit(given, nil, scale.Standard, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wide, _ := dataset.OfMatrix("X", data.NewMatrix(1, 3))
	if err := wide.Fits(e, 2); err == nil {
		t.Error("a column more is no fault")
	}
	if err := given.Fits(e, 2); err != nil {
		t.Error(err)
	}
}

func TestOfTextsAndSets(t *testing.T) {
	texts, err := dataset.OfTexts("X", []string{"ab", "", "line\nend"})
	if err != nil || texts.Len() != 3 {
		t.Fatal(err)
	}
	if err := texts.Settle(dataset.Options{Kind: dataset.Vectors}); err == nil {
		t.Error("texts are vectors")
	}
	sets, err := dataset.OfSets("X", [][]string{{"b", "a ", "a", ""}, {}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(sets, nil, scale.None, dataset.Options{Target: "none"})
	if err != nil || e.Target != "none" {
		t.Fatal(err, e)
	}
	x, err := dataset.Decode[data.Set](e, sets)
	if err != nil || !slices.Equal(x.X.At(0), data.NewSet("a", "b")) || len(x.X.At(1)) != 0 {
		t.Error(x, err)
	}
	if _, err := e.Given(texts); err != nil { // lines of items
		t.Error(err)
	}
	matrix, _ := dataset.OfMatrix("X", data.NewMatrix(1, 1))
	if _, err := e.Given(matrix); err == nil {
		t.Error("numbers are sets")
	}
}

// TestGivenFaults lists what no rows can be.
func TestGivenFaults(t *testing.T) {
	bad := func(r *dataset.Rows, err error) error { return err }
	x, _ := dataset.OfMatrix("X", data.NewMatrix(2, 1))
	table := func(columns ...dataset.GivenColumn) error { return bad(dataset.OfTable("X", columns, run.Control{})) }
	sparse := func(cols int, index []int32, value ...float64) error {
		return bad(dataset.OfSparse("X", &data.CSR{Cols: cols, Ptr: []int{0, len(value)}, Index: index, Value: value}))
	}
	for want, err := range map[string]error{
		"NaN":          bad(dataset.OfMatrix("X", &data.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}})),
		"no rows":      bad(dataset.OfMatrix("X", data.NewMatrix(0, 3))),
		"there are":    bad(dataset.OfTexts("X", nil)),
		"not UTF-8":    bad(dataset.OfTexts("X", []string{"\xff"})),
		"cannot":       bad(dataset.OfSets("X", [][]string{{"a,b"}})),
		"twice":        table(dataset.GivenColumn{Name: "a"}, dataset.GivenColumn{Name: "a"}),
		"cells":        table(dataset.GivenColumn{Name: "a", Numbers: []float64{1}}, dataset.GivenColumn{Name: "b"}),
		"finite":       sparse(1, []int32{0}, math.Inf(1)),
		"order":        sparse(2, []int32{1, 0}, 1, 1),
		"1 labels":     x.Beside([]string{"a"}, nil),
		"3 weights":    x.Beside(nil, make([]float64, 3)),
		"weight -1":    x.Beside(nil, []float64{1, -1}),
		"nothing":      x.Beside(nil, []float64{0, 0}),
		"label is not": x.Beside([]string{"a", "\xff"}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
