package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// arrowRows is how many rows of a body are encoded at a time: what a batch of Arrow unpacks
// to may be much larger than its bytes.
const arrowRows = 4096

// fromArrow encodes the rows of a stream of Arrow, or of a file: by column where the model
// has columns, and otherwise all columns in their order, or the one that has texts.
func (e *edition) fromArrow(ctx context.Context, ctl run.Control, body []byte, first *int) ([]*model.Encoded, error) {
	var to gathering = &batchSink{}
	if !e.Encoding.HasColumns() {
		to = &gridSink{}
	}
	in := bytes.NewReader(body)
	r, err := arrow.NewReader(in, "body", to)
	if bytes.HasPrefix(body, []byte("ARROW1")) {
		r, err = arrow.NewFileReader(in, int64(len(body)), "body", to)
	}
	if err != nil {
		return nil, err
	}
	reserve := func(what string, bytes float64) error { return ctl.Reserve(what, bytes, "send fewer rows") }
	r.Reserve = func(what string, bytes float64) (bool, error) { return true, reserve(what, bytes) }
	var parts []*model.Encoded
	for {
		n, err := r.Read(ctx, arrowRows)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = reserve("rows of the body", 8*float64(n)*float64(max(e.width, 1)))
		}
		var part []*model.Encoded
		if err == nil {
			part, err = to.encoded(e, first)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part...)
	}
	if parts == nil {
		return nil, unfit("there are no rows")
	}
	return parts, nil
}

// gathering takes cells, and encodes what it has taken since the last time.
type gathering interface {
	table.Sink
	encoded(e *edition, first *int) ([]*model.Encoded, error)
}

// batchSink gathers records of named values.
type batchSink struct {
	*dataset.Batch
	names []string
}

func (b *batchSink) Column(name string) int {
	b.names = append(b.names, name)
	return len(b.names) - 1
}

func (b *batchSink) Row(line int) {
	if b.Batch == nil {
		b.Batch = dataset.NewBatch()
		for _, name := range b.names {
			b.Batch.Column(name)
		}
	}
	b.Batch.Row(line)
}

func (b *batchSink) encoded(e *edition, _ *int) ([]*model.Encoded, error) {
	rows, err := e.Encoding.Batch(b.Batch)
	b.Batch = nil
	return e.encode(rows, err)
}

// gridSink gathers rows of cells in their order.
type gridSink struct {
	names []string
	rows  []line
}

func (g *gridSink) Column(name string) int {
	g.names = append(g.names, name)
	return len(g.names) - 1
}

func (g *gridSink) Row(int) {
	numbers := make([]float64, len(g.names))
	for j := range numbers {
		numbers[j] = math.NaN()
	}
	g.rows = append(g.rows, line{numbers: numbers})
}

func (g *gridSink) Number(col int, v float64) { g.rows[len(g.rows)-1].numbers[col] = v }

func (g *gridSink) Bool(col int, v bool) {
	if g.Number(col, 0); v {
		g.Number(col, 1)
	}
}

func (g *gridSink) Text(_ int, s string) {
	last := &g.rows[len(g.rows)-1]
	last.texts = append(last.texts, s)
}

func (g *gridSink) encoded(e *edition, first *int) ([]*model.Encoded, error) {
	rows := g.rows
	g.rows = nil
	if e.whole() {
		records := make([]any, len(rows))
		for i, row := range rows {
			if len(row.texts) != 1 || len(row.numbers) != 1 {
				return nil, unfit("row %d: model %s takes one column of texts, and the body has columns %s", i+1, e.name,
					data.Clip(strings.Join(g.names, ", "), 200))
			}
			records[i] = row.texts[0]
		}
		return e.fromRecords(records)
	}
	m := data.NewMatrix(len(rows), len(g.names))
	for i, row := range rows {
		if row.texts != nil {
			return nil, e.notNumbers(i)
		}
		copy(m.Row(i), row.numbers)
	}
	return e.fromMatrix(m, first)
}

// arrow writes the answer as a stream of Arrow, with the columns of the table in CSV.
func (a *answer) arrow() ([]byte, error) {
	p := a.said
	var columns []arrow.Column
	numbers := func(name string, at func(i int) float64) {
		values := make([]float64, a.rows)
		for i := range values {
			values[i] = at(i)
		}
		columns = append(columns, arrow.Column{Name: name, Numbers: values})
	}
	texts := func(name string, at func(i int) string) {
		values := make([]string, a.rows)
		for i := range values {
			values[i] = at(i)
		}
		columns = append(columns, arrow.Column{Name: name, Texts: values})
	}
	if a.of.Regresses() {
		numbers("prediction", func(i int) float64 { return p.Predictions[i].(float64) })
	} else {
		texts("prediction", func(i int) string { return p.Predictions[i].(string) })
	}
	if p.Intervals != nil {
		numbers("low", func(i int) float64 { return p.Intervals[i][0] })
		numbers("high", func(i int) float64 { return p.Intervals[i][1] })
	}
	for _, more := range []struct {
		title  string
		values [][]float64
	}{{"score ", p.Scores}, {"probability ", p.Probabilities}} {
		for k, class := range p.Classes {
			if more.values != nil {
				numbers(more.title+class, func(i int) float64 { return more.values[i][k] })
			}
		}
	}
	if p.Sets != nil {
		texts("set", func(i int) string { return strings.Join(p.Sets[i], ",") })
	}
	if a.features != nil {
		for j := range a.features.Cols {
			numbers(featureTitle(j), func(i int) float64 { return a.features.Row(i)[j] })
		}
	}
	if a.why != nil {
		reasons := a.whyTexts()
		texts(outWhy, func(i int) string { return reasons[i] })
	}
	var b bytes.Buffer
	err := arrow.WriteTable(&b, columns)
	return b.Bytes(), err
}
