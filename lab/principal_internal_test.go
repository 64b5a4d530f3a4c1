package lab

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/run"
)

// TestPrincipal compares the plane of principal directions with that of all eigenvectors of
// the covariance, for dense and sparse rows.
func TestPrincipal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{2, 3, 9, 40} {
		const n = 200
		x, dense := make([]data.Vector, n), data.NewMatrix(n, width)
		for i := range x {
			var index []int32
			var values []float64
			for j := range width {
				if v := (5 + rng.NormFloat64()) / float64(j+1); i%2 == 0 || rng.Float64() < 0.7 {
					dense.Row(i)[j] = v
					index, values = append(index, int32(j)), append(values, v)
				}
			}
			if i%2 == 0 {
				x[i] = data.Dense(values...)
			} else {
				x[i] = data.Vector{Index: index, Value: values}
			}
		}
		got, share, err := principal(t.Context(), x, width)
		if err != nil {
			t.Fatal(err)
		}
		mean, c := make([]float64, width), data.NewMatrix(width, width)
		for i := range n {
			for j, v := range dense.Row(i) {
				mean[j] += v / n
			}
		}
		trace := 0.0
		for j := range width {
			for k := range width {
				for i := range n {
					c.Row(j)[k] += (dense.Row(i)[j] - mean[j]) * (dense.Row(i)[k] - mean[k]) / n
				}
			}
			trace += c.Row(j)[j]
		}
		values, vectors, err := linalg.Eigen(context.Background(), run.Control{}, c)
		if err != nil {
			t.Fatal(err)
		}
		for d := range 2 {
			// Convergence after 60 steps: the eigenvalues of these data are far from the ninth.
			if want := values[width-1-d] / trace; math.Abs(share[d]-want) > 1e-6 {
				t.Errorf("width %d: share %d is %v, want %v", width, d, share[d], want)
			}
			w := make([]float64, width)
			for j := range w {
				w[j] = vectors.Row(j)[width-1-d]
			}
			upright(w)
			for i := range n {
				want := 0.0
				for j, v := range dense.Row(i) {
					want += (v - mean[j]) * w[j]
				}
				if math.Abs(got.Row(i)[d]-want) > 1e-4 {
					t.Fatalf("width %d: row %d along direction %d is %v, want %v", width, i, d, got.Row(i)[d], want)
				}
			}
		}
	}
}

// TestPrincipalOfOne takes rows that are all the same, and a single column.
func TestPrincipalOfOne(t *testing.T) {
	x := []data.Vector{data.Dense(3, 4), data.Dense(3, 4)}
	got, share, err := principal(t.Context(), x, 2)
	if err != nil || share[0] != 0 {
		t.Fatalf("%v, shares %v", err, share)
	}
	for _, v := range got.Data {
		if math.Abs(v) > 1e-12 {
			t.Errorf("rows that are the same lie at %v", got.Data)
		}
	}
}

// TestShares compares the shares of many columns with all eigenvalues.
func TestShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, width = 300, 90
	x := data.NewMatrix(n, width)
	for i := range n {
		for j := range width {
			x.Row(i)[j] = rng.NormFloat64() * math.Pow(0.8, float64(j))
		}
	}
	got, err := shares(t.Context(), run.Control{}, x)
	if err != nil {
		t.Fatal(err)
	}
	c, sum := data.NewMatrix(width, width), 0.0
	for j := range width {
		for k := range width {
			for i := range n {
				c.Row(j)[k] += x.Row(i)[j] * x.Row(i)[k]
			}
		}
		sum += c.Row(j)[j]
	}
	values, _, err := linalg.Eigen(t.Context(), run.Control{}, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != mostShown {
		t.Fatalf("%d shares", len(got))
	}
	for i := range got[:mostShown-10] {
		want := values[width-1-i] / sum
		if math.Abs(got[i]-want) > 1e-3*want+1e-14 {
			t.Errorf("share %d is %v, want %v", i, got[i], want)
		}
	}
}

// FuzzRow reads rows that were typed: no form panics, and numbers are finite.
func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"columns": {"a": 1, "b": null}}`), byte(0))
	f.Add([]byte(`{"text": "3:1 11:0.5"}`), byte(3))
	f.Add([]byte(`{"text": "1, 2;3"}`), byte(4))
	f.Add([]byte(`{"text": "milk, bread"}`), byte(2))
	forms := []dataset.Form{dataset.Columns, dataset.Text, dataset.Items, dataset.Indexed, dataset.Numbers}
	f.Fuzz(func(t *testing.T, text []byte, form byte) {
		row, err := readRow(forms[int(form)%len(forms)], text)
		if err != nil {
			return
		}
		switch v := row.(type) {
		case data.Vector:
			if !v.Finite() {
				t.Errorf("%s gives %v", text, v)
			}
		case []float64:
			if !data.Dense(v...).Finite() {
				t.Errorf("%s gives %v", text, v)
			}
		}
	})
}
