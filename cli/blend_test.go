package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// blendOf trains parts of three forms on the rows of a file and saves their blend.
func blendOf(t *testing.T, path, saved string, numbers bool) *model.Model {
	t.Helper()
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
	sample := model.Labels(d)
	if numbers {
		y := make([]float64, len(d.Y))
		for i, label := range d.Y {
			if y[i], err = strconv.ParseFloat(label, 64); err != nil {
				t.Fatal(err)
			}
		}
		sample = model.Numbers(data.Labeled[data.Vector, float64]{X: d.X, Y: y})
	}
	f2 := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.5}, 9)
	plain, machine := f2, f2
	plain.Kernel, plain.Map = nil, model.None[data.Vector]{}
	machine.Map, machine.Learner = model.None[data.Vector]{}, model.NewKernelRidge[data.Vector]()
	if numbers {
		f2.Learner, plain.Learner = model.NewRidge(), model.NewRidge()
	}
	var parts []*model.Pipeline[data.Vector]
	for _, r := range []model.Recipe[data.Vector]{f2, plain, machine} {
		p, _, err := r.FitSample(t.Context(), sample)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	p, err := model.Blend(parts, []float64{0.5, 0.125, 0.375})
	if err != nil {
		t.Fatal(err)
	}
	if !numbers {
		scores, err := p.ScoreAll(t.Context(), run.Control{}, sample.X)
		if err != nil {
			t.Fatal(err)
		}
		if p.Calibration, err = (calibrate.Temperature{}).Fit(t.Context(), scores, sample.Y); err != nil {
			t.Fatal(err)
		}
	}
	p.Trained = json.RawMessage(`{"n":80,"status":"converged"}`)
	m := model.NewModel(p, e, model.Kind[data.Vector](spec.Vectors{}))
	if err := m.Save(saved); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBlend uses a blend by all commands that take a model.
func TestBlend(t *testing.T) {
	dir := t.TempDir()
	c, m := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf")
	features := filepath.Join(dir, "f.csv")
	mustRun(t, "gen", "circle", "--n", "200", "-o", c)
	blend := blendOf(t, c, m, false)

	shown := mustRun(t, "inspect", m)
	for _, want := range []string{"part 1", "weight 0.5, rbf(gamma=0.5)", "f2: 9 landmarks, 9 features; svm",
		"weight 0.125, linear", "none: 2 coordinates; svm", "weight 0.375, rbf(gamma=0.5)", "kernel-ridge",
		"svm and kernel-ridge", "blend: 209 landmarks, 211 features", "on 80 rows", "checksum"} {
		if !strings.Contains(shown, want) {
			t.Errorf("inspect does not show %q:\n%s", want, shown)
		}
	}
	var is struct {
		Kernel, Map string
		Dim         int
		Parts       []struct {
			Weight               float64
			Kernel, Map, Learner string
			Dim                  int
		}
	}
	if err := json.Unmarshal([]byte(mustRun(t, "inspect", m, "--json")), &is); err != nil {
		t.Fatal(err)
	}
	if is.Kernel != "blend(rbf(gamma=0.5), linear)" || is.Map != "blend" || is.Dim != 211 || len(is.Parts) != 3 ||
		is.Parts[1].Kernel != "linear" || is.Parts[2].Weight != 0.375 || is.Parts[0].Dim != 9 {
		t.Errorf("inspect --json says %+v", is)
	}

	if text := mustRun(t, "eval", m, c, "-q"); !strings.Contains(text, "margins") || !strings.Contains(text, "error") {
		t.Errorf("eval says %s", text)
	}
	rows, err := dataset.Read(t.Context(), c, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := blend.Scores(t.Context(), run.Control{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	var labels strings.Builder
	for i := range scores.Rows {
		labels.WriteString(blend.Label(scores.Row(i)) + "\n")
	}
	if text := mustRun(t, "predict", m, c, "-q"); text != labels.String() {
		t.Errorf("predict says other than the blend itself: %.100q and %.100q", text, labels.String())
	}
	if text := mustRun(t, "predict", m, c, "-q", "--proba"); strings.Count(text, "\n") != 200 {
		t.Errorf("predict --proba says %.100q", text)
	}
	mustRun(t, "map", m, c, "-q", "-o", features)
	want, err := blend.Features(t.Context(), run.Control{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	got := numbersOf(t, features)
	if len(got) != want.Rows || len(got[0]) != 211 || blend.Dim() != 211 {
		t.Fatalf("map wrote %d rows of %d features", len(got), len(got[0]))
	}
	for i, row := range got {
		for j, v := range row {
			if v != want.Row(i)[j] {
				t.Fatalf("feature %d of row %d is %v, want %v", j, i, v, want.Row(i)[j])
			}
		}
	}
}

// TestBlendNumbers has a blend of models of numbers.
func TestBlendNumbers(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("x,z,label\n")
	for i := range 120 {
		x := float64(i%17) / 4
		b.WriteString(strings.Join([]string{strconv.FormatFloat(x, 'g', -1, 64), strconv.Itoa(i % 5),
			strconv.FormatFloat(3*x+float64(i%5), 'g', -1, 64)}, ",") + "\n")
	}
	c := writeFile(t, filepath.Join(dir, "c.csv"), []byte(b.String()))
	m := filepath.Join(dir, "m.kerf")
	blendOf(t, c, m, true)
	text := mustRun(t, "inspect", m)
	if !strings.Contains(text, "it predicts numbers") || !strings.Contains(text, "part 3") {
		t.Errorf("inspect shows %s", text)
	}
	if text := mustRun(t, "eval", m, c, "-q"); !strings.Contains(strings.ToLower(text), "rmse") {
		t.Errorf("eval says %s", text)
	}
	if text := mustRun(t, "predict", m, c, "-q"); strings.Count(text, "\n") < 120 {
		t.Errorf("predict says %s", text)
	}
}

// TestBlendProgram: a program of any part is shown, and started if it is allowed alone.
func TestBlendProgram(t *testing.T) {
	dir := t.TempDir()
	c, m, mark := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf"), filepath.Join(dir, "mark")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	blendOf(t, c, m, false)
	b, err := os.ReadFile(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, m, reheaded(t, b, func(h map[string]any) {
		h["parts"].([]any)[2].(map[string]any)["kernel"] = "exec:touch " + mark
	}))
	if shown := mustRun(t, "inspect", m); !strings.Contains(shown, "program") || !strings.Contains(shown, "touch "+mark) {
		t.Errorf("the program is not shown: %s", shown)
	}
	for _, command := range []string{"predict", "eval", "map"} {
		wantFailure(t, 3, "touch "+mark, command, m, c, "-q")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program was started")
	}
}
