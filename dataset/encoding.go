package dataset

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// Encoding is how rows of a file become instances. Fit makes one; it is plain data
// that encoding/json writes and reads. It is immutable and safe for concurrent use.
type Encoding struct {
	Format  string         `json:"format"`
	Kind    Kind           `json:"kind"`
	Table   *table.Schema  `json:"table,omitempty"`   // of a table of vectors
	Column  int            `json:"column,omitempty"`  // from 1, of a table of strings, or of one whose cells are sets
	Weight  string         `json:"weight,omitempty"`  // column of a table with the rows' weights, by name or number
	Scaling *scale.Vectors `json:"scaling,omitempty"` // of vectors that come from no table
	Counts  *scale.Counts  `json:"counts,omitempty"`  // of sparse vectors that are counts

	// Columns are those of a table of strings or sets, by name or number, and
	// Target is that of the labels, by which further rows and records are read. Of
	// lines and sets Target is where the label stands: first, last or none; empty
	// for where the format has it. Dropped are columns that are no items.
	Columns []string `json:"columns,omitempty"`
	Target  string   `json:"target,omitempty"`
	Dropped []string `json:"dropped,omitempty"`
}

// Fit decides how rows become instances, looking at the given rows alone, all if
// index is nil. Of the options, Text, Categories, Numbers, Seed and Run count, and
// Target of lines and sets.
func Fit(r *Rows, index []int, scaled scale.Kind, o Options) (*Encoding, error) {
	e, _, err := fit(r, index, scaled, &o, false)
	return e, err
}

// FitDecode is Fit, and Decode of the same rows to train on them: where categories
// have statistics of the target, those of the rows in index are statistics of other
// rows. See table.Statistics.
func FitDecode[T any](r *Rows, index []int, scaled scale.Kind, o Options) (*Encoding, data.Labeled[T, string], error) {
	var none data.Labeled[T, string]
	e, x, err := fit(r, index, scaled, &o, true)
	if err != nil {
		return nil, none, err
	}
	if x == nil {
		d, err := Decode[T](e, r)
		return e, d, err
	}
	labels, err := e.Table.Labels(r.table)
	if err != nil {
		return nil, none, err
	}
	d, err := withLabels[T](e, r, x, labels)
	return e, d, err
}

// fit fits an encoding and, if the rows are to be trained on and it matters, encodes
// them too; nil otherwise.
func fit(r *Rows, index []int, scaled scale.Kind, o *Options, train bool) (*Encoding, data.Source[data.Vector], error) {
	if how, err := table.ParseCategories(string(o.Categories)); err != nil {
		return nil, nil, BadOption("%s is %q and must be onehot, target, auto or levels", Option("categories"), o.Categories)
	} else if how != table.OneHot && (r.Kind != Vectors || r.table == nil) {
		return nil, nil, BadOption("%s %s is for tables of vectors", Option("categories"), how)
	}
	var x data.Source[data.Vector]
	if r.Kind != Vectors && scaled != scale.None {
		return nil, nil, BadOption("%s %s is for numbers; %s are taken as they stand", Option("scale"), scaled, r.Kind)
	}
	e := &Encoding{Format: r.Format, Kind: r.Kind}
	if r.table != nil && r.table.Weight >= 0 {
		e.Weight = columnTitle(r.table, r.table.Weight)
	}
	var err error
	switch {
	case r.table != nil && r.Kind == Sets && o.Text != "":
		e.Column, err = textColumn(r.table, o.Text)
	case r.vectors != nil && scaled == scale.TFIDF:
		if e.Counts, err = scale.FitCounts(r.vectors, index); err != nil {
			err = BadOption("%s tfidf is for counts: %v", Option("scale"), err)
		}
	case scaled == scale.TFIDF:
		err = BadOption("%s tfidf is for sparse vectors; columns of texts in a table have it by themselves", Option("scale"))
	case r.vectors != nil:
		e.Scaling, err = r.fitScaling(index, scaled, o)
	case r.table == nil || r.Kind == Sets:
	case r.Kind == Strings && o.Text == "" && r.text > 0:
		e.Column = r.text
	case r.Kind == Strings:
		e.Column, err = textColumn(r.table, o.Text)
	default:
		if e.Table, x, err = r.fitTable(index, scaled, o, train); err == nil && r.survey != nil {
			err = r.survey.table.Refine(e.Table, r.table)
		}
		if err == nil {
			err = o.Run.Reserve(r.Name+": the table as vectors", e.Table.Bytes(r.Len()),
				"use a larger --max-memory, or fewer rows or columns")
		}
	}
	if err == nil && r.table != nil {
		err = checkTextWeight(r.table, r.Kind, e.Column)
	}
	if r.table != nil && r.Kind != Vectors {
		e.Columns = make([]string, r.table.Cols())
		for j := range e.Columns {
			e.Columns[j] = columnTitle(r.table, j)
			if r.table.Dropped(j) {
				e.Dropped = append(e.Dropped, e.Columns[j])
			}
		}
		if r.table.Target >= 0 {
			e.Target = columnTitle(r.table, r.table.Target)
		}
	}
	if r.Format == formatSets || r.Format == formatLines {
		if e.Target = o.Target; o.Target == "" && (r.Labels == nil || o.Labels != "") {
			e.Target = noTarget
		}
	}
	return e, x, err
}

// fitTable fits the schema of a table, and encodes it where fit does.
func (r *Rows) fitTable(index []int, scaled scale.Kind, o *Options, train bool) (*table.Schema,
	data.Source[data.Vector], error) {
	recipe := table.Recipe{Scale: scaled, Categories: o.Categories, Labels: r.Labels, Seed: o.Seed}
	how, err := table.ParseCategories(string(o.Categories))
	if err != nil {
		return nil, nil, err
	}
	if !how.OfTarget() {
		s, err := recipe.Fit(r.table, index)
		return s, nil, err
	}
	if o.Numbers {
		values, err := r.Values(index)
		if err != nil {
			return nil, nil, err
		}
		recipe.Values = values
		if index != nil {
			recipe.Values = make([]float64, r.Len())
			for k, i := range index {
				recipe.Values[i] = values[k]
			}
		}
	}
	if !train {
		s, err := recipe.Fit(r.table, index)
		return s, nil, err
	}
	s, x, _, err := recipe.FitEncode(r.table, index)
	return s, x, err
}

// noTarget says that rows have no labels.
const noTarget = "none"

// mostFilled is how many values scaling may make of one that is stored.
const mostFilled = 50

// fitScaling returns the scaling of vectors that come from no table, nil for none.
func (r *Rows) fitScaling(index []int, kind scale.Kind, o *Options) (*scale.Vectors, error) {
	if kind == scale.None {
		return nil, nil
	}
	stored := 0.0
	for i := range r.vectors.Len() {
		stored += float64(len(r.vectors.At(i).Value))
	}
	full := float64(r.Len()) * float64(data.Dim(r.vectors))
	if full > mostFilled*max(stored, 1) {
		return nil, BadOption("%s %s would fill the zeros of sparse data, %.0f values for each that is stored; use %s none",
			Option("scale"), kind, full/max(stored, 1), Option("scale"))
	}
	if err := o.Run.Reserve("the scaled rows", 16*full, "use --scale none, which leaves zeros out"); err != nil {
		return nil, err
	}
	return scale.FitVectors(kind, r.vectors, index), nil
}

// Unseen returns how many cells of rows hold a category that training did not have,
// which are taken as missing ones are.
func (e *Encoding) Unseen(r *Rows) int {
	if e.Table == nil || r.table == nil {
		return 0
	}
	n, err := e.Table.Unseen(r.table)
	if err != nil {
		return 0 // Decode reports it
	}
	return n
}

// Scaled returns the scaling of numbers.
func (e *Encoding) Scaled() scale.Kind {
	switch {
	case e.Table != nil:
		return e.Table.Scale
	case e.Scaling != nil:
		return e.Scaling.Kind
	case e.Counts != nil:
		return scale.TFIDF
	}
	return scale.None
}

// Parse reads an encoding as encoding/json wrote it, and validates it.
func Parse(text []byte) (*Encoding, error) {
	e := &Encoding{}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, errors.New("it does not say how its data were read")
	}
	return e, e.Validate()
}

// Validate reports what an encoding from elsewhere may have wrong.
func (e *Encoding) Validate() error {
	if e.Format == formatCSV && e.Kind == Vectors && e.Table == nil {
		return errors.New("it does not say how its table was read")
	}
	if e.Table != nil {
		if err := e.Table.Validate(); err != nil {
			return err
		}
	}
	if e.Scaling != nil {
		return e.Scaling.Validate()
	}
	if e.Counts != nil {
		return e.Counts.Validate()
	}
	return nil
}

// Describe says in a few words what n rows became, which data.Dim counts the
// coordinates of if they are vectors.
func (e *Encoding) Describe(n int, instances any) string {
	x, ok := instances.(data.Source[data.Vector])
	switch {
	case ok && e.Table != nil:
		return e.Table.Summary()
	case ok:
		return fmt.Sprintf("%d vectors, largest index %d", n, max(0, data.Dim(x)-1))
	}
	return fmt.Sprintf("%d %s", n, e.Kind)
}
