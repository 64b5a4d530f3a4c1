package explain_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// metric is a random matrix of the given size, as a metric.
func metric(rows, cols int) *kernel.Metric {
	rng := seed.Stream(5, seed.Generator, 0)
	t := data.NewMatrix(rows, cols)
	for i := range t.Data {
		t.Data[i] = rng.NormFloat64()
	}
	return kernel.NewMetric(t)
}

// sparseRows are LIBSVM data of two classes with so many coordinates.
func sparseRows(t *testing.T, width int) string {
	rng := seed.Stream(6, seed.Generator, 0)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d", i%2)
		for j := range width {
			if rng.IntN(3) > 0 || j == width-1 {
				fmt.Fprintf(&b, " %d:%.3f", j, rng.NormFloat64())
			}
		}
		b.WriteString("\n")
	}
	return put(t, "s.libsvm", b.String())
}

// TestDirections: the distance of places in all directions is that of the metric, the
// directions are orthonormal and in the order of their shares, which sum to 1.
func TestDirections(t *testing.T) {
	for _, c := range []struct{ rows, cols int }{{1, 1}, {3, 3}, {2, 7}, {9, 9}, {33, 17}} {
		of := metric(c.rows, c.cols)
		path := sparseRows(t, c.cols)
		m := trained(t, path, fmt.Sprint(kernel.Learned{Of: kernel.Gaussian{Gamma: 0.1}, Metric: of}), "f1(dim=5)", "svm")
		r, x := read(t, m, path)
		all, err := m.Directions(t.Context(), run.Control{}, c.cols)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v: %d parts, %v", c, len(all), err)
		}
		d, sum := all[0], 0.0
		for k, share := range d.Share {
			if sum += share; k > 0 && share > d.Share[k-1] {
				t.Errorf("%v: the shares %v fall not", c, d.Share)
			}
			for l := range k + 1 {
				want := map[bool]float64{true: 1}[k == l]
				if got := data.Dense(d.Along.Row(k)...).Dot(data.Dense(d.Along.Row(l)...)); math.Abs(got-want) > 1e-10 {
					t.Errorf("%v: directions %d and %d have the product %v", c, k, l, got)
				}
			}
		}
		if math.Abs(sum-1) > 1e-12 || d.Names[0] != "0" || len(d.Names) != c.cols {
			t.Errorf("%v: shares sum to %v, names %v", c, sum, d.Names)
		}
		places := d.Places(x)
		for i := 1; i < r.Len(); i++ {
			a, _ := r.Vector(0)
			b, _ := r.Vector(i)
			want := of.Of(a).Distance2(of.Of(b))
			got := data.Dense(places.Row(0)...).Distance2(data.Dense(places.Row(i)...))
			if math.Abs(got-want) > 1e-10*want {
				t.Errorf("%v: rows 0 and %d are %v apart, and their places %v", c, i, want, got)
			}
		}
	}
}

// TestPlane: a plane names the coordinates of most weight, and there is none without a
// learnt metric, of a diagonal one, or of one that is 0.
func TestPlane(t *testing.T) {
	path := put(t, "mixed.csv", mixed(60, 2))
	width := trained(t, path, "rbf", "f1(dim=5)", "svm").Width()
	along := data.NewMatrix(1, width)
	along.Data[0], along.Data[1] = 3, -4
	learned := func(m *kernel.Metric) string {
		return fmt.Sprint(kernel.Learned{Of: kernel.Gaussian{Gamma: 0.1}, Metric: m})
	}
	for _, c := range []struct {
		kernel string
		none   bool
	}{{"rbf", true}, {learned(kernel.NewDiagonal(make([]float64, width))), true},
		{learned(kernel.NewMetric(data.NewMatrix(2, width))), true}, {learned(kernel.NewMetric(along)), false}} {
		m := trained(t, path, c.kernel, "f1(dim=5)", "svm")
		r, x := read(t, m, path)
		p, err := explain.NewPlane(t.Context(), run.Control{}, m, x, truth(t, m, r))
		if err != nil || (p == nil) != c.none {
			t.Fatalf("%s: %v, %v", c.kernel, p, err)
		}
		if c.none {
			continue
		}
		names := m.Encoding.Table.Coordinates()
		first := p.Directions[0]
		if first.Share < 1-1e-12 || p.Part != 0 || len(p.Classes) != 2 || p.Places.Rows != r.Len() ||
			!near(first.Coordinates, names) {
			t.Errorf("%+v", p)
		}
	}
	for kind, k := range map[string]string{"strings": "spectrum(k=2)", "sets": "jaccard"} {
		path := kinds(t)[kind]
		m := trained(t, path, k, "", "")
		r, x := read(t, m, path)
		if p, err := explain.NewPlane(t.Context(), run.Control{}, m, x, truth(t, m, r)); p != nil || err != nil {
			t.Errorf("%s: %v, %v", kind, p, err)
		}
	}
}

// near reports whether the coordinates are 0.8 of the second name and -0.6 of the first.
func near(c []explain.Coordinate, names []string) bool {
	return len(c) == 2 && c[0].Name == names[1] && c[1].Name == names[0] && math.Abs(c[0].Weight-0.8) < 1e-9 &&
		math.Abs(c[1].Weight+0.6) < 1e-9
}
