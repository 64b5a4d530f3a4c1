package stream

import (
	"fmt"
	"math"
)

// Loss is what a separator pays for a margin m = y(w·x).
type Loss uint8

// The losses.
const (
	SquaredHinge Loss = iota // max(0, 1-m)²
	Logistic                 // log(1 + exp(-m))
)

func (l Loss) String() string {
	switch l {
	case SquaredHinge:
		return "squared hinge"
	case Logistic:
		return "logistic"
	}
	return fmt.Sprintf("loss %d", uint8(l))
}

// at returns the loss of the margin m with its first and second derivative. Where the
// second jumps it is that of smaller margins.
func (l Loss) at(m float64) (value, slope, curvature float64) {
	if l == SquaredHinge {
		if x := 1 - m; x > 0 {
			return x * x, -2 * x, 2
		}
		return 0, 0, 0
	}
	e := math.Exp(-math.Abs(m))
	p := e / (1 + e) // chance of the less likely label
	value, slope = math.Log1p(e), -p
	if m < 0 {
		value, slope = value-m, p-1
	}
	return value, slope, p * (1 - p)
}

// value returns the loss alone.
func (l Loss) value(m float64) float64 {
	if l == SquaredHinge {
		x := max(0, 1-m)
		return x * x
	}
	if m < 0 {
		return math.Log1p(math.Exp(m)) - m
	}
	return math.Log1p(math.Exp(-m))
}

// Active is the curvature at the margin m beside the largest there is.
func (l Loss) Active(m float64) float64 {
	_, _, curvature := l.at(m)
	if l == SquaredHinge {
		return curvature / 2
	}
	return 4 * curvature
}
