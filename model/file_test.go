package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

type pipeline = model.Pipeline[data.Vector]

// blobsOf returns n points around one centre a class, dense or sparse.
func blobsOf(n, classes int, dense bool) data.Labeled[data.Vector, string] {
	r := seed.Stream(11, seed.Generator, uint64(classes))
	var x data.Slice[data.Vector]
	var y []string
	for i := range n {
		c := i % classes
		v := []float64{float64(c) + 0.3*r.NormFloat64(), math.Cos(2*float64(c)) + 0.3*r.NormFloat64(), 0.1 * r.NormFloat64()}
		if dense {
			x = append(x, data.Dense(v...))
		} else {
			x = append(x, data.Vector{Index: []int32{1, 5, 9}, Value: v})
		}
		y = append(y, []string{"red", "green", "blau, hell", "4"}[c])
	}
	return data.Labeled[data.Vector, string]{X: x, Y: y}
}

// trial is a way to train that a test goes through.
type trial struct {
	name    string
	kernel  kernel.Kernel[data.Vector]
	kind    string
	learner string
	classes int // 0 for numbers
	dense   bool
	change  func(*model.Recipe[data.Vector]) // may be nil
}

// trials are all maps and learners, with two and with three classes.
func trials() []trial {
	var all []trial
	for _, classes := range []int{2, 3} {
		for _, dense := range []bool{true, false} {
			add := func(k kernel.Kernel[data.Vector], kind, learner string) {
				all = append(all, trial{fmt.Sprintf("%s %s, %d classes, dense %v", kind, learner, classes, dense), k, kind, learner, classes, dense, nil})
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
			add(nil, model.MapNone, model.LearnerSVM)
			add(rbf, model.MapNone, model.LearnerKernelPerceptron)
		}
	}
	for _, j := range jobs() {
		if j.dense {
			all = append(all, trial{"file: " + j.String(), kernel.Gaussian{Gamma: 0.7}, j.kind, j.learner, j.classes, true, nil})
		}
	}
	return append(all, variations()...)
}

// variations are models with parts that not all have.
func variations() []trial {
	var all []trial
	add := func(name, kind, learner string, classes int, change func(*model.Recipe[data.Vector])) {
		all = append(all, trial{name, kernel.Gaussian{Gamma: 0.7}, kind, learner, classes, true, change})
	}
	for _, classes := range []int{2, 3} {
		for _, method := range methods {
			add("calibrated", model.MapF2, model.LearnerSVM, classes, func(r *model.Recipe[data.Vector]) { r.Calibrate = method })
			add("sets", model.MapNone, model.LearnerKernelSVM, classes, func(r *model.Recipe[data.Vector]) { r.Calibrate, r.Conformal = method, 0.5 })
		}
	}
	add("intervals", model.MapNone, model.LearnerRidge, 0, func(r *model.Recipe[data.Vector]) { r.Conformal = 0.5 })
	add("one against the rest", model.MapNone, model.LearnerKernelSVM, 4, func(r *model.Recipe[data.Vector]) { r.Pairs = false })
	add("single precision", model.MapNone, model.LearnerKernelSVM, 4, func(r *model.Recipe[data.Vector]) { r.Run.Precision = run.Float32 })
	add("rules behind f3", model.MapF3, model.LearnerBoost, 3, nil)
	add("rules behind fourier", model.MapFourier, model.LearnerBoostHalfspace, 2, nil)
	return all
}

func (c trial) fit(t testing.TB, n int) *pipeline {
	t.Helper()
	r := model.NewRecipe(c.kernel, 6)
	r.Map, r.Learner, r.MaxPasses = c.kind, c.learner, 50
	if c.kind == model.MapF3 {
		r.Landmarks, r.Dim = 8, 4
	}
	r.Rounds = 10
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
	p.Schema = json.RawMessage(`{"format":"CSV"}`)
	p.Trained = json.RawMessage(`{"n":1}`)
	return p
}

func encode(t testing.TB, p *pipeline) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Write(&b, p, spec.Vectors{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(b []byte) (*pipeline, error) {
	f, err := model.Decode(b)
	if err != nil {
		return nil, err
	}
	return model.Open(f, spec.Vectors{})
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
		f, err := model.Load(path)
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
		if h := f.Header; h.Learner != c.learner || h.Instances != "vectors" || h.Writer != model.Version || h.Map.Dim != mapDim(p) {
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
	if !slices.Equal(p.Classes.Names, q.Classes.Names) || p.Unit != q.Unit || p.Kernel != q.Kernel || p.Learner != q.Learner {
		t.Errorf("%s: %v %v %v %v came back as %v %v %v %v", name, p.Classes.Names, p.Unit, p.Kernel, p.Learner, q.Classes.Names, q.Unit, q.Kernel, q.Learner)
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
	if !reflect.DeepEqual(p.Calibration, q.Calibration) || !reflect.DeepEqual(p.Conformal, q.Conformal) || !reflect.DeepEqual(p.Pairs, q.Pairs) || p.Regresses() != q.Regresses() {
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

// sealed returns the body with the digest that makes it whole.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(slices.Clone(body), sum[:]...)
}

func TestDecodeErrors(t *testing.T) {
	whole := encode(t, trials()[1].fit(t, 40))
	body := whole[:len(whole)-sha256.Size]
	withVersion := func(v uint32) []byte {
		b := slices.Clone(body)
		binary.LittleEndian.PutUint32(b[8:], v)
		return sealed(b)
	}
	header := int(binary.LittleEndian.Uint32(body[12:]))
	withLength := func(n uint32) []byte {
		b := slices.Clone(body)
		binary.LittleEndian.PutUint32(b[12:], n)
		return sealed(b)
	}
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"empty":           {nil, model.ErrNotModel},
		"text":            {[]byte("x,y,label\n1,2,a\n"), model.ErrNotModel},
		"magic alone":     {[]byte("kerfmodl"), model.ErrDamaged},
		"newer":           {withVersion(2), model.ErrNewer},
		"much newer":      {withVersion(math.MaxUint32), model.ErrNewer},
		"version 0":       {withVersion(0), model.ErrDamaged},
		"newer, digest":   {append(withVersion(2)[:len(whole)-1], 0), model.ErrNewer},
		"digest":          {append(slices.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1), model.ErrDamaged},
		"a byte more":     {sealed(append(slices.Clone(body), 0)), model.ErrDamaged},
		"a byte less":     {sealed(body[:len(body)-1]), model.ErrDamaged},
		"header too long": {withLength(math.MaxUint32), model.ErrDamaged},
		"header cut":      {withLength(uint32(header - 1)), model.ErrDamaged},
		"no header":       {withLength(0), model.ErrDamaged},
		"no blobs":        {sealed(body[:16+header]), model.ErrDamaged},
	} {
		if _, err := model.Decode(c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: error is %v, want %v", name, err, c.want)
		}
	}
}

// TestNoDamageIsMissed cuts a file at every length and flips a bit of every
// byte.
func TestNoDamageIsMissed(t *testing.T) {
	whole := encode(t, trials()[1].fit(t, 20))
	for n := range whole {
		if _, err := decode(whole[:n]); err == nil {
			t.Fatalf("cut to %d of %d bytes it loads", n, len(whole))
		}
	}
	b := slices.Clone(whole)
	for i := range b {
		b[i] ^= 1 << (i % 8)
		if _, err := decode(b); err == nil {
			t.Fatalf("with bit %d of byte %d flipped it loads", i%8, i)
		}
		b[i] = whole[i]
	}
}

// TestOpenErrors changes the header of a whole file and seals it again: the
// digest is right, and what it says is not.
func TestOpenErrors(t *testing.T) {
	f2 := encode(t, trials()[1].fit(t, 40))
	f3 := encode(t, trials()[2].fit(t, 40))
	fourier := encode(t, trials()[4].fit(t, 40))
	none := encode(t, trials()[8].fit(t, 40))
	for _, c := range []struct {
		name     string
		whole    []byte
		old, new string
		want     error
	}{
		{"kind of instances", f2, `"vectors"`, `"strings"`, model.ErrKind},
		{"kernel", f2, `"rbf(gamma=0.7)"`, `"nosuch(gamma=0)"`, model.ErrDamaged},
		{"open kernel", f2, `"rbf(gamma=0.7)"`, `"rbf"`, model.ErrDamaged},
		{"no kernel", f2, `"rbf(gamma=0.7)"`, `""`, model.ErrDamaged},
		{"map", f2, `"kind":"f2"`, `"kind":"f9"`, model.ErrDamaged},
		{"map without triangle", f2, `"kind":"f2"`, `"kind":"f3"`, model.ErrDamaged},
		{"dimension", f2, `"dim":6`, `"dim":7`, model.ErrDamaged},
		{"negative dimension", f2, `"dim":6`, `"dim":-6`, model.ErrDamaged},
		{"huge dimension", none, `"dim":3`, `"dim":268435456`, model.ErrDamaged},
		{"width", fourier, `"width":3`, `"width":-3`, model.ErrDamaged},
		{"huge width", fourier, `"width":3`, `"width":300000000`, model.ErrDamaged},
		{"features of a map", fourier, `"dim":6`, `"dim":8`, model.ErrDamaged},
		{"one class", f2, `"classes":["green","red"]`, `"classes":["green"]`, model.ErrDamaged},
		{"three classes", f2, `"classes":["green","red"]`, `"classes":["green","red","x"]`, model.ErrDamaged},
		{"no class", f2, `"classes":["green","red"]`, `"classes":null`, model.ErrDamaged},
		{"projection", f3, `"kind":"gaussian"`, `"kind":"nosuch"`, model.ErrDamaged},
		{"projection's size", f3, `"out":4`, `"out":3`, model.ErrDamaged},
		{"huge projection", f3, `"out":4`, `"out":4000000000000`, model.ErrDamaged},
		{"negative projection", f3, `"out":4`, `"out":-4`, model.ErrDamaged},
		{"sizes of parts", f2, `"name":"bias","bytes":8`, `"name":"bias","bytes":-8`, model.ErrDamaged},
		{"name of a part", f2, `"name":"bias"`, `"name":"biass"`, model.ErrDamaged},
		{"header", f2, `"writer"`, `"writer`, model.ErrDamaged},
	} {
		body := c.whole[:len(c.whole)-sha256.Size]
		n := int(binary.LittleEndian.Uint32(body[12:]))
		text := string(body[16 : 16+n])
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("%s: the header has no %s: %s", c.name, c.old, text)
			continue
		}
		b := binary.LittleEndian.AppendUint32(slices.Clone(body[:12]), uint32(len(changed)))
		b = append(append(b, changed...), body[16+n:]...)
		if _, err := decode(sealed(b)); !errors.Is(err, c.want) {
			t.Errorf("%s: error is %v, want %v", c.name, err, c.want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := model.Load(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	path := filepath.Join(dir, "text.kerf")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Load(path); !errors.Is(err, model.ErrNotModel) || !strings.Contains(err.Error(), "text.kerf") {
		t.Errorf("text: %v", err)
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
