package eval

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/seed"
)

// leastChance is the probability below which log loss does not look: 2⁻⁵². A
// class that was called impossible and is true costs 36.04.
const leastChance = 0x1p-52

// Reliability is how far the probability of the predicted class can be taken at
// its word. Rows are put into bins of equal width by that probability:
//
//	ECE = Σ_b n_b/n·|accuracy_b - mean probability_b|     MCE = max_b
//
// The expected calibration error of a sample is too large on average, the more
// so the more bins and the fewer rows there are: it is above 0 also of a model
// that is calibrated perfectly. The lower end of its interval allows for that.
type Reliability struct {
	ECE  float64 `json:"ece"`
	MCE  float64 `json:"mce"`
	Bins []Bin   `json:"bins"` // those that have rows

	n      int
	square float64 // mean square of the weights, of mean 1
}

// Bin is a row of the reliability table: the rows whose predicted class has a
// probability above Low and up to High; the first bin has those of Low, too.
type Bin struct {
	Low      float64   `json:"low"`
	High     float64   `json:"high"`
	N        int       `json:"n"`
	Mean     float64   `json:"mean"`     // probability of the predicted class
	Accuracy float64   `json:"accuracy"` // part of the rows that are right
	Interval *Interval `json:"interval"` // of Accuracy, ClopperPearson or Effective
	gap      float64   // Σ w(right - probability)/n, over all n rows of the sample, of mean weight 1
	cross    float64   // Σ w²(right - probability)/n
	square   float64   // Σ w²(right - probability)²/n
}

// reliability fills the table. A row of unknown class is wrong.
func (m Measure) reliability(s Said) *Reliability {
	n := len(s.Truth)
	bins := make([]Bin, m.Bins)
	right, rows := make([]tally, m.Bins), make([]tally, m.Bins)
	r := &Reliability{n: n}
	for i, p := range s.Predicted {
		chance := s.Probabilities.Row(i)[p]
		b := max(0, min(int(math.Ceil(chance*float64(m.Bins)))-1, m.Bins-1))
		gap := -chance
		w := m.weigh(i)
		if s.Truth[i] == p {
			right[b].add(w)
			gap++
		}
		rows[b].add(w)
		bins[b].N++
		bins[b].Mean += w * chance
		bins[b].gap += w * gap / float64(n)
		bins[b].cross += w * w * gap / float64(n)
		bins[b].square += w * w * gap * gap / float64(n)
		r.square += w * w / float64(n)
	}
	for b, one := range bins {
		if one.N == 0 {
			continue
		}
		one.Low, one.High = float64(b)/float64(m.Bins), float64(b+1)/float64(m.Bins)
		one.Mean = min(one.Mean/rows[b].sum, 1)
		one.Accuracy = right[b].sum / rows[b].sum
		one.Interval = m.part(right[b], rows[b])
		r.ECE += math.Abs(one.gap)
		r.MCE = max(r.MCE, math.Abs(one.gap)*float64(n)/rows[b].sum)
		r.Bins = append(r.Bins, one)
	}
	return r
}

// calibrationInterval takes the gap of each bin, Σ w(right - probability)/n over
// its rows, as normal around its true value with its measured variance v_b, and
// independent. With d the true gaps and D the measured ones, ECE is Σ|D_b|, and
//
//	E Σ|D_b| ≥ Σ|d_b|    var Σ|D_b| ≤ Σ v_b     so Σ|d_b| ≤ Σ|D_b| + z·√Σv_b
//	Σ|D_b| - Σ|d_b| ≤ Σ|D_b - d_b|              so Σ|d_b| ≥ Σ|D_b| - q
//
// each but for half of the probability of error, with q the quantile of
// Σ √v_b·|Z_b| for independent normal Z, found by drawing them. It is nil
// without resamples or where the rows show no spread.
func (m Measure) calibrationInterval(r *Reliability) *Interval {
	total := 0.0
	sd := make([]float64, len(r.Bins))
	for b, one := range r.Bins {
		v := max(one.square-one.gap*(2*one.cross-r.square*one.gap), 0) / float64(r.n)
		sd[b] = math.Sqrt(v)
		total += v
	}
	if m.Resamples == 0 || r.n < 2 || total == 0 {
		return nil
	}
	rng := seed.Stream(m.Seed, seed.Resamples, 0)
	drawn := make([]float64, m.Resamples)
	for i := range drawn {
		for _, s := range sd {
			drawn[i] += s * math.Abs(rng.NormFloat64())
		}
	}
	slices.Sort(drawn)
	q := drawn[min(int(math.Ceil((1+m.Confidence)/2*float64(len(drawn)))), len(drawn))-1]
	return &Interval{
		Low: max(r.ECE-q, 0), High: min(r.ECE+quantile(m.Confidence)*math.Sqrt(total), 1), Method: Resampled,
	}
}

// judge fills in the scores of the probabilities, over rows of known class:
//
//	log loss = -mean ln p_true, p_true not below 2⁻⁵²
//	Brier    = mean Σ_k (p_k - [k is true])², in [0, 2]
//
// With two classes this Brier score is twice the (p_1 - [1 is true])² that some
// give.
func (m Measure) judge(c *Classification, s Said) {
	var loss, brier []float64
	var rows []int
	for i, t := range s.Truth {
		if t < 0 {
			continue
		}
		p := s.Probabilities.Row(i)
		rows = append(rows, i)
		loss = append(loss, -math.Log(min(max(p[t], leastChance), 1)))
		sum := 0.0
		for k, v := range p {
			if k == t {
				v = 1 - v
			}
			sum += v * v
		}
		brier = append(brier, sum)
	}
	if len(loss) == 0 {
		return
	}
	mean, se := m.meanError(loss, rows)
	c.LogLoss, c.Intervals.LogLoss = pointer(mean), normal(mean, se, m.Confidence, 0, math.Inf(1))
	mean, se = m.meanError(brier, rows)
	c.Brier, c.Intervals.Brier = pointer(mean), normal(mean, se, m.Confidence, 0, 2)
}
