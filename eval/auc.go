package eval

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
)

// placements writes for each row the part of the rows of the other kind that it
// is on the right side of, ties counting half: for a positive row the part of
// the negatives below it, for a negative one the part of the positives above.
// Parts are by weight. The mean over the positives, and that over the negatives,
// is the AUC. It reports both kinds, and writes nothing where there is none of
// one. O(n log n).
//
// Reference: DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014.
func placements(dst, score []float64, positive []bool, weight func(int) float64) (pos, neg tally) {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
		if positive[i] {
			pos.add(weight(i))
		} else {
			neg.add(weight(i))
		}
	}
	if pos.rows == 0 || neg.rows == 0 {
		return pos, neg
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[i], score[j]) })
	posBelow, negBelow := 0.0, 0.0
	for lo := 0; lo < len(order); {
		hi, posTied, negTied := lo, 0.0, 0.0
		for ; hi < len(order) && score[order[hi]] == score[order[lo]]; hi++ {
			if i := order[hi]; positive[i] {
				posTied += weight(i)
			} else {
				negTied += weight(i)
			}
		}
		for _, i := range order[lo:hi] {
			if positive[i] {
				dst[i] = (negBelow + negTied/2) / neg.sum
			} else {
				dst[i] = max(pos.sum-posBelow-posTied+posTied/2, 0) / pos.sum
			}
		}
		posBelow, negBelow, lo = posBelow+posTied, negBelow+negTied, hi
	}
	return pos, neg
}

// ScoresAUC returns the area under the ROC curve of scores, a row an instance and a column a class: with two
// classes that of class 1 by the difference of the scores, with more the mean of each class against the rest, over
// the classes that have rows of both kinds. It is by the weights of the rows; those of class -1, which has no
// column, are left out. It reports false where there is none.
func ScoresAUC(scores *data.Matrix, y []int, weight []float64) (float64, bool) {
	rows := known(y, weight)
	score, positive, place := make([]float64, len(rows)), make([]bool, len(rows)), make([]float64, len(rows))
	w := func(i int) float64 { return Measure{Weight: weight}.weigh(rows[i]) }
	sum, count, first := 0.0, 0, 0
	if scores.Cols == 2 {
		first = 1
	}
	for c := first; c < scores.Cols; c++ {
		for i, r := range rows {
			score[i], positive[i] = scores.Row(r)[c], y[r] == c
			if scores.Cols == 2 {
				score[i] = scores.Row(r)[1]/2 - scores.Row(r)[0]/2
			}
		}
		if pos, neg := placements(place, score, positive, w); pos.rows > 0 && neg.rows > 0 {
			auc, _ := deLong(place, positive, w, pos, neg)
			sum, count = sum+auc, count+1
		}
	}
	return min(sum/float64(max(count, 1)), 1), count > 0
}

// deLong returns AUC and the variance of DeLong et al. from placements: the
// sample variance over the positives divided by their number, plus the same of
// the negatives. With weights each is Σw²(v - AUC)²/(Σw)²·n/(n-1). It is 0 for a
// kind of a single row.
func deLong(place []float64, positive []bool, weight func(int) float64, pos, neg tally) (auc, variance float64) {
	for i, v := range place {
		if positive[i] {
			auc += v * weight(i) / pos.sum
		}
	}
	var sp, sn float64
	for i, v := range place {
		d := weight(i) * (v - auc)
		if positive[i] {
			sp += d * d
		} else {
			sn += d * d
		}
	}
	for _, kind := range []struct {
		tally
		squares float64
	}{{pos, sp}, {neg, sn}} {
		if n := float64(kind.rows); n > 1 {
			variance += kind.squares / kind.sum * (n / kind.sum) / (n - 1)
		}
	}
	return auc, variance
}

// order fills in AUC: with two classes that of class 1 against class 0 by the
// difference of their scores, or by the probability of class 1 where there are
// no scores; with more the mean of each class against the rest by its own score,
// over the classes that have rows of both kinds. Rows of unknown class are left
// out.
func (m Measure) order(ctx context.Context, c *Classification, s Said) error {
	scores, truth := s.Scores, s.Truth
	if scores == nil {
		scores = s.Probabilities
	}
	var rows []int
	for i, t := range truth {
		if t >= 0 {
			rows = append(rows, i)
		}
	}
	n := len(rows)
	score, place, moved := make([]float64, n), make([]float64, n), make([]float64, n)
	positive := make([]bool, n)
	sum, variance, used := 0.0, 0.0, 0
	var pairs []int // the smaller number of rows of each AUC, that of as many with equal weights
	first, last := 0, scores.Cols
	if scores.Cols == 2 {
		first = 1
	}
	for k := first; k < last; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for a, i := range rows {
			score[a], positive[a] = scores.Row(i)[k], truth[i] == k
			if scores.Cols == 2 && s.Scores != nil {
				score[a] = scores.Row(i)[1]/2 - scores.Row(i)[0]/2
			}
		}
		weight := func(a int) float64 { return m.weigh(rows[a]) }
		pos, neg := placements(place, score, positive, weight)
		if pos.rows == 0 || neg.rows == 0 {
			continue
		}
		auc, v := deLong(place, positive, weight, pos, neg)
		sum, variance, used = sum+auc, v, used+1
		pairs = append(pairs, min(pos.effective(), neg.effective()))
		for a := range moved {
			part := neg.sum
			if positive[a] {
				part = pos.sum
			}
			moved[a] += weight(a) * (place[a] - auc) / part
		}
	}
	if used == 0 {
		return nil
	}
	if used > 1 {
		// What a row moves the mean by. For one AUC the sum of squares is the
		// variance above but for dividing by a number instead of it less one.
		variance = 0
		for _, v := range moved {
			variance += v * v
		}
		variance /= float64(used * used)
	}
	auc := min(sum/float64(used), 1)
	c.AUC, c.Intervals.AUC = &auc, m.aucInterval(auc, math.Sqrt(variance), pairs)
	return nil
}

// aucInterval is normal on the scale ln(auc/(1-auc)). Where the rows show no
// spread, all pairs in order, all the wrong way round or all tied, it is by
// disjoint pairs: as many as the smaller kind has rows, independent, and each of
// them is in order, or tied, with the AUC as its mean. Several AUCs share the
// probability of error.
func (m Measure) aucInterval(auc, se float64, pairs []int) *Interval {
	// Placements are multiples of 1/(2n) and rounding of their means is below
	// 1e-12 for any n that fits in memory.
	if se > 1e-12 && auc > 1e-12 && auc < 1-1e-12 {
		reach := quantile(m.Confidence) * se / (auc * (1 - auc))
		z := math.Log(auc / (1 - auc))
		logistic := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
		return finite(&Interval{Low: logistic(z - reach), High: logistic(z + reach), Method: DeLong})
	}
	out := &Interval{Method: Chernoff}
	delta := (1 - m.Confidence) / 2 / float64(len(pairs))
	for _, n := range pairs {
		high, err := certificate.MeanUpper(auc, 1, n, delta)
		rest, err2 := certificate.MeanUpper(1-auc, 1, n, delta)
		if err != nil || err2 != nil {
			return nil
		}
		out.High += high / float64(len(pairs))
		out.Low += (1 - rest) / float64(len(pairs))
	}
	out.Low, out.High = max(out.Low, 0), min(out.High, 1)
	return out
}
