package report

import "math"

// farthest is the size of the largest number that a chart shows: ranges of such
// numbers have a length.
const farthest = 1e300

// scale puts the numbers from low to high onto 0 to 1.
type scale struct {
	low, high float64
	log       bool
}

// shows reports whether a number has a place on the axis.
func (a Axis) shows(v float64) bool {
	return math.Abs(v) <= farthest && (!a.Log || v >= 1/farthest)
}

// part returns how far along the scale a number is, and whether it is at all.
func (s scale) part(v float64) (float64, bool) {
	low, high := s.low, s.high
	if s.log {
		if !(v > 0) {
			return 0, false
		}
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	p := (v - low) / (high - low)
	return p, p-p == 0
}

// within returns how far along the scale a number is, from 0 to 1.
func (s scale) within(v float64) float64 {
	p, _ := s.part(v)
	if math.IsNaN(p) {
		return 0
	}
	return min(max(p, 0), 1)
}

// scale returns the scale of an axis whose data are between low and high, which
// are in the wrong order where there are none.
func (a Axis) scale(low, high float64) (s scale, ok bool) {
	if a.Low < a.High && a.shows(a.Low) && a.shows(a.High) {
		return scale{a.Low, a.High, a.Log}.widened(), low <= high
	}
	if !(low <= high) {
		return s, false
	}
	if a.FromZero && !a.Log {
		low, high = min(low, 0), max(high, 0)
	}
	s = scale{low, high, a.Log}.widened()
	if s.low != low || s.high != high {
		return s, true
	}
	return s.padded(a.FromZero), true
}

// widened gives a scale some length where it has none.
func (s scale) widened() scale {
	top := max(math.Abs(s.low), math.Abs(s.high))
	if s.high-s.low > max(1e-9*top, 1e-290) {
		return s
	}
	if s.log {
		return scale{max(s.low/2, 1/farthest), min(s.high*2, farthest), true}
	}
	pad := max(top/10, 1e-3)
	return scale{s.low - pad, s.high + pad, false}
}

// padded adds a little at both ends, so that points there are whole.
func (s scale) padded(zero bool) scale {
	const some = 0.03
	if s.log {
		by := math.Exp(some * (math.Log(s.high) - math.Log(s.low)))
		return scale{max(s.low/by, 1/farthest), min(s.high*by, farthest), true}
	}
	pad := some * (s.high - s.low)
	out := scale{s.low - pad, s.high + pad, false}
	if zero && s.low == 0 {
		out.low = 0
	}
	if zero && s.high == 0 {
		out.high = 0
	}
	return out
}

// span widens a range to a number, if that has a place on the axis.
func (a Axis) span(low, high *float64, v float64) {
	if a.shows(v) {
		*low, *high = min(*low, v), max(*high, v)
	}
}

// scales returns the scales of both axes, and whether there is anything to draw.
// A point counts where both its numbers have a place.
func (c *Chart) scales() (x, y scale, ok bool) {
	inf := math.Inf(1)
	xl, xh, yl, yh := inf, -inf, inf, -inf
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !c.X.shows(p.X) || !c.Y.shows(p.Y) {
				continue
			}
			c.X.span(&xl, &xh, p.X)
			c.Y.span(&yl, &yh, p.Y)
			if p.Low < p.High {
				c.Y.span(&yl, &yh, p.Low)
				c.Y.span(&yl, &yh, p.High)
			}
			if s.Kind == Bars {
				c.X.span(&xl, &xh, p.X-s.Width/2)
				c.X.span(&xl, &xh, p.X+s.Width/2)
				c.Y.span(&yl, &yh, 0)
			}
		}
	}
	if !(xl <= xh) {
		return x, y, false
	}
	for _, r := range c.Rules {
		if r.Level {
			c.Y.span(&yl, &yh, r.At)
		} else {
			c.X.span(&xl, &xh, r.At)
		}
	}
	x, okX := c.X.scale(xl, xh)
	y, okY := c.Y.scale(yl, yh)
	return x, y, okX && okY
}
