package bound

import (
	"errors"
	"math"
)

// MarginDistortion is γ/(2 + γ), the distortion g at which a projection that
// keeps |w|², |x|², |w + x|² and |w - x|² within 1 ± g still leaves half of a
// margin γ: (γ - g)/(1 + g) = γ/2.
//
// Reference: docs/math/projection.md.
func MarginDistortion(margin float64) (float64, error) {
	if fault := checkMargin(margin); fault != nil {
		return 0, fault
	}
	return marginDistortion(margin), nil
}

func marginDistortion(margin float64) float64 { return margin / (2 + margin) }

// ProjectionDim is ⌈4/(g² - g³)·ln(8/(εδ))⌉ with g = γ/(2 + γ): a random
// projection to so many coordinates, Gaussian or ±1, takes a distribution with
// margin γ to one with error at most ε at margin γ/2, with probability at least
// 1 - δ. It does not depend on the dimension before.
//
// Reference: Blum 2006, theorem 3, which leaves the constant open; the one here
// is proved in docs/math/projection.md.
func ProjectionDim(margin, err, confidence float64) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return projectionDim(margin, err, 1-confidence)
}

func projectionDim(margin, err, delta float64) (int, error) {
	// The logarithm is taken in parts because εδ may be too small for a float64.
	return ceil("dimension", perDim(marginDistortion(margin))*(math.Log(8)-math.Log(err)-math.Log(delta)))
}

// Compressed gives the two sizes of mapping F3, which is F2 and then a random
// projection:
//
//	landmarks  ⌈8/(ε/2)·(1/γ² + ln(2/δ))⌉
//	dim        ⌈4/(g² - g³)·ln(32/(εδ))⌉ with g = γ/(4 + γ)
//
// With probability at least 1 - δ the result has error at most ε at margin
// γ/4. The first is Landmarks at ε/2 and δ/2; the second ProjectionDim at γ/2,
// ε/2 and δ/2.
//
// Reference: Blum 2006, theorem 5, which leaves the constants open; those here
// are proved in docs/math/projection.md.
func Compressed(margin, err, confidence float64) (marks, dim int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, 0, fault
	}
	return compressed(margin, err, err, 1-confidence)
}

// compressed is Compressed with an error of its own for the landmarks.
func compressed(margin, markErr, err, delta float64) (marks, dim int, fault error) {
	marks, fault1 := landmarks(margin, markErr/2, delta/2)
	dim, fault2 := projectionDim(margin/2, err/2, delta/2)
	if fault := errors.Join(fault1, fault2); fault != nil {
		return 0, 0, fault
	}
	return marks, dim, nil
}
