package dataset

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/fasta"
	"github.com/kerf-ml/kerf/data/table"
)

// recordName stands for records in errors, as the name of a file does for rows.
const recordName = "record"

// Record returns one raw record as rows of length 1: what a file with that row
// alone would have given, so that Decode makes the same instance of it, bit for
// bit. The record is
//
//   - of a table: a map from names of columns to values, or a struct or pointer to
//     one, whose exported fields are named by a tag kerf:"name", else by json, else
//     by themselves. A value is a string, a number, a truth value, or nil or a nil
//     pointer, which is missing; an array of numbers under the name x is x[1], x[2]
//     and so on. Columns that training did not have are ignored. A column that the
//     record lacks is missing where training data were JSON Lines, Parquet or Arrow, and
//     an error where they were CSV, as in a file;
//   - of a table too: a []string or []float64 of its cells in the order of the
//     training columns, with or without the target. A string is a cell without
//     quotes: ? and NA are missing;
//   - of vectors that come from no table: a data.Vector or []float64, of which
//     element j is coordinate j, as index j of a LIBSVM file is;
//   - a string: the text itself, or, where instances are sets, a line or cell of
//     items;
//   - a data.Set, or a []string of items where training data were no table.
//
// What is wrong with a record is a *data.InputError.
func (e *Encoding) Record(v any) (*Rows, error) { return e.Records(v) }

// Records returns raw records as rows, as Record does with one. They must all be
// of one form.
func (e *Encoding) Records(all ...any) (*Rows, error) {
	r := &Rows{Name: recordName, Format: e.Format, Kind: e.Kind}
	if len(all) == 0 {
		return nil, noRows(recordName)
	}
	var err error
	switch all[0].(type) {
	case string:
		err = e.putStrings(r, all)
	case data.Set:
		err = e.putSets(r, all)
	case data.Vector:
		err = e.putVectors(r, all)
	default:
		items, ok := all[0].([]string)
		_, numbers := all[0].([]float64)
		switch {
		case ok && items != nil && e.Kind == Sets && !e.isTable():
			err = e.putSets(r, all)
		case numbers && !e.isTable():
			err = e.putVectors(r, all)
		case !e.isTable():
			err = e.refuse(0, all[0])
		default:
			r.table, err = e.recordTable(all)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.table != nil {
		r.Labels = r.table.Labels()
	}
	return r, r.checkKind()
}

// isTable reports whether training data were a table.
func (e *Encoding) isTable() bool {
	if e.Table != nil || e.Column > 0 || e.Columns != nil {
		return true
	}
	f := byName(e.Format)
	return f != nil && f.table
}

func recordFault(row int, format string, args ...any) error {
	return &data.InputError{File: recordName, Line: row + 1, Problem: fmt.Sprintf(format, args...)}
}

// refuse reports a value of a type that is no record of the encoding.
func (e *Encoding) refuse(row int, v any) error {
	what := fmt.Sprintf("a value of type %T", v)
	switch v.(type) {
	case string:
		what = "a text"
	case data.Set:
		what = "a set"
	case data.Vector, []float64:
		what = "a vector"
	}
	return &data.InputError{File: recordName, Line: row + 1, Advice: e.wanted(),
		Problem: fmt.Sprintf("%s is no row of the data that the model was trained on, %s", what, e.trained())}
}

// trained says what the data were that the encoding was fitted to.
func (e *Encoding) trained() string {
	if e.isTable() {
		return "a table"
	}
	return string(e.Kind)
}

// wanted says what a record is to be.
func (e *Encoding) wanted() string {
	switch {
	case e.isTable():
		return "give its cells by the names of the columns, or as texts in their order"
	case e.Kind == Strings:
		return "give a text"
	case e.Kind == Sets:
		return "give a set of items"
	}
	return "give its numbers"
}

func (e *Encoding) putStrings(r *Rows, all []any) error {
	for i, v := range all {
		text, ok := v.(string)
		if !ok || e.Kind == Vectors {
			return e.refuse(i, v)
		}
		if !utf8.ValidString(text) {
			return recordFault(i, "the text is not UTF-8")
		}
		if e.Kind == Sets {
			set := cellSet(text)
			if !e.isTable() {
				set = itemSet(strings.Split(text, ","))
			}
			r.sets = append(r.sets, set)
			continue
		}
		if e.Format == formatFASTA {
			var err error
			if text, err = fasta.Sequence(text, recordName, i+1); err != nil {
				return err
			}
		}
		r.texts = append(r.texts, text)
	}
	return nil
}

func (e *Encoding) putSets(r *Rows, all []any) error {
	for i, v := range all {
		if e.Kind != Sets {
			return e.refuse(i, v)
		}
		switch v := v.(type) {
		case data.Set:
			r.sets = append(r.sets, itemSet(v))
		case []string:
			r.sets = append(r.sets, itemSet(v))
		default:
			return e.refuse(i, v)
		}
	}
	return nil
}

// putVectors takes vectors in the form in which the format has them: without
// zeros from LIBSVM, dense from arrays.
func (e *Encoding) putVectors(r *Rows, all []any) error {
	if e.Kind != Vectors || e.isTable() {
		return e.refuse(0, all[0])
	}
	vectors := make(data.Slice[data.Vector], len(all))
	for i, v := range all {
		switch v := v.(type) {
		case data.Vector:
			vectors[i] = v
		case []float64:
			vectors[i] = data.Dense(v...)
		default:
			return e.refuse(i, v)
		}
		if !vectors[i].Finite() {
			return recordFault(i, "a value is not finite")
		}
	}
	if e.Format == formatLIBSVM {
		m, err := sparse(vectors)
		r.vectors = m
		return err
	}
	m := data.NewMatrix(len(all), data.Dim(vectors))
	for i, v := range vectors {
		v.CopyTo(m.Row(i))
	}
	r.vectors = m
	return nil
}

// sparse returns vectors without their zeros.
func sparse(x data.Slice[data.Vector]) (*data.CSR, error) {
	m := &data.CSR{Ptr: []int{0}, Index: []int32{}}
	for i, v := range x {
		index, value, last := []int32{}, []float64{}, int32(-1)
		for k, one := range v.Value {
			j := int32(k)
			if v.IsSparse() {
				j = v.Index[k]
			}
			if j <= last {
				return nil, recordFault(i, "index %d comes after index %d", j, last)
			}
			if last = j; one != 0 {
				index, value = append(index, j), append(value, one)
			}
		}
		m.Append(index, value)
	}
	return m, nil
}

// recordTable makes a table of records.
func (e *Encoding) recordTable(all []any) (*table.Table, error) {
	switch all[0].(type) {
	case []string, []float64:
		return e.positional(all)
	}
	return e.byNames(all)
}
