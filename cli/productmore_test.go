package cli_test

import (
	"math"
	"slices"
	"strings"
)

func evalPlain(w *world) {
	for _, by := range []how{mapped, free} {
		w.evaluated(by)
	}
}

// evaluated compares the score of a training with that of eval on the same rows.
func (w *world) evaluated(by how) {
	w.Helper()
	rows, l := w.traited()
	r, m := w.train(rows, l, by)
	e := w.do(w.with(m, "eval", rows, l)).object
	w.near("score", numberAt(w, e, w.measure()), numberAt(w, r.object, "train."+w.measure()))
	w.near("n", numberAt(w, e, "n"), float64(len(rows)))
	w.near("score by its formula", numberAt(w, e, w.measure()), w.loss(rows, w.predict(m, rows, l).lines, false))
}

func evalWeights(w *world) {
	rows := w.rows()
	r, m := w.train(rows, layout{weight: true}, mapped)
	e := w.do(w.with(m, "eval", rows, layout{weight: true})).object
	w.near("score", numberAt(w, e, w.measure()), numberAt(w, r.object, "train."+w.measure()))
	lines := w.predict(m, rows, layout{}).lines
	w.near("score by its formula", numberAt(w, e, w.measure()), w.loss(rows, lines, true))
	plain := w.do(w.with(m, "eval", rows, layout{})).object
	w.near("score without weights", numberAt(w, plain, w.measure()), w.loss(rows, lines, false))
}

func evalMissing(w *world) {
	evalPlain(w)
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	rows[7].label = ""
	w.refuses(w.with(m, "eval", rows, layout{}), 3, ":")
}

func evalDuplicates(w *world) {
	rows := w.rows()
	_, m := w.train(rows, layout{}, mapped)
	once := w.do(w.with(m, "eval", rows, layout{})).object
	both := w.do(w.with(m, "eval", twice(rows), layout{})).object
	w.near("score", numberAt(w, both, w.measure()), numberAt(w, once, w.measure()))
	w.near("n", numberAt(w, both, "n"), 2*numberAt(w, once, "n"))
}

func evalColumns(w *world) {
	rows := w.rows()
	for _, weight := range []bool{false, true} {
		r, m := w.train(rows, layout{weight: weight}, mapped)
		c := w.with(m, "eval", rows, layout{swapped: true, weight: weight})
		c.weight = "" // the model knows it
		w.near("score", numberAt(w, w.do(c).object, w.measure()), numberAt(w, r.object, "train."+w.measure()))
	}
}

// mapped maps rows, by a model and by a map that is fitted to them, and checks that
// rows and labels stand where they stood.
func (w *world) mapped(rows []row, l layout) (byModel, fitted result) {
	w.Helper()
	_, m := w.train(rows, layout{colour: l.colour, weight: l.weight && w.isTable()}, mapped)
	plain := l
	plain.weight = false
	c := w.with(m, "map", rows, l)
	c.as, c.text, c.weight, c.weights = "", "", "", ""
	if w.kind != "sets" || w.isTable() || !l.bare {
		c.target = ""
	}
	byModel = w.do(c)
	f := w.chosen(w.on("map", rows, plain), mapped)
	fitted = w.do(f)
	for _, r := range []result{byModel, fitted} {
		w.near("rows", numberAt(w, r.object, "rows"), float64(len(rows)))
		if len(r.features) != len(rows) || float64(len(r.features[0])) != numberAt(w, r.object, "dim") {
			w.Fatalf("%d rows of %d features, and %v", len(r.features), len(r.features[0]), r.object)
		}
		if (r.labels == nil) != l.bare {
			w.Fatalf("%d labels", len(r.labels))
		}
		for i, label := range r.labels {
			if label != rows[i].label {
				w.Fatalf("row %d has the label %q, and had %q", i+1, label, rows[i].label)
			}
		}
	}
	return byModel, fitted
}

func mapPlain(w *world) {
	rows, l := w.traited()
	a, _ := w.mapped(rows, l)
	// Equal rows have equal features wherever they stand.
	for i := range rows {
		for j := range i {
			if equalInstances(rows[i], rows[j]) && !slices.Equal(a.features[i], a.features[j]) {
				w.Fatalf("rows %d and %d are equal and their features are not", i+1, j+1)
			}
		}
	}
}

// equalInstances reports rows that are equal as instances of every kind.
func equalInstances(a, b row) bool {
	same := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	return same(a.x, b.x) && same(a.y, b.y) && a.colour == b.colour && a.text == b.text
}

func mapWeights(w *world) {
	rows := w.rows()
	a, _ := w.mapped(rows, layout{weight: w.isTable()})
	b, _ := w.mapped(rows, layout{})
	if w.isTable() && len(a.features) != len(b.features) {
		w.Errorf("%d rows with weights and %d without", len(a.features), len(b.features))
	}
	c := w.chosen(w.on("map", rows, layout{weight: true}), mapped)
	if w.door == "command line" {
		w.refuses(c, 2, "unknown flag: --weight")
	} else {
		w.refuses(c, 2, "takes no weights")
	}
}

func mapUnlabeled(w *world) {
	rows := w.rows()
	a, b := w.mapped(rows, layout{})
	c, d := w.mapped(rows, layout{bare: true})
	for i := range rows {
		if !slices.Equal(a.features[i], c.features[i]) || !slices.Equal(b.features[i], d.features[i]) {
			w.Fatalf("row %d has other features without labels", i+1)
		}
	}
}

func mapColumns(w *world) {
	rows := w.rows()
	a, _ := w.mapped(rows, layout{})
	_, m := w.train(rows, layout{}, mapped)
	c := w.with(m, "map", rows, layout{swapped: true})
	c.as, c.text, c.target = "", "", ""
	b := w.do(c)
	for i := range rows {
		if !slices.Equal(a.features[i], b.features[i]) || b.labels[i] != rows[i].label {
			w.Fatalf("row %d has other features or another label where columns have another order", i+1)
		}
	}
}

// folded checks that a cross-validation tests each of n rows once.
func (w *world) folded(r result, n int) {
	w.Helper()
	sum, mean := 0.0, 0.0
	folds := r.object["folds"].([]any)
	for _, f := range folds {
		f := f.(map[string]any)
		sum += number(f["n"])
		mean += number(f[w.measure()]) / float64(len(folds))
		w.near("rows of a fold and the others", number(f["n"])+number(f["n_train"]), float64(n))
	}
	w.near("rows tested", sum, float64(n))
	w.near("mean", numberAt(w, r.object, "mean."+w.measure()), mean)
}

func cvPlain(w *world) {
	rows, l := w.traited()
	w.folded(w.do(w.chosen(w.on("cv", rows, l), mapped)), len(rows))
}

func cvWeights(w *world) {
	rows := w.rows()
	r := w.do(w.chosen(w.on("cv", rows, layout{weight: true}), mapped))
	w.folded(r, live(rows))
	without := slices.DeleteFunc(rows, func(r row) bool { return r.weight == 0 })
	w.near("mean without the rows of weight 0", numberAt(w, r.object, "mean."+w.measure()), numberAt(w,
		w.do(w.chosen(w.on("cv", without, layout{weight: true}), mapped)).object, "mean."+w.measure()))
}

func cvColumns(w *world) {
	rows := w.rows()
	a := w.do(w.chosen(w.on("cv", rows, layout{}), exact))
	w.folded(a, len(rows))
	b := w.do(w.dropping(w.chosen(w.on("cv", rows, layout{swapped: true}), exact)))
	w.near("mean", numberAt(w, b.object, "mean."+w.measure()), numberAt(w, a.object, "mean."+w.measure()))
}

// tuned checks that a search looked at n rows.
func (w *world) tuned(r result, n int) {
	w.Helper()
	w.near("n", numberAt(w, r.object, "n"), float64(n))
	for _, rows := range numbers(w, r.object, "trials", "rows") {
		w.near("rows of a trial", rows, float64(n))
	}
	w.near("rows of the best", numberAt(w, r.object, "best.rows"), float64(n))
}

func tunePlain(w *world) {
	rows, l := w.traited()
	w.tuned(w.do(w.chosen(w.on("tune", rows, l), mapped)), len(rows))
}

func tuneWeights(w *world) {
	rows := w.rows()
	w.tuned(w.do(w.chosen(w.on("tune", rows, layout{weight: true}), mapped)), live(rows))
}

func tuneColumns(w *world) {
	rows := w.rows()
	c := w.chosen(w.on("tune", rows, layout{}), mapped)
	c.test, _ = w.write(rows, layout{swapped: true})
	r := w.do(c)
	w.tuned(r, len(rows))
	w.near("test score", numberAt(w, r.object, "test."+w.measure()), numberAt(w, r.object, "train."+w.measure()))
}

// curved checks a curve: errors in [0, 1] that do not fall with the margin, counted
// on a quarter of n rows, class by class.
func (w *world) curved(r result, rows []row) {
	w.Helper()
	w.near("n", numberAt(w, r.object, "n"), float64(len(rows)))
	last := 0.0
	for _, p := range r.object["curve"].([]any) {
		e := number(p.(map[string]any)["error"])
		if !(e >= last && e <= 1) {
			w.Fatalf("error %v after %v", e, last)
		}
		last = e
	}
	if n := numberAt(w, r.object, "rows"); math.Abs(n-float64(len(rows))/4) > 3 {
		w.Errorf("%v rows were counted of %d", n, len(rows))
	}
}

func marginPlain(w *world) {
	rows, l := w.traited()
	w.curved(w.do(w.chosen(w.on("margin", rows, l), mapped)), rows)
}

func marginColumns(w *world) {
	rows := w.rows()
	a := w.do(w.chosen(w.on("margin", rows, layout{}), mapped))
	w.curved(a, rows)
	b := w.do(w.dropping(w.chosen(w.on("margin", rows, layout{swapped: true}), mapped)))
	w.near("margin", numberAt(w, b.object, "margin"), numberAt(w, a.object, "margin"))
}

// dropping leaves the further column of a table with swapped ones out.
func (w *world) dropping(c call) call {
	c.drop = "new"
	return c
}

// checked checks that a kernel is found to be one on n rows.
func (w *world) checked(c call, n int) result {
	w.Helper()
	r := w.do(c)
	w.near("n", numberAt(w, r.object, "n"), float64(n))
	if r.object["symmetric"] != true || r.object["psd"] != true {
		w.Fatalf("no kernel: %v", r.object)
	}
	return r
}

func checkPlain(w *world) {
	rows, l := w.traited()
	w.checked(w.chosen(w.on("check", rows, l), mapped), len(rows))
}

func checkDuplicates(w *world) {
	rows := w.rows()
	once := w.checked(w.chosen(w.on("check", rows, layout{}), mapped), len(rows))
	both := w.checked(w.chosen(w.on("check", twice(rows), layout{}), mapped), 2*len(rows))
	w.near("rank", numberAt(w, both.object, "rank"), numberAt(w, once.object, "rank"))
	w.near("largest eigenvalue", numberAt(w, both.object, "max_eigenvalue"), 2*numberAt(w, once.object, "max_eigenvalue"))
}

func checkUnlabeled(w *world) {
	rows := w.rows()
	with := w.checked(w.chosen(w.on("check", rows, layout{}), mapped), len(rows))
	bare := w.checked(w.chosen(w.on("check", rows, layout{bare: true}), mapped), len(rows))
	w.near("largest eigenvalue", numberAt(w, bare.object, "max_eigenvalue"), numberAt(w, with.object, "max_eigenvalue"))
	if w.kind == "sets" { // what is taken for granted is said
		c := w.chosen(w.on("check", rows, layout{bare: true}), mapped)
		c.target = ""
		if _, _, said := kerf(w, c.args("")...); !strings.Contains(said, "--target first") {
			w.Errorf("nobody is told that lines are taken to have no labels: %q", said)
		}
	}
}

func checkColumns(w *world) {
	rows := w.rows()
	a := w.checked(w.chosen(w.on("check", rows, layout{}), mapped), len(rows))
	b := w.checked(w.dropping(w.chosen(w.on("check", rows, layout{swapped: true}), mapped)), len(rows))
	w.near("largest eigenvalue", numberAt(w, b.object, "max_eigenvalue"), numberAt(w, a.object, "max_eigenvalue"))
}

// certified checks a certificate: it speaks of rows of positive weight, and holds
// only where its bound is within the error.
func certified(w *world) {
	rows, l := w.traited()
	r := w.do(w.chosen(w.on("certificate", rows, l), mapped)).object
	n := len(rows)
	if l.weight {
		n = live(rows)
	}
	w.near("n", numberAt(w, r, "n"), float64(n))
	if fresh := numberAt(w, r, "certificate.fresh"); !(fresh <= float64(n)) {
		w.Errorf("%v fresh rows of %d", fresh, n)
	}
	bound, asked := numberAt(w, r, "certificate.bound"), numberAt(w, r, "certificate.error")
	if stands, _ := find(r, "certificate.holds"); stands != (bound <= asked) {
		w.Errorf("holds is %v, the bound %v of %v", stands, bound, asked)
	}
}

// certifiedColumns: the order of columns is nothing to a certificate.
func certifiedColumns(w *world) {
	certified(w)
	rows := w.rows()
	a := w.do(w.chosen(w.on("certificate", rows, layout{}), mapped)).object
	b := w.do(w.dropping(w.chosen(w.on("certificate", rows, layout{swapped: true}), mapped))).object
	w.near("bound", numberAt(w, b, "certificate.bound"), numberAt(w, a, "certificate.bound"))
}

// certifiedDuplicates: copies of landmarks and of other rows are no fresh rows.
func certifiedDuplicates(w *world) {
	certified(w)
	rows, l := w.traited()
	r := w.do(w.chosen(w.on("certificate", rows, l), mapped)).object
	fresh, used := numberAt(w, r, "certificate.fresh"), numberAt(w, r, "certificate.features")
	if n := len(w.rows()); fresh+used > float64(n) {
		w.Errorf("%v fresh rows and %v features of %d different rows", fresh, used, n)
	}
}
