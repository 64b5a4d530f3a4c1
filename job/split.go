package job

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// targets is what there is to learn of the rows of a file. Labels become classes,
// or numbers, here and nowhere else.
type targets struct {
	task    model.Task
	none    bool         // nothing is learnt from labels
	classes data.Classes // of the rows of positive weight
	y       []int        // class of each row, of those of weight 0 that of the file
	values  []float64
	live    []int          // rows of positive weight
	by      eval.Criterion // what choices go by
}

// targetsOf returns what is to be learnt of rows, or why it cannot be.
func targetsOf(rows *dataset.Rows, s *settled) (*targets, error) {
	t := &targets{task: s.Task, none: s.traits.Unsupervised, live: rows.Live()}
	switch {
	case t.none:
		t.y = make([]int, rows.Len())
		return t, nil
	case s.regresses():
		if rows.Labels == nil {
			return nil, badInput(rows.Name, "the rows have no targets to learn", "name the target's column with --target")
		}
		return t, rows.CheckLabels()
	}
	var err error
	t.classes, t.y, err = classesOf(rows)
	return t, err
}

// classesOf returns the classes of rows, or why their labels are none.
func classesOf(rows *dataset.Rows) (data.Classes, []int, error) {
	if rows.Labels == nil {
		return data.Classes{}, nil, badInput(rows.Name, "the rows have no labels to learn",
			"name the label's column with --target")
	}
	if err := rows.CheckLabels(); err != nil {
		return data.Classes{}, nil, err
	}
	classes, y := data.Encode(rows.Labels)
	k, n := classes.Len(), rows.Len()
	switch {
	case n == 1:
		return classes, y, badInput(rows.Name, "there is only one row, and at least two with different labels are needed", "")
	case k == 1:
		problem := fmt.Sprintf("all %d rows have the label %q, and there is nothing to separate", n, classes.Names[0])
		return classes, y, badInput(rows.Name, problem, "check --target")
	case k > 1000 || k > 20 && 2*k > n:
		problem := fmt.Sprintf("the target has %d different values in %d rows, which are no classes", k, n)
		return classes, y, badInput(rows.Name, problem, "check --target, or use --task regress for numbers")
	}
	weighed := make([]bool, k)
	for _, i := range rows.Live() {
		weighed[y[i]] = true
	}
	for c, ok := range weighed {
		if !ok {
			problem := fmt.Sprintf("all rows with the label %q have the weight 0", classes.Names[c])
			return classes, y, badInput(rows.Name, problem, "leave them out of the file, or weigh one of them")
		}
	}
	return classes, y, nil
}

// numbers reads the targets as numbers.
func (t *targets) numbers(rows *dataset.Rows) error {
	if t.task != model.Regress || t.values != nil {
		return nil
	}
	some, err := rows.Values(t.live)
	if err != nil {
		return err
	}
	t.values = make([]float64, rows.Len())
	for i, j := range t.live {
		t.values[j] = some[i]
	}
	return nil
}

// split divides the rows of positive weight, class by class where they have
// classes.
func (t *targets) split(part float64, seed uint64) (rest, held []int) {
	if t.none || t.task == model.Regress {
		rest, held = data.Split(len(t.live), part, seed)
	} else {
		rest, held = data.SplitBy(selected(t.y, t.live), part, seed)
	}
	return selected(t.live, rest), selected(t.live, held)
}

// sampleOf returns the sample of rows of a file, of the classes that are among
// them.
func sampleOf[T any](x data.Source[T], t *targets, rows *dataset.Rows, index []int) model.Sample[T] {
	s := model.Sample[T]{Task: t.task, X: x, Classes: t.classes, Y: t.y, Values: t.values, Weight: rows.Weights, By: t.by}
	s = s.Select(index)
	if t.none || t.task == model.Regress {
		s.Y, s.Classes = nil, data.Classes{}
		return s
	}
	return present(s)
}

// present leaves out the classes that no row has.
func present[T any](s model.Sample[T]) model.Sample[T] {
	count := make([]int, s.Classes.Len())
	for _, c := range s.Y {
		count[c]++
	}
	place, names := make([]int, len(count)), []string(nil)
	for c, n := range count {
		place[c] = len(names)
		if n > 0 {
			names = append(names, s.Classes.Names[c])
		}
	}
	if len(names) == len(count) {
		return s
	}
	y := make([]int, len(s.Y))
	for i, c := range s.Y {
		y[i] = place[c]
	}
	s.Classes, s.Y = data.NewClasses(names), y
	return s
}

// selected returns the elements of a list that another list names.
func selected[E any](list []E, index []int) []E {
	out := make([]E, len(index))
	for i, j := range index {
		out[i] = list[j]
	}
	return out
}

// part are the rows of a file, encoded in the way that those to train on ask for.
type part[T any] struct {
	encoding *dataset.Encoding
	x        data.Source[T] // of all rows
	train    model.Sample[T]
}

// encode makes instances of all rows, looking at some of those to train on alone.
func encode[T any](o *Options, rows *dataset.Rows, t *targets, look, train []int, as coding) (*part[T], error) {
	read := o.Read
	read.Categories = as.categories
	read.Run, read.Seed, read.Numbers = o.Run, o.Seed, t.task == model.Regress
	if t.none && read.Categories == table.AutoCategories {
		read.Categories = table.OneHot
	}
	if t.none && read.Categories == table.ByTarget {
		return nil, dataset.BadOption("%s target is for learners that have a target", dataset.Option("categories"))
	}
	if len(look) == 0 {
		look = nil // whoever fits a model to no rows says so; faults of the rows come first
	}
	o.Run.Progress.Begin("encode", 0)
	defer o.Run.Progress.End()
	e, d, err := dataset.FitDecode[T](rows, look, as.scale, read)
	if err != nil {
		return nil, err
	}
	if err := t.numbers(rows); err != nil {
		return nil, err
	}
	return &part[T]{encoding: e, x: d.X, train: sampleOf(d.X, t, rows, train)}, nil
}

// sampleRows returns some rows with their labels, as they stand in the file.
func sampleRows[T any](x data.Source[T], rows *dataset.Rows, index []int) data.Labeled[T, string] {
	d := data.Labeled[T, string]{X: data.Subset[T]{Of: x, Index: index}}
	if rows.Labels != nil {
		d.Y = selected(rows.Labels, index)
	}
	if rows.Weights != nil {
		d.Weight = selected(rows.Weights, index)
	}
	return d
}

// Weighing is what the weights of a file's rows come to.
type Weighing struct {
	*eval.Weights
	From string `json:"from"` // column or file
}

// weighing returns what the weights come to, and where they are from; nil where
// there are none.
func (o *Options) weighing(rows *dataset.Rows) *Weighing {
	if rows.Weights == nil {
		return nil
	}
	from := o.Read.Weights
	if o.Read.Weighted() {
		from = rows.WeightColumn()
	}
	return &Weighing{Weights: eval.NewWeights(rows.Weights), From: from}
}
