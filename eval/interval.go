package eval

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/certificate"
)

// Interval holds the true value of a measure, that over the distribution the
// rows were drawn from, with the confidence of the Measure that made it.
type Interval struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Method Method  `json:"method"`
}

// Method is how an interval was found.
type Method string

// The methods. Exact ones have at least the confidence for any number of rows;
// the others approach it with many.
const (
	// ClopperPearson is exact for a part of independent rows.
	ClopperPearson Method = "clopper-pearson"
	// Effective is ClopperPearson for as many rows of equal weight as tell as
	// much as those with weights do, (Σw)²/Σw² of them. It is not exact.
	Effective Method = "effective-size"
	// SquareAndAdd puts the interval of a mean of independent parts together
	// from their exact ones, as Zou and Donner 2008 do.
	SquareAndAdd Method = "square-and-add"
	// DeLong is that of DeLong et al. 1988 for AUC, on the scale of the logarithm
	// of the odds so that it stays within 0 and 1.
	DeLong Method = "delong"
	// Chernoff is exact for a mean of independent values in [0, 1].
	Chernoff Method = "chernoff"
	// Normal is the mean of the rows' parts in a measure, or a smooth function
	// of such means, plus and minus a multiple of its standard error.
	Normal Method = "normal"
	// Resampled takes a quantile of the measure's deviations as drawn many times
	// from a seed.
	Resampled Method = "resampled"
)

// Proportion returns the exact interval of Clopper and Pearson for a probability
// of which count of n independent trials were hits, in O(1). Each end is wrong
// with probability at most half of 1 - confidence.
func Proportion(count, n int, confidence float64) (Interval, error) {
	if !(confidence > 0 && confidence < 1) {
		return Interval{}, fmt.Errorf("confidence is %v and must be above 0 and below 1", confidence)
	}
	high, err := certificate.BinomialUpper(count, n, (1-confidence)/2)
	if err != nil {
		return Interval{}, err
	}
	rest, err := certificate.BinomialUpper(n-count, n, (1-confidence)/2)
	if err != nil {
		return Interval{}, err
	}
	return Interval{Low: 1 - rest, High: high, Method: ClopperPearson}, nil
}

// proportion is Proportion for arguments that are known to be in range, and nil
// where there are no trials.
func proportion(count, n int, confidence float64) *Interval {
	i, err := Proportion(count, n, confidence)
	if n == 0 || err != nil {
		return nil
	}
	return &i
}

// squareAndAdd returns the interval of the mean of independent measures, each
// given with its interval.
func squareAndAdd(values []float64, parts []*Interval) *Interval {
	mean, down, up := 0.0, 0.0, 0.0
	k := float64(len(values))
	for i, v := range values {
		mean += v / k
		down = math.Hypot(down, (v-parts[i].Low)/k)
		up = math.Hypot(up, (parts[i].High-v)/k)
	}
	return &Interval{Low: max(mean-down, 0), High: min(mean+up, 1), Method: SquareAndAdd}
}

// quantile returns the z within which a standard normal variable is with the
// given probability.
func quantile(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }

// normal returns value ± z·se within [low, high]. It is nil where the error is 0
// or no number: rows that are all alike say nothing of the spread.
func normal(value, se, confidence, low, high float64) *Interval {
	reach := quantile(confidence) * se
	if !(reach > 0) || math.IsInf(reach, 0) {
		return nil
	}
	return finite(&Interval{Low: max(value-reach, low), High: min(value+reach, high), Method: Normal})
}

// finite returns the interval, or nil where an end is not a number.
func finite(i *Interval) *Interval {
	if math.IsNaN(i.Low) || math.IsNaN(i.High) || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) {
		return nil
	}
	return i
}

// meanError returns the mean of values and its standard error, 0 where they are
// all the same.
func meanError(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if constant(values) {
		return mean, 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / (n - 1) / n)
}

// constant reports whether all values are the same. Their distances from the mean
// do not tell, because it may be off by rounding.
func constant(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

func pointer(v float64) *float64 { return &v }
