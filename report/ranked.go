package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Ranked is a chart of bars beside names, the first on top, with an interval each.
type Ranked struct {
	Title   string // also what a screen reader says
	Label   string // of the values
	Percent bool   // whether values are parts of one
	Bars    []RankedBar
	Note    string // below the chart
}

// RankedBar is a line of a Ranked chart. The interval is drawn where Low < High.
type RankedBar struct {
	Name             string
	Value, Low, High float64
}

const (
	rankedLine  = 20.0 // height of a bar and what is between two
	rankedNames = 150.0
)

// SVG returns the picture as an element for HTML whose style is Style.
func (r *Ranked) SVG() string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	height := rankedLine*float64(len(r.Bars)) + 2*line + 16
	put(`<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`, usualWidth, height,
		html.EscapeString(clean(r.Title+": "+r.Label, 300)))
	low, high := 0.0, 0.0
	for _, bar := range r.Bars {
		low, high = min(low, bar.Value, bar.Low), max(high, bar.Value, bar.High)
	}
	if !(high-low > 0) || math.IsInf(high-low, 0) {
		put(`<text class="none" x="%g" y="%g" text-anchor="middle">nothing changes</text></svg>`, usualWidth/2, height/2)
		return b.String()
	}
	axis := Axis{Low: low, High: high, Percent: r.Percent}
	v := &canvas{Chart: &Chart{X: axis, Y: Axis{Hidden: true}}, left: rankedNames, right: usualWidth - 24}
	v.x, v.bottom = scale{low, high, false}, height-2*line-8
	for _, t := range v.thinned(axis.ticks(v.x)) {
		put(`<path class="grid" d="M%.1f 4V%.1f"/>`, v.px(t.at), v.bottom)
		put(`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, v.px(t.at), v.bottom+17, html.EscapeString(t.text))
	}
	for i, bar := range r.Bars {
		y := 6 + rankedLine*float64(i)
		put(`<g class="k1"><title>%s</title>`, html.EscapeString(clean(fmt.Sprintf("%s: %s (%s to %s)", bar.Name,
			r.write(bar.Value), r.write(bar.Low), r.write(bar.High)), 200)))
		put(`<text class="label" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, rankedNames-8, y+12,
			html.EscapeString(clean(bar.Name, 20)))
		from, to := v.px(min(bar.Value, 0)), v.px(max(bar.Value, 0))
		put(`<path class="bar" stroke="none" d="M%.1f %.1fH%.1fv13H%.1fz"/>`, from, y+1, max(to, from+0.5), from)
		if bar.Low < bar.High {
			put(`<path class="whisker" d="M%.1f %.1fH%.1fm0 -3v6M%.1f %.1fv6"/>`, v.px(bar.Low), y+7.5, v.px(bar.High),
				v.px(bar.Low), y+4.5)
		}
		put(`</g>`)
	}
	put(`<path class="axis" d="M%.1f 4V%.1f"/>`, v.px(0), v.bottom)
	put(`<text class="label" x="%.1f" y="%.1f" text-anchor="middle">%s</text></svg>`, (rankedNames+usualWidth)/2, height-6,
		html.EscapeString(clean(r.Label, 60)))
	return b.String()
}

func (r *Ranked) write(v float64) string {
	if r.Percent {
		return percent(v)
	}
	return fmt.Sprintf("%.4g", v)
}

func (p *page) ranked(r *Ranked) {
	p.put("<div class=\"charts\"><figure><h3>%s</h3>%s<figcaption>%s</figcaption></figure></div>\n", r.Title,
		markup(r.SVG()), r.Note)
}
