package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Product sets dst = K·v, that is dst[i] = Σ_j K(x_i, y_j)·v[j], without
// storing K. In float32 the sums of a tile are single, those over tiles double.
func (c *Columns[T]) Product(ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], v []float64) error {
	if len(dst) != x.Len() || len(v) != c.Len() {
		panic("gram: lengths do not match")
	}
	return c.sweep(ctx, ctl, x, func(s *stripe, lo, hi int) error {
		return s.times(dst[lo:hi], v)
	})
}

// ProductT sets dst = Kᵀ·u, that is dst[j] = Σ_i K(x_i, y_j)·u[i], without
// storing K.
func (c *Columns[T]) ProductT(ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], u []float64) error {
	if len(dst) != c.Len() || len(u) != x.Len() {
		panic("gram: lengths do not match")
	}
	return c.gather(ctx, ctl, dst, x, func(s *stripe, part []float64, lo, hi int) error {
		return s.transposed(part, u[lo:hi])
	})
}

// ProductNormal sets dst = Kᵀ·(K·v + u), without storing K and computing each
// value of it once; u may be nil for zero. It is the product that solvers of
// least-squares problems need.
func (c *Columns[T]) ProductNormal(ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], v, u []float64) error {
	if len(dst) != c.Len() || len(v) != c.Len() || u != nil && len(u) != x.Len() {
		panic("gram: lengths do not match")
	}
	return c.gather(ctx, ctl, dst, x, func(s *stripe, part []float64, lo, hi int) error {
		kv := make([]float64, hi-lo)
		if err := s.times(kv, v); err != nil {
			return err
		}
		if u != nil {
			vmath.Axpy(kv, 1, u[lo:hi])
		}
		return s.transposed(part, kv)
	})
}

// stripe is a strip of rows of K, stored. It holds one of two precisions.
type stripe struct {
	n, m   int
	double []float64
	single []float32
}

// row gives the values of a row to one of two functions.
func (s *stripe) row(i int) ([]float64, []float32) {
	if s.single != nil {
		return nil, s.single[i*s.m : (i+1)*s.m]
	}
	return s.double[i*s.m : (i+1)*s.m], nil
}

// dotBlock is how many terms are summed before they are added up in float64.
const dotBlock = 512

// times sets dst to the product with v.
func (s *stripe) times(dst, v []float64) error {
	var narrow []float32
	if s.single != nil {
		narrow = make([]float32, len(v))
		for j, a := range v {
			narrow[j] = float32(a)
		}
	}
	for i := range s.n {
		double, single := s.row(i)
		sum := 0.0
		for lo := 0; lo < s.m; lo += dotBlock {
			hi := min(lo+dotBlock, s.m)
			if single != nil {
				sum += float64(vmath.Dot(single[lo:hi], narrow[lo:hi]))
			} else {
				sum += vmath.Dot(double[lo:hi], v[lo:hi])
			}
		}
		dst[i] = sum
	}
	return nil
}

// transposed adds the product of the transpose with u to dst.
func (s *stripe) transposed(dst, u []float64) error {
	for i := range s.n {
		double, single := s.row(i)
		if single == nil {
			vmath.Axpy(dst, u[i], double)
			continue
		}
		for j, k := range single {
			dst[j] += u[i] * float64(k)
		}
	}
	return nil
}

// sweep computes K strip by strip on all workers and hands each over.
func (c *Columns[T]) sweep(ctx context.Context, ctl run.Control, x data.Source[T], use func(s *stripe, lo, hi int) error) error {
	n := x.Len()
	defer ctl.Counter.Add(int64(n) * int64(c.Len()))
	return par.For(ctx, ctl, "kernel", par.Blocks(n, c.rows), func(i int) error {
		lo, hi := par.Range(i, n, c.rows)
		s, err := c.stripe(x, lo, hi)
		if err != nil {
			return err
		}
		return use(s, lo, hi)
	})
}

// stripe computes rows lo to hi-1 of K.
func (c *Columns[T]) stripe(x data.Source[T], lo, hi int) (*stripe, error) {
	s := &stripe{n: hi - lo, m: c.Len()}
	part := data.Range[T]{Of: x, Lo: lo, Hi: hi}
	if c.precision == run.Float32 {
		s.single = make([]float32, s.n*s.m)
		return s, strip(c, s.single, s.m, part, lo, 0, s.m)
	}
	s.double = make([]float64, s.n*s.m)
	return s, strip(c, s.double, s.m, part, lo, 0, s.m)
}

// gatherStrips is how many strips add up into one partial sum. It fixes the
// order of the sum, whatever the workers.
const gatherStrips = 16

// gather sums over strips: use adds its part for the rows lo to hi-1 to part.
// The partial sums are added to dst in order.
func (c *Columns[T]) gather(ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], use func(s *stripe, part []float64, lo, hi int) error) error {
	n, m := x.Len(), c.Len()
	defer ctl.Counter.Add(int64(n) * int64(m))
	size := gatherStrips * c.rows
	parts := make([][]float64, par.Blocks(n, size))
	err := par.For(ctx, ctl, "kernel", len(parts), func(g int) error {
		parts[g] = make([]float64, m)
		first, last := par.Range(g, n, size)
		for lo := first; lo < last; lo += c.rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+c.rows, last)
			s, err := c.stripe(x, lo, hi)
			if err != nil {
				return err
			}
			if err := use(s, parts[g], lo, hi); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	clear(dst)
	for _, p := range parts {
		vmath.Axpy(dst, 1, p)
	}
	return nil
}
