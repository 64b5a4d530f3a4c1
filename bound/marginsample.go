package bound

import (
	"errors"
	"fmt"
	"math"
)

// MarginSample is ⌈((2/γ + √(ln(1/δ)/2))/ε)²⌉: given so many labelled examples,
// with probability at least 1 - δ every separator has a true error that exceeds
// its error at margin γ on the sample by at most ε. It depends on no dimension,
// and so holds in the feature space of a kernel, and supposes no separability.
//
// Reference: Bartlett and Mendelson 2002; docs/math/samples.md has the proof.
// Blum 2006, section 1.1 quotes a bound with 1/ε for samples that are separated,
// whose constants the sources leave open.
func MarginSample(margin, err, confidence float64) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return marginSample(margin, err, confidence).fit("sample")
}

func marginSample(margin, err, confidence float64) Count {
	root := (2/margin + marginDeviation(1-confidence)) / err
	return ceil(root * root)
}

// marginDeviation is √(ln(1/δ)/2).
func marginDeviation(delta float64) float64 { return math.Sqrt(-math.Log(delta) / 2) }

// MarginSampleError is (2/γ + √(ln(1/δ)/2))/√m, by how much the true error of
// any separator exceeds its error at margin γ on m labelled examples at most; 1
// where that is not below 1.
//
// Reference: as MarginSample.
func MarginSampleError(margin, confidence float64, sample int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return boughtError((2/margin + marginDeviation(1-confidence)) / math.Sqrt(float64(sample))), nil
}

// MarginSampleMargin is 2/(ε√m - √(ln(1/δ)/2)), the smallest margin for which m
// labelled examples are enough. The error wraps ErrTooFew where they are not
// enough for margin 1.
//
// Reference: as MarginSample.
func MarginSampleMargin(err, confidence float64, sample int) (float64, error) {
	if fault := errors.Join(checkError(err), checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	left := err*math.Sqrt(float64(sample)) - marginDeviation(1-confidence)
	if !(left > 0) {
		left = 0
	}
	return boughtMargin(fmt.Sprint(sample, " examples"), 2/left)
}

// MarginSampleConfidence is 1 - exp(-2(ε√m - 2/γ)²) where ε√m is above 2/γ, and
// 0 elsewhere: the confidence that m labelled examples buy.
//
// Reference: as MarginSample.
func MarginSampleConfidence(margin, err float64, sample int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	left := err*math.Sqrt(float64(sample)) - 2/margin
	if !(left > 0) {
		return 0, nil
	}
	return boughtConfidence(math.Exp(-2 * left * left)), nil
}

// ErrorGap is √(ln(1/δ)/(2m)): the true error of one separator, chosen apart
// from m examples, exceeds its error on them, at any one margin, by no more than
// this with probability at least 1 - δ; 1 at most.
//
// Reference: Hoeffding 1963.
func ErrorGap(confidence float64, sample int) (float64, error) {
	if fault := errors.Join(checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return min(1, marginDeviation(1-confidence)/math.Sqrt(float64(sample))), nil
}

// ErrorGapSample is ⌈ln(1/δ)/(2ε²)⌉, the smallest m for which ErrorGap is at
// most ε.
//
// Reference: as ErrorGap.
func ErrorGapSample(err, confidence float64) (int, error) {
	if fault := errors.Join(checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return max(1, ceil(-math.Log(1-confidence)/(2*(err*err)))).fit("sample")
}
