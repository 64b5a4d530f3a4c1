package bound

import (
	"errors"
	"fmt"
	"math"
)

// WeakChance is (arcsin(γ)/π - γ/4)/(1 - γ/2): on a distribution with margin γ,
// a random separator has error at most 1/2 - γ/4 with at least this
// probability. It is between γ/15 and 1/2. One over it bounds the expected
// number of separators that algorithm 1 tries.
//
// Reference: Blum 2006, theorem 1, which leaves the constant open; the one here
// is proved in docs/math/weak.md.
func WeakChance(margin float64) (float64, error) {
	if fault := checkMargin(margin); fault != nil {
		return 0, fault
	}
	return weakChance(margin), nil
}

func weakChance(margin float64) float64 {
	return (math.Asin(margin)/math.Pi - margin/4) / (1 - margin/2)
}

// WeakTries is ⌈ln(1/δ)/ln(1/(1-p))⌉ with p = WeakChance: among so many random
// separators there is, with probability at least 1 - δ, one with error at most
// 1/2 - γ/4. It supposes that errors are known, as they are for a sample and
// for weights on it.
//
// Reference: Blum 2006, algorithm 1; docs/math/weak.md.
func WeakTries(margin, confidence float64) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence)); fault != nil {
		return 0, fault
	}
	return weakTries(margin, -math.Log1p(-confidence)).fit("tries")
}

// weakTries takes ln(1/δ), which keeps its digits where δ is near 1.
func weakTries(margin, lambda float64) Count {
	return max(1, ceil(lambda/-math.Log1p(-weakChance(margin))))
}

// WeakConfidence is 1 - (1-p)ⁿ with p = WeakChance, the confidence that n tries
// buy.
//
// Reference: as WeakTries.
func WeakConfidence(margin float64, tries int) (float64, error) {
	if fault := errors.Join(checkMargin(margin), checkCount("tries", tries)); fault != nil {
		return 0, fault
	}
	c := -math.Expm1(float64(tries) * math.Log1p(-weakChance(margin)))
	// Two steps down, for the rounding of Expm1.
	return math.Nextafter(math.Nextafter(min(c, 1), 0), 0), nil
}

// WeakMargin is the smallest margin for which WeakTries is at most tries. The
// error wraps ErrTooFew where they are not enough for margin 1.
//
// Reference: as WeakTries.
func WeakMargin(confidence float64, tries int) (float64, error) {
	if fault := errors.Join(checkConfidence(confidence), checkCount("tries", tries)); fault != nil {
		return 0, fault
	}
	return searchMargin(fmt.Sprint(tries, " tries"), func(margin float64) bool {
		return weakTries(margin, -math.Log1p(-confidence)) <= Count(tries)
	})
}

// WeakSample gives two sizes for algorithm 1 where errors are not known but
// judged on a sample:
//
//	tries   WeakTries at δ/2
//	sample  ⌈72/γ²·ln(2(tries+1)/δ)⌉
//
// Of so many random separators, drawn apart from the sample, take the first
// that is wrong on at most 1/2 - γ/6 of it. With probability at least 1 - δ
// there is one, and its true error is at most 1/2 - γ/12.
//
// Reference: Blum 2006, footnote 2, which leaves the constants open; those here
// come from Hoeffding's inequality, in docs/math/weak.md.
func WeakSample(margin, confidence float64) (tries, sample int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkConfidence(confidence)); fault != nil {
		return 0, 0, fault
	}
	t, n := weakSample(margin, 1-confidence)
	return fit2(t, "tries", n, "sample")
}

func weakSample(margin, delta float64) (tries, sample Count) {
	tries = weakTries(margin, math.Ln2-math.Log(delta))
	return tries, ceil(72 / (margin * margin) * (math.Log(2*(float64(tries)+1)) - math.Log(delta)))
}

// WeakSampleMargin is the smallest margin for which WeakSample asks for a sample
// of at most the given size. The error wraps ErrTooFew where that is not enough
// for margin 1.
//
// Reference: as WeakSample.
func WeakSampleMargin(confidence float64, sample int) (float64, error) {
	if fault := errors.Join(checkConfidence(confidence), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return searchMargin(fmt.Sprint(sample, " examples"), func(margin float64) bool {
		_, n := weakSample(margin, 1-confidence)
		return n <= Count(sample)
	})
}

// searchMargin returns the least margin that enough accepts.
func searchMargin(what string, enough func(margin float64) bool) (float64, error) {
	if !enough(1) {
		return boughtMargin(what, math.Inf(1))
	}
	return least(smallestError, 1, enough), nil
}
