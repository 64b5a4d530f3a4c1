// Package arrow reads flat tables in the formats of Apache Arrow, and writes
// features and labels in them: files (.arrow, and .feather of version 2) and streams
// (.arrows).
//
// A column holds numbers, truth values or texts, by themselves or by a dictionary;
// null is a missing cell. Whole numbers and decimals become float64; dates, times
// and durations are the whole number that the file holds. Lists, structures, maps
// and the like are refused, and so are bytes that are no text. Buffers may be packed
// by LZ4 or Zstandard.
//
// Cells go to a table.Sink, so that tables of Arrow and of CSV are used alike. Both
// are read batch by batch: a stream from its beginning to its end, so that it may
// come from a pipe, and a file by the places in its footer.
//
// Nothing that a file says of itself is trusted: memory grows with the bytes that
// come, and what they unpack to is held to a bound.
package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/run"
)

const (
	maxColumns = 1 << 20 // of a table
	maxHollow  = 1 << 24 // rows of a batch without a column that holds anything

	// Buffers that are unpacked at the same time take at most leastStore bytes, and
	// storeRatio more for each byte that was read.
	leastStore = 1 << 28
	storeRatio = 64

	// Texts of longText bytes or more are at most leastTexts bytes together, and
	// textRatio more for each byte that was read: indices can repeat one without end.
	longText   = 256
	leastTexts = 1 << 30
	textRatio  = 1024
)

// Reader reads the rows of a file or stream. It is not safe for concurrent use.
type Reader struct {
	// Reserve, where it is set, is asked before memory is taken for a batch and its
	// cells. A *file.File has such a method.
	Reserve func(what string, bytes float64) (known bool, err error)

	// Run says how many columns are made numbers of at the same time, where the sink takes
	// whole ones.
	Run run.Control

	name     string
	to       table.Sink
	messages messages
	fields   []field
	known    map[int64]*dictionary

	by     unpacker
	store  int64 // bytes that may still be unpacked
	held   int64 // of those that the batch took
	texts  int64 // bytes of long texts that are left
	hollow bool  // no column holds anything
	batch  []*cells
	rows   int // of the batch
	used   int // of them handed out

	cellwise []int // columns that go to the sink cell by cell

	row   int // rows handed out so far
	parts file.Batches
}

// NewReader reads the schema of a stream, and returns a reader of its rows that gives
// its cells to a sink. The name stands for the file in errors. What is wrong with the
// schema comes back as a *data.InputError.
func NewReader(r io.Reader, name string, to table.Sink) (*Reader, error) {
	return newReader(name, to, func() (messages, error) { return &stream{from: r}, nil })
}

// NewFileReader is NewReader for a file of size bytes.
func NewFileReader(r io.ReaderAt, size int64, name string, to table.Sink) (*Reader, error) {
	return newReader(name, to, func() (messages, error) { return newBlocks(r, size) })
}

func newReader(name string, to table.Sink, open func() (messages, error)) (*Reader, error) {
	r := &Reader{
		name: name, to: to, known: map[int64]*dictionary{}, store: leastStore, texts: leastTexts, hollow: true,
	}
	var err error
	if r.messages, err = open(); err != nil {
		return nil, r.damage(err)
	}
	schema, err := r.messages.schema()
	if err != nil {
		return nil, r.damage(err)
	}
	return r, r.setFields(schema)
}

// reserve asks Reserve, where there is one.
func (r *Reader) reserve(what string, bytes float64) error {
	if r.Reserve == nil {
		return nil
	}
	_, err := r.Reserve(what, bytes)
	return err
}

// setFields looks at the columns of the schema.
func (r *Reader) setFields(schema flat) error {
	if schema.int(0, 2, 0) != 0 {
		return r.damage(unread("has the bytes of numbers in the other order"))
	}
	at, n := schema.vector(1, 4)
	if *schema.bad {
		return r.damage(errDamaged)
	}
	if n < 1 || n > maxColumns {
		return &data.InputError{
			File: r.name, Problem: fmt.Sprintf("the table has %d columns", n),
			Advice: "give a file with columns of numbers or texts",
		}
	}
	seen := map[string]bool{}
	for k := range n {
		f, refused, err := newField(schema.element(at, k))
		switch {
		case err != nil || *schema.bad:
			return r.damage(errors.Join(err, errDamaged))
		case refused != "":
			return &data.InputError{
				File: r.name, Problem: fmt.Sprintf("column %q %s, which kerf does not read", f.name, refused),
				Advice: "write it as numbers or texts, or leave it out",
			}
		case seen[f.name]:
			return &data.InputError{
				File: r.name, Problem: fmt.Sprintf("two columns are called %q", f.name),
				Advice: "give each column a name of its own",
			}
		}
		seen[f.name] = true
		if f.stored().kind != kindNull {
			r.hollow = false
		}
		if f.indexed {
			if d := r.known[f.id]; d != nil && d.values != f.values {
				return r.damage(errors.New("columns of different types have the same dictionary"))
			}
			r.known[f.id] = &dictionary{values: f.values}
		}
		r.fields = append(r.fields, f)
	}
	for k := range r.fields {
		r.fields[k].to = r.to.Column(r.fields[k].name)
	}
	return nil
}

// Columns returns the number of columns.
func (r *Reader) Columns() int { return len(r.fields) }

// Read gives the next rows to the sink, at most max of them, all that are left if
// max ≤ 0, and returns how many there were. It returns 0 and io.EOF when no row is
// left. After any other error the last row of the sink may lack cells.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error; and what Reserve returns as it is.
func (r *Reader) Read(ctx context.Context, max int) (rows int, err error) {
	return r.parts.ReadSome(ctx, max, func(max int) (int, error) { return r.some(ctx, max) })
}

// mostRows is how many rows are given to the sink between two looks at the context.
const mostRows = 1 << 16

// some gives what is left of a batch to the sink, at most max rows where that is not 0.
func (r *Reader) some(ctx context.Context, max int) (rows int, err error) {
	defer r.guard(&err)
	for r.used == r.rows {
		if err := r.fill(); err != nil {
			if err == io.EOF {
				return 0, err
			}
			return 0, r.damage(err)
		}
	}
	rows = min(r.rows-r.used, mostRows)
	if max > 0 {
		rows = min(rows, max)
	}
	if err := r.giveColumns(ctx, rows); err != nil {
		return 0, err
	}
	for range rows {
		if err := r.giveRow(); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// giveRow gives the next row of the batch to the sink, but for the columns that it has.
func (r *Reader) giveRow() error {
	i := r.used
	r.used++
	r.row++
	r.to.Row(r.row)
	for _, j := range r.cellwise {
		f, values, k := &r.fields[j], r.batch[j], i
		if values.missing(i) {
			continue
		}
		if f.indexed {
			if values, k = r.known[f.id].find(values.whole(i)); values == nil {
				return r.damage(fmt.Errorf("column %q has a value that its dictionary lacks", f.name))
			}
			if values.missing(k) {
				continue
			}
		}
		if err := r.cell(f, values, k); err != nil {
			return err
		}
	}
	return nil
}

// cell gives value k to the sink.
func (r *Reader) cell(f *field, values *cells, k int) error {
	switch {
	case values.text():
		text, ok := values.bytes(k)
		if !ok {
			return r.damage(fmt.Errorf("column %q: %w", f.name, errDamaged))
		}
		return r.text(f, text)
	case values.kind == kindBool:
		r.to.Bool(f.to, values.data[k>>3]>>(k&7)&1 != 0)
	default:
		r.to.Number(f.to, values.number(k))
	}
	return nil
}

// text gives a text to the sink.
func (r *Reader) text(f *field, text []byte) error {
	if len(text) >= longText {
		if r.texts -= int64(len(text)); r.texts < 0 {
			return r.damage(errors.New("its texts are thousands of times as large as the file"))
		}
	}
	if !utf8.Valid(text) {
		return &data.InputError{
			File: r.name, Line: r.row, Problem: fmt.Sprintf("column %q holds bytes that are no UTF-8 text", f.name),
			Advice: "write it as numbers or texts, or leave it out",
		}
	}
	r.to.Text(f.to, string(text))
	return nil
}

// fill reads the next message. It returns io.EOF after the last.
func (r *Reader) fill() error {
	r.batch = nil
	r.store += r.held
	r.held = 0
	m, err := r.messages.next(r.reserve)
	if err != nil {
		return err
	}
	r.store += storeRatio * int64(len(m.body))
	r.texts += textRatio * int64(len(m.body))
	switch m.kind {
	case messageBatch:
		return r.setBatch(m)
	case messageDictionary:
		return r.setDictionary(m)
	case messageSchema:
		return errors.New("it has two schemas")
	}
	return nil // tensors and what else there may be are not of the table
}

// setBatch looks at the columns of a batch.
func (r *Reader) setBatch(m *message) error {
	before := r.store
	b, err := newBatch(m.head, m.body, &r.by, &r.store)
	if err != nil {
		return err
	}
	if r.hollow && b.rows > maxHollow {
		return fmt.Errorf("a batch has %d rows without a value", b.rows)
	}
	for j := range r.fields {
		c, err := b.column(r.fields[j].stored())
		if err != nil {
			return fmt.Errorf("column %q: %w", r.fields[j].name, err)
		}
		r.batch = append(r.batch, c)
	}
	r.held = before - r.store
	if err := r.reserve(fmt.Sprintf("rows %d to %d of %d columns", r.row+1, r.row+b.rows, len(r.fields)),
		8*float64(b.rows)*float64(len(r.fields)+1)); err != nil {
		return err
	}
	r.rows, r.used = b.rows, 0
	return nil
}

// setDictionary keeps the values of a dictionary.
func (r *Reader) setDictionary(m *message) error {
	d := r.known[m.head.int(0, 8, 0)]
	inner, ok := m.head.table(1)
	if d == nil || !ok {
		return errors.New("it has a dictionary of no column")
	}
	more := m.head.int(2, 1, 0) != 0
	before := r.store
	b, err := newBatch(inner, m.body, &r.by, &r.store)
	if err != nil {
		return err
	}
	values, err := b.column(d.values)
	if err != nil {
		return fmt.Errorf("a dictionary: %w", err)
	}
	taken := before - r.store
	if !more {
		r.store += d.taken
		d.taken = 0
	}
	d.taken += taken
	d.add(values, more)
	return nil
}

// guard turns a panic, by which a decompressor may answer damage, into an error.
func (r *Reader) guard(err *error) {
	if p := recover(); p != nil {
		*err = r.damage(fmt.Errorf("%v", p))
	}
}

// damage says what is wrong with a file that cannot be decoded.
func (r *Reader) damage(err error) error {
	var input *data.InputError
	var memory *run.MemoryError
	if errors.As(err, &input) || errors.As(err, &memory) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var other unread
	if errors.As(err, &other) {
		return &data.InputError{
			File: r.name, Problem: fmt.Sprintf("%s, which kerf does not read", string(other)),
			Advice: "write it anew by a newer version of Arrow, or as Parquet",
		}
	}
	return &data.InputError{
		File: r.name, Line: r.row, Problem: fmt.Sprintf("is no whole Arrow file: %.200v", err),
		Advice: "copy or download it again", Err: err,
	}
}
