package file

import (
	"context"
	"io"
)

// Random returns the content to be read at any place, and its size, for formats that must be,
// as Parquet must. It reports false for what can be read in its order alone, or is compressed.
func (f *File) Random() (r io.ReaderAt, size int64, ok bool) {
	return f.random, f.size, f.random != nil && !f.Packed()
}

// Reached says that content was read by Random as if it were all up to a byte.
func (f *File) Reached(byte int64) {
	f.count = max(f.count, byte)
	f.tellOf(f.count)
}

// randomly looks at the context before each read.
type randomly struct {
	ctx context.Context
	f   *File
	r   io.ReaderAt
}

func (r *randomly) ReadAt(p []byte, at int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.ReadAt(p, at)
	if err != nil && err != io.EOF {
		err = r.f.damage("", r.f.compressed, err)
	}
	return n, err
}
