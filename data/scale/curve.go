package scale

import (
	"errors"
	"math"
	"slices"
)

// MostKnots bounds the knots of a Curve.
const MostKnots = 256

// allKnots is how many knots the coordinates of a data set have together, as far as
// each has fewestKnots.
const (
	allKnots    = 1 << 16
	fewestKnots = 16
)

// KnotsOf returns the bound on the knots of each of so many coordinates: MostKnots,
// and fewer where there are more than 256 coordinates.
func KnotsOf(coordinates int) int {
	return min(max(allKnots/max(coordinates, 1), fewestKnots), MostKnots)
}

// Curve is an increasing function of numbers, the identity where all is empty.
//
// With a positive Unit it is sign(x)·log(1 + |x|/Unit).
//
// With Knots it is the normal score Φ⁻¹(F(x)), F being the distribution function of
// the numbers that Kind.Fit saw with half of the mass of a number that is there
// several times: F(x) = (#{v < x} + #{v = x}/2)/n, so that equal numbers have their
// middle rank and the ends are finite. Knots are all different numbers where there
// are few, and otherwise about equally many numbers apart, the ends among them;
// Scores are the values at Knots to five decimals. Between knots it is a straight
// line, and beyond them constant. The weights of rows have no part in it.
type Curve struct {
	Unit   float64   `json:"unit,omitempty"`
	Knots  []float64 `json:"knots,omitempty"`
	Scores []float64 `json:"scores,omitempty"`
}

// At returns the value at x.
func (c *Curve) At(x float64) float64 {
	switch {
	case c.Unit > 0:
		return math.Copysign(logOf(math.Abs(x), c.Unit), x)
	case len(c.Knots) > 0:
		return c.score(x)
	}
	return x
}

// logOf returns log(1 + x/unit).
func logOf(x, unit float64) float64 {
	if q := x / unit; !math.IsInf(q, 0) {
		return math.Log1p(q)
	}
	return math.Log(x) - math.Log(unit)
}

func (c *Curve) score(x float64) float64 {
	last := len(c.Knots) - 1
	k, found := slices.BinarySearch(c.Knots, x)
	switch {
	case found:
		return c.Scores[k]
	case k == 0:
		return c.Scores[0]
	case k > last:
		return c.Scores[last]
	}
	low, high := c.Knots[k-1], c.Knots[k]
	t := (x/2 - low/2) / (high/2 - low/2) // halves, so that nothing overflows
	if !(t >= 0 && t <= 1) {
		t = 0.5 // halves of the smallest numbers vanish
	}
	return c.Scores[k-1] + t*(c.Scores[k]-c.Scores[k-1])
}

// newCurve returns the normal scores of numbers in increasing order.
func newCurve(v []float64, most int) Curve {
	n, different := len(v), 1
	for i := 1; i < n; i++ {
		if v[i] != v[i-1] {
			different++
		}
	}
	var c Curve
	add := func(i int) { // the number at place i, if it is another than the last
		if m := len(c.Knots); m > 0 && v[i] == c.Knots[m-1] {
			return
		}
		first, _ := slices.BinarySearch(v, v[i])
		next := first + 1
		for next < n && v[next] == v[i] {
			next++
		}
		p := (float64(first) + float64(next)) / 2 / float64(n)
		c.Knots = append(c.Knots, v[i]+0)
		c.Scores = append(c.Scores, math.Round(normalQuantile(p)*1e5)/1e5+0)
	}
	if most = max(most, 2); different <= most {
		for i := range v {
			add(i)
		}
		return c
	}
	for k := range most {
		add(int(math.Round(float64(k) / float64(most-1) * float64(n-1))))
	}
	return c
}

// normalQuantile returns Φ⁻¹(p).
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// unit returns the median of |x| over the x that are not 0, 1 where all are.
func unit(v []float64) float64 {
	var size []float64
	for _, x := range v {
		if x != 0 {
			size = append(size, math.Abs(x))
		}
	}
	if len(size) == 0 {
		return 1
	}
	slices.Sort(size)
	return At(size, 0.5)
}

// isPlain reports the identity.
func (c *Curve) isPlain() bool { return c.Unit == 0 && c.Knots == nil && c.Scores == nil }

// Validate reports what a Curve from elsewhere may have wrong.
func (c *Curve) Validate() error {
	if !(c.Unit >= 0) || math.IsInf(c.Unit, 0) || c.Unit > 0 && c.Knots != nil {
		return errors.New("the unit of a logarithm must be a positive number, and stand alone")
	}
	if len(c.Knots) != len(c.Scores) || c.Knots != nil && len(c.Knots) == 0 {
		return errors.New("a curve with as many knots as scores is needed")
	}
	for k, x := range c.Knots {
		s := c.Scores[k]
		if x-x != 0 || s-s != 0 || k > 0 && (c.Knots[k-1] >= x || c.Scores[k-1] > s) {
			return errors.New("the knots and scores of a curve must increase")
		}
	}
	return nil
}
