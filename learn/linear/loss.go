package linear

import (
	"fmt"
	"math"
	"strings"
)

// Loss is what a support vector machine pays for a margin m = y(w·x).
type Loss uint8

// The losses.
const (
	Hinge        Loss = iota // max(0, 1-m)
	SquaredHinge             // max(0, 1-m)²
)

// String returns the name of the loss.
func (l Loss) String() string {
	switch l {
	case Hinge:
		return "hinge"
	case SquaredHinge:
		return "squared hinge"
	}
	return fmt.Sprintf("loss %d", uint8(l))
}

// MarshalText returns "hinge" or "squared-hinge".
func (l Loss) MarshalText() ([]byte, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	return []byte(strings.ReplaceAll(l.String(), " ", "-")), nil
}

// UnmarshalText reads what MarshalText returned.
func (l *Loss) UnmarshalText(text []byte) error {
	switch string(text) {
	case "hinge":
		*l = Hinge
	case "squared-hinge":
		*l = SquaredHinge
	default:
		return fmt.Errorf("loss is %q and must be hinge or squared-hinge", text)
	}
	return nil
}

func (l Loss) check() error {
	if l > SquaredHinge {
		return fmt.Errorf("svm: loss is %d and must be hinge or squared hinge", uint8(l))
	}
	return nil
}

// curve is a convex loss with a continuous derivative that the primal method
// lowers.
type curve interface {
	// at returns the loss of the margin m with its first and second
	// derivative. Where the second jumps, either side will do.
	at(m float64) (value, slope, curvature float64)
	// excess returns by how much the loss that is meant exceeds
	// sup_s s·m - ℓ*(s) at the slope s that at gives: 0 for a loss that stands
	// for itself.
	excess(m float64) float64
	// meant returns the loss that is meant, which at may smooth.
	meant(m float64) float64
}

// squaredHinge is max(0, 1-m)².
type squaredHinge struct{}

func (squaredHinge) at(m float64) (value, slope, curvature float64) {
	if x := 1 - m; x > 0 {
		return x * x, -2 * x, 2
	}
	return 0, 0, 0
}
func (squaredHinge) excess(float64) float64 { return 0 }
func (c squaredHinge) meant(m float64) float64 {
	v, _, _ := c.at(m)
	return v
}

// smoothHinge is the hinge loss with a parabola in the place of the corner: with
// x = 1-m it is (x + h/2)²/2h for |x| < h/2, and max(0, x) elsewhere. It is at
// most h/8 above the hinge loss, and has its slope but for the band. Since the
// band has the corner in its middle, rows on both sides of it make up for each
// other, and the optimum moves by O(h²) only.
type smoothHinge struct{ h float64 }

func (s smoothHinge) at(m float64) (value, slope, curvature float64) {
	switch x := 1 - m; {
	case x <= -s.h/2:
		return 0, 0, 0
	case x < s.h/2:
		a := x/s.h + 0.5 // in (0, 1)
		return a * a * s.h / 2, -a, 1 / s.h
	default:
		return x, -1, 0
	}
}

// With the dual weight a = x/h + ½ the hinge loss exceeds a·x by x(1-a) for
// x > 0, and by -x·a for x < 0.
func (s smoothHinge) excess(m float64) float64 {
	if x := math.Abs(1 - m); x < s.h/2 {
		return x * (0.5 - x/s.h)
	}
	return 0
}
func (smoothHinge) meant(m float64) float64 { return max(0, 1-m) }

// smoothed is a smooth hinge loss that stands for itself.
type smoothed struct{ smoothHinge }

func (smoothed) excess(float64) float64 { return 0 }
func (s smoothed) meant(m float64) float64 {
	v, _, _ := s.at(m)
	return v
}

// logisticLoss is log(1 + exp(-m)), computed without overflow.
type logisticLoss struct{}

func (logisticLoss) at(m float64) (value, slope, curvature float64) {
	e := math.Exp(-math.Abs(m)) // in (0, 1]
	p := e / (1 + e)            // chance of the less likely label
	value, slope = math.Log1p(e), -p
	if m < 0 {
		value, slope = value-m, p-1
	}
	return value, slope, p * (1 - p)
}
func (logisticLoss) excess(float64) float64 { return 0 }
func (c logisticLoss) meant(m float64) float64 {
	v, _, _ := c.at(m)
	return v
}
