package csv

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

const (
	regionSize = 2 << 20   // bytes that are taken apart together, at most
	pieceSize  = 128 << 10 // and by a worker at a time
	countBytes = 16 << 10  // whose lines are counted together

	// columnsAtOnce is how many columns of all pieces a worker adds to the table at a time.
	columnsAtOnce = 8

	// manyTimes is how many times as many rows as are known there is room for, at most.
	manyTimes = 8

	// foreseenShare is the part of the budget that numbers may take which are not yet read.
	foreseenShare = 1.0 / 8

	// regionShare is the part of the budget that a region may be: a byte becomes a dozen, and
	// what is left is measured between regions.
	regionShare = 1.0 / 256
)

var newline = []byte{'\n'}

// newPlain returns the reader of plain cells of r.
func newPlain(in io.Reader, ctl run.Control) *plain {
	ctl.Process = false
	budget := float64(ctl.Budget())
	size := min(max(bufferSize, int(regionShare*budget)), regionSize)
	return &plain{in: in, regionSize: size, pieceSize: min(pieceSize, size/4), foreseen: foreseenShare * budget}
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
	foreseen              float64 // bytes that numbers may have room for before they are read
	bytes, lines          float64 // of all regions so far
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
	at, seen, lines := 0, 0, 0
	for {
		for seen < len(p.buf) && (most <= 0 || lines < most) {
			next := p.buf[seen:min(seen+countBytes, len(p.buf))]
			n := bytes.Count(next, newline)
			if most > 0 && n > most-lines {
				for ; lines < most; lines++ {
					seen += bytes.IndexByte(p.buf[seen:], '\n') + 1
				}
				at = seen
				break
			}
			if n > 0 {
				at = seen + bytes.LastIndexByte(next, '\n') + 1
			}
			lines, seen = lines+n, seen+len(next)
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
		n, err := r.addPlain(ctx, region, rows, max)
		if err != nil {
			return fail(err)
		}
		rows += n
		r.plain.used(len(region))
	}
	return rows, nil
}

// prepare makes room in a table that has so many rows for those of a region and for all that may
// follow, if lines stay as long as they were so far: it returns how many these are in all, 0 if they are
// not known or too many.
func (r *Reader) prepare(region []piece, rows, max int) int {
	p, lines := r.plain, 0
	for k := range region {
		lines += region[k].lines
		p.bytes += float64(len(region[k].text))
	}
	p.lines += float64(lines)
	about := float64(max)
	if from, ok := r.from.(interface{ Left() (int64, bool) }); ok {
		if left, known := from.Left(); known {
			all := float64(rows) + (float64(left)+float64(len(p.buf)))*p.lines/p.bytes
			if all *= 1 + 1.0/64; max <= 0 || all < about { // lines are not all as long
				about = math.Ceil(all)
			}
		}
	}
	about = min(about, float64(manyTimes*(rows+lines)))
	if !(about > 0 && 8*about*float64(r.width) <= p.foreseen) {
		return 0
	}
	r.build.Prepare(nil, lines, int(about))
	return int(about)
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

// addPlain adds the rows of a region without quotes to a table that has some, and returns how many
// there are.
func (r *Reader) addPlain(ctx context.Context, region []byte, some, max int) (int, error) {
	pieces, rows := r.plain.cut(region, r.split.line), 0
	all := r.prepare(pieces, some, max)
	for len(pieces) > 0 {
		r.noteTexts()
		r.makeRoom(pieces, some+rows, all)
		err := par.For(ctx, r.options.Run.Quiet(), "", len(pieces), func(k int) error {
			pieces[k].parse(byte(r.options.Comma), r.width, r.texts, r.room)
			return nil
		})
		if err != nil {
			return 0, err
		}
		n, rest, err := r.addPieces(ctx, pieces)
		if err != nil {
			return 0, err
		}
		rows, pieces = rows+n, rest
	}
	clear(r.room)
	return rows, nil
}

// makeRoom makes room for the lines of pieces behind so many rows in the columns of numbers, of a table
// that will have so many rows in all, or more.
func (r *Reader) makeRoom(pieces []piece, rows, all int) {
	lines := 0
	for k := range pieces {
		pieces[k].place = lines
		lines += pieces[k].lines
	}
	if rows += lines; rows > all {
		all = rows + rows/4
	}
	if r.room == nil {
		r.room = make([][]float64, r.width)
	}
	for j, text := range r.texts {
		if r.room[j] = nil; !text {
			r.room[j] = r.build.Room(j, lines, all, false)
		}
	}
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
func (r *Reader) addPieces(ctx context.Context, pieces []piece) (rows int, rest []piece, err error) {
	for len(pieces) > 0 {
		good := slices.IndexFunc(pieces, func(p piece) bool { return p.failed })
		if good < 0 {
			good = len(pieces)
		}
		n, err := r.addGood(ctx, pieces[:good])
		if rows += n; err != nil || good == len(pieces) {
			return rows, nil, err
		}
		if n, err = r.addSlowly(&pieces[good]); err != nil {
			return 0, nil, err
		}
		rows, pieces = rows+n, pieces[good+1:]
		if r.noteTexts() {
			return rows, pieces, nil
		}
	}
	return rows, nil, nil
}

// addGood adds pieces that are taken apart, and returns how many rows these are.
func (r *Reader) addGood(ctx context.Context, pieces []piece) (rows int, err error) {
	before := make([]int, r.width) // columns of texts before each
	for j := 1; j < r.width; j++ {
		if before[j] = before[j-1]; r.texts[j-1] {
			before[j]++
		}
	}
	for k := range pieces {
		p := &pieces[k]
		r.build.Rows(p.line)
		rows += p.rows
		r.split.line = p.first + p.lines
	}
	return rows, par.For(ctx, r.options.Run.Quiet(), "", par.Blocks(r.width, columnsAtOnce), func(block int) error {
		lo, hi := par.Range(block, r.width, columnsAtOnce)
		for j := lo; j < hi; j++ {
			for k := range pieces {
				if r.texts[j] {
					pieces[k].addTexts(r.build, j, before[j])
				} else {
					pieces[k].addNumbers(r.build, j, r.room[j])
				}
			}
		}
		return nil
	})
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
		one.lines = bytes.Count(one.text, newline)
		if one.text[end-1] != '\n' {
			one.lines++
		}
		line += one.lines
		region = region[end:]
		n++
	}
	return p.pieces[:n]
}
