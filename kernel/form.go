package kernel

import (
	"math"

	"github.com/kerf-ml/kerf/data"
)

// Form says what a kernel on vectors computes, as data:
//
//	K(x, y) = Map(Pair(x, y))                              plain
//	K(x, y) = k(x, y) / sqrt(k(x, x)·k(y, y))              normalised, k as above
//
// where 0/0 is 0. Back ends read a Form and compute tiles of K from it.
type Form struct {
	Pair       Pair
	Map        Scalar
	Normalized bool
}

// Pair is an operation on two vectors.
type Pair uint8

// The pair operations.
const (
	Dot        Pair = iota // ⟨x, y⟩
	Distance2              // |x - y|²
	L1                     // Σ |x_j - y_j|
	Tanimoto               // ⟨x, y⟩/(|x|² + |y|² - ⟨x, y⟩), 1 where both are zero
	Min                    // Σ min(|x_j|, |y_j|) over the j at which both have the same sign
	ChiSquared             // Σ (x_j - y_j)²/(|x_j| + |y_j|), 0/0 being 0
)

// At returns the value of the operation, from its definition.
func (p Pair) At(x, y data.Vector) float64 {
	switch p {
	case Distance2:
		return x.Distance2(y)
	case L1:
		sum := 0.0
		data.Walk(x, y, func(_ int, a, b float64) { sum += math.Abs(a - b) })
		return sum
	case Tanimoto:
		return Ratio(x.Dot(y), x.Norm2(), y.Norm2())
	case Min:
		sum := 0.0
		data.Walk(x, y, func(_ int, a, b float64) { sum += shared(a, b) })
		return sum
	case ChiSquared:
		sum := 0.0
		data.Walk(x, y, func(_ int, a, b float64) { sum += apart(a, b) })
		return sum
	}
	return x.Dot(y)
}

// shared returns min(|a|, |b|) where a and b have the same sign, and 0 otherwise.
func shared(a, b float64) float64 { return max(0, min(a, b)) + max(0, min(-a, -b)) }

// apart returns (a - b)²/(|a| + |b|), and 0 where both are 0. The quotient comes
// first: it is at most 1, so that nothing overflows.
func apart(a, b float64) float64 {
	size := math.Abs(a) + math.Abs(b)
	if size == 0 {
		return 0
	}
	return (a - b) * ((a - b) / size)
}

// Self returns the value of the operation at x and x.
func (p Pair) Self(x data.Vector) float64 {
	switch p {
	case Dot:
		return x.Norm2()
	case Tanimoto:
		return 1
	case Min:
		sum := 0.0
		for _, a := range x.Value {
			sum += math.Abs(a)
		}
		return sum
	}
	return 0 // a distance
}

// Ratio returns xy/(xx + yy - xy), and 1 where xx and yy are zero.
func Ratio(xy, xx, yy float64) float64 {
	if xx == 0 && yy == 0 {
		return 1
	}
	return xy / (xx + yy - xy)
}

// Scalar is a function of one number: Op(A·s + B), with the parameter P where the
// function has one.
type Scalar struct {
	Op   Op
	A, B float64
	P    float64
}

// Op is the outer function of a Scalar.
type Op uint8

// The outer functions, with u = A·s + B.
const (
	Identity  Op = iota // u
	Exp                 // exp(u)
	Power               // u^P, by repeated multiplication for integer P
	Tanh                // tanh(u)
	Subsets             // Σ_{i=0..P} (u choose i): how many sets of at most P among u things
	Matern              // the Matérn function of smoothness P = 0.5, 1.5 or 2.5 at √u, 1 for u ≤ 0
	Stretched           // exp(-u^P), 1 for u ≤ 0
)

// At returns the value of the function at s.
func (f Scalar) At(s float64) float64 {
	u := f.A*s + f.B
	switch f.Op {
	case Exp:
		return math.Exp(u)
	case Power:
		return power(u, f.P)
	case Tanh:
		return math.Tanh(u)
	case Subsets:
		return subsets(u, f.P)
	case Matern:
		r := math.Sqrt(max(0, u))
		return MaternFactor(f.P, r) * math.Exp(-r)
	case Stretched:
		return math.Exp(-math.Pow(max(0, u), f.P))
	}
	return u
}

// Slope returns the derivative of the function at s. Where it is infinite, as a
// stretched exponential's is at 0, it returns 0: two points that coincide do not
// say in which direction they might part.
func (f Scalar) Slope(s float64) float64 {
	u := f.A*s + f.B
	switch f.Op {
	case Exp:
		return f.A * math.Exp(u)
	case Power:
		return f.A * f.P * power(u, f.P-1)
	case Tanh:
		t := math.Tanh(u)
		return f.A * (1 - t*t)
	case Matern:
		return f.A * maternSlope(f.P, u)
	case Stretched:
		if u <= 0 {
			return 0
		}
		v := math.Pow(u, f.P)
		return -f.A * f.P * v / u * math.Exp(-v)
	case Subsets:
		return math.NaN() // it is a function of counts
	}
	return f.A
}

// maternSlope returns the derivative by u of the Matérn function at √u.
func maternSlope(nu, u float64) float64 {
	r := math.Sqrt(max(0, u))
	switch nu {
	case 1.5:
		return -math.Exp(-r) / 2
	case 2.5:
		return -(1 + r) * math.Exp(-r) / 6
	}
	if r == 0 {
		return 0
	}
	return -math.Exp(-r) / (2 * r)
}

// MaternFactor returns the polynomial that the Matérn function of smoothness nu
// has beside exp(-r): 1 for nu = 0.5, 1 + r for 1.5, 1 + r + r²/3 for 2.5.
func MaternFactor(nu, r float64) float64 {
	switch nu {
	case 1.5:
		return 1 + r
	case 2.5:
		return 1 + r + r*r/3
	}
	return 1
}

// subsets returns Σ_{i=0..p} (u choose i).
func subsets(u, p float64) float64 {
	sum, choose := 1.0, 1.0
	for i := 1.0; i <= p; i++ {
		choose *= (u - i + 1) / i
		sum += choose
	}
	return sum
}

// power returns u^p. For small integers it multiplies, which is exact where
// the product is and defined for negative u.
func power(u, p float64) float64 {
	n := int(p)
	if float64(n) != p || n < -64 || n > 64 {
		return math.Pow(u, p)
	}
	if n < 0 {
		return 1 / power(u, -p)
	}
	result := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result *= u
		}
		u *= u
	}
	return result
}

// Former is the ability to be described by a Form. The second result is false
// where the kernel, though of a type that can have a form, has none: a
// combinator of a black box, say.
type Former interface {
	Form() (Form, bool)
}

// FormOf returns the form of a kernel, and false where it has none.
func FormOf[T any](k Kernel[T]) (Form, bool) {
	if f, ok := k.(Former); ok {
		return f.Form()
	}
	return Form{}, false
}
