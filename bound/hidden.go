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

// HiddenError is (1 - 2^(-b/2))^d·(1/2 - 2^(-b/4)/2): the expected error, at least,
// of the best separator of features that are made of d landmarks drawn from all
// 2^b points, where the data are 2^(b/2) hidden points of them with fair labels.
//
// All landmarks miss the data with the first factor as probability. Features of
// the data are then the same for all points, so a separator gives all of them one
// label; of m fair labels the rarer one is a part 1/2 - 1/(2√m) at least on average.
// The number of bits b is even.
//
// Reference: Blum 2006, theorem 6, which leaves the constants open;
// docs/math/landmarks.md has the proof.
func HiddenError(bits, marks int) (float64, error) {
	var fault error
	if bits < 2 || bits%2 != 0 {
		fault = fmt.Errorf("number of bits is %d and must be even and at least 2", bits)
	}
	if fault := errors.Join(fault, checkCount("landmarks", marks)); fault != nil {
		return 0, fault
	}
	missed := math.Exp(float64(marks) * math.Log1p(-math.Exp2(-float64(bits)/2)))
	return missed * (1 - math.Exp2(-float64(bits)/4)) / 2, nil
}
