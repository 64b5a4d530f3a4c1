// Package stream learns linear functions of rows that need not fit in memory, from sums
// over them:
//
//   - Ridge, least squares of numbers or classes, with its penalty chosen by sums over
//     folds, in one pass;
//   - Newton, the squared hinge and the logistic loss, in a few passes;
//   - Softmax, the logistic loss of many classes, in a few passes;
//   - Once, what Newton does in a single pass, near the minimum.
//
// Sums are over blocks of sums.BlockRows rows in their order: same rows, same bits,
// whatever the number of workers, the memory, or the files that the rows came in.
package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Sample is rows that are read from the beginning as often as a fit asks for them, each
// time the same in the same order.
type Sample struct {
	Dim    int     // coordinates of a row
	Rows   int     // how many there are, of positive weight
	Weight float64 // sum of their weights

	// Basis, where it is not nil, says that rows are similarities, of which Dim features are made:
	// Newton takes these.
	Basis *Basis

	// Unknown says that nobody knows Rows and Weight before the rows were read, which can be
	// done once.
	Unknown bool

	// Each reads the rows from the given one on, which is a multiple of
	// sums.BlockRows, in blocks of that many. A block may be written to.
	Each func(ctx context.Context, from int, use func(b *sums.Block) error) error

	// Sum, where it is not nil, takes the sums of a pass in the place of Each: over parts
	// of the rows, each by a Sums of the same Pass, which it hands over to merge in a fixed
	// order. Checkpoints of passes are then its own matter.
	Sum func(ctx context.Context, p *Pass, merge func(part []byte) error) error
}

// errBasis reports similarities handed to what learns from features.
var errBasis = errors.New("these rows are similarities, of which a Newton can learn")

// Function is the fitted function W·x + Bias. It is immutable and safe for concurrent
// use.
type Function struct {
	W    []float64
	Bias float64
}

// pass adds one pass over the rows from a given one on to sums, of which progress and a
// checkpoint are told after each block. Keep returns the state after the rows so far.
func (s *Sample) pass(
	ctx context.Context, ctl run.Control, name string, from int, c learn.Checkpoint, keep func(next int) []byte, all *Sums,
) error {
	if (s.Basis != nil) != all.Pass.Similar {
		return errBasis
	}
	total := s.Rows
	if s.Unknown {
		total = 0
	}
	ctl.Progress.Begin(name, int64(total))
	defer ctl.Progress.End()
	rows := from
	var err error
	if s.Sum != nil {
		err = s.Sum(ctx, all.Pass, func(part []byte) error {
			n, err := all.Merge(part)
			rows += n
			ctl.Progress.Advance(int64(rows))
			return err
		})
	} else {
		err = s.Each(ctx, from, func(b *sums.Block) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := all.Add(ctx, ctl, b); err != nil {
				return err
			}
			rows += b.Rows()
			ctl.Progress.Advance(int64(rows))
			if b.Rows() < sums.BlockRows {
				return nil // the last one: what comes next is kept at once
			}
			return c.Keep(rows/sums.BlockRows, false, func() []byte { return keep(rows) })
		})
	}
	if err == nil && s.Sum == nil {
		all.End()
	}
	if s.Unknown {
		return err
	}
	if err == nil && rows != s.Rows {
		return fmt.Errorf("the data have changed while they were read: %d rows to learn from, and %d before", rows, s.Rows)
	}
	return err
}
