package bound

import (
	"errors"
	"math"
)

// Separable gives the three sizes at which F3 makes a whole labelled sample
// separable, and any algorithm that finds a separator of it learns:
//
//	sample     ConsistentSample(dim, ε, 1-δ/3)
//	dim        the features of Compressed at error δ/(3·sample), confidence 1-δ/3
//	landmarks  the landmarks of the same
//
// The first two depend on each other; the smallest dim for which both hold is
// taken. With probability at least 1 - δ all of the sample, drawn apart from the
// landmarks, has margin γ/4 after the mapping, and every separator through the
// origin that is right on it has error at most ε. It supposes that there is no
// noise.
//
// Reference: Blum 2006, corollary 2, and Balcan, Blum and Vempala 2004,
// corollary 1, which leave the constants open; those here are proved in
// docs/math/samples.md.
func Separable(margin, err, confidence float64) (marks, dim, sample int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, 0, 0, fault
	}
	third := (1 - confidence) / 3
	// dim is never above the smallest solution: what it asks for rises with
	// it, and it starts below. It gains a logarithm a step, so few are needed.
	for dim = 1; ; {
		sample, fault = consistentSample(dim, err, third)
		if fault != nil {
			return 0, 0, 0, fault
		}
		rest := third / float64(sample)
		needed, fault := projectionDim(margin/2, rest/2, third/2)
		if fault != nil {
			return 0, 0, 0, fault
		}
		if needed > dim {
			dim = needed
			continue
		}
		marks, fault = landmarks(margin, rest/2, third/2)
		if fault != nil {
			return 0, 0, 0, fault
		}
		return marks, dim, sample, nil
	}
}

// SeparableError is the smallest ε for which Separable asks for at most dim
// features, and the sample that it then takes: the largest m that is still
// separable in so many dimensions, m = δ²/288·exp((g² - g³)·dim/4) with
// g = γ/(4 + γ), and ConsistentError for it. The error is 1, and the sample
// what it is, at least 0, where nothing is promised.
//
// Reference: as Separable.
func SeparableError(margin, confidence float64, dim int) (err float64, sample int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkDim(dim)); fault != nil {
		return 0, 0, fault
	}
	third := (1 - confidence) / 3
	// 8/(rest/2 · third/2) = 32·m/third²
	m := math.Exp(2*math.Log(third) - math.Log(32) + float64(dim)/perDim(marginDistortion(margin/2)))
	if m < 1 {
		return 1, 0, nil
	}
	sample = int(min(m, largest))
	return consistentError(dim, third, sample), sample, nil
}
