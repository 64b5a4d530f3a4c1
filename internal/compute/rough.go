package compute

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Rough is the column side of a Gaussian exp(-g·|x-y|²) in float32 with bounds on what its
// values, and sums of them, are off. Points that are close are not looked at one by one. It
// is immutable and safe for concurrent use.
//
// A value K' for the instances i and j has |K'-K| ≤ ((1+e_i)(1+Part[j]) - 1)·K with
//
//	1 + e_i     = e^{q·|x_i|²}
//	1 + Part[j] = e^{q·|y_j|²}·(1 + (2+s)·u),   q = g·(2γ+7u)
//
// where u = 2⁻²⁴, s is the number of roundings in a sum, and E = q/g·(|x|²+|y|²) bounds the
// error of a squared distance (docs/math/precision.md). γ is that of sums one term after the
// other. The norms are as they were rounded, a part of some u too small at most, for which
// a hundredth is added.
type Rough struct {
	c           *columns[float32]
	rate        float64 // q
	Part        []float64
	Least, Most float64 // of Part; 0 where there are no columns
}

// NewRough packs the columns for sums with so many roundings, nil where the form has no such
// bounds or the columns are stored in another way. They are packed by so many workers.
func NewRough(y data.Source[data.Vector], f kernel.Form, workers, roundings int) *Rough {
	c := gaussian(y, f, workers)
	if c == nil {
		return nil
	}
	return rough(c, 2, 7, 2+roundings)
}

// gaussian packs the columns of a Gaussian that has bounds in float32, nil where it has none.
func gaussian(y data.Source[data.Vector], f kernel.Form, workers int) *columns[float32] {
	c, ok := On(run.Float32, workers).Columns(y, f).(*columns[float32])
	if !ok || f.Pair != kernel.Distance2 || f.Map.Op != kernel.Exp || f.Map.B != 0 || f.Normalized || c.packed == nil ||
		!(float64(c.d+1)*unit < 0.5) {
		return nil
	}
	return c
}

// unit is the unit roundoff of float32.
const unit = 0x1p-24

// rough returns the bounds where a squared distance is off by the part of |x|²+|y|² that so many γ
// and so many more roundings are, and a value, with what becomes of it in sums, by so many roundings.
func rough(c *columns[float32], sums, distance, value int) *Rough {
	m := float64(c.d+1) * unit
	r := &Rough{c: c, rate: math.Abs(c.form.Map.A) * 1.01 * (float64(sums)*m/(1-m) + float64(distance)*unit),
		Part: make([]float64, c.n)}
	rounding := 1.01 * float64(value) * unit
	for j, yy := range c.norm2 {
		p := growth(r.rate * float64(yy))
		r.Part[j] = p + rounding*(1+p)
		if j == 0 || r.Part[j] < r.Least {
			r.Least = r.Part[j]
		}
		r.Most = max(r.Most, r.Part[j])
	}
	return r
}

// growth returns e^z - 1 for z ≥ 0, or a little more where that is small.
func growth(z float64) float64 {
	if z < 0.01 {
		return z + z*z
	}
	return math.Expm1(z)
}

// TileSize returns a size of tiles that stays in cache.
func (r *Rough) TileSize() (rows, cols int) { return r.c.TileSize() }

// Rows packs the row side, and sets own[i] to e_i.
func (r *Rough) Rows(own []float64, x data.Source[data.Vector]) Rows {
	s := r.c.Rows(x).(*rows[float32])
	s.rough = true
	for i, xx := range s.norm2 {
		own[i] = growth(r.rate * float64(xx))
	}
	return s
}
