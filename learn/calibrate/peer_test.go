package calibrate_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// peer is what testdata/README.md describes.
type peer struct {
	Two struct {
		Y                           []int
		S, Fresh, Sigmoid, Isotonic []float64
	}
	Three struct {
		Y                           []int
		S, Fresh, Sigmoid, Isotonic [][]float64
	}
	Weighted struct{ X, Y, W, Fresh, Value []float64 }
}

func readPeer(t *testing.T) peer {
	t.Helper()
	b, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var p peer
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v and should be %v", what, got, want)
	}
}

// pair returns the scores -s and s of one separator.
func pair(s []float64) *data.Matrix {
	m := data.NewMatrix(len(s), 2)
	for i, v := range s {
		m.Row(i)[0], m.Row(i)[1] = -v, v
	}
	return m
}

func matrix(rows [][]float64) *data.Matrix {
	m := data.NewMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}

// TestAgainstScikitLearn compares probabilities. Its sigmoid is minimised by
// BFGS to a gradient of 1e-5, ours to 1e-10 a row.
func TestAgainstScikitLearn(t *testing.T) {
	p := readPeer(t)
	sigmoid, err := calibrate.NewPlatt().Fit(t.Context(), pair(p.Two.S), p.Two.Y)
	if err != nil {
		t.Fatal(err)
	}
	isotonic, err := calibrate.Isotonic{}.Fit(t.Context(), pair(p.Two.S), p.Two.Y)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range p.Two.Fresh {
		near(t, "sigmoid of two", sigmoid.All(pair([]float64{row})).Row(0)[1], p.Two.Sigmoid[i], 1e-5)
		near(t, "isotonic of two", isotonic.All(pair([]float64{row})).Row(0)[1], p.Two.Isotonic[i], 1e-12)
	}
	s := matrix(p.Three.S)
	if sigmoid, err = calibrate.NewPlatt().Fit(t.Context(), s, p.Three.Y); err != nil {
		t.Fatal(err)
	}
	if isotonic, err = (calibrate.Isotonic{}).Fit(t.Context(), s, p.Three.Y); err != nil {
		t.Fatal(err)
	}
	fresh := matrix(p.Three.Fresh)
	a, b := sigmoid.All(fresh), isotonic.All(fresh)
	for i := range fresh.Rows {
		for k := range 3 {
			near(t, "sigmoid of three", a.Row(i)[k], p.Three.Sigmoid[i][k], 1e-5)
			near(t, "isotonic of three", b.Row(i)[k], p.Three.Isotonic[i][k], 1e-12)
		}
	}
	f, err := calibrate.Increasing(p.Weighted.X, p.Weighted.Y, p.Weighted.W)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range p.Weighted.Fresh {
		near(t, "weighted", f.At(x), p.Weighted.Value[i], 1e-12)
	}
}
