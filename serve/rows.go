package serve

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Names of inputs that stand for a whole row.
const (
	inVectors = "x"
	inTexts   = "text"
	inItems   = "items"
)

// whole reports whether one text is a whole row: a string, or a line of items.
func (e *edition) whole() bool { return e.form == dataset.Text || e.form == dataset.Items }

// columns describes the inputs of the model: its columns, or one tensor for all.
func (e *edition) columns() []column {
	var out []column
	for _, c := range e.Encoding.RowColumns() {
		kind := typeBytes
		if c.Number {
			kind = typeFP64
		}
		out = append(out, column{c.Name, kind, []int64{-1}})
	}
	switch {
	case out != nil:
		return out
	case e.form == dataset.Items:
		return []column{{inItems, typeBytes, []int64{-1, -1}}}
	case e.form == dataset.Text:
		return []column{{inTexts, typeBytes, []int64{-1}}}
	}
	width := int64(-1)
	if e.width > 0 && e.form == dataset.Numbers {
		width = int64(e.width)
	}
	return []column{{inVectors, typeFP64, []int64{-1, width}}}
}

// isColumn reports whether an input has the name of a column.
func (e *edition) isColumn(name string) bool {
	return e.Encoding.HasColumns() && slices.ContainsFunc(e.takes, func(c column) bool { return c.Name == name })
}

// fromRecords encodes records, as dataset.Encoding.Records takes them.
func (e *edition) fromRecords(records []any) ([]*model.Encoded, error) {
	return e.encode(e.Encoding.Records(records...))
}

// encode returns rows as the model's instances.
func (e *edition) encode(rows *dataset.Rows, err error) ([]*model.Encoded, error) {
	if err != nil {
		return nil, err
	}
	one, err := e.Encode(rows)
	if err != nil {
		return nil, err
	}
	return []*model.Encoded{one}, nil
}

// fromText encodes rows that stand as in a file of the training data's format.
func (e *edition) fromText(ctx context.Context, ctl run.Control, body []byte) ([]*model.Encoded, error) {
	for _, magic := range []string{"\x1f\x8b", "BZh", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(body, []byte(magic)) {
			return nil, refuse(415, "the body is compressed; send it as it is")
		}
	}
	var parts []*model.Encoded
	o := dataset.Options{Stdin: bytes.NewReader(body), Run: ctl}
	err := e.Encoding.Stream(ctx, "-", o, func(r *dataset.Rows) error {
		part, err := e.Encode(r)
		parts = append(parts, part)
		return err
	})
	var input *data.InputError
	if errors.As(err, &input) {
		named := *input
		named.File = "body"
		err = &named
	}
	return parts, err
}

// fromTensors encodes the rows of a request of the protocol.
func (e *edition) fromTensors(ctx context.Context, ctl run.Control, in *inferRequest) ([]*model.Encoded, error) {
	if len(in.tensors) == 0 {
		return nil, badRequest("the request has no inputs; model %s takes %s", e.name, e.inputNames())
	}
	n, _ := in.tensors[0].rows()
	names := make(map[string]bool, len(in.tensors))
	for _, t := range in.tensors {
		rows, _ := t.rows()
		switch {
		case names[t.name]:
			return nil, badRequest("there are two inputs %q", clip(t.name))
		case rows != n:
			return nil, badRequest("input %q has %d rows, and input %q has %d", clip(t.name), rows, clip(in.tensors[0].name), n)
		}
		names[t.name] = true
		if at := slices.IndexFunc(t.numbers, func(v float64) bool { return math.IsInf(v, 0) }); at >= 0 {
			return nil, unfit(
				"element %d of input %q is not finite, or larger than a float64 holds exactly",
				at+1,
				clip(t.name),
			)
		}
	}
	if one := in.tensors[0]; len(in.tensors) == 1 && !(e.isColumn(one.name) && !e.whole()) {
		return e.fromTensor(ctx, ctl, one, in.first)
	}
	if !e.Encoding.HasColumns() {
		return nil, unfit("model %s takes one input, %s, and the request has %d", e.name, e.inputNames(), len(in.tensors))
	}
	b, err := batchOf(ctx, in.tensors, n)
	if err != nil {
		return nil, err
	}
	return e.encode(e.Encoding.Batch(b))
}

// batchOf makes a record of each row of columns.
func batchOf(ctx context.Context, tensors []*tensor, n int) (*dataset.Batch, error) {
	b := dataset.NewBatch()
	for _, t := range tensors {
		if _, each := t.rows(); each != 1 {
			return nil, unfit("input %q has the shape %v; where each column is an input, use [rows] or [rows, 1]", clip(t.name),
				t.shape)
		}
		b.Column(t.name)
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.Row(0)
		for j, t := range tensors {
			switch {
			case t.isText():
				b.Text(j, t.texts[i])
			case math.IsNaN(t.numbers[i]):
			case t.datatype == typeBool:
				b.Bool(j, t.numbers[i] != 0)
			default:
				b.Number(j, t.numbers[i])
			}
		}
	}
	return b, nil
}

// inputNames lists the inputs for messages.
func (e *edition) inputNames() string {
	var names []string
	for _, c := range e.takes {
		names = append(names, c.Name)
	}
	return data.Clip(strings.Join(names, ", "), 200)
}

// fromTensor encodes rows that are in one tensor.
func (e *edition) fromTensor(ctx context.Context, ctl run.Control, t *tensor, first *int) ([]*model.Encoded, error) {
	n, each := t.rows()
	switch {
	case t.isText() && (e.form == dataset.Numbers || e.form == dataset.Indexed):
		if e.form != dataset.Indexed || each != 1 {
			return nil, unfit("model %s takes vectors of numbers, and input %q has texts", e.name, clip(t.name))
		}
		return e.fromLines(ctx, ctl, t.texts)
	case t.isText() && e.form == dataset.Items && each > 1:
		records := make([]any, n)
		for i := range records {
			records[i] = data.Set(t.texts[i*each : (i+1)*each])
		}
		return e.fromRecords(records)
	case e.whole() && each > 1, e.whole() && !t.isText():
		return nil, unfit("model %s takes %s: an input of BYTES with a text a row", e.name, e.Encoding.Kind)
	case e.whole():
		records := make([]any, n)
		for i := range records {
			records[i] = t.texts[i]
		}
		return e.fromRecords(records)
	}
	if !t.isText() {
		return e.fromMatrix(&data.Matrix{Rows: n, Cols: each, Data: t.numbers}, first)
	}
	rows := make([]line, n)
	for i := range rows {
		rows[i].texts = t.texts[i*each : (i+1)*each]
	}
	return e.fromCells(rows, first)
}

// fromLines encodes lines of a LIBSVM file, without or with a label.
func (e *edition) fromLines(ctx context.Context, ctl run.Control, lines []string) ([]*model.Encoded, error) {
	for i, text := range lines {
		if strings.ContainsAny(text, "\r\n") || strings.TrimSpace(text) == "" {
			return nil, unfit("text %d is not one line such as 3:1 11:0.5", i+1)
		}
		if first, _, _ := strings.Cut(strings.TrimSpace(text), " "); strings.Contains(first, ":") {
			lines[i] = "0 " + text
		}
	}
	return e.fromText(ctx, ctl, []byte(strings.Join(lines, "\n")+"\n"))
}

// line is a row of cells in their order: numbers, with NaN for what is missing, or
// texts.
type line struct {
	numbers []float64
	texts   []string
}

// cells returns the row as texts, as a CSV file has them.
func (l line) cells() []string {
	if l.texts != nil {
		return l.texts
	}
	out := make([]string, len(l.numbers))
	for j, v := range l.numbers {
		if !math.IsNaN(v) {
			out[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return out
}

// fromMatrix encodes rows of numbers, with NaN for what is missing, that stand in the
// order of the training columns.
func (e *edition) fromMatrix(m *data.Matrix, first *int) ([]*model.Encoded, error) {
	gone := slices.IndexFunc(m.Data, math.IsNaN)
	at := 0
	switch {
	case e.form == dataset.Indexed && first == nil:
		return nil, e.withoutFirst()
	case e.Encoding.HasColumns():
	case gone >= 0:
		return nil, e.notNumbers(gone / m.Cols)
	case e.form == dataset.Numbers && e.width > 0 && m.Cols != e.width:
		return nil, e.otherWidth(0, m.Cols)
	case e.form == dataset.Indexed:
		at = *first
	}
	return e.encode(e.Encoding.Dense(m, at))
}

// The faults of rows of cells.

func (e *edition) withoutFirst() error {
	return unfit("model %s was trained on LIBSVM data, whose columns have indices: send {\"3\": 1, \"11\": 0.5}, "+
		"or say with first=1 or first=0 which index the first of your numbers has", e.name)
}

func (e *edition) notNumbers(row int) error {
	return unfit("row %d: model %s takes vectors of numbers, and a value is a text or missing", row+1, e.name)
}

func (e *edition) otherWidth(row, width int) error {
	return unfit("row %d has %d numbers and the model's vectors have %d", row+1, width, e.width)
}

// fromCells encodes rows whose cells stand in the order of the training columns.
func (e *edition) fromCells(rows []line, first *int) ([]*model.Encoded, error) {
	odd := func(l line) bool { return l.texts != nil || slices.ContainsFunc(l.numbers, math.IsNaN) }
	plain := !slices.ContainsFunc(rows, odd)
	if e.form == dataset.Indexed && first == nil {
		return nil, e.withoutFirst()
	}
	records := make([]any, len(rows))
	for i, row := range rows {
		switch {
		case e.Encoding.HasColumns() && !plain:
			records[i] = row.cells()
		case e.Encoding.HasColumns():
			records[i] = row.numbers
		case odd(row):
			return nil, e.notNumbers(i)
		case e.form == dataset.Numbers && e.width > 0 && len(row.numbers) != e.width:
			return nil, e.otherWidth(i, len(row.numbers))
		case e.form == dataset.Indexed && *first == 1:
			records[i] = append([]float64{0}, row.numbers...)
		default:
			records[i] = row.numbers
		}
	}
	return e.fromRecords(records)
}
