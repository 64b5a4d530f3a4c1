package file

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
)

// standardInput returns stdin as a reader that honours the context, and its size where
// it is a file.
func standardInput(ctx context.Context, stdin io.Reader) (in io.Reader, size int64) {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	regular := false
	if s, ok := stdin.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := s.Stat()
		if regular = err == nil && info.Mode().IsRegular(); regular {
			size = info.Size()
		}
	}
	return source(ctx, stdin, regular), size
}

// source returns a reader of r that returns the context's error once it is
// cancelled. Reads of regular files end by themselves and are made in place.
func source(ctx context.Context, r io.Reader, regular bool) io.Reader {
	if regular {
		return &direct{ctx: ctx, r: r}
	}
	return &waiting{ctx: ctx, r: r, buffer: make([]byte, HeadSize)}
}

// direct looks at the context before each read.
type direct struct {
	ctx context.Context
	r   io.Reader
}

func (d *direct) Read(p []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.r.Read(p)
}

// waiting reads from what may keep it waiting for ever: a pipe, a terminal, a
// socket. Each read is made on a goroutine into a buffer of its own, so that a
// cancelled context ends the wait at once.
type waiting struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte
	rest   []byte // read and not yet handed out; part of buffer
	err    error  // comes after rest
}

func (w *waiting) Read(p []byte) (int, error) {
	if len(w.rest) == 0 && w.err == nil {
		w.fill()
	}
	if len(w.rest) == 0 {
		return 0, w.err
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// fill reads once. If the context ends first, w.err is set and stays set, so the
// buffer is never looked at again: it belongs to the goroutine that still reads.
func (w *waiting) fill() {
	n, err := interruptible(w.ctx, func() (int, error) { return w.r.Read(w.buffer) }, nil)
	if w.ctx.Err() != nil {
		w.err = w.ctx.Err()
		return
	}
	w.rest, w.err = w.buffer[:n], err
}

// interruptible returns what f returns, or the context's error if that ends
// before f does; then late, if not nil, gets the value of f once there is one.
//
// Beside it package par and the reading ahead of compressed files start goroutines,
// and this is the one goroutine of kerf that may outlive its call: no system call ends a read of
// a pipe or terminal that its other side keeps open, and a program that was
// interrupted must not wait for it.
func interruptible[T any](ctx context.Context, f func() (T, error), late func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		if late != nil {
			go func() { late((<-done).value) }()
		}
		var zero T
		return zero, ctx.Err()
	}
}

// remember keeps the error of the reader below a decompressor, which tells a
// failing disk or a cancelled context from damaged data.
type remember struct {
	r     io.Reader
	count atomic.Int64 // bytes read, which others ask for while it reads
	err   error
}

func (m *remember) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.count.Add(int64(n))
	if err != nil {
		m.err = err
	}
	return n, err
}
