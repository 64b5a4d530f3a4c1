package dataset

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/run"
)

// OfMatrix returns rows of numbers that a program has, as those of an NPY file are, but
// that their columns are measured like those of a table: where nobody says how they are
// scaled they are. The name stands for the file in errors. The rows share the matrix.
func OfMatrix(name string, x *data.Matrix) (*Rows, error) {
	r := &Rows{Name: name, Format: formatNPY, Kind: Vectors, vectors: x, measured: true}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v-v != 0 {
				return nil, r.fault(i, fmt.Sprintf("column %d: %v is not a number that kerf can use", j+1, v),
					"replace or leave out rows with values that are not finite")
			}
		}
	}
	return r, r.some()
}

// OfSparse returns sparse rows that a program has, as those of a LIBSVM file are, whose
// indices count from 1: column j of the matrix is index j + 1.
func OfSparse(name string, x *data.CSR) (*Rows, error) {
	r := &Rows{Name: name, Format: formatLIBSVM, Kind: Vectors}
	if err := x.Validate(); err != nil {
		return nil, &data.InputError{File: name, Problem: err.Error(), Advice: "give a matrix in the order of its rows"}
	}
	shifted := &data.CSR{Cols: x.Cols + 1, Ptr: x.Ptr, Value: x.Value, Index: make([]int32, len(x.Index))}
	for k, j := range x.Index {
		if j == math.MaxInt32 {
			return nil, &data.InputError{File: name, Problem: fmt.Sprintf("column %d is one too many", j)}
		}
		shifted.Index[k] = j + 1
	}
	r.vectors = shifted
	for i := range x.Len() {
		if !x.At(i).Finite() {
			return nil, r.fault(i, "a value is not finite", "replace it, or leave out the row")
		}
	}
	return r, r.some()
}

// OfTexts returns texts that a program has, as the lines of a file are. A text may have
// line ends in it.
func OfTexts(name string, x []string) (*Rows, error) {
	r := &Rows{Name: name, Format: formatLines, Kind: Strings, texts: x}
	for i, text := range x {
		if !utf8.ValidString(text) {
			return nil, r.fault(i, "the text is not UTF-8", "decode it first")
		}
	}
	return r, r.some()
}

// OfSets returns sets of items that a program has, as the lines of a file of sets are.
// Blanks around items do not count, nor do items that are empty.
func OfSets(name string, x [][]string) (*Rows, error) {
	r := &Rows{Name: name, Format: formatSets, Kind: Sets, sets: make(data.Slice[data.Set], len(x))}
	for i, items := range x {
		for _, item := range items {
			if !utf8.ValidString(item) || strings.ContainsAny(item, ",\n\r") {
				return nil, r.fault(i, fmt.Sprintf("the item %q cannot stand in a file of sets", clip(item)),
					"give items in UTF-8 without commas and line ends")
			}
		}
		r.sets[i] = itemSet(items)
	}
	return r, r.some()
}

// GivenColumn is a column of a table that a program has: of Numbers, NaN where one is
// missing, or of Texts, empty where one is missing.
type GivenColumn struct {
	Name    string
	Numbers []float64
	Texts   []string
}

// Len returns the number of cells.
func (c *GivenColumn) Len() int { return max(len(c.Numbers), len(c.Texts)) }

// OfTable returns the rows of a table that a program has, as those of a CSV file with a
// header are. All columns must have as many cells, and names that differ.
func OfTable(name string, columns []GivenColumn, ctl run.Control) (*Rows, error) {
	names, n := make([]string, len(columns)), 0
	known := map[string]bool{}
	fault := func(format string, args ...any) error {
		return &data.InputError{File: name, Problem: fmt.Sprintf(format, args...),
			Advice: "give columns of one length and with names of their own"}
	}
	for j := range columns {
		c := &columns[j]
		if j == 0 {
			n = c.Len()
		}
		switch {
		case c.Len() != n || len(c.Numbers) > 0 && len(c.Texts) > 0:
			return nil, fault("column %q has %d cells, and the first one has %d", clip(c.Name), c.Len(), n)
		case known[c.Name] || c.Name == "" || !utf8.ValidString(c.Name):
			return nil, fault("%q is the name of a column twice, or no name", clip(c.Name))
		}
		names[j], known[c.Name] = c.Name, true
	}
	if err := ctl.Reserve(fmt.Sprintf("%s: a table of %d rows and %d columns", name, n, len(columns)),
		8*float64(n)*float64(len(columns)), "use a larger --max-memory, or fewer rows or columns"); err != nil {
		return nil, err
	}
	b, err := table.Settled(table.Options{Name: name, Target: noTarget, Run: ctl}, names, len(names))
	if err != nil {
		return nil, err
	}
	r := &Rows{Name: name, Format: formatCSV, Kind: Vectors}
	for i := range n {
		b.Row(i + 1)
		for j := range columns {
			if c := &columns[j]; len(c.Numbers) == 0 {
				if !utf8.ValidString(c.Texts[i]) {
					return nil, fault("row %d: the text of column %q is not UTF-8", i+1, clip(c.Name))
				}
				b.Text(j, c.Texts[i])
			} else if v := c.Numbers[i]; v == v {
				b.Number(j, v)
			}
		}
	}
	if r.table, err = b.Table(); err != nil {
		return nil, err
	}
	if r.table == nil {
		return nil, noRows(name)
	}
	return r, nil
}

// some reports rows of which there are none.
func (r *Rows) some() error {
	if r.Len() == 0 {
		return noRows(r.Name)
	}
	return nil
}

// Beside gives rows that a program has their labels and weights, nil for none.
func (r *Rows) Beside(labels []string, weights []float64) error {
	for _, c := range []struct {
		what string
		n    int
	}{{"labels", len(labels)}, {"weights", len(weights)}} {
		if c.n > 0 && c.n != r.Len() {
			return &data.InputError{File: r.Name, Problem: fmt.Sprintf("there are %d %s and %d rows", c.n, c.what, r.Len()),
				Advice: "give one each"}
		}
	}
	for i, w := range weights {
		if w != 0 && !(w >= leastWeight && w <= mostWeight) {
			return r.fault(i, fmt.Sprintf("the weight %v cannot be used", w), weightAdvice)
		}
	}
	for i, label := range labels {
		if !utf8.ValidString(label) {
			return r.fault(i, "the label is not UTF-8", "decode it first")
		}
	}
	r.Labels, r.Weights = labels, weights
	return SomeWeight(r.Name, r.Weights)
}

// Settle says what instances the rows are that a program has, as Recognise finds it for a
// file: those of the options' Kind, or, of a table, strings where a column of such texts
// is the only one. Of the options, Kind and Text count.
func (r *Rows) Settle(o Options) error {
	asked := o.Kind
	if r.Kind = o.Kind; asked == "" {
		r.Kind = r.native()
	}
	labels := r.Labels
	o.Target = noTarget
	err := cmp.Or(r.checkKind(), r.recognise(&recogniser{Options: o, on: true, asked: asked}), r.checkOptions(&o))
	r.Labels = labels
	return err
}

// Given returns rows that a program has in the form that the encoding takes: numbers
// by position where training data were a table or sparse, and texts in the column of a
// table that held them. What cannot be is a *data.InputError.
func (e *Encoding) Given(r *Rows) (*Rows, error) {
	out := *r
	out.Kind = e.Kind
	switch x := r.vectors.(type) {
	case *data.Matrix:
		switch {
		case e.Kind == Vectors && e.isTable():
			all := make([]any, x.Rows)
			for i := range all {
				all[i] = x.Row(i)
			}
			return e.recordsAs(r, all)
		case e.Format == formatLIBSVM:
			m, err := sparse(shiftedRows(x))
			out.vectors = m
			return &out, err
		}
	case *data.CSR:
		if e.Format != formatLIBSVM && !e.isTable() { // its columns count from 0
			back := &data.CSR{Cols: max(x.Cols-1, 0), Ptr: x.Ptr, Value: x.Value, Index: make([]int32, len(x.Index))}
			for k, j := range x.Index {
				back.Index[k] = j - 1
			}
			dense := data.NewMatrix(back.Len(), back.Cols)
			for i := range dense.Rows {
				back.At(i).CopyTo(dense.Row(i))
			}
			out.vectors = dense
			return &out, nil
		}
	}
	if r.texts != nil && (e.isTable() || e.Kind != Strings || e.Format == formatFASTA) {
		all := make([]any, len(r.texts))
		for i, text := range r.texts {
			all[i] = text
		}
		return e.recordsAs(r, all)
	}
	switch {
	case r.table != nil && !e.isTable():
		return nil, e.otherFormat(r.Name, "a table of columns")
	case r.table == nil && e.isTable():
		return nil, e.otherFormat(r.Name, r.Format)
	}
	return &out, out.checkKind()
}

// recordsAs returns records under the name of rows.
func (e *Encoding) recordsAs(r *Rows, all []any) (*Rows, error) {
	out, err := e.Records(all...)
	if err != nil {
		return nil, err
	}
	out.Name = r.Name
	return out, nil
}

// shiftedRows are the rows of a matrix with a coordinate before the first.
func shiftedRows(x *data.Matrix) data.Slice[data.Vector] {
	out := make(data.Slice[data.Vector], x.Rows)
	for i := range out {
		out[i] = data.Dense(append([]float64{0}, x.Row(i)...)...)
	}
	return out
}

// Fits reports a matrix that has other columns than the vectors of an encoding, which have
// width of them; 0 is any number. Vectors of a LIBSVM file may have any.
func (r *Rows) Fits(e *Encoding, width int) error {
	if e.Kind != Vectors || e.isTable() || e.Format == formatLIBSVM || width == 0 {
		return nil
	}
	cols := width
	switch x := r.vectors.(type) {
	case *data.Matrix:
		cols = x.Cols
	case *data.CSR:
		cols = x.Cols - 1 // see OfSparse
	}
	if cols != width {
		return &data.InputError{File: r.Name, Problem: fmt.Sprintf("there are %d columns, and training had %d", cols, width),
			Advice: "give the same columns"}
	}
	return nil
}
