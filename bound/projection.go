package bound

import (
	"errors"
	"fmt"
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
	return projectionDim(margin, err, 1-confidence).fit("dimension")
}

func projectionDim(margin, err, delta float64) Count {
	// The logarithm is taken in parts because εδ may be too small for a float64.
	return ceil(perDim(marginDistortion(margin)) * (math.Log(8) - math.Log(err) - math.Log(delta)))
}

// ProjectionError is 8/δ·exp(-(g² - g³)·d/4) with g = γ/(2 + γ), the error at
// margin γ/2 that a random projection to d coordinates buys; 1 where that is
// not below 1.
//
// Reference: as ProjectionDim.
func ProjectionError(margin, confidence float64, dim int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkDim(dim)); fault != nil {
		return 0, fault
	}
	return boughtError(projectionRest(margin, 1-confidence, dim)), nil
}

// projectionRest is 8·exp(-(g² - g³)·d/4) divided by a probability: ε from δ,
// and δ from ε.
func projectionRest(margin, other float64, dim int) float64 {
	return math.Exp(math.Log(8) - math.Log(other) - float64(dim)/perDim(marginDistortion(margin)))
}

// ProjectionMargin is 2g/(1 - g) with g² - g³ = 4/d·ln(8/(εδ)), the smallest
// margin γ of which a random projection to d coordinates keeps half. The error
// wraps ErrTooFew where they are not enough for margin 1.
//
// Reference: as ProjectionDim.
func ProjectionMargin(err, confidence float64, dim int) (float64, error) {
	if fault := errors.Join(checkError(err), checkConfidence(confidence), checkDim(dim)); fault != nil {
		return 0, fault
	}
	return boughtMargin(fmt.Sprint(dim, " dimensions"), projectionMargin(err, 1-confidence, dim))
}

// projectionMargin is infinite or above 1 where there is none.
func projectionMargin(err, delta float64, dim int) float64 {
	g, ok := solveDistortion(4 / float64(dim) * (math.Log(8) - math.Log(err) - math.Log(delta)))
	if !ok {
		return math.Inf(1)
	}
	return 2 * g / (1 - g)
}

// ProjectionConfidence is 1 - 8/ε·exp(-(g² - g³)·d/4) with g = γ/(2 + γ), the
// confidence that a random projection to d coordinates buys; 0 where that is
// not positive.
//
// Reference: as ProjectionDim.
func ProjectionConfidence(margin, err float64, dim int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkDim(dim)); fault != nil {
		return 0, fault
	}
	return boughtConfidence(projectionRest(margin, err, dim)), nil
}

// SampleProjectionDim is ⌈4/(g² - g³)·ln(8m/δ)⌉ with g = γ/(2 + γ): a random
// projection to so many coordinates leaves, with probability at least 1 - δ,
// margin γ/2 to every one of m instances that have margin γ. It is theorem 3
// for a finite sample, by the union over its instances; 1 for no instances.
//
// Reference: Blum 2006, section 3.1; docs/math/projection.md for the constant.
func SampleProjectionDim(margin, confidence float64, points int) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkPoints(points)); fault != nil {
		return 0, fault
	}
	if points == 0 {
		return 1, nil
	}
	return projectionDim(margin, 1/float64(points), 1-confidence).fit("dimension")
}

// SampleProjectionMargin is the smallest margin γ for which SampleProjectionDim
// is at most dim. The error wraps ErrTooFew where dim is not enough for margin
// 1. There must be at least one instance.
//
// Reference: as SampleProjectionDim.
func SampleProjectionMargin(confidence float64, points, dim int) (float64, error) {
	if fault := errors.Join(checkConfidence(confidence), checkCount("points", points), checkDim(dim)); fault != nil {
		return 0, fault
	}
	return boughtMargin(fmt.Sprint(dim, " dimensions"), projectionMargin(1/float64(points), 1-confidence, dim))
}
