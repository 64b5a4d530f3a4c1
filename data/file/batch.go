package file

import (
	"context"
	"io"
)

// checkEvery is how many rows lie between two looks at the context.
const checkEvery = 16

// Batches hands out the rows of a stream some at a time. The zero value is ready
// to use.
type Batches struct {
	rows int   // handed out so far
	err  error // what ended the reading, given again by every later Read
}

// Read calls next for one row after the other, at most max times, until it fails
// if max ≤ 0, and returns how many rows there were. It returns 0 and io.EOF when
// no row is left, and the context's error when that has ended; after that, rows
// that were read before may be lost, but the stream is at the beginning of one.
func (b *Batches) Read(ctx context.Context, max int, next func() error) (rows int, err error) {
	return b.ReadSome(ctx, max, func(int) (int, error) { return 1, next() })
}

// ReadSome is Read with a next that gives some rows at a time, at most as many as it is
// told, as many as it likes where that is 0, and returns how many.
func (b *Batches) ReadSome(ctx context.Context, max int, next func(max int) (int, error)) (rows int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	seen := b.rows - checkEvery // rows at the last look at the context
	for max <= 0 || rows < max {
		if b.rows-seen >= checkEvery {
			if seen = b.rows; ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
		most := 0
		if max > 0 {
			most = max - rows
		}
		n, err := next(most)
		if err == io.EOF && rows > 0 {
			b.err = io.EOF
			break
		}
		if err != nil && err == ctx.Err() { // it gave nothing and can go on
			return 0, err
		}
		if err != nil {
			b.err = err
			return 0, err
		}
		rows += n
		b.rows += n
	}
	return rows, nil
}
