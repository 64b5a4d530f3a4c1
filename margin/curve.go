package margin

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/kerf-ml/kerf/bound"
)

// Point is an error at a margin: the part of a sample whose margin is below.
type Point struct {
	Margin float64 `json:"margin"`
	Error  float64 `json:"error"`
}

// Curve is the error at every margin, α(γ), of the best separator that was
// found for it: a step function that never falls. It says which pairs of a
// margin and of noise the theorems may be asked with (Blum 2006, definition 2
// and section 4.5).
//
// NewCurve takes it from one sample, HeldOut from two. The zero Curve knows
// nothing and says error 1 everywhere. A Curve is immutable and safe for
// concurrent use.
type Curve struct {
	steps      []step // ascending margins
	size       int    // instances on which errors were counted, the fewest of any separator
	separators int
}

// step says that on the margins above that of the step before, up to its own,
// the error is Error, by the given separator.
type step struct {
	Point
	separator int
}

// NewCurve returns the lower envelope of the curves of several separators, in
// O(margins · log separators): at each margin the error of the separator that is
// best there, the first of those that are equally good.
//
// Choosing the best on the sample on which it is reported flatters it, the more
// the more separators there are; HeldOut does not, and Gap bounds by how much.
// It returns an error unless there is a separator, and margins of each, in
// ascending order between -1 and 1, as NewMargins and Sample give them.
func NewCurve(margins ...Margins) (Curve, error) {
	return HeldOut(margins, margins)
}

// HeldOut returns the curve of separators that are chosen on one part of a
// sample and reported on another: choose and report have the margins of the
// same separators, in the same order. At margin γ it takes the separator with
// the least error on choose, the first of equals, and has the error of that one
// on report. Where another separator takes over, this could fall; the curve
// stays at what it had reached instead, and so is never below what was measured.
//
// It takes O(margins · log separators), and returns an error where NewCurve does
// or where the two differ in length.
func HeldOut(choose, report []Margins) (Curve, error) {
	if len(choose) != len(report) {
		return Curve{}, fmt.Errorf("margins: %d separators to choose from and %d to report", len(choose), len(report))
	}
	if len(choose) == 0 {
		return Curve{}, errors.New("margins: a curve of no separator")
	}
	c := Curve{size: math.MaxInt, separators: len(choose)}
	for s := range choose {
		for _, m := range []Margins{choose[s], report[s]} {
			if err := m.check(); err != nil {
				return Curve{}, fmt.Errorf("margins: separator %d: %w", s, err)
			}
		}
		c.size = min(c.size, len(report[s]))
	}
	c.steps = steps(choose, report)
	return c, nil
}

// check reports what a curve cannot be drawn from.
func (m Margins) check() error {
	if len(m) == 0 {
		return errors.New("there are no margins")
	}
	for i, v := range m {
		if !(v >= -1 && v <= 1) {
			return fmt.Errorf("margin %d is %v and must be between -1 and 1", i, v)
		}
		if i > 0 && v < m[i-1] {
			return fmt.Errorf("margin %d is %v after %v; they must ascend", i, v, m[i-1])
		}
	}
	return nil
}

// steps walks up the distinct margins of all lists, by a merge of them. No margin
// lies between two of them, so up to each one all errors are what they are at it.
//
// The best separator is looked for anew only when its own error rises: that of
// the others rising does not make one of them better.
func steps(choose, report []Margins) []step {
	k := len(choose)
	m := newMerge(append(slices.Clone(choose), report...))
	var out []step
	best, worst := 0, 0.0
	for !m.done() {
		v := m.head()
		worst = max(worst, m.below(k+best))
		next := step{Point{v, worst}, best}
		if i := len(out) - 1; i >= 0 && out[i].Error == worst && out[i].separator == best {
			out[i] = next
		} else {
			out = append(out, next)
		}
		before := m.passed[best]
		m.pass(v)
		if m.passed[best] != before {
			for s := range choose {
				// Equal fractions round to equal numbers, whatever the sizes.
				if a, b := m.below(s), m.below(best); a < b || a == b && s < best {
					best = s
				}
			}
		}
	}
	return out
}

// find returns the index of the step that holds at margin gamma, len(steps)
// above all margins. A NaN is above all.
func (c Curve) find(gamma float64) int {
	return sort.Search(len(c.steps), func(i int) bool { return c.steps[i].Margin >= gamma })
}

// At returns the error at margin gamma, in O(log n): 1 above all margins.
func (c Curve) At(gamma float64) float64 {
	if i := c.find(gamma); i < len(c.steps) {
		return c.steps[i].Error
	}
	return 1
}

// Separator returns which of the separators, counted from 0, has the error at
// margin gamma; -1 above all margins.
func (c Curve) Separator(gamma float64) int {
	if i := c.find(gamma); i < len(c.steps) {
		return c.steps[i].separator
	}
	return -1
}

// MarginAt returns the largest margin at which the error is at most err, and
// false where there is none.
func (c Curve) MarginAt(err float64) (float64, bool) {
	// Errors ascend with the steps.
	i := sort.Search(len(c.steps), func(i int) bool { return !(c.steps[i].Error <= err) })
	if i == 0 {
		return 0, false
	}
	return c.steps[i-1].Margin, true
}

// Len returns the number of instances on which errors were counted, of the
// separator with the fewest.
func (c Curve) Len() int { return c.size }

// Gap returns √(ln(2k/δ)/(2n)) for k separators and n instances, at most 1:
// with probability at least confidence = 1 - δ no true error, of any of the
// separators at any margin, is above the error on the sample by more, provided
// that the separators were found without these instances. It bounds what the
// choice among them flatters, so it holds for NewCurve as for HeldOut.
//
// Reference: Massart 1990 for the inequality of Dvoretzky, Kiefer and Wolfowitz;
// the union over the separators.
func (c Curve) Gap(confidence float64) (float64, error) {
	if !(confidence > 0 && confidence < 1) {
		return 0, fmt.Errorf("margins: confidence is %v and must be above 0 and below 1", confidence)
	}
	if len(c.steps) == 0 {
		return 1, nil
	}
	return min(1, math.Sqrt((math.Log(2*float64(c.separators))-math.Log(1-confidence))/(2*float64(c.size)))), nil
}

// corners returns margin 0 and then the positive margins that are the largest
// for their error: the pairs of which none is worse than another in both.
func (c Curve) corners() []Point {
	out := []Point{{0, c.At(0)}}
	for i, s := range c.steps {
		if s.Margin > 0 && (i+1 == len(c.steps) || c.steps[i+1].Error != s.Error) {
			out = append(out, s.Point)
		}
	}
	return out
}

// Points returns at most k points of the curve in ascending order, from margin
// 0 on, k at least 2: all of its corners where there are so few, else corners
// that are spread evenly over them, the first and the last among them. A corner
// is the largest margin with its error, so that evenly spread corners have
// evenly spread errors.
func (c Curve) Points(k int) []Point {
	all := c.corners()
	k = max(k, 2)
	if len(all) <= k {
		return all
	}
	out := make([]Point, k)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(k-1)]
	}
	return out
}

// PointsAt returns the points of the curve at given margins, in their order.
func (c Curve) PointsAt(margins ...float64) []Point {
	out := make([]Point, len(margins))
	for i, m := range margins {
		out[i] = Point{m, c.At(m)}
	}
	return out
}

// Choice is a margin to plan with, and what follows from it.
type Choice struct {
	Margin    float64 `json:"margin"`    // γ
	Noise     float64 `json:"noise"`     // α, the error at that margin
	Error     float64 `json:"error"`     // ε, the error that is left to the mapping: (total - α)/(1 - α)
	Landmarks int     `json:"landmarks"` // bound.NoisyLandmarks of these
}

// Recommend returns the point of the curve to plan with: the one for which the
// fewest landmarks bring the total error promised, (1-α)ε + α, down to the one
// given. A large margin takes few landmarks but leaves much to noise, so that ε
// must be small; a small margin the other way round. Of points with the same
// count the one with the larger margin is taken. All corners of the curve are
// tried, in O(corners).
//
// The errors of the curve are taken at their word; add Gap for errors that hold
// with confidence. It returns an error where no separator has an error below the
// total at a positive margin, or where every count is too large.
func (c Curve) Recommend(total, confidence float64) (Choice, error) {
	if !(total > 0 && total < 1) {
		return Choice{}, fmt.Errorf("margins: total error is %v and must be above 0 and below 1", total)
	}
	var best Choice
	var fault error
	for _, p := range c.corners()[1:] {
		left := (total - p.Error) / (1 - p.Error)
		if !(left > 0 && left < 1) {
			break // errors ascend
		}
		n, err := bound.NoisyLandmarks(p.Margin, left, confidence, p.Error)
		if err != nil {
			fault = err
			continue
		}
		if best.Landmarks == 0 || n <= best.Landmarks {
			best = Choice{Margin: p.Margin, Noise: p.Error, Error: left, Landmarks: n}
		}
	}
	if best.Landmarks > 0 {
		return best, nil
	}
	if fault != nil {
		return Choice{}, fmt.Errorf("margins: %w", fault)
	}
	if all := c.corners(); len(all) > 1 {
		return Choice{}, fmt.Errorf("margins: no separator found has an error below %.4g at a positive margin: the least "+
			"is %.4g, at margin %.4g", total, all[1].Error, all[1].Margin)
	}
	return Choice{}, errors.New("margins: no separator found has an instance at a positive margin")
}
