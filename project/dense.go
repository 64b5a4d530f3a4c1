package project

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// blockRows is how many rows of A come from one random stream. It is part of
// what a seed means and never changes.
const blockRows = 32

// law is a distribution of entries with mean 0 and variance 1.
type law struct {
	kind   string
	number uint64
	fill   func(row []float64, r *rand.Rand) // draws one entry after the other
}

// fit draws the n × d matrix block by block: entry (i, j) depends on the law,
// the seed, d and (i, j), and not on n.
func (l law) fit(in, out int, s uint64) (*Projection, error) {
	if err := check(l.kind, in, out, Bytes(in, out)); err != nil {
		return nil, err
	}
	a := data.NewMatrix(in, out)
	scale := 1 / math.Sqrt(float64(out))
	for lo := 0; lo < in; lo += blockRows {
		hi := min(lo+blockRows, in)
		block := a.Data[lo*out : hi*out]
		l.fill(block, seed.Stream(s, seed.Projection, stream(l.number, lo/blockRows)))
		vmath.Scale(block, scale)
	}
	return &Projection{kind: l.kind, seed: s, in: in, out: out, form: dense{a}}, nil
}

// dense is the form of a projection that holds all entries of A.
type dense struct{ a *data.Matrix }

func (f dense) matrix() *data.Matrix { return f.a }

func (f dense) apply(dst []float64, v data.Vector) {
	clear(dst)
	for k, x := range v.Value {
		i := k
		if v.Index != nil {
			i = int(v.Index[k])
		}
		if i >= f.a.Rows {
			return
		}
		// Entries are finite, so a zero adds nothing but perhaps the sign of
		// a zero; to skip it makes dense and sparse agree.
		if x != 0 {
			vmath.Axpy(dst, x, f.a.Row(i))
		}
	}
}

func (f dense) mapper64() mapper[float64] { return &denseMapper[float64]{a: f.a} }
func (f dense) mapper32() mapper[float32] { return &denseMapper[float32]{a: f.a} }

// denseMapper multiplies blocks of rows with A, packed. Rows that are stored
// sparse and have few coordinates go through apply.
type denseMapper[F gemm.Float] struct {
	a      *data.Matrix
	packed *gemm.Packed[F]
}

// denseScratch belongs to one goroutine.
type denseScratch[F gemm.Float] struct {
	left  gemm.Left[F]
	flat  []F
	image []float64
}

func (m *denseMapper[F]) bytes(workers int) float64 {
	return 2 * (Bytes(m.a.Rows, m.a.Cols) + Bytes(m.a.Rows, m.rows())*float64(workers))
}

func (m *denseMapper[F]) rows() int {
	rows, _ := gemm.TileSize[F]()
	return rows
}

func (m *denseMapper[F]) scratch() any {
	return &denseScratch[F]{image: make([]float64, m.a.Cols)}
}

// prepare packs the columns of A.
func (m *denseMapper[F]) prepare(ctx context.Context, ctl run.Control) error {
	n, d := m.a.Rows, m.a.Cols
	columns := make([]F, n*d)
	const width = 64
	err := par.For(ctx, ctl, "", par.Blocks(d, width), func(b int) error {
		lo, hi := par.Range(b, d, width)
		for i := range n {
			for j, v := range m.a.Row(i)[lo:hi] {
				columns[(lo+j)*n+i] = F(v)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.packed = gemm.Pack(columns, n, d, n)
	return nil
}

// fewer is the share of the coordinates below which a sparse row is added up
// row of A by row of A: a product of matrices takes about an eighth of the time
// for a coordinate.
const fewer = 8

func (m *denseMapper[F]) block(dst []F, x data.Source[data.Vector], lo, hi int, space any) {
	s := space.(*denseScratch[F])
	n, d := m.a.Rows, m.a.Cols
	for i := lo; i < hi; {
		first := i
		for i < hi && !isSparse(x, i, n, fewer) {
			i++
		}
		if i > first {
			m.product(dst[(first-lo)*d:], x, first, i, s)
		}
		for ; i < hi && isSparse(x, i, n, fewer); i++ {
			dense{m.a}.apply(s.image, x.At(i))
			convert(dst[(i-lo)*d:][:d], s.image)
		}
	}
}

// product maps rows lo to hi by a product of matrices.
func (m *denseMapper[F]) product(dst []F, x data.Source[data.Vector], lo, hi int, s *denseScratch[F]) {
	n, d := m.a.Rows, m.a.Cols
	flat, stride := asFlat[F](x, n)
	if flat != nil {
		flat = flat[lo*stride:]
	} else {
		s.flat = grow(s.flat, (hi-lo)*n)
		for i := lo; i < hi; i++ {
			fill(s.flat[(i-lo)*n:][:n], x, i)
		}
		flat, stride = s.flat, n
	}
	s.left.Pack(flat, stride, hi-lo, n)
	gemm.Tile(dst, d, &s.left, m.packed, 0, d, false)
}

// asFlat returns the rows of a matrix of at least n columns as they are, where
// x is one of the precision asked for.
func asFlat[F gemm.Float](x data.Source[data.Vector], n int) (flat []F, stride int) {
	var values any
	switch m := x.(type) {
	case *data.Matrix:
		values, stride = m.Data, m.Cols
	case *data.Matrix32:
		values, stride = m.Data, m.Cols
	}
	if flat, ok := values.([]F); ok && n > 0 && n <= stride {
		return flat, stride
	}
	return nil, 0
}
