package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
)

// Model is a model that rows are tried on by hand.
type Model struct {
	Name  string // of its file
	Model *model.Model

	// On is a file of labelled rows, with what the model gets right there and which of its
	// columns matter; empty for none.
	On        string
	Evaluated *job.Evaluated
	Ranking   *explain.Ranking
}

// Limits of the form of a model.
const (
	mostFields     = 120 // columns that have a field
	mostCategories = 200 // of a column that are offered
	maxRow         = 1 << 20
)

// field is a column of the form.
type field struct {
	Name       string   `json:"name"`
	Number     bool     `json:"number"`
	Value      string   `json:"value"` // that the form begins with
	Categories []string `json:"categories,omitempty"`
}

// describe says what the form asks for.
func (l *Lab) describe(w http.ResponseWriter, _ *http.Request) {
	m := l.o.Model
	if m == nil {
		writeError(w, errNoModel)
		return
	}
	e := m.Model.Encoding
	out := struct {
		Name    string       `json:"name"`
		Form    dataset.Form `json:"form"`
		Task    model.Task   `json:"task"`
		Classes []string     `json:"classes"`
		Fields  []field      `json:"fields"`
		LeftOut int          `json:"left_out"` // columns without a field
		Width   int          `json:"width"`
	}{
		Name: m.Name, Form: e.RowForm(), Task: m.Model.Task, Classes: m.Model.Classes.Names, Width: e.Width(),
		Fields: []field{},
	}
	if out.Form == dataset.Columns {
		all := e.RowColumns()
		out.LeftOut = max(0, len(all)-mostFields)
		for _, c := range all[:min(mostFields, len(all))] {
			out.Fields = append(out.Fields, fieldOf(e, c))
		}
	}
	putJSON(w, out)
}

// fieldOf returns the field of a column, with a cell that training had.
func fieldOf(e *dataset.Encoding, c dataset.RowColumn) field {
	f := field{Name: c.Name, Number: c.Number, Value: c.Example}
	if c.Number {
		f.Value = strconv.FormatFloat(c.Mean, 'g', 4, 64)
	}
	if e.Table == nil {
		return f
	}
	for _, column := range e.Table.Columns {
		if column.Name == c.Name && !c.Number {
			f.Categories = column.Categories[:min(mostCategories, len(column.Categories))]
		}
	}
	return f
}

var errNoModel = &fault{http.StatusNotFound, "the lab was started without a model; use kerf lab MODEL"}

// try answers with why the model predicts what it does of a row.
func (l *Lab) try(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	m := l.o.Model
	if m == nil {
		return errNoModel
	}
	b, err := l.body(w, r, "application/json", maxRow)
	if err != nil {
		return err
	}
	e := m.Model.Encoding
	record, err := readRow(e.RowForm(), b)
	if err != nil {
		return &fault{http.StatusBadRequest, err.Error()}
	}
	if columns, ok := record.(map[string]any); ok {
		for _, c := range e.RowColumns() {
			if _, there := columns[c.Name]; !there {
				columns[c.Name] = nil // what the form has no field for is missing
			}
		}
	}
	rows, err := e.Record(record)
	if err != nil {
		return err
	}
	x, err := m.Model.Encode(rows)
	if err != nil {
		return err
	}
	why := explain.NewWhy(m.Model)
	why.Run = l.o.Run
	out, err := why.Row(ctx, rows, x, 0)
	if err != nil {
		return err
	}
	if strange := e.Unseen(rows); strange > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d values are of categories that training did not have", strange))
	}
	putJSON(w, out)
	return nil
}

// readRow reads a row that was typed into the form: {"columns": {"age": 39}}, where null
// is missing, or {"text": "…"}, which is the string, the items between commas, the numbers
// between blanks or commas, or these by index as 3:1.5.
func readRow(form dataset.Form, text []byte) (any, error) {
	var row struct {
		Columns map[string]any `json:"columns"`
		Text    *string        `json:"text"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&row); err != nil {
		return nil, fmt.Errorf("the row cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more behind the row")
	}
	if form == dataset.Columns {
		if row.Columns == nil {
			return nil, errors.New(`the model takes a row by columns: {"columns": {…}}`)
		}
		return row.Columns, nil
	}
	if row.Text == nil {
		return nil, errors.New(`the model takes a row as a text: {"text": "…"}`)
	}
	switch form {
	case dataset.Text:
		return *row.Text, nil
	case dataset.Items:
		items := data.Set{}
		for item := range strings.SplitSeq(*row.Text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		slices.Sort(items)
		return slices.Compact(items), nil
	}
	return readNumbers(form, *row.Text)
}

// readNumbers reads numbers, or numbers by index.
func readNumbers(form dataset.Form, text string) (any, error) {
	var index []int32
	var values []float64
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r <= ' ' }) {
		at, number, found := strings.Cut(word, ":")
		if !found {
			at, number = "", word
		}
		if found != (form == dataset.Indexed) {
			return nil, fmt.Errorf("word %d is %q and must be %s", i+1, data.ClipMiddle(word, 40), map[bool]string{
				true: "an index and a number such as 3:1.5", false: "a number",
			}[form == dataset.Indexed])
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("word %d is %q and must have a finite number", i+1, data.ClipMiddle(word, 40))
		}
		if found {
			j, err := strconv.ParseInt(at, 10, 31)
			if err != nil || j < 0 || len(index) > 0 && int32(j) <= index[len(index)-1] {
				return nil, fmt.Errorf("word %d is %q and must have an index above the one before", i+1, data.ClipMiddle(word, 40))
			}
			index = append(index, int32(j))
		}
		values = append(values, v)
	}
	if form == dataset.Indexed {
		return data.Sparse(index, values)
	}
	return values, nil
}

// reportPolicy is that of the report: a page that runs nothing and asks for nothing.
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; " +
	"form-action 'none'"

// report answers with the report of the model.
func (l *Lab) report(w http.ResponseWriter, _ *http.Request) {
	if l.o.Model == nil {
		writeError(w, errNoModel)
		return
	}
	d, err := l.o.Model.Document()
	var b bytes.Buffer
	if err == nil {
		err = report.Write(&b, d)
	}
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", reportPolicy)
	put(w, http.StatusOK, "text/html; charset=utf-8", b.Bytes())
}
