package report

import (
	"fmt"
	"html"
	"strings"
)

// series draws one series.
func (v *canvas) series(i int, s Series) {
	colour := fmt.Sprintf("k%d", s.mark(i))
	if s.Faint {
		colour += " faint"
	}
	switch s.Kind {
	case Bars:
		v.bars(colour, s)
		return
	case Line, Joined, Steps:
		v.path(colour, s)
	}
	v.whiskers(colour, s)
	if s.Kind == Points || s.Kind == Joined {
		v.points(colour, s.mark(i), s)
	}
}

// shown reports whether a point has a place in the chart.
func (v *canvas) shown(p Point) bool { return v.X.shows(p.X) && v.Y.shows(p.Y) }

// path joins points, but across those without a place.
func (v *canvas) path(colour string, s Series) {
	var d strings.Builder
	drawn := false
	for _, p := range s.Points {
		switch {
		case !v.shown(p):
			drawn = false
			continue
		case !drawn:
			fmt.Fprintf(&d, "M%.1f %.1f", v.px(p.X), v.py(p.Y))
		case s.Kind == Steps:
			fmt.Fprintf(&d, "H%.1fV%.1f", v.px(p.X), v.py(p.Y))
		default:
			fmt.Fprintf(&d, "L%.1f %.1f", v.px(p.X), v.py(p.Y))
		}
		drawn = true
	}
	if d.Len() == 0 {
		return
	}
	if s.Dashed {
		colour += " dashed"
	}
	v.put(`<path class="line %s" d="%s"/>`, colour, d.String())
}

// whiskers draws the intervals of points.
func (v *canvas) whiskers(colour string, s Series) {
	var d strings.Builder
	for _, p := range s.Points {
		if v.shown(p) && p.Low < p.High && v.Y.shows(p.High) {
			low := p.Low
			if !v.Y.shows(low) {
				low = v.y.low // of a logarithmic axis it has no end
			}
			x, y0, y1 := v.px(p.X), v.py(low), v.py(p.High)
			fmt.Fprintf(&d, "M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6", x, y0, y1, x-3, y0, x-3, y1)
		}
	}
	if d.Len() > 0 {
		v.put(`<path class="whisker %s" d="%s"/>`, colour, d.String())
	}
}

// shapes of points, one a colour, around 0 and 2 wide.
var shapes = [Colours][]float64{
	nil, // a disc
	{-0.85, -0.85, 0.85, -0.85, 0.85, 0.85, -0.85, 0.85},
	{0, -1.1, 1, 0.8, -1, 0.8},
	{0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0},
	{0, 1.1, 1, -0.8, -1, -0.8},
	{-1, -0.5, 1, -0.5, 1, 0.5, -1, 0.5},
}

// shape returns the path of a point.
func shape(mark int, x, y, size float64) string {
	r, corners := size/2, shapes[mark-1]
	if corners == nil {
		return fmt.Sprintf("M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0z", x-r, y, r, r, 2*r, r, r, -2*r)
	}
	var d strings.Builder
	for i := 0; i < len(corners); i += 2 {
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(i, 1)], x+r*corners[i], y+r*corners[i+1])
	}
	return d.String() + "z"
}

// size returns how large points are.
func (s Series) size() float64 {
	if s.Size > 0 && s.Size < 100 {
		return s.Size
	}
	return usualSize
}

// dust reports whether points are too many or too small to have shapes and say
// what they are.
func (s Series) dust() bool { return len(s.Points) > mostTips || s.size() < 5 }

// points draws the points of a series: each an element that says what it is, or
// dust as discs in one.
func (v *canvas) points(colour string, mark int, s Series) {
	var d strings.Builder
	for _, p := range s.Points {
		if !v.shown(p) {
			continue
		}
		x, y := v.px(p.X), v.py(p.Y)
		if s.dust() {
			fmt.Fprintf(&d, "M%.1f %.1fh0", x, y)
			continue
		}
		v.put(`<path class="dot %s" d="%s"><title>%s</title></path>`, colour, shape(mark, x, y, s.size()),
			html.EscapeString(v.tip(s, p)))
	}
	if d.Len() > 0 {
		v.put(`<path class="dots %s" stroke-width="%.1f" d="%s"/>`, colour, s.size(), d.String())
	}
}

// bars draws columns from 0.
func (v *canvas) bars(colour string, s Series) {
	for _, p := range s.Points {
		if !v.shown(p) {
			continue
		}
		x, to := v.px(p.X-s.Width/2), v.px(p.X+s.Width/2)
		y, foot := v.py(p.Y), v.bottom
		if !v.Y.Log {
			foot = v.py(0)
		}
		v.put(`<rect class="bar %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`,
			colour, x, min(y, foot), max(to-x-0.5, 0.5), max(y-foot, foot-y), html.EscapeString(v.tip(s, p)))
	}
	v.whiskers(colour, s)
}

// tip returns what is shown under the pointer.
func (v *canvas) tip(s Series, p Point) string {
	if p.Text != "" {
		return clean(p.Text, 200)
	}
	x := v.X.write(p.X)
	if i := int(p.X); v.X.Names != nil && i >= 0 && i < len(v.X.Names) {
		x = v.X.Names[i]
	}
	text := x + ": " + v.Y.write(p.Y)
	if p.Low < p.High {
		text += " (" + v.Y.write(p.Low) + " to " + v.Y.write(p.High) + ")"
	}
	if s.Name != "" {
		text = s.Name + ", " + text
	}
	return clean(text, 200)
}

// key returns what stands for a series in a legend.
func (s Series) key(i int) string {
	mark := s.mark(i)
	body := `<path class="line" d="M1 6H17"/>`
	if s.Dashed {
		body = `<path class="line dashed" d="M1 6H17"/>`
	}
	form := mark
	if s.dust() {
		form = 1
	}
	switch s.Kind {
	case Bars:
		body = `<rect class="bar" x="3" y="1" width="12" height="10"/>`
	case Points:
		body = `<path class="dot" d="` + shape(form, 9, 6, 8) + `"/>`
	case Joined:
		body += `<path class="dot" d="` + shape(form, 9, 6, 8) + `"/>`
	}
	return fmt.Sprintf(`<svg class="key k%d" viewBox="0 0 18 12" aria-hidden="true">%s</svg>`, mark, body)
}
