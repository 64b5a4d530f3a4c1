package repro

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/eval"
)

// Confidence is that of every interval. It is high because an experiment has many
// rows, each of which could seem to break a promise by chance.
const Confidence = 0.999

// Measured is a value with its confidence interval, which is the value alone where
// nothing was random.
type Measured struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Count int     `json:"count"` // independent trials behind it
}

// MarshalJSON writes null for an end that there is not, where trials were too few.
func (m Measured) MarshalJSON() ([]byte, error) {
	end := func(v float64) *float64 {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
		Count int      `json:"count"`
	}{end(m.Value), end(m.Low), end(m.High), m.Count})
}

// exact is a value that is not an estimate, such as the most mistakes that were seen.
func exact(v float64, count int) Measured { return Measured{v, v, v, count} }

// proportion is a probability of which hits of n independent trials are an
// estimate, with the interval of Clopper and Pearson.
func proportion(hits, n int) Measured {
	i, err := eval.Proportion(hits, n, Confidence)
	if n == 0 || err != nil {
		return Measured{Value: 0, Low: 0, High: 1}
	}
	return Measured{float64(hits) / float64(n), i.Low, i.High, n}
}

// mean is the mean of the distribution that independent values are from, with the
// interval of Student's t.
func mean(values []float64) Measured {
	m, se := meanError(values)
	return studentised(m, se, len(values), len(values)-1)
}

// between cuts an interval to where values can be.
func between(m Measured, low, high float64) Measured {
	m.Low, m.High = max(m.Low, low), min(m.High, high)
	return m
}

// meanShare is mean for values from 0 to 1, with the interval of Chernoff, which
// holds for any number of them and where all are the same.
func meanShare(values []float64) Measured {
	m, _ := meanError(values)
	n, delta := len(values), (1-Confidence)/2
	high, errHigh := certificate.MeanUpper(min(m, 1), 1, n, delta)
	rest, errLow := certificate.MeanUpper(max(1-m, 0), 1, n, delta)
	if n == 0 || errHigh != nil || errLow != nil {
		return Measured{Value: m, Low: 0, High: 1, Count: n}
	}
	return Measured{m, 1 - rest, high, n}
}

func studentised(m, se float64, n, freedom int) Measured {
	if freedom < 1 {
		return Measured{m, math.Inf(-1), math.Inf(1), n}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.5 + Confidence/2)
	return Measured{m, m - t*se, m + t*se, n}
}

// meanError returns the mean of values and its standard error.
func meanError(values []float64) (m, se float64) {
	n := float64(len(values))
	for _, v := range values {
		m += v / n
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return m, math.Sqrt(sum / max(n-1, 1) / max(n, 1))
}

// slope is the slope b of the line y = a + b·x of least squares, with the interval
// of Student's t for independent errors of one spread.
func slope(x, y []float64) Measured {
	mx, _ := meanError(x)
	my, _ := meanError(y)
	sxx, sxy := 0.0, 0.0
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	b, rest := sxy/sxx, 0.0
	for i := range x {
		r := y[i] - my - b*(x[i]-mx)
		rest += r * r
	}
	n := len(x)
	return studentised(b, math.Sqrt(rest/float64(max(n-2, 1))/sxx), n, n-2)
}

// at is a setting that is a number.
func at(name string, value float64) Setting { return Setting{Name: name, Value: value} }

// in is a setting that is a word.
func in(name, text string) Setting { return Setting{Name: name, Text: text} }

// point is the measurement in a figure.
func (m Measured) point(x float64) Point { return Point{x, m.Value, m.Low, m.High} }

// bare is a point without an interval.
func bare(x, y float64) Point { return Point{x, y, y, y} }

// show is a row of which nothing is promised.
func show(what string, m Measured, at ...Setting) Row { return Row{What: what, At: at, Measured: m} }

// timed is a row that is a time, of which nothing is promised.
func timed(what string, m Measured, at ...Setting) Row {
	return Row{What: what, At: at, Measured: m, Time: true}
}

// atMost is a row that is to be at most what is promised.
func atMost(what string, m Measured, promised float64, at ...Setting) Row {
	return Row{What: what, At: at, Measured: m, Relation: AtMost, Promised: &promised,
		Verdict: judge(m.High <= promised, m.Low <= promised)}
}

// atLeast is a row that is to be at least what is promised.
func atLeast(what string, m Measured, promised float64, at ...Setting) Row {
	return Row{What: what, At: at, Measured: m, Relation: AtLeast, Promised: &promised,
		Verdict: judge(m.Low >= promised, m.High >= promised)}
}

// equal is a row whose interval is to hold what is promised.
func equal(what string, m Measured, promised float64, at ...Setting) Row {
	ok := m.Low <= promised && promised <= m.High
	return Row{What: what, At: at, Measured: m, Relation: Equal, Promised: &promised, Verdict: judge(ok, ok)}
}

// about is a row that is to be within slack of what is promised.
func about(what string, m Measured, promised, slack float64, at ...Setting) Row {
	all := m.Low >= promised-slack && m.High <= promised+slack
	some := m.High >= promised-slack && m.Low <= promised+slack
	return Row{What: what, At: at, Measured: m, Relation: About, Promised: &promised, Slack: slack,
		Verdict: judge(all, some)}
}

// judge returns the verdict on an interval of which all or some keeps a promise.
func judge(all, some bool) Verdict {
	switch {
	case all:
		return Holds
	case some:
		return Undecided
	}
	return Fails
}
