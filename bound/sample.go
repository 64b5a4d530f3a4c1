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
	return consistentSample(Count(dim), err, 1-confidence).fit("sample")
}

func consistentSample(dim Count, err, delta float64) Count {
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
	return uniformSample(Count(dim), err, confidence).fit("sample")
}

func uniformSample(dim Count, err, confidence float64) Count {
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
func growth(dim, first, delta, sample float64) float64 {
	return first + dim*(1+math.Log(2*sample/dim)) - math.Log(delta)
}

// growthSample returns the smallest m past d/rate that satisfies it.
func growthSample(dim Count, first, rate, delta float64) Count {
	d := float64(dim)
	return leastCount(ceil(d/rate), func(m float64) bool { return growth(d, first, delta, m) <= rate*m*(1+slack) })
}

// growthRate returns the rate that a sample satisfies, infinite where it is not
// past d/2.
func growthRate(dim int, first, delta float64, sample int) float64 {
	d, m := float64(dim), float64(sample)
	if 2*m < d {
		return math.Inf(1)
	}
	return growth(d, first, delta, m) / m
}

// growthDim returns the largest d that satisfies it: growth rises with d up to
// 2m.
func growthDim(first, rate, delta float64, sample int) (int, error) {
	m := float64(sample)
	enough := func(dim float64) bool {
		return dim <= rate*m && growth(dim, first, delta, m) <= rate*m*(1+slack)
	}
	if !enough(1) {
		return 0, fmt.Errorf("dimension: %w: %d examples are too few for one dimension; raise the error allowed or lower "+
			"the confidence", ErrTooFew, sample)
	}
	return int(min(leastCount(2, func(dim float64) bool { return !enough(dim) })-1, largest)), nil
}
