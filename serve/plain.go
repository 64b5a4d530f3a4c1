package serve

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// fromJSON encodes rows as a person would write them: an object with columns, a list of
// such objects, a list of cells in the order of the columns, or of such lists; a string
// or a list of strings for a model of strings; a list of items, or of such lists, for a
// model of sets.
func (e *edition) fromJSON(ctx context.Context, body []byte, first *int) ([]*model.Encoded, error) {
	if parts, err := e.fromScan(ctx, body, first); parts != nil || err != nil {
		return parts, err
	}
	return e.fromAny(ctx, body, first)
}

// fromAny encodes rows of all forms.
func (e *edition) fromAny(ctx context.Context, body []byte, first *int) ([]*model.Encoded, error) {
	var v any
	if err := parseWhole(ctx, body, &v); err != nil {
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, badRequest("the body is not UTF-8")
	}
	rows, isList := v.([]any)
	if !isList || e.isRow(rows) {
		rows = []any{v}
	}
	if len(rows) == 0 {
		return nil, unfit("there are no rows")
	}
	switch rows[0].(type) {
	case map[string]any:
		return e.fromObjects(rows)
	case string:
		return e.fromStrings(rows)
	case []any:
		return e.fromLists(rows, first)
	}
	return nil, unfit("a row is an object such as %s, a list or a text, and not %s", e.example(), clip(jsonOf(rows[0])))
}

// fromScan encodes rows of the forms that most requests have; nil for any other.
func (e *edition) fromScan(ctx context.Context, body []byte, first *int) ([]*model.Encoded, error) {
	s := newScanner(ctx, body)
	opening := s.next()
	if opening == '[' {
		s.at++
		opening = s.next()
	}
	s.at = 0
	switch {
	case opening == '{' && e.Encoding.HasColumns():
		if b, ok := s.batch(len(e.takes)); ok {
			return e.encode(e.Encoding.Batch(b))
		}
	case opening == '{' && e.form == dataset.Indexed:
		if records, ok := s.sparse(); ok {
			return e.fromRecords(records)
		}
	case opening != '{' && !e.whole():
		if m, ok := s.matrix(); ok {
			return e.fromMatrix(m, first)
		}
	}
	return nil, nil
}

// isRow reports whether a list is a row itself and not a list of rows.
func (e *edition) isRow(list []any) bool {
	if len(list) == 0 {
		return e.form == dataset.Items
	}
	switch list[0].(type) {
	case map[string]any, []any:
		return false
	case string:
		return e.form == dataset.Items || e.form == dataset.Columns
	}
	return true
}

// fromObjects encodes rows whose values have names.
func (e *edition) fromObjects(rows []any) ([]*model.Encoded, error) {
	if e.Encoding.HasColumns() {
		for _, row := range rows {
			if object, ok := row.(map[string]any); ok {
				e.trim(object)
			}
		}
		return e.fromRecords(rows)
	}
	if e.form != dataset.Indexed {
		return nil, unfit("model %s has no columns; a row is %s", e.name, e.example())
	}
	records := make([]any, len(rows))
	for i, row := range rows {
		object, ok := row.(map[string]any)
		if !ok {
			return nil, unfit("row %d is no object, as the first is", i+1)
		}
		v := data.Vector{Index: make([]int32, 0, len(object))}
		for name := range object {
			j, err := strconv.ParseInt(name, 10, 32)
			if err != nil || j < 0 {
				return nil, unfit("row %d: %q is no index such as 3; a row is %s", i+1, clip(name), e.example())
			}
			v.Index = append(v.Index, int32(j))
		}
		slices.Sort(v.Index)
		for _, j := range v.Index {
			x, ok := object[strconv.Itoa(int(j))].(float64)
			if !ok {
				return nil, unfit("row %d: the value of %d is no number, or its index is not written plainly", i+1, j)
			}
			v.Value = append(v.Value, x)
		}
		records[i] = v
	}
	return e.fromRecords(records)
}

// trim removes values that the model does not look at from a row that has many of them;
// a few may stay, for messages. A list may stand for several columns.
func (e *edition) trim(row map[string]any) {
	if len(row) < 2*len(e.takes)+100 {
		return
	}
	taken := make(map[string]bool, len(e.takes))
	for _, c := range e.takes {
		taken[c.Name] = true
	}
	maps.DeleteFunc(row, func(name string, v any) bool {
		_, list := v.([]any)
		return !list && !taken[name] && len(row) > len(e.takes)
	})
}

// fromStrings encodes rows that are a text each.
func (e *edition) fromStrings(rows []any) ([]*model.Encoded, error) {
	for i, row := range rows {
		if _, ok := row.(string); !ok {
			return nil, unfit("row %d is no text, as the first is", i+1)
		}
	}
	if !e.whole() {
		return nil, unfit("model %s does not take texts; a row is %s", e.name, e.example())
	}
	return e.fromRecords(rows)
}

// fromLists encodes rows that are lists of cells or items.
func (e *edition) fromLists(rows []any, first *int) ([]*model.Encoded, error) {
	lines := make([]line, len(rows))
	for i, row := range rows {
		list, ok := row.([]any)
		if !ok {
			return nil, unfit("row %d is no list, as the first is", i+1)
		}
		var err error
		if lines[i], err = lineOf(list, i); err != nil {
			return nil, err
		}
	}
	switch {
	case e.form == dataset.Items:
		records := make([]any, len(lines))
		for i, l := range lines {
			records[i] = data.Set(l.cells())
		}
		return e.fromRecords(records)
	case e.form == dataset.Text:
		return nil, unfit("model %s takes strings; a row is %s", e.name, e.example())
	}
	return e.fromCells(lines, first)
}

// lineOf takes the cells of a list.
func lineOf(list []any, row int) (line, error) {
	var l line
	numbers := !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(float64); return !ok && v != nil })
	for _, v := range list {
		switch v := v.(type) {
		case nil:
			if numbers {
				l.numbers = append(l.numbers, math.NaN())
			} else {
				l.texts = append(l.texts, "")
			}
		case float64:
			if numbers {
				l.numbers = append(l.numbers, v)
			} else {
				l.texts = append(l.texts, strconv.FormatFloat(v, 'g', -1, 64))
			}
		case string:
			l.texts = append(l.texts, v)
		case bool:
			l.texts = append(l.texts, strconv.FormatBool(v))
		default:
			return l, unfit("row %d: a cell is a number, a text, true, false or null, and not %s", row+1, clip(jsonOf(v)))
		}
	}
	return l, nil
}

// example is a row that the model would understand, as JSON.
func (e *edition) example() string {
	switch e.form {
	case dataset.Text:
		return `a text such as "abc"`
	case dataset.Items:
		return `a list of items such as ["a", "b"]`
	case dataset.Columns:
		row := map[string]any{}
		for _, c := range e.takes[:min(3, len(e.takes))] {
			row[c.Name] = map[bool]any{true: "…", false: 0}[c.Datatype == typeBytes]
		}
		return data.Clip(jsonOf(row), 120)
	case dataset.Indexed:
		return `an object of indices such as {"3": 1, "11": 0.5}`
	}
	return "a list of numbers such as [0, 0.5, 1]"
}

// jsonOf writes a value for a message.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	return string(b)
}

// fromCSV encodes a table with a header for a model whose training data were a table in
// another format.
func (e *edition) fromCSV(ctx context.Context, body []byte) ([]*model.Encoded, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	names, err := r.Read()
	if err != nil {
		return nil, notCSV(err)
	}
	names = slices.Clone(names)
	r.ReuseRecord = true
	b := dataset.NewBatch()
	number := make([]bool, len(names))
	for j, name := range names {
		if b.Column(name) != j {
			return nil, unfit("two columns of the header have the same name")
		}
		number[j] = e.isNumber(name)
	}
	for {
		cells, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, notCSV(err)
		}
		if ended := ctx.Err(); ended != nil {
			return nil, ended
		}
		b.Row(0)
		for j, cell := range cells {
			v, err := strconv.ParseFloat(cell, 64)
			switch {
			case table.IsMissing(cell):
			case err == nil && number[j]:
				b.Number(j, v)
			default:
				b.Text(j, strings.Clone(cell))
			}
		}
	}
	if b.Len() == 0 {
		return nil, unfit("there are no rows")
	}
	return e.encode(e.Encoding.Batch(b))
}

// isNumber reports a column of numbers.
func (e *edition) isNumber(name string) bool {
	return slices.ContainsFunc(e.takes, func(c column) bool { return c.Name == name && c.Datatype == typeFP64 })
}

// notCSV says what is wrong with a table.
func notCSV(err error) error {
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return badRequest("the body is empty")
	case errors.As(err, &parse):
		return badRequest("line %d of the body: %v", parse.Line, parse.Err)
	}
	return badRequest("the body is no CSV: %v", err)
}
