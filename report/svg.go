package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	usualWidth, usualHeight = 420.0, 260.0
	letter                  = 6.6  // how wide a letter is, about
	digitWide               = 1.15 // a digit, in letters
	line                    = 15.0
	usualSize               = 7.0 // of points
	mostTips                = 300 // points of a series that say what they are
)

// canvas is a chart on its way to SVG.
type canvas struct {
	*Chart
	x, y                     scale
	left, right, top, bottom float64 // ends of the plot
	xTicks, yTicks           []tick
	out, above               strings.Builder // above lies over all else
	marks                    int             // upright rules with words so far
}

// SVG returns the picture as an element for HTML whose style is Style. It says
// "no data" where there is no point to show.
func (c *Chart) SVG() string {
	v := &canvas{Chart: c}
	width, height := c.Width, c.Height
	if !(width > 0 && height > 0 && width+height <= 1e5) {
		width, height = usualWidth, usualHeight
	}
	name := clean(c.Title, 200)
	if c.X.Label != "" && c.Y.Label != "" {
		name += ": " + clean(c.Y.Label, 100) + " by " + clean(c.X.Label, 100)
	}
	v.put(`<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`, width, height, html.EscapeString(name))
	ok := false
	if v.x, v.y, ok = c.scales(); ok {
		v.layout(width, height)
		v.axes(height)
		for i, s := range c.Series {
			v.series(i, s)
		}
		for _, r := range c.Rules {
			v.rule(r)
		}
		v.out.WriteString(v.above.String())
	} else {
		v.put(`<text class="none" x="%g" y="%g" text-anchor="middle">no data</text>`, width/2, height/2)
	}
	v.put(`</svg>`)
	return v.out.String()
}

func (v *canvas) put(format string, args ...any) { fmt.Fprintf(&v.out, format, args...) }

// long is how wide a text is, about; a percent sign is as wide as two letters.
func long(text string) float64 {
	return letter * float64(utf8.RuneCountInString(text)+strings.Count(text, "%"))
}

// layout finds the ends of the plot, so that all words beside it have room.
func (v *canvas) layout(width, height float64) {
	v.left, v.right, v.top, v.bottom = 8, width-8, 8, height-8
	if !v.Y.Hidden {
		v.yTicks = v.Y.ticks(v.y)
		wide := 0.0
		for _, t := range v.yTicks {
			wide = max(wide, digitWide*long(t.text))
		}
		v.left = min(12+wide, width/2)
		if v.Y.Label != "" {
			v.left += line + 2
		}
		v.top = 12
	}
	if v.X.Hidden {
		return
	}
	v.bottom -= line
	if v.X.Label != "" {
		v.bottom -= line + 4
	}
	all := v.X.ticks(v.x)
	if len(all) > 0 {
		v.right = min(v.right, width-4-long(all[len(all)-1].text)/2)
		if half := digitWide * long(all[0].text) / 2; v.px(all[0].at) < half+2 {
			v.left = min(max(v.left, half+2), width/2)
		}
	}
	v.xTicks = v.thinned(all)
}

// thinned leaves out numbers of the x axis that would lie upon each other. Of
// those in equal steps every second, third … stays, with 0 among them.
func (v *canvas) thinned(all []tick) []tick {
	out := v.apart(all)
	if v.X.Log || v.X.Ticks != nil || v.X.Names != nil || len(all) < 2 {
		return out
	}
	step := all[1].at - all[0].at
	for every, some := 2.0, all; len(out) < len(some) && every < float64(len(all)); every++ {
		some = slices.DeleteFunc(slices.Clone(all), func(t tick) bool { return math.Mod(math.Round(t.at/step), every) != 0 })
		out = v.apart(some)
	}
	return out
}

// apart leaves out what would lie upon the number before.
func (v *canvas) apart(all []tick) (out []tick) {
	free := math.Inf(-1) // right of what was written last
	for _, t := range all {
		if at, half := v.px(t.at), long(t.text)/2; at-half >= free {
			out = append(out, t)
			free = at + half + letter
		}
	}
	return out
}

// px and py return where numbers are in the picture, those outside of the axis at
// its end.
func (v *canvas) px(x float64) float64 { return v.left + (v.right-v.left)*v.x.within(x) }
func (v *canvas) py(y float64) float64 { return v.bottom - (v.bottom-v.top)*v.y.within(y) }

// axes draws lines, numbers and labels.
func (v *canvas) axes(height float64) {
	for _, t := range v.yTicks {
		y := v.py(t.at)
		v.put(`<path class="grid" d="M%.1f %.1fH%.1f"/>`, v.left, y, v.right)
		v.put(`<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, v.left-6, y+4, html.EscapeString(t.text))
	}
	for _, t := range v.xTicks {
		x := v.px(t.at)
		v.put(`<path class="axis" d="M%.1f %.1fv4"/>`, x, v.bottom)
		v.put(`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x, v.bottom+17, html.EscapeString(t.text))
	}
	if !v.X.Hidden {
		v.put(`<path class="axis" d="M%.1f %.1fH%.1f"/>`, v.left, v.bottom, v.right)
		if v.X.Label != "" {
			v.put(`<text class="label" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
				(v.left+v.right)/2, height-7, v.fitted(v.X.Label, v.right-v.left+v.left/2))
		}
	}
	if !v.Y.Hidden {
		v.put(`<path class="axis" d="M%.1f %.1fV%.1f"/>`, v.left, v.top, v.bottom)
		if v.Y.Label != "" {
			v.put(`<text class="label" transform="translate(13 %.1f) rotate(-90)" text-anchor="middle">%s</text>`,
				(v.top+v.bottom)/2, v.fitted(v.Y.Label, height))
		}
	}
}

// fitted cuts a text to a width.
func (v *canvas) fitted(text string, width float64) string {
	return html.EscapeString(clean(text, max(int(width/letter), 3)))
}

// rule draws a line across, with words beside it, each a line lower than those
// before.
func (v *canvas) rule(r Rule) {
	colour := ""
	if r.Colour >= 1 && r.Colour <= Colours {
		colour = fmt.Sprintf(" k%d", r.Colour)
	}
	of := v.X
	if r.Level {
		of = v.Y
	}
	if !of.shows(r.At) {
		return
	}
	var x, y float64
	anchor := "start"
	if r.Level {
		at := v.py(r.At)
		v.put(`<path class="rule%s" d="M%.1f %.1fH%.1f"/>`, colour, v.left, at, v.right)
		x, y, anchor = v.right-4, at-4, "end"
		if y < v.top+10 {
			y = at + 13
		}
	} else {
		at := v.px(r.At)
		v.put(`<path class="rule%s" d="M%.1f %.1fV%.1f"/>`, colour, at, v.top, v.bottom)
		x, y = at+4, v.top+10+line*float64(v.marks)
		if at > v.left+0.6*(v.right-v.left) {
			x, anchor = at-4, "end"
		}
	}
	if r.Text == "" {
		return
	}
	if !r.Level {
		v.marks++
	}
	fmt.Fprintf(&v.above, `<text class="mark" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor,
		v.fitted(r.Text, v.right-v.left))
}
