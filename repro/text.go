package repro

import (
	"math"
	"strconv"
	"strings"
)

// number writes a number in few digits, a count with all of its own.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "?"
	case v == 0:
		return "0"
	case v == math.Trunc(v) && a < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1e-3 && a < 1e4:
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(text)
}

// String writes a setting as "γ 0.1" or "kind gaussian".
func (s Setting) String() string { return s.Name + " " + s.Words() }

// Words writes the value of a setting.
func (s Setting) Words() string {
	if s.Text != "" {
		return s.Text
	}
	return number(s.Value)
}

// Place writes where a row was measured.
func (r Row) Place() string {
	words := make([]string, len(r.At))
	for i, s := range r.At {
		words[i] = s.String()
	}
	return strings.Join(words, ", ")
}

// Promise writes what is promised: "≤ 100".
func (r Row) Promise() string {
	if r.Promised == nil {
		return ""
	}
	text := string(r.Relation) + " " + number(*r.Promised)
	if r.Relation == About {
		text += " ± " + number(r.Slack)
	}
	return text
}

// String writes the value alone.
func (m Measured) String() string { return number(m.Value) }

// Interval writes the ends of the interval, nothing where it is the value alone.
func (m Measured) Interval() string {
	if m.Low == m.High {
		return ""
	}
	return number(m.Low) + " to " + number(m.High)
}

// Words writes the verdict on a result for people. Where nothing is promised there is none.
func (r *Result) Words() string {
	if r.Verdict == Shown {
		return "reported"
	}
	return r.Verdict.Words()
}

// Words writes a verdict for people.
func (v Verdict) Words() string {
	if v == Fails {
		return "does not hold"
	}
	return string(v)
}
