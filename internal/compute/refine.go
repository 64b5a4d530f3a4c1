package compute

import (
	"math"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/kernel"
)

// A squared distance from norms and an inner product is off by about
// ε·(|x|²+|y|²), whatever its size. In float64 that is lost in rounding. In
// float32, with ε = 6e-8, a kernel of slope g at distance 0, such as exp(-g·d²),
// feels it where g·(|x|²+|y|²) is large and the points are close, so that the
// value is not small: there the distance is computed again from the differences
// of the coordinates, in float64. The Matérn kernel of smoothness 1/2, exp(-d/ℓ),
// has an infinite slope: it feels the root of the error, in float64 too.
// docs/math/precision.md and docs/math/kernels.md derive the bounds.
const (
	refineWeight = 32       // g·(|x|²+|y|²) above which float32 needs care
	refineClose  = 1.0 / 32 // d²/(|x|²+|y|²) below which points are close
	refineDouble = 0x1p-20  // the same in float64, for an infinite slope
)

// slope returns |f'| at distance 0, for the functions that fall from there; 0 for
// others.
func slope(f kernel.Scalar) float64 {
	switch {
	case f.Op == kernel.Exp:
		return -f.A
	case f.Op == kernel.Power && f.P < 0 && f.B == 1:
		return -f.P * f.A
	case f.Op == kernel.Matern && f.P == 0.5:
		return math.Inf(1)
	case f.Op == kernel.Matern:
		return f.A / (4*f.P - 4) // A/2 for 1.5, A/6 for 2.5
	}
	return 0
}

// cancels reports whether some distance of a row may need to be refined.
func (r *rows[F]) cancels(xx F) bool {
	g := slope(r.c.form.Map)
	if !single[F]() && !math.IsInf(g, 1) {
		return false
	}
	return g*float64(xx+r.c.top) > refineWeight
}

func single[F gemm.Float]() bool {
	var f F
	_, is := any(f).(float32)
	return is
}

// refine computes the squared distances of close points again.
func (r *rows[F]) refine(row []F, i, j0 int) {
	xx := r.norm2[i]
	if !r.cancels(xx) {
		return
	}
	x, g, near := r.x.At(i), slope(r.c.form.Map), F(refineClose)
	if !single[F]() {
		near = refineDouble
	}
	for j, d2 := range row {
		size := xx + r.c.norm2[j0+j]
		if d2 < near*size && g*float64(size) > refineWeight {
			row[j] = F(x.Distance2(r.c.y.At(j0 + j)))
		}
	}
}
