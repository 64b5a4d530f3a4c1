package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Monomials is the explicit map φ of the polynomial kernel (γ⟨x,y⟩ + c)^k on
// vectors of a given width: ⟨φ(x), φ(y)⟩ is the kernel, without approximation.
// With x^a = x_1^a_1·x_2^a_2·… it has for each a of degree |a| ≤ k a coordinate
//
//	φ_a(x) = √( k!/((k-|a|)!·a_1!·a_2!·…) · c^(k-|a|) · γ^|a| ) · x^a
//
// and for c = 0 those of degree k alone (Shalev-Shwartz and Ben-David 2014,
// example 16.1; Tao's lecture). MonomialDim counts them. Name says which
// monomial a coordinate is.
//
// Coordinates of x past the width are dropped. An instance costs one
// multiplication a monomial, less where coordinates are zero, and one more for
// the weight. The map is immutable and safe for concurrent use.
//
// Where a monomial is beyond float64, MapTo leaves a feature that is not finite;
// MapBlock and MapBlock32 return a *RowError.
type Monomials struct {
	kernel kernel.Polynomial
	scale  float64 // √γ: monomials are those of scale·x
	latticeMap
}

// MonomialDim returns how many coordinates Monomials has for vectors of the
// given width: C(width+k, k), and C(width+k-1, k) for a kernel with c = 0. It
// returns an error where that is no number of coordinates.
func MonomialDim(k kernel.Polynomial, width int) (int, error) {
	faults := []error{k.Validate(), validateWidth(width)}
	if err := errors.Join(faults...); err != nil {
		return 0, err
	}
	if k.Coef == 0 && width == 0 {
		return 0, fmt.Errorf("%v of vectors without coordinates is 0: there are no monomials", k)
	}
	n := width
	if k.Coef == 0 {
		n--
	}
	return countMonomials(n, k.Degree, fmt.Sprint(k), width)
}

func validateWidth(width int) error {
	if width < 0 {
		return fmt.Errorf("width is %d and must be at least 0", width)
	}
	return nil
}

// countMonomials returns C(n+k, k), the number of monomials of degree at most k
// in n variables, or of degree k in n+1. what and width are for the message.
func countMonomials(n, k int, what string, width int) (int, error) {
	dim, ok := choose(n, k)
	if !ok {
		return 0, fmt.Errorf("%s has more than %.2g monomials of %d coordinates; use a lower degree, fewer coordinates, "+
			"or landmarks (F2)", what, float64(math.MaxInt), width)
	}
	return dim, nil
}

// choose returns C(n+k, k), and false where it is beyond an int. Both are at
// least 0. C(n+i, i) grows with i, so the first overflow is final.
func choose(n, k int) (int, bool) {
	n, k = max(n, k), min(n, k)
	c := uint64(1)
	for i := 1; i <= k; i++ {
		if n > math.MaxInt-i {
			return 0, false
		}
		hi, lo := bits.Mul64(c, uint64(n+i))
		if hi >= uint64(i) {
			return 0, false
		}
		c, _ = bits.Div64(hi, lo, uint64(i)) // C(n+i-1, i-1)·(n+i)/i has no remainder
		if c > math.MaxInt {
			return 0, false
		}
	}
	return int(c), true
}

// NewMonomials returns the map of k for vectors of the given width. It counts
// the monomials first and returns a *run.MemoryError where their weights do not
// fit the budget of ctl.
func NewMonomials(ctx context.Context, ctl run.Control, k kernel.Polynomial, width int) (*Monomials, error) {
	dim, err := MonomialDim(k, width)
	if err != nil {
		return nil, err
	}
	low := 0
	if k.Coef == 0 {
		low = k.Degree
	}
	if err := reserveLattice(ctl, dim, width, k.Degree); err != nil {
		return nil, err
	}
	m := &Monomials{kernel: k, scale: math.Sqrt(k.Gamma)}
	m.terms, m.row = newLattice(width, low, k.Degree), m.fill
	if m.weights, err = m.terms.roots(ctx); err != nil {
		return nil, err
	}
	// The squared weight of degree g is C(k, g)·c^(k-g) times its multinomial.
	// ways is C(k, g) as a product of factors (k-g+1)/g.
	ways := 1.0
	for g := 0; g <= k.Degree; g++ {
		if g > 0 {
			ways = ways * float64(k.Degree-g+1) / float64(g)
		}
		if g < low {
			continue
		}
		s := math.Sqrt(ways)
		if k.Degree > g {
			s *= math.Pow(k.Coef, float64(k.Degree-g)/2)
		}
		vmath.Scale(m.terms.block(m.weights, g), s)
	}
	if j := vmath.Finite(m.weights); j >= 0 {
		return nil, fmt.Errorf("%v: the weight of the monomial %s is beyond float64; use a lower degree or a smaller coef", k,
			m.terms.name(j))
	}
	return m, nil
}

// Kernel returns the kernel.
func (m *Monomials) Kernel() kernel.Polynomial { return m.kernel }

// Weight returns the factor of coordinate j: φ_j(x) = Weight(j)·x^a.
func (m *Monomials) Weight(j int) float64 {
	g, _ := m.terms.locate(j)
	return m.weights[j] * math.Pow(m.kernel.Gamma, float64(g)/2)
}

func (m *Monomials) fill(dst []float64, x data.Vector, s *latticeScratch) {
	x.CopyTo(s.x)
	if m.scale != 1 {
		vmath.Scale(s.x, m.scale)
	}
	m.terms.fill(dst, s)
	vmath.ScaleRow(dst, 1, m.weights)
}

// eachRow maps instance by instance, rounds where F is float32, and names the
// first feature that is not finite.
func eachRow[F vmath.Float](
	dst []F, d int, x data.Source[data.Vector], first int, row func([]float64, data.Vector), name func(int) string,
) error {
	wide := make([]float64, d)
	for i := range x.Len() {
		one := dst[i*d : (i+1)*d]
		row(wide, x.At(i))
		for j, a := range wide {
			one[j] = F(a)
		}
		if j := vmath.Finite(one); j >= 0 {
			const problem = "the feature %s is %.3g and must be finite; scale the data or use a lower degree"
			return &RowError{first + i, fmt.Sprintf(problem, name(j), wide[j])}
		}
	}
	return nil
}
