package eval

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
)

// Weights say what the weights of rows come to.
type Weights struct {
	Sum       float64 `json:"sum"`
	Effective float64 `json:"effective"`      // (Σw)²/Σw²: as many rows of equal weight tell as much
	Zero      int     `json:"zero,omitempty"` // rows of weight 0, which have no part in anything
}

// NewWeights returns what weights come to, nil for nil. They must be those that
// learn.CheckWeights lets pass.
func NewWeights(weight []float64) *Weights {
	if weight == nil {
		return nil
	}
	w, largest := &Weights{}, slices.Max(weight)
	sum, square := 0.0, 0.0 // in units of the largest, whose square may be no number
	for _, v := range weight {
		w.Sum += v
		sum += v / largest
		square += (v / largest) * (v / largest)
		if v == 0 {
			w.Zero++
		}
	}
	w.Effective = sum * (sum / square)
	return w
}

// tally counts rows, and sums their weights and the squares of these.
type tally struct {
	rows        int
	sum, square float64
}

func (t *tally) add(w float64) {
	t.rows++
	t.sum += w
	t.square += w * w
}

// without returns the tally of the rows that are not among those of another one,
// which all are among these.
func (t tally) without(o tally) tally {
	return tally{t.rows - o.rows, t.sum - o.sum, t.square - o.square}
}

func (t tally) and(o tally) tally {
	return tally{t.rows + o.rows, t.sum + o.sum, t.square + o.square}
}

// effective returns how many rows of equal weight tell as much, a whole number.
// Weights that are all the same give their number, whatever rounding does.
func (t tally) effective() int {
	if t.rows == 0 || t.square == 0 { // which may vanish of weights that do not
		return min(t.rows, 1)
	}
	return max(1, min(int(t.sum*(t.sum/t.square)+1e-6), t.rows))
}

// weigh returns the weight of row i.
func (m Measure) weigh(i int) float64 {
	if m.Weight == nil {
		return 1
	}
	return m.Weight[i]
}

// unit returns the recipe with weights in the unit in which their mean is 1.
func (m Measure) unit() Measure {
	if m.Weight == nil {
		return m
	}
	mean := 0.0 // one division a row, so that it does not overflow
	for _, w := range m.Weight {
		mean += w / float64(len(m.Weight))
	}
	scaled := make([]float64, len(m.Weight))
	for i, w := range m.Weight {
		scaled[i] = w / mean
	}
	m.Weight = scaled
	return m
}

// liveRows returns the rows of positive weight, nil where all are.
func liveRows(weight []float64) []int {
	if !slices.Contains(weight, 0) {
		return nil
	}
	var rows []int
	for i, w := range weight {
		if w > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// pick returns the elements at the given places, all of them for nil.
func pick[E any](list []E, at []int) []E {
	if at == nil || list == nil {
		return list
	}
	out := make([]E, len(at))
	for i, j := range at {
		out[i] = list[j]
	}
	return out
}

func pickRows(x *data.Matrix, at []int) *data.Matrix {
	if at == nil || x == nil {
		return x
	}
	out := data.NewMatrix(len(at), x.Cols)
	for i, j := range at {
		copy(out.Row(i), x.Row(j))
	}
	return out
}

// live returns the rows of positive weight of what a model said.
func (m Measure) live(s Said) (Measure, Said) {
	at := liveRows(m.Weight)
	m.Weight = pick(m.Weight, at)
	s.Truth, s.Predicted = pick(s.Truth, at), pick(s.Predicted, at)
	s.Scores, s.Probabilities = pickRows(s.Scores, at), pickRows(s.Probabilities, at)
	return m, s
}

// part returns the interval of the part that hit has of all, to which it belongs.
// With weights the effective number n of rows stands for that of rows, and the
// hits among them are rounded down for the lower end and up for the upper one.
func (m Measure) part(hit, all tally) *Interval {
	if m.Weight == nil {
		return proportion(hit.rows, all.rows, m.Confidence)
	}
	n := all.effective()
	if n == 0 {
		return nil
	}
	hits := min(max(hit.sum/all.sum, 0), 1) * float64(n)
	low := proportion(int(math.Floor(hits+1e-9)), n, m.Confidence)
	high := proportion(min(int(math.Ceil(hits-1e-9)), n), n, m.Confidence)
	if low == nil || high == nil {
		return nil
	}
	return &Interval{Low: low.Low, High: high.High, Method: Effective}
}

// meanError returns the mean of values of the given rows, all for nil, by weight,
// and its standard error, 0 where they are all the same:
//
//	mean = Σwv/Σw    error² = Σw²(v - mean)²/(Σw)²·n/(n-1)
func (m Measure) meanError(values []float64, rows []int) (mean, se float64) {
	if m.Weight == nil {
		return meanError(values)
	}
	weight := pick(m.Weight, rows)
	n, total := float64(len(values)), 0.0
	for _, w := range weight {
		total += w
	}
	for i, v := range values {
		mean += weight[i] / total * v
	}
	if constant(values) {
		return mean, 0
	}
	sum := 0.0
	for i, v := range values {
		sum += math.Pow(weight[i]/total*(v-mean), 2)
	}
	return mean, math.Sqrt(sum * n / (n - 1))
}
