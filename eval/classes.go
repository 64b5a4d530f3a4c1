package eval

import "math"

// ClassScores are the measures of one class:
//
//	precision  part of the rows predicted as the class that are of it
//	recall     part of the rows of the class that are predicted as it
//	F1         2·precision·recall/(precision + recall)
//
// Rows are counted; the measures are by their weights. A measure without rows to
// divide by is nil. F1 is 0 where the class occurs,
// in truth or in prediction, and never in both at once.
type ClassScores struct {
	Class     int            `json:"class"`
	Rows      int            `json:"n"`         // of the class
	Predicted int            `json:"predicted"` // as the class
	Right     int            `json:"right"`     // both
	Precision *float64       `json:"precision,omitempty"`
	Recall    *float64       `json:"recall,omitempty"`
	F1        *float64       `json:"f1,omitempty"`
	Intervals ClassIntervals `json:"intervals"`
}

// ClassIntervals are exact, by Clopper and Pearson. That of F1 holds given how
// many rows are of the class, predicted as it, or both: of those the part that
// is both, J, is binomial, and F1 = 2J/(1 + J).
type ClassIntervals struct {
	Precision *Interval `json:"precision,omitempty"`
	Recall    *Interval `json:"recall,omitempty"`
	F1        *Interval `json:"f1,omitempty"`
}

// classTally counts the rows of a class, those predicted as it, and those that
// are both.
type classTally struct{ rows, predicted, right tally }

// scores fills in the measures of a class from its counts.
func (m Measure) scores(class int, n classTally) ClassScores {
	c := ClassScores{Class: class, Rows: n.rows.rows, Predicted: n.predicted.rows, Right: n.right.rows}
	if n.predicted.rows > 0 {
		c.Precision = pointer(n.right.sum / n.predicted.sum)
		c.Intervals.Precision = m.part(n.right, n.predicted)
	}
	if n.rows.rows > 0 {
		c.Recall = pointer(n.right.sum / n.rows.sum)
		c.Intervals.Recall = m.part(n.right, n.rows)
	}
	if n.rows.rows+n.predicted.rows > 0 {
		c.F1 = pointer(2 * n.right.sum / (n.rows.sum + n.predicted.sum))
		c.Intervals.F1 = m.f1Interval(n)
	}
	return c
}

func (m Measure) f1Interval(n classTally) *Interval {
	j := m.part(n.right, n.rows.and(n.predicted).without(n.right))
	return &Interval{Low: 2 * j.Low / (1 + j.Low), High: 2 * j.High / (1 + j.High), Method: j.Method}
}

// countClasses fills in what follows from the counts of true and predicted
// classes: the measures of each class, the mean F1 over the classes that occur,
// and the intervals of means. Rows of unknown class count as predicted only.
func (m Measure) countClasses(c *Classification, s Said) {
	counts := make([]classTally, s.Classes)
	for i, t := range s.Truth {
		w := m.weigh(i)
		if t >= 0 {
			counts[t].rows.add(w)
		}
		counts[s.Predicted[i]].predicted.add(w)
		if t == s.Predicted[i] {
			counts[t].right.add(w)
		}
	}
	var recalls []float64
	var parts []*Interval
	sum, occur := 0.0, 0
	for k := range s.Classes {
		one := m.scores(k, counts[k])
		c.PerClass = append(c.PerClass, one)
		if one.Recall != nil {
			recalls, parts = append(recalls, *one.Recall), append(parts, one.Intervals.Recall)
		}
		if one.F1 != nil {
			sum += *one.F1
			occur++
		}
	}
	if len(recalls) > 0 {
		c.Intervals.BalancedAccuracy = squareAndAdd(recalls, parts)
	}
	// Every row is predicted as something, so that some class occurs.
	c.MacroF1 = pointer(sum / float64(occur))
	c.Intervals.MacroF1 = m.macroInterval(c, s, counts, occur)
}

// macroInterval is the delta method on the mean F1 of the classes that occur: a
// row of class t predicted as p moves F1 of class k by
//
//	(2·[t=p=k] - F1_k·([t=k] + [p=k]))·n/(rows_k + predicted_k)
//
// per part 1/n of weight, with sums of weights in the place of numbers of rows,
// and the standard error is the root of the mean square over n. Where no row
// moves it, all are right or all are wrong, the exact
// intervals of the classes are averaged, each with its share of the probability
// of error.
func (m Measure) macroInterval(c *Classification, s Said, counts []classTally, occur int) *Interval {
	n := float64(c.N)
	move := func(k int) float64 {
		return *c.PerClass[k].F1 * n / (counts[k].rows.sum + counts[k].predicted.sum)
	}
	gain := func(k int) float64 { return 2 * n / (counts[k].rows.sum + counts[k].predicted.sum) }
	sum := 0.0
	for i, t := range s.Truth {
		p := s.Predicted[i]
		v := -move(p)
		if t >= 0 {
			v -= move(t)
		}
		if t == p {
			v += gain(p)
		}
		v *= m.weigh(i) / float64(occur)
		sum += v * v
	}
	if value := *c.MacroF1; value > 0 && value < 1 {
		return normal(value, math.Sqrt(sum)/n, m.Confidence, 0, 1)
	}
	out := &Interval{}
	m.Confidence = 1 - (1-m.Confidence)/float64(occur)
	for k, one := range c.PerClass {
		if one.F1 != nil {
			part := m.f1Interval(counts[k])
			out.Method = part.Method
			out.Low += part.Low / float64(occur)
			out.High += part.High / float64(occur)
		}
	}
	out.High = min(out.High, 1)
	return out
}
