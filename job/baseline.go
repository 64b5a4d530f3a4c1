package job

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// Constant is an answer that looks at no instance: the class of most weight among
// the rows trained on, the first such one in a tie, or the mean of numbers.
type Constant struct {
	Class *string  `json:"class,omitempty"`
	Mean  *float64 `json:"mean,omitempty"`
}

// constantOf learns the constant of a sample, nil where nothing is learnt of labels.
func constantOf[T any](s model.Sample[T]) *Constant {
	weight := func(i int) float64 {
		if s.Weight == nil {
			return 1
		}
		return s.Weight[i]
	}
	if s.Task == model.Regress {
		mean, seen := 0.0, 0.0
		for i, v := range s.Values {
			if w := weight(i); w > 0 {
				seen += w
				mean += (v - mean) * (w / seen)
			}
		}
		return &Constant{Mean: &mean}
	}
	if s.Y == nil {
		return nil
	}
	sum, most := make([]float64, s.Classes.Len()), 0
	for i, c := range s.Y {
		sum[c] += weight(i)
	}
	for c := range sum {
		if sum[c] > sum[most] {
			most = c
		}
	}
	return &Constant{Class: &s.Classes.Names[most]}
}

// constantIn returns the constant that a model's training noted, nil for none.
func constantIn(m *model.Head) *Constant {
	var noted struct {
		Baseline *Constant `json:"baseline"`
	}
	if json.Unmarshal(m.Trained, &noted) != nil {
		return nil
	}
	return noted.Baseline
}

func (c Constant) String() string {
	if c.Mean != nil {
		return fmt.Sprintf("the mean %.5g", *c.Mean)
	}
	return fmt.Sprintf("%q", *c.Class)
}

// Baseline is what a Constant reaches on the rows of a score, and whether the model
// is better than that by more than chance: by two standard errors of the difference
// on these rows.
type Baseline struct {
	Constant
	Error  *float64 `json:"error,omitempty"`
	RMSE   *float64 `json:"rmse,omitempty"`
	R2     *float64 `json:"r2,omitempty"`
	Beaten bool     `json:"beaten"`

	gain, square float64 // sum over the rows of what the model saves, and of its square
}

// chanceErrors is how many standard errors a model must save to be better.
const chanceErrors = 2

// measured notes what the model saves of each row's loss.
func (b *Baseline) measured(gain []float64, weight []float64) *Baseline {
	for i, g := range gain {
		if weight != nil {
			g *= weight[i]
		}
		b.gain += g
		b.square += g * g
	}
	b.judge()
	return b
}

func (b *Baseline) judge() { b.Beaten = b.gain > chanceErrors*math.Sqrt(b.square) }

// classes measures the constant on rows for which a model predicted classes.
func (c *Constant) classes(classes data.Classes, predicted, truth []int, weight []float64) *Baseline {
	if c == nil || c.Class == nil {
		return nil
	}
	own, ok := classes.Index(*c.Class)
	if !ok {
		return nil
	}
	always, gain := make([]int, len(truth)), make([]float64, len(truth))
	for i, y := range truth {
		always[i] = own
		if own == y {
			gain[i]--
		}
		if predicted[i] == y {
			gain[i]++
		}
	}
	m := eval.Measure{Weight: weight}.Metrics(always, truth, classes.Len())
	return (&Baseline{Constant: *c, Error: &m.Error}).measured(gain, weight)
}

// numbers measures the constant on rows for which a model predicted numbers.
func (c *Constant) numbers(predicted, truth, weight []float64) (*Baseline, error) {
	if c == nil || c.Mean == nil {
		return nil, nil
	}
	always, gain, largest := make([]float64, len(truth)), make([]float64, len(truth)), 0.0
	for i, v := range truth {
		always[i] = *c.Mean
		largest = max(largest, math.Abs(v-*c.Mean), math.Abs(v-predicted[i]))
	}
	m, err := measureBy(weight).Regression(always, truth)
	if err != nil || math.IsInf(m.RMSE, 0) { // a mean out of all bounds tells nothing
		return nil, err
	}
	for i, v := range truth {
		if largest > 0 {
			a, b := (v-*c.Mean)/largest, (v-predicted[i])/largest
			gain[i] = a*a - b*b
		}
	}
	return (&Baseline{Constant: *c, RMSE: &m.RMSE, R2: m.R2}).measured(gain, weight), nil
}

func (b *Baseline) String() string {
	beaten := ""
	if !b.Beaten {
		beaten = "; the model is no better than that by more than chance"
	}
	return fmt.Sprintf("%s by always answering %s%s", b.loss(), b.Constant, beaten)
}

// loss is the measure for people.
func (b *Baseline) loss() string {
	if b.RMSE != nil {
		return fmt.Sprintf("RMSE %.5g", *b.RMSE)
	}
	return "error " + percent(*b.Error)
}

const moreAdvice = "try another --kernel or --learner, or --class-weight balanced where a class is rare"

// warnBaseline tells of a model that is no better than its baseline. Of one whose
// classes have weights the plain error says nothing.
func (o *Options) warnBaseline(s *Score) {
	b := s.Baseline
	if b == nil || b.Beaten || o.Choices.Balanced || o.Choices.ClassWeight != nil {
		return
	}
	o.warn("the model is no better than always answering %s by more than chance: %s, and %s without a model; %s",
		b.Constant, s, b.loss(), moreAdvice)
}

// Expected is the loss to expect on new rows like these, with an interval.
type Expected struct {
	Metric     string   `json:"metric"` // error or rmse
	Value      float64  `json:"value"`
	Low        *float64 `json:"low"` // null where the rows show no spread
	High       *float64 `json:"high"`
	Confidence float64  `json:"confidence"`
	Rows       int      `json:"rows"` // that it was measured on
	On         string   `json:"on"`   // test rows, or rows held out to choose on
}

// expectedConfidence is that of the interval of what is expected.
const expectedConfidence = 0.95

const (
	testRows    = "test rows"
	heldOutRows = "rows held out to choose on"
)

// expected measures scores of rows that had no part in the fit. Of the best of
// several that were tried on the same rows the interval is as wide as it must be to
// hold for all of them at once.
func (t truth) expected(p *model.Head, scores *data.Matrix, weight []float64, tried int, on string) (*Expected, error) {
	m := measureBy(weight)
	m.Confidence = 1 - (1-expectedConfidence)/float64(tried)
	out, interval := &Expected{Metric: "error", Confidence: expectedConfidence, On: on}, (*eval.Interval)(nil)
	if p.Regresses() {
		r, err := m.Regression(scores.Data, t.values)
		if err != nil {
			return nil, err
		}
		out.Metric, out.Value, out.Rows, interval = "rmse", r.RMSE, r.N, r.Intervals.RMSE
	} else {
		c := m.Metrics(p.DecideAll(scores), t.y, p.Classes.Len())
		out.Value, out.Rows, interval = c.Error, c.N, errorInterval(c, m.Confidence)
	}
	if interval != nil {
		out.Low, out.High = &interval.Low, &interval.High
	}
	return out, nil
}

// grow takes what is expected from models of some rows to one of all, whose error is so
// much of theirs: it may fall half as much, or half as much more. The interval is that of
// the error on as many new rows again, which chance moves as far as that on these.
func (e *Expected) grow(factor float64) {
	if e == nil || factor <= 0 {
		return
	}
	if factor < 1 {
		e.On += ", and what more rows brought"
	}
	v := e.Value
	e.Value *= factor
	if e.Low != nil {
		low, high := v-math.Sqrt2*(v-*e.Low), v+math.Sqrt2*(*e.High-v)
		e.Low, e.High = ptr(max(0, low)*factor*math.Sqrt(factor)), ptr(high*math.Sqrt(factor))
	}
}

// errorInterval is that of an error, for as many rows as the weights are worth.
func errorInterval(m eval.Metrics, confidence float64) *eval.Interval {
	n := m.N
	if m.Weights != nil {
		n = max(1, min(n, int(m.Weights.Effective)))
	}
	i, err := eval.Proportion(int(math.Round(m.Error*float64(n))), n, confidence)
	if err != nil {
		return nil
	}
	return &i
}

// expectedNumbers is what is expected of a model of numbers whose learner held no
// rows out, by the loss of its kernel and map when they were chosen. The interval is
// that of normal errors.
func (p *Picked) expectedNumbers(way string, dim, tried int) *Expected {
	if p == nil || p.rows == 0 {
		return nil
	}
	v, ok := errorAt(p.Maps, way)
	if !ok || len(p.Maps) == 0 {
		v, ok = errorAt(p.Dims, fmt.Sprint(dim))
	}
	if !ok {
		return nil
	}
	z := math.Sqrt2 * math.Erfinv(1-(1-expectedConfidence)/float64(tried))
	reach := z * v / math.Sqrt(2*float64(p.rows))
	return &Expected{Metric: "rmse", Value: v, Low: ptr(max(0, v-reach)), High: ptr(v + reach),
		Confidence: expectedConfidence, Rows: p.rows, On: heldOutRows}
}

func (e *Expected) String() string {
	write := percent
	if e.Metric == "rmse" {
		write = func(v float64) string { return fmt.Sprintf("%.5g", v) }
	}
	name, within := map[string]string{"rmse": "RMSE", "error": "error"}[e.Metric], ""
	if e.Low != nil {
		within = fmt.Sprintf(" (%s to %s with %s confidence)", write(*e.Low), write(*e.High), percent(e.Confidence))
	}
	return fmt.Sprintf("%s %s%s on new rows, by %d %s", name, write(e.Value), within, e.Rows, e.On)
}

// compare puts the baselines of folds together, and tells of models that are no
// better than these. Repeats see the same rows again, and count as one.
func (o *Options) compare(folds []Fold) map[string]float64 {
	all, repeats, mean := Baseline{}, 1.0, map[string]float64{}
	for _, f := range folds {
		b := f.Score.Baseline
		if b == nil {
			return nil
		}
		for name, v := range map[string]*float64{"error": b.Error, "rmse": b.RMSE, "r2": b.R2} {
			if v != nil {
				mean[name] += *v / float64(len(folds))
			}
		}
		all.gain, all.square, repeats = all.gain+b.gain, all.square+b.square, max(repeats, float64(f.Repeat))
	}
	all.gain, all.square = all.gain/repeats, all.square/repeats
	if all.judge(); !all.Beaten && !o.Choices.Balanced && o.Choices.ClassWeight == nil {
		o.warn("the models are no better by more than chance than answers that look at no instance; " + moreAdvice)
	}
	return mean
}
