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
	return ceil("dimension", perDim(distortion)*math.Log(pairs(points)*2/(1-confidence)))
}

// perDim is 4/(g² - g³), the dimensions it takes to divide the probability of
// failure by e.
func perDim(g float64) float64 { return 4 / (g * g * (1 - g)) }

func pairs(points int) float64 { return float64(points) * (float64(points) - 1) / 2 }

func checkDim(dim int) error {
	if dim < 1 {
		return fmt.Errorf("dim is %d and must be at least 1", dim)
	}
	return nil
}

func checkPoints(points int) error {
	if points < 0 {
		return fmt.Errorf("points is %d and must be at least 0", points)
	}
	return nil
}
