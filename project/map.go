package project

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Map returns the images of the vectors of x, row by row. Vectors of fewer than
// In coordinates are padded with zeros, and coordinates past In are dropped.
//
// A row depends on its vector alone: it has the same bits for any number of
// workers and whatever other vectors are mapped with it. For Sparse and Hadamard
// these are the bits of ApplyVector. For the other kinds they are too where the
// vector is stored sparse and has less than n/8 coordinates; else a sum of n
// products is taken in another order, and each coordinate of the image is within
// 2·(n+2)·2⁻⁵³·Σ|x_i·a_ij| of ApplyVector's.
//
// Map needs the memory of the images, and for Gaussian, Sign and Orthogonal a
// packed copy of A. It returns the error of ctx where it was cancelled.
func (p *Projection) Map(ctx context.Context, ctl run.Control, x data.Source[data.Vector]) (*data.Matrix, error) {
	images, err := newImages[float64](ctl, p, x.Len())
	if err == nil {
		err = p.MapTo(ctx, ctl, images, x)
	}
	if err != nil {
		return nil, err
	}
	return &data.Matrix{Rows: x.Len(), Cols: p.out, Data: images}, nil
}

// Map32 is Map with A, the vectors and all sums rounded to float32; the images
// come row after row, Out numbers each. Sparse vectors that Map adds up as
// ApplyVector does are rounded once, at the end. It takes about half the time
// and memory, and each coordinate is within about 2·(n+4)·2⁻²⁴·Σ|x_i·a_ij| of
// Map's; for Hadamard within 2·(log2(N)+4)·2⁻²⁴·√(N/d)·|x|.
func (p *Projection) Map32(ctx context.Context, ctl run.Control, x data.Source[data.Vector]) ([]float32, error) {
	images, err := newImages[float32](ctl, p, x.Len())
	if err == nil {
		err = p.MapTo32(ctx, ctl, images, x)
	}
	if err != nil {
		return nil, err
	}
	return images, nil
}

// MapTo is Map into memory that is there, Out numbers for each vector, row after
// row. To use it again for one block of vectors after another saves the time that
// new memory takes.
func (p *Projection) MapTo(ctx context.Context, ctl run.Control, dst []float64, x data.Source[data.Vector]) error {
	return mapRows(ctx, ctl, p, p.mapper64(), dst, x)
}

// MapTo32 is Map32 into memory that is there.
func (p *Projection) MapTo32(ctx context.Context, ctl run.Control, dst []float32, x data.Source[data.Vector]) error {
	return mapRows(ctx, ctl, p, p.mapper32(), dst, x)
}

// newImages returns the memory of n images.
func newImages[F gemm.Float](ctl run.Control, p *Projection, n int) ([]F, error) {
	bytes := float64(n) * float64(p.out) * float64(unsafe.Sizeof(F(0)))
	if err := ctl.Reserve("images of a projection", bytes,
		"project fewer rows at a time or to fewer dimensions"); err != nil {
		return nil, err
	}
	return alloc.Slice[F](n * p.out), nil
}

// A mapper maps blocks of rows in the precision F. It is used once.
type mapper[F gemm.Float] interface {
	// bytes is the memory that prepare and the scratch of the workers take.
	bytes(workers int) float64
	// prepare is called before all else, alone.
	prepare(ctx context.Context, ctl run.Control) error
	// rows is the number of rows that a block should have.
	rows() int
	// scratch returns new memory for one goroutine.
	scratch() any
	// block writes the images of rows lo to hi of x into dst.
	block(dst []F, x data.Source[data.Vector], lo, hi int, scratch any)
}

func mapRows[F gemm.Float](
	ctx context.Context, ctl run.Control, p *Projection, m mapper[F], dst []F, x data.Source[data.Vector],
) error {
	n, d := x.Len(), p.out
	if len(dst) != n*d {
		return fmt.Errorf("%s projection: there is memory for %d numbers and must be for %d images of %d each", p.kind,
			len(dst), n, d)
	}
	if err := ctl.Reserve("a projection", m.bytes(ctl.Cores()), "project to fewer dimensions"); err != nil {
		return err
	}
	if err := m.prepare(ctx, ctl.Quiet()); err != nil {
		return err
	}
	pool := sync.Pool{New: m.scratch}
	rows := m.rows()
	return par.For(ctx, ctl, "project", par.Blocks(n, rows), func(b int) error {
		lo, hi := par.Range(b, n, rows)
		scratch := pool.Get()
		m.block(dst[lo*d:hi*d], x, lo, hi, scratch)
		pool.Put(scratch)
		return nil
	})
}

// isSparse reports whether vector i names its coordinates and stores less than
// one in so many of n.
func isSparse(x data.Source[data.Vector], i, n, part int) bool {
	if _, ok := data.Row32(x, i); ok {
		return false
	}
	v := x.At(i)
	return v.Index != nil && len(v.Index)*part < n
}

// fill writes the coordinates of vector i of x into dst, padded with zeros.
func fill[F gemm.Float](dst []F, x data.Source[data.Vector], i int) {
	if row, ok := data.Row32(x, i); ok {
		convert(dst, row)
		return
	}
	lay(dst, x.At(i))
}

// lay is fill for one vector.
func lay[F gemm.Float](dst []F, v data.Vector) {
	if v.Index == nil {
		convert(dst, v.Value)
		return
	}
	clear(dst)
	for k, i := range v.Index {
		if int(i) >= len(dst) {
			return
		}
		dst[i] = F(v.Value[k])
	}
}

// convert rounds x into dst, cut or padded with zeros to its length.
func convert[F, G gemm.Float](dst []F, x []G) {
	n := min(len(dst), len(x))
	if same, ok := any(x).([]F); ok {
		copy(dst, same)
	} else if narrow, ok := any(dst).([]float32); ok {
		vmath.Narrow(narrow[:n], any(x).([]float64)[:n])
	} else {
		for j, a := range x[:n] {
			dst[j] = F(a)
		}
	}
	clear(dst[n:])
}

// grow returns a slice of n elements, the given one where it is large enough.
func grow[F gemm.Float](s []F, n int) []F {
	if cap(s) < n {
		return make([]F, n)
	}
	return s[:n]
}
