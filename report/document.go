package report

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// Document is a page of any content. Empty parts are left out.
type Document struct {
	Title    string
	Headline Fact   // the one number that matters
	Lead     string // a paragraph below it
	Warning  string // a paragraph that stands out
	Sections []Section
}

// Section is a part of a document: a paragraph, facts, a table, a matrix, bars and
// figures, in this order.
type Section struct {
	Title   string
	Text    string
	Facts   []Fact
	Table   *Table
	Matrix  *Matrix
	Ranked  *Ranked
	Figures []Figure
	Note    string // a paragraph at the end
}

// Fact is a named value. The interval stands beside it.
type Fact struct{ Name, Value, Interval string }

// Table is rows below names of columns.
type Table struct {
	Columns []string
	Rows    [][]Cell
}

// Cell is a value of a table, and an interval or a remark in small print.
type Cell struct{ Value, Small string }

// Cells returns a row of bare values.
func Cells(values ...string) []Cell {
	out := make([]Cell, len(values))
	for i, v := range values {
		out[i].Value = v
	}
	return out
}

// Figure is a chart with its title, its legend and a remark.
type Figure struct {
	Chart Chart
	Note  string
}

// page writes HTML. Strings among the arguments are escaped, markup is not.
type page struct{ b strings.Builder }

// markup is text that is HTML already.
type markup string

// longest is how many characters a text of a page may have.
const longest = 4000

func (p *page) put(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = html.EscapeString(clean(a, longest))
		case markup:
			args[i] = string(a)
		}
	}
	fmt.Fprintf(&p.b, format, args...)
}

// part writes a text within a format that has one place for it, if there is any.
func (p *page) part(format, text string) {
	if text != "" {
		p.put(format, text)
	}
}

// Write writes a document as an HTML page.
func Write(w io.Writer, d Document) error {
	p := &page{}
	p.put("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n")
	p.put("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	p.put("<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>\n%s</style>\n", d.Title,
		markup(Style))
	p.put("<h1>%s</h1>\n", d.Title)
	if h := d.Headline; h.Value != "" {
		p.put(`<div class="head"><span>%s</span><strong>%s</strong><span class="small">%s</span></div>`+"\n", h.Name,
			h.Value, h.Interval)
	}
	p.part("<p class=\"soft\">%s</p>\n", d.Lead)
	p.part("<p class=\"note\">%s</p>\n", d.Warning)
	for _, s := range d.Sections {
		p.section(s)
	}
	p.put("</html>\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) section(s Section) {
	p.part("<h2>%s</h2>\n", s.Title)
	p.part("<p class=\"soft\">%s</p>\n", s.Text)
	if len(s.Facts) > 0 {
		p.put("<table class=\"facts\">\n")
		for _, f := range s.Facts {
			p.put("<tr><th>%s</th><td><bdi>%s</bdi>", f.Name, f.Value)
			p.part(` <span class="small">%s</span>`, f.Interval)
			p.put("</td></tr>\n")
		}
		p.put("</table>\n")
	}
	if s.Table != nil {
		p.table(*s.Table)
	}
	if s.Matrix != nil {
		p.matrix(*s.Matrix)
	}
	if s.Ranked != nil {
		p.ranked(s.Ranked)
	}
	if len(s.Figures) > 0 {
		small := ""
		if w := s.Figures[0].Chart.Width; w > 0 && w < 300 {
			small = " few"
		}
		p.put("<div class=\"charts%s\">\n", small)
		for _, f := range s.Figures {
			p.figure(f)
		}
		p.put("</div>\n")
	}
	p.part("<p class=\"soft\">%s</p>\n", s.Note)
}

func (p *page) table(t Table) {
	p.put("<div class=\"wide\"><table class=\"rows\">\n<tr>")
	for _, c := range t.Columns {
		p.put("<th>%s</th>", c)
	}
	p.put("</tr>\n")
	for _, row := range t.Rows {
		p.put("<tr>")
		for _, c := range row {
			p.put("<td><bdi>%s</bdi>", c.Value)
			p.part(` <span class="small">%s</span>`, c.Small)
			p.put("</td>")
		}
		p.put("</tr>\n")
	}
	p.put("</table></div>\n")
}

func (p *page) figure(f Figure) {
	p.put("<figure><h3>%s</h3>%s<figcaption>", f.Chart.Title, markup(f.Chart.SVG()))
	keys := false
	for i, s := range f.Chart.Series {
		if s.Name == "" {
			continue
		}
		if !keys {
			p.put(`<div class="keys">`)
			keys = true
		}
		p.put(`<span>%s%s</span>`, markup(s.key(i)), clean(s.Name, 80))
	}
	if keys {
		p.put("</div>")
	}
	p.put("%s</figcaption></figure>\n", f.Note)
}
