// Package csv reads and writes tables in text files, with a comma, tab, semicolon,
// bar or blanks between the cells.
//
// A cell is what stands between two separators, without the blanks around it; a
// cell in double quotes is taken as it is, with "" for a quote. In tab-separated
// files, where quotes are often just text, a cell counts as quoted only if its
// quote closes at the end of the cell in the same line. What a cell reads as is
// said in package table.
//
// Whatever is wrong with a file comes back as a *data.InputError.
package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
)

// Reader reads a table row by row. It is not safe for concurrent use.
type Reader struct {
	options table.Options
	from    io.Reader
	split   *splitter
	build   *table.Builder
	rows    file.Batches
	header  []string
	width   int
	first   int  // line of the row that fixes the width
	pending bool // whether split holds a row that was not handed out
	odd     int  // names of a header that was left aside because it does not fit; 0 for none

	plain *plain      // reads many rows at a time; nil where rows are read one by one
	texts []bool      // columns that held texts so far, for plain
	room  [][]float64 // of the columns of numbers, for the lines that plain takes apart
	ended error       // what ended reading many at a time, given again by every later Read
}

// NewReader reads the beginning of r and returns a reader of its rows. It finds
// out what the options leave open: the separator, which is that of tab, semicolon,
// comma and bar by which the most of the first rows have the same number of cells,
// more than one, else blanks; and whether the first row is a header, by table.HasHeader.
//
// Lines before the first row that begin with # are left out, unless the last of them
// has as many cells as that, and then it may be the header. A header that does not fit
// the rows, all of which have the same number of cells, is left aside: see OddHeader.
//
// It returns a *data.InputError for a file without rows, a header that does not
// fit the rows, and a target or column to drop that is not there.
func NewReader(r io.Reader, o table.Options) (*Reader, error) {
	if o.Comma != 0 && (o.Comma >= 0x80 || o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r') {
		return nil, &data.InputError{
			File: o.Name, Problem: fmt.Sprintf("%q cannot separate cells", o.Comma),
			Advice: "use a comma, tab, semicolon or bar",
		}
	}
	sample, whole, err := readSample(r)
	if err != nil {
		return nil, data.ReadError(o.Name, err)
	}
	b := begin(sample, whole, o)
	sample = bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))[len(b.skipped):]
	in := io.MultiReader(bytes.NewReader(sample), r)
	reader := &Reader{options: b.options, from: r, odd: b.odd, split: newSplitter(in, o.Name, byte(b.options.Comma))}
	reader.split.line = bytes.Count(b.skipped, []byte{'\n'})
	if err := reader.start(); err != nil {
		return nil, err
	}
	return reader, nil
}

// start reads the header and the first row.
func (r *Reader) start() error {
	err := r.split.next()
	if err == io.EOF {
		return r.empty("is empty")
	}
	if err != nil {
		return err
	}
	r.first, r.width = r.split.begin, len(r.split.cells)
	if r.options.Header == table.Present {
		r.header = r.names()
	}
	if r.options.Header == table.Present || r.options.Header == table.Skip {
		if err = r.split.next(); err == io.EOF {
			return r.empty("has a header and no rows")
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
	if r.options.Comma != ' ' {
		r.plain = newPlain(r.split.r, r.options.Run)
	}
	r.build, err = table.Settled(r.options, r.header, r.width)
	return err
}

func (r *Reader) empty(problem string) error {
	return &data.InputError{
		File: r.options.Name, Problem: problem, Advice: "give a file with at least one row of data",
	}
}

// names returns the cells of the header; a column without a name gets its number.
func (r *Reader) names() []string {
	names := make([]string, len(r.split.cells))
	for j := range names {
		names[j] = string(r.split.bytes(j))
		if j == 0 && !r.split.cells[0].quoted && strings.HasPrefix(names[0], "#") {
			names[j] = strings.TrimSpace(strings.TrimLeft(names[j], "#"))
		}
		if names[j] == "" {
			names[j] = "column " + strconv.Itoa(j+1)
		}
	}
	return names
}

// Header returns the names of the columns, nil where the file has no header.
func (r *Reader) Header() []string { return r.header }

// OddHeader returns how many names a header has that was left aside because it does not
// fit the rows; 0 where there is none.
func (r *Reader) OddHeader() int { return r.odd }

// Comma returns what separates the cells.
func (r *Reader) Comma() rune { return r.options.Comma }

// Read returns the next rows, at most max of them, all that are left if max ≤ 0.
// It returns io.EOF, and nothing else, when no row is left.
func (r *Reader) Read(ctx context.Context, max int) (*table.Table, error) {
	read := func() (int, error) { return r.rows.Read(ctx, max, r.addRow) }
	if r.plain != nil {
		read = func() (int, error) { return r.readPlain(ctx, max) }
	}
	if _, err := read(); err != nil {
		return nil, err
	}
	return r.build.Table()
}

func (r *Reader) addRow() error {
	if !r.pending {
		if err := r.split.next(); err != nil {
			return err
		}
	}
	r.pending = false
	s := r.split
	if len(s.cells) != r.width {
		return s.fault(table.Place{Line: s.begin},
			fmt.Sprintf("the row has %s and line %d has %d", cells(len(s.cells)), r.first, r.width),
			"give all rows the same number of cells, empty ones where a value is missing")
	}
	r.build.Row(s.begin)
	for j := range s.cells {
		r.build.Cell(j, s.bytes(j), s.cells[j].quoted, s.cells[j].place)
	}
	return nil
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}
