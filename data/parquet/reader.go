// Package parquet reads flat tables in the Parquet format, and writes features
// and labels in it. It stands between kerf and the module parquet-go, which no
// other package knows.
//
// A column holds numbers, truth values or texts, required or optional; null is a
// missing cell. Whole numbers and decimals become float64; dates and times are
// the whole number that the file holds. Lists, maps and groups are refused, and so
// are bytes that are no text.
//
// Cells go to a table.Sink, so that tables of Parquet and of CSV are used alike.
package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
)

const (
	bufferRows = 256     // rows read at a time
	maxColumns = 1 << 20 // of a table
)

// Reader reads the rows of a file. It is not safe for concurrent use.
type Reader struct {
	name    string
	to      table.Sink
	file    *io.SectionReader
	groups  []parquet.RowGroup
	layout  []format.RowGroup // where the groups stand in the file
	columns []column
	total   int
	rows    parquet.Rows  // of the group being read, nil before the first and after the last
	buffer  []parquet.Row // rows read, of which the first used were handed out
	used    int
	row     int // rows handed out so far
	batch   file.Batches
}

// column is a column of the file.
type column struct {
	name  string
	to    int // its place in the sink
	kind  parquet.Kind
	plain bool    // unsigned where the kind is a whole number
	scale float64 // by which a decimal is divided, 1 for all others
}

// NewReader reads the end of a file of size bytes, where its schema stands, and
// returns a reader of its rows that gives its cells to a sink. The name stands for
// the file in errors. What is wrong with the schema comes back as a
// *data.InputError.
func NewReader(r io.ReaderAt, size int64, name string, to table.Sink) (reader *Reader, err error) {
	reader = &Reader{name: name, to: to, file: io.NewSectionReader(r, 0, size)}
	defer reader.guard(&err)
	if err := reader.checkEnd(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, reader.damage(err)
	}
	fields := f.Schema().Fields()
	if len(fields) == 0 || len(fields) > maxColumns {
		return nil, &data.InputError{
			File: name, Problem: fmt.Sprintf("the table has %d columns", len(fields)),
			Advice: "give a file with columns of numbers or texts",
		}
	}
	for _, field := range fields {
		c, err := reader.column(field)
		if err != nil {
			return nil, err
		}
		reader.columns = append(reader.columns, c)
	}
	reader.groups, reader.layout = f.RowGroups(), f.Metadata().RowGroups
	if len(reader.groups) != len(reader.layout) {
		return nil, reader.damage(fmt.Errorf("it has %d groups of rows of %d", len(reader.groups), len(reader.layout)))
	}
	reader.total = int(f.NumRows())
	return reader, nil
}

// checkEnd looks at the end of a file, where the length of the schema stands,
// because parquet-go makes room for whatever that says.
func (r *Reader) checkEnd(file io.ReaderAt, size int64) error {
	const frame = 12 // PAR1 at both ends, and the length
	var end [8]byte
	if size < frame {
		return r.damage(errors.New("it is too short"))
	}
	if _, err := file.ReadAt(end[:], size-8); err != nil && err != io.EOF {
		return r.damage(err)
	}
	if string(end[4:]) != "PAR1" {
		return r.damage(errors.New("it does not end in PAR1"))
	}
	if n := binary.LittleEndian.Uint32(end[:]); int64(n) > size-frame {
		return r.damage(fmt.Errorf("it is said to have a schema of %d bytes", n))
	}
	return nil
}

// column says how to read a column.
func (r *Reader) column(field parquet.Field) (column, error) {
	c := column{name: field.Name(), scale: 1}
	if !field.Leaf() || field.Repeated() {
		return c, r.refuse(c.name, "holds lists, maps or groups")
	}
	c.to = r.to.Column(c.name)
	c.kind = field.Type().Kind()
	var logical format.LogicalTypeValue
	if l := field.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	isBytes := c.kind == parquet.ByteArray || c.kind == parquet.FixedLenByteArray
	switch l := logical.(type) {
	case *format.DecimalType:
		if isBytes {
			return c, r.refuse(c.name, "holds decimals as bytes")
		}
		c.scale = math.Pow10(int(l.Scale))
	case *format.IntType:
		c.plain = !l.IsSigned
	case *format.UUIDType, *format.Float16Type, *format.BsonType:
		return c, r.refuse(c.name, "holds "+l.String())
	}
	if c.kind == parquet.Int96 {
		return c, r.refuse(c.name, "holds times in an old format of 12 bytes")
	}
	return c, nil
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
	return r.batch.Read(ctx, max, r.next)
}

// next gives one row to the sink.
func (r *Reader) next() (err error) {
	defer r.guard(&err)
	for r.used == len(r.buffer) {
		if err := r.fill(); err != nil {
			return err
		}
	}
	row := r.buffer[r.used]
	r.used++
	r.row++
	r.to.Row(r.row)
	last := -1
	for _, v := range row {
		j := v.Column()
		if j <= last || j >= len(r.columns) {
			return r.damage(fmt.Errorf("row %d has values of columns that do not follow each other", r.row))
		}
		last = j
		if err := r.cell(&r.columns[j], v); err != nil {
			return err
		}
	}
	return nil
}

// fill reads some rows. It returns io.EOF after the last group.
func (r *Reader) fill() error {
	if r.rows == nil {
		if len(r.groups) == 0 {
			if r.row != r.total {
				return r.damage(fmt.Errorf("it has %d rows and says that there are %d", r.row, r.total))
			}
			return io.EOF
		}
		if err := checkLZ4(r.file, &r.layout[0]); err != nil {
			return r.damage(err)
		}
		r.rows, r.groups, r.layout = r.groups[0].Rows(), r.groups[1:], r.layout[1:]
	}
	if cap(r.buffer) == 0 {
		r.buffer = make([]parquet.Row, bufferRows)
	}
	r.buffer = r.buffer[:cap(r.buffer)]
	n, err := r.rows.ReadRows(r.buffer)
	r.buffer, r.used = r.buffer[:n], 0
	switch {
	case n > 0:
		return nil // an error comes again
	case err == io.EOF:
		err = r.rows.Close()
		r.rows = nil
		if err != nil {
			return r.damage(err)
		}
		return nil
	case err == nil:
		return r.damage(io.ErrNoProgress)
	}
	return r.damage(err)
}

// cell gives a value to the sink.
func (r *Reader) cell(c *column, v parquet.Value) error {
	if v.IsNull() {
		return nil
	}
	switch c.kind {
	case parquet.Boolean:
		r.to.Bool(c.to, v.Boolean())
	case parquet.Int32:
		if c.plain {
			r.to.Number(c.to, float64(v.Uint32()))
		} else {
			r.to.Number(c.to, float64(v.Int32())/c.scale)
		}
	case parquet.Int64:
		if c.plain {
			r.to.Number(c.to, float64(v.Uint64()))
		} else {
			r.to.Number(c.to, float64(v.Int64())/c.scale)
		}
	case parquet.Float:
		r.to.Number(c.to, float64(v.Float()))
	case parquet.Double:
		r.to.Number(c.to, v.Double())
	default:
		text := v.ByteArray()
		if !utf8.Valid(text) {
			return &data.InputError{
				File: r.name, Line: r.row, Problem: fmt.Sprintf("column %q holds bytes that are no UTF-8 text", c.name),
				Advice: "write it as numbers or texts, or leave it out",
			}
		}
		r.to.Text(c.to, string(text))
	}
	return nil
}

// guard turns a panic, by which parquet-go answers some kinds of damage, into an
// error.
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
	return &data.InputError{
		File: r.name, Line: r.row, Problem: fmt.Sprintf("is no whole Parquet file: %.200v", err),
		Advice: "copy or download it again", Err: err,
	}
}
