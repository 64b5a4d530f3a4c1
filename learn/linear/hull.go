package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

const (
	poolRows    = 64    // rows that a pass brings in for a look, at most
	flatPivot   = 1e-13 // a row this near to the plane of the others, squared and relative, is in it
	tinyAlpha   = 1e-12 // α up to which a row is left out
	dropsOfHull = 8     // rows left out, as a multiple of those there, before a search ends
)

// hull is the search for the point nearest to the origin in the convex hull of
// z = y·(x, unit).
//
// Invariant: p = Σ α·z over the corral, whose rows are affinely independent, α
// is positive and sums to 1, and between two searches p is the nearest point of
// the corral's own plane.
type hull struct {
	*sample
	longest float64 // |z|
	corral  []int
	alpha   []float64
	p       *weights

	gram   [][]float64 // z·z of corral rows, row k has k+1 numbers
	factor [][]float64 // of gram + longest², lower triangle
	pool   []int       // rows beyond the plane through p, the farthest first

	margin float64  // least p·z/|p| at the last scan
	best   *weights // the p with the largest of them, and
	most   float64  // that margin,
	least  float64  // and its least p·z
}

// newHull begins at the shortest row.
func newHull(s *sample) *hull {
	v := &hull{sample: s, p: newWeights(s.dim), best: newWeights(s.dim), most: math.Inf(-1)}
	short := 0
	for i, q := range s.norm {
		v.longest = max(v.longest, math.Sqrt(q))
		if q < s.norm[short] {
			short = i
		}
	}
	v.push(short)
	v.alpha = []float64{1}
	v.combine()
	return v
}

// combine computes p from α afresh.
func (v *hull) combine() {
	clear(v.p.w)
	v.p.bias = 0
	for k, i := range v.corral {
		v.add(v.p, i, v.alpha[k]*v.y[i])
	}
}

// scan passes over all rows: it finds the margin of p, and the rows that are
// farthest beyond the plane through p.
func (v *hull) scan(ctl run.Control) {
	product := v.products(ctl, v.p)
	length2 := v.p.length2()
	least := slices.Min(product)
	v.margin = least
	if length2 > 0 {
		v.margin = least / math.Sqrt(length2)
	}
	if v.margin > v.most {
		v.most, v.least = v.margin, least
		v.best.copyFrom(v.p)
	}
	v.pool = v.pool[:0]
	for i, a := range product {
		if a < length2 {
			v.pool = append(v.pool, i)
		}
	}
	slices.SortStableFunc(v.pool, func(a, b int) int { return cmp.Compare(product[a], product[b]) })
	v.pool = v.pool[:min(poolRows, len(v.pool))]
}

// descend brings p to the nearest point of the hull of the corral and the pool.
// It reports whether p came nearer to the origin, and ends early where that is
// within zero.
func (v *hull) descend(ctx context.Context, zero float64) bool {
	begin := v.p.length2()
	for room := dropsOfHull * (len(v.corral) + len(v.pool)); room > 0 && ctx.Err() == nil; room-- {
		length2 := v.p.length2()
		if length2 <= zero*zero {
			break
		}
		next, least := -1, length2*(1-1e-14)
		for k, i := range v.pool {
			if a := v.y[i] * v.score(v.p, i); a < least {
				next, least = k, a
			}
		}
		if next < 0 {
			break
		}
		i := v.pool[next]
		v.pool = slices.Delete(v.pool, next, next+1)
		if slices.Contains(v.corral, i) || !v.push(i) {
			continue // in the plane of the corral to rounding
		}
		v.alpha = append(v.alpha, 0)
		v.pool = append(v.pool, v.settle()...)
		v.combine()
		if v.p.length2() >= length2 {
			break // rounding
		}
	}
	return v.p.length2() < begin
}

// settle moves p to the nearest point of the corral's plane that the corral's
// hull allows, and leaves out the rows that are not needed, until it is the
// nearest of the plane. It returns the rows left out.
func (v *hull) settle() []int {
	var out []int
	for {
		target := v.affine()
		step := 1.0
		for k, a := range v.alpha {
			if b := target[k]; b <= tinyAlpha && a > b {
				step = min(step, max(0, a/(a-b)))
			}
		}
		for k, b := range target {
			v.alpha[k] = max(0, v.alpha[k]+step*(b-v.alpha[k]))
		}
		if step == 1 && slices.Min(v.alpha) > tinyAlpha {
			return out
		}
		drop := 0
		for k, a := range v.alpha {
			if a < v.alpha[drop] {
				drop = k
			}
		}
		if len(v.corral) == 1 {
			v.alpha[0] = 1
			return out
		}
		out = append(out, v.corral[drop])
		v.drop(drop)
	}
}

// affine returns the weights of the point nearest to the origin in the plane of
// the corral: u/Σu with (G + s·11ᵀ)·u = 1, since G·u is constant there.
func (v *hull) affine() []float64 {
	n := len(v.corral)
	u := make([]float64, n)
	for k := range u {
		u[k] = (1 - vmath.Dot(v.factor[k][:k], u[:k])) / v.factor[k][k]
	}
	sum := 0.0
	for k := n - 1; k >= 0; k-- {
		u[k] /= v.factor[k][k]
		vmath.Axpy(u[:k], -u[k], v.factor[k][:k])
		sum += u[k]
	}
	vmath.Scale(u, 1/sum)
	return u
}

// push takes row i into the corral, without α. It reports false and does
// nothing where the row is in the corral's plane.
func (v *hull) push(i int) bool {
	own := newWeights(v.dim)
	v.add(own, i, v.y[i])
	row := make([]float64, len(v.corral)+1)
	for k, j := range v.corral {
		row[k] = v.y[j] * v.score(own, j)
	}
	row[len(v.corral)] = v.norm[i]
	v.corral = append(v.corral, i)
	v.gram = append(v.gram, row)
	if !v.extend(len(v.corral) - 1) {
		v.corral = v.corral[:len(v.corral)-1]
		v.gram = v.gram[:len(v.gram)-1]
		return false
	}
	return true
}

// extend appends row k of the factor.
func (v *hull) extend(k int) bool {
	scale := v.longest * v.longest
	if scale == 0 {
		scale = 1
	}
	row := make([]float64, k+1)
	for j := range k {
		row[j] = (v.gram[k][j] + scale - vmath.Dot(row[:j], v.factor[j][:j])) / v.factor[j][j]
	}
	pivot := v.gram[k][k] + scale - vmath.Dot(row[:k], row[:k])
	if !(pivot > flatPivot*scale) {
		return false
	}
	row[k] = math.Sqrt(pivot)
	v.factor = append(v.factor[:k], row)
	return true
}

// drop leaves out place k of the corral and factorises what comes after it anew.
func (v *hull) drop(k int) {
	v.corral = slices.Delete(v.corral, k, k+1)
	v.alpha = slices.Delete(v.alpha, k, k+1)
	v.gram = slices.Delete(v.gram, k, k+1)
	for j := k; j < len(v.gram); j++ {
		v.gram[j] = slices.Delete(v.gram[j], k, k+1)
	}
	v.factor = v.factor[:k]
	for j := k; j < len(v.corral); j++ {
		if v.extend(j) {
			continue
		}
		// A subset of independent rows is independent but for rounding: leave
		// this one out as well, its α to the others.
		v.corral = slices.Delete(v.corral, j, j+1)
		v.alpha = slices.Delete(v.alpha, j, j+1)
		v.gram = slices.Delete(v.gram, j, j+1)
		for i := j; i < len(v.gram); i++ {
			v.gram[i] = slices.Delete(v.gram[i], j, j+1)
		}
		j--
	}
	sum := 0.0
	for _, a := range v.alpha {
		sum += a
	}
	if sum > 0 {
		vmath.Scale(v.alpha, 1/sum)
	}
}

// certificate returns the combination in order of rows.
func (v *hull) certificate() Certificate {
	order := identity(len(v.corral))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v.corral[a], v.corral[b]) })
	c := Certificate{Bound: math.Sqrt(v.p.length2()), Margin: v.most}
	for _, k := range order {
		c.Row, c.Alpha = append(c.Row, v.corral[k]), append(c.Alpha, v.alpha[k])
	}
	return c
}
