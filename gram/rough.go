package gram

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Rough is a Gaussian bound to instances y_0 … y_{m-1} for sums of its values in float32 on
// the CPU, beside a bound on what they are off: to decide what need not be known with more
// digits. It is immutable and safe for concurrent use.
//
// A sum S = Σ_j a_j·K(x_i, y_j) comes with the sum B of the values times
//
//	Bounds(a)[j] = |a_j|·p_j
//
// and is off by at most Off(own, B) + Lost(a), where own is what Tile says of x_i: p_j has
// the rounding of y_j and of the sum, own that of x_i.
type Rough[T any] struct{ rough *compute.Rough }

// RoughOn binds the kernel on the cores of the run, for sums of at most so many roundings. It is nil for
// kernels without such bounds, and where vectors are sparse and of many coordinates.
func RoughOn[T any](ctl run.Control, k kernel.Kernel[T], y data.Source[T], roundings int) *Rough[T] {
	form, ok := kernel.FormOf(k)
	vectors, are := any(y).(data.Source[data.Vector])
	if !ok || !are {
		return nil
	}
	r := compute.NewRough(vectors, form, ctl.Cores(), roundings)
	if r == nil {
		return nil
	}
	return &Rough[T]{rough: r}
}

// Bounds sets dst to the weights of the sum that bounds a sum with the weights a.
func (r *Rough[T]) Bounds(dst, a []float64) {
	for j, w := range a {
		dst[j] = math.Abs(w) * r.rough.Part[j]
	}
}

// Off returns what a sum is off by at most, +Inf for no bound. With e = own and the
// least part p of a column, Σ|a_j|·K_j·((1+e)(1+p_j) - 1) ≤ B·(e/p + 1 + e), where B is of values that
// are themselves off by that part.
func (r *Rough[T]) Off(own, b float64) float64 {
	part := own + (1+own)*r.rough.Most
	if !(part < 0.5) {
		return math.Inf(1)
	}
	return b / (1 - part) * (own/r.rough.Least + 1 + own)
}

// Size returns what Σ|a_j|·K_j is at most, by the sum that bounds its error.
func (r *Rough[T]) Size(own, b float64) float64 { return 2 * r.Off(own, b) / r.rough.Least }

// Lost returns what sums with the weights a lose where terms are below the least normal number,
// times the 2¹⁴ that Off multiplies with at most.
func (r *Rough[T]) Lost(a []float64) float64 {
	total := float64(len(a))
	for _, w := range a {
		total += math.Abs(w)
	}
	return total * 0x1p-110
}

// Tile sets dst[i*Len()+j] to K(x_i, y_j), and own[i] to the part of each value that is due
// to x_i, on the calling goroutine. Values are not looked at: what is no number passes
// into sums.
func (r *Rough[T]) Tile(dst []float32, own []float64, x data.Source[T]) {
	s := r.rows(own, x)
	defer s.Release()
	m := len(r.rough.Part)
	_, cols := r.rough.TileSize()
	for left := 0; left < m; left += cols {
		s.Tile32(dst[left:], m, left, min(left+cols, m))
	}
}

func (r *Rough[T]) rows(own []float64, x data.Source[T]) compute.Rows {
	return r.rough.Rows(own, any(x).(data.Source[data.Vector]))
}
