package job

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// The limits up to which whole numbers are classes; see taskOf.
const (
	fewValues  = 10   // different ones, whatever they are, of threeTimes as many rows
	someValues = 30   // counted from 0 or 1 without a gap, leastRows each
	mostValues = 1000 // and so, none of which is mostUneven times as frequent as another

	threeTimes = 3
	leastRows  = 5
	mostUneven = 4

	mostlyNumbers = 0.95 // part of the labels from which on others are slips
)

// found is what labels look like.
type found struct {
	task     model.Task
	numbers  bool // labels are numbers
	distinct int
	rows     int
}

// taskOf says what is learnt of labels where nobody does. Texts are classes, and so
// are two different values. More than two numbers are numbers if one is a fraction.
// Whole numbers are classes if they are 3 different ones, or at most 10 of three times
// as many rows, or at most 30 that count from 0 or 1 without a gap, in 5 rows each at
// least, or at most 1000 such that are about equally frequent; otherwise they are
// numbers. Missing labels do not count, and where 95% are numbers the others are slips,
// which are reported where they stand.
func taskOf(labels []string) found {
	count, rows, numbers := map[float64]int{}, 0, 0
	texts := map[string]bool{}
	for _, label := range labels {
		if label = strings.TrimSpace(label); label == "" {
			continue
		}
		rows++
		v, err := strconv.ParseFloat(label, 64)
		if err != nil || v-v != 0 {
			texts[label] = true
			continue
		}
		numbers++
		count[v]++
	}
	f := found{task: model.Classify, numbers: numbers == rows && rows > 0, distinct: len(count) + len(texts), rows: rows}
	if float64(numbers) < mostlyNumbers*float64(rows) || len(count) <= 2 {
		return f
	}
	if !areClasses(count, numbers) {
		f.task = model.Regress
	}
	return f
}

// areClasses reports whether more than two numbers, given by how often each comes in
// all rows, are classes.
func areClasses(count map[float64]int, rows int) bool {
	k, low, high := len(count), math.Inf(1), math.Inf(-1)
	least, most := rows, 0
	for v, n := range count {
		if v != math.Trunc(v) {
			return false
		}
		low, high = min(low, v), max(high, v)
		least, most = min(least, n), max(most, n)
	}
	if k == 3 || k <= fewValues && threeTimes*k <= rows {
		return true
	}
	counted := (low == 0 || low == 1) && high-low == float64(k-1) && least >= leastRows
	return counted && (k <= someValues || k <= mostValues && most <= mostUneven*least)
}

// findTask settles whether classes or numbers are learnt of rows where neither a task
// nor a learner that has one alone was chosen, nor anything that belongs to classes, and
// tells what it found where that is not plain.
func (o *Options) findTask(rows *dataset.Rows) {
	c := &o.Choices
	if c.Task != "" || c.Learner.Name != "" && !Undecided(c.Learner.Name) || rows.Labels == nil {
		return
	}
	if c.ofClasses() || rows.Coded {
		c.Task = model.Classify
		return
	}
	if by, err := eval.ParseCriterion(string(c.Metric)); err == nil {
		if c.Task = model.Classify; by.OfNumbers() {
			c.learnNumbers()
		}
		return
	}
	f, name := taskOf(rows.LiveLabels()), rows.TargetTitle()
	switch c.Task = f.task; {
	case f.task == model.Regress:
		c.learnNumbers()
		o.note("%s: %s holds %d different numbers in %d rows, which are learnt as numbers; use --task classify for classes",
			rows.Name, name, f.distinct, f.rows)
	case f.numbers && f.distinct > 2:
		o.note("%s: the %d different numbers of %s are taken for classes; use --task regress to learn numbers",
			rows.Name, f.distinct, name)
	}
}

// learnNumbers makes numbers the task.
func (c *Choices) learnNumbers() {
	c.Task = model.Regress
	if c.Learner.Name == "" && len(c.Learner.Args) > 0 {
		c.Learner = c.fitting(DefaultLearner(model.Regress))
	}
}

// Undecided reports a learner that learns classes and numbers.
func Undecided(learner string) bool {
	t, ok := model.TraitsOf(learner)
	return ok && t.Can(model.Classify) && t.Can(model.Regress)
}

// ofClasses reports choices that have a sense for classes alone.
func (c *Choices) ofClasses() bool {
	return has(c.Learner, "C") || has(c.Learner, "loss") || c.Balanced || c.ClassWeight != nil || c.Claim != nil
}

// fitting returns the learner of a name with those hyperparameters that it has: others
// were given for whichever learner it would be.
func (c *Choices) fitting(name string) (out spec.Call) {
	out.Name = name
	l, err := model.NewLearner[string](name, nil)
	for _, key := range slices.Sorted(maps.Keys(c.Learner.Args)) {
		if err == nil && model.Accepts(l, key) {
			out.Args = with(out.Args, key, c.Learner.Args[key])
		}
	}
	return out
}
