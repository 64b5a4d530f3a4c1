package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Symmetric returns the Gram matrix K(x_i, x_j). Each pair is computed once, in
// the tiles on and above the diagonal, and mirrored, so that the matrix is
// symmetric even where the kernel is not.
func Symmetric[T any](ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T]) (*data.Matrix, error) {
	n := x.Len()
	if err := ctl.Reserve("a Gram matrix", 8*float64(n)*float64(n), "take fewer landmarks"); err != nil {
		return nil, err
	}
	c := Bind(k, x)
	g := data.NewMatrix(n, n)
	rows, cols := par.Blocks(n, tileRows), c.blocks()
	err := par.For(ctx, ctl, "kernel", rows*cols, func(i int) error {
		lo, hi := par.Range(i/cols, n, tileRows)
		_, right := par.Range(i%cols, n, tileCols)
		if right <= lo {
			return nil // below the diagonal
		}
		return c.store(g.Data, n, x, lo, hi, i%cols)
	})
	if err != nil {
		return nil, err
	}
	for i := range n {
		for j := range i {
			g.Data[i*n+j] = g.Data[j*n+i]
		}
	}
	ctl.Counter.Add(int64(n) * int64(n+1) / 2)
	return g, nil
}
