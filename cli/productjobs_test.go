package cli_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// properties are what must hold of a job on data of a trait, for every kind of
// instances and target.
var properties = map[string]map[string]func(w *world){
	"train": {"plain": trainPlain, "weights": trainWeights, "categories": trainCategories, "missing": trainMissing,
		"duplicates": trainDuplicates, "unlabeled": trainUnlabeled, "columns": trainColumns},
	"predict": {"plain": predictPlain, "weights": predictWeights, "categories": predictCategories,
		"missing": predictMissing, "duplicates": predictDuplicates, "unlabeled": predictUnlabeled,
		"columns": predictColumns},
	"eval": {"plain": evalPlain, "weights": evalWeights, "categories": evalPlain, "missing": evalMissing,
		"duplicates": evalDuplicates, "columns": evalColumns},
	"map": {"plain": mapPlain, "weights": mapWeights, "categories": mapPlain, "missing": mapPlain,
		"duplicates": mapPlain, "unlabeled": mapUnlabeled, "columns": mapColumns},
	"cv": {"plain": cvPlain, "weights": cvWeights, "categories": cvPlain, "missing": cvPlain, "duplicates": cvPlain,
		"unlabeled": cvPlain, "columns": cvColumns},
	"tune": {"plain": tunePlain, "weights": tuneWeights, "categories": tunePlain, "missing": tunePlain,
		"duplicates": tunePlain, "columns": tuneColumns},
	"margin": {"plain": marginPlain, "categories": marginPlain, "missing": marginPlain, "duplicates": marginPlain,
		"columns": marginColumns},
	"check": {"plain": checkPlain, "categories": checkPlain, "missing": checkPlain, "duplicates": checkDuplicates,
		"unlabeled": checkUnlabeled, "columns": checkColumns},
	"certificate": {"plain": certified, "weights": certified, "categories": certified, "missing": certified,
		"duplicates": certifiedDuplicates, "columns": certifiedColumns},
}

// traited returns the cell's rows with its trait, and how they are written.
func (w *world) traited() ([]row, layout) {
	rows, l := w.rows(), layout{}
	switch w.trait {
	case "weights":
		l.weight = true
	case "categories":
		l.colour = true
	case "missing":
		rows = changed(rows, hollow)
	case "duplicates":
		rows = twice(rows)
	case "unlabeled":
		l.bare = true
	}
	return rows, l
}

// hollow leaves out what a row may lack: a number, the letters of a text, the items
// of a set.
func hollow(i int, r *row) {
	if i%5 == 1 {
		r.x, r.text, r.items = math.NaN(), "", nil
	}
}

// on writes rows and returns a call on them, with what the job has to be told of
// the file.
func (w *world) on(job string, rows []row, l layout) call {
	w.Helper()
	c := call{job: job}
	c.data, c.weights = w.write(rows, l)
	if l.weight && w.isTable() {
		c.weight = "w"
	}
	byModel := slices.Contains([]string{"predict", "eval"}, job)
	switch {
	case byModel && w.kind == "sets" && l.bare && !w.isTable():
		c.target = "none" // a line of items does not show whether it begins with a label
	case byModel:
	case l.bare && w.kind != "sparse":
		c.target = "none"
	case l.swapped && w.kind != "sparse":
		c.target = "label"
	case w.kind == "sets" && !w.isTable() && !l.bare:
		c.target = "first"
	}
	if !byModel && (w.kind == "strings" || w.kind == "sets") {
		c.as = w.kind
	}
	if !byModel && w.kind == "strings" && w.isTable() {
		c.text = "text"
	}
	return c
}

// how is what is chosen of a model.
type how int

const (
	mapped how = iota // a kernel, the map f2 and a learner
	exact             // a kernel and a learner whose optimum depends on nothing that is drawn at random
	free              // nothing but the task
)

// chosen adds what is chosen of a model.
func (w *world) chosen(c call, by how) call {
	if by == free {
		if c.task = ""; w.target == "numbers" {
			c.task = "regress"
		} else if w.target == "one-class" {
			c.learner = "one-class"
		}
		return c
	}
	c.kernel = map[string]string{"dense": "rbf(gamma=0.5)", "sparse": "rbf(gamma=0.5)",
		"strings": "normalize(spectrum(k=2))+1", "sets": "jaccard+1"}[w.kind]
	switch c.job {
	case "margin", "check":
		return c
	case "map":
		c.dim = 6
		return c
	}
	switch {
	case w.target == "one-class":
		c.learner = "one-class"
	case w.target == "numbers" && by == exact:
		c.task, c.learner, c.penalty = "regress", "kernel-ridge", 1e-3
	case w.target == "numbers":
		c.task, c.learner, c.penalty, c.dim = "regress", "ridge", 0.5, 6
	case by == exact:
		c.learner, c.penalty = "kernel-svm", 2
	default:
		c.learner, c.penalty, c.dim = "svm", 2, 6
	}
	if c.job == "tune" {
		c.penalty = 0
	}
	return c
}

// train trains on rows and returns the result and the model's file.
func (w *world) train(rows []row, l layout, by how) (result, string) {
	w.Helper()
	c := w.chosen(w.on("train", rows, l), by)
	c.model = filepath.Join(w.dir, fmt.Sprintf("m%d.kerf", w.files))
	return w.do(c), c.model
}

// predict returns what a model says of rows.
func (w *world) predict(m string, rows []row, l layout) result {
	w.Helper()
	c := w.on("predict", rows, l)
	c.model, c.weight, c.weights = m, "", ""
	return w.do(c)
}

// with returns a call of a job by a model.
func (w *world) with(m, job string, rows []row, l layout) call {
	w.Helper()
	c := w.on(job, rows, l)
	c.model = m
	return c
}

// outputs returns the numbers of lines of predictions: the scores, or the number.
func (w *world) outputs(lines []string) []float64 {
	w.Helper()
	var out []float64
	for _, line := range lines {
		fields := strings.Split(line, "\t")
		if w.target != "numbers" {
			fields = fields[1:]
		}
		for _, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil || v-v != 0 {
				w.Fatalf("the output %q is no finite number", f)
			}
			out = append(out, v)
		}
	}
	return out
}

// alike compares outputs, those of a scaled by a factor, up to the learner's
// tolerance.
func (w *world) alike(what string, a, b []string, factor float64) {
	w.Helper()
	x, y := w.outputs(a), w.outputs(b)
	if len(x) != len(y) {
		w.Fatalf("%s: %d outputs and %d", what, len(x), len(y))
	}
	for i := range x {
		if math.Abs(factor*x[i]-y[i]) > 1e-5*(1+math.Abs(y[i])) {
			w.Fatalf("%s: output %d is %v and %v", what, i, factor*x[i], y[i])
		}
	}
}

// same compares lines byte by byte.
func (w *world) same(what string, a, b []string) {
	w.Helper()
	if !slices.Equal(a, b) {
		w.Fatalf("%s: %d lines that begin with %q, and %d that begin with %q", what, len(a), a[:min(len(a), 3)], len(b),
			b[:min(len(b), 3)])
	}
}

// near compares numbers of a result.
func (w *world) near(what string, got, want float64) {
	w.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		w.Errorf("%s is %v, want %v", what, got, want)
	}
}

// measure is the name of the error.
func (w *world) measure() string {
	if w.target == "numbers" {
		return "rmse"
	}
	return "error"
}

// loss is the error of predictions by its formula, by weight where weighed.
func (w *world) loss(rows []row, lines []string, weighed bool) float64 {
	w.Helper()
	sum, all := 0.0, 0.0
	for i, r := range rows {
		said, _, _ := strings.Cut(lines[i], "\t")
		weight := 1.0
		if weighed {
			weight = float64(r.weight)
		}
		all += weight
		if w.target == "numbers" {
			a, _ := strconv.ParseFloat(said, 64)
			b, _ := strconv.ParseFloat(r.label, 64)
			sum += weight * (a - b) * (a - b)
		} else if said != r.label {
			sum += weight
		}
	}
	if w.target == "numbers" {
		return math.Sqrt(sum / all)
	}
	return sum / all
}

// live returns how many rows have a positive weight.
func live(rows []row) int {
	n := 0
	for _, r := range rows {
		if r.weight > 0 {
			n++
		}
	}
	return n
}

func trainPlain(w *world) {
	rows := w.rows()
	r, m := w.train(rows, layout{}, mapped)
	w.near("n", numberAt(w, r.object, "n"), float64(len(rows)))
	lines := w.predict(m, rows, layout{}).lines
	loss := w.loss(rows, lines, false)
	w.near("train score", numberAt(w, r.object, "train."+w.measure()), loss)
	// Tested on its own rows it does the same.
	c := w.chosen(w.on("train", rows, layout{}), mapped)
	c.test, _ = w.write(rows, layout{})
	w.near("test score", numberAt(w, w.do(c).object, "test."+w.measure()), loss)
	// A row with a label that training did not have is an error, or no number.
	strange := append(slices.Clone(rows), rows[3])
	strange[len(rows)].label = "strange"
	c.test, _ = w.write(strange, layout{})
	switch w.target {
	case "numbers":
		place := fmt.Sprintf("row %d", len(strange))
		if w.isTable() {
			place = fmt.Sprintf("%s:%d:", filepath.Base(c.test), len(strange)+1)
		}
		w.refuses(c, 3, place)
		c.data, c.test = c.test, ""
		w.refuses(c, 3, place)
		w.refuses(w.with(m, "eval", strange, layout{}), 3, "not a number")
	case "two", "many":
		n := float64(len(rows))
		w.near("test error with a strange row", numberAt(w, w.do(c).object, "test.error"), (n*loss+1)/(n+1))
		e := w.do(w.with(m, "eval", strange, layout{})).object
		w.near("error with a strange row", numberAt(w, e, "error"), (n*loss+1)/(n+1))
	}
}

func trainWeights(w *world) {
	rows := w.rows()
	weighed, m := w.train(rows, layout{weight: true}, exact)
	often, repeatedModel := w.train(repeated(rows), layout{}, exact)
	w.alike("weights are repetitions", w.predict(m, rows, layout{}).lines,
		w.predict(repeatedModel, rows, layout{}).lines, 1)
	w.near("n", numberAt(w, weighed.object, "n"), float64(live(rows)))
	w.near("sum of weights", numberAt(w, weighed.object, "weights.sum"), numberAt(w, often.object, "n"))
	if a, b := numberAt(w, weighed.object, "train."+w.measure()), numberAt(w, often.object,
		"train."+w.measure()); math.Abs(a-b) > 1e-5 && w.target != "one-class" { // many scores are 0 but for rounding
		w.Errorf("train score %v by weight, %v of rows repeated", a, b)
	}
	// A row of weight 0 may be anything that can be read.
	other := changed(rows, func(_ int, r *row) {
		if r.weight == 0 {
			r.x, r.text, r.items = 50, "zzzzzzzz", []string{"z"}
		}
	})
	_, same := w.train(other, layout{weight: true}, exact)
	w.same("rows of weight 0", w.predict(m, rows, layout{}).lines, w.predict(same, rows, layout{}).lines)
}

func trainCategories(w *world) {
	rows := w.rows()
	r, m := w.train(rows, layout{colour: true}, exact)
	w.near("coordinates", numberAt(w, r.object, "features"), 2+3)
	names := map[string]string{"red": "c", "green": "b", "blue": "a"}
	other := changed(rows, func(_ int, r *row) { r.colour = names[r.colour] })
	_, renamed := w.train(other, layout{colour: true}, exact)
	w.alike("categories of other names", w.predict(m, rows, layout{colour: true}).lines,
		w.predict(renamed, other, layout{colour: true}).lines, 1)
}

func trainMissing(w *world) {
	rows := changed(w.rows(), hollow)
	r, m := w.train(rows, layout{}, exact)
	w.near("n", numberAt(w, r.object, "n"), float64(len(rows)))
	w.outputs(w.predict(m, rows, layout{}).lines)
	if w.kind == "dense" {
		w.near("coordinates, that of the gap among them", numberAt(w, r.object, "features"), 3)
	}
	gap := changed(rows, func(i int, r *row) {
		if i == 7 {
			r.label = ""
		}
	})
	c := w.chosen(w.on("train", gap, layout{}), exact)
	line := 8
	if w.isTable() {
		line++
	}
	w.refuses(c, 3, fmt.Sprintf("%s:%d", filepath.Base(c.data), line))
}

func trainDuplicates(w *world) {
	rows := w.rows()
	_, once := w.train(rows, layout{}, exact)
	c := w.chosen(w.on("train", twice(rows), layout{}), exact)
	c.model = filepath.Join(w.dir, "twice.kerf")
	factor := 1.0
	switch w.target {
	case "two", "many":
		c.penalty /= 2 // ½|w|² + C Σ ξ
	case "one-class":
		factor = 2 // the sum of the coefficients is ν times the rows
	}
	w.do(c)
	w.alike("rows twice", w.predict(once, rows, layout{}).lines, w.predict(c.model, rows, layout{}).lines, factor)
}

// trainUnlabeled is for one class, which looks at no labels.
func trainUnlabeled(w *world) {
	rows := w.rows()
	_, with := w.train(rows, layout{}, mapped)
	r, bare := w.train(rows, layout{bare: true}, mapped)
	w.near("n", numberAt(w, r.object, "n"), float64(len(rows)))
	w.same("labels", w.predict(with, rows, layout{}).lines, w.predict(bare, rows, layout{bare: true}).lines)
}

func trainColumns(w *world) {
	rows := w.rows()
	c := w.chosen(w.on("train", rows, layout{}), exact)
	c.model, c.test = filepath.Join(w.dir, "m.kerf"), ""
	plain := w.do(c).object
	c.test, _ = w.write(rows, layout{swapped: true})
	tested := w.do(c).object
	w.near("test score", numberAt(w, tested, "test."+w.measure()), numberAt(w, plain, "train."+w.measure()))
	w.near("rows of the test", numberAt(w, tested, "test.n"), float64(len(rows)))
	// Trained on such a table it says the same.
	other := w.dropping(w.chosen(w.on("train", rows, layout{swapped: true}), exact))
	other.model = filepath.Join(w.dir, "other.kerf")
	w.do(other)
	w.alike("columns in another order", w.predict(c.model, rows, layout{}).lines,
		w.predict(other.model, rows, layout{}).lines, 1)
}

func predictPlain(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	lines := w.predict(m, rows, layout{}).lines
	if len(lines) != len(rows) {
		w.Fatalf("%d lines of %d rows", len(lines), len(rows))
	}
	w.records(m, rows, layout{}, lines)
	slices.Reverse(rows)
	slices.Reverse(lines)
	w.same("rows from the last on", w.predict(m, rows, layout{}).lines, lines)
}

// records compares what a model says of records with lines of predict.
func (w *world) records(path string, rows []row, l layout, lines []string) {
	w.Helper()
	m, err := model.Load(path)
	if err != nil {
		w.Fatal(err)
	}
	var all []any
	for _, r := range rows {
		all = append(all, w.record(r, l))
	}
	said, err := m.PredictAll(w.Context(), run.Control{}, all...)
	if err != nil {
		w.Fatal(err)
	}
	for i, p := range said {
		line := p.Label
		for _, s := range p.Scores {
			if w.target != "numbers" {
				line += "\t" + spellNumber(s)
			}
		}
		if line != lines[i] {
			w.Fatalf("record %d is %q, and the row %q", i+1, line, lines[i])
		}
	}
}

func predictWeights(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{weight: true}, mapped)
	lines := w.predict(m, rows, layout{weight: true}).lines
	if len(lines) != len(rows) {
		w.Fatalf("%d lines of %d rows: those of weight 0 are to be predicted too", len(lines), len(rows))
	}
	w.same("without weights", lines, w.predict(m, rows, layout{}).lines)
	w.same("without weights and labels", lines, w.predict(m, rows, layout{bare: true}).lines)
	w.records(m, rows, layout{weight: true}, lines)
	w.records(m, rows, layout{bare: true}, lines)
}

func predictCategories(w *world) {
	rows := w.rows()
	l := layout{colour: true}
	_, m := w.train(rows, l, mapped)
	strange := changed(rows, func(_ int, r *row) { r.colour = "mauve" })
	none := changed(rows, func(_ int, r *row) { r.colour = "" })
	c := w.with(m, "predict", strange, l)
	if _, _, said := kerf(w, c.args("")...); !strings.Contains(said, "42 cells hold categories that training did not") {
		w.Errorf("nobody is told of categories that training did not have: %q", said)
	}
	lines := w.predict(m, strange, l).lines
	w.same("a category that training did not have is as none", lines, w.predict(m, none, l).lines)
	w.records(m, strange, l, lines)
	w.records(m, none, l, lines)
}

func predictMissing(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	gaps := changed(rows, hollow)
	lines := w.predict(m, gaps, layout{}).lines
	w.outputs(lines)
	w.records(m, gaps, layout{}, lines)
	if w.kind != "dense" {
		return
	}
	mean := 0.0
	for i, r := range rows {
		mean += r.x/float64(i+1) - mean/float64(i+1)
	}
	filled := changed(gaps, func(_ int, r *row) {
		if math.IsNaN(r.x) {
			r.x = mean
		}
	})
	w.alike("a number that is missing is the mean", lines, w.predict(m, filled, layout{}).lines, 1)
}

func predictDuplicates(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	var want []string
	for _, line := range w.predict(m, rows, layout{}).lines {
		want = append(want, line, line)
	}
	w.same("rows twice", w.predict(m, twice(rows), layout{}).lines, want)
}

func predictUnlabeled(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	lines := w.predict(m, rows, layout{}).lines
	w.same("without labels", w.predict(m, rows, layout{bare: true}).lines, lines)
	w.records(m, rows, layout{bare: true}, lines)
	if w.kind == "sets" && w.target != "one-class" { // the first items must not be taken for labels in silence
		c := w.with(m, "predict", rows, layout{bare: true})
		c.target = ""
		w.refuses(c, 3, "--target none")
	}
}

func predictColumns(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	lines := w.predict(m, rows, layout{}).lines
	w.same("columns in another order", w.predict(m, rows, layout{swapped: true}).lines, lines)
	w.same("and without labels", w.predict(m, rows, layout{swapped: true, bare: true}).lines, lines)
	w.records(m, rows, layout{swapped: true}, lines)
	kind, trait := w.kind, w.trait
	if w.kind = "sets"; kind == "sets" {
		w.kind = "dense"
	}
	c := w.with(m, "predict", rows, layout{}) // a table with other columns
	w.kind, w.trait = kind, trait
	w.refuses(c, 3, "")
}
