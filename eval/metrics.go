package eval

import (
	"math"
)

// Metrics are measures of predicted classes against true ones.
type Metrics struct {
	N                int      `json:"n"`                 // rows
	Error            float64  `json:"error"`             // part of the rows with the wrong label
	Accuracy         float64  `json:"accuracy"`          // 1 - Error
	BalancedAccuracy float64  `json:"balanced_accuracy"` // mean over the classes of the part that is right
	Weights          *Weights `json:"weights,omitempty"` // of the rows, nil where they had none
}

// Classify compares predicted with true classes, numbered from 0. A true class
// of -1 stands for a label that the model does not know: such a row is an
// error. Without rows all measures are 0.
func Classify(predicted, truth []int, classes int) Metrics {
	return Measure{}.Metrics(predicted, truth, classes)
}

// Metrics is Classify by the weights of the rows. Rows of weight 0 are left out,
// and without others all measures are 0.
func (m Measure) Metrics(predicted, truth []int, classes int) Metrics {
	if len(predicted) != len(truth) || m.Weight != nil && len(m.Weight) != len(truth) {
		panic("eval: lengths differ")
	}
	if len(truth) == 0 {
		return Metrics{}
	}
	weights := NewWeights(m.Weight)
	if weights != nil && weights.Sum == 0 {
		return Metrics{Weights: &Weights{Zero: weights.Zero}}
	}
	out, all := Metrics{Weights: weights}, 0.0
	right, total := make([]float64, classes), make([]float64, classes)
	wrong := 0.0
	for i, c := range truth {
		w := m.weigh(i)
		if w > 0 {
			out.N++
		}
		all += w
		if c >= 0 {
			total[c] += w
		}
		if c < 0 || predicted[i] != c {
			wrong += w
		} else {
			right[c] += w
		}
	}
	out.Error = wrong / all
	out.Accuracy = (all - wrong) / all
	present := 0
	for c := range total {
		if total[c] > 0 {
			present++
			out.BalancedAccuracy += right[c] / total[c]
		}
	}
	out.BalancedAccuracy /= float64(max(present, 1))
	return out
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
	place, one := make([]float64, len(score)), func(int) float64 { return 1 }
	pos, neg := placements(place, score, positive, one)
	if pos.rows == 0 || neg.rows == 0 {
		return math.NaN()
	}
	auc, _ := deLong(place, positive, one, pos, neg)
	return auc
}
