package model_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
	"github.com/kerf-ml/kerf/kernel/text"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// blended are parts of every form that go into one blend, with their weights.
func blended(t testing.TB, n, classes int, dense bool) ([]*pipeline, []float64) {
	t.Helper()
	rbf, single := kernel.Gaussian{Gamma: 0.7}, func(r *recipe) { r.Run.Precision = run.Float32 }
	all := []trial{
		{name: "f2", kernel: rbf, kind: model.MapF2, learner: model.LearnerSVM},
		{name: "none", kind: model.MapNone, learner: model.LearnerSVM},
		{name: "machine", kernel: kernel.Laplacian{Gamma: 0.5}, kind: model.MapNone, learner: model.LearnerKernelSVM,
			args: args{"pairs": false}, change: single},
		{name: "boost", kernel: rbf, kind: model.MapF1, learner: model.LearnerBoost},
		{name: "left out", kernel: rbf, kind: model.MapORF, learner: model.LearnerSVM},
		{name: "sketch", kernel: kernel.NewPolynomial(2), kind: model.MapSketch, learner: model.LearnerPerceptron},
		{name: "centroid", kernel: rbf, kind: model.MapNone, learner: model.LearnerCentroid},
		{name: "rules of coordinates", kind: model.MapNone, learner: model.LearnerBoost},
	}
	if classes == 0 {
		all = []trial{
			{name: "f2", kernel: rbf, kind: model.MapF2, learner: model.LearnerRidge, change: single},
			{name: "none", kind: model.MapNone, learner: model.LearnerRidge},
			{name: "machine", kernel: rbf, kind: model.MapNone, learner: model.LearnerKernelRidge},
			{name: "svr", kernel: kernel.Laplacian{Gamma: 0.5}, kind: model.MapNone, learner: model.LearnerSVR},
			{name: "left out", kernel: rbf, kind: model.MapFourier, learner: model.LearnerRidge},
		}
	}
	parts, weight := make([]*pipeline, len(all)), make([]float64, len(all))
	for i, c := range all {
		c.classes, c.dense = classes, dense
		parts[i], weight[i] = c.fit(t, n), []float64{0.5, 1.0 / 3, 0.25, 7, 0}[i%5]
	}
	return parts, weight
}

func blend[T any](t testing.TB, parts []*model.Pipeline[T], weight []float64) *model.Pipeline[T] {
	t.Helper()
	p, err := model.Blend(parts, weight)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkBlend compares a blend with the definition: scores are the weighted sums of
// the parts' scores, features are theirs side by side, and one by one, together, with
// any number of workers and from a file all bits are the same.
func checkBlend[T any](
	t *testing.T, name string, kind model.Kind[T], parts []*model.Pipeline[T], weight []float64, x data.Source[T],
) {
	t.Helper()
	p := blend(t, parts, weight)
	scores, err := p.ScoreAll(t.Context(), run.Control{Workers: 1}, x)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	one, want := make([]float64, p.Outputs()), make([]float64, p.Outputs())
	for i := range x.Len() {
		size := 0.0
		clear(want)
		for j, part := range parts {
			part.Scores(one, x.At(i))
			for c, v := range one {
				want[c] += weight[j] * v
				size += math.Abs(weight[j] * v)
			}
		}
		// A sum of a few terms, each with three roundings; biases are multiplied by units
		// before or after weights.
		for c, v := range scores.Row(i) {
			if !(math.Abs(v-want[c]) <= 64*0x1p-53*(size+1)) {
				t.Fatalf("%s: row %d scores %v, want %v", name, i, scores.Row(i), want)
			}
		}
		for c := range one {
			one[c] = math.NaN()
		}
		if p.Scores(one, x.At(i)); !slices.Equal(one, scores.Row(i)) {
			t.Fatalf("%s: row %d scores %v alone and %v among others", name, i, one, scores.Row(i))
		}
		if got := p.Predict(x.At(i)); got != p.Label(one) {
			t.Fatalf("%s: row %d is %q, and %q by its scores", name, i, got, p.Label(one))
		}
	}
	var b bytes.Buffer
	if err := model.Write(&b, p, kind); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	file, err := model.Decode(b.Bytes())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	loaded, err := model.Open(file, kind)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var again bytes.Buffer
	if err := model.Write(&again, loaded, kind); err != nil || !bytes.Equal(again.Bytes(), b.Bytes()) {
		t.Errorf("%s: the file of the loaded blend is another (%v)", name, err)
	}
	for workers := range 4 {
		for _, q := range []*model.Pipeline[T]{p, loaded} {
			got, err := q.ScoreAll(t.Context(), run.Control{Workers: workers}, x)
			if err != nil || !slices.Equal(got.Data, scores.Data) {
				t.Errorf("%s: other scores with %d workers, or stored and opened again (%v)", name, workers, err)
			}
		}
	}
}

func TestBlend(t *testing.T) {
	for _, classes := range []int{2, 3, 0} {
		for _, dense := range []bool{true, false} {
			parts, weight := blended(t, 60, classes, dense)
			x := blobsOf(180, max(classes, 2), dense).X
			if classes == 0 {
				x = wave(180, dense).X
			}
			name := fmt.Sprintf("%d classes, dense %v", classes, dense)
			checkBlend(t, name, model.Kind[data.Vector](spec.Vectors{}), parts, weight, x)
			p := blend(t, parts, weight)
			if want := len(parts) - 1; len(p.Parts) != want || p.Kernel != nil {
				t.Errorf("%s: %d parts with a weight, want %d", name, len(p.Parts), want)
			}
			at, features := 0, make([]float64, p.Map.Dim())
			p.Map.MapTo(features, x.At(7))
			for _, part := range p.Parts {
				want := make([]float64, part.Map.Dim())
				if part.Map.MapTo(want, x.At(7)); !slices.Equal(features[at:at+len(want)], want) {
					t.Errorf("%s: features %d and on are not those of a part", name, at)
				}
				at += len(want)
			}
			if classes > 0 {
				wantBlendMargins(t, name, p, x, classes)
			}
		}
	}
}

// wantBlendMargins compares margins with definition 1 in the parts' spaces side by
// side: a machine's space is that of its kernel. Rounding is that of wantMargins.
func wantBlendMargins(t *testing.T, name string, p *pipeline, x data.Source[data.Vector], k int) {
	t.Helper()
	y := make([]int, x.Len())
	for i := range y {
		y[i] = i%(k+1) - 1
	}
	_, margins, err := p.ScoreMargins(t.Context(), run.Control{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, k)
	for i, c := range y {
		want := -1.0
		if c >= 0 {
			p.Scores(scores, x.At(i))
			want = math.Inf(1)
			for e := range k {
				switch {
				case e == c:
				case k == 2:
					want = min(want, scores[c]/blendLength(p, 0, -1, x.At(i)))
				default:
					want = min(want, (scores[c]-scores[e])/blendLength(p, c, e, x.At(i)))
				}
			}
		}
		if !(math.Abs(margins[i]-want) <= 1e-9) {
			t.Fatalf("%s: margin %d is %v, want %v", name, i, margins[i], want)
		}
	}
}

// blendLength is |w||x| of separator s, less separator e unless that is -1.
func blendLength(p *pipeline, s, e int, x data.Vector) float64 {
	bias := p.Bias[s]
	if e >= 0 {
		bias -= p.Bias[e]
	}
	length, square := bias*bias, p.Unit*p.Unit
	for _, part := range p.Parts {
		o := newOracle(part.Pipeline)
		w := slices.Clone(o.Separators.Row(s))
		if e >= 0 {
			for i, v := range o.Separators.Row(e) {
				w[i] -= v
			}
		}
		f := make([]float64, o.Map.Dim())
		o.Map.MapTo(f, x)
		for i := range w {
			if o.gram == nil {
				length += part.Weight * part.Weight * w[i] * w[i]
				square += f[i] * f[i]
				continue
			}
			for j, u := range w {
				length += part.Weight * part.Weight * w[i] * u * o.gram.Row(i)[j]
			}
		}
		if o.gram != nil {
			square += kernel.Diag(o.Kernel, x)
		}
	}
	return math.Sqrt(length * square)
}

// TestBlendKinds blends strings and sets.
func TestBlendKinds(t *testing.T) {
	var lines data.Slice[string]
	var baskets data.Slice[data.Set]
	var y []string
	for i := range 100 {
		word := []string{"abba", "kiss", "queen"}[i%3]
		lines = append(lines, fmt.Sprintf("%s %d %s", word, i, word[i%2:]))
		baskets = append(baskets, data.NewSet(fmt.Sprint(i%3), fmt.Sprint(10+i%7), word))
		y = append(y, word)
	}
	checkKind(t, model.Kind[string](spec.Strings{}), lines, y, kernel.Kernel[string](text.Spectrum{K: 2}),
		kernel.Normalize[string](text.Spectrum{K: 3}))
	checkKind(t, model.Kind[data.Set](spec.Sets{}), baskets, y, kernel.Kernel[data.Set](set.Jaccard{}),
		kernel.Normalize[data.Set](set.Intersection{}))
}

func checkKind[T any](t *testing.T, kind model.Kind[T], x data.Slice[T], y []string, kernels ...kernel.Kernel[T]) {
	t.Helper()
	var parts []*model.Pipeline[T]
	for _, k := range kernels {
		for _, change := range []func(*model.Recipe[T]){
			func(*model.Recipe[T]) {},
			func(r *model.Recipe[T]) { r.Map, r.Learner = model.None[T]{}, model.NewKernelRidge[T]() },
		} {
			r := model.NewRecipe(k, 7)
			change(&r)
			p, _, err := r.Fit(t.Context(), data.Labeled[T, string]{X: x[:60], Y: y[:60]})
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, p)
		}
	}
	checkBlend(t, kind.Name(), kind, parts, []float64{0.3, 2, 0.5, 0.1}, x)
}

// TestBlendOfOne: what is left of one part is a pipeline like any other.
func TestBlendOfOne(t *testing.T) {
	parts, _ := blended(t, 40, 3, true)
	x := blobsOf(90, 3, true).X
	weight := make([]float64, len(parts))
	for i, part := range parts {
		for _, w := range []float64{1, 2.5} {
			clear(weight)
			weight[i] = w
			checkBlend(t, fmt.Sprint("part ", i, " times ", w), model.Kind[data.Vector](spec.Vectors{}), parts, weight, x)
			p := blend(t, parts, weight)
			if p.Parts != nil || fmt.Sprint(p.Kernel) != fmt.Sprint(part.Kernel) || p.Learner != part.Learner {
				t.Errorf("part %d alone is %+v", i, p)
			}
			if p.Calibration != nil || p.Trained != nil {
				t.Errorf("part %d alone has the calibration of other scores", i)
			}
		}
	}
}

// TestBlendOfBlends: the parts of a blend take its place.
func TestBlendOfBlends(t *testing.T) {
	parts, _ := blended(t, 40, 2, false)
	inner := blend(t, parts[:2], []float64{0.5, 3})
	outer := []*pipeline{parts[3], inner, parts[2]}
	checkBlend(t, "blend of blends", model.Kind[data.Vector](spec.Vectors{}), outer, []float64{1, 0.5, 2},
		blobsOf(90, 2, false).X)
	p := blend(t, outer, []float64{1, 0.5, 2})
	var got []float64
	for _, part := range p.Parts {
		got = append(got, part.Weight)
	}
	if !slices.Equal(got, []float64{1, 0.25, 1.5, 2}) {
		t.Errorf("the weights are %v", got)
	}
}

// TestBlendCalibrated: probabilities and sets are the blend's own, and are stored.
func TestBlendCalibrated(t *testing.T) {
	parts, weight := blended(t, 60, 3, true)
	p := blend(t, parts, weight)
	d := model.Labels(blobsOf(120, 3, true))
	scores, err := p.ScoreAll(t.Context(), run.Control{}, d.X)
	if err != nil {
		t.Fatal(err)
	}
	if p.Calibration, err = (calibrate.Temperature{}).Fit(t.Context(), scores, d.Y); err != nil {
		t.Fatal(err)
	}
	c, err := calibrate.Split{Coverage: 0.9, Kind: calibrate.Least}.Classes(p.Calibration.All(scores), d.Y)
	if err != nil {
		t.Fatal(err)
	}
	p.Conformal = append(p.Conformal, *c)
	q, err := decode(encode(t, p))
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores.Rows {
		a, b := p.Prediction(scores.Row(i)), q.Prediction(scores.Row(i))
		if !slices.Equal(a.Probabilities, b.Probabilities) || len(a.Probabilities) != 3 || a.Label != b.Label {
			t.Fatalf("row %d: %v and, stored and opened again, %v", i, a, b)
		}
	}
	if len(q.Conformal) != 1 {
		t.Errorf("%d prediction sets came back", len(q.Conformal))
	}
}

// TestBlendRefused: what does not blend is said in a line.
func TestBlendRefused(t *testing.T) {
	parts, _ := blended(t, 40, 3, true)
	two, _ := blended(t, 40, 2, true)
	numbers, _ := blended(t, 40, 0, true)
	pairs := trial{kernel: kernel.Gaussian{Gamma: 0.7}, kind: model.MapNone, learner: model.LearnerKernelSVM, classes: 3,
		dense: true}.fit(t, 40)
	other := *parts[0]
	other.Classes = data.NewClasses([]string{"x", "y", "z"})
	large := *parts[0]
	large.Bias = []float64{2, 0, 2}
	for _, c := range []struct {
		parts  []*pipeline
		weight []float64
		says   string
	}{
		{nil, nil, "nothing to blend"},
		{parts[:2], []float64{0, 0}, "nothing to blend"},
		{parts[:2], []float64{1}, "2 parts to blend and 1 weights"},
		{parts[:2], []float64{1, -1}, "weight of part 2"},
		{parts[:2], []float64{1, math.NaN()}, "weight of part 2"},
		{parts[:2], []float64{math.Inf(1), 1}, "weight of part 1"},
		{[]*pipeline{&large, parts[1]}, []float64{math.MaxFloat64, 1}, "too large"},
		{[]*pipeline{&large}, []float64{math.MaxFloat64}, "too large"},
		{[]*pipeline{parts[0], nil}, []float64{1, 1}, "part 2"},
		{[]*pipeline{parts[0], two[0]}, []float64{1, 1}, "part 2 of the blend has other classes"},
		{[]*pipeline{parts[0], &other}, []float64{1, 1}, "part 2 of the blend has other classes"},
		{[]*pipeline{parts[0], numbers[0]}, []float64{1, 1}, "part 2 of the blend is to regress"},
		{[]*pipeline{parts[0], pairs}, []float64{1, 1}, "pairs=false"},
		{[]*pipeline{pairs}, []float64{2}, "pairs=false"},
	} {
		_, err := model.Blend(c.parts, c.weight)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("weights %v: error %v, want one line with %q", c.weight, err, c.says)
		}
	}
	if p := blend(t, []*pipeline{parts[0], pairs}, []float64{0, 1}); p.Pairs == nil {
		t.Error("a machine of pairs alone is none")
	}
}
