package job_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// vectorsOf reads a table as it is.
func vectorsOf(t *testing.T, path string) data.Labeled[data.Vector, string] {
	t.Helper()
	rows, err := dataset.Read(t.Context(), path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, scale.None, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFindMargin: the curve is the recipe's, it rises, and the choice lies on it.
func TestFindMargin(t *testing.T) {
	path := circle(t, 400, 0.05)
	o := job.NewMarginOptions()
	o.Choices.Kernel, o.Dim = "rbf(gamma=1)", 50
	got, err := job.FindMargin(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	k, err := spec.Vectors{}.Kernel("rbf(gamma=1)")
	if err != nil {
		t.Fatal(err)
	}
	curve, err := model.NewRecipe(k, 50).Curve(t.Context(), vectorsOf(t, path))
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != curve.Len() || got.N != 400 || len(got.Curve) > o.Points {
		t.Errorf("%d of %d rows, %d points", got.Rows, got.N, len(got.Curve))
	}
	for i, p := range got.Curve {
		if p.Error != curve.At(p.Margin) || i > 0 && (p.Margin < got.Curve[i-1].Margin || p.Error < got.Curve[i-1].Error) {
			t.Errorf("point %d is %+v, after %+v; the recipe has %v", i, p, got.Curve[max(i-1, 0)], curve.At(p.Margin))
		}
	}
	if got.Noise != curve.At(got.Margin) || !near(got.TotalError, curve.At(0)+o.Error) || got.Landmarks < 1 ||
		got.Picture == "" {
		t.Errorf("%+v", got)
	}
	wantKeys(t, object(t, got), "curve", "margin")
	wantSameJSON(t, got, "margin", path, "--kernel", "rbf(gamma=1)", "--dim", "50")
}

// TestCheck: a kernel passes; of a similarity that is none the witness shows it, by
// the sum that the definition has.
func TestCheck(t *testing.T) {
	path := circle(t, 80, 0)
	d := vectorsOf(t, path)
	for _, c := range []struct {
		kernel string
		psd    bool
		rank   int // 0 for any
	}{
		{"rbf(gamma=1)", true, 0}, {"linear", true, 2}, {"poly(degree=2)", true, 6}, {"laplace(gamma=1)", true, 80},
		{"sigmoid(gamma=1,coef=1)", false, 0},
	} {
		o := job.NewCheckOptions()
		o.Choices.Kernel, o.Sample = c.kernel, 60
		if c.rank == 80 {
			o.Sample = 200
		}
		got, err := job.Check(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		if got.PSD != c.psd || !got.Symmetric || got.N != min(o.Sample, 80) || c.rank > 0 && got.Rank != c.rank {
			t.Errorf("%s: %+v", c.kernel, got)
		}
		wantKeys(t, object(t, got), "symmetric", "psd", "min_eigenvalue", "rank")
		if got.Witness == nil {
			continue
		}
		k, err := spec.Vectors{}.Kernel(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		sum, w := 0.0, got.Witness
		for i, a := range w.Coefficients {
			for j, b := range w.Coefficients {
				sum += a * b * k.Eval(d.X.At(w.Rows[i]-1), d.X.At(w.Rows[j]-1))
			}
		}
		if !(sum < 0) || math.Abs(sum-w.Value) > 1e-6 { // the coefficients have length 1, the sums 3,600 terms of at most 1
			t.Errorf("%s: the sum of the witness is %v, it says %v", c.kernel, sum, w.Value)
		}
	}
	o := job.NewCheckOptions()
	o.Choices.Kernel = "sigmoid(gamma=1,coef=1)"
	got, err := job.Check(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	wantSameJSON(t, got, "check", path, "--kernel", "sigmoid(gamma=1,coef=1)")
}

// TestDemo: the mapped methods split the rings, which the data themselves do not.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains 39 models")
	}
	d, err := job.Demo(t.Context(), job.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	wantKeys(t, object(t, d), "results", "report")
	for _, r := range d.Results {
		if linear := r.Method == job.DemoLinear; linear != (r.Error > 0.2) {
			t.Errorf("%s has error %v", r.Method, r.Error)
		}
		for i, y := range d.Test.Y[:50] {
			v := d.Test.X.At(i).Value
			if r.Error == 0 && (d.Score(r.Method, v[0], v[1]) > 0) != (y == d.Classes[1]) {
				t.Errorf("%s: row %d is on the wrong side", r.Method, i)
			}
		}
	}
}
