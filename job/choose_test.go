package job_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

func names(options []job.Option) []string {
	var out []string
	for _, o := range options {
		out = append(out, o.Name)
	}
	return out
}

// firstLeast returns the name of the first option with the smallest error.
func firstLeast(options []job.Option) string {
	best := options[0]
	for _, o := range options {
		if o.Error < best.Error {
			best = o
		}
	}
	return best.Name
}

// TestChooseKernel: five widths around the median distance are tried, and the best
// is taken; a width that is given is left.
func TestChooseKernel(t *testing.T) {
	path := circle(t, 400, 0.1)
	got := train(t, path, quickly())
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
	median := kernel.MedianDistance(d.X, 1)
	var want []string
	for _, factor := range []float64{1, 0.25, 4, 0.0625, 16} {
		want = append(want, fmt.Sprint(kernel.Gaussian{Gamma: factor * kernel.GaussianWidth(median).Gamma}))
	}
	if tried := names(got.Picked.Kernels); !slices.Equal(tried, want) {
		t.Errorf("tried were %v, want %v", tried, want)
	}
	if best := firstLeast(got.Picked.Kernels); got.Kernel != best {
		t.Errorf("the kernel is %s of %v", got.Kernel, got.Picked.Kernels)
	}
	for _, c := range []struct {
		kernel string
		widths int
	}{{"rbf", 5}, {"rbf(gamma=2)", 0}, {"laplace(gamma=2)", 0}, {"laplace", 0}, {"normalize(rbf)", 0}, {"poly", 0}} {
		o := job.TrainOptions{Options: chosen(t, c.kernel, "f2(dim=20)", "svm(C=1)")}
		got := train(t, path, o)
		if got.Picked == nil && c.widths == 0 {
			continue
		}
		if len(got.Picked.Kernels) != c.widths {
			t.Errorf("%s: tried were %v", c.kernel, got.Picked)
		}
	}
}

// smallestDim is the rule of dimensions by its words.
func smallestDim(tried []job.Option) int {
	least := math.Inf(1)
	for _, o := range tried {
		least = min(least, o.Error)
	}
	for _, o := range tried {
		if o.Error <= 1.02*least {
			d, _ := strconv.Atoi(o.Name)
			return d
		}
	}
	return 0
}

// TestChooseDim: dimensions double from 64 until two in turn brought nothing, and
// the smallest of those that are as good as the best is taken.
func TestChooseDim(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string // the dimensions, of which the first few are tried
	}{
		{40, ""}, {64, ""}, {65, "64 65"}, {200, "64 128 200"}, {700, "64 128 256 512 700"}, {1100, "64 128 256 512 1024"},
	} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=20)", "f2(rank=0)", "svm(C=1)")}
		o.Choices.Calibrate = ""
		got := train(t, circle(t, c.n, 0.1), o)
		if c.want == "" {
			if got.Picked != nil {
				t.Errorf("of %d rows: tried were %v", c.n, got.Picked)
			}
			continue
		}
		tried := names(got.Picked.Dims)
		if !strings.HasPrefix(c.want, strings.Join(tried, " ")) || len(tried) < 2 {
			t.Errorf("of %d rows: tried were %v of %s", c.n, tried, c.want)
		}
		h, err := got.Model.Header()
		if err != nil {
			t.Fatal(err)
		}
		if want := smallestDim(got.Picked.Dims); h.Map.Drawn != want {
			t.Errorf("of %d rows: %d landmarks, want %d of %v", c.n, h.Map.Drawn, want, got.Picked.Dims)
		}
		least, idle := math.Inf(1), 0
		for i, o := range got.Picked.Dims {
			if idle == 2 {
				t.Errorf("of %d rows: %v was tried after two that brought nothing", c.n, got.Picked.Dims[i:])
			}
			if idle++; o.Error <= 0.99*least {
				idle = 0
			}
			least = min(least, o.Error)
		}
	}
}

// TestChooseDimOfManyClasses: few dimensions are tried where each has many weights.
func TestChooseDimOfManyClasses(t *testing.T) {
	const n, k = 1200, 60
	rng := seed.Stream(2, seed.Generator, 0)
	x, y := data.NewMatrix(n, 3), make([]string, n)
	for i := range n {
		for j := range x.Row(i) {
			x.Row(i)[j] = rng.NormFloat64() + float64(i%k>>(2*j)&3)*2
		}
		y[i] = fmt.Sprint("c", i%k)
	}
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=5)", "f2", "ridge(lambda=1e-6)")}
	got := train(t, csv(t, x, y), o)
	for _, d := range names(got.Picked.Dims) {
		if !slices.Contains([]string{"64", "128", "256"}, d) {
			t.Errorf("with %d classes %s features were tried", k, d)
		}
	}
}

// planeAndDisc are points on the sides of a hyperplane in 150 coordinates, and
// points inside and outside of a circle.
func planeAndDisc(n int) (plane, disc data.Labeled[data.Vector, string]) {
	rng := seed.Stream(2, seed.Generator, 1)
	wide, near := data.NewMatrix(n, 150), data.NewMatrix(n, 2)
	plane.X, disc.X = wide, near
	for i := range n {
		sum := 0.0
		for j := range wide.Row(i) {
			wide.Row(i)[j] = rng.NormFloat64()
			sum += wide.Row(i)[j]
		}
		plane.Y = append(plane.Y, map[bool]string{true: "above", false: "below"}[sum > 0])
		a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
		near.Row(i)[0], near.Row(i)[1] = a, b
		disc.Y = append(disc.Y, map[bool]string{true: "inside", false: "outside"}[a*a+b*b < 0.5])
	}
	return plane, disc
}

// TestChooseMap: of the maps that are offered the recipe's own is taken unless
// another is clearly better.
func TestChooseMap(t *testing.T) {
	plane, disc := planeAndDisc(1200)
	choose := func(d data.Labeled[data.Vector, string], gamma float64, dims []int, maps ...string) (string, *job.Picked) {
		t.Helper()
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: gamma}, 60)
		r, picked, err := job.Choose(t.Context(), r, nil, dims, maps, model.Labels(d))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %d", r.Map.Name(), model.DimOf(r.Map)), picked
	}
	// A hyperplane of many coordinates is lost on few landmarks.
	got, picked := choose(plane, 0.01, []int{40, 60}, model.MapFourier, model.MapNone)
	if got != "none 0" || !slices.Equal(names(picked.Maps), []string{model.MapF2, model.MapFourier, model.MapNone}) {
		t.Errorf("a hyperplane: %s by %+v", got, picked)
	}
	dim := slices.Index([]int{40, 60}, smallestDim(picked.Dims))
	if picked.Maps[0].Error != picked.Dims[dim].Error {
		t.Errorf("the error of f2 is %v, and was %v", picked.Maps[0], picked.Dims)
	}
	// A circle is no hyperplane.
	if got, picked := choose(disc, 1, nil, model.MapNone); got != "f2 60" || len(picked.Maps) != 2 {
		t.Errorf("a circle: %s by %+v", got, picked)
	}
	// A map that is not for the rows is passed over.
	disc.X.(*data.Matrix).Row(0)[0] = math.MaxFloat64 / 8
	if got, picked := choose(disc, 1, nil, model.MapFourier); got != "f2 60" || len(picked.Maps) > 2 {
		t.Errorf("a huge coordinate: %s by %+v", got, picked)
	}
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 60)
	_, _, err := job.Choose(t.Context(), r, nil, nil, []string{"magic"}, model.Labels(plane))
	if err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("an unknown map: %v", err)
	}
}

// TestChooseMapOffers: which maps are tried where something was chosen.
func TestChooseMapOffers(t *testing.T) {
	path := circle(t, 400, 0.1)
	for _, c := range []struct {
		kernel, mapped string
		want           string // that were tried
	}{
		{"", "", "f2 fourier none"},
		{"rbf", "", "f2 fourier"},
		{"rbf(gamma=1)", "", "f2 fourier"},
		{"laplace", "", ""},
		{"", "f2", ""},
		{"", "f1", ""},
		{"", "f2(select=kmeans)", ""},
		{"linear", "", ""},
	} {
		got := train(t, path, job.TrainOptions{Options: chosen(t, c.kernel, c.mapped, "svm(C=10)")})
		tried := ""
		if got.Picked != nil {
			tried = strings.Join(names(got.Picked.Maps), " ")
		}
		if tried != c.want {
			t.Errorf("kernel %q, map %q: tried were %s, want %s", c.kernel, c.mapped, tried, c.want)
		}
		if got.Map == model.MapNone && c.kernel == "" && c.mapped == "" {
			t.Errorf("a circle: no map, by %+v", got.Picked.Maps)
		}
	}
	o := quickly()
	o.Choices.Map = spec.Call{Args: map[string]any{"dim": 30}}
	got := train(t, path, o)
	tried := names(got.Picked.Maps)
	if !slices.Equal(tried, []string{model.MapF2, model.MapFourier}) || len(got.Picked.Dims) > 0 {
		t.Errorf("of 30 features %v were tried, and %v", tried, got.Picked.Dims)
	}
}

// TestChooseNumbers: of numbers the options have the root of the mean square.
func TestChooseNumbers(t *testing.T) {
	path := wave(t, 300)
	o := quickly()
	o.Choices.Task = model.Regress
	got := train(t, path, o)
	rows, err := dataset.Read(t.Context(), path, o.Read)
	if err != nil {
		t.Fatal(err)
	}
	values, err := rows.Values(nil)
	if err != nil {
		t.Fatal(err)
	}
	spread, mean := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		spread += (v - mean) * (v - mean) / float64(len(values))
	}
	for _, o := range slices.Concat(got.Picked.Kernels, got.Picked.Dims, got.Picked.Maps) {
		if !(o.Error > 0 && o.Error < 1.2*math.Sqrt(spread)) {
			t.Errorf("%v, where the numbers spread by %v", o, math.Sqrt(spread))
		}
	}
	if got.Learner != model.LearnerRidge || got.Kernel != firstLeast(got.Picked.Kernels) || got.Train.RMSE > 0.05 {
		t.Errorf("%s on %s: %v", got.Learner, got.Kernel, got.Train)
	}
}

// TestChooseSharesTime: a choice takes a part of the time, ends with the best so
// far, and leaves the rest to the learner.
func TestChooseSharesTime(t *testing.T) {
	_, disc := planeAndDisc(300)
	const whole = 2 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), whole)
	defer cancel()
	half := time.Now().Add(whole / 2) // more than the share of a choice
	quick := kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 1})
	slow := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
		time.Sleep(time.Until(half))
		return quick.Eval(a, b)
	})
	r := model.NewRecipe(quick, 60)
	kernels := []kernel.Kernel[data.Vector]{quick, slow, slow}
	r, picked, err := job.Choose(ctx, r, kernels, []int{20, 40}, []string{model.MapNone}, model.Labels(disc))
	if err != nil || ctx.Err() != nil {
		t.Fatal(err, ctx.Err())
	}
	if len(picked.Kernels) != 1 || len(picked.Dims)+len(picked.Maps) > 0 || fmt.Sprint(r.Kernel) != fmt.Sprint(quick) {
		t.Errorf("in the share of the time %+v were tried, and %v was taken", picked, r.Kernel)
	}
	if _, _, err := r.Fit(ctx, disc); err != nil {
		t.Error(err)
	}
}

// TestChooseWithState: where a state is kept the choice does not depend on the time.
func TestChooseWithState(t *testing.T) {
	path := circle(t, 200, 0.1)
	o := quickly()
	o.Choices.Learner = call(t, "pegasos")
	free := train(t, path, o)
	o.Checkpoint, o.Time = filepath.Join(t.TempDir(), "state"), time.Hour
	for range 2 { // to begin, and to go on
		if got := train(t, path, o); !slices.Equal(bytesOf(t, free.Model), bytesOf(t, got.Model)) {
			t.Error("with a state another model")
		}
	}
}
