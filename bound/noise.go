package bound

import "errors"

// FreeNoise is 3/8, the noise up to which the number of landmarks needs no
// more than the noise-free formula: the slack of its Chernoff bound pays for
// the draws that fall on noise. docs/math/landmarks.md has the proof.
const FreeNoise = 3.0 / 8

// NoisyError is (1 - α)·ε + α: the error that is promised where ε was, when
// only 1 - α of the distribution has margin γ.
//
// It holds for random projections at any α, and for landmarks drawn from the
// whole distribution in the number of NoisyLandmarks.
//
// Reference: Blum 2006, section 4.5.
func NoisyError(err, noise float64) (float64, error) {
	if fault := errors.Join(checkError(err), checkNoise(noise)); fault != nil {
		return 0, fault
	}
	return noisyError(err, noise), nil
}

func noisyError(err, noise float64) float64 { return (1-noise)*err + noise }

// NoisyLandmarks is Landmarks(γ, ε, 1-δ) for α ≤ 3/8, and above that
// Landmarks(γ, (1-α)ε, 1-δ): so many instances drawn from a distribution of
// which 1 - α has margin γ span, with probability at least 1 - δ, a separator
// with error at most (1-α)ε + α at margin γ/2.
//
// Reference: Blum 2006, section 4.5; docs/math/landmarks.md for the draws that
// fall on noise.
func NoisyLandmarks(margin, err, confidence, noise float64) (int, error) {
	fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence), checkNoise(noise))
	if fault != nil {
		return 0, fault
	}
	return landmarks(margin, landmarkError(err, noise), 1-confidence).fit("landmarks")
}

// NoisyLandmarksError is the error that is promised from dim landmarks drawn
// from a distribution of which 1 - α has margin γ: with e = LandmarksError it is
// (1-α)·e + α for α ≤ 3/8 and e + α above that, 1 at most. It is the inverse of
// NoisyLandmarks and NoisyError together.
//
// Reference: as NoisyLandmarks.
func NoisyLandmarksError(margin, confidence, noise float64, dim int) (float64, error) {
	fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkNoise(noise), checkCount("landmarks", dim))
	if fault != nil {
		return 0, fault
	}
	e := landmarksError(margin, 1-confidence, dim)
	if noise <= FreeNoise {
		return noisyError(min(1, e), noise), nil
	}
	return min(1, e+noise), nil
}

// landmarkError is the ε at which to count landmarks under noise.
func landmarkError(err, noise float64) float64 {
	if noise <= FreeNoise {
		return err
	}
	return (1 - noise) * err
}
