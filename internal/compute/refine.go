package compute

import (
	"math"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// A squared distance from norms and an inner product is off by about
// ε·(|x|²+|y|²), whatever its size. A kernel of slope g at distance 0, such as
// exp(-g·d²), feels it where g·(|x|²+|y|²) is large and the points are close, so
// that the value is not small: there the distance is computed again from the
// differences of the coordinates, in float64. In float32 that is soon so; in
// float64 only for kernels that are narrow beside the data, but factorisations
// look at values of 1e-12. The Matérn kernel of smoothness 1/2, exp(-d/ℓ), has an
// infinite slope: it feels the root of the error. docs/math/precision.md and
// docs/math/kernels.md derive the bounds.
const (
	refineSingle = 32       // g·(|x|²+|y|²) above which float32 needs care
	refineDouble = 256      // and float64
	refineClose  = 1.0 / 32 // d²/(|x|²+|y|²) below which points are close
	refineSteep  = 0x1p-20  // the same in float64, for an infinite slope
	refineFar    = 64       // g·d² from which on exp(-g·d²) is as good as 0, in float64
)

// slope returns |f'| at distance 0, for the functions that fall from there; 0 for
// others.
func slope(f kernel.Scalar) float64 {
	switch {
	case f.Op == kernel.Exp:
		return -f.A
	case f.Op == kernel.Power && f.P < 0 && f.B == 1:
		return -f.P * f.A
	case f.Op == kernel.Matern && f.P == 0.5, f.Op == kernel.Stretched && f.P < 1:
		return math.Inf(1)
	case f.Op == kernel.Stretched:
		return f.A
	case f.Op == kernel.Matern:
		return f.A / (4*f.P - 4) // A/2 for 1.5, A/6 for 2.5
	}
	return 0
}

// Closeness says which distances are computed again.
type Closeness struct {
	Slope  float64 // |f'| at distance 0
	Weight float64 // slope·(|x|²+|y|²) above which to look
	Near   float64 // d²/(|x|²+|y|²) below which points are close
	Far    float64 // d² from which on values do not matter
}

// ClosenessOf returns the rule for a function in the precision F.
func ClosenessOf[F gemm.Float](f kernel.Scalar) Closeness {
	c := Closeness{Slope: slope(f), Weight: refineDouble, Near: refineClose, Far: math.Inf(1)}
	var zero F
	_, single := any(zero).(float32)
	switch {
	case single:
		c.Weight = refineSingle
	case math.IsInf(c.Slope, 1):
		c.Near = refineSteep
	case f.Op == kernel.Exp:
		c.Far = refineFar / c.Slope
	}
	return c
}

// cancels reports whether some distance of a row may need to be refined.
func (r *rows[F]) cancels(xx F) bool {
	return r.c.close.Slope*float64(xx+r.c.top) > r.c.close.Weight
}

// refine computes the squared distances of close points again.
func (r *rows[F]) refine(row []F, i, j0 int) {
	xx := r.norm2[i]
	if !r.cancels(xx) {
		return
	}
	x, c, yy := r.x.At(i), r.c.close, r.c.norm2[j0:][:len(row)]
	near, least := F(c.Near), F(c.Weight/c.Slope*(1-0x1p-20)) // what is close is so for these too
	for j := 0; ; j++ {
		next := vmath.Close(row[j:], yy[j:], xx, near, least)
		if next < 0 {
			return
		}
		j += next
		size := float64(xx + yy[j])
		if d := float64(row[j]); d < c.Near*size && d < c.Far && c.Slope*size > c.Weight {
			row[j] = F(x.Distance2(r.c.y.At(j0 + j)))
		}
	}
}
