package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Symmetric returns the Gram matrix K(x_i, x_j), computed in float64. Each pair
// is computed once, on or above the diagonal, and mirrored, so that the matrix
// is symmetric even where the kernel is not.
func Symmetric[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T],
) (*data.Matrix, error) {
	values, err := among[T, float64](ctx, ctl, Bind(k, x), 8)
	if err != nil {
		return nil, err
	}
	return &data.Matrix{Rows: x.Len(), Cols: x.Len(), Data: values}, nil
}

// Symmetric32 is Symmetric in float32, row by row.
func Symmetric32[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T],
) ([]float32, error) {
	return among[T, float32](ctx, ctl, BindPrecision(k, x, run.Float32), 4)
}

// among returns the values of the columns among themselves, of so many bytes each.
func among[T any, F float32 | float64](ctx context.Context, ctl run.Control, c *Columns[T], size int) ([]F, error) {
	x, n := c.y, c.Len()
	if err := c.reserve(ctl, n, size); err != nil {
		return nil, err
	}
	g := alloc.Slice[F](n * n)
	done, err := remoteBlock(ctx, ctl, c.remote(ctl, x, false), g)
	if !done {
		ctl.Counter.Add(int64(n) * int64(n+1) / 2)
		err = par.For(ctx, ctl, "kernel", par.Blocks(n, c.rows), func(i int) error {
			lo, hi := par.Range(i, n, c.rows)
			left := lo / c.cols * c.cols
			return strip(c, g[lo*n+left:], n, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo, left, n)
		})
	}
	if err == nil {
		err = mirror(ctx, ctl, g, n)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// mirrorBlock is the size of the squares in which a matrix is mirrored: two of
// them stay in cache.
const mirrorBlock = 64

// Mirror copies the upper triangle to the lower one.
func Mirror(ctx context.Context, ctl run.Control, g *data.Matrix) error {
	return mirror(ctx, ctl, g.Data, g.Rows)
}

func mirror[F float32 | float64](ctx context.Context, ctl run.Control, g []F, n int) error {
	return par.For(ctx, ctl, "", par.Blocks(n, mirrorBlock), func(b int) error {
		lo, hi := par.Range(b, n, mirrorBlock)
		for left := 0; left < hi; left += mirrorBlock {
			for i := lo; i < hi; i++ {
				row := g[i*n:]
				for j := left; j < min(left+mirrorBlock, i); j++ {
					row[j] = g[j*n+i]
				}
			}
		}
		return nil
	})
}

// Within sets dst[i·n + j] = K(x_i, x_j), in the precision F, on the CPU.
func Within[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T], dst []F,
) error {
	precision := run.Float64
	if _, single := any(F(0)).(float32); single {
		precision = run.Float32
	}
	return block(ctx, ctl, BindOn(ctl, k, x, precision), dst, x)
}
