package cli_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
)

// The axes of the product of features. A value that is added to one of them fails
// TestProduct until every cell that it makes has an expectation.
var (
	kinds   = []string{"dense", "sparse", "strings", "sets"}
	targets = []string{"two", "many", "numbers", "one-class"}
	traits  = []string{"plain", "weights", "categories", "missing", "duplicates", "unlabeled", "columns"}
	jobs    = []string{"train", "predict", "eval", "map", "cv", "tune", "margin", "check", "certificate"}
	doors   = []string{"command line", "Go"}
)

// cell is a point of the product.
type cell struct{ kind, target, trait, job, door string }

func (c cell) String() string {
	return strings.Join([]string{c.kind, c.target, c.trait, c.job, strings.ReplaceAll(c.door, " ", "_")}, "/")
}

// covers reports whether a cell is one of a pattern's, whose fields are values with
// bars between them, empty for any.
func (c cell) covers(d cell) bool {
	in := func(pattern, value string) bool {
		return pattern == "" || slices.Contains(strings.Split(pattern, "|"), value)
	}
	return in(c.kind, d.kind) && in(c.target, d.target) && in(c.trait, d.trait) && in(c.job, d.job) && in(c.door, d.door)
}

// rule is what is expected of the cells of a pattern, other than that their
// property holds: a refusal with an exit status, or, where that is 0, that they
// cannot exist.
type rule struct {
	at     cell
	status int
	says   string // part of the message, or why there is no such cell
}

// rules are looked through in order. Where none covers a cell, the property of its
// job and its trait must hold.
var rules = []rule{
	{cell{kind: "sparse|strings|sets", trait: "categories"}, 0, "only tables have columns of categories"},
	{cell{kind: "sparse", trait: "missing"}, 0, "what LIBSVM data do not name is 0, not missing"},
	{cell{target: "one-class", job: "margin"}, 0, "margins are of classes; the job takes no learner"},

	{cell{trait: "weights", job: "margin|check", door: "command line"}, 2, "unknown flag: --weight"},
	{cell{trait: "weights", job: "margin|check", door: "Go"}, 2, "takes no weights"},
	{cell{kind: "sparse", trait: "columns", job: "certificate", door: "Go"}, 3, "index 1 comes after index 2"},
	{cell{target: "one-class", job: "tune"}, 2, "no error to search by"},
	{cell{target: "numbers", job: "certificate"}, 2, "numbers have none"},
	{cell{target: "one-class", job: "certificate"}, 2, "certifies the maps f2 and f3"},
	{cell{target: "two|many|numbers", trait: "unlabeled", job: "train|cv|tune|margin|certificate"}, 3,
		"the rows have no "},
	{cell{trait: "unlabeled", job: "eval"}, 3, "no labels to compare with"},
	{cell{kind: "sparse", trait: "columns"}, 3, "index 1 comes after index 2"},
	{cell{target: "numbers", job: "margin"}, 3, "are no classes"},
}

// pending are cells whose property does not hold yet, with the reason.
var pending []rule

// outcome is how a cell is expected to end.
type outcome string

const (
	holds   outcome = "holds"
	refused outcome = "is refused"
	absent  outcome = "cannot exist"
	waits   outcome = "is pending"
	open    outcome = "has no expectation"
)

// expect returns what is expected of a cell, and the rule that says so.
func expect(c cell) (outcome, rule) {
	for _, r := range rules {
		switch {
		case !r.at.covers(c):
		case r.status == 0:
			return absent, r
		default:
			return refused, r
		}
	}
	if properties[c.job][c.trait] == nil {
		return open, rule{}
	}
	for _, r := range pending {
		if r.at.covers(c) {
			return waits, r
		}
	}
	return holds, rule{}
}

// TestProduct checks every cell of the product of kinds of instances, targets,
// traits of the data, jobs and doors: a property holds, or there is a refusal with
// its reason.
func TestProduct(t *testing.T) {
	count := map[outcome]int{}
	for _, kind := range kinds {
		for _, target := range targets {
			var all []cell
			for _, trait := range traits {
				for _, job := range jobs {
					for _, door := range doors {
						c := cell{kind, target, trait, job, door}
						o, _ := expect(c)
						if count[o]++; o == open {
							t.Errorf("%v has no expectation: nobody looked at that pair", c)
						}
						if (o == holds || o == refused) && !(testing.Short() && skipped(c)) {
							all = append(all, c)
						}
					}
				}
			}
			t.Run(kind+"/"+target, func(t *testing.T) {
				t.Parallel()
				for _, c := range all {
					t.Run(fmt.Sprintf("%s/%s/%s", c.trait, c.job, c.door), func(t *testing.T) { check(t, c) })
				}
			})
		}
	}
	for _, r := range pending {
		t.Logf("pending: %+v: %s", r.at, r.says)
	}
	t.Logf("cells: %v", count)
	for _, r := range append(slices.Clone(rules), pending...) {
		if !someCell(r.at) {
			t.Errorf("no cell is like %+v", r.at)
		}
	}
}

// skipped reports a cell that a short test leaves out: all but one in eight.
func skipped(c cell) bool {
	h := fnv.New32a()
	h.Write([]byte(c.String()))
	return h.Sum32()%8 != 0
}

// someCell reports whether a pattern has a cell.
func someCell(at cell) bool {
	in := func(pattern string, values []string) bool {
		return pattern == "" || slices.ContainsFunc(strings.Split(pattern, "|"), func(v string) bool {
			return slices.Contains(values, v)
		})
	}
	return in(at.kind, kinds) && in(at.target, targets) && in(at.trait, traits) && in(at.job, jobs) && in(at.door, doors)
}

// check checks a cell.
func check(t *testing.T, c cell) {
	w := &world{T: t, cell: c, dir: t.TempDir()}
	o, r := expect(c)
	if o == refused {
		w.refuses(w.main(), r.status, r.says)
		return
	}
	properties[c.job][c.trait](w)
}

// main is the call that a cell is about, where it is to be refused.
func (w *world) main() call {
	from := layout{}
	switch w.trait {
	case "weights":
		from.weight = true
	case "unlabeled":
		from.bare = true
	case "columns":
		from.swapped = true
	}
	rows := w.rows()
	if w.job == "predict" || w.job == "eval" || w.job == "map" {
		_, m := w.train(rows, layout{}, mapped)
		c := w.on(w.job, rows, from)
		c.model = m
		return c
	}
	return w.chosen(w.on(w.job, rows, from), mapped)
}
