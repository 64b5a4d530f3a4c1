package csvfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

const checkEvery = 1024 // rows between two looks at the context

// Reader reads a table row by row. It is not safe for concurrent use.
type Reader struct {
	options Options
	split   *splitter
	header  []string
	width   int
	first   int // line of the row that fixes the width
	is      roles
	pending bool  // whether split holds a row that was not handed out
	err     error // what ended the reading
}

// NewReader reads the beginning of r and returns a reader of its rows. It finds
// out what Options leave open:
//
//   - The separator is that of tab, semicolon, comma and bar by which the most
//     of the first rows have the same number of cells, more than one.
//   - The first row is a header if in some column it is text and all others are
//     numbers. Where all columns are text it is a header if its cells are
//     distinct and none comes again in its column, though some column of three
//     rows or more repeats itself.
//
// It returns a *data.InputError for a file without rows, a header that does not
// fit the rows, and a target or column to drop that is not there.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	if o.Comma != 0 && (o.Comma >= 0x80 || o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r') {
		return nil, &data.InputError{File: o.Name, Problem: fmt.Sprintf("%q cannot separate cells", o.Comma), Advice: "use a comma, tab, semicolon or bar"}
	}
	sample, whole, err := readSample(r)
	if err != nil {
		return nil, data.ReadError(o.Name, err)
	}
	sample = bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))
	if o.Comma == 0 {
		o.Comma = detectComma(sample, whole)
	}
	if o.Header == Auto {
		o.Header = detectHeader(sampleRecords(sample, whole, byte(o.Comma)), o.Names)
	}
	in := io.MultiReader(bytes.NewReader(sample), r)
	reader := &Reader{options: o, split: newSplitter(in, o.Name, byte(o.Comma))}
	if err := reader.start(); err != nil {
		return nil, err
	}
	return reader, nil
}

// start reads the header and the first row.
func (r *Reader) start() error {
	err := r.split.next()
	if err == io.EOF {
		return &data.InputError{File: r.options.Name, Problem: "is empty", Advice: "give a file with at least one row of data"}
	}
	if err != nil {
		return err
	}
	r.first, r.width = r.split.begin, len(r.split.cells)
	if r.options.Header == Present {
		r.header = r.names()
	}
	if r.options.Header == Present || r.options.Header == Skip {
		if err = r.split.next(); err == io.EOF {
			return &data.InputError{File: r.options.Name, Problem: "has a header and no rows", Advice: "give a file with at least one row of data"}
		} else if err != nil {
			return err
		}
	}
	n := len(r.split.cells)
	if r.header != nil && n != r.width {
		return &data.InputError{
			File: r.options.Name, Line: r.split.begin,
			Problem: fmt.Sprintf("the row has %s and the header in line %d names %d", cells(n), r.first, r.width),
			Advice:  "correct the header, or leave it aside with --header skip",
		}
	}
	r.first, r.width, r.pending = r.split.begin, n, true
	r.is, err = r.options.columns(r.header, r.width)
	return err
}

// names returns the cells of the header; a column without a name gets its number.
func (r *Reader) names() []string {
	names := make([]string, len(r.split.cells))
	for j := range names {
		names[j] = string(r.split.bytes(j))
		if names[j] == "" {
			names[j] = "column " + strconv.Itoa(j+1)
		}
	}
	return names
}

// Header returns the names of the columns, nil where the file has no header.
func (r *Reader) Header() []string { return r.header }

// Comma returns what separates the cells.
func (r *Reader) Comma() rune { return r.options.Comma }

// Read returns the next rows, at most max of them, all that are left if max ≤ 0.
// It returns io.EOF, and nothing else, when no row is left.
func (r *Reader) Read(ctx context.Context, max int) (*Table, error) {
	if r.err != nil {
		return nil, r.err
	}
	t := &Table{
		Name: r.options.Name, Header: r.header, Target: r.is.target, Weight: r.is.weight,
		column: make([]*column, r.width), drop: r.is.drop, comma: r.options.Comma,
	}
	for j := range t.column {
		t.column[j] = newColumn(r.options.Verbatim || j == r.is.target)
	}
	for max <= 0 || t.Len() < max {
		if t.Len()%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		err := r.addRow(t)
		if err == io.EOF && t.Len() > 0 {
			r.err = io.EOF
			break
		}
		if err != nil {
			r.err = err
			return nil, err
		}
	}
	return t, nil
}

func (r *Reader) addRow(t *Table) error {
	if !r.pending {
		if err := r.split.next(); err != nil {
			return err
		}
	}
	r.pending = false
	s := r.split
	if len(s.cells) != r.width {
		return s.fault(place{line: s.begin},
			fmt.Sprintf("the row has %s and line %d has %d", cells(len(s.cells)), r.first, r.width),
			"give all rows the same number of cells, empty ones where a value is missing")
	}
	for j := range s.cells {
		t.column[j].add(s.bytes(j), s.cells[j].quoted, s.cells[j].place)
	}
	t.Lines = append(t.Lines, s.begin)
	return nil
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}
