package bound

import (
	"errors"
	"fmt"
	"math"
)

// ConsistentSample is the smallest m past 2d/(ε·ln 2) with
//
//	2·(2em/d)^d·2^(-εm/2) ≤ δ
//
// Given so many labelled examples, with probability at least 1 - δ every
// separator through the origin of d-dimensional space that is right on all of
// them has error at most ε. A separator with a bias counts one dimension more.
//
// Reference: Blumer, Ehrenfeucht, Haussler and Warmuth 1989; docs/math/samples.md
// has the proof.
func ConsistentSample(dim int, err, confidence float64) (int, error) {
	if fault := errors.Join(checkDim(dim), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return consistentSample(dim, err, 1-confidence)
}

func consistentSample(dim int, err, delta float64) (int, error) {
	// -ln of the bound's last factor, for one example.
	return growthSample(dim, math.Ln2, err*(math.Ln2/2), delta)
}

// ConsistentError is 2/(m·ln 2)·(ln(2/δ) + d·ln(2em/d)), the error that m
// labelled examples buy for a separator that is right on all of them; 1 where
// that is not below 1.
//
// Reference: as ConsistentSample.
func ConsistentError(dim int, confidence float64, sample int) (float64, error) {
	if fault := errors.Join(checkDim(dim), checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return consistentError(dim, 1-confidence, sample), nil
}

func consistentError(dim int, delta float64, sample int) float64 {
	return boughtError(growthRate(dim, math.Ln2, delta, sample) * (2 / math.Ln2))
}

// ConsistentDim is the largest d for which ConsistentSample is at most the
// sample. The error wraps ErrTooFew where that is not enough for one dimension.
//
// Reference: as ConsistentSample.
func ConsistentDim(err, confidence float64, sample int) (int, error) {
	if fault := errors.Join(checkError(err), checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return growthDim(math.Ln2, err*(math.Ln2/2), 1-confidence, sample)
}

// UniformSample is the smallest m past 8d/ε² with
//
//	4·(2em/d)^d·exp(-ε²m/8) ≤ δ
//
// Given so many labelled examples, with probability at least 1 - δ every
// separator through the origin of d-dimensional space has a training error
// within ε of its true error, whatever the noise. A separator with a bias counts
// one dimension more.
//
// Reference: Vapnik and Chervonenkis 1971; docs/math/samples.md has the proof.
func UniformSample(dim int, err, confidence float64) (int, error) {
	if fault := errors.Join(checkDim(dim), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return growthSample(dim, 2*math.Ln2, err*err/8, 1-confidence)
}

// UniformError is √(8/m·(ln(4/δ) + d·ln(2em/d))), the difference of training
// error and true error that m labelled examples leave at most; 1 where that is
// not below 1.
//
// Reference: as UniformSample.
func UniformError(dim int, confidence float64, sample int) (float64, error) {
	if fault := errors.Join(checkDim(dim), checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return boughtError(math.Sqrt(8 * growthRate(dim, 2*math.Ln2, 1-confidence, sample))), nil
}

// UniformDim is the largest d for which UniformSample is at most the sample. The
// error wraps ErrTooFew where that is not enough for one dimension.
//
// Reference: as UniformSample.
func UniformDim(err, confidence float64, sample int) (int, error) {
	if fault := errors.Join(checkError(err), checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return growthDim(2*math.Ln2, err*err/8, 1-confidence, sample)
}

// Both bounds above have the form exp(first)·(2em/d)^d·exp(-rate·m) ≤ δ. The
// logarithm of the left side rises with m up to m = d/rate and falls from there;
// at m = d/2 it is positive. So past d/2 the inequality holds exactly from some
// m > d/rate on.

// growth is first + d·ln(2em/d) - ln δ: what rate·m has to reach.
func growth(dim int, first, delta float64, sample int) float64 {
	d := float64(dim)
	return first + d*(1+math.Log(2*float64(sample)/d)) - math.Log(delta)
}

// growthSample returns the smallest m past d/rate that satisfies it.
func growthSample(dim int, first, rate, delta float64) (int, error) {
	peak := float64(dim) / rate
	lo, fault := ceil("sample", peak)
	if fault != nil {
		return 0, fault
	}
	n, ok := leastCount(lo, func(m int) bool { return growth(dim, first, delta, m) <= rate*float64(m)*(1+slack) })
	if !ok {
		return ceil("sample", math.Inf(1))
	}
	return n, nil
}

// growthRate returns the rate that a sample satisfies, infinite where it is not
// past d/2.
func growthRate(dim int, first, delta float64, sample int) float64 {
	if 2*float64(sample) < float64(dim) {
		return math.Inf(1)
	}
	return growth(dim, first, delta, sample) / float64(sample)
}

// growthDim returns the largest d that satisfies it: growth rises with d up to
// 2m.
func growthDim(first, rate, delta float64, sample int) (int, error) {
	enough := func(dim int) bool {
		return float64(dim) <= rate*float64(sample) && growth(dim, first, delta, sample) <= rate*float64(sample)*(1+slack)
	}
	if !enough(1) {
		return 0, fmt.Errorf("dimension: %w: %d examples are too few for one dimension; raise the error allowed or lower "+
			"the confidence", ErrTooFew, sample)
	}
	tooMany, ok := leastCount(2, func(dim int) bool { return !enough(dim) })
	if !ok {
		return largest, nil
	}
	return tooMany - 1, nil
}
