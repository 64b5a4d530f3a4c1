package bound

import (
	"errors"
	"fmt"
	"math"
)

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
	m, d := compressed(margin, err, err, 1-confidence)
	return fit2(m, "landmarks", d, "dimension")
}

// compressed is Compressed with an error of its own for the landmarks.
func compressed(margin, markErr, err, delta float64) (marks, dim Count) {
	return landmarks(margin, markErr/2, delta/2), projectionDim(margin/2, err/2, delta/2)
}

// CompressedError is the smallest ε for which Compressed asks for at most marks
// landmarks and dim features: the larger of 16/marks·(1/γ² + ln(2/δ)) and
// 32/δ·exp(-(g² - g³)·dim/4), 1 where that is not below 1.
//
// Reference: as Compressed.
func CompressedError(margin, confidence float64, marks, dim int) (float64, error) {
	fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkCount("landmarks", marks), checkDim(dim))
	if fault != nil {
		return 0, fault
	}
	half := (1 - confidence) / 2
	return boughtError(2 * max(landmarksError(margin, half, marks), projectionRest(margin/2, half, dim))), nil
}

// CompressedMargin is the smallest γ for which Compressed asks for at most marks
// landmarks and dim features. The error wraps ErrTooFew where they are not
// enough for margin 1.
//
// Reference: as Compressed.
func CompressedMargin(err, confidence float64, marks, dim int) (float64, error) {
	fault := errors.Join(checkError(err), checkConfidence(confidence), checkCount("landmarks", marks), checkDim(dim))
	if fault != nil {
		return 0, fault
	}
	half := (1 - confidence) / 2
	first, second := landmarksMargin(err/2, half, marks), 2*projectionMargin(err/2, half, dim)
	return boughtMargin(fmt.Sprintf("%d landmarks and %d dimensions", marks, dim), math.Max(first, second))
}

// CompressedConfidence is the largest confidence at which Compressed asks for at
// most marks landmarks and dim features; 0 where there is none.
//
// Reference: as Compressed.
func CompressedConfidence(margin, err float64, marks, dim int) (float64, error) {
	fault := errors.Join(checkMargin(margin), checkError(err), checkCount("landmarks", marks), checkDim(dim))
	if fault != nil {
		return 0, fault
	}
	return boughtConfidence(2 * max(landmarksDelta(margin, err/2, marks), projectionRest(margin/2, err/2, dim))), nil
}
