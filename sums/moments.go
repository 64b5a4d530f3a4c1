package sums

import "math"

// Moments of numbers x:
//
//	Mean = Σx/Count   Square = Σ(x - Mean)²   Min   Max
//
// and how many are Missing. Merging follows Chan, Golub and LeVeque 1979, which loses
// no digits to a mean that is large beside the spread. The zero value is of no numbers.
type Moments struct {
	Count, Missing int
	Mean, Square   float64
	Min, Max       float64 // 0 where Count is
}

// Add adds numbers, NaN for one that is missing. It walks over them twice.
func (m *Moments) Add(values []float64) {
	count, sum, least, most := 0, 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != v {
			continue
		}
		count++
		sum += v
		if v < least { // min and max would each wait for the number before
			least = v
		}
		if v > most {
			most = v
		}
	}
	if count == 0 {
		m.Missing += len(values)
		return
	}
	mean, square := sum/float64(count), 0.0
	if mean-mean != 0 { // the sum is too large
		mean = 0
		for _, v := range values {
			if v == v {
				mean += v / float64(count)
			}
		}
	}
	for _, v := range values {
		if v == v {
			square += (v - mean) * (v - mean)
		}
	}
	m.Merge(&Moments{Count: count, Missing: len(values) - count, Mean: mean, Square: square, Min: least, Max: most})
}

// Merge adds the moments of other numbers.
func (m *Moments) Merge(other *Moments) {
	m.Missing += other.Missing
	if other.Count == 0 {
		return
	}
	if m.Count == 0 {
		missing := m.Missing
		*m = *other
		m.Missing = missing
		return
	}
	a, b := float64(m.Count), float64(other.Count)
	step := other.Mean - m.Mean
	m.Mean += step * (b / (a + b))
	m.Square += other.Square + step*step*(a/(a+b))*b
	m.Count += other.Count
	m.Min, m.Max = min(m.Min, other.Min), max(m.Max, other.Max)
}

// Deviation returns the standard deviation √(Square/Count), 0 of no numbers.
func (m *Moments) Deviation() float64 {
	if m.Count == 0 {
		return 0
	}
	return math.Sqrt(m.Square / float64(m.Count))
}

// AppendBinary adds the binary form to b.
func (m *Moments) AppendBinary(b []byte) ([]byte, error) {
	b = putCount(putCount(append(b, tagMoments), m.Count), m.Missing)
	return putNumbers(b, m.Mean, m.Square, m.Min, m.Max), nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (m *Moments) UnmarshalBinary(b []byte) error {
	r := read(b, tagMoments)
	one := Moments{Count: r.count(0), Missing: r.count(0)}
	one.Mean, one.Square, one.Min, one.Max = r.number(), r.number(), r.number(), r.number()
	if one.Square < 0 || one.Min > one.Max {
		r.bad = true
	}
	if err := r.end("moments"); err != nil {
		return err
	}
	*m = one
	return nil
}
