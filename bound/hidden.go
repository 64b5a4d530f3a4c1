package bound

import (
	"errors"
	"fmt"
	"math"
)

// HiddenMargin is √(3(1-s))/2: the margin of the lower bound's data in the feature
// space of its kernel, where each instance has a part s of its squared length in
// a direction of its own; s is 0 for the kernel as it is, and above 0 for its
// positive definite variant.
//
// Reference: Blum 2006, section 4.6; Balcan, Blum and Vempala 2004, section 5,
// which states 1/2 for s = 0 and so less than there is.
func HiddenMargin(own float64) (float64, error) {
	if !(own >= 0 && own < 1) {
		return 0, fmt.Errorf("own part is %v and must be at least 0 and below 1", own)
	}
	return math.Sqrt(3*(1-own)) / 2, nil
}

// HiddenHit is 1 - (1 - 2^(-b/2))^d: the probability that one of d landmarks drawn
// from all 2^b points is one of the 2^(b/2) hidden points that are the data. The
// number of bits b is even.
//
// Reference: Blum 2006, theorem 6; docs/math/landmarks.md.
func HiddenHit(bits, marks int) (float64, error) {
	if fault := errors.Join(checkBits(bits), checkCount("landmarks", marks)); fault != nil {
		return 0, fault
	}
	return -math.Expm1(float64(marks) * math.Log1p(-math.Exp2(-float64(bits)/2))), nil
}

// HiddenError is 1/2 - √(ln(2/δ)/(2m)) for m = 2^(b/2), 0 at least: where landmarks
// miss the data, their features are the same for all of it, so that a separator
// gives all m points one label; the rarer of m fair labels is, with probability at
// least 1 - δ, this part of them. The number of bits b is even.
//
// Reference: Blum 2006, theorem 6, which leaves the constants open; Hoeffding 1963;
// docs/math/landmarks.md has the proof.
func HiddenError(bits int, confidence float64) (float64, error) {
	if fault := errors.Join(checkBits(bits), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	lambda := math.Ln2 - math.Log1p(-confidence) // ln(2/δ)
	return max(0, 0.5-math.Sqrt(lambda/(2*math.Exp2(float64(bits)/2)))), nil
}

func checkBits(bits int) error {
	if bits < 2 || bits%2 != 0 {
		return fmt.Errorf("number of bits is %d and must be even and at least 2", bits)
	}
	return nil
}
