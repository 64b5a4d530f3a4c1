package model_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// problemOf is what a map is fitted to.
func problemOf(k kernel.Kernel[data.Vector], x data.Source[data.Vector]) model.Problem[data.Vector] {
	return model.Problem[data.Vector]{Sample: model.Sample[data.Vector]{X: x}, Kernel: k, Seed: 7}
}

func mapped(t *testing.T, m feature.Map[data.Vector], x data.Source[data.Vector]) *data.Matrix {
	t.Helper()
	out, err := feature.Apply(t.Context(), run.Control{}, m, x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestProjectMap: features are x·A for each kind of projection, from dense and sparse rows.
func TestProjectMap(t *testing.T) {
	for _, dense := range []bool{true, false} {
		x := blobsOf(33, 2, dense).X
		for _, kind := range append(project.Kinds(), "") {
			m, err := model.Project[data.Vector]{Dim: 3, Projection: kind}.Fit(t.Context(), problemOf(nil, x))
			if err != nil {
				t.Fatal(err)
			}
			a := m.(feature.Projected).Projection().Matrix()
			for i, got := 0, mapped(t, m, x); i < x.Len(); i++ {
				v := make([]float64, a.Rows)
				x.At(i).CopyTo(v)
				for j := range 3 {
					want, size := 0.0, 0.0
					for r, value := range v {
						want, size = want+value*a.Row(r)[j], size+math.Abs(value*a.Row(r)[j])
					}
					// Sums of few terms in any order; Hadamard has log2(n) additions more.
					if math.Abs(got.Row(i)[j]-want) > 1e-14*(size+1) {
						t.Fatalf("%s: feature %d of row %d is %v, want %v", kind, j, i, got.Row(i)[j], want)
					}
				}
			}
		}
	}
}

// TestExpansions: Powers are powers, and Taylor's inner products the kernel's up to its tail.
func TestExpansions(t *testing.T) {
	line := data.Slice[data.Vector]{data.Dense(-2), data.Dense(0), data.Dense(1.5)}
	m, err := model.NewPowers[data.Vector](3).Fit(t.Context(), problemOf(nil, line))
	if err != nil {
		t.Fatal(err)
	}
	if got := mapped(t, m, line); !slices.Equal(got.Data, []float64{1, -2, 4, -8, 1, 0, 0, 0, 1, 1.5, 2.25, 3.375}) {
		t.Errorf("powers are %v", got.Data)
	}
	k := kernel.Gaussian{Gamma: 0.3}
	if m, err = model.NewTaylor[data.Vector](9).Fit(t.Context(), problemOf(k, line)); err != nil {
		t.Fatal(err)
	}
	got, tail := mapped(t, m, line), feature.TaylorTail(k, 9, 2)
	for i := range line {
		for j := range line {
			sum := 0.0
			for c, v := range got.Row(i) {
				sum += v * got.Row(j)[c]
			}
			if math.Abs(sum-k.Eval(line[i], line[j])) > tail+1e-14 {
				t.Errorf("the product of %d and %d is %v, want %v", i, j, sum, k.Eval(line[i], line[j]))
			}
		}
	}
}

// TestDirectMap: inner products of the rows are the kernel's, and new rows are F2's of all.
func TestDirectMap(t *testing.T) {
	x, k := blobsOf(40, 2, true).X, kernel.Gaussian{Gamma: 0.7}
	m, err := model.NewDirect[data.Vector]().Fit(t.Context(), problemOf(k, x))
	if err != nil {
		t.Fatal(err)
	}
	got := mapped(t, m, x)
	for i := range x.Len() {
		for j := range x.Len() {
			sum := 0.0
			for c, v := range got.Row(i) {
				sum += v * got.Row(j)[c]
			}
			if math.Abs(sum-k.Eval(x.At(i), x.At(j))) > 1e-5 { // the root of what the rank drops
				t.Fatalf("the product of %d and %d is %v, want %v", i, j, sum, k.Eval(x.At(i), x.At(j)))
			}
		}
	}
	if m, err = (model.Direct[data.Vector]{Dim: 5, Projection: project.KindSign, Rank: 1e-12}).Fit(t.Context(),
		problemOf(k, x)); err != nil || m.Dim() != 5 {
		t.Errorf("projected: %v", err)
	}
}

// TestNewMapsRefused: what they are not for is refused in one line.
func TestNewMapsRefused(t *testing.T) {
	x := blobsOf(20, 2, true).X
	words := model.Problem[string]{Sample: model.Sample[string]{X: data.Slice[string]{"a", "b"}}}
	_, project := model.NewProject[string](3).Fit(t.Context(), words)
	_, powers := model.NewPowers[data.Vector](3).Fit(t.Context(), problemOf(nil, x))
	_, taylor := model.NewTaylor[data.Vector](3).Fit(t.Context(), problemOf(kernel.Laplacian{Gamma: 1}, x))
	_, lifted := model.Lift[string]{Dim: 4, Of: model.MapProject, Unit: 1}.Fit(t.Context(), words)
	for name, err := range map[string]error{"project": project, "powers": powers, "taylor": taylor, "lift": lifted} {
		var fault *model.SampleError
		if !errors.As(err, &fault) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, m := range []model.Mapper[data.Vector]{
		model.NewProject[data.Vector](0), model.Project[data.Vector]{Dim: 2, Projection: "nosuch"},
		model.NewPowers[data.Vector](-1), model.NewPowers[data.Vector](1 << 40), model.NewTaylor[data.Vector](-1),
		model.Direct[data.Vector]{Dim: -1}, model.Direct[data.Vector]{Projection: "sign"},
		model.Lift[data.Vector]{Dim: 3, Of: "lift", Unit: 1}, model.Lift[data.Vector]{Dim: 3, Of: "none", Unit: 1},
		model.Lift[data.Vector]{Dim: 0, Of: "f2", Unit: 1}, model.Lift[data.Vector]{Dim: 3, Of: "f2", Unit: math.NaN()},
		model.Lift[data.Vector]{Dim: 3, Of: "f2", Unit: math.Inf(1)}, model.Lift[data.Vector]{Dim: 3, Of: "f2"},
	} {
		if m.Validate() == nil {
			t.Errorf("%+v was taken", m)
		}
	}
}

// TestLambdaIsC: lambda/2·|w|² + mean loss is the same as C = 1/(lambda·m), and with weights m
// is their sum.
func TestLambdaIsC(t *testing.T) {
	d := blobsOf(50, 2, true)
	weight := make([]float64, 50)
	for i := range weight {
		weight[i] = 1 + float64(i%3)
	}
	for _, w := range [][]float64{nil, weight} {
		d.Weight = w
		rows := 50.0
		if w != nil {
			rows = 99
		}
		for _, name := range []string{"svm", "logistic", "pegasos", "kernel-svm"} {
			fit := func(a args) *data.Matrix {
				r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 10)
				r.Learner, r.Choose, r.Calibrate = learnerOf[data.Vector](name, a), false, ""
				if r.Learner.Traits().Kernel {
					r.Map = model.None[data.Vector]{}
				}
				p, _, err := r.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				return p.Separators
			}
			if a, b := fit(args{"lambda": 0.02}), fit(args{"C": 1 / (0.02 * rows)}); !slices.Equal(a.Data, b.Data) {
				t.Errorf("%s: lambda gives other separators than C", name)
			}
		}
	}
	if (model.SVM{C: 1, Lambda: -1, Loss: linear.Hinge, Tolerance: 1e-3, MaxPasses: 1}).Validate() == nil {
		t.Error("a negative lambda was taken")
	}
}
