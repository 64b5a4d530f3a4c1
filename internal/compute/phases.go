package compute

import (
	"context"
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// Phases maps a vector x of d coordinates to the cosines and sines of its
// products with m frequencies, the rows of Ω:
//
//	(cos⟨ω_1, x⟩, …, cos⟨ω_m, x⟩, sin⟨ω_1, x⟩, …, sin⟨ω_m, x⟩)/√m
//
// A block of rows is multiplied with a few columns of Ωᵀ at a time, and the
// tile turned into cosines and sines while it is in cache (vmath.SinCos). A row with few
// stored coordinates is multiplied coordinate by coordinate. What a row is
// mapped to depends on that row alone, bit for bit.
//
// In float32 a product is off by up to (d+3)·2⁻²⁴·|ω||x|. Where |ω||x| may be
// above singleLimit, the row is computed in float64 and rounded at the end.
//
// Phases are immutable and safe for concurrent use. Beside Ω, which they keep,
// they hold a packed copy for each precision that was asked for, and the
// transpose where there was a sparse row.
type Phases struct {
	m, d    int
	largest float64 // |ω_ij|
	longest float64 // |ω_i|
	wide    func() *gemm.Packed[float64]
	narrow  func() *gemm.Packed[float32]
	across  func() []float64 // Ωᵀ, row after row
	pool    sync.Pool
}

// singleLimit bounds |ω||x| of products in float32: their error is then below
// (d+3)·2⁻¹⁵, and about 2⁻¹⁵ as a rule.
const singleLimit = 512

// sparseShare is how many coordinates of a dense row cost as much as a stored
// one of a sparse row.
const sparseShare = 4

// phaseCols is how many frequencies go into a tile.
const phaseCols = 256

// lookEvery is how many numbers are looked at between two looks at the context.
const lookEvery = 1 << 20

// NewPhases takes the m×d matrix of frequencies, row after row. It keeps the
// slice. It returns the context's error when that has ended.
func NewPhases(ctx context.Context, omega []float64, m, d int) (*Phases, error) {
	p := &Phases{m: m, d: d}
	for i := range m {
		if i%max(1, lookEvery/max(d, 1)) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := omega[i*d : (i+1)*d]
		for _, a := range row {
			p.largest = max(p.largest, math.Abs(a))
		}
		p.longest = max(p.longest, data.Dense(row...).Norm())
	}
	p.wide = sync.OnceValue(func() *gemm.Packed[float64] { return gemm.Pack(omega, d, m, d) })
	p.narrow = sync.OnceValue(func() *gemm.Packed[float32] {
		single := make([]float32, len(omega))
		for i, a := range omega {
			single[i] = float32(a)
		}
		return gemm.Pack(single, d, m, d)
	})
	p.across = sync.OnceValue(func() []float64 {
		t := make([]float64, len(omega))
		for i := range m {
			for j, a := range omega[i*d : (i+1)*d] {
				t[j*m+i] = a
			}
		}
		return t
	})
	p.pool.New = func() any { return new(phaseSpace) }
	return p, nil
}

// phaseSpace is the memory of a goroutine.
type phaseSpace struct {
	wide   phaseTile[float64]
	narrow phaseTile[float32]
	out    []float64 // rows in float64 of a block in float32
}

// phaseTile is a few dense rows on their way.
type phaseTile[F gemm.Float] struct {
	rows []int // places in the block
	flat []F
	left gemm.Left[F]
	tile []F
}

// Bounded reports whether all products with x are sure to be finite.
func (p *Phases) Bounded(x data.Vector) bool {
	sum := 0.0
	for k, a := range x.Value {
		if x.Index != nil && int(x.Index[k]) >= p.d || x.Index == nil && k >= p.d {
			break
		}
		sum += math.Abs(a)
	}
	return sum*max(p.largest, 1) <= math.MaxFloat64
}

// Map64 sets row i of dst, 2·m numbers each, to the image of x.At(i).
func (p *Phases) Map64(dst []float64, x data.Source[data.Vector]) {
	s := p.pool.Get().(*phaseSpace)
	defer p.pool.Put(s)
	s.wide.rows = s.wide.rows[:0]
	for i := range x.Len() {
		if v := x.At(i); p.sparse(v) {
			p.gather(dst[i*2*p.m:(i+1)*2*p.m], v)
		} else {
			s.wide.rows = append(s.wide.rows, i)
		}
	}
	s.wide.fill(x, p.d)
	s.wide.run(dst, p.wide, p.m, p.d)
}

// Map32 is Map64 in float32.
func (p *Phases) Map32(dst []float32, x data.Source[data.Vector]) {
	s := p.pool.Get().(*phaseSpace)
	defer p.pool.Put(s)
	s.narrow.rows = s.narrow.rows[:0]
	var exact data.Slice[data.Vector]
	var places []int
	for i := range x.Len() {
		v := x.At(i)
		if p.sparse(v) || !(p.longest*v.Norm() <= singleLimit) {
			exact, places = append(exact, v), append(places, i)
		} else {
			s.narrow.rows = append(s.narrow.rows, i)
		}
	}
	s.narrow.fill(x, p.d)
	s.narrow.run(dst, p.narrow, p.m, p.d)
	if len(exact) == 0 {
		return
	}
	s.out = grow(s.out, len(exact)*2*p.m)
	p.Map64(s.out, exact)
	for k, i := range places {
		vmath.Narrow(dst[i*2*p.m:][:2*p.m], s.out[k*2*p.m:][:2*p.m])
	}
}

// sparse reports whether a row is multiplied coordinate by coordinate.
func (p *Phases) sparse(v data.Vector) bool {
	return v.IsSparse() && sparseShare*len(v.Value) <= p.d
}

// gather maps one row by its stored coordinates.
func (p *Phases) gather(dst []float64, v data.Vector) {
	across, u := p.across(), dst[p.m:]
	clear(u)
	for k, a := range v.Value {
		j := int(v.Index[k])
		if j >= p.d {
			break
		}
		vmath.Axpy(u, a, across[j*p.m:(j+1)*p.m])
	}
	vmath.SinCos(u, dst[:p.m], u, scaleOf[float64](p.m))
}

// fill lays out the chosen rows of x one after the other, d numbers each.
func (t *phaseTile[F]) fill(x data.Source[data.Vector], d int) {
	t.flat = grow(t.flat, len(t.rows)*d)
	for k, i := range t.rows {
		row, v := t.flat[k*d:(k+1)*d], x.At(i)
		if same, ok := any(row).([]float64); ok {
			v.CopyTo(same)
			continue
		}
		if v.IsSparse() {
			clear(row)
			for l, j := range v.Index {
				if int(j) < d {
					row[j] = F(v.Value[l])
				}
			}
			continue
		}
		n := min(d, len(v.Value))
		for j, a := range v.Value[:n] {
			row[j] = F(a)
		}
		clear(row[n:])
	}
}

// run multiplies the rows that were filled in and finishes them, tile by tile.
func (t *phaseTile[F]) run(dst []F, omega func() *gemm.Packed[F], m, d int) {
	n := len(t.rows)
	if n == 0 {
		return
	}
	packed, scale := omega(), scaleOf[F](m)
	t.left.Pack(t.flat, d, n, d)
	t.tile = grow(t.tile, n*min(phaseCols, m))
	for j0 := 0; j0 < m; j0 += phaseCols {
		j1 := min(j0+phaseCols, m)
		w := j1 - j0
		gemm.Tile(t.tile, w, &t.left, packed, j0, j1, false)
		for k, i := range t.rows {
			row := dst[i*2*m:][:2*m]
			vmath.SinCos(row[m+j0:m+j1], row[j0:j1], t.tile[k*w:(k+1)*w], scale)
		}
	}
}

func scaleOf[F gemm.Float](m int) F { return F(1 / math.Sqrt(float64(m))) }
