package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
)

// Recognise reads a whole file as Read does, and finds out by what stands there which
// column of a table is the target and whether its rows are vectors or strings, where
// the options leave it open. Rows.Notes say what it found where that is not plain.
// Where no column looks like a target that is an error, unless the labels are not
// needed: then there is none.
//
// The target is, in this order: a column that is named as one is (target, label, class,
// y, outcome, response …); the last one that is not empty, unless its texts are different
// in nearly every row, or it numbers the rows; then the first one, or the only one, of
// few different values. The first one is it too if it has a few texts, and either all
// other columns share two or three values that it has not, or they are eight or more of
// fractions, without a header; and, without one, if it has few whole numbers and the others
// are eight or more of numbers of many values, or the last has a single one.
//
// Rows are strings where a column of such texts is the only one to learn from.
func Recognise(ctx context.Context, path string, o Options, labelsNeeded bool) (*Rows, error) {
	return read(ctx, path, &recogniser{Options: o, on: true, needed: labelsNeeded, asked: o.Kind})
}

// recogniser is how a file is read of which something may have to be found out.
type recogniser struct {
	Options
	on     bool
	needed bool // the labels
	asked  Kind // Kind as it was given
	notes  []string
}

// findLabels finds the file with the labels of an array.
func (o *recogniser) findLabels(path, format string) {
	if o.Labels = LabelsBeside(path, format); o.Labels != "" {
		o.Target = noTarget
		o.notes = append(o.notes, fmt.Sprintf("the labels are those of %s (--labels)", o.Labels))
	}
}

// findKind fills in that a table is one of strings, by the beginning of its file.
func (o *recogniser) findKind(f *file.File) {
	if !o.on || o.Kind != "" || o.Text != "" {
		return
	}
	head := f.Head()
	names, rows := csv.Sample(head, len(head) < file.HeadSize, o.table(f.Name))
	all := lookSample(names, rows)
	if all == nil {
		return
	}
	is, err := o.table(f.Name).Roles(names, len(all))
	if err != nil {
		return // reading reports it
	}
	c := choice{all: all, is: is, header: names != nil}
	if o.Target == "" {
		c.findTarget()
	}
	if c.findText(); c.text >= 0 {
		o.Kind = Strings
	}
}

// asTable reports whether strings whose kind was found are cells of a table, and not
// lines of a label, a tab and a text.
func (o *recogniser) asTable(f *file.File) bool {
	head := f.Head()
	names, rows := csv.Sample(head, len(head) < file.HeadSize, o.table(f.Name))
	return names != nil || len(rows) > 0 && len(rows[0]) != 2
}

// recognise finds the target and the text of rows, and notes what it found.
func (r *Rows) recognise(o *recogniser) error {
	switch {
	case !o.on:
		return nil
	case r.table == nil:
		return r.recogniseItems(o)
	}
	t := r.table
	c := choice{all: lookTable(t), header: t.Header != nil,
		is: table.Roles{Target: t.Target, Weight: t.Weight, Drop: make([]bool, t.Cols())}}
	for j := range c.is.Drop {
		c.is.Drop[j] = t.Dropped(j)
	}
	before, why := t.Target, ""
	if o.Target == "" {
		why = c.findTarget()
	}
	if c.is.Target < 0 && why != "" && o.needed {
		return &data.InputError{File: r.Name, Problem: "no column looks like a target: " + why,
			Advice: "name it with --target"}
	}
	if c.is.Target != before {
		t.SetTarget(c.is.Target)
		r.Labels = t.Labels()
	}
	if r.Kind == Sets || o.Text != "" {
		c.text = -1
	} else {
		c.findText()
	}
	r.note(o, &c, why)
	return nil
}

// note says what was found.
func (r *Rows) note(o *recogniser, c *choice, why string) {
	var parts []string
	switch {
	case why == "":
	case c.is.Target < 0:
		parts = append(parts, "no column is taken as the target: "+why)
	default:
		parts = append(parts, fmt.Sprintf("column %s is taken as the target: %s (--target)",
			columnTitle(r.table, c.is.Target), why))
	}
	if c.text >= 0 && (r.Kind == Strings || o.asked == "") {
		if r.text = c.text + 1; o.asked == "" {
			r.Kind = Strings
			parts = append(parts, fmt.Sprintf("column %s is text, and rows are strings (--as, --text)",
				columnTitle(r.table, c.text)))
		}
	}
	if len(parts) > 0 {
		r.Notes = append(r.Notes, strings.Join(parts, "; "))
	}
}

// recogniseItems reports lines of items whose first ones are items like others, and
// no labels.
func (r *Rows) recogniseItems(o *recogniser) error {
	if o.asked == "" && r.Format == formatLines && o.Kind == Strings {
		r.Notes = append(r.Notes, "lines are a label, a tab and a text, and rows are strings (--as)")
	}
	if r.Format != formatSets || o.Target != "" || r.Labels == nil || !o.needed {
		return nil
	}
	items := map[string]bool{}
	for _, s := range r.sets {
		for _, item := range s {
			items[item] = true
		}
	}
	labels, among := map[string]bool{}, 0
	for _, l := range r.Labels {
		if !labels[l] && items[l] {
			among++
		}
		labels[l] = true
	}
	if 2*among <= len(labels) {
		return nil
	}
	return &data.InputError{
		File: r.Name,
		Problem: fmt.Sprintf("there are no labels: of the %d different first items of lines %d stand elsewhere in lines too",
			len(labels), among),
		Advice: "use --target first if they are labels all the same, or --learner one-class to learn without",
	}
}

// choice is what columns are for.
type choice struct {
	all    []look
	is     table.Roles
	header bool
	text   int // column of the strings, -1 for none
}

// targetNames are what a target is called, the surest first.
var targetNames = []string{
	"target", "label", "labels", "class", "y", "outcome", "response", "survived", "diagnosis", "churn", "sentiment",
}

// usable reports a column that may be the target or learnt from.
func (c *choice) usable(j int) bool { return j != c.is.Weight && !c.is.Drop[j] && !c.all[j].isBlank() }

// findTarget finds the target, and says why it is that one where it is not simply the
// last. There is none where no column looks like one.
func (c *choice) findTarget() (why string) {
	first, last := -1, -1
	for j := range c.all {
		if c.usable(j) {
			if last = j; first < 0 {
				first = j
			}
		}
	}
	if last < 0 {
		return ""
	}
	if c.is.Target < 0 || c.is.Target > last || !c.usable(c.is.Target) {
		why = "it is the last one that is not empty"
	}
	c.is.Target = last
	if j := c.byName(last); j >= 0 {
		if j != last {
			why = "it is named like one"
		}
		c.is.Target = j
		return why
	}
	l, f := &c.all[last], &c.all[first]
	switch {
	case l.isFree() || l.isKey():
		return c.targetBeside(first, last)
	case !c.header && l.distinct == 1 && f.distinct > 1 && f.isClasses():
		c.is.Target = first
		return "it has few different values, and the last one has the same in all rows"
	case !c.header && f.isNumber() && f.whole && f.isClasses() && c.measured(first):
		c.is.Target = first
		return fmt.Sprintf("it has %d different whole numbers, and all others are of many values", f.distinct)
	case first == last || f.isNumber() || !f.isClasses():
	case c.othersShare(first):
		c.is.Target = first
		return "it has a few texts, and all others share values that it has not"
	case !c.header && c.fractions(first):
		c.is.Target = first
		return "it has a few texts, and all others are fractions"
	case !c.header && (f.distinct < l.distinct || l.isNumber() && !l.isClasses()):
		return fmt.Sprintf("it is the last one; the first has %d different values and may be meant", f.distinct)
	}
	return why
}

// byName returns the column that is named as a target, -1 for none: the last one if
// that is, else the first one. A y that stands among x and others is a coordinate.
func (c *choice) byName(last int) int {
	if !c.header {
		return -1
	}
	found, coordinates := -1, slices.ContainsFunc(c.all, func(l look) bool { return fold(l.name) == "x" })
	for j := len(c.all) - 1; j >= 0; j-- {
		name := fold(c.all[j].name)
		if !c.usable(j) || !slices.Contains(targetNames, name) || name == "y" && coordinates && j > 0 && j < last {
			continue
		}
		if j == last {
			return j
		}
		found = j
	}
	return found
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// targetBeside finds the target where the last column is none: the first one, or the
// only one, of few different values; texts before numbers.
func (c *choice) targetBeside(first, last int) (why string) {
	l := &c.all[last]
	what := fmt.Sprintf("the last one has %d different values in %d rows", l.distinct, l.present)
	if c.all[first].isClasses() && first != last {
		c.is.Target = first
		return "it has few different values, and " + what
	}
	for _, texts := range []bool{true, false} {
		var few []int
		for j := range c.all {
			if c.usable(j) && c.all[j].isClasses() && (!texts || !c.all[j].isNumber()) {
				few = append(few, j)
			}
		}
		if len(few) == 1 {
			c.is.Target = few[0]
			return "it alone has few different values, and " + what
		}
		if len(few) > 1 {
			break
		}
	}
	c.is.Target = -1
	return strings.Replace(what, "the last one", "the last of "+fmt.Sprint(len(c.all)), 1)
}

// othersShare reports whether all columns but one, three at least, are texts or numbers
// of the same two or three values, none of which that one has.
func (c *choice) othersShare(one int) bool {
	shared, others := map[string]bool{}, 0
	for j := range c.all {
		if j == one || !c.usable(j) {
			continue
		}
		others++
		for v := range c.all[j].values {
			if shared[v] = true; len(shared) > 3 || c.all[one].values[v] {
				return false
			}
		}
	}
	return others >= 3
}

// fewestFractions is how many columns of numbers show that another is the label.
const fewestFractions = 8

// fractions reports whether all columns but one are fractions, and many.
func (c *choice) fractions(one int) bool {
	return c.measured(one) && !slices.ContainsFunc(c.all, func(l look) bool { return l.isNumber() && l.whole })
}

// measured reports whether all columns but one are numbers of many values, and many.
func (c *choice) measured(one int) bool {
	others := 0
	for j := range c.all {
		if j == one || !c.usable(j) {
			continue
		}
		if l := &c.all[j]; !l.isNumber() || l.isClasses() {
			return false
		}
		others++
	}
	return others >= fewestFractions
}

// findText finds the column of strings where no other is left to learn from: the one of
// the longest texts.
func (c *choice) findText() {
	c.text = -1
	for j := range c.all {
		if j == c.is.Target || !c.usable(j) || c.all[j].isKey() && c.all[j].isNumber() {
			continue
		}
		l := &c.all[j]
		if !l.isFree() {
			c.text = -1
			return
		}
		if c.text < 0 || l.length >= c.all[c.text].length {
			c.text = j
		}
	}
}
