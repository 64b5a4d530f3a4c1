package cli_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// numbersOf reads the numbers of a table with a header, without its label.
func numbersOf(t *testing.T, path string) [][]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, record := range records[1:] {
		row := make([]float64, len(record)-1)
		for j := range row {
			if row[j], err = strconv.ParseFloat(record[j], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for j := range x {
		sum += x[j] * y[j]
	}
	return sum
}

func gaussian(x, y []float64) float64 {
	d2 := 0.0
	for j := range x {
		d2 += (x[j] - y[j]) * (x[j] - y[j])
	}
	return math.Exp(-d2)
}

// TestMappedLandmarksHaveTheKernelAsInnerProducts maps a sample by F2 with all
// of it as landmarks: then ⟨F2(x), F2(y)⟩ = K(x, y) for all pairs of rows. A
// landmark that F2 leaves out is within 1e-12 of the others' span in squared
// distance, so an inner product is off by 1e-6 at most.
func TestMappedLandmarksHaveTheKernelAsInnerProducts(t *testing.T) {
	dir := t.TempDir()
	c, f := filepath.Join(dir, "c.csv"), filepath.Join(dir, "f.csv")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	mustRun(t, "map", "--fit", c, "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", "60", "-o", f)
	x, mapped := numbersOf(t, c), numbersOf(t, f)
	if len(mapped) != len(x) {
		t.Fatalf("%d rows were mapped to %d", len(x), len(mapped))
	}
	for i := range x {
		for j := range i + 1 {
			if got, want := dot(mapped[i], mapped[j]), gaussian(x[i], x[j]); math.Abs(got-want) > 1e-6 {
				t.Fatalf("rows %d and %d: the inner product of the features is %v and the kernel %v", i+1, j+1, got, want)
			}
		}
	}
}

// TestMappedLengths: with few landmarks F2 is a projection, so features are no
// longer than K(x, x) = 1, and F1's features are values of the kernel.
func TestMappedLengths(t *testing.T) {
	dir := t.TempDir()
	c, f := filepath.Join(dir, "c.csv"), filepath.Join(dir, "f.csv")
	mustRun(t, "gen", "circle", "--n", "300", "-o", c)
	mustRun(t, "map", "--fit", c, "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", "20", "-o", f)
	for i, row := range numbersOf(t, f) {
		if l := dot(row, row); l > 1+1e-9 { // rounding of 20 features
			t.Errorf("row %d has the squared length %v", i+1, l)
		}
	}
	mustRun(t, "map", "--fit", c, "--kernel", "rbf(gamma=1)", "--map", "f1", "--dim", "20", "-o", f)
	ones := make([]int, 20)
	for i, row := range numbersOf(t, f) {
		for j, v := range row {
			if v < 0 || v > 1 {
				t.Errorf("row %d, feature %d is %v", i+1, j+1, v)
			}
			if v == 1 {
				ones[j]++
			}
		}
	}
	for j, n := range ones {
		if n < 1 {
			t.Errorf("no row is landmark %d", j+1)
		}
	}
}

// TestModelMapsAsItScores maps by a model and by the same map fitted without a
// model: the features are the same text.
func TestModelMapsAsItScores(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "xor", "--n", "150", "-o", in("c.csv"))
	for _, kind := range []string{"f1", "f2", "f3"} {
		mustRun(t, "train", in("c.csv"), "--kernel", "rbf(gamma=1)", "--map", kind, "--dim", "15", "--quiet", "-o",
			in("m.kerf"))
		mustRun(t, "map", in("m.kerf"), in("c.csv"), "-o", in("a.csv"))
		mustRun(t, "map", "--fit", in("c.csv"), "--kernel", "rbf(gamma=1)", "--map", kind, "--dim", "15", "-o", in("b.csv"))
		a, err := os.ReadFile(in("a.csv"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(in("b.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s: a model maps otherwise than the map it was trained with", kind)
		}
	}
}
