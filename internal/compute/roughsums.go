package compute

import (
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// RoughSums is a Gaussian bound to columns and their weights a, for sums S = Σ_j a_j·K_j and what bounds their error,
// B = Σ_j |a_j|·Part[j]·K_j. It is immutable and safe for concurrent use.
//
// Where the level has sums of powers, K = 2^e with e = -c·|x|² + 2c⟨x,y⟩ - c·|y|² and c = g·log₂e, from the rows
// times 2c: then q = g·(3γ+8u), where γ is counted for each norm and twice for the product, whose partial sums
// are of up to 2c(|x|²+|y|²), and a rounding more is that of the rows; a power is off by 4u.
type RoughSums struct {
	*Rough
	powers *gemm.Powers // nil where the level has none
	scale  float64      // c
	w, v   []float32    // weights of S and B
	pool   sync.Pool    // of *sumRows
}

// roughTerms is how many terms of a sum are added in float32 at most.
const roughTerms = 512

// NewRoughSums is NewRough with a weight a column.
func NewRoughSums(y data.Source[data.Vector], f kernel.Form, workers int, a []float64) *RoughSums {
	c := gaussian(y, f, workers)
	if c == nil {
		return nil
	}
	s := &RoughSums{w: make([]float32, len(a)), v: make([]float32, len(a)), scale: math.Abs(f.Map.A) * math.Log2E}
	powers := f.Map.A < 0 && gemm.HasPowers(c.packed)
	if powers {
		s.Rough = rough(c, 3, 8, 5+roughTerms)
	} else {
		s.Rough = rough(c, 2, 7, 2+roughTerms)
	}
	for j, w := range a {
		s.w[j], s.v[j] = float32(w), float32(math.Abs(w)*s.Part[j])
	}
	if powers {
		beta := make([]float32, c.n)
		for j, yy := range c.norm2 {
			beta[j] = float32(-s.scale * float64(yy))
		}
		s.powers = gemm.PackPowers(c.packed, beta, s.w, s.v)
	}
	s.pool.New = func() any { return new(sumRows) }
	return s
}

// sumRows is memory for the sums of a few rows.
type sumRows struct {
	alpha []float32
	sums  gemm.PowerSums
	tile  []float32
}

// Sum sets sum[i] and bound[i] to S and B of row i, and own[i] to e_i, on the calling goroutine.
func (s *RoughSums) Sum(sum, bound, own []float64, x data.Source[data.Vector]) {
	m := s.pool.Get().(*sumRows)
	defer s.pool.Put(m)
	if s.powers != nil {
		s.sumPowers(m, sum, bound, own, x)
	} else {
		s.sumTiles(m, sum, bound, own, x)
	}
}

func (s *RoughSums) sumPowers(m *sumRows, sum, bound, own []float64, x data.Source[data.Vector]) {
	c, n := s.c, x.Len()
	r := c.pool.Get().(*rows[float32])
	defer c.pool.Put(r)
	r.fill(x)
	r.norms(x)
	m.alpha = grow(m.alpha, n)
	for i, xx := range r.norm2 {
		own[i], m.alpha[i] = growth(s.rate*float64(xx)), float32(-s.scale*float64(xx))
	}
	vmath.Scale(r.flat, float32(2*s.scale))
	if c.few && r.thin.Pack(r.flat, c.d, n, c.d) {
		m.sums.SumThin(sum, bound, &r.thin, m.alpha, s.powers)
		return
	}
	r.left.Pack(r.flat, c.d, n, c.d)
	m.sums.Sum(sum, bound, &r.left, m.alpha, s.powers)
}

func (s *RoughSums) sumTiles(m *sumRows, sum, bound, own []float64, x data.Source[data.Vector]) {
	r := s.Rows(own, x)
	defer r.Release()
	_, wide := s.TileSize()
	m.tile = grow(m.tile, x.Len()*wide)
	clear(sum)
	clear(bound)
	for left := 0; left < len(s.w); left += wide {
		right := min(left+wide, len(s.w))
		r.Tile32(m.tile, wide, left, right)
		for i := range sum {
			row := m.tile[i*wide:][:right-left]
			sum[i] += float64(vmath.Dot(row, s.w[left:right]))
			bound[i] += float64(vmath.Dot(row, s.v[left:right]))
		}
	}
}
