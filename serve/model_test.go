package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/serve"
	"github.com/kerf-ml/kerf/spec"
)

// kerf runs the program and returns what it prints.
func kerf(t testing.TB, args ...string) string {
	t.Helper()
	var out, errors bytes.Buffer
	if status := cli.Exec(context.Background(), args, strings.NewReader(""), &out, &errors); status != 0 {
		t.Fatalf("kerf %v: status %d: %s", args, status, &errors)
	}
	return out.String()
}

// fixture is a model of some kind, and rows for it.
type fixture struct {
	name  string
	file  string   // of the rows
	lines []string // of the file, without a header
	names []string // of the columns, nil for none
	form  form
	model string
}

// form is how rows are written in requests.
type form int

const (
	cells form = iota
	sparse
	texts
	items
)

// tableText draws a table with numbers, categories and missing cells. The label is
// last.
func tableText(rows, classes int, numbers bool) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("age,colour,weight,town,class\n")
	colours := []string{"red", "green", "deep blue"}
	for range rows {
		age, colour, weight := 20+50*r.Float64(), r.IntN(3), 3*r.NormFloat64()
		label := strconv.Itoa((int(age/10) + colour) % classes)
		if numbers {
			label = strconv.FormatFloat(age/7+weight*float64(colour)+0.1*r.NormFloat64(), 'g', -1, 64)
		} else {
			label = "class " + label
		}
		first, second := strconv.FormatFloat(age, 'g', -1, 64), colours[colour]
		if r.IntN(8) == 0 {
			first = ""
		}
		if r.IntN(8) == 0 {
			second = "?"
		}
		fmt.Fprintf(&b, "%s,%s,%v,town %d,%s\n", first, second, weight, r.IntN(4), label)
	}
	return b.String()
}

func sparseText(rows int) string {
	r := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for range rows {
		sum, line := 0.0, ""
		for j := 1; j <= 30; j++ {
			if r.IntN(4) == 0 {
				v := r.NormFloat64()
				line += fmt.Sprintf(" %d:%v", j, v)
				sum += v * float64(j%3-1)
			}
		}
		if sum > 0 {
			b.WriteString("+1" + line + " 31:1\n")
		} else {
			b.WriteString("-1" + line + " 31:1\n")
		}
	}
	return b.String()
}

func fastaText(rows int) string {
	r := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	for i := range rows {
		text := make([]byte, 12+r.IntN(9))
		for j := range text {
			text[j] = "ACGT"[r.IntN(4)]
		}
		label := "no"
		if i%2 == 0 {
			copy(text[4:], "GATTACA")
			label = "yes"
		}
		fmt.Fprintf(&b, ">s%d label=%s\n%s\n", i, label, text)
	}
	return b.String()
}

func basketText(rows int) string {
	r := rand.New(rand.NewPCG(9, 10))
	var b strings.Builder
	for range rows {
		label, line := "poor", ""
		for _, item := range []string{"bread", "milk", "wine", "oysters", "rice"} {
			if r.IntN(2) == 0 {
				line += "," + item
				if item == "oysters" {
					label = "rich"
				}
			}
		}
		b.WriteString(label + line + ",salt\n")
	}
	return b.String()
}

// jsonLines writes a table as JSON Lines.
func jsonLines(table string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(table), "\n")
	names := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		b.WriteString("{")
		for j, cell := range strings.Split(line, ",") {
			if j > 0 {
				b.WriteString(",")
			}
			_, err := strconv.ParseFloat(cell, 64)
			switch {
			case cell == "" || cell == "?":
				cell = "null"
			case err != nil:
				cell = strconv.Quote(cell)
			}
			fmt.Fprintf(&b, "%q:%s", names[j], cell)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// trained has the fixtures once they are trained, in a folder that TestMain removes.
var trained struct {
	once sync.Once
	dir  string
	all  []*fixture
}

func TestMain(m *testing.M) {
	status := m.Run()
	if trained.dir != "" {
		_ = os.RemoveAll(trained.dir)
	}
	os.Exit(status)
}

// fixtures returns a model of every kind. Nobody writes to their files.
func fixtures(t testing.TB) []*fixture {
	t.Helper()
	trained.once.Do(func() {
		var err error
		if trained.dir, err = os.MkdirTemp("", "kerf-serve"); err != nil {
			t.Fatal(err)
		}
		trained.all = train(t, trained.dir)
	})
	return trained.all
}

func train(t testing.TB, dir string) []*fixture {
	t.Helper()
	var all []*fixture
	add := func(name, file, text string, f form, args ...string) *fixture {
		one := &fixture{name: name, file: filepath.Join(dir, file), form: f, model: filepath.Join(dir, name+".kerf")}
		if err := os.WriteFile(one.file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		one.lines = strings.Split(strings.TrimSpace(text), "\n")
		if f == cells {
			one.names, one.lines = strings.Split(one.lines[0], ","), one.lines[1:]
		}
		if args != nil {
			kerf(t, append([]string{"train", one.file, "-o", one.model, "-q", "--workers", "1"}, args...)...)
		}
		all = append(all, one)
		return one
	}
	f2 := []string{"--map", "f2", "--dim", "20", "--C", "1", "--kernel"}
	add(
		"table",
		"table.csv",
		tableText(90, 2, false),
		cells,
		append(f2, "rbf(gamma=0.3)", "--scale", "standard", "--conformal", "0.4")...)
	add("many", "many.csv", tableText(120, 5, false), cells, append(f2, "rbf(gamma=0.3)", "--scale", "standard")...)
	add(
		"numbers",
		"numbers.csv",
		tableText(90, 1, true),
		cells,
		"--task",
		"regress",
		"--kernel",
		"rbf(gamma=0.3)",
		"--map",
		"f2",
		"--dim",
		"20",
		"--learner",
		"ridge",
		"--lambda",
		"0.1",
		"--scale",
		"standard",
		"--conformal",
		"0.4",
	)
	add("sparse", "sparse.libsvm", sparseText(90), sparse, append(f2, "rbf(gamma=0.1)")...)
	add("linear", "linear.libsvm", sparseText(70), sparse, "--kernel", "linear", "--map", "none", "--C", "1")
	add("strings", "strings.fasta", fastaText(60), texts, append(f2, "spectrum(k=3)")...)
	add("sets", "sets.baskets", basketText(80), items, append(f2, "jaccard")...)
	add(
		"machine",
		"machine.csv",
		tableText(90, 3, false),
		cells,
		"--learner",
		"kernel-svm",
		"--kernel",
		"rbf(gamma=0.2)",
		"--C",
		"2",
	)
	add(
		"alone",
		"alone.csv",
		tableText(90, 2, false),
		cells,
		"--learner",
		"one-class",
		"--kernel",
		"rbf(gamma=0.2)",
		"--scale",
		"standard",
	)
	add("itemised", "itemised.csv", tableText(60, 2, false), cells, append(f2, "jaccard", "--as", "sets")...)
	add(
		"written",
		"written.csv",
		tableText(60, 2, false),
		cells,
		append(f2, "spectrum(k=2)", "--as", "strings", "--text", "town")...)
	lines := add("keyed", "keyed.jsonl", jsonLines(tableText(80, 2, false)), cells,
		append(f2, "rbf(gamma=0.3)", "--scale", "standard", "--target", "class")...)
	table := strings.Split(strings.TrimSpace(tableText(80, 2, false)), "\n")
	lines.names, lines.lines = strings.Split(table[0], ","), table[1:]
	saveBlend(t, add("blend", "blend.csv", tableText(80, 3, false), cells))
	return all
}

// saveBlend trains parts of three forms and saves their blend.
func saveBlend(t testing.TB, f *fixture) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	rows, err := dataset.Read(ctx, f.file, dataset.Options{})
	check(err)
	e, err := dataset.Fit(rows, nil, scale.Standard, dataset.Options{})
	check(err)
	d, err := dataset.Decode[data.Vector](e, rows)
	check(err)
	sample := model.Labels(d)
	f2 := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.5}, 9)
	plain, machine := f2, f2
	plain.Kernel, plain.Map = nil, model.None[data.Vector]{}
	machine.Map, machine.Learner = model.None[data.Vector]{}, model.NewKernelRidge[data.Vector]()
	var parts []*model.Pipeline[data.Vector]
	for _, r := range []model.Recipe[data.Vector]{f2, plain, machine} {
		p, _, err := r.FitSample(ctx, sample)
		check(err)
		parts = append(parts, p)
	}
	p, err := model.Blend(parts, []float64{0.5, 0.125, 0.375})
	check(err)
	scores, err := p.ScoreAll(ctx, run.Control{}, sample.X)
	check(err)
	p.Calibration, err = calibrate.Temperature{}.Fit(ctx, scores, sample.Y)
	check(err)
	check(model.NewModel(p, e, model.Kind[data.Vector](spec.Vectors{})).Save(f.model))
}

// serverOf serves fixtures.
func serverOf(t testing.TB, o serve.Options, all ...*fixture) *serve.Server {
	t.Helper()
	var sources []serve.Source
	for _, f := range all {
		sources = append(sources, serve.Source{Name: f.name, Path: f.model})
	}
	s, err := serve.New(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
