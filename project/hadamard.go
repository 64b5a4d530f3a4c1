package project

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// KindHadamard names subsampled randomised Hadamard transforms.
const KindHadamard = "hadamard"

// Hadamard is the subsampled randomised Hadamard transform
//
//	x ↦ S·H·D·x/√Dim
//
// D gives each coordinate a random sign; x is padded with zeros to N
// coordinates, the power of two from n on; H is the N × N matrix of entries
// (-1)^popcount(i&k); and S picks Dim of the N coordinates, without replacement
// and in increasing order. From Dim = N on all are picked, the factor is 1/√N,
// the coordinates past N are 0, and lengths and angles are kept but for
// rounding.
//
// The image takes N·log2(N) additions, whatever Dim is, and the projection holds
// no matrix. The mean of |x'|² is |x|² for every x. Its law depends on x: H·D
// spreads most vectors so evenly that it is close to Gaussian's, but it is not
// for vectors of a few equal coordinates, and the tails that are proven have
// logarithmic factors (Ailon and Chazelle 2009; Tropp 2011) where those of
// Gaussian have none.
type Hadamard struct {
	Dim  int    // coordinates of the image, at least 1
	Seed uint64 // 0 is a seed like any other
}

// Kind returns KindHadamard.
func (Hadamard) Kind() string { return KindHadamard }

// Validate reports a Dim below 1.
func (h Hadamard) Validate() error { return validateDim(KindHadamard, h.Dim) }

// signBlock is how many signs come from one random stream. It is part of what a
// seed means and never changes.
const signBlock = 4096

// Fit draws the signs and the coordinates, in O(N) time and memory.
func (h Hadamard) Fit(in int) (*Projection, error) {
	if err := check(KindHadamard, in, h.Dim, 32*float64(in)+4*float64(h.Dim)); err != nil {
		return nil, err
	}
	if in > math.MaxInt32/2 {
		return nil, fmt.Errorf("hadamard projection: %d coordinates are more than %d", in, math.MaxInt32/2)
	}
	f := &hadamard{n: in, out: h.Dim, padded: 1, sign: make([]float64, in)}
	if in > 1 {
		f.padded = 1 << bits.Len(uint(in-1))
	}
	for lo := 0; lo < in; lo += signBlock {
		fillSign(f.sign[lo:min(lo+signBlock, in)], seed.Stream(h.Seed, seed.Projection, stream(lawHadamard, 1+lo/signBlock)))
	}
	f.sign32 = make([]float32, in)
	convert(f.sign32, f.sign)
	f.places = make([]int32, min(f.padded, h.Dim))
	for j, k := range seed.Stream(h.Seed, seed.Projection, stream(lawHadamard, 0)).Perm(f.padded)[:len(f.places)] {
		f.places[j] = int32(k)
	}
	slices.Sort(f.places)
	f.pick = vmath.Choose(f.padded, f.places)
	f.scale = 1 / math.Sqrt(float64(len(f.places)))
	f.pool.New = f.scratch64
	return &Projection{kind: KindHadamard, seed: h.Seed, in: in, out: h.Dim, form: f}, nil
}

// hadamard is the form of a Hadamard projection.
type hadamard struct {
	n, out, padded int
	sign           []float64 // of each coordinate of x
	sign32         []float32
	places         []int32 // that are picked
	pick           vmath.Chosen
	scale          float64
	pool           sync.Pool // of *[]float64, for apply
}

func (f *hadamard) matrix() *data.Matrix {
	a := data.NewMatrix(f.n, f.out)
	for i, s := range f.sign {
		row := a.Row(i)
		for j, k := range f.places {
			row[j] = s * f.scale
			if bits.OnesCount(uint(i)&uint(k))%2 == 1 {
				row[j] = -row[j]
			}
		}
	}
	return a
}

func (f *hadamard) scratch64() any {
	s := make([]float64, f.padded)
	return &s
}

func (f *hadamard) apply(dst []float64, v data.Vector) {
	space := f.pool.Get().(*[]float64)
	lay((*space)[:f.n], v)
	vmath.Times((*space)[:f.n], (*space)[:f.n], f.sign)
	transform(f, dst, *space, &ahead{})
	f.pool.Put(space)
}

// transform writes the image of the first n coordinates of x, which have their
// signs, into dst. It uses all of x, which has as many coordinates as the padded
// vector. Between its steps it asks for what comes next.
func transform[F gemm.Float](f *hadamard, dst, x []F, next *ahead) {
	clear(x[f.n:])
	next.ask()
	vmath.Hadamard(x)
	next.ask()
	vmath.Gather(dst[:f.pick.Len()], F(f.scale), x, f.pick)
	clear(dst[f.pick.Len():])
	next.ask()
}

// asks is how often transform asks for a part of the row that comes next.
const asks = 3

// ahead is what is left to ask for of a row that lies in memory, in one of the two
// precisions. Memory works on it while the processor transforms the row before.
type ahead struct {
	wide   []float64
	narrow []float32
	part   int
}

// upcoming returns vector i of x, where there is one before end and it is dense.
func upcoming(x data.Source[data.Vector], i, end int) (a ahead) {
	if i >= end {
		return a
	}
	if row, ok := data.Row32(x, i); ok {
		a.narrow = row
	} else if v := x.At(i); v.Index == nil {
		a.wide = v.Value
	}
	a.part = (len(a.narrow) + len(a.wide) + asks - 1) / asks
	return a
}

// ask asks for the next part.
func (a *ahead) ask() {
	wide, narrow := min(a.part, len(a.wide)), min(a.part, len(a.narrow))
	vmath.Prefetch(a.wide[:wide])
	vmath.Prefetch(a.narrow[:narrow])
	a.wide, a.narrow = a.wide[wide:], a.narrow[narrow:]
}

func (f *hadamard) mapper64() mapper[float64] { return hadamardMapper[float64]{f, f.sign} }
func (f *hadamard) mapper32() mapper[float32] { return hadamardMapper[float32]{f, f.sign32} }

type hadamardMapper[F gemm.Float] struct {
	f     *hadamard
	signs []F
}

// sign writes the coordinates of vector i of x into dst, each with its sign.
func (m hadamardMapper[F]) sign(dst []F, x data.Source[data.Vector], i int) {
	var row any
	if narrow, ok := data.Row32(x, i); ok {
		row = narrow
	} else if v := x.At(i); v.Index == nil {
		row = v.Value
	}
	if same, ok := row.([]F); ok && len(same) >= len(dst) {
		vmath.Times(dst, same[:len(dst)], m.signs)
		return
	}
	fill(dst, x, i)
	vmath.Times(dst, dst, m.signs)
}

func (m hadamardMapper[F]) bytes(workers int) float64                { return Bytes(m.f.padded, workers) }
func (hadamardMapper[F]) prepare(context.Context, run.Control) error { return nil }

// rows makes blocks of about 2¹⁷ numbers.
func (m hadamardMapper[F]) rows() int { return max(1, 1<<17/m.f.padded) }

func (m hadamardMapper[F]) scratch() any { return make([]F, m.f.padded) }

func (m hadamardMapper[F]) block(dst []F, x data.Source[data.Vector], lo, hi int, scratch any) {
	d, row := m.f.out, scratch.([]F)
	for i := lo; i < hi; i++ {
		next := upcoming(x, i+1, hi)
		m.sign(row[:m.f.n], x, i)
		transform(m.f, dst[(i-lo)*d:][:d], row, &next)
	}
}
