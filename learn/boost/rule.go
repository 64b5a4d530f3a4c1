package boost

import (
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
)

// Cut is a rule of one coordinate: +1 where Sign·(x[Feature] - Threshold) ≥ 0.
// With Sign 0 it is constant: +1 where Threshold ≤ 0, whatever x.
type Cut struct {
	Feature   int     `json:"feature"`
	Threshold float64 `json:"threshold"`
	Sign      float64 `json:"sign"` // +1, -1, or 0
}

// Predict returns +1 or -1.
func (c Cut) Predict(x data.Vector) float64 {
	if c.positive(coordinate(x, c.Feature)) {
		return 1
	}
	return -1
}

// positive says whether the rule is +1 for a value of its coordinate. The sign
// of a difference of floating-point numbers is exact, so that comparing is the
// same as the formula.
func (c Cut) positive(v float64) bool {
	switch {
	case c.Sign > 0:
		return v >= c.Threshold
	case c.Sign < 0:
		return v <= c.Threshold
	}
	return c.Threshold <= 0
}

func (c Cut) check(dim int) error {
	if c.Feature < 0 || c.Feature >= dim {
		return fmt.Errorf("the coordinate of a cut is %d and must be from 0 to %d", c.Feature, dim-1)
	}
	if c.Threshold-c.Threshold != 0 {
		return fmt.Errorf("the threshold of a cut is %v and must be finite", c.Threshold)
	}
	if c.Sign != 1 && c.Sign != -1 && c.Sign != 0 {
		return fmt.Errorf("the sign of a cut is %v and must be 1, -1 or 0", c.Sign)
	}
	return nil
}

// coordinate returns x[j], 0 where it is not stored.
func coordinate(x data.Vector, j int) float64 {
	if x.Index == nil {
		if j < len(x.Value) {
			return x.Value[j]
		}
		return 0
	}
	if k, ok := slices.BinarySearch(x.Index, int32(j)); ok {
		return x.Value[k]
	}
	return 0
}

// Rule is a halfspace: +1 where W·x + Bias ≥ 0. Where W is nil it is the Cut,
// which is the halfspace of W = Sign·e_Feature and Bias = -Sign·Threshold, or
// -Threshold for Sign 0.
type Rule struct {
	W    []float64
	Bias float64
	Cut  Cut
}

// Predict returns +1 or -1.
func (r Rule) Predict(x data.Vector) float64 {
	if r.W == nil {
		return r.Cut.Predict(x)
	}
	if x.DotWith(r.W)+r.Bias >= 0 {
		return 1
	}
	return -1
}

// check reports a rule that is none for vectors of so many coordinates.
func (r Rule) check(dim int) error {
	if r.W == nil {
		return r.Cut.check(dim)
	}
	if len(r.W) != dim {
		return fmt.Errorf("a rule has %d weights for %d coordinates", len(r.W), dim)
	}
	if !(norm(r.W) <= maxWeight) || !(math.Abs(r.Bias) <= maxWeight) {
		return fmt.Errorf("the weights of a rule must be finite with a length of at most %g, and the bias too", maxWeight)
	}
	return nil
}

// maxWeight is the largest length of a rule's weights, so that products with
// rows of a sample are finite.
const maxWeight = 1e140

func norm(w []float64) float64 { return data.Vector{Value: w}.Norm() }

// halfspace writes the weights of the rule into w, which is zero, and returns
// its bias.
func (r Rule) halfspace(w []float64) float64 {
	if r.W != nil {
		copy(w, r.W)
		return r.Bias
	}
	if r.Cut.Sign == 0 {
		return -r.Cut.Threshold
	}
	w[r.Cut.Feature] = r.Cut.Sign
	return -r.Cut.Sign * r.Cut.Threshold
}
