package linear_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

var (
	_ learn.Learner[data.Vector, float64, *linear.Separator] = linear.Ridge{}
	_ learn.Predictor[data.Vector, float64]                  = (*linear.Regressor)(nil)
)

// refit solves the normal equations of the rows in use for one target: b is an
// unknown like the others, without penalty.
func refit(
	x data.Source[data.Vector], y, c []float64, lambda float64, intercept bool, use func(i int) bool,
) *linear.Regressor {
	d := data.Dim(x)
	a, b := mat.NewDense(d+1, d+1, nil), mat.NewVecDense(d+1, nil)
	row := make([]float64, d+1)
	for i := range x.Len() {
		if !use(i) {
			continue
		}
		x.At(i).CopyTo(row)
		row[d] = 1
		if !intercept {
			row[d] = 0
		}
		for j, u := range row {
			for k, v := range row {
				a.Set(j, k, a.At(j, k)+c[i]*u*v)
			}
			b.SetVec(j, b.AtVec(j)+c[i]*u*y[i])
		}
	}
	for j := range d {
		a.Set(j, j, a.At(j, j)+lambda)
	}
	if !intercept {
		a.Set(d, d, 1)
	}
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		var bad mat.Condition
		if !errors.As(err, &bad) {
			panic(err)
		}
	}
	return &linear.Regressor{W: w.RawVector().Data[:d], Bias: w.AtVec(d)}
}

func everyRow(int) bool { return true }

// targets returns n×k normal numbers and n weights.
func targets(n, k int, s uint64) (*data.Matrix, []float64) {
	rng := seed.Stream(s, seed.Noise, 0)
	y, c := data.NewMatrix(n, k), make([]float64, n)
	for i := range y.Data {
		y.Data[i] = 3 + rng.NormFloat64()
	}
	for i := range c {
		c[i] = 0.5 + 2*rng.Float64()
	}
	return y, c
}

func column(m *data.Matrix, k int) []float64 {
	v := make([]float64, m.Rows)
	for i := range v {
		v[i] = m.Row(i)[k]
	}
	return v
}

func nearAll(t testing.TB, what string, a, b []float64, tol float64) {
	t.Helper()
	largest := 0.0
	for i := range b {
		largest = max(largest, math.Abs(b[i]))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol*max(largest, 1e-12)) {
			t.Errorf("%s: %v at %d, want %v", what, a[i], i, b[i])
			return
		}
	}
}

// The path is that of single solves, and leave-one-out errors are those of n
// refits, on both sides of n = d and for dense and sparse rows.
func TestRidgeLeaveOneOut(t *testing.T) {
	lambdas := []float64{1e-3, 0.1, 1, 30}
	for _, size := range [][2]int{{3, 1}, {9, 8}, {8, 8}, {7, 8}, {40, 6}, {6, 40}, {65, 9}, {9, 65}, {2, 5}} {
		for _, intercept := range []bool{false, true} {
			for _, form := range []string{"dense", "sparse"} {
				n, d := size[0], size[1]
				x := noisy(n, d, 0, uint64(n+d))
				for i := range x.X.(*data.Matrix).Data { // most of the sparse rows are zero
					if form == "sparse" && i%20 != 0 && i%(d+1) != 0 {
						x.X.(*data.Matrix).Data[i] = 0
					}
				}
				if form == "sparse" {
					x = sparse(x)
				}
				y, c := targets(n, 2, uint64(n))
				recipe := linear.NewRidge()
				recipe.Lambdas, recipe.Intercept = lambdas, intercept
				steps, err := recipe.LeaveOneOut(t.Context(), x.X, y, c)
				if err != nil {
					t.Fatal(err)
				}
				for l, s := range steps {
					what := fmt.Sprintf("%d×%d %s, intercept %v, λ=%v", n, d, form, intercept, s.Lambda)
					one := recipe
					one.Lambdas, one.Lambda = nil, lambdas[l]
					single, err := one.LeaveOneOut(t.Context(), x.X, y, c)
					if err != nil {
						t.Fatal(err)
					}
					near(t, what+": LOO of one λ", single[0].LOO, s.LOO, 1e-7)
					near(t, what+": GCV of one λ", single[0].GCV, s.GCV, 1e-7)
					near(t, what+": objective of one λ", single[0].Objective, s.Objective, 1e-9)
					for k := range 2 {
						target := column(y, k)
						want := refit(x.X, target, c, s.Lambda, intercept, everyRow)
						nearAll(t, what+": w", append(s.Models[k].W, s.Models[k].Bias), append(want.W, want.Bias), 1e-8)
						nearAll(t, what+": w of one λ", append(single[0].Models[k].W, single[0].Models[k].Bias),
							append(want.W, want.Bias), 1e-8)
						loo, weight := 0.0, 0.0
						for i := range n {
							m := refit(x.X, target, c, s.Lambda, intercept, func(j int) bool { return j != i })
							e := m.Predict(x.X.At(i)) - target[i]
							loo += c[i] * e * e
							weight += c[i]
						}
						near(t, what+": LOO", s.Errors[k], loo/weight, 1e-7)
					}
				}
			}
		}
	}
}

func TestRidgeAgainstScikit(t *testing.T) {
	d := open(t, "small")
	f, err := os.Open(filepath.Join("testdata", "ridge.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	y := data.NewMatrix(120, 2)
	for i, label := range d.Y {
		row := make([]float64, 8)
		d.X.At(i).CopyTo(row)
		y.Row(i)[0], y.Row(i)[1] = label, row[0]*label+0.5*row[3]
	}
	lines := bufio.NewScanner(f)
	lines.Scan()
	for lines.Scan() {
		var v []float64
		for _, s := range strings.Fields(lines.Text()) {
			a, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, a)
		}
		n := int(v[0])
		recipe := linear.NewRidge()
		recipe.Intercept, recipe.Lambda = v[1] == 1, v[3]
		mean, weight := 1.0, []float64(nil)
		if v[2] == 1 {
			mean = 0
			for i := range n {
				c := 0.5 + float64(i%4)/2
				weight = append(weight, c)
				mean += c / float64(n)
			}
		}
		part := &data.Matrix{Rows: n, Cols: 2, Data: y.Data[:2*n]}
		steps, err := recipe.LeaveOneOut(t.Context(), data.Range[data.Vector]{Of: d.X, Lo: 0, Hi: n}, part, weight)
		if err != nil {
			t.Fatal(err)
		}
		// scikit-learn divides by the number of rows, not by the sum of weights.
		near(t, "loo 0", steps[0].Errors[0]*mean, v[4], 1e-9)
		near(t, "loo 1", steps[0].Errors[1]*mean, v[5], 1e-9)
		nearAll(t, "w", append(steps[0].Models[0].W, steps[0].Models[0].Bias), v[6:], 1e-9)
	}
}

// A row of weight 2 is two rows; one of weight 0 is none.
func TestRidgeWeightsAreRepetitions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(2, 20).Draw(rt, "n"), rapid.IntRange(1, 20).Draw(rt, "d")
		x := noisy(n, d, 0, rapid.Uint64().Draw(rt, "seed"))
		y, _ := targets(n, 1, 5)
		count := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(rt, "count")
		count[0] = 1
		recipe := linear.NewRidge()
		recipe.Intercept = rapid.Bool().Draw(rt, "intercept")
		var index []int
		var weight []float64
		for i, c := range count {
			weight = append(weight, float64(c))
			for range c {
				index = append(index, i)
			}
		}
		weighted, r, err := recipe.FitTargets(t.Context(), x.X, y, weight)
		if err != nil {
			rt.Fatal(err)
		}
		repeated := sample{X: x.X, Y: column(y, 0)}.Select(index)
		want, q, err := recipe.FitValues(t.Context(), repeated)
		if err != nil {
			rt.Fatal(err)
		}
		nearAll(t, "w", append(weighted[0].W, weighted[0].Bias), append(want.W, want.Bias), 1e-8)
		near(t, "objective", r.Objective, q.Objective, 1e-8)
	})
}

func TestRidgeDegenerate(t *testing.T) {
	inf := math.Inf(1)
	collinear := data.NewMatrix(30, 4)
	for i := range 30 {
		v := math.Sin(float64(i))
		copy(collinear.Row(i), []float64{v, 2 * v, 7, v})
	}
	huge := data.NewMatrix(5, 2)
	for i := range huge.Data {
		huge.Data[i] = 1e139 * math.Cos(float64(i))
	}
	tiny := data.NewMatrix(5, 2)
	for i := range tiny.Data {
		tiny.Data[i] = 1e-150 * math.Cos(float64(i))
	}
	for name, x := range map[string]data.Source[data.Vector]{
		"one row": data.Slice[data.Vector]{data.Dense(1, 2)}, "one empty row": data.Slice[data.Vector]{{}},
		"empty rows": data.Slice[data.Vector]{{}, {}, {}},
		"same rows":  data.Slice[data.Vector]{data.Dense(1, 2, 3), data.Dense(1, 2, 3)},
		"collinear":  collinear, "huge": huge, "tiny": tiny,
		"zeros": data.NewMatrix(4, 3), "zeros, wide": data.NewMatrix(2, 3),
	} {
		for _, lambdas := range [][]float64{{1}, {1e-300, 1e-12, 1, 1e300}, {1e-300}, {1e300}} {
			for _, intercept := range []bool{true, false} {
				n := x.Len()
				y, _ := targets(n, 1, 1)
				recipe := linear.NewRidge()
				recipe.Lambdas, recipe.Intercept = lambdas, intercept
				steps, err := recipe.LeaveOneOut(t.Context(), x, y, nil)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, s := range steps {
					for _, v := range append([]float64{s.Objective, s.Freedom, s.Models[0].Bias}, s.Models[0].W...) {
						if v-v != 0 {
							t.Fatalf("%s, λ=%v: %+v, %+v", name, s.Lambda, s, s.Models[0])
						}
					}
					if !(s.LOO >= 0) || !(s.GCV >= 0) {
						t.Errorf("%s, λ=%v: LOO %v, GCV %v", name, s.Lambda, s.LOO, s.GCV)
					}
					if name == "one row" && intercept &&
						(s.LOO != inf || math.Abs(s.Models[0].Predict(x.At(0))-y.Data[0]) > 1e-15*y.Data[0]) {
						t.Errorf("one row: %+v", s)
					}
					if name == "collinear" && (math.Abs(s.Models[0].W[0]-s.Models[0].W[3]) > 1e-6 ||
						math.Abs(s.Models[0].W[2]) > 1e-6 && intercept) {
						t.Errorf("collinear, λ=%v: w = %v", s.Lambda, s.Models[0].W)
					}
				}
			}
		}
	}
}

// With many more rows than a block the sums agree with the normal equations;
// any number of workers gives the same bits.
func TestRidgeWorkers(t *testing.T) {
	for _, size := range [][2]int{{2100, 33}, {60, 200}} {
		x := noisy(size[0], size[1], 0, 4)
		y, c := targets(size[0], 3, 9)
		for form, x := range map[string]sample{"dense": x, "sparse": sparse(x), "few": few(x)} {
			for _, lambdas := range [][]float64{{0.5}, {0.5, 5, 50}} {
				recipe := linear.NewRidge()
				recipe.Lambdas = lambdas
				var first []linear.RidgeStep
				for _, workers := range []int{1, 2, 3} {
					recipe.Run = run.Control{Workers: workers}
					steps, err := recipe.LeaveOneOut(t.Context(), x.X, y, c)
					if err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = steps
					}
					if !reflect.DeepEqual(first, steps) {
						t.Errorf("%v %s: %d workers give other bits", size, form, workers)
					}
				}
				want := refit(x.X, column(y, 2), c, lambdas[0], true, everyRow)
				nearAll(t, form, append(first[0].Models[2].W, first[0].Models[2].Bias), append(want.W, want.Bias), 1e-8)
			}
		}
	}
}

// A path of factorisations, one a λ, is that of the eigendecomposition that a
// tiny λ calls for.
func TestRidgeOneByOne(t *testing.T) {
	for _, size := range [][2]int{{300, 260}, {260, 300}} {
		x := noisy(size[0], size[1], 0, 4)
		y, c := targets(size[0], 2, 9)
		recipe := linear.NewRidge()
		recipe.Lambdas = []float64{0.5, 5, 50}
		one, err := recipe.LeaveOneOut(t.Context(), x.X, y, c)
		if err != nil {
			t.Fatal(err)
		}
		recipe.Lambdas = append(recipe.Lambdas, 1e-14)
		all, err := recipe.LeaveOneOut(t.Context(), x.X, y, c)
		if err != nil {
			t.Fatal(err)
		}
		for l := range one {
			near(t, "LOO", one[l].LOO, all[l].LOO, 1e-9)
			near(t, "GCV", one[l].GCV, all[l].GCV, 1e-9)
			near(t, "freedom", one[l].Freedom, all[l].Freedom, 1e-9)
			nearAll(t, "w", one[l].Models[1].W, all[l].Models[1].W, 1e-9)
		}
	}
}

// few keeps every fortieth coordinate as a sparse row.
func few(d sample) sample {
	m := data.NewMatrix(d.X.Len(), data.Dim(d.X))
	for i := range m.Rows {
		for j, v := range d.X.At(i).Value {
			if (i*7+j)%40 == 0 {
				m.Row(i)[j] = v
			}
		}
		m.Row(i)[m.Cols-1] = 1e-3 * float64(i%3)
	}
	return sparse(sample{X: m, Y: d.Y})
}

func TestRidgeFromSums(t *testing.T) {
	x := noisy(300, 7, 0, 2)
	y, c := targets(300, 1, 3)
	for _, intercept := range []bool{true, false} {
		recipe := linear.NewRidge()
		recipe.Lambdas, recipe.Intercept = []float64{0.1, 10}, intercept
		want, err := recipe.LeaveOneOut(t.Context(), x.X, y, c)
		if err != nil {
			t.Fatal(err)
		}
		sums := linear.NewSums(7)
		if err := sums.Add(t.Context(), run.Control{}, x.X, y.Data, c); err != nil {
			t.Fatal(err)
		}
		got, err := recipe.FromSums(t.Context(), sums)
		if err != nil {
			t.Fatal(err)
		}
		for l := range got {
			nearAll(t, "w", append(got[l].Models[0].W, got[l].Models[0].Bias),
				append(want[l].Models[0].W, want[l].Models[0].Bias), 1e-10)
			near(t, "gcv", got[l].GCV, want[l].GCV, 1e-10)
			near(t, "freedom", got[l].Freedom, want[l].Freedom, 1e-10)
			near(t, "objective", got[l].Objective, want[l].Objective, 1e-10)
		}
	}
	if _, err := linear.NewRidge().FromSums(t.Context(), linear.NewSums(3)); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
}

func TestRidgeClasses(t *testing.T) {
	x := noisy(200, 3, 0, 6)
	y := make([]int, 200)
	for i := range y {
		y[i] = i % 3
		x.X.(*data.Matrix).Row(i)[y[i]] += 6
	}
	m, r, err := linear.NewRidge().FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: x.X, Y: y}, 3)
	if err != nil || r.Status != learn.Converged {
		t.Fatal(err, r)
	}
	wrong := 0
	for i, class := range y {
		if m.Predict(x.X.At(i)) != class {
			wrong++
		}
	}
	if wrong > 2 {
		t.Errorf("%d of 200 wrong", wrong)
	}
	_, _, err = linear.NewRidge().FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: x.X, Y: y}, 1)
	if err == nil || !strings.Contains(err.Error(), "classes is 1") {
		t.Errorf("one class: %v", err)
	}
}

// The λ chosen is that of the least leave-one-out error.
func TestRidgeChooses(t *testing.T) {
	d := noisy(60, 20, 0.2, 8)
	recipe := linear.NewRidge()
	for l := 1e-3; l < 1e5; l *= 4 {
		recipe.Lambdas = append(recipe.Lambdas, l)
	}
	y := &data.Matrix{Rows: 60, Cols: 1, Data: d.Y}
	steps, err := recipe.LeaveOneOut(t.Context(), d.X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	best := linear.BestRidge(steps)
	for _, s := range steps {
		if s.LOO < best.LOO {
			t.Errorf("λ=%v has %v, chosen %v with %v", s.Lambda, s.LOO, best.Lambda, best.LOO)
		}
	}
	if best.Lambda == recipe.Lambdas[0] || best.Lambda == recipe.Lambdas[len(recipe.Lambdas)-1] {
		t.Errorf("λ=%v is at the end of the path", best.Lambda)
	}
	m, _, err := recipe.FitValues(t.Context(), d)
	if err != nil || !reflect.DeepEqual(m, best.Models[0]) {
		t.Errorf("the fit is not that of the best λ: %v", err)
	}
}

func TestRidgeFaults(t *testing.T) {
	err := linear.Ridge{Lambda: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "lambda is -1") {
		t.Errorf("faults: %v", err)
	}
	x := data.NewMatrix(2, 1)
	for name, c := range map[string]struct {
		recipe linear.Ridge
		y      *data.Matrix
		weight []float64
		want   string
	}{
		"short": {linear.NewRidge(), &data.Matrix{Rows: 2, Cols: 1, Data: []float64{1}}, nil,
			"2×1 targets hold 1 numbers"},
		"no target":   {linear.NewRidge(), data.NewMatrix(2, 0), nil, "2×0 targets"},
		"few targets": {linear.NewRidge(), data.NewMatrix(1, 1), nil, "1×1 targets"},
		"nan": {linear.NewRidge(), &data.Matrix{Rows: 2, Cols: 1, Data: []float64{0, math.NaN()}}, nil,
			"row 2: target 1 is NaN"},
		"weights":   {linear.NewRidge(), data.NewMatrix(2, 1), []float64{1}, "1 weights for 2 rows"},
		"no weight": {linear.NewRidge(), data.NewMatrix(2, 1), []float64{0, 0}, "all weights are 0"},
		"lambdas":   {linear.Ridge{Lambdas: []float64{1, math.Inf(1)}}, data.NewMatrix(2, 1), nil, "lambda is +Inf"},
		"memory":    {linear.Ridge{Lambda: 1, Run: run.Control{Memory: 8}}, data.NewMatrix(2, 1), nil, "memory"},
	} {
		if _, err := c.recipe.LeaveOneOut(t.Context(), x, c.y, c.weight); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	d := noisy(3000, 5, 0, 1)
	recipe := linear.NewRidge()
	recipe.Run.Progress.Step = func(int64) { cancel() }
	if s, r, err := recipe.Fit(ctx, d); err != nil || r.Status != learn.Cancelled || len(s.W) != 5 {
		t.Errorf("cancelled on the way: %v, %+v", err, r)
	}
	m, r, err := linear.NewRidge().FitTargets(ctx, x, data.NewMatrix(2, 1), nil)
	if err != nil || r.Status != learn.Cancelled || m[0].Predict(data.Dense(1)) != 0 {
		t.Errorf("cancelled: %v, %+v", err, r)
	}
}

func ExampleNewRidge() {
	x := data.Slice[data.Vector]{data.Dense(0), data.Dense(1), data.Dense(2), data.Dense(3)}
	recipe := linear.NewRidge()
	recipe.Lambdas = []float64{0.001, 1, 1000}
	f, report, err := recipe.FitValues(context.Background(),
		data.Labeled[data.Vector, float64]{X: x, Y: []float64{1, 3, 5, 7}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %.2f %.2f\n", report.Status, f.Predict(data.Dense(10)), f.Bias)
	// Output: converged 21.00 1.00
}
