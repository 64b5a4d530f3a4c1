package project

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Kinds of sparse projections. A density that neither has is part of the name:
// "sparse:0.05".
const (
	KindSparse     = "sparse"     // density 1/√n
	KindAchlioptas = "achlioptas" // density 1/3
)

// Sparse is x ↦ x·A with independent entries of A: ±1/√(Density·Dim), each sign
// with probability Density/2, and else 0.
//
// At a density of 1/3 (NewAchlioptas) the bound of Gaussian holds for every
// vector (Achlioptas 2003), with a third of the entries; that is so for every
// density from 1/3 to 1. Below, the variance of |x'|²/|x|² is
//
//	(2 + (1/Density - 3)·Σx_i⁴/|x|⁴)/Dim
//
// which is Gaussian's 2/Dim for vectors whose length is spread over many
// coordinates and far more for those of a few (Li, Hastie and Church 2006, who
// take 1/√n, as NewSparse does).
type Sparse struct {
	Dim     int     // coordinates of the image, at least 1
	Density float64 // share of entries that are not 0, in (0, 1]; 0 means 1/√n
	Seed    uint64  // 0 is a seed like any other
}

// NewSparse returns the recipe of a very sparse projection, of density 1/√n.
func NewSparse(dim int, s uint64) Sparse { return Sparse{Dim: dim, Seed: s} }

// NewAchlioptas returns the recipe of a projection of density 1/3.
func NewAchlioptas(dim int, s uint64) Sparse { return Sparse{Dim: dim, Density: 1.0 / 3, Seed: s} }

// Kind returns KindSparse for a Density of 0, KindAchlioptas for one of 1/3, and
// else KindSparse with the density after a colon.
func (s Sparse) Kind() string {
	switch s.Density {
	case 0:
		return KindSparse
	case 1.0 / 3:
		return KindAchlioptas
	}
	return KindSparse + ":" + strconv.FormatFloat(s.Density, 'g', -1, 64)
}

// Validate reports a Dim below 1 and a Density outside of [0, 1].
func (s Sparse) Validate() error {
	if s.Density == 0 {
		return validateDim(KindSparse, s.Dim)
	}
	return errors.Join(validateDim(KindSparse, s.Dim), validateDensity(KindSparse, s.Density))
}

func validateDensity(kind string, density float64) error {
	if !(density > 0 && density <= 1) {
		return fmt.Errorf("%s projection: the density is %v and must be above 0 and at most 1, or 0 for 1/√n", kind, density)
	}
	return nil
}

// Fit draws the projection of vectors of in coordinates. It takes about ten
// random words for 64 entries, and eight bytes for an entry that is not 0.
func (s Sparse) Fit(in int) (*Projection, error) {
	density := s.Density
	if density == 0 {
		density = 1 / math.Sqrt(float64(max(in, 1)))
	}
	// Entries by row and by column, and where these begin and end.
	bytes := 8*density*float64(in)*float64(s.Dim) + 8*float64(in) + 32*float64(s.Dim)*(float64(in)/slab+1)
	if err := errors.Join(s.Validate(), validateIn(KindSparse, in)); err != nil {
		return nil, err
	}
	if err := check(s.Kind(), in, s.Dim, bytes); err != nil {
		return nil, err
	}
	if s.Dim > math.MaxInt32/2 {
		return nil, fmt.Errorf("%s projection: dim is %d and must be below 2³⁰", s.Kind(), s.Dim)
	}
	f := &sparse{n: in, out: s.Dim, scale: 1 / math.Sqrt(density*float64(s.Dim)), start: make([]int, 1, in+1)}
	for lo := 0; lo < in; lo += blockRows {
		r := seed.Stream(s.Seed, seed.Projection, stream(lawSparse, lo/blockRows))
		for range min(blockRows, in-lo) {
			f.entry = drawRow(f.entry, s.Dim, density, r)
			f.start = append(f.start, len(f.entry))
		}
	}
	f.byColumn()
	f.pool.New = f.newSums
	return &Projection{kind: s.Kind(), seed: s.Seed, in: in, out: s.Dim, form: f}, nil
}

// drawRow appends the entries of a row that are not 0: 2·j for +1 in column j and
// 2·j + 1 for -1. It draws 64 entries at a time.
func drawRow(entry []int32, out int, density float64, r *rand.Rand) []int32 {
	for j := 0; j < out; j += 64 {
		chosen := happens(density, r)
		sign := r.Uint64()
		if left := out - j; left < 64 {
			chosen &= 1<<left - 1
		}
		for chosen != 0 {
			b := bits.TrailingZeros64(chosen)
			chosen &= chosen - 1
			entry = append(entry, int32(2*(j+b))|int32(sign>>b&1))
		}
	}
	return entry
}

// happens returns 64 independent bits that are 1 with probability p, in (0, 1].
// Each bit compares a random fraction u, drawn bit by bit from the highest, with
// the first 64 bits of p: it is 1 if u is less. Invariant: the bits of open are
// those for which u and p agree so far. Half of them go at each step, so that
// about eight are needed.
func happens(p float64, r *rand.Rand) uint64 {
	if p >= 1 {
		return ^uint64(0)
	}
	open, less := ^uint64(0), uint64(0)
	for digits := uint64(p * 0x1p64); open != 0 && digits != 0; digits <<= 1 {
		u := r.Uint64()
		if digits>>63 == 1 {
			less |= open &^ u
			open &= u
		} else {
			open &^= u
		}
	}
	return less
}

// byColumn sorts the entries into the lists of columns, slab by slab.
func (f *sparse) byColumn() {
	lists := 2 * f.out
	slabs := (f.n + slab - 1) / slab
	f.bound = make([]int, slabs*lists+1)
	list := func(i int, e int32) int { return i/slab*lists + int(e) }
	f.each(func(i int, e int32) { f.bound[list(i, e)+1]++ })
	for l := range slabs * lists {
		f.bound[l+1] += f.bound[l]
	}
	f.row = make([]int32, len(f.entry))
	next := append([]int(nil), f.bound...)
	f.each(func(i int, e int32) {
		at := &next[list(i, e)]
		f.row[*at] = int32(i % slab)
		*at++
	})
}

// each visits the entries row by row.
func (f *sparse) each(visit func(i int, e int32)) {
	for i := range f.n {
		for _, e := range f.entry[f.start[i]:f.start[i+1]] {
			visit(i, e)
		}
	}
}

func (f *sparse) matrix() *data.Matrix {
	a := data.NewMatrix(f.n, f.out)
	f.each(func(i int, e int32) {
		a.Row(i)[e/2] = f.scale * float64(1-2*(e&1))
	})
	return a
}
