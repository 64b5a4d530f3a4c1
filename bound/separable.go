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
// Reference: proved in docs/math/samples.md. It says more than corollary 2 of Blum
// 2006, which is NearlySeparable: the paper remarks that a sample can be made
// separable, and states no size of it.
func Separable(margin, err, confidence float64) (marks, dim, sample int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, 0, 0, fault
	}
	m, d, n := separable(margin, err, 1-confidence)
	marks, dim, fault = fit2(m, "landmarks", d, "dimension")
	if fault != nil {
		return 0, 0, 0, fault
	}
	if sample, fault = n.fit("sample"); fault != nil {
		return 0, 0, 0, fault
	}
	return marks, dim, sample, nil
}

func separable(margin, err, delta float64) (marks, dim, sample Count) {
	// dim is never above the smallest solution: what it asks for rises with
	// it, and it starts below. It gains a logarithm a step, so few are needed.
	for dim = 1; ; {
		sample = consistentSample(dim, err, delta/3)
		rest := delta / 3 / float64(sample)
		marks, needed := compressed(margin, rest, rest, delta/3)
		if !(needed > dim) {
			return marks, dim, sample
		}
		dim = needed
	}
}

// NearlySeparable gives the two sizes of an F3 with error at most ε/(d·ln d) at
// margin γ/4, with probability at least 1 - δ, for its own dimension d:
//
//	dim        the least d from 3 on that is the features of Compressed at that error
//	landmarks  the landmarks of the same
//
// It supposes that there is no noise. This is corollary 2 as the survey has it:
// d = O(1/γ²·log(1/(εγδ))), Õ(1/(εγ⁴)) landmarks, and an error of
// o(ε/(d·log d)), so small that a sample of d·log d examples has none on average.
// Separable says more.
//
// Reference: Blum 2006, corollary 2, which leaves the constants open; Balcan, Blum
// and Vempala 2004, corollary 1, with the error ε/d. The constants are those of
// Compressed.
func NearlySeparable(margin, err, confidence float64) (marks, dim int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, 0, fault
	}
	m, d := nearlySeparable(margin, err, 1-confidence)
	return fit2(m, "landmarks", d, "dimension")
}

func nearlySeparable(margin, err, delta float64) (marks, dim Count) {
	for dim = 3; ; {
		rest := nearError(err, dim)
		marks, needed := compressed(margin, rest, rest, delta)
		if !(needed > dim) {
			return marks, dim
		}
		dim = needed
	}
}

// nearError is ε/(d·ln d).
func nearError(err float64, dim Count) float64 { return err / (float64(dim) * math.Log(float64(dim))) }

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
