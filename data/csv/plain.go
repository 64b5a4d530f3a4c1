package csv

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

const (
	regionSize = 2 << 20   // bytes that are taken apart together, at most
	pieceSize  = 128 << 10 // and by a worker at a time

	// regionShare is the part of the budget that a region may be: a byte becomes a dozen, and
	// what is left is measured between regions.
	regionShare = 1.0 / 256
)

// newPlain returns the reader of plain cells of r.
func newPlain(in io.Reader, ctl run.Control) *plain {
	ctl.Process = false
	size := min(max(bufferSize, int(regionShare*float64(ctl.Budget()))), regionSize)
	return &plain{in: in, regionSize: size, pieceSize: min(pieceSize, size/4)}
}

// plain reads rows of plain cells, without quotes, many lines at a time on all cores. It
// gives the same tables and errors as reading them row by row, which it leaves lines to
// that are not plain: where a quote has come, all that follow.
type plain struct {
	in     io.Reader
	buf    []byte // what was read and not yet handed out
	err    error  // that ended the reading, io.EOF at the end
	pieces []piece

	regionSize, pieceSize int
}

// more reads some more bytes, if there are any.
func (p *plain) more() {
	if cap(p.buf)-len(p.buf) < bufferSize {
		grown := make([]byte, len(p.buf), 2*len(p.buf)+2*bufferSize)
		copy(grown, p.buf)
		p.buf = grown
	}
	n, err := p.in.Read(p.buf[len(p.buf) : len(p.buf)+bufferSize])
	p.buf, p.err = p.buf[:len(p.buf)+n], err
}

// region returns the bytes of the next lines, at most so many, as many as there is room for
// where most is 0. It is empty where no whole line is left. It reads no further than it
// must: how much was read tells others how long rows are.
func (p *plain) region(most int) []byte {
	at, lines := 0, 0
	for {
		for most <= 0 || lines < most {
			n := bytes.IndexByte(p.buf[at:], '\n')
			if n < 0 {
				break
			}
			at += n + 1
			lines++
		}
		switch {
		case most > 0 && lines == most || at >= p.regionSize:
			return p.buf[:at]
		case p.err == io.EOF:
			return p.buf // the last line may lack its end
		case p.err != nil:
			return p.buf[:at]
		}
		p.more()
	}
}

// used removes the first bytes.
func (p *plain) used(n int) { p.buf = p.buf[:copy(p.buf, p.buf[n:])] }

// readPlain is Read for plain cells: it adds rows, at most max of them, all that are left
// if max ≤ 0, and returns how many there were, 0 and io.EOF where no row is left.
func (r *Reader) readPlain(ctx context.Context, max int) (rows int, err error) {
	if r.ended != nil {
		return 0, r.ended
	}
	fail := func(err error) (int, error) {
		r.ended = err
		return 0, err
	}
	if r.pending {
		if err := r.addRow(); err != nil {
			return fail(err)
		}
		rows = 1
	}
	for max <= 0 || rows < max {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		most := 0
		if max > 0 {
			most = max - rows
		}
		region := r.plain.region(most)
		if len(region) == 0 {
			err := r.plain.err
			if err == io.EOF && rows > 0 {
				r.ended = io.EOF
				return rows, nil
			}
			return fail(data.ReadError(r.options.Name, err))
		}
		if bytes.IndexByte(region, '"') >= 0 {
			return r.leavePlain(ctx, max, rows)
		}
		n, err := r.addPlain(ctx, region)
		if err != nil {
			return fail(err)
		}
		rows += n
		r.plain.used(len(region))
	}
	return rows, nil
}

// leavePlain reads on row by row, after so many rows.
func (r *Reader) leavePlain(ctx context.Context, max, rows int) (int, error) {
	p := r.plain
	r.plain = nil
	tail := io.Reader(&ending{p.err})
	if p.err == nil {
		tail = p.in
	}
	r.split.r = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(p.buf), tail), bufferSize)
	if max > 0 {
		max -= rows
	}
	n, err := r.rows.Read(ctx, max, r.addRow)
	if err == io.EOF && rows > 0 {
		return rows, nil
	}
	if err != nil {
		return 0, err
	}
	return rows + n, nil
}

// ending is a reader that has nothing but its error.
type ending struct{ err error }

func (e *ending) Read([]byte) (int, error) { return 0, e.err }

// addPlain adds the rows of a region without quotes, and returns how many there are.
func (r *Reader) addPlain(ctx context.Context, region []byte) (int, error) {
	pieces, rows := r.plain.cut(region, r.split.line), 0
	for len(pieces) > 0 {
		r.noteTexts()
		err := par.For(ctx, r.options.Run.Quiet(), "", len(pieces), func(k int) error {
			pieces[k].parse(byte(r.options.Comma), r.width, r.texts)
			return nil
		})
		if err != nil {
			return 0, err
		}
		n, rest, err := r.addPieces(pieces)
		if err != nil {
			return 0, err
		}
		rows, pieces = rows+n, rest
	}
	return rows, nil
}

// noteTexts notes the columns that hold texts, and reports whether there are new ones. What
// held texts once is taken for texts in all that follows, of later tables as well: a cell
// of them that is a number is told from a text when it is added.
func (r *Reader) noteTexts() (more bool) {
	if r.texts == nil {
		r.texts = make([]bool, r.width)
	}
	for j, known := range r.texts {
		if !known && r.build.IsText(j) {
			r.texts[j], more = true, true
		}
	}
	return more
}

// addPieces adds pieces that are taken apart, up to one with the first text of a column,
// and returns how many rows these are and the pieces behind it, whose texts were taken for
// numbers.
func (r *Reader) addPieces(pieces []piece) (rows int, rest []piece, err error) {
	for k := range pieces {
		p := &pieces[k]
		if !p.failed {
			p.addTo(r.build, r.width, r.texts)
			rows += p.rows
			r.split.line = p.first + p.lines
			continue
		}
		n, err := r.addSlowly(p)
		if err != nil {
			return 0, nil, err
		}
		rows += n
		if r.noteTexts() {
			return rows, pieces[k+1:], nil
		}
	}
	return rows, nil, nil
}

// addSlowly adds a piece row by row.
func (r *Reader) addSlowly(p *piece) (rows int, err error) {
	own := r.split
	defer func() { r.split = own }()
	r.split = newSplitter(bytes.NewReader(p.text), own.name, own.comma)
	r.split.line = p.first
	for {
		err := r.addRow()
		if err == io.EOF {
			own.line = r.split.line
			return rows, nil
		}
		if err != nil {
			return 0, err
		}
		rows++
	}
}

// cut divides a region into pieces of whole lines, of which the first comes after the
// line of the given number.
func (p *plain) cut(region []byte, line int) []piece {
	n := 0
	for len(region) > 0 {
		end := len(region)
		if end > p.pieceSize {
			if next := bytes.IndexByte(region[p.pieceSize:], '\n'); next >= 0 {
				end = p.pieceSize + next + 1
			}
		}
		if n == len(p.pieces) {
			p.pieces = append(p.pieces, piece{})
		}
		one := &p.pieces[n]
		one.text, one.first = region[:end], line
		one.lines = bytes.Count(one.text, []byte{'\n'})
		if one.text[end-1] != '\n' {
			one.lines++
		}
		line += one.lines
		region = region[end:]
		n++
	}
	return p.pieces[:n]
}
