package file

import (
	"bytes"
	"context"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// Replay reads a stream that can be read once, such as a pipe, and keeps its beginning, so
// that this can be read again. It is not safe for concurrent use, and of its readers only
// the one that was made last may be read.
type Replay struct {
	name   string
	from   io.Reader
	closer io.Closer // nil for standard input

	kept [][]byte // parts of the beginning, in order
	size int64    // of kept
	err  error    // that ended from; nil before its end
}

// keptPart is how many bytes a part has that is kept.
const keptPart = 1 << 18

// OpenReplay opens a file as Open does, "-" for stdin. Reads return the context's error
// once it is cancelled, even while they wait.
func OpenReplay(ctx context.Context, path string, stdin io.Reader) (*Replay, error) {
	if path == "-" {
		in, _ := standardInput(ctx, stdin)
		return &Replay{name: StandardInput, from: in}, nil
	}
	file, regular, err := openPath(ctx, path)
	if err != nil {
		return nil, OpenError(path, err)
	}
	return &Replay{name: path, from: source(ctx, file, regular), closer: file}, nil
}

// Name is the file as messages show it.
func (r *Replay) Name() string { return r.name }

// Close closes a file that was opened. It does not close standard input.
func (r *Replay) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Fill reads on until so many bytes are kept, and reports whether the stream ends before
// that.
func (r *Replay) Fill(most int64) (ended bool, err error) {
	for r.err == nil && r.size <= most {
		r.keep()
	}
	if r.err != nil && r.err != io.EOF {
		return false, data.ReadError(r.name, r.err)
	}
	return r.err == io.EOF, nil
}

// keep reads a part and keeps it.
func (r *Replay) keep() {
	last := len(r.kept) - 1
	if last < 0 || len(r.kept[last]) == cap(r.kept[last]) {
		r.kept, last = append(r.kept, make([]byte, 0, keptPart)), last+1
	}
	part := r.kept[last]
	n, err := r.from.Read(part[len(part):cap(part)])
	r.kept[last], r.size, r.err = part[:len(part)+n], r.size+int64(n), err
}

// Packed reports whether the stream begins as gzip, bzip2 or zstd data do.
func (r *Replay) Packed() bool {
	if len(r.kept) == 0 {
		return false
	}
	magic := r.kept[0]
	return bytes.HasPrefix(magic, gzipMagic) || bytes.HasPrefix(magic, zstdMagic) || isBzip2(magic[:min(10, len(magic))])
}

// Again returns a reader of the stream from its beginning. What it reads beyond the part
// that is kept is kept too.
func (r *Replay) Again() io.Reader { return &again{r: r} }

// again reads what is kept, and keeps more.
type again struct {
	r        *Replay
	part, at int
}

func (a *again) Read(p []byte) (int, error) {
	r := a.r
	for len(p) > 0 {
		if a.part < len(r.kept) && a.at < len(r.kept[a.part]) {
			n := copy(p, r.kept[a.part][a.at:])
			a.at += n
			return n, nil
		}
		switch {
		case a.part+1 < len(r.kept):
			a.part, a.at = a.part+1, 0
		case r.err != nil:
			return 0, r.err
		default:
			r.keep()
		}
	}
	return 0, nil
}

// Last returns a reader of the stream from its beginning for the last time: what it has
// read is forgotten.
func (r *Replay) Last() io.Reader { return &last{r: r} }

// last empties what is kept, and reads on.
type last struct {
	r  *Replay
	at int // of the first part
}

func (l *last) Read(p []byte) (int, error) {
	r := l.r
	for len(r.kept) > 0 {
		if l.at < len(r.kept[0]) {
			n := copy(p, r.kept[0][l.at:])
			l.at += n
			return n, nil
		}
		r.kept[0] = nil
		r.kept, l.at = r.kept[1:], 0
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	r.err = err
	return n, err
}
