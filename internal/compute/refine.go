package compute

import (
	"github.com/kerf-ml/kerf/kernel"
)

// A squared distance from norms and an inner product is off by about
// ε·(|x|²+|y|²), whatever its size. In float64 that is lost in rounding. In
// float32, with ε = 6e-8, exp(-γ·d²) feels it where γ·(|x|²+|y|²) is large and
// the points are close, so that the value is not small: there the distance is
// computed again from the differences of the coordinates, in float64.
// docs/math/precision.md derives the bound.
const (
	refineWeight = 32       // γ·(|x|²+|y|²) above which float32 needs care
	refineClose  = 1.0 / 32 // d²/(|x|²+|y|²) below which points are close
)

// cancels reports whether some distance of a row may need to be refined.
func (r *rows[F]) cancels(xx F) bool {
	var f F
	if _, single := any(f).(float32); !single {
		return false
	}
	m := r.c.form.Map
	return m.Op == kernel.Exp && -m.A*float64(xx+r.c.top) > refineWeight
}

// refine computes the squared distances of close points again.
func (r *rows[F]) refine(row []F, i, j0 int) {
	xx := r.norm2[i]
	if !r.cancels(xx) {
		return
	}
	x := r.x.At(i)
	for j, d2 := range row {
		size := xx + r.c.norm2[j0+j]
		if d2 < refineClose*size && -r.c.form.Map.A*float64(size) > refineWeight {
			row[j] = F(x.Distance2(r.c.y.At(j0 + j)))
		}
	}
}
