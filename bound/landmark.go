package bound

import (
	"errors"
	"fmt"
	"math"
)

// Landmarks is ⌈8/ε·(1/γ² + ln(1/δ))⌉: so many instances drawn from a
// distribution with margin γ span, with probability at least 1 - δ, a
// separator with error at most ε at margin γ/2.
//
// It is the number of landmarks, and of features, of mapping F1 (separable
// with error at most ε) and of mapping F2 (the same at margin γ/2).
//
// Reference: Balcan, Blum and Vempala 2004; Blum 2006, lemma 1, corollary 1
// and theorem 4.
func Landmarks(margin, err, confidence float64) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return landmarks(margin, err, 1-confidence).fit("landmarks")
}

func landmarks(margin, err, delta float64) Count {
	return ceil(8 / err * (1/(margin*margin) - math.Log(delta)))
}

// LandmarksError is 8/d·(1/γ² + ln(1/δ)), the error that d landmarks buy; 1
// where that is not below 1, and they promise nothing.
//
// Reference: as Landmarks.
func LandmarksError(margin, confidence float64, dim int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkCount("landmarks", dim)); fault != nil {
		return 0, fault
	}
	return boughtError(landmarksError(margin, 1-confidence, dim)), nil
}

func landmarksError(margin, delta float64, dim int) float64 {
	return 8 / float64(dim) * (1/(margin*margin) - math.Log(delta))
}

// LandmarksMargin is 1/√(dε/8 - ln(1/δ)), the smallest margin γ for which d
// landmarks are enough. The error wraps ErrTooFew where they are not enough for
// margin 1.
//
// Reference: as Landmarks.
func LandmarksMargin(err, confidence float64, dim int) (float64, error) {
	if fault := errors.Join(checkError(err), checkConfidence(confidence), checkCount("landmarks", dim)); fault != nil {
		return 0, fault
	}
	return boughtMargin(fmt.Sprint(dim, " landmarks"), landmarksMargin(err, 1-confidence, dim))
}

// landmarksMargin is NaN or above 1 where there is none.
func landmarksMargin(err, delta float64, dim int) float64 {
	hits := float64(dim) * err / 8
	inverse := hits + math.Log(delta)
	if math.Abs(inverse-1) <= slack*hits {
		return 1
	}
	return 1 / math.Sqrt(inverse)
}

// LandmarksConfidence is 1 - exp(1/γ² - dε/8), the confidence that d landmarks
// buy; 0 where that is not positive, and they promise nothing.
//
// Reference: as Landmarks.
func LandmarksConfidence(margin, err float64, dim int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkCount("landmarks", dim)); fault != nil {
		return 0, fault
	}
	return boughtConfidence(landmarksDelta(margin, err, dim)), nil
}

func landmarksDelta(margin, err float64, dim int) float64 {
	return math.Exp(1/(margin*margin) - float64(dim)*err/8)
}
