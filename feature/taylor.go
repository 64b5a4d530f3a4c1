package feature

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Taylor is the map of the Gaussian kernel exp(-γ|x-y|²), cut off after degree k.
// It has for each a with |a| ≤ k a coordinate
//
//	φ_a(x) = e^(-γ|x|²) · √( (2γ)^|a| / (a_1!·a_2!·…) ) · x^a
//
// C(width+k, k) in all (Shalev-Shwartz and Ben-David 2014, example 16.2; Tao's
// lecture has the case of width 1). The kernel is the sum of all degrees, so
// ⟨φ(x), φ(y)⟩ is the kernel up to Tail(R) for |x|, |y| ≤ R. |φ(x)| ≤ 1.
//
// The tail grows with γR² and not with the width, the number of coordinates with
// both: the map is for few coordinates or wide kernels, and landmarks (F2) for
// the rest.
//
// Coordinates of x past the width are dropped. The map is immutable and safe for
// concurrent use. No feature of finite data overflows.
type Taylor struct {
	kernel kernel.Gaussian
	scale  float64 // √(2γ)
	latticeMap
}

// NewTaylor returns the map of k up to the given degree for vectors of the given
// width. It counts the coordinates first and returns a *run.MemoryError where
// their weights do not fit the budget of ctl.
func NewTaylor(ctx context.Context, ctl run.Control, k kernel.Gaussian, width, degree int) (*Taylor, error) {
	if err := errors.Join(k.Validate(), validateWidth(width), validateDegree(degree)); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("%v up to degree %d", k, degree)
	dim, err := countMonomials(width, degree, what, width)
	if err != nil {
		return nil, err
	}
	if err := reserveLattice(ctl, dim, width, degree); err != nil {
		return nil, err
	}
	m := &Taylor{kernel: k, scale: math.Sqrt(2) * math.Sqrt(k.Gamma)}
	m.terms, m.row = newLattice(width, 0, degree), m.fill
	if m.weights, err = m.terms.roots(ctx); err != nil {
		return nil, err
	}
	if j := vmath.Finite(m.weights); j >= 0 {
		return nil, fmt.Errorf("%s: the weight of the monomial %s is beyond float64; use a lower degree", what,
			m.terms.name(j))
	}
	return m, nil
}

func validateDegree(degree int) error {
	if degree < 0 {
		return fmt.Errorf("degree is %d and must be at least 0", degree)
	}
	return nil
}

// Degree returns the largest degree.
func (m *Taylor) Degree() int { return m.terms.high }

// Kernel returns the kernel that is approximated.
func (m *Taylor) Kernel() kernel.Gaussian { return m.kernel }

// Tail returns the largest |K(x, y) - ⟨φ(x), φ(y)⟩| of any x and y with |x|, |y|
// at most radius: TaylorTail at the map's degree.
func (m *Taylor) Tail(radius float64) float64 { return TaylorTail(m.kernel, m.Degree(), radius) }

// fill computes φ_a(x) as r_g·√(g!/a!)·u^a, with √(g!/a!) the weights, g = |a|, u the unit vector along
// x, t = √(2γ)·|x| and r_g = e^(-t²/2)·t^g/√g!. The features of one degree have
// length r_g ≤ 1, so that nothing overflows on the way.
func (m *Taylor) fill(dst []float64, x data.Vector, s *latticeScratch) {
	x.CopyTo(s.x)
	vmath.Scale(s.x, m.scale)
	t := unit(s.x)
	m.terms.fill(dst, s)
	tiny := t*t/2 > 700 // e^(-t²/2) is lost, but later r_g need not be
	r := math.Exp(-t * t / 2)
	for g := 0; g <= m.terms.high; g++ {
		if tiny {
			r = math.Exp(logPoisson(g, t*t) / 2)
		} else if g > 0 {
			r *= t / math.Sqrt(float64(g))
		}
		vmath.ScaleRow(m.terms.block(dst, g), r, m.terms.block(m.weights, g))
	}
}

// unit divides x by its length and returns that, which is +Inf where it is
// beyond float64; x is then left as the unit vector along the infinite
// coordinates. A zero vector stays.
func unit(x []float64) float64 {
	top := 0.0
	for _, a := range x {
		top = max(top, math.Abs(a))
	}
	if top == 0 {
		return 0
	}
	if math.IsInf(top, 1) {
		for j, a := range x {
			x[j] = 0
			if math.IsInf(a, 0) {
				x[j] = math.Copysign(1, a)
			}
		}
		unit(x)
		return top
	}
	for j := range x {
		x[j] /= top
	}
	length := math.Sqrt(vmath.Dot(x, x))
	for j := range x {
		x[j] /= length
	}
	return top * length
}

// TaylorTail returns the largest error of the Gaussian kernel cut off after a
// degree, over all x and y with |x|, |y| at most radius:
//
//	sup |K(x, y) - ⟨φ(x), φ(y)⟩| = e^(-s)·Σ_{g>degree} s^g/g!      s = 2γ·radius²
//
// the probability that a Poisson variable of mean s exceeds the degree. It is
// attained at x = y with |x| = radius, and is at most s^(degree+1)/(degree+1)!,
// the remainder of Lagrange. docs/math/explicit.md has the proof. It is NaN for a
// radius that is negative or no number, and takes O(√s) steps.
func TaylorTail(k kernel.Gaussian, degree int, radius float64) float64 {
	if !(radius >= 0) || !(k.Gamma > 0) {
		return math.NaN()
	}
	return poissonTail(degree, 2*(math.Sqrt(k.Gamma)*radius)*(math.Sqrt(k.Gamma)*radius))
}

// maxTaylorMean is the largest 2γR² that TaylorDegree takes. The degree is about
// that much, and is no degree to expand a kernel to long before.
const maxTaylorMean = 1e9

// TaylorDegree returns the smallest degree with TaylorTail(k, degree, radius) ≤ err,
// for err in (0, 1). It is about s + √s·√(2·ln(1/err)) for large s = 2γ·radius².
func TaylorDegree(k kernel.Gaussian, radius, err float64) (int, error) {
	faults := []error{k.Validate()}
	if !(radius >= 0) || math.IsInf(radius, 0) {
		faults = append(faults, fmt.Errorf("radius is %v and must be a number of at least 0", radius))
	}
	if !(err > 0 && err < 1) {
		faults = append(faults, fmt.Errorf("error is %v and must be above 0 and below 1", err))
	}
	if fault := errors.Join(faults...); fault != nil {
		return 0, fault
	}
	// The tail is at most err at hi and above it below lo.
	lo, hi := 0, 1
	if s := 2 * (math.Sqrt(k.Gamma) * radius) * (math.Sqrt(k.Gamma) * radius); !(s <= maxTaylorMean) {
		return 0, fmt.Errorf("%v at radius %v needs a degree of about %.2g, which is no use; scale the data, lower gamma, "+
			"or use landmarks (F2)", k, radius, s)
	}
	for TaylorTail(k, hi, radius) > err {
		lo, hi = hi+1, 2*hi
	}
	for lo < hi {
		if mid := lo + (hi-lo)/2; TaylorTail(k, mid, radius) <= err {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return hi, nil
}

// poissonTail returns Σ_{g>k} e^(-s)·s^g/g!, from the side of the mean on which
// the terms fall from the first.
func poissonTail(k int, s float64) float64 {
	if k < 0 || math.IsInf(s, 1) {
		return 1
	}
	sum, term := 0.0, 1.0
	if float64(k)+1 < s { // 1 - Σ_{g≤k} is at least 1/2: nothing cancels
		for g := k; g >= 0 && term > 0x1p-60*sum; g-- {
			sum += term
			term *= float64(g) / s
		}
		return max(0, 1-poisson(k, s)*sum)
	}
	for g := k + 1; term > 0x1p-60*sum; g++ {
		sum += term
		term *= s / float64(g+1)
	}
	return min(1, poisson(k+1, s)*sum)
}

// poisson returns e^(-s)·s^g/g!. For small g it multiplies: the logarithm of a
// tiny s is less exact.
func poisson(g int, s float64) float64 {
	if g >= 16 {
		return math.Exp(logPoisson(g, s))
	}
	p := math.Exp(-s)
	for i := 1; i <= g; i++ {
		p *= s / float64(i)
	}
	return p
}

// logPoisson returns ln(e^(-s)·s^g/g!). With ln g! = ln√(2πg) + g·ln g - g + δ it
// is -g·(h - ln(1+h)) - ln√(2πg) - δ with h = (s-g)/g, in which large numbers no
// longer meet. It is exact to about 1e-15·(1 + |s-g|).
func logPoisson(g int, s float64) float64 {
	if g == 0 || s == 0 || math.IsInf(s, 1) {
		if g > 0 && s == 0 {
			return math.Inf(-1)
		}
		return -s
	}
	n := float64(g)
	if g < 16 {
		factorial := 1.0
		for i := 2; i <= g; i++ {
			factorial *= float64(i)
		}
		return n*math.Log(s) - s - math.Log(factorial)
	}
	q := 1 / (n * n)
	delta := (1.0/12 - q*(1.0/360-q*(1.0/1260-q/1680))) / n // Stirling's series
	h := (s - n) / n
	log := math.Log1p(h)
	if h < -0.5 {
		log = math.Log(s / n) // 1+h would lose a small s
	}
	return -n*(h-log) - math.Log(2*math.Pi*n)/2 - delta
}
