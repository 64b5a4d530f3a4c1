package report

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Matrix is counts of pairs of names, such as how many rows of each true class
// were predicted as each other one: Counts[t][p].
type Matrix struct {
	Names  []string
	Counts [][]int
}

// matrix colours counts by the part that they are of their row. The root makes
// rare ones visible.
func (p *page) matrix(m Matrix) {
	upright := ""
	for _, name := range m.Names {
		if n := utf8.RuneCountInString(name); n > 10 || n > 3 && len(m.Names) > 8 {
			upright = " upright"
		}
	}
	p.put("<div class=\"wide\"><table class=\"heat%s\">\n<thead><tr><th></th>", upright)
	for _, name := range m.Names {
		p.put("<th><bdi>%s</bdi></th>", clean(name, 40))
	}
	p.put("</tr></thead>\n<tbody>\n")
	for t, counts := range m.Counts[:min(len(m.Counts), len(m.Names))] {
		all := 0
		for _, n := range counts {
			all += n
		}
		p.put("<tr><th><bdi>%s</bdi></th>", clean(m.Names[t], 40))
		for q, n := range counts[:min(len(counts), len(m.Names))] {
			if n <= 0 {
				p.put("<td></td>")
				continue
			}
			part, colour := float64(n)/float64(all), "wrong"
			if q == t {
				colour = "right"
			}
			tip := fmt.Sprintf("%s of %s: predicted as %s", percent(part), clean(m.Names[t], 40), clean(m.Names[q], 40))
			heat := strconv.FormatFloat(0.1+0.6*math.Sqrt(part), 'f', 3, 64)
			p.put(`<td class="%s" style="--heat: %s" title="%s">%d</td>`, colour, heat, tip, n)
		}
		p.put("</tr>\n")
	}
	p.put("</tbody>\n</table></div>\n")
}
