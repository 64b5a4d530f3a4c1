package bound

import (
	"errors"
	"fmt"
	"math"
)

// DistortionFailure is min(1, 2·exp(-(g² - g³)·d/4)): a bound on the
// probability that a random projection to d coordinates, Gaussian or ±1, takes
// the squared distance of two fixed points out of (1 ± g) times what it was.
// The distortion g is in (0, 1), dim at least 1.
//
// Reference: Arriaga and Vempala 1999; Achlioptas 2003; Blum 2006, theorem 2.
func DistortionFailure(distortion float64, dim int) (float64, error) {
	return PairsFailure(distortion, dim, 2)
}

// DistortionDim is ⌈4/(g² - g³)·ln(2/δ)⌉, the smallest d for which
// DistortionFailure is at most δ = 1 - confidence. It falls with g up to 2/3 and
// rises after that, so there is no use in asking for a larger g.
//
// Reference: as DistortionFailure.
func DistortionDim(distortion, confidence float64) (int, error) {
	return PairsDim(distortion, confidence, 2)
}

// PairsFailure is min(1, n(n-1)/2 · 2·exp(-(g² - g³)·d/4)): a bound on the
// probability that any of the distances between n fixed points is distorted by
// more than g, by the union over all pairs. It is 0 for fewer than two points.
//
// Reference: Johnson and Lindenstrauss 1984, with the constants of Blum 2006,
// theorem 2.
func PairsFailure(distortion float64, dim, points int) (float64, error) {
	if fault := errors.Join(checkDistortion(distortion), checkDim(dim), checkPoints(points)); fault != nil {
		return 0, fault
	}
	return min(1, pairs(points)*2*math.Exp(-float64(dim)/perDim(distortion))), nil
}

// PairsDim is ⌈4/(g² - g³)·ln(n(n-1)/δ)⌉, the smallest d for which PairsFailure
// is at most δ = 1 - confidence; 1 for fewer than two points.
//
// Reference: as PairsFailure.
func PairsDim(distortion, confidence float64, points int) (int, error) {
	if fault := errors.Join(checkDistortion(distortion), checkConfidence(confidence), checkPoints(points)); fault != nil {
		return 0, fault
	}
	if points < 2 {
		return 1, nil
	}
	return ceil(perDim(distortion) * math.Log(pairs(points)*2/(1-confidence))).fit("dimension")
}

// Distortion is the smallest g for which DistortionDim is at most dim: the
// distortion of one squared distance that dim coordinates buy. It solves
// g² - g³ = 4/d·ln(2/δ) and is at most 2/3, where the left side is largest; the
// error wraps ErrTooFew where that is not enough.
//
// Reference: as DistortionFailure.
func Distortion(dim int, confidence float64) (float64, error) {
	return PairsDistortion(dim, confidence, 2)
}

// PairsDistortion is the smallest g for which PairsDim is at most dim: the
// distortion of all distances between n points that dim coordinates buy, at
// most 2/3 as in Distortion; 0 for fewer than two points.
//
// Reference: as PairsFailure.
func PairsDistortion(dim int, confidence float64, points int) (float64, error) {
	if fault := errors.Join(checkDim(dim), checkConfidence(confidence), checkPoints(points)); fault != nil {
		return 0, fault
	}
	if points < 2 {
		return 0, nil
	}
	g, ok := solveDistortion(4 / float64(dim) * math.Log(pairs(points)*2/(1-confidence)))
	if !ok {
		return 0, fmt.Errorf("distortion: %w: %d dimensions keep no such distance, whatever the distortion", ErrTooFew, dim)
	}
	return g, nil
}

// solveDistortion returns the smallest g in (0, 2/3] with g² - g³ ≥ c, for
// c > 0. There is none if c > 4/27, but for the rounding of c.
//
// As g² - g³ lies between g²/3 and g² there, g is between √c and √(3c): halving
// that 64 times leaves the last bit.
func solveDistortion(c float64) (float64, bool) {
	if !(c <= 4.0/27*(1+slack)) {
		return 0, false
	}
	// Below lo it does not hold, at hi it does.
	lo, hi := math.Sqrt(c), min(2.0/3, math.Sqrt(3*c))
	for range 64 {
		mid := lo + (hi-lo)/2
		if mid*mid*(1-mid) >= c {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}

// perDim is 4/(g² - g³), the dimensions it takes to divide the probability of
// failure by e.
func perDim(g float64) float64 { return 4 / (g * g * (1 - g)) }

func pairs(points int) float64 { return float64(points) * (float64(points) - 1) / 2 }

func checkDim(dim int) error { return checkCount("dim", dim) }

func checkPoints(points int) error {
	if points < 0 {
		return fmt.Errorf("points is %d and must be at least 0", points)
	}
	return nil
}
