// Package file opens the data files that users name: it takes "-" for standard
// input, decompresses what is compressed, and refuses what is neither text nor of
// a binary format that its caller reads. It has what readers of lines share: a
// Scanner, Batches of rows, one copy of Words.
//
// Whatever is wrong with a file comes back as a *data.InputError that says what
// to do about it.
package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/kerf-ml/kerf/data"
)

const (
	// MaxLine is the longest line in bytes that a file may have.
	MaxLine = 8 << 20

	// HeadSize is how many bytes of decompressed content Head shows at most.
	HeadSize = 64 << 10
)

// StandardInput is the name of standard input.
const StandardInput = "standard input"

// File is an open data file: its decompressed text, without a byte order mark, or
// the decompressed bytes of a binary format. It is not safe for concurrent use.
type File struct {
	// Name is the file as messages show it: the path that the user gave, or
	// "standard input".
	Name string

	text   *bufio.Reader
	head   []byte
	binary func(head []byte) bool
	closer []func() error // in the order in which they are called

	count      int64 // bytes of content that were read
	compressed *remember
	packing    string      // how it is compressed; empty for not at all
	random     io.ReaderAt // the same bytes at any place; nil where that cannot be had
	lines      *lineLimit  // of text
	limit      *limit      // nil for none

	size int64                   // of the file as it lies on disk; 0 where it is not known
	told int64                   // bytes of it that were last told of
	tell func(bytes, size int64) // nil for nobody
}

// Open opens the file at path, standard input if path is "-". It reads the
// first HeadSize bytes of content, or all if there is less, so on a pipe it
// waits for them.
//
// gzip, bzip2 and zstd data are recognised by their first bytes, whatever the
// name ends in. A file that is missing, a directory, unreadable, empty, damaged
// or not UTF-8 or ASCII text, unless one of binary says that content which begins
// like that may be any bytes, comes back as a *data.InputError; damage and, in text, lines longer than
// MaxLine that come later, from Read. Open and Read return the context's error
// soon after it is cancelled, even while they wait for a pipe.
func Open(ctx context.Context, path string, stdin io.Reader, binary ...func(head []byte) bool) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := &File{Name: path, binary: func(head []byte) bool {
		return slices.ContainsFunc(binary, func(begins func([]byte) bool) bool { return begins(head) })
	}}
	ctx, cancel := context.WithCancel(ctx)
	var raw io.Reader
	if path == "-" {
		f.Name = StandardInput
		raw, f.size = standardInput(ctx, stdin)
	} else {
		file, regular, err := openPath(ctx, path)
		if err != nil {
			cancel()
			return nil, f.openError(err)
		}
		f.closer = append(f.closer, file.Close)
		raw = source(ctx, file, regular)
		if info, err := file.Stat(); err == nil && regular {
			f.size, f.random = info.Size(), &randomly{ctx: ctx, f: f, r: file}
		}
	}
	if err := f.start(raw, cancel); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// From is Open of content that someone else has opened, of size bytes, 0 where that is not
// known, and which Close closes. Reads of it must end by themselves.
func From(
	ctx context.Context, name string, content io.ReadCloser, size int64, binary ...func(head []byte) bool,
) (*File, error) {
	f := &File{Name: name, size: size, closer: []func() error{content.Close}, binary: func(head []byte) bool {
		return slices.ContainsFunc(binary, func(begins func([]byte) bool) bool { return begins(head) })
	}}
	ctx, cancel := context.WithCancel(ctx)
	if err := f.start(source(ctx, content, true), cancel); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// OpenError says what is wrong with a file that cannot be opened, as Open does.
func OpenError(name string, err error) error { return (&File{Name: name}).openError(err) }

// Packed reports whether the content is compressed.
func (f *File) Packed() bool { return f.packing != "" }

// start puts the layers over the raw bytes, whose reads cancel interrupts, and looks at the
// head.
func (f *File) start(raw io.Reader, cancel context.CancelFunc) error {
	f.closer = append([]func() error{func() error { cancel(); return nil }}, f.closer...)
	f.compressed = &remember{r: raw}
	content, err := f.decompress(f.compressed)
	if err != nil {
		return err
	}
	if f.Packed() {
		apart := &ahead{r: content}
		f.closer = append([]func() error{func() error { return apart.stop(cancel) }}, f.closer...)
		content = apart
	}
	// An error of Peek comes again from later reads, because layers keep theirs.
	in := bufio.NewReaderSize(content, HeadSize)
	head, err := in.Peek(HeadSize)
	if f.binary(head) {
		f.text, f.head = in, bytes.Clone(head)
		if err == io.EOF {
			return nil
		}
		return err
	}
	f.lines = &lineLimit{r: in, name: f.Name, line: 1}
	f.text = bufio.NewReaderSize(f.lines, HeadSize)
	mark, _ := f.text.Peek(len(byteOrderMark))
	if string(mark) == byteOrderMark {
		_, _ = f.text.Discard(len(byteOrderMark))
	}
	head, err = f.text.Peek(HeadSize)
	f.head = bytes.Clone(head)
	if err != nil && err != io.EOF && len(head) == 0 {
		return err
	}
	if fault := checkText(f.Name, f.head); fault != nil || err == io.EOF {
		return fault
	}
	return err
}

// Close releases the file. It does not close standard input.
func (f *File) Close() error {
	var all error
	for _, c := range f.closer {
		all = errors.Join(all, c())
	}
	f.closer = nil
	return all
}

// Head returns the first HeadSize bytes of content, all of it if there is less.
// It consumes nothing: Read starts with the same bytes. The caller must not
// write to it.
func (f *File) Head() []byte { return f.head }

// openPath opens a named file and says whether it is a regular one. Opening a
// named pipe waits for its writer, so anything else than a regular file is
// opened where the context can interrupt the wait.
func openPath(ctx context.Context, path string) (file *os.File, regular bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if info.IsDir() {
		return nil, false, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	if info.Mode().IsRegular() {
		file, err = os.Open(path)
		return file, true, err
	}
	file, err = interruptible(ctx, func() (*os.File, error) { return os.Open(path) }, func(late *os.File) {
		if late != nil {
			_ = late.Close()
		}
	})
	return file, false, err
}

// openError says what is wrong with a file that cannot be opened.
func (f *File) openError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &data.InputError{File: f.Name, Err: err}
	switch {
	case f.Name == "":
		e.Problem, e.Advice = "the name of the data file is empty", "name a file, or - for standard input"
	case errors.Is(err, fs.ErrNotExist):
		e.Problem, e.Advice = "there is no such file", "check the name and the current folder"
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Advice = "may not be read: permission denied",
			"change the permissions of the file, or copy it to where you can read it"
	case errors.Is(err, syscall.EISDIR):
		e.Problem, e.Advice = "is a folder", "name one data file in it"
	default:
		e.Problem = "cannot be opened: " + cause(err)
	}
	return e
}

// cause is the text of an error without the path, which the message has already.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return strings.TrimSpace(fmt.Sprint(err))
}
