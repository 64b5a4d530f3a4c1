// Package scale brings numbers to a common range, so that a distance sees all
// coordinates alike.
package scale

import (
	"fmt"
	"iter"
	"math"
)

// Kind is a way of scaling.
type Kind string

// None leaves numbers as they are. Standard gives each coordinate mean 0 and
// standard deviation 1. Range maps its smallest value to -1 and its largest to 1.
const (
	None     Kind = "none"
	Standard Kind = "standard"
	Range    Kind = "range"
)

// Parse returns the kind of a name.
func Parse(name string) (Kind, error) {
	if k := Kind(name); k == None || k == Standard || k == Range {
		return k, nil
	}
	return "", fmt.Errorf("scale is %q and must be none, standard or range", name)
}

// Fit is what a kind of scaling asks of some numbers: x becomes
// (x - Center)/Spread, or 0 if Spread is 0.
type Fit struct {
	N              int     // numbers
	Mean           float64 // 0 if there are none
	Center, Spread float64
}

// Fit looks at numbers, which it walks over once, or twice for Standard. Numbers
// that are all the same have the spread 1 for Standard and 0 for Range.
func (k Kind) Fit(values iter.Seq[float64]) Fit {
	f := Fit{Spread: 1}
	n, low, high := 0.0, math.Inf(1), math.Inf(-1)
	for v := range values {
		n++
		f.Mean += v/n - f.Mean/n // never larger than the values
		low, high = min(low, v), max(high, v)
	}
	if f.N = int(n); f.N == 0 {
		return f
	}
	f.Mean = min(max(f.Mean, low), high)
	switch k {
	case Standard:
		f.Center = f.Mean
		if s := deviation(values, f.Mean, low, high); s > 0 {
			f.Spread = s
		}
	case Range:
		f.Center, f.Spread = low/2+high/2, high/2-low/2
	}
	return f
}

// Of returns the scaled number.
func (f Fit) Of(x float64) float64 {
	if f.Spread == 0 {
		return 0
	}
	y := (x - f.Center) / f.Spread
	if y-y != 0 {
		y = x/f.Spread - f.Center/f.Spread // the difference may overflow where the quotients do not
	}
	return y
}

// deviation returns the standard deviation √(Σ(v - mean)²/n). It divides by the
// largest value, so that no square overflows or vanishes.
func deviation(values iter.Seq[float64], mean, low, high float64) float64 {
	if low == high {
		return 0
	}
	unit := max(math.Abs(low), math.Abs(high))
	sum, n := 0.0, 0.0
	for v := range values {
		d := v/unit - mean/unit
		sum += d * d
		n++
	}
	return unit * math.Sqrt(sum/n)
}
