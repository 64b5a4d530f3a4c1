package file

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/kerf-ml/kerf/data"
)

// maxWindow is the largest window of zstd data that is accepted, that of
// zstd --long without a number.
const maxWindow = 1 << 27

// The first bytes of gzip and zstd data.
var gzipMagic, zstdMagic = []byte{0x1f, 0x8b}, []byte{0x28, 0xb5, 0x2f, 0xfd}

// decompress returns the text behind r, which it recognises by the magic bytes
// of each format. Plain text passes through.
func (f *File) decompress(r *remember) (io.Reader, error) {
	in := bufio.NewReaderSize(r, HeadSize)
	magic, _ := in.Peek(10)
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, f.damage("gzip", r, err)
		}
		f.packing = "gzip"
		return &layer{f: f, kind: "gzip", r: z, below: r}, nil
	case isBzip2(magic):
		f.packing = "bzip2"
		return &layer{f: f, kind: "bzip2", r: bzip2.NewReader(in), below: r}, nil
	case bytes.HasPrefix(magic, zstdMagic):
		// With a concurrency of one the decoder starts no goroutines.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, f.damage("zstd", r, err)
		}
		f.closer = append([]func() error{func() error { z.Close(); return nil }}, f.closer...)
		f.packing = "zstd"
		return &layer{f: f, kind: "zstd", r: z, below: r}, nil
	}
	return &layer{f: f, r: in, below: r}, nil
}

// isBzip2 looks for "BZh", a digit, and the mark of a block or of the end, so
// that text which happens to begin with BZh stays text.
func isBzip2(magic []byte) bool {
	if len(magic) < 10 || string(magic[:3]) != "BZh" || magic[3] < '1' || magic[3] > '9' {
		return false
	}
	mark := string(magic[4:10])
	return mark == "\x31\x41\x59\x26\x53\x59" || mark == "\x17\x72\x45\x38\x50\x90"
}

// layer is a decompressor that explains its errors. Kind is empty for text that
// is not compressed.
type layer struct {
	f     *File
	kind  string
	r     io.Reader
	below *remember
	err   error
}

func (l *layer) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	if err != nil && err != io.EOF {
		err = l.f.damage(l.kind, l.below, err)
	}
	l.err = err
	return n, err
}

// damage says what is wrong with data that does not decompress, or passes on
// what was wrong with reading it.
func (f *File) damage(kind string, below *remember, err error) error {
	if below.err != nil && below.err != io.EOF {
		err, kind = below.err, ""
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &data.InputError{File: f.Name, Err: err}
	switch {
	case kind == "":
		e.Problem = "cannot be read: " + cause(err)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		e.Problem = fmt.Sprintf("ends in the middle of its %s data: the file is truncated", kind)
		e.Advice = "copy or download it again"
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		e.Problem = "was compressed by zstd with a window of more than 128 MiB"
		e.Advice = "decompress it with zstd -d --long=31 first"
	default:
		e.Problem = fmt.Sprintf("has damaged %s data (%v)", kind, err)
		e.Advice = "copy or download it again"
	}
	return e
}
