package eval

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// ConvexSquares returns the convex combination of candidates with the least squared
// error,
//
//	min Σ_r w_r (Σ_i a_i s_i(r) - y_r)²   over a_i ≥ 0, Σ a_i = 1
//
// where scores[i] are the numbers that candidate i predicts for rows, which had
// best be held out, y the numbers themselves, and weight those of the rows, nil for 1
// each. A candidate with a score that is not finite has the coefficient 0; where
// there is no other the result is nil. Candidates that add nothing, such as a second
// copy of one, have 0 too.
//
// Since Σ a_i = 1 this is the point of least length in the convex hull of the
// residuals, and is found by Wolfe's active sets: exactly but for rounding, in time
// O(k²n) for k candidates and n rows, and a few steps of O(k³). The squared error is
// within 1e-12 of the least, relatively.
//
// Reference: Wolfe 1976; Breiman 1996 for stacking with such coefficients.
func ConvexSquares(scores [][]float64, y, weight []float64) []float64 {
	for _, s := range scores {
		if len(s) != len(y) {
			panic("eval: scores and numbers of different length")
		}
	}
	if weight != nil && len(weight) != len(y) {
		panic("eval: weights and numbers of different length")
	}
	h := newHull(scores, y, weight)
	if len(h.finite) == 0 {
		return nil
	}
	h.solve()
	out := make([]float64, len(scores))
	for i, j := range h.active {
		out[h.finite[j]] = h.a[i]
	}
	return out
}

// hull is the search for the point of least length in the convex hull of points that
// are known by their inner products.
//
// Invariant: a > 0 on the active points, Σ a = 1, and the active points are affinely
// independent.
type hull struct {
	finite []int       // candidates that take part
	gram   [][]float64 // of their residuals, the least on the diagonal 1
	active []int
	a      []float64
}

// tooFar is how many times longer than the shortest residual one is whose coefficient
// would be lost in rounding.
const tooFar = 1e15

func newHull(scores [][]float64, y, weight []float64) *hull {
	h := &hull{}
	var residuals [][]float64
	var lengths []float64
	for i, s := range scores {
		e := make([]float64, len(y))
		for r := range e {
			e[r] = s[r] - y[r]
			if weight != nil {
				e[r] *= math.Sqrt(weight[r])
			}
		}
		if vmath.Finite(e) < 0 {
			h.finite, residuals, lengths = append(h.finite, i), append(residuals, e), append(lengths, length(e))
		}
	}
	if len(h.finite) == 0 {
		return h
	}
	least, n := slices.Min(lengths), 0
	for i, e := range residuals {
		if lengths[i]/tooFar > least && least > 0 {
			continue
		}
		h.finite[n], residuals[n] = h.finite[i], e
		n++
		for r := range e {
			if least > 0 {
				e[r] /= least
			}
		}
	}
	h.finite, residuals = h.finite[:n], residuals[:n]
	h.gram = make([][]float64, n)
	for i, e := range residuals {
		h.gram[i] = make([]float64, n)
		for j := range i + 1 {
			h.gram[i][j] = vmath.Dot(e, residuals[j])
			h.gram[j][i] = h.gram[i][j]
		}
	}
	return h
}

// length returns |e|, without overflow on the way.
func length(e []float64) float64 {
	largest, sum := 0.0, 0.0
	for _, v := range e {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return 0
	}
	for _, v := range e {
		sum += v / largest * (v / largest)
	}
	return largest * math.Sqrt(sum)
}

// Tolerances, above the rounding of inner products: a point p must lie below the
// hyperplane by more than convexTolerance·|p| times the distance of that for a step
// to it, which would gain the square of that part; and a pivot must be more than
// pivotTolerance of its diagonal.
const (
	convexTolerance = 1e-9
	pivotTolerance  = 1e-13
)

// solve adds the point that lies farthest below the hyperplane through the nearest
// point so far, until there is none. The length falls with each, so that no active
// set comes twice; the limit guards against rounding alone.
func (h *hull) solve() {
	best := 0
	for i := range h.gram {
		if h.gram[i][i] < h.gram[best][best] {
			best = i
		}
	}
	h.active, h.a = []int{best}, []float64{1}
	refused := make([]bool, len(h.gram))
	for range 100 * len(h.gram) {
		square := 0.0
		for i, j := range h.active {
			square += h.a[i] * h.along(j)
		}
		next, farthest := -1, convexTolerance
		for j := range h.gram {
			depth := (square - h.along(j)) / math.Sqrt(square*h.gram[j][j])
			if !refused[j] && depth > farthest {
				next, farthest = j, depth
			}
		}
		if next < 0 {
			return
		}
		if h.add(next) {
			clear(refused)
		} else {
			refused[next] = true
		}
	}
}

// along returns the inner product of point j with the nearest point so far.
func (h *hull) along(j int) float64 {
	sum := 0.0
	for i, k := range h.active {
		sum += h.a[i] * h.gram[j][k]
	}
	return sum
}

// add makes a point active and moves to the least length over the active ones,
// dropping those that the way there leaves. It reports whether that could be done.
func (h *hull) add(j int) bool {
	for _, k := range h.active {
		if k == j {
			return false
		}
	}
	active, a := append([]int(nil), h.active...), append([]float64(nil), h.a...)
	h.active, h.a = append(h.active, j), append(h.a, 0)
	for {
		b := h.affine()
		if b == nil {
			h.active, h.a = active, a
			return false
		}
		// The way from a to b leaves the simplex where the first coefficient is 0.
		step, first := 1.0, -1
		for i := range b {
			if b[i] <= 0 {
				if s := h.a[i] / (h.a[i] - b[i]); s < step || first < 0 {
					step, first = s, i
				}
			}
		}
		sum := 0.0
		for i := range b {
			h.a[i] += step * (b[i] - h.a[i])
			if i == first || h.a[i] < 0 {
				h.a[i] = 0
			}
			sum += h.a[i]
		}
		h.drop(sum)
		if first < 0 {
			return true
		}
	}
}

// drop leaves out the points of coefficient 0 and divides by the sum of the others.
func (h *hull) drop(sum float64) {
	n := 0
	for i, v := range h.a {
		if v > 0 {
			h.active[n], h.a[n] = h.active[i], v/sum
			n++
		}
	}
	h.active, h.a = h.active[:n], h.a[:n]
}

// affine returns the coefficients, which sum to 1, of the point of least length in
// the plane through the active points, nil where these are dependent: with
// (G + 11ᵀ)u = 1 they are u/Σu.
func (h *hull) affine() []float64 {
	n := len(h.active)
	l := make([][]float64, n)
	for i := range n {
		l[i] = make([]float64, n)
		for j := range i + 1 {
			v := 1 + h.gram[h.active[i]][h.active[j]]
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			switch {
			case i != j:
				l[i][j] = v / l[j][j]
			case v > pivotTolerance*(1+h.gram[h.active[i]][h.active[i]]):
				l[i][i] = math.Sqrt(v)
			default:
				return nil
			}
		}
	}
	u := make([]float64, n)
	for i := range n {
		u[i] = 1
		for k := range i {
			u[i] -= l[i][k] * u[k]
		}
		u[i] /= l[i][i]
	}
	sum := 0.0
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			u[i] -= l[k][i] * u[k]
		}
		u[i] /= l[i][i]
		sum += u[i]
	}
	if !(sum > 0) {
		return nil
	}
	for i := range u {
		u[i] /= sum
	}
	return u
}
