// Package scale brings numbers to a common range, so that a distance sees all
// coordinates alike.
package scale

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// Kind is a way of scaling.
type Kind string

// None leaves numbers as they are. Standard gives each coordinate mean 0 and
// standard deviation 1. Range maps its smallest value to -1 and its largest to 1.
//
// Robust gives it median 0 and the interquartile range of the normal distribution,
// about 1.349, or standard deviation 1 about the median where half of the numbers
// are the same. Log is the standard scale of sign(x)·log(1 + |x|/u), u being the
// median of |x| over the x that are not 0. Quantile is the normal score of the
// empirical distribution; see Curve.
//
// Mixed is Log, Quantile or Standard, by coordinate: see Choose.
const (
	None     Kind = "none"
	Standard Kind = "standard"
	Range    Kind = "range"
	Robust   Kind = "robust"
	Quantile Kind = "quantile"
	Log      Kind = "log"
	Mixed    Kind = "mixed"

	// TFIDF is for sparse vectors of counts alone: see Counts. It is none of Kinds.
	TFIDF Kind = "tfidf"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{None, Standard, Range, Robust, Quantile, Log, Mixed} }

// Names lists the kinds for people.
func Names() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Parse returns the kind of a name.
func Parse(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", fmt.Errorf("scale is %q and must be %s", name, Names())
}

// Fit is what a kind of scaling asks of some numbers: x becomes
// (Curve(x) - Center)/Spread, or 0 if Spread is 0.
type Fit struct {
	Curve
	Kind           Kind    // that of the numbers: never Mixed
	N              int     // numbers
	Mean           float64 // the median for Robust, Quantile and Log; 0 if there are none
	Center, Spread float64
}

// Fit looks at numbers, which it walks over once, or twice for Standard. Numbers
// that are all the same have the spread 1 for Standard and 0 for Range. Robust,
// Quantile, Log and Mixed sort a copy of the numbers.
func (k Kind) Fit(values iter.Seq[float64]) Fit { return k.FitKnots(values, MostKnots) }

// FitKnots is Fit with a bound on the knots of a Curve, at least 2.
func (k Kind) FitKnots(values iter.Seq[float64], most int) Fit {
	switch k {
	case Robust, Quantile, Log:
		return k.fitSorted(slices.Sorted(values), most)
	case Mixed:
		v := slices.Sorted(values)
		if k = Choose(v); k != Standard {
			return k.fitSorted(v, most)
		}
	}
	m := newMoments()
	for v := range values {
		m.add(v)
	}
	return k.fitMoments(m, values)
}

// FitColumn is Fit of the given rows of a column, in which NaN is missing. Robust, Quantile, Log
// and Mixed are not for it.
func (k Kind) FitColumn(column []float64, rows []int) Fit {
	m := newMoments()
	if contiguous(rows) {
		m.addAll(column[rows[0]:][:len(rows)])
	} else {
		for _, i := range rows {
			if v := column[i]; v == v {
				m.add(v)
			}
		}
	}
	return k.fitMoments(m, func(yield func(float64) bool) {
		for _, i := range rows {
			if v := column[i]; v == v && !yield(v) {
				return
			}
		}
	})
}

// contiguous reports rows one after the other.
func contiguous(rows []int) bool {
	for k, i := range rows {
		if i != rows[0]+k {
			return false
		}
	}
	return len(rows) > 0
}

// Sorts reports whether fitting sorts the numbers.
func (k Kind) Sorts() bool { return k == Robust || k == Quantile || k == Log || k == Mixed }

// fitMoments fits what does not sort to numbers of the given moments.
func (k Kind) fitMoments(m moments, values iter.Seq[float64]) Fit {
	f := Fit{Spread: 1, Kind: k, N: m.n}
	if f.N == 0 {
		return f
	}
	f.Mean = min(max(m.mean(values), m.low), m.high)
	switch k {
	case Standard:
		f.Center = f.Mean
		if s := deviation(values, f.Mean, m.low, m.high); s > 0 {
			f.Spread = s
		}
	case Range:
		f.Center, f.Spread = m.low/2+m.high/2, m.high/2-m.low/2
	}
	return f
}

// fitSorted looks at numbers in increasing order.
func (k Kind) fitSorted(v []float64, most int) Fit {
	if len(v) == 0 {
		return Fit{Spread: 1, Kind: k}
	}
	f := Fit{Kind: k, N: len(v), Mean: At(v, 0.5), Spread: 1}
	switch k {
	case Robust:
		f.Center, f.Spread = f.Mean, robustSpread(v, f.Mean)
	case Quantile:
		f.Curve = newCurve(v, most)
	case Log:
		f.Curve = Curve{Unit: unit(v)}
		g := Standard.Fit(func(yield func(float64) bool) {
			for _, x := range v {
				if !yield(f.Curve.At(x)) {
					return
				}
			}
		})
		f.Center, f.Spread = g.Center, g.Spread
	}
	return f
}

// normalRange is the interquartile range of the normal distribution.
const normalRange = 1.3489795003921634

// robustSpread returns the interquartile range over that of the normal
// distribution, the deviation about the center where it is 0, and 1 where that is
// 0 too.
func robustSpread(v []float64, center float64) float64 {
	s := min(At(v, 0.75)/normalRange-At(v, 0.25)/normalRange, math.MaxFloat64)
	if s > 0 {
		return s
	}
	if s = min(deviation(slices.Values(v), center, v[0], v[len(v)-1]), math.MaxFloat64); s > 0 {
		return s
	}
	return 1
}

// At returns the quantile of p of numbers in increasing order, of which there must
// be one, between two of them by a straight line.
func At(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	t := at - float64(i)
	return sorted[i]*(1-t) + sorted[i+1]*t
}

// IsIdentity reports whether every finite number but -0 is itself when it is scaled.
func (f Fit) IsIdentity() bool { return f.Center == 0 && f.Spread == 1 && f.Curve.isPlain() }

// Of returns the scaled number.
func (f Fit) Of(x float64) float64 {
	if f.Spread == 0 {
		return 0
	}
	x = f.Curve.At(x)
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
