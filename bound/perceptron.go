package bound

import (
	"errors"
	"fmt"
	"math"
)

// PerceptronMistakes is ⌊1/γ²⌋: on any sequence of examples that a separator
// through the origin separates by margin γ, the perceptron that adds x/|x| on a
// mistake makes no more, however long the sequence.
//
// Reference: Novikoff 1962; Blum 2006, section 1.1.
func PerceptronMistakes(margin float64) (int, error) {
	if fault := checkMargin(margin); fault != nil {
		return 0, fault
	}
	return perceptronMistakes(margin).fit("mistakes")
}

func perceptronMistakes(margin float64) Count { return floor(1 / (margin * margin)) }

// PerceptronSample is ⌈1/(εγ²)⌉: after one pass over so many independent
// examples of a distribution with margin γ, the perceptron's hypothesis at a
// random point of the pass has expected error at most ε.
//
// Reference: Blum 2006, section 1.1.
func PerceptronSample(margin, err float64) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err)); fault != nil {
		return 0, fault
	}
	return perceptronSample(margin, err).fit("sample")
}

func perceptronSample(margin, err float64) Count { return ceil(1 / (err * (margin * margin))) }

// PerceptronError is 1/(nγ²), the expected error that one pass over n examples
// buys; 1 where that is not below 1.
//
// Reference: as PerceptronSample.
func PerceptronError(margin float64, sample int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return boughtError(1 / (float64(sample) * (margin * margin))), nil
}

// PerceptronMargin is 1/√(nε), the smallest margin for which one pass over n
// examples is enough. The error wraps ErrTooFew where it is above 1.
//
// Reference: as PerceptronSample.
func PerceptronMargin(err float64, sample int) (float64, error) {
	if fault := errors.Join(checkError(err), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return boughtMargin(fmt.Sprint(sample, " examples"), 1/math.Sqrt(float64(sample)*err))
}

// Survivor gives two sizes for a perceptron that is to be right with a given
// confidence and not only on average:
//
//	streak  ⌈1/ε·ln((M+1)/δ)⌉ with M = PerceptronMistakes
//	sample  (M+1)·streak
//
// On independent examples of a distribution with margin γ stop as soon as the
// hypothesis has been right streak times running. That happens within the
// sample, and with probability at least 1 - δ the hypothesis then has error at
// most ε.
//
// Reference: the conversion is of the kind of Littlestone 1989, to which Blum
// 2006, section 1.1 points; docs/math/samples.md has the proof.
func Survivor(margin, err, confidence float64) (streak, sample int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, 0, fault
	}
	k, n := survivor(margin, err, confidence)
	return fit2(k, "streak", n, "sample")
}

func survivor(margin, err, confidence float64) (streak, sample Count) {
	hypotheses := float64(perceptronMistakes(margin)) + 1
	streak = ceil((math.Log(hypotheses) - math.Log(1-confidence)) / err)
	return streak, ceil(hypotheses * float64(streak))
}
