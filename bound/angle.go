package bound

import "math"

// AngleError is arccos(γ)/π = α/π for the angle α between an instance and the
// separator w: the probability that a random separator h with h·w ≥ 0 is wrong on
// an instance of margin γ exactly.
//
// Reference: Blum 2006, figure 1; docs/math/weak.md.
func AngleError(margin float64) (float64, error) {
	if fault := checkMargin(margin); fault != nil {
		return 0, fault
	}
	return math.Acos(margin) / math.Pi, nil
}
