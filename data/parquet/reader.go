// Package parquet reads flat tables in the Parquet format, and writes features
// and labels in it.
//
// A column holds numbers, truth values or texts, required or optional; null is a
// missing cell. Whole numbers and decimals become float64; dates and times are
// the whole number that the file holds. Lists, maps and groups are refused, and so
// are bytes that are no text. All encodings of such columns are read, packed by
// Snappy, Gzip, Brotli, Zstandard or LZ4, or not at all.
//
// Cells go to a table.Sink, so that tables of Parquet and of CSV are used alike.
//
// Nothing that a file says of itself is trusted: no room is made for more than a
// page, whose size is held to a bound, or for more rows than the file's size speaks for.
package parquet

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
	batchRows  = 1024    // decoded at a time
	batchCells = 1 << 22 // of all columns, where there are many
	maxColumns = 1 << 20 // of a table

	// Pages that are unpacked at the same time, one of each column, take at most
	// leastStore bytes, and storeRatio more for each byte of the file.
	leastStore = 1 << 28
	storeRatio = 64

	// Texts of longText bytes or more are at most leastTexts bytes together, and
	// textRatio more for each byte of the file: a page can repeat one without end.
	longText   = 256
	leastTexts = 1 << 30
	textRatio  = 1024
)

// Reader reads the rows of a file. It is not safe for concurrent use.
type Reader struct {
	// Run says how many columns are decoded at the same time, where the sink takes whole ones.
	Run run.Control

	name    string
	to      table.Sink
	file    io.ReaderAt
	size    int64
	end     int64 // where the footer begins
	columns []column
	groups  []group
	total   int

	by     unpacker
	store  store
	texts  int64    // bytes of long texts that are left
	chunks []*chunk // of the group being read, nil before the first and after the last
	left   int64    // rows of the group that were not decoded
	fresh  *group   // the group, as long as nothing of it was read
	batch  batch
	row    int // rows handed out so far
	rows   file.Batches
}

// batch holds rows that are decoded, column by column.
type batch struct {
	rows, used int
	columns    []cells
	cellwise   []int // columns that go to the sink cell by cell
}

// cells are those of a column in a batch: which are missing, and the others one
// after the other.
type cells struct {
	missing []bool
	numbers []float64
	texts   []string
	used    int
}

// NewReader reads the end of a file of size bytes, where its schema stands, and
// returns a reader of its rows that gives its cells to a sink. The name stands for
// the file in errors. What is wrong with the schema comes back as a
// *data.InputError.
func NewReader(r io.ReaderAt, size int64, name string, to table.Sink) (*Reader, error) {
	reader := &Reader{name: name, to: to, file: r, size: size}
	f, end, err := readFooter(r, size)
	if err != nil {
		return nil, reader.damage(err)
	}
	reader.end = end
	reader.store.size = leastStore + storeRatio*size
	reader.store.left.Store(reader.store.size)
	reader.texts = leastTexts + textRatio*size
	if err := reader.setColumns(f.schema); err != nil {
		return nil, err
	}
	if err := reader.setGroups(f); err != nil {
		return nil, reader.damage(err)
	}
	return reader, nil
}

// setColumns looks at the schema: a root, and its children, which must have none.
func (r *Reader) setColumns(schema []element) error {
	if len(schema) == 0 {
		return r.damage(errors.New("it has no schema"))
	}
	n := schema[0].children
	if n < 1 || n > maxColumns {
		return &data.InputError{
			File: r.name, Problem: fmt.Sprintf("the table has %d columns", n),
			Advice: "give a file with columns of numbers or texts",
		}
	}
	seen := map[string]bool{}
	for i := range schema[1:] {
		e := &schema[1+i]
		c, refused, err := newColumn(e)
		if err != nil {
			return r.damage(err)
		}
		if refused != "" {
			return r.refuse(e.name, refused)
		}
		if seen[c.name] {
			return &data.InputError{
				File: r.name, Problem: fmt.Sprintf("two columns are called %q", c.name),
				Advice: "give each column a name of its own",
			}
		}
		seen[c.name] = true
		r.columns = append(r.columns, c)
	}
	if int64(len(r.columns)) != n {
		return r.damage(fmt.Errorf("it has %d columns and says that there are %d", len(r.columns), n))
	}
	for i := range r.columns {
		r.columns[i].to = r.to.Column(r.columns[i].name)
	}
	return nil
}

// setGroups looks at where the columns stand.
func (r *Reader) setGroups(f *footer) error {
	rows := int64(0)
	for _, g := range f.groups {
		if g.rows < 0 || g.rows > 1<<40-rows {
			return fmt.Errorf("a part of it has %d rows", g.rows)
		}
		rows += g.rows
		if len(g.chunks) != len(r.columns) {
			return fmt.Errorf("a part of it has %d columns of %d", len(g.chunks), len(r.columns))
		}
		for i := range g.chunks {
			if err := r.checkPlace(&g.chunks[i], &r.columns[i], g.rows); err != nil {
				return fmt.Errorf("column %q: %w", r.columns[i].name, err)
			}
		}
	}
	if rows != f.rows {
		return fmt.Errorf("it has %d rows and says that there are %d", rows, f.rows)
	}
	r.groups, r.total = f.groups, int(rows)
	return nil
}

func (r *Reader) checkPlace(p *chunkPlace, c *column, rows int64) error {
	switch {
	case p.elsewhere:
		return unread("has columns that stand in another file")
	case p.encrypted:
		return unread("is encrypted")
	case p.kind != c.kind:
		return errors.New("its values are not of the kind that the schema says")
	case p.values != rows:
		return fmt.Errorf("it has %d values for %d rows", p.values, rows)
	case rows == 0:
		return nil
	case p.data < 4 || p.data > r.end || p.dict < 0 || p.dict > r.end:
		return fmt.Errorf("its values are said to begin at byte %d of %d", p.data, r.size)
	}
	return checkCodec(p.codec)
}

func (r *Reader) refuse(column, what string) error {
	return &data.InputError{
		File: r.name, Problem: fmt.Sprintf("column %q %s, which kerf does not read", column, what),
		Advice: "write it as numbers or texts, or leave it out",
	}
}

// Rows returns the number of rows that the file says it has.
func (r *Reader) Rows() int { return r.total }

// Columns returns the number of columns.
func (r *Reader) Columns() int { return len(r.columns) }

// Read gives the next rows to the sink, at most max of them, all that are left if
// max ≤ 0, and returns how many there were. It returns 0 and io.EOF when no row is
// left. After any other error the last row of the sink may lack cells.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (rows int, err error) {
	return r.rows.ReadSome(ctx, max, func(max int) (int, error) { return r.some(ctx, max) })
}

// some gives the next rows to the sink: a group as a whole where it can be, or else what
// is left of a batch; at most max, where that is not 0.
func (r *Reader) some(ctx context.Context, max int) (rows int, err error) {
	defer r.guard(&err)
	if r.batch.used == r.batch.rows {
		if err := r.advance(); err != nil {
			return 0, err
		}
		if err := r.wholeColumns(ctx, max); err != nil {
			return 0, err
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	rows = r.batch.rows - r.batch.used
	if max > 0 {
		rows = min(rows, max)
	}
	r.giveColumns(rows)
	for range rows {
		if err := r.giveRow(); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// giveRow gives the next row of the batch to the sink, but for the columns that it has.
func (r *Reader) giveRow() error {
	i := r.batch.used
	r.batch.used++
	r.row++
	r.to.Row(r.row)
	for _, j := range r.batch.cellwise {
		c, cell := &r.columns[j], &r.batch.columns[j]
		if cell.missing[i] {
			continue
		}
		k := cell.used
		cell.used++
		switch {
		case c.text():
			if err := r.text(c, cell.texts[k]); err != nil {
				return err
			}
		case c.kind == kindBool:
			r.to.Bool(c.to, cell.numbers[k] != 0)
		default:
			r.to.Number(c.to, cell.numbers[k])
		}
	}
	return nil
}

// text gives a text to the sink.
func (r *Reader) text(c *column, text string) error {
	if len(text) >= longText {
		if r.texts -= int64(len(text)); r.texts < 0 {
			return r.damage(errors.New("its texts are thousands of times as large as the file"))
		}
	}
	if !utf8.ValidString(text) {
		return &data.InputError{
			File: r.name, Line: r.row, Problem: fmt.Sprintf("column %q holds bytes that are no UTF-8 text", c.name),
			Advice: "write it as numbers or texts, or leave it out",
		}
	}
	r.to.Text(c.to, text)
	return nil
}

// advance begins the next group that has rows where all of one are decoded. It returns
// io.EOF after the last.
func (r *Reader) advance() error {
	for r.left == 0 {
		if len(r.groups) == 0 {
			return io.EOF
		}
		r.begin(&r.groups[0])
		r.groups = r.groups[1:]
	}
	return nil
}

// fill decodes some rows of the group, but for columns that the sink has.
func (r *Reader) fill() error {
	n := int(min(r.left, max(1, min(batchRows, batchCells/int64(len(r.columns))))))
	r.batch.rows, r.batch.used = 0, 0
	r.batch.columns = grow(r.batch.columns, len(r.columns))
	for j, c := range r.chunks {
		if c.given {
			continue
		}
		cell := &r.batch.columns[j]
		cell.used = 0
		cell.missing = grow(cell.missing, n)
		if c.column.text() {
			cell.texts = grow(cell.texts, n)
		} else {
			cell.numbers = grow(cell.numbers, n)
		}
		if _, err := c.read(cell.missing, cell.numbers, cell.texts); err != nil {
			return r.damage(fmt.Errorf("column %q: %w", c.column.name, err))
		}
	}
	r.left -= int64(n)
	r.batch.rows = n
	return nil
}

// begin starts to read a group.
func (r *Reader) begin(g *group) {
	for _, c := range r.chunks {
		c.release()
	}
	r.left, r.fresh = g.rows, g
	r.chunks = make([]*chunk, len(g.chunks))
	for j, p := range g.chunks {
		at := p.data
		if p.dict > 0 && p.dict < at {
			at = p.dict
		}
		r.chunks[j] = &chunk{
			column: &r.columns[j],
			pages:  pages{file: r.file, at: at, end: r.end, codec: p.codec, by: &r.by, store: &r.store},
		}
	}
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
	if errors.As(err, &input) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var other unread
	if errors.As(err, &other) {
		return &data.InputError{
			File: r.name, Problem: fmt.Sprintf("%s, which kerf does not read", string(other)),
			Advice: "write it anew as one file, packed by Snappy, Zstandard or not at all",
		}
	}
	return &data.InputError{
		File: r.name, Line: r.row, Problem: fmt.Sprintf("is no whole Parquet file: %.200v", err),
		Advice: "copy or download it again", Err: err,
	}
}
