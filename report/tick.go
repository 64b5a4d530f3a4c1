package report

import (
	"math"
	"slices"
)

const (
	fewTicks    = 3
	manyTicks   = 8
	manyDecades = 10
)

// linearTicks returns the multiples of a step from low to high, 3 to 8 of them,
// and the step, which is 1, 2 or 5 times a power of ten. The range must be finite
// and longer than its ends' last digits.
//
// Neighbouring steps differ by 2.5 at most. Where the larger has less than four
// multiples in the range, and so is longer than a quarter of it, the smaller has
// no more than ten; with nine or ten the larger has three.
func linearTicks(low, high float64) (at []float64, step float64) {
	exponent := math.Floor(math.Log10(high - low))
	var coarse []float64
	coarser := 0.0
	for ; ; exponent-- {
		for _, digit := range []float64{5, 2, 1} {
			step = decimal(digit, exponent)
			at = multiples(low, high, step)
			if len(at) > manyTicks && len(coarse) >= fewTicks {
				return coarse, coarser
			}
			if len(at) > fewTicks {
				return at, step
			}
			coarse, coarser = at, step
		}
	}
}

// decimal returns digit·10^exponent, rounded once for exponents down to -22.
func decimal(digit, exponent float64) float64 {
	if exponent < 0 && exponent >= -300 {
		return digit / math.Pow(10, -exponent)
	}
	return digit * math.Pow(10, exponent)
}

// multiples returns the multiples of step from low to high. What misses an end by
// rounding counts.
func multiples(low, high, step float64) []float64 {
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	var out []float64
	for i := first; i <= last && len(out) <= 20; i++ {
		v := i * step
		if step < 1 { // 3·0.1 is not 0.3, and 3/10 is
			v = i / math.Round(1/step)
			if 1/step > 1e15 {
				v = i * step
			}
		}
		out = append(out, v+0) // +0 makes 0 of -0
	}
	return out
}

// logTicks returns round numbers from low to high, 0 < low < high, 3 to 10 of
// them: powers of ten, or one, two and five times such, or, of a range too short
// for these, those of a linear axis.
func logTicks(low, high float64) []float64 {
	first, last := math.Ceil(math.Log10(low)-1e-9), math.Floor(math.Log10(high)+1e-9)
	if last-first+1 >= fewTicks {
		return powers(first, last)
	}
	var out []float64
	for e := first - 1; e <= last; e++ {
		for _, digit := range []float64{1, 2, 5} {
			if v := decimal(digit, e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	if len(out) < fewTicks {
		out, _ = linearTicks(low, high)
	}
	return out
}

// powers returns powers of ten with exponents from first to last, a step of 1, 2
// or 5 times a power of ten apart. A step has three at least: the step before it,
// which is 2/5 of it or more, had eleven.
func powers(first, last float64) []float64 {
	for base := 1.0; ; base *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			exponents := multiples(first, last, digit*base)
			if len(exponents) > manyDecades {
				continue
			}
			out := make([]float64, len(exponents))
			for i, e := range exponents {
				out[i] = decimal(1, e)
			}
			return out
		}
	}
}

// tick is a place on an axis and what is written there.
type tick struct {
	at   float64
	text string
}

// ticks returns what is written along the axis.
func (a Axis) ticks(s scale) []tick {
	var out []tick
	add := func(v float64, text string) {
		if p, ok := s.part(v); ok && p >= -1e-9 && p <= 1+1e-9 {
			out = append(out, tick{v, text})
		}
	}
	switch {
	case a.Names != nil:
		for i, name := range a.Names {
			add(float64(i), clean(name, 24))
		}
	case a.Ticks != nil:
		at := slices.Clone(a.Ticks)
		slices.Sort(at)
		for _, v := range slices.Compact(at) {
			add(v, a.write(v))
		}
	case a.Log:
		for _, v := range logTicks(s.low, s.high) {
			add(v, a.write(v))
		}
	default:
		at, step := linearTicks(s.low, s.high)
		top := max(math.Abs(s.low), math.Abs(s.high))
		for _, v := range at {
			if a.Percent {
				add(v, spaced(100*v, 100*step, 100*top)+"%")
			} else {
				add(v, spaced(v, step, top))
			}
		}
	}
	return out
}

// write writes a number of the axis by itself.
func (a Axis) write(v float64) string {
	if a.Percent {
		return percentage(v)
	}
	return brief3(v)
}
