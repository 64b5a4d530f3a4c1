package eval

import (
	"cmp"
	"math"
	"slices"
)

// Metrics are measures of predicted classes against true ones.
type Metrics struct {
	N                int     `json:"n"`
	Error            float64 `json:"error"`             // part of the rows with the wrong label
	Accuracy         float64 `json:"accuracy"`          // 1 - Error
	BalancedAccuracy float64 `json:"balanced_accuracy"` // mean over the classes of the part that is right
}

// Classify compares predicted with true classes, numbered from 0. A true class
// of -1 stands for a label that the model does not know: such a row is an
// error. Without rows all measures are 0.
func Classify(predicted, truth []int, classes int) Metrics {
	if len(predicted) != len(truth) {
		panic("eval: lengths differ")
	}
	m := Metrics{N: len(truth)}
	if m.N == 0 {
		return m
	}
	right, total := make([]int, classes), make([]int, classes)
	wrong := 0
	for i, c := range truth {
		if c >= 0 {
			total[c]++
		}
		if c < 0 || predicted[i] != c {
			wrong++
		} else {
			right[c]++
		}
	}
	m.Error = float64(wrong) / float64(m.N)
	m.Accuracy = float64(m.N-wrong) / float64(m.N)
	present := 0
	for c := range total {
		if total[c] > 0 {
			present++
			m.BalancedAccuracy += float64(right[c]) / float64(total[c])
		}
	}
	m.BalancedAccuracy /= float64(max(present, 1))
	return m
}

// Confusion returns the matrix whose entry [t][p] counts the rows of true class
// t that were predicted as p. Rows whose true class is unknown are left out.
func Confusion(predicted, truth []int, classes int) [][]int {
	out := make([][]int, classes)
	for c := range out {
		out[c] = make([]int, classes)
	}
	for i, t := range truth {
		if t >= 0 {
			out[t][predicted[i]]++
		}
	}
	return out
}

// AUC returns the area under the ROC curve: the probability that a positive
// instance has a larger score than a negative one, ties counting half. It is
// NaN where one of the two is missing. The cost is that of sorting.
func AUC(score []float64, positive []bool) float64 {
	if len(score) != len(positive) {
		panic("eval: lengths differ")
	}
	order := make([]int, len(score))
	pos := 0
	for i := range order {
		order[i] = i
		if positive[i] {
			pos++
		}
	}
	neg := len(score) - pos
	if pos == 0 || neg == 0 {
		return math.NaN()
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[i], score[j]) })
	rankSum := 0.0 // of the positives, ranks from 1, the mean rank for ties
	for lo := 0; lo < len(order); {
		hi, tied := lo, 0
		for ; hi < len(order) && score[order[hi]] == score[order[lo]]; hi++ {
			if positive[order[hi]] {
				tied++
			}
		}
		rankSum += float64(tied) * (float64(lo+hi+1) / 2)
		lo = hi
	}
	u := rankSum - float64(pos)*float64(pos+1)/2
	return u / (float64(pos) * float64(neg))
}
