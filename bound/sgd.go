package bound

import (
	"errors"
	"math"
)

// SGDSteps is the smallest T with (1 + ln T)/(2λT) ≤ excess: after so many steps
// of stochastic gradient descent on the soft-margin objective
//
//	λ/2·|w|² + mean of max(0, 1 - y·w·φ(x))
//
// with w_t = θ_t/(λt), the average of the w_t has an expected objective of at
// most excess above the least. It supposes K(x, x) ≤ 1, as a normalised kernel
// has. lambda is positive, excess between 0 and 1; at w = 0 the objective is 1.
//
// Reference: Shalev-Shwartz and Ben-David 2014, section 16.3, for the procedure;
// docs/math/samples.md has the proof.
func SGDSteps(lambda, excess float64) (int, error) {
	if fault := errors.Join(checkLambda(lambda), checkExcess(excess)); fault != nil {
		return 0, fault
	}
	return leastCount(1, func(t float64) bool { return sgdExcess(lambda, t) <= excess*(1+slack) }).fit("steps")
}

// SGDExcess is (1 + ln T)/(2λT), how far above the least objective T steps lead
// at most, in expectation; 1 where that is not below 1.
//
// Reference: as SGDSteps.
func SGDExcess(lambda float64, steps int) (float64, error) {
	if fault := errors.Join(checkLambda(lambda), checkCount("steps", steps)); fault != nil {
		return 0, fault
	}
	return boughtError(sgdExcess(lambda, float64(steps))), nil
}

func sgdExcess(lambda, steps float64) float64 { return (1 + math.Log(steps)) / steps / (2 * lambda) }

// SGDLambda is (1 + ln T)/(2T·excess), the smallest λ for which T steps are
// enough.
//
// Reference: as SGDSteps.
func SGDLambda(excess float64, steps int) (float64, error) {
	if fault := errors.Join(checkExcess(excess), checkCount("steps", steps)); fault != nil {
		return 0, fault
	}
	return sgdExcess(excess, float64(steps)), nil
}

func checkLambda(lambda float64) error {
	return checkRange("lambda", lambda, lambda > 0 && !math.IsInf(lambda, 1), "above 0 and finite")
}

func checkExcess(excess float64) error {
	return checkRange("excess", excess, excess > 0 && excess < 1, "above 0 and below 1")
}
