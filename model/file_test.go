package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// trial is a way to train that a test goes through.
type trial struct {
	name    string
	kernel  kernel.Kernel[data.Vector]
	kind    string
	learner string
	classes int // 0 for numbers
	dense   bool
	args    args          // of the learner
	change  func(*recipe) // may be nil
}

// trials are all maps and learners, with two and with three classes.
func trials() []trial {
	var all []trial
	for _, classes := range []int{2, 3} {
		for _, dense := range []bool{true, false} {
			add := func(k kernel.Kernel[data.Vector], kind, learner string) {
				name := fmt.Sprintf("%s %s, %d classes, dense %v", kind, learner, classes, dense)
				all = append(all, trial{name: name, kernel: k, kind: kind, learner: learner, classes: classes, dense: dense})
			}
			rbf := kernel.Gaussian{Gamma: 0.7}
			add(rbf, model.MapF1, model.LearnerSVM)
			add(rbf, model.MapF2, model.LearnerSVM)
			add(rbf, model.MapF3, model.LearnerSVM)
			add(kernel.Normalize[data.Vector](kernel.NewPolynomial(2)), model.MapF2, model.LearnerPerceptron)
			add(rbf, model.MapFourier, model.LearnerSVM)
			add(rbf, model.MapORF, model.LearnerPerceptron)
			add(kernel.NewPolynomial(2), model.MapSketch, model.LearnerSVM)
			add(kernel.NewPolynomial(3), model.MapMonomials, model.LearnerSVM)
			add(rbf, model.MapTaylor, model.LearnerSVM)
			add(rbf, model.MapDirect, model.LearnerSVM)
			add(rbf, model.MapLift, model.LearnerSVM)
			add(nil, model.MapProject, model.LearnerSVM)
			add(nil, model.MapNone, model.LearnerSVM)
			add(rbf, model.MapNone, model.LearnerKernelPerceptron)
		}
	}
	for _, j := range jobs() {
		if j.dense {
			all = append(all, trial{
				name: "file: " + j.String(), kernel: kernel.Gaussian{Gamma: 0.7},
				kind: j.kind, learner: j.learner, classes: j.classes, dense: true,
			})
		}
	}
	return append(all, variations()...)
}

// variations are models with parts that not all have.
func variations() []trial {
	var all []trial
	add := func(name, kind, learner string, classes int, a args, change func(*recipe)) {
		all = append(all, trial{name, kernel.Gaussian{Gamma: 0.7}, kind, learner, classes, true, a, change})
	}
	for _, classes := range []int{2, 3} {
		for _, method := range methods {
			add("calibrated", model.MapF2, model.LearnerSVM, classes, nil, func(r *recipe) { r.Calibrate = method })
			add("sets", model.MapNone, model.LearnerKernelSVM, classes, nil, func(r *recipe) {
				r.Calibrate, r.Conformal = method, 0.5
			})
		}
	}
	add("intervals", model.MapNone, model.LearnerRidge, 0, nil, func(r *recipe) { r.Conformal = 0.5 })
	add("one against the rest", model.MapNone, model.LearnerKernelSVM, 4, args{"pairs": false}, nil)
	add("single precision", model.MapNone, model.LearnerKernelSVM, 4, nil, func(r *recipe) {
		r.Run.Precision = run.Float32
	})
	add("rules behind f3", model.MapF3, model.LearnerBoost, 3, nil, nil)
	add("rules behind fourier", model.MapFourier, model.LearnerBoostHalfspace, 2, nil, nil)
	return all
}

func (c trial) fit(t testing.TB, n int) *pipeline {
	t.Helper()
	r := model.NewRecipe(c.kernel, 6)
	a := args{"dim": 6, "max_passes": 50, "rounds": 10}
	if c.kind == model.MapF3 {
		a["landmarks"], a["dim"] = 8, 4
	}
	maps.Copy(a, c.args)
	r.Map, r.Learner = mapOf[data.Vector](c.kind, a), learnerOf[data.Vector](c.learner, a)
	if c.change != nil {
		c.change(&r)
	}
	var p *pipeline
	var err error
	if c.classes == 0 {
		p, _, err = r.FitValues(t.Context(), wave(n, c.dense))
	} else {
		p, _, err = r.Fit(t.Context(), blobsOf(n, c.classes, c.dense))
	}
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	p.Trained = json.RawMessage(`{"n":1}`)
	return p
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	for _, c := range trials() {
		p := c.fit(t, 60)
		path := filepath.Join(dir, "m.kerf")
		if err := model.Save(path, p, spec.Vectors{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f, err := model.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		q, err := model.Open(f, spec.Vectors{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		wantSame(t, c.name, p, q, blobsOf(100, max(c.classes, 2), c.dense).X)
		h := f.Header
		if h.Learner != c.learner || h.Instances != "vectors" || h.Writer != model.Version || h.Map.Dim != mapDim(p) {
			t.Errorf("%s: the header is %+v", c.name, h)
		}
		if !bytes.Equal(encode(t, p), encode(t, q)) {
			t.Errorf("%s: saved again, the file is another", c.name)
		}
	}
}

// mapDim returns the features of the map, which rules may stand behind.
func mapDim(p *pipeline) int {
	if v, ok := p.Map.(model.Votes[data.Vector]); ok {
		return v.Inner.Dim()
	}
	return p.Map.Dim()
}

// wantSame fails unless two pipelines give the same bits, one by one and all at
// once.
func wantSame(t *testing.T, name string, p, q *pipeline, x data.Source[data.Vector]) {
	t.Helper()
	told := func(p *pipeline) []any {
		return []any{p.Classes.Names, p.Unit, p.Kernel, p.Learner, p.Task, string(p.Trained)}
	}
	if !reflect.DeepEqual(told(p), told(q)) {
		t.Errorf("%s: %v came back as %v", name, told(p), told(q))
		return
	}
	a, err := p.ScoreAll(t.Context(), run.Control{Workers: 1}, x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.ScoreAll(t.Context(), run.Control{Workers: 3}, x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Data, b.Data) {
		t.Errorf("%s: the scores differ after loading", name)
	}
	if !reflect.DeepEqual(p.Calibration, q.Calibration) || !reflect.DeepEqual(p.Conformal, q.Conformal) ||
		!slices.Equal(p.Pairs, q.Pairs) || p.Regresses() != q.Regresses() {
		t.Errorf("%s: calibration, sets, pairs or task came back as others", name)
	}
	k := p.Outputs()
	for i := range x.Len() {
		one, two := make([]float64, k), make([]float64, k)
		p.Scores(one, x.At(i))
		q.Scores(two, x.At(i))
		if !slices.Equal(one, two) || p.Predict(x.At(i)) != q.Predict(x.At(i)) {
			t.Fatalf("%s: row %d scores %v before and %v after loading", name, i, one, two)
		}
		if p.Regresses() {
			continue
		}
		if best := p.Classes.Names[p.Decide(a.Row(i))]; best != p.Predict(x.At(i)) {
			t.Fatalf("%s: row %d is %q alone and %q among all", name, i, p.Predict(x.At(i)), best)
		}
	}
}

// TestLabelsOfAnyKind: labels are any text, and come back byte for byte. What
// is no UTF-8 the file cannot hold, and refuses.
func TestLabelsOfAnyKind(t *testing.T) {
	d := blobsOf(40, 2, true)
	for _, c := range []struct {
		names  [2]string
		refuse bool
	}{
		{[2]string{"", "x"}, false},
		{[2]string{"<a&b>", "\u2028"}, false},
		{[2]string{"Größe", "日本"}, false},
		{[2]string{"a\x00b", "tab\t\n"}, false},
		{[2]string{"1e5", "+1.0"}, false},
		{[2]string{"caf\xe9", "th\xe9"}, true},
		{[2]string{"fine", "\xff"}, true},
	} {
		for i := range d.Y {
			d.Y[i] = c.names[i%2]
		}
		r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 4)
		p, _, err := r.Fit(t.Context(), d)
		if err != nil {
			t.Errorf("%q: %v", c.names, err)
			continue
		}
		var b bytes.Buffer
		err = model.Write(&b, p, spec.Vectors{})
		if (err != nil) != c.refuse || err != nil && !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q: error is %v, refused: %v", c.names, err, c.refuse)
		}
		if err != nil {
			continue
		}
		q, err := decode(b.Bytes())
		if err != nil {
			t.Errorf("%q: %v", c.names, err)
			continue
		}
		if !slices.Equal(p.Classes.Names, q.Classes.Names) {
			t.Errorf("labels %q came back as %q", p.Classes.Names, q.Classes.Names)
		}
	}
}

// TestUnstorable: what cannot be read back is refused, and no file is left.
func TestUnstorable(t *testing.T) {
	d := blobsOf(20, 2, true)
	dot := kernel.Func[data.Vector](func(x, y data.Vector) float64 { return x.Dot(y) })
	p, _, err := model.NewRecipe[data.Vector](dot, 4).Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := model.Save(filepath.Join(dir, "m.kerf"), p, spec.Vectors{}); err == nil {
		t.Error("a closure was stored")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
	broken := *p
	broken.Bias = nil
	if err := model.Write(&bytes.Buffer{}, &broken, spec.Vectors{}); err == nil {
		t.Error("a pipeline without biases was stored")
	}
}
