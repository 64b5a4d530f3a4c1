package cli

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A chart is a small SVG picture with two axes. It has no colours of its own:
// the page's style gives them to the classes a, b and c, so that it can be read
// on a light and on a dark ground.
type chart struct {
	title string
	x, y  axis
	body  strings.Builder
	words strings.Builder // above all else
	rules int
}

// axis is one direction of a chart.
type axis struct {
	label     string
	low, high float64
	log       bool
	at        []float64 // where to put numbers; nil for round ones
	write     func(float64) string
}

// The chart's size, and the room around the plot for numbers and labels.
const (
	chartWidth  = 460.0
	chartHeight = 280.0
	chartLeft   = 62.0
	chartRight  = 18.0
	chartTop    = 14.0
	chartBottom = 46.0
	plotWidth   = chartWidth - chartLeft - chartRight
	plotHeight  = chartHeight - chartTop - chartBottom
)

// xy is a point of a chart.
type xy struct{ x, y float64 }

// newChart returns an empty chart. Axes without length get some.
func newChart(title string, x, y axis) *chart {
	return &chart{title: title, x: x.widened(), y: y.widened()}
}

func (a axis) widened() axis {
	if a.write == nil {
		a.write = brief
	}
	if !(a.low < a.high) {
		pad := max(math.Abs(a.low)/10, 1e-3)
		if a.log {
			a.low, a.high = a.low/2, a.high*2
		} else {
			a.low, a.high = max(a.low-pad, -math.MaxFloat64), min(a.high+pad, math.MaxFloat64)
		}
	}
	return a
}

// part returns how far along the axis a number is, from 0 to 1. What is outside
// of the axis is put at its end.
func (a axis) part(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	// Halves, because the difference of two numbers may be too large for one.
	p := (v/2 - low/2) / (high/2 - low/2)
	if math.IsNaN(p) {
		return 0
	}
	return min(max(p, 0), 1)
}

// places returns where numbers stand on the axis.
func (a axis) places() []float64 {
	if a.at == nil {
		return roundNumbers(a.low, a.high, 5)
	}
	all := slices.Clone(a.at)
	slices.Sort(all)
	last := -1.0
	return slices.DeleteFunc(all, func(v float64) bool {
		if p := a.part(v); p-last < 0.09 {
			return true
		} else {
			last = p
			return false
		}
	})
}

// roundNumbers returns about n round numbers from low to high.
func roundNumbers(low, high float64, n int) []float64 {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return []float64{low, high}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(n))))
	switch f := span / float64(n) / step; {
	case f > 5:
		step *= 10
	case f > 2:
		step *= 5
	case f > 1:
		step *= 2
	}
	var out []float64
	last := min(high+1e-9*span, math.MaxFloat64)
	for i := math.Ceil(low/step - 1e-9); i*step <= last && len(out) < 3*n; i++ {
		out = append(out, i*step)
	}
	return out
}

// brief writes a number in few digits.
func brief(v float64) string {
	if v == 0 {
		return "0" // not -0
	}
	text := strconv.FormatFloat(v, 'g', 4, 64)
	if a := math.Abs(v); a >= 1e4 && a < 1e7 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(text)
}

// percentage writes a part of one without needless digits.
func percentage(v float64) string {
	if v == 0 {
		return "0%" // not -0%
	}
	return strconv.FormatFloat(math.Round(1e6*v)/1e4, 'g', 6, 64) + "%"
}

func (c *chart) px(v float64) float64 { return chartLeft + plotWidth*c.x.part(v) }
func (c *chart) py(v float64) float64 { return chartTop + plotHeight*(1-c.y.part(v)) }

// line joins points.
func (c *chart) line(class string, points []xy) {
	if len(points) == 0 {
		return
	}
	fmt.Fprintf(&c.body, `<path class="line %s" d="`, class)
	for i, p := range points {
		fmt.Fprintf(&c.body, "%c%.1f %.1f", "ML"[min(i, 1)], c.px(p.x), c.py(p.y))
	}
	c.body.WriteString(`"/>`)
}

// dots draws points of the given width, all in one element.
func (c *chart) dots(class string, width float64, points []xy) {
	if len(points) == 0 {
		return
	}
	fmt.Fprintf(&c.body, `<path class="dots %s" stroke-width="%.1f" d="`, class, width)
	for _, p := range points {
		fmt.Fprintf(&c.body, "M%.1f %.1fh0", c.px(p.x), c.py(p.y))
	}
	c.body.WriteString(`"/>`)
}

// bar draws a filled column.
func (c *chart) bar(class string, from, to, height float64) {
	x, y := c.px(from), c.py(height)
	fmt.Fprintf(&c.body, `<rect class="bar %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, class, x, y, max(c.px(to)-x-0.5, 0.5), chartTop+plotHeight-y)
}

// whisker draws an interval upright.
func (c *chart) whisker(class string, x, low, high float64) {
	fmt.Fprintf(&c.body, `<path class="whisker %s" d="M%.1f %.1fV%.1f"/>`, class, c.px(x), c.py(low), c.py(high))
}

// segment draws a dashed line for comparison.
func (c *chart) segment(from, to xy) {
	fmt.Fprintf(&c.body, `<path class="guide" d="M%.1f %.1fL%.1f %.1f"/>`, c.px(from.x), c.py(from.y), c.px(to.x), c.py(to.y))
}

// rule marks a place of the x axis, with words beside it, each rule's a line
// lower than those of the rule before.
func (c *chart) rule(class string, at float64, words string) {
	x := c.px(at)
	fmt.Fprintf(&c.body, `<path class="rule %s" d="M%.1f %.1fV%.1f"/>`, class, x, chartTop, chartTop+plotHeight)
	anchor, shift := "start", 4.0
	if c.x.part(at) > 0.6 {
		anchor, shift = "end", -4
	}
	fmt.Fprintf(&c.words, `<text class="mark" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x+shift, chartTop+10+15*float64(c.rules), anchor, template.HTMLEscapeString(words))
	c.rules++
}

// svg returns the picture.
func (c *chart) svg() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, chartWidth, chartHeight, template.HTMLEscapeString(c.title))
	bottom := chartTop + plotHeight
	for _, v := range c.y.places() {
		fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`,
			chartLeft, c.py(v), chartLeft+plotWidth, chartLeft-6, c.py(v)+4, template.HTMLEscapeString(c.y.write(v)))
	}
	for _, v := range c.x.places() {
		fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fv4"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
			c.px(v), bottom, c.px(v), bottom+17, template.HTMLEscapeString(c.x.write(v)))
	}
	b.WriteString(c.body.String())
	b.WriteString(c.words.String())
	fmt.Fprintf(&b, `<path class="axis" d="M%g %gV%gH%g"/>`, chartLeft, chartTop, bottom, chartLeft+plotWidth)
	fmt.Fprintf(&b, `<text class="label" x="%g" y="%g" text-anchor="middle">%s</text>`, chartLeft+plotWidth/2, chartHeight-8, template.HTMLEscapeString(c.x.label))
	fmt.Fprintf(&b, `<text class="label" transform="translate(13 %g) rotate(-90)" text-anchor="middle">%s</text></svg>`, chartTop+plotHeight/2, template.HTMLEscapeString(c.y.label))
	return template.HTML(b.String())
}

// histogram counts values in columns of equal width from low to high, as parts
// of all values. The last column has its upper end.
func histogram(values []float64, low, high float64, columns int) []float64 {
	out := make([]float64, columns)
	span := axis{low: low, high: high}
	for _, v := range values {
		out[min(int(span.part(v)*float64(columns)), columns-1)] += 1 / float64(len(values))
	}
	return out
}

// extent returns the smallest and the largest of some numbers.
func extent(values ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, some := range values {
		for _, v := range some {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}
