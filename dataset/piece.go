package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Piece is some consecutive rows of a file, which Divide found. Whatever the beginning of
// the file decides, its format, separator and header, is as for the whole file: the
// beginning is read before the piece, and its rows are left out.
type Piece struct {
	From, To int64 // bytes of the file that hold the rows; To is 0 for its end
	Head     int64 // bytes at the beginning of the file, whole lines, that are read before
	Skip     int   // rows among these
	Lines    int   // lines of the file between the head and the piece
	Rows     int   // how many there are
	InFile   int   // rows of the file before the first
	Row      int   // rows of the data set before the first
}

// before returns how many rows of the data set come before the piece.
func (p *Piece) before() int {
	if p == nil {
		return 0
	}
	return p.Row
}

// next leaves out the rows of the head, moves the lines of the others, and reports a file
// that has not the rows that were counted.
func (p *Piece) next(name string, rest next) next {
	if p == nil {
		return rest
	}
	left, rows := p.Skip, 0
	return func(max int) (*Rows, error) {
		for left > 0 {
			r, err := rest(min(left, PartRows))
			if err != nil {
				return nil, err
			}
			left -= r.Len()
		}
		r, err := rest(max)
		if err == nil {
			if rows += r.Len(); r.table != nil && p.Lines != 0 {
				r.table.Shift(p.Lines)
			}
		}
		if errors.Is(err, io.EOF) && p.Rows > 0 && rows != p.Rows {
			return nil, &data.InputError{File: name, Problem: fmt.Sprintf(
				"the file has changed: %d rows where %d were counted", rows, p.Rows), Advice: "leave it as it is while it is read"}
		}
		return r, p.shifted(err)
	}
}

// shifted moves the line of an error of a reader to where it stands in the whole file.
func (p *Piece) shifted(err error) error {
	var fault *data.InputError
	if !errors.As(err, &fault) || fault.Line == 0 {
		return err
	}
	one := *fault
	one.Line += p.Lines
	return &one
}

// openContent opens a file, or a piece of it.
func openContent(ctx context.Context, path string, o *Options) (*file.File, error) {
	if o.Piped != nil {
		if name, content := o.Piped(path); content != nil {
			return file.From(ctx, name, io.NopCloser(content), 0, isBinary)
		}
	}
	if o.Open == nil && o.Piece == nil {
		return file.Open(ctx, path, o.Stdin, isBinary)
	}
	content, err := openRaw(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if o.Piece == nil || o.Piece.From == 0 && o.Piece.To == 0 {
		return file.From(ctx, path, content, 0, isBinary)
	}
	cut, err := o.Piece.cut(content)
	if err != nil {
		content.Close()
		return nil, data.ReadError(path, err)
	}
	return file.From(ctx, path, struct {
		io.Reader
		io.Closer
	}{cut, content}, 0, isBinary)
}

// openRaw opens the bytes of a file as they lie there.
func openRaw(ctx context.Context, path string, o *Options) (io.ReadCloser, error) {
	open := o.Open
	if open == nil {
		open = func(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) }
	}
	content, err := open(ctx, path)
	if err != nil {
		return nil, file.OpenError(path, err)
	}
	return content, nil
}

// cut returns the bytes of the piece, after those of the head.
func (p *Piece) cut(content io.Reader) (io.Reader, error) {
	head := make([]byte, p.Head)
	if _, err := io.ReadFull(content, head); err != nil {
		return nil, err
	}
	var whole io.Reader = io.MultiReader(bytes.NewReader(head), content)
	if seek, ok := content.(io.Seeker); ok {
		if _, err := seek.Seek(p.From, io.SeekStart); err != nil {
			return nil, err
		}
		whole = content
	} else if _, err := io.CopyN(io.Discard, whole, p.From); err != nil {
		return nil, err
	}
	if p.To > 0 {
		whole = io.LimitReader(whole, p.To-p.From)
	}
	if p.Head > 0 && head[p.Head-1] != '\n' { // the head is the whole file, whose last line has no end
		head = append(head, '\n')
	}
	return io.MultiReader(bytes.NewReader(head), whole), nil
}

const (
	// headBytes is how much of the beginning of a file readers may look at before they
	// know what it is.
	headBytes = 128 << 10

	// fewestHead is how many lines that must be at least.
	fewestHead = 16
)

// Divide finds pieces of at most so many rows that a file can be read in, one after the
// other, and counts their rows. Tables in text and LIBSVM data are divided where they are
// plain: not compressed, without quotes and remarks; any other file is one piece. The
// file is read as Survey does, or, for an encoding that is not nil, as its Stream does.
func Divide(ctx context.Context, path string, o Options, as *Encoding, most int) ([]Piece, error) {
	if err := o.settleTarget(); err != nil {
		return nil, err
	}
	o.Piece = nil
	d := divider{o, as}
	plain, err := d.plainLines(ctx, path)
	if err != nil {
		return nil, err
	}
	if plain {
		pieces, err := d.divideLines(ctx, path, max(most, 1))
		if err != nil || pieces != nil {
			return pieces, err
		}
	}
	rows, err := d.count(ctx, path)
	return []Piece{{Rows: rows}}, err
}

// divider is how a file that is divided is read.
type divider struct {
	Options
	as *Encoding
}

// begin opens the rows of a file.
func (d divider) begin(ctx context.Context, f *file.File, path string) (*format, next, error) {
	if d.as != nil {
		return d.as.open(ctx, f, &d.Options)
	}
	return (&recogniser{Options: d.Options, on: true, asked: d.Kind}).begin(ctx, f, path)
}

// plainLines reports whether a file may be one with a row a line.
func (d divider) plainLines(ctx context.Context, path string) (bool, error) {
	f, err := openFile(ctx, path, &d.Options)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if f.Packed() {
		return false, nil
	}
	found, _, err := d.begin(ctx, f, path)
	return err == nil && (found.name == formatCSV || found.name == formatLIBSVM), err
}

// count reads a file, or a piece, and returns how many rows there are.
func (d divider) count(ctx context.Context, path string) (int, error) {
	rows := 0
	err := eachFile(ctx, path, &d.Options, func(f *file.File) error {
		_, rest, err := d.begin(ctx, f, path)
		for err == nil {
			var part *Rows
			if part, err = rest(PartRows); err == nil {
				rows += part.Len()
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err == nil && rows == 0 {
			return noRows(f.Name)
		}
		return err
	})
	return rows, err
}

// beginning is what of a file is read before each of its pieces.
type beginning struct {
	bytes  int64
	lines  int // with blank ones
	rows   int
	header int // lines that are neither blank nor rows
}

// lookAhead reads the beginning of a file. It reports false where that does not show what
// lines are.
func (d divider) lookAhead(ctx context.Context, path string) (b beginning, plain bool, err error) {
	filled := 0
	plain, err = d.eachLine(ctx, path, func(line []byte, blank bool) bool {
		if b.bytes >= headBytes {
			return false
		}
		b.bytes += int64(len(line))
		if b.lines++; !blank {
			filled++
		}
		return true
	})
	if err != nil || !plain || filled < fewestHead {
		return b, false, err
	}
	d.Piece = &Piece{To: b.bytes}
	b.rows, err = d.count(ctx, path)
	b.header = filled - b.rows
	return b, b.header == 0 || b.header == 1, err
}

// eachLine hands over the lines of a file until use reports false. It reports false where
// one may be no row, or a part of one.
func (d divider) eachLine(ctx context.Context, path string, use func(line []byte, blank bool) bool) (bool, error) {
	content, err := openRaw(ctx, path, &d.Options)
	if err != nil {
		return false, err
	}
	defer content.Close()
	in := bufio.NewReaderSize(content, 1<<20)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return false, nil // such a line is for the reader to judge
		case err != nil && err != io.EOF:
			return false, data.ReadError(path, err)
		}
		if len(line) > 0 {
			plain, blank := lineKind(line)
			if !plain {
				return false, nil
			}
			if !use(line, blank) {
				return true, nil
			}
		}
		if err == io.EOF {
			return true, nil
		}
	}
}

// lineKind reports whether a line is certain to be a row, or nothing where it is blank.
func lineKind(line []byte) (plain, blank bool) {
	text := bytes.TrimRight(line, "\r\n")
	if len(text) == 0 {
		return true, true
	}
	first := bytes.TrimLeft(text, " \t")
	return len(first) > 0 && first[0] != '#' && bytes.IndexByte(text, '"') < 0, false
}

// divideLines divides a file by its lines, each of which is a row but for a header and blank
// ones. It returns nil where a line may be something else.
func (d divider) divideLines(ctx context.Context, path string, most int) ([]Piece, error) {
	b, plain, err := d.lookAhead(ctx, path)
	if err != nil || !plain {
		return nil, err
	}
	var (
		pieces []Piece
		at     int64
		lines  int
		piece  = Piece{Rows: -b.header}
	)
	end := func() {
		piece.To = at
		pieces = append(pieces, piece)
		piece = Piece{From: at, Head: b.bytes, Skip: b.rows, Lines: lines - b.lines,
			InFile: piece.InFile + piece.Rows}
	}
	plain, err = d.eachLine(ctx, path, func(line []byte, blank bool) bool {
		at, lines = at+int64(len(line)), lines+1
		if !blank {
			piece.Rows++
		}
		if piece.Rows == most {
			end()
		}
		return true
	})
	if err != nil || !plain {
		return nil, err
	}
	if piece.Rows > 0 {
		end()
	}
	return pieces, nil
}
