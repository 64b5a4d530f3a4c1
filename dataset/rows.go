package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

// Rows are rows of a file, in the form in which its format has them.
type Rows struct {
	Name    string // of the file, as messages show it
	Format  string // such as "CSV"
	Kind    Kind
	Labels  []string  // nil where there are none
	Weights []float64 // nil where there are none, or they are in a column that has not been looked at
	Coded   bool      // labels are bytes, which stand for classes
	Notes   []string  // what Recognise found, for people

	first    int  // rows of the file before these
	measured bool // vectors are numbers that are measured, as those of a table are
	survey   *Surveyed
	text     int // column of the strings that Recognise found, from 1; 0 for none
	table    *table.Table
	vectors  data.Source[data.Vector]
	texts    data.Slice[string]
	sets     data.Slice[data.Set]
}

// Free gives the memory of the cells of a table back: of rows nothing but their number, labels and weights may be
// looked at then. What Decode made of them stays.
func (r *Rows) Free() {
	if r.table != nil {
		r.table.Free()
	}
}

// Len returns the number of rows.
func (r *Rows) Len() int {
	switch {
	case r.table != nil:
		return r.table.Len()
	case r.vectors != nil:
		return r.vectors.Len()
	case r.texts != nil:
		return len(r.texts)
	}
	return len(r.sets)
}

// IsTable reports whether rows have columns, of which they may be made instances
// of any kind.
func (r *Rows) IsTable() bool { return r.table != nil }

// native returns the kind of instances that the rows are by themselves.
func (r *Rows) native() Kind {
	switch {
	case r.texts != nil:
		return Strings
	case r.sets != nil:
		return Sets
	}
	return Vectors
}

// checkKind reports rows that cannot be instances of the kind that is wanted.
func (r *Rows) checkKind() error {
	if is := r.native(); r.table == nil && is != r.Kind {
		return &data.InputError{
			File: r.Name, Problem: fmt.Sprintf("the rows are %s, and %s are wanted", is, r.Kind),
			Advice: "choose another --kernel or --as",
		}
	}
	return nil
}

// checkOptions reports options of columns for rows that have none, and leaves out
// the labels of LIBSVM and FASTA data where none are wanted.
func (r *Rows) checkOptions(o *Options) error {
	if r.table != nil {
		if o.Text != "" && r.Kind == Vectors {
			return BadOption("%s is for strings and sets; use %s strings or sets", Option("text"), Option("as"))
		}
		return nil
	}
	lines := r.Format == formatSets || r.Format == formatLines
	for _, c := range []struct {
		name  Option
		given bool
	}{
		{"drop", len(o.Drop) > 0}, {"groups", o.Groups != ""}, {"text", o.Text != ""},
		{"target", !lines && o.Target != "" && o.Target != noTarget && o.Target != "first"},
	} {
		switch {
		case c.given && c.name == "target" && r.Labels == nil:
			return BadOption("%s is for tables; %s is %s data: give a file of %s, one a line", c.name, r.Name, r.Format,
				Option("labels"))
		case c.given:
			return BadOption("%s is for tables; %s is %s data", c.name, r.Name, r.Format)
		}
	}
	if !lines && o.Target == noTarget && o.Labels == "" {
		r.Labels = nil
	}
	return nil
}

// Values returns the labels of the given rows as numbers, of all if index is nil.
func (r *Rows) Values(index []int) ([]float64, error) {
	n := len(index)
	if index == nil {
		n = len(r.Labels)
	}
	out := make([]float64, n)
	for i := range out {
		row := i
		if index != nil {
			row = index[i]
		}
		v, ok := parseValue(r.Labels[row])
		if !ok {
			return nil, r.fault(row, fmt.Sprintf("the target %q is not a number", clip(r.Labels[row])),
				"correct it, check --target, or use --task classify")
		}
		out[i] = v
	}
	return out, nil
}

// parseValue reads a number to learn.
func parseValue(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && v-v == 0
}

// CheckLabels reports the first row whose label is missing.
func (r *Rows) CheckLabels() error {
	if i := slices.Index(r.Labels, ""); i >= 0 {
		return r.fault(i, "the label is missing", "fill it in, leave the row out, or name another target")
	}
	return nil
}

// fault reports a row that is wrong: by its line where that is known.
func (r *Rows) fault(row int, problem, advice string) error {
	e := &data.InputError{File: r.Name, Problem: problem, Advice: advice}
	if r.table != nil {
		e.Line = r.table.Lines[row]
	} else {
		e.Problem = fmt.Sprintf("row %d: %s", r.first+row+1, problem)
	}
	return e
}

// GuessedLabels reports whether labels were found where the format has them and
// not by a sign: in lines that might as well have none.
func (r *Rows) GuessedLabels() bool {
	return r.Labels != nil && (r.Format == formatSets || r.Format == formatLines)
}

// LabelWords say for people what was taken for labels, or that nothing was, where
// that is not plain; empty otherwise.
func (r *Rows) LabelWords() string {
	const none = " is taken for the label and left out; use --target none if there are no labels"
	switch {
	case r.table != nil && r.table.Target >= 0:
		return "column " + columnTitle(r.table, r.table.Target) + none
	case r.Format == formatSets && r.Labels != nil:
		return "the first item of a line" + none
	case r.Format == formatSets:
		return "lines are taken to have no labels; use --target first if each begins with one"
	}
	return ""
}

// HasNumbers reports whether the rows are of a table whose columns may be numbers.
func (r *Rows) HasNumbers() bool { return r.table != nil && r.Kind == Vectors }

// Measured reports rows whose numbers are in units of their own, column by column: those
// of a table, and of a matrix that a program has.
func (r *Rows) Measured() bool { return r.HasNumbers() || r.measured }

// Groups returns the cells of a column of a table, by name or number, that says
// which rows belong together. Of rows that are sets it must not be among the items:
// text names the column of these.
func (r *Rows) Groups(column, text string) ([]string, error) {
	option := Option("groups")
	if r.table == nil {
		return nil, BadOption("%s is for tables; %s is %s data", option, r.Name, r.Format)
	}
	if r.Kind == Sets && text == "" {
		return nil, BadOption("%s with rows as sets would be among the items; name the column of the sets with %s",
			option, Option("text"))
	}
	j, err := textColumn(r.table, column)
	if err != nil {
		return nil, BadOption("%s: there is no column %q", option, column)
	}
	return cells(r.table, j-1, "group", "fill it in, or choose other --groups")
}

// cells returns the cells of a column in which none may be missing, such as the
// rows' groups or weights.
func cells(t *table.Table, col int, what, advice string) ([]string, error) {
	out := make([]string, t.Len())
	for i := range out {
		text, ok := t.Cell(i, col)
		if !ok {
			return nil, &data.InputError{
				File: t.Name, Line: t.Lines[i],
				Problem: fmt.Sprintf("the row has no %s in column %s", what, columnTitle(t, col)), Advice: advice,
			}
		}
		out[i] = text
	}
	return out, nil
}

// columnTitle is what people call a column.
func columnTitle(t *table.Table, col int) string {
	if t.Header != nil {
		return t.Header[col]
	}
	return strconv.Itoa(col + 1)
}

// textColumn returns the number, from 1, of the column that holds the strings.
func textColumn(t *table.Table, name string) (int, error) {
	if name == "" {
		for j := t.Cols(); j > 0; j-- {
			if j-1 != t.Target && j-1 != t.Weight {
				return j, nil
			}
		}
		return 0, &data.InputError{
			File: t.Name, Problem: "the table has no column beside the label", Advice: "check --target",
		}
	}
	for j, h := range t.Header {
		if h == name {
			return j + 1, nil
		}
	}
	if j, err := strconv.Atoi(name); err == nil && j >= 1 && j <= t.Cols() {
		return j, nil
	}
	return 0, BadOption("%s: there is no column %q", Option("text"), name)
}

func trimmed(line []byte) string { return strings.TrimSpace(string(line)) }

// clip shortens a text to what fits a message, without control characters.
func clip(s string) string {
	const most = 40
	var b strings.Builder
	count := 0
	for _, r := range s {
		if count++; count > most {
			b.WriteRune('…')
			break
		}
		if unicode.IsControl(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
