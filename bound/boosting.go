package bound

import (
	"errors"
	"fmt"
	"math"
)

// BoostingRounds is ⌈ln(1/ε)/(2e²)⌉: after so many rounds of AdaBoost, with a
// weak hypothesis of error at most 1/2 - e on the weights of every round, the
// combined hypothesis is wrong on at most a part ε of the training sample. The
// edge e is above 0 and at most 1/2.
//
// Reference: Freund and Schapire 1997; docs/math/weak.md.
func BoostingRounds(edge, err float64) (int, error) {
	if fault := errors.Join(checkEdge(edge), checkError(err)); fault != nil {
		return 0, fault
	}
	return boostingRounds(edge, err).fit("rounds")
}

func boostingRounds(edge, err float64) Count { return max(1, ceil(-math.Log(err)/(2*(edge*edge)))) }

// BoostingSampleRounds is ⌊ln(m)/(2e²)⌋ + 1: after so many rounds AdaBoost is
// right on every one of m training examples, its error being below 1/m.
//
// Reference: as BoostingRounds.
func BoostingSampleRounds(edge float64, sample int) (int, error) {
	if fault := errors.Join(checkEdge(edge), checkCount("sample", sample)); fault != nil {
		return 0, fault
	}
	return (floor(math.Log(float64(sample))/(2*(edge*edge))) + 1).fit("rounds")
}

// BoostingError is exp(-2ne²), the training error that n rounds buy.
//
// Reference: as BoostingRounds.
func BoostingError(edge float64, rounds int) (float64, error) {
	if fault := errors.Join(checkEdge(edge), checkCount("rounds", rounds)); fault != nil {
		return 0, fault
	}
	e := math.Exp(-2 * float64(rounds) * (edge * edge))
	// Two steps up, for the rounding of Exp.
	return boughtError(math.Nextafter(math.Nextafter(e, 1), 1)), nil
}

// BoostingEdge is √(ln(1/ε)/(2n)), the smallest edge for which n rounds are
// enough. The error wraps ErrTooFew where it is above 1/2.
//
// Reference: as BoostingRounds.
func BoostingEdge(err float64, rounds int) (float64, error) {
	if fault := errors.Join(checkError(err), checkCount("rounds", rounds)); fault != nil {
		return 0, fault
	}
	edge := math.Sqrt(-math.Log(err) / (2 * float64(rounds)))
	if edge > 0.5*(1+slack) {
		return 0, fmt.Errorf("edge: %w: %d rounds serve no edge, not even 1/2; raise the error allowed", ErrTooFew, rounds)
	}
	return min(edge, 0.5), nil
}

// Boosted gives the two sizes of algorithm 1 under AdaBoost, on a training
// sample that has margin γ:
//
//	rounds  BoostingRounds at edge γ/4
//	tries   WeakTries at δ/rounds, in each round at most
//
// With probability at least 1 - δ every round finds its random separator, and
// the weighted vote of all is wrong on at most a part ε of the sample. Weights
// do not change the margin, so the chance of a try is the same in every round.
//
// Reference: Blum 2006, section 2; docs/math/weak.md.
func Boosted(margin, err, confidence float64) (rounds, tries int, fault error) {
	if fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence)); fault != nil {
		return 0, 0, fault
	}
	r, t := boosted(margin, err, confidence)
	return fit2(r, "rounds", t, "tries")
}

func boosted(margin, err, confidence float64) (rounds, tries Count) {
	rounds = boostingRounds(margin/4, err)
	return rounds, weakTries(margin, math.Log(float64(rounds))-math.Log1p(-confidence))
}

func checkEdge(edge float64) error {
	return checkRange("edge", edge, edge > 0 && edge <= 0.5, "above 0 and at most 1/2")
}

// BoostingProduct is Π 2√(e(1-e)) over the weighted errors e of the rounds: the
// training error of AdaBoost's vote is at most this. Errors are from 0 to 1/2.
//
// Reference: Freund and Schapire 1997, theorem 6; docs/math/boosting.md.
func BoostingProduct(errs []float64) (float64, error) {
	product := 1.0
	for t, e := range errs {
		if !(e >= 0 && e <= 0.5) {
			return 0, fmt.Errorf("error of round %d is %v and must be from 0 to 1/2", t+1, e)
		}
		product *= 2 * math.Sqrt(e*(1-e))
	}
	return product, nil
}
