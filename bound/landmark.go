package bound

import (
	"errors"
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
	return landmarks(margin, err, 1-confidence)
}

func landmarks(margin, err, delta float64) (int, error) {
	return ceil("landmarks", 8/err*(1/(margin*margin)-math.Log(delta)))
}
