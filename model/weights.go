package model

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// weights returns the weight of each row times that of its class, nil where all
// are 1.
func (r Recipe[T]) weights(classes data.Classes, y []int, weight []float64) ([]float64, error) {
	if r.ClassWeight == nil && !r.Balanced {
		return weight, nil
	}
	sum := make([]float64, classes.Len())
	for i, c := range y {
		sum[c] += weigh(weight, i)
	}
	factor, err := r.factors(classes, sum, total(weight, len(y)))
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(y))
	for i, c := range y {
		out[i] = factor[c] * weigh(weight, i)
	}
	return out, nil
}

// factors returns the weight of each class, given the sums of the weights of their rows
// and of all.
func (r Recipe[T]) factors(classes data.Classes, sum []float64, all float64) ([]float64, error) {
	for name := range r.ClassWeight {
		if _, ok := classes.Index(name); !ok {
			return nil, &SampleError{fmt.Sprintf("there is a weight for the class %q, which no row has", name)}
		}
	}
	factor := make([]float64, classes.Len())
	for c, name := range classes.Names {
		factor[c] = 1
		if w, ok := r.ClassWeight[name]; ok {
			factor[c] = w
		}
		if r.Balanced && sum[c] > 0 {
			factor[c] *= all / (float64(classes.Len()) * sum[c])
		}
	}
	return factor, nil
}

// weigh returns the weight of row i, 1 where there are no weights.
func weigh(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// total returns the sum of the weights of n rows.
func total(weight []float64, n int) float64 {
	if weight == nil {
		return float64(n)
	}
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	return sum
}

// effective returns the weights in the unit in which they sum to the number of
// rows that they are worth, (Σw)²/Σw². What is sure of a sample of so many rows
// is not made surer by large weights.
func effective(weight []float64) []float64 {
	if weight == nil {
		return nil
	}
	sum, square := total(weight, len(weight)), 0.0
	for _, w := range weight {
		square += (w / sum) * (w / sum)
	}
	return scaled(weight, 1/sum/square)
}

// wrong returns the part of the rows, by weight, whose largest score is not that
// of their class.
func wrong(scores *data.Matrix, y []int, weight []float64) float64 {
	sum := 0.0
	for i, c := range y {
		if Best(scores.Row(i)) != c {
			sum += weigh(weight, i)
		}
	}
	return sum / total(weight, len(y))
}

// rootMeanSquare returns the root of the mean squared error of numbers, by
// weight.
func rootMeanSquare(scores *data.Matrix, y, weight []float64) float64 {
	sum := 0.0
	for i, v := range y {
		e := scores.Row(i)[0] - v
		sum += weigh(weight, i) * e * e
	}
	return math.Sqrt(sum / total(weight, len(y)))
}

// weightedMean returns the mean of numbers by weight.
func weightedMean(y, weight []float64) float64 {
	n, mean := total(weight, len(y)), 0.0
	for i, v := range y {
		mean += v / n * weigh(weight, i)
	}
	return mean
}

// spread returns the standard deviation of numbers by weight, 1 where they are
// all the same.
func spread(y, weight []float64) float64 {
	n, mean, square := total(weight, len(y)), weightedMean(y, weight), 0.0
	for i, v := range y {
		square += (v - mean) * (v - mean) / n * weigh(weight, i)
	}
	if s := math.Sqrt(square); s > 0 && !math.IsInf(s, 0) {
		return s
	}
	return 1
}

func scaled(x []float64, by float64) []float64 {
	if by == 1 {
		return x
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * by
	}
	return out
}
